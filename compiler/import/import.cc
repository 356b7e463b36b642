// Import walks the program's definitions in order. Inside a body, expressions are emitted by
// ascending id (children first); what a reduction's body needs that does not depend on its index is
// emitted before the reduction, so that each body holds just what varies with its index.
#include "compiler/import/import.h"

#include "compiler/dialect/Ordo.h"
#include "compiler/import/scalar_ops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/DenseMap.h"

#include <set>

using namespace mlir;
using namespace ordo::dsl;
using Code = ordo::dsl::Op; // mlir has an Op, too

namespace ordo::compiler {
namespace {

using Scope = llvm::DenseMap<ExprId, Value>;

class Importer {
public:
  Importer(const Program &program, MLIRContext &context, Diagnostics &diagnostics)
      : p_(program), context_(context), diagnostics_(diagnostics), b_(&context),
        dependencies_(variableDependencies()), variables_(variableExpressions()) {}

  OwningOpRef<ModuleOp> run() {
    OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context_));
    b_.setInsertionPointToEnd(module->getBody());
    if (!isLowered() || !kernel())
      return {};
    for (const Definition &d : p_.definitions)
      if (!definition(d))
        return {};
    return module;
  }

private:
  bool refuse(Span span, std::string what) {
    diagnostics_.error("not-lowered", span, "not lowered yet: " + std::move(what))
        .labels.push_back({p_.kernelSpan, "in kernel `" + p_.kernel + "`"});
    return false;
  }

  // Whole constructs that no lowering has; single expressions are refused where they are met.
  bool isLowered() {
    for (const Recurrence &r : p_.recurrences)
      return refuse(r.span, r.isScan ? "scan" : "fold");
    for (const Definition &d : p_.definitions)
      if (d.isUpdate)
        return refuse(d.span, "an update in place (`:=`)");
      else if (d.isPlaced())
        return refuse(d.span, "a definition within `for`");
    for (const Reduction &r : p_.reductions)
      if (r.op == dsl::ReduceOp::ArgMax || r.op == dsl::ReduceOp::Top)
        return refuse(r.span, std::string(name(r.op)));
    for (const Assumption &a : p_.assumptions) // no bundle lists them yet
      return refuse(a.span, "assume");
    return true;
  }

  Location at(Span span) { return toLocation(context_, span); }

  // For each expression, the index variables its value depends on.
  std::vector<std::set<VarId>> variableDependencies() const {
    std::vector<std::set<VarId>> all(p_.exprCount());
    for (ExprId id = 0; id < p_.exprCount(); ++id) {
      const Expr &e = p_.expr(id);
      if (e.op == Code::Var)
        all[id].insert(static_cast<VarId>(e.payload));
      for (ExprId a : p_.args(id))
        all[id].insert(all[a].begin(), all[a].end());
      if (e.op != Code::Reduce)
        continue;
      const Reduction &r = p_.reductions[e.payload];
      if (r.body != kNone)
        all[id].insert(all[r.body].begin(), all[r.body].end());
      if (r.where != kNone)
        all[id].insert(all[r.where].begin(), all[r.where].end());
      for (VarId v : r.vars)
        all[id].erase(v);
    }
    return all;
  }

  // For each variable the expression that reads it; kNone for one nobody reads.
  std::vector<ExprId> variableExpressions() const {
    std::vector<ExprId> all(p_.vars.size(), kNone);
    for (ExprId id = 0; id < p_.exprCount(); ++id)
      if (p_.expr(id).op == Code::Var)
        all[p_.expr(id).payload] = id;
    return all;
  }

  // An extent as the dialect stores it; nothing for arithmetic over free dimensions.
  std::optional<std::int64_t> extent(ExprId id) {
    if (const auto n = p_.constantIndex(id))
      return *n;
    if (p_.expr(id).op == Code::Size)
      return ArrayType::freeExtent(static_cast<unsigned>(p_.expr(id).payload));
    return std::nullopt;
  }

  ArrayType arrayType(llvm::ArrayRef<ExprId> shape, DType type, Span span) {
    llvm::SmallVector<std::int64_t> extents;
    for (ExprId id : shape) {
      const auto n = extent(id);
      if (!n)
        return refuse(span, "an extent computed from free dimensions"), ArrayType();
      extents.push_back(*n);
    }
    const Type element = scalarType(context_, type);
    if (!element)
      return refuse(span, std::string(name(type)) + " arrays"), ArrayType();
    return ArrayType::get(&context_, extents, element);
  }

