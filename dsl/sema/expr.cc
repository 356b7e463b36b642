#include "dsl/sema/expr.h"

#include "dsl/sema/extents.h"
#include "dsl/sema/print.h"

#include <algorithm>

namespace ordo::dsl {
namespace {

// Expressions inside one another, functions entered: a bound on this program's stack.
constexpr int kDepthLimit = 2500;
// Nodes visited for one operator: a bound on its time, since calls of calls multiply.
constexpr std::size_t kStepLimit = 4'000'000;

constexpr Type kIndex{DType::Index, nullptr};
constexpr Type kBool{DType::Bool, nullptr};

// Expressions that may be an array or a tuple.
bool hasForms(NodeKind kind) {
  switch (kind) {
  case NodeKind::Name:
  case NodeKind::If:
  case NodeKind::Call:
  case NodeKind::Block:
  case NodeKind::Tuple:
  case NodeKind::Field:
  case NodeKind::ArrayLit:
  case NodeKind::Iterate:
    return true;
  default:
    return false;
  }
}

} // namespace

Value ExprChecker::check(NodeId node, Scope &scope, const Type *hint) {
  const Frame frame(*this, scope);
  return within(node, hint);
}

Value ExprChecker::checkAs(NodeId node, Scope &scope, const Type &want, const std::string &what) {
  const Frame frame(*this, scope);
  return withinAs(node, want, what);
}

Compound ExprChecker::checkForm(NodeId node, Scope &scope, const Form *hint) {
  const Frame frame(*this, scope);
  return any(node, hint);
}

Compound ExprChecker::checkFormAs(NodeId node, Scope &scope, const Form &want,
                                  const std::string &what) {
  const Frame frame(*this, scope);
  return anyAs(node, want, what);
}

ExprId ExprChecker::checkIndex(NodeId node, Scope &scope, const std::string &what) {
  return checkAs(node, scope, kIndex, what).id;
}

ExprId ExprChecker::checkAxis(NodeId node, Scope &scope, const Entry &entry, std::size_t axis,
                              ExprId extent) {
  const Frame frame(*this, scope);
  return axisIndex(node, entry, axis, extent);
}

bool ExprChecker::checkPlace(NodeId node, Scope &scope, ExprId place, const Entry &entry,
                             std::size_t axis, ExprId extent) {
  const Frame frame(*this, scope);
  return inRange(node, place, extent, entry, axis);
}

bool ExprChecker::checkLet(NodeId let, Scope &scope) {
  const Frame frame(*this, scope);
  const Node &n = node(let);
  Value value = within(n.kids[0], &kIndex);
  if (value && isInteger(value.type.dtype))
    value = {algebra_.indexOf(value.id), kIndex};
  return declareValue(n, value, scope);
}

ExprId ExprChecker::opaque(DType type) {
  return program_.make(Op::Scalar, type, kFirstOpaque + nextOpaque_++);
}

Compound ExprChecker::opaque(const Form &form, std::span<const ExprId> args) {
  Compound value(form, {});
  for (const Type &type : form.leaves())
    value.leaves.push_back(
        program_.make(Op::Scalar, type.dtype, kFirstOpaque + nextOpaque_++, args));
  return value;
}

ExprId ExprChecker::make(Op op, DType type, Span span, std::initializer_list<ExprId> args,
                         std::uint64_t payload) {
  const ExprId id = program_.make(op, type, payload, args);
  program_.setSpan(id, span);
  return id;
}

// The source of an expression, cut where it would fill the line.
std::string ExprChecker::text(NodeId id) const {
  const std::string all = report_.text(node(id).span);
  return all.size() > 48 || all.find('\n') != std::string::npos ? "…" : all;
}

Value ExprChecker::withinAs(NodeId id, const Type &want, const std::string &what) {
  const Value value = within(id, &want);
  if (!value || value.type == want)
    return value;
  mismatch(id, want, value.type, what);
  return {};
}

bool ExprChecker::isWithinLimits(NodeId id) {
  if (depth_ >= kDepthLimit) {
    report_.error(
        "too-deep", node(id).span,
        fmt::format("expressions lie more than {} deep, functions included", kDepthLimit));
    return false;
  }
  if (++steps_ < kStepLimit)
    return true;
  if (!std::exchange(saidTooLarge_, true))
    report_
        .error("too-large", node(id).span,
               fmt::format("the expression has more than {} parts once functions are inlined",
                           kStepLimit))
        .help = "name intermediate values instead of repeating calls";
  return false;
}

Value ExprChecker::within(NodeId id, const Type *hint) {
  if (hasForms(node(id).kind)) {
    const Form wanted = hint ? Form(*hint) : Form();
    const Compound compound = any(id, hint ? &wanted : nullptr);
    if (!compound)
      return {};
    if (compound.form.isScalar())
      return compound.value();
    report_
        .error("type-mismatch", node(id).span,
               fmt::format("expected one value, found {}", toString(compound.form)))
        .help =
        compound.form.kind == Form::Kind::Array ? "index the array" : "name the part that is meant";
    return {};
  }
  if (!isWithinLimits(id))
    return {};
  ++depth_;
  const Value value = dispatch(id, hint);
  --depth_;
  if (value)
    program_.setSpan(value.id, node(id).span);
  return value;
}

Compound ExprChecker::any(NodeId id, const Form *hint) {
  if (!hasForms(node(id).kind))
    return within(id, hint && hint->isScalar() ? &hint->type : nullptr);
  if (!isWithinLimits(id))
    return {};
  ++depth_;
  Compound compound = dispatchAny(id, hint);
  --depth_;
  if (compound && compound.form.isScalar())
    program_.setSpan(compound.leaves[0], node(id).span);
  return compound;
}

Compound ExprChecker::anyAs(NodeId id, const Form &want, const std::string &what) {
  Compound value = any(id, &want);
  if (!value)
    return {};
  if (value.form == want) {
    value.form = want; // with the names of its parts
    return value;
  }
  if (value.form.isScalar() && want.isScalar())
    mismatch(id, want.type, value.form.type, what);
  else
    report_.error(
        "type-mismatch", node(id).span,
        fmt::format("expected {} for {}, found {}", toString(want), what, toString(value.form)));
  return {};
}

Value ExprChecker::dispatch(NodeId id, const Type *hint) {
  const Node &n = node(id);
  switch (n.kind) {
  case NodeKind::Number:
    return number(n, false, hint);
  case NodeKind::BoolLit:
    return {program_.constant(DType::Bool, n.text == "true" ? 1 : 0), kBool};
  case NodeKind::Unary:
    return unary(n, hint);
  case NodeKind::Binary:
    return binary(n, hint);
  case NodeKind::Compare:
    return comparison(n);
  case NodeKind::Index:
    return indexed(n);
  case NodeKind::Reduce:
    return reduction(n, hint);
  case NodeKind::Ranking:
    return ranking(n);
  default:
    report_.error("expected-value", n.span, "expected a value");
    break;
  }
  return {};
}

Compound ExprChecker::dispatchAny(NodeId id, const Form *hint) {
  const Node &n = node(id);
  switch (n.kind) {
  case NodeKind::Name:
    return name(n);
  case NodeKind::If:
    return choice(n, hint);
  case NodeKind::Call:
    return call(n, hint && hint->isScalar() ? &hint->type : nullptr);
  case NodeKind::Block:
    return block(n, hint);
  case NodeKind::Tuple:
    return tuple(n, hint);
  case NodeKind::Field:
    return field(n);
  case NodeKind::ArrayLit:
    return array(n, hint);
  default:
    return iterateValue(n);
  }
}

Compound ExprChecker::name(const Node &n) {
  if (const Entry *entry = scope_->use(n.text))
    return local(n, *entry);
  // `x.m`, where x is local, is a part of it.
  const std::string_view text = n.text;
  if (const std::size_t dot = text.find('.'); dot != std::string_view::npos)
    if (const Entry *entry = scope_->use(text.substr(0, dot)))
      return partNamed(local(n, *entry), text.substr(dot + 1), n.span);
  bool ambiguous = false;
  const auto symbol = lookup(scope_->module(), n.text, &ambiguous);
  if (ambiguous) {
    report_
        .error("ambiguous-name", n.span,
               fmt::format("`{}` is declared by several of the used modules", n.text))
        .help = "write it with its module's name";
    return {};
  }
  if (!symbol)
    return unknownName(n);
  if (symbol->node().kind == NodeKind::LetDecl)
    return constantOf(*symbol);
  Diagnostic &d = report_.error(
      "expected-value", n.span,
      fmt::format("expected a value, found {} `{}`", describe(symbol->node().kind), n.text),
      {symbol->node().nameSpan, "declared here"});
  if (symbol->node().kind == NodeKind::Fn)
    d.help = fmt::format("call it: {}(…)", n.text);
  return {};
}

Value ExprChecker::unknownName(const Node &n) {
  if (later_)
    if (const auto it = later_->find(n.text); it != later_->end()) {
      report_
          .error("used-before-definition", n.span,
                 fmt::format("`{}` is used above its definition", n.text),
                 {it->second, "defined here"})
          .help = "move the definition above its first use";
      return {};
    }
  std::vector<std::string> candidates = scope_->names(
      {Entry::Kind::Dimension, Entry::Kind::BoolParam, Entry::Kind::Tensor, Entry::Kind::Scalar,
       Entry::Kind::Definition, Entry::Kind::Variable, Entry::Kind::Let, Entry::Kind::Binding});
  for (std::string &name : visibleNames(scope_->module(), NodeKind::LetDecl))
    candidates.push_back(std::move(name));
  report_.error("unknown-name", n.span, fmt::format("`{}` is not declared", n.text)).help =
      suggestion(n.text, candidates);
  return {};
}

Compound ExprChecker::local(const Node &n, const Entry &entry) {
  switch (entry.kind) {
  case Entry::Kind::Refused:
    return {};
  case Entry::Kind::Output:
    return unknownName(n);
  case Entry::Kind::Tensor:
  case Entry::Kind::Definition:
  case Entry::Kind::Carry:
    return access(n, entry, {});
  case Entry::Kind::TypeParam:
  case Entry::Kind::OrderParam:
    report_.error("expected-value", n.span,
                  fmt::format("expected a value, found {} `{}`", describe(entry.kind), n.text),
                  {entry.span, "declared here"});
    return {};
  case Entry::Kind::Function:
    report_.error("expected-value", n.span,
                  fmt::format("expected a value, found a local function `{}`", n.text),
                  {entry.span, "declared here"});
    return {};
  default:
    return entry.compound ? entry.compound : Compound(entry.value);
  }
}

Value ExprChecker::indexed(const Node &n) {
  const Node &base = node(n.kids[0]);
  const std::span<const NodeId> indices(n.kids.begin() + 1, n.kids.end());
  const Entry *entry = base.kind == NodeKind::Name ? scope_->use(base.text) : nullptr;
  if (entry && (entry->kind == Entry::Kind::Tensor || entry->kind == Entry::Kind::Definition ||
                entry->kind == Entry::Kind::Carry))
    return access(n, *entry, indices);
  if (base.kind == NodeKind::Call)
    if (const auto symbol = lookup(scope_->module(), base.text);
        symbol && symbol->node().kind == NodeKind::View)
      return viewAccess(n, *symbol);
  if (entry && entry->kind == Entry::Kind::Refused)
    return {};
  if (base.kind == NodeKind::Name && (!entry || entry->kind == Entry::Kind::Output) &&
      base.text.find('.') == std::string::npos && !lookup(scope_->module(), base.text))
    return unknownName(base);
  const bool isPart = base.kind == NodeKind::Name && !entry &&
                      scope_->find(std::string_view(base.text).substr(0, base.text.find('.')));
  if (isPart || (entry && entry->compound) || (base.kind != NodeKind::Name && hasForms(base.kind)))
    return element(n);
  const std::string wanted = "expected a tensor or a definition with indices before `[`";
  if (entry)
    report_.error("not-indexable", base.span,
                  fmt::format("{}, found {} `{}`", wanted, describe(entry->kind), base.text),
                  {entry->span, "declared here"});
  else
    report_.error("not-indexable", base.span, wanted);
  return {};
}

Value ExprChecker::access(const Node &n, const Entry &entry, std::span<const NodeId> indices) {
  // The entry may move while the indices are checked.
  const Entry copy = entry;
  const bool isDefinition = copy.kind == Entry::Kind::Definition;
  const std::vector<VarId> vars = variablesOf(copy);
  const std::vector<ExprId> extents = axesOf(copy, program_);
  if (indices.size() != extents.size()) {
    report_.error("wrong-arity", n.span,
                  fmt::format("expected {} {} for `{}`, found {}", extents.size(),
                              extents.size() == 1 ? "index" : "indices", copy.name, indices.size()),
                  {copy.span, "declared here"});
    return {};
  }
  std::vector<ExprId> args;
  std::map<VarId, ExprId> values; // an extent may depend on the variables before it
  for (std::size_t axis = 0; axis < indices.size(); ++axis) {
    const auto extent = values.empty() ? extents[axis] : algebra_.substitute(extents[axis], values);
    args.push_back(axisIndex(indices[axis], copy, axis, extent.value_or(extents[axis])));
    if (axis < vars.size() && args.back() != kNone)
      values.emplace(vars[axis], args.back());
  }
  if (std::ranges::find(args, kNone) != args.end())
    return {};
  const Op op = isDefinition ? Op::Use : copy.kind == Entry::Kind::Carry ? Op::Carry : Op::Load;
  const std::uint64_t payload =
      op == Op::Carry ? carryPayload(copy.number, copy.side) : copy.number;
  const ExprId id =
      program_.make(op, copy.value.type.dtype, payload, std::span<const ExprId>(args));
  return {id, copy.value.type};
}

// The variables that the axes of a definition belong to, where it has one for each.
std::vector<VarId> ExprChecker::variablesOf(const Entry &entry) const {
  if (entry.kind != Entry::Kind::Definition || program_.definitions[entry.number].isPlaced())
    return {};
  return program_.definitions[entry.number].vars;
}

ExprId ExprChecker::axisIndex(NodeId id, const Entry &entry, std::size_t axis, ExprId extent) {
  const Value value = within(id, &kIndex);
  if (!value)
    return kNone;
  ExprId index = value.id;
  if (isInteger(value.type.dtype)) { // a gather: the integer as it is
    index = make(Op::Cast, DType::Index, node(id).span, {value.id});
  } else if (value.type.dtype != DType::Index) {
    report_.error("type-mismatch", node(id).span,
                  fmt::format("expected an index, found {}", toString(value.type)));
    return kNone;
  }
  return inRange(id, index, extent, entry, axis) ? index : kNone;
}

bool ExprChecker::inRange(NodeId id, ExprId index, ExprId extent, const Entry &entry,
                          std::size_t axis) {
  if (algebra_.provesNonNegative(index) && algebra_.provesLess(index, extent))
    return true;
  const auto constant = program_.constantIndex(index);
  const auto size = program_.constantIndex(extent);
  const Expr &e = program_.expr(index);
  const bool isVariable = e.op == Op::Var;
  const bool isRefuted = (constant && (*constant < 0 || size)) || (isVariable && size);
  // A generic check knows no numbers; still, a plain variable of another dimension is a mistake.
  const bool isOtherDimension = isVariable && program_.expr(extent).op == Op::Size &&
                                program_.expr(program_.vars[e.payload].extent).op == Op::Size;
  if (isGeneric() && !isRefuted && !isOtherDimension)
    return true;
  const std::string where = fmt::format("axis {} of `{}`, which has extent {}", axis, entry.name,
                                        printExpr(program_, extent));
  const Label label{entry.span, "declared here"};
  if (isVariable) {
    Diagnostic &d =
        report_.error("index-range", node(id).span,
                      fmt::format("`{}` runs up to {}, past {}", text(id),
                                  printExpr(program_, program_.vars[e.payload].extent), where),
                      label);
    if (isOtherDimension)
      d.help = "if they are equal, say so in a `require`";
  } else if (isRefuted) {
    report_.error("index-range", node(id).span,
                  fmt::format("index {} is outside {}", *constant, where), label);
  } else {
    Diagnostic &d =
        report_.error("index-range", node(id).span,
                      fmt::format("cannot show that `{}` lies within {}", text(id), where), label);
    d.help = readsData(index) ? "promise it in an `assume`: assume forall …: 0 <= … < …"
                              : "state what makes it true in a `require`, or guard it with `where`";
  }
  return false;
}

Compound ExprChecker::choice(const Node &n, const Form *hint) {
  const Value condition = withinAs(n.kids[0], kBool, "the condition of `if`");
  if (!condition)
    return {};
  // A condition that is settled chooses here: the other branch need not even have a type.
  if (program_.expr(condition.id).op == Op::Const)
    return any(n.kids[program_.expr(condition.id).payload != 0 ? 1 : 2], hint);
  // Literals take their type from the other branch.
  const std::size_t first = isUntyped(n.kids[1]) && !isUntyped(n.kids[2]) ? 2 : 1;
  const Compound lead = any(n.kids[first], hint);
  if (!lead)
    return {};
  const Compound other = any(n.kids[3 - first], &lead.form);
  if (!other)
    return {};
  if (lead.form != other.form) {
    if (lead.form.isScalar() && other.form.isScalar())
      mixedTypes(n, "the branches of `if`", n.kids[first], lead.form.type, n.kids[3 - first],
                 other.form.type);
    else
      report_.error("type-mismatch", n.nameSpan.end ? n.nameSpan : n.span,
                    fmt::format("expected one type in the branches of `if`, found {} and {}",
                                toString(lead.form), toString(other.form)));
    return {};
  }
  const std::vector<Type> types = lead.form.leaves();
  Compound result(lead.form, {});
  for (std::size_t i = 0; i < types.size(); ++i) {
    const ExprId a = (first == 1 ? lead : other).leaves[i];
    const ExprId b = (first == 1 ? other : lead).leaves[i];
    result.leaves.push_back(
        a == b ? a : make(Op::Select, types[i].dtype, n.span, {condition.id, a, b}));
  }
  return result;
}

Compound ExprChecker::block(const Node &n, const Form *hint) {
  const std::size_t mark = scope_->size();
  const bool isFine = bindLocals(n);
  Compound value = any(n.kids.back(), hint);
  if (isFine && value)
    warnUnused(mark);
  scope_->shrink(mark);
  return isFine ? value : Compound();
}

// The statements of a block, all but what it ends with.
bool ExprChecker::bindLocals(const Node &block) {
  bool isFine = true;
  for (std::size_t i = 0; i + 1 < block.kids.size(); ++i)
    isFine = bindLocal(block.kids[i]) && isFine;
  return isFine;
}

void ExprChecker::warnUnused(std::size_t mark) {
  if (!isGeneric() || repeats_)
    return;
  for (std::size_t i = mark; i < scope_->size(); ++i)
    if (const Entry &entry = scope_->entries()[i]; !entry.isUsed)
      report_.warning("unused-definition", entry.span,
                      fmt::format("`{}` is never used", entry.name));
}

bool ExprChecker::bindLocal(NodeId id) {
  const Node &define = node(id);
  if (define.kind == NodeKind::Assume) {
    report_
        .error("unexpected-statement", define.span,
               "expected a definition, found an `assume` within a function")
        .help = "what is assumed belongs to the op";
    return false;
  }
  if (define.kind == NodeKind::LetFn)
    return declareFunction(id, *scope_);
  if (define.kind == NodeKind::DefineTuple)
    return bindTuple(define);
  const bool isPlain =
      define.kind == NodeKind::Define && define.kids.size() == 2 && define.kids[0] == kNoNode;
  if (!isPlain && define.kind != NodeKind::Let) {
    report_
        .error("unexpected-statement", define.span,
               "expected a plain definition `name = value` within a function")
        .help = "indices belong to an op: a function has a value for one element";
    return false;
  }
  return declareValue(define, any(define.kids.back(), nullptr), *scope_);
}

// A refused value is declared all the same, so that its uses stay silent.
bool ExprChecker::declareValue(const Node &name, const Compound &value, Scope &scope) {
  Entry entry{
      value ? Entry::Kind::Binding : Entry::Kind::Refused, name.text, name.nameSpan, {}, kNone, {}};
  if (value && value.form.isScalar())
    entry.value = value.value();
  else if (value)
    entry.compound = value;
  return scope.declare(std::move(entry), report_) && value;
}

Value ExprChecker::constantOf(const Symbol &let) {
  const auto key = std::pair(let.module, let.decl);
  if (const auto it = constants_.find(key); it != constants_.end())
    return it->second;
  const Node &n = let.node();
  if (std::ranges::find(open_, let) != open_.end()) {
    report_.error("recursion", n.nameSpan, fmt::format("`{}` is defined by itself", n.text));
    return {};
  }
  open_.push_back(let);
  Scope scope(*let.module);
  Value value = check(n.kids[0], scope, &kIndex);
  open_.pop_back();
  if (value && value.type != kIndex && value.type != kBool) {
    report_.error("type-mismatch", let.module->ast[n.kids[0]].span,
                  fmt::format("expected an integer constant or a bool for `{}`, found {}", n.text,
                              toString(value.type)));
    value = {};
  }
  constants_[key] = value;
  return value;
}

void ExprChecker::reportExtent(Span span, const std::string &what, ExprId extent) {
  if (const auto size = program_.constantIndex(extent)) {
    report_.error("bad-extent", span, fmt::format("{} is negative: {}", what, *size));
    return;
  }
  report_
      .error("bad-extent", span,
             fmt::format("cannot show that {}, {}, is not negative", what,
                         printExpr(program_, extent)))
      .help = readsData(extent) ? "promise it in an `assume`" : "state it in a `require`";
}

std::optional<Type> ExprChecker::checkType(const Node &n, const Scope &scope) {
  if (const auto dtype = dtypeFromName(n.text))
    return Type{*dtype, nullptr};
  const Entry *entry = scope.find(n.text);
  if (entry && entry->kind == Entry::Kind::TypeParam)
    return entry->value.type;
  std::vector<std::string> candidates = scope.names({Entry::Kind::TypeParam});
  for (const std::string &builtin : builtinNames())
    if (dtypeFromName(builtin))
      candidates.push_back(builtin);
  report_.error("unknown-type", n.nameSpan, fmt::format("expected a type, found `{}`", n.text))
      .help = suggestion(n.text, candidates);
  return std::nullopt;
}

} // namespace ordo::dsl