  bool kernel() {
    llvm::SmallVector<Attribute> dims, names;
    llvm::SmallVector<Type> types;
    std::int64_t outputs = 0;
    for (const Dim &d : p_.dims)
      dims.push_back(b_.getStringAttr(d.name));
    const Span span = p_.definitions.empty() ? Span{} : p_.definitions.front().span;
    for (const Tensor &t : p_.tensors) {
      const ArrayType type = arrayType(t.shape, t.type, span);
      if (!type)
        return false;
      types.push_back(type);
      names.push_back(b_.getStringAttr(t.name));
      outputs += t.role == Tensor::Role::Output;
    }
    for (const Scalar &s : p_.scalars) {
      types.push_back(scalarType(context_, s.type));
      names.push_back(b_.getStringAttr(s.name));
      if (!types.back())
        return refuse(span, std::string(name(s.type)) + " scalars");
    }
    auto op = b_.create<KernelOp>(
        at(span), b_.getStringAttr(p_.kernel), b_.getArrayAttr(dims), b_.getArrayAttr(names),
        b_.getI64IntegerAttr(static_cast<std::int64_t>(p_.tensors.size()) - outputs),
        b_.getI64IntegerAttr(outputs), ScheduleAttr());
    arguments_ = &op.getBody().emplaceBlock();
    for (Type t : types)
      arguments_->addArgument(t, op.getLoc());
    b_.setInsertionPointToEnd(arguments_);
    return true;
  }

  bool definition(const Definition &d) {
    if (d.where != kNone)
      return refuse(d.span, "`where` on a definition");
    const DefId id = definedCount_++;
    if (d.output == kNone)
      return define(d, id);
    return isRead(id) ? define(d, id) && copyOut(d, id) : write(d);
  }

  bool isRead(DefId id) const {
    for (ExprId e = 0; e < p_.exprCount(); ++e)
      if (p_.expr(e).op == Code::Use && p_.expr(e).payload == id)
        return true;
    return false;
  }

  bool define(const Definition &d, DefId id) {
    llvm::SmallVector<ExprId> shape;
    for (VarId v : d.vars)
      shape.push_back(p_.vars[v].extent);
    const ArrayType type = arrayType(shape, p_.expr(d.value).type, d.span);
    if (!type)
      return false;
    auto op = b_.create<DefineOp>(at(d.span), type, b_.getStringAttr(d.name));
    define_[id] = op.getResult();
    const bool ok = bodyOf(op.getBody(), d.vars, d.value, kNone, d.span);
    b_.setInsertionPointAfter(op);
    return ok;
  }

  bool write(const Definition &d) {
    auto op = b_.create<WriteOp>(at(d.span), d.name, arguments_->getArgument(d.output));
    const bool ok = bodyOf(op.getBody(), d.vars, d.value, kNone, d.span);
    b_.setInsertionPointAfter(op);
    return ok;
  }

  // An output that other definitions read is a definition, too.
  bool copyOut(const Definition &d, DefId id) {
    const Location loc = at(d.span);
    auto op = b_.create<WriteOp>(loc, d.name, arguments_->getArgument(d.output));
    Block &block = op.getBody().emplaceBlock();
    for (std::size_t i = 0; i < d.vars.size(); ++i)
      block.addArgument(b_.getIndexType(), loc);
    b_.setInsertionPointToEnd(&block);
    b_.create<YieldOp>(loc, load(loc, define_[id], block.getArguments()), Value());
    b_.setInsertionPointAfter(op);
    return true;
  }

  // Fills a body: its block, its variables, its value and the terminator. Emits at the block's end.
  bool bodyOf(Region &region, const std::vector<VarId> &vars, ExprId value, ExprId where,
              Span span) {
    Block &block = region.emplaceBlock();
    scopes_.emplace_back();
    for (VarId v : vars) {
      const Value index = block.addArgument(b_.getIndexType(), at(span));
      if (const ExprId id = variables_[v]; id != kNone)
        scopes_.back()[id] = index;
    }
    b_.setInsertionPointToEnd(&block);
    Value condition, result;
    const bool ok = (where == kNone || (condition = emit(where))) && (result = emit(value));
    if (ok)
      b_.create<YieldOp>(at(span), result, condition);
    scopes_.pop_back();
    return ok;
  }

  Value find(ExprId id) const {
    for (auto it = scopes_.rbegin(); it != scopes_.rend(); ++it)
      if (const Value v = it->lookup(id))
        return v;
    return {};
  }

  // What `root` needs and has not got, children first.
  std::vector<ExprId> missing(ExprId root) const {
    std::set<ExprId> seen;
    std::vector<ExprId> work = {root};
    while (!work.empty()) {
      const ExprId id = work.back();
      work.pop_back();
      if (find(id) || !seen.insert(id).second)
        continue;
      work.insert(work.end(), p_.args(id).begin(), p_.args(id).end());
    }
    return {seen.begin(), seen.end()};
  }

  Value emit(ExprId root) {
    for (ExprId id : missing(root)) {
      const Value v = node(id);
      if (!v)
        return {};
      scopes_.back()[id] = v;
    }
    return find(root);
  }

  Value node(ExprId id) {
    const Expr &e = p_.expr(id);
    const Location loc = at(p_.span(id));
    llvm::SmallVector<Value> in;
    for (ExprId a : p_.args(id))
      in.push_back(find(a));
    Value made;
    switch (e.op) {
    case Code::Const:
      if (scalarType(context_, e.type))
        made = emitConstant(b_, loc, e.type, e.payload);
      break;
    case Code::Size:
      made = b_.create<SizeOp>(loc, e.payload);
      break;
    case Code::Scalar:
      made = arguments_->getArgument(p_.tensors.size() + e.payload);
      break;
    case Code::Load:
      made = load(loc, arguments_->getArgument(e.payload), in);
      break;
    case Code::Use:
      made = load(loc, define_.lookup(static_cast<DefId>(e.payload)), in);
      break;
    case Code::Reduce:
      return reduce(p_.reductions[e.payload], e.type, loc);
    case Code::Var:
      break; // bound by an enclosing body
    default:
      if (scalarType(context_, e.type))
        made = emitScalarOp(b_, loc, e, p_.expr(p_.args(id)[0]).type, in);
    }
    if (!made)
      refuse(p_.span(id), std::string(name(e.op)) + " on " + std::string(name(e.type)));
    return made;
  }

  Value load(Location loc, Value source, ValueRange indices) {
    return b_.create<LoadOp>(loc, cast<ArrayType>(source.getType()).getElementType(), source,
                             indices);
  }

  std::optional<ReduceKind> kind(dsl::ReduceOp op) {
    switch (op) {
    case dsl::ReduceOp::Sum:
      return ReduceKind::Sum;
    case dsl::ReduceOp::Max:
      return ReduceKind::Max;
    case dsl::ReduceOp::Min:
      return ReduceKind::Min;
    case dsl::ReduceOp::MaxNan:
      return ReduceKind::MaxNan;
    case dsl::ReduceOp::MinNan:
      return ReduceKind::MinNan;
    default:
      return std::nullopt;
    }
  }

  Value reduce(const Reduction &r, DType type, Location loc) {
    const auto k = kind(r.op);
    if (!k)
      return refuse(r.span, std::string(name(r.op))), Value();
    if (*k != ReduceKind::Sum && !isFloat(type))
      return refuse(r.span, std::string(name(r.op)) + " of " + std::string(name(type))), Value();
    llvm::SmallVector<std::int64_t> extents;
    for (VarId v : r.vars) {
      const auto n = extent(p_.vars[v].extent);
      if (!n)
        return refuse(r.span, "a reduction whose extent is computed"), Value();
      extents.push_back(*n);
    }
    if (r.where != kNone) // the dialect has it; the lowerings do not read it yet
      return refuse(r.span, "`where` in a reduction"), Value();
    if (!hoist(r))
      return {};
    OrderAttr order;
    if (!r.order.empty())
      order = OrderAttr::get(&context_, toString(r.order));
    auto op = b_.create<compiler::ReduceOp>(loc, scalarType(context_, type), *k, extents, order,
                                            ArrayAttr());
    const bool ok = bodyOf(op.getBody(), r.vars, r.body, r.where, r.span);
    b_.setInsertionPointAfter(op);
    return ok ? op.getResult() : Value();
  }

  // Emits, before the reduction, what its body uses that does not depend on its variables.
  bool hoist(const Reduction &r) {
    for (ExprId id : missing(r.body)) {
      bool varies = false;
      for (VarId v : r.vars)
        varies |= dependencies_[id].contains(v);
      if (!varies && !emit(id))
        return false;
    }
    return true;
  }

  const Program &p_;
  MLIRContext &context_;
  Diagnostics &diagnostics_;
  OpBuilder b_;
  std::vector<std::set<VarId>> dependencies_;
  std::vector<ExprId> variables_;
  std::vector<Scope> scopes_;
  llvm::DenseMap<DefId, Value> define_;
  DefId definedCount_ = 0;
  Block *arguments_ = nullptr;
};

} // namespace

OwningOpRef<ModuleOp> importProgram(const Program &program, MLIRContext &context,
                                    Diagnostics &diagnostics) {
  context.loadDialect<OrdoDialect, arith::ArithDialect>();
  return Importer(program, context, diagnostics).run();
}

} // namespace ordo::compiler
