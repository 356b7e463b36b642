// Expansion of one output element.
//
// A stack machine instead of recursion, for definitions use definitions and reductions nest:
// 1. An evaluation task walks the nodes of an expression, children first, making a term of each.
// 2. A `Use` or `Reduce` whose term is not known yet pushes the task that makes it, and is looked
//    at again once that is done; both are remembered by what they depend on.
// 3. A reduction task asks for its extents, then for the condition and the body at each position,
// and
//    folds the leaves by the order.
#include "dsl/eval/numeric.h"
#include "dsl/order/fold.h"
#include "dsl/term/term.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <stdexcept>

namespace ordo::dsl {
namespace {

constexpr std::size_t kMostTerms = 50'000'000;
constexpr std::int64_t kLongest = std::int64_t{1} << 28; // elements of one reduction

struct ExpandError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Nodes of some expressions in the order of the arena, operands as positions in `nodes`.
struct Plan {
  std::vector<ExprId> nodes;
  std::vector<std::vector<std::uint32_t>> operands;
  std::vector<std::uint32_t> roots;
};

Plan planOf(const Program &program, const std::vector<ExprId> &roots) {
  Plan plan;
  std::vector<ExprId> stack = roots;
  std::vector<std::uint32_t> position(program.exprCount(), kNone);
  while (!stack.empty()) {
    const ExprId id = stack.back();
    stack.pop_back();
    if (id >= program.exprCount())
      throw ExpandError("malformed program: an expression is missing");
    if (position[id] != kNone)
      continue;
    position[id] = 0;
    plan.nodes.push_back(id);
    for (const ExprId arg : program.args(id))
      stack.push_back(arg);
  }
  std::ranges::sort(plan.nodes);
  for (std::uint32_t i = 0; i < plan.nodes.size(); ++i) {
    position[plan.nodes[i]] = i;
    std::vector<std::uint32_t> operands;
    for (const ExprId arg : program.args(plan.nodes[i]))
      operands.push_back(position[arg]);
    plan.operands.push_back(std::move(operands));
  }
  for (const ExprId root : roots)
    plan.roots.push_back(position[root]);
  return plan;
}

/// A definition at some indices, or a reduction under some outer indices.
using Key = std::vector<std::uint32_t>;

struct Evaluation {
  const Plan *plan = nullptr;
  std::size_t next = 0;
  std::vector<TermId> values;
  std::optional<Key> key;                      // where the first root's term is remembered
  std::vector<std::pair<VarId, TermId>> saved; // what the definition's variables meant before
};

struct Folding {
  const Reduction *reduction = nullptr;
  ReductionId id = 0;
  DType type = DType::F32;
  bool fused = false;
  Key key;
  enum class Step : std::uint8_t { Extents, Begin, Condition, Element } step = Step::Extents;
  std::vector<std::int64_t> extents, at;
  std::int64_t left = 0;
  TermId condition = kNone;      // of the element under way; kNone: unconditional
  std::vector<TermId> leaves[3]; // values, or factors; and conditions of the fused elements
};

struct Task {
  std::unique_ptr<Folding> folding; // or an evaluation
  Evaluation evaluation;
};

class Expander {
public:
  Expander(const Program &program, std::span<const std::int64_t> dims, TermPool &pool)
      : program_(program), dims_(dims), pool_(pool), bound_(program.vars.size(), kNone),
        reductions_(program.reductions.size()) {}

  TermId run(const Definition &definition, std::span<const std::int64_t> index) {
    if (definition.vars.size() != index.size())
      throw ExpandError(fmt::format("`{}` has {} indices, and {} were given", definition.name,
                                    definition.vars.size(), index.size()));
    for (std::size_t k = 0; k < index.size(); ++k)
      bound_[definition.vars[k]] = indexTerm(index[k]);
    if (definition.where != kNone) {
      const TermId guard = complete({definition.where});
      if (pool_.isConstant(guard) && pool_.term(guard).payload == 0)
        throw ExpandError(fmt::format("`{}` does not write this element", definition.name));
    }
    return complete({definition.value});
  }

private:
  struct PerReduction {
    bool known = false;
    Plan extents, condition, body;
    std::vector<VarId> outer;
  };

  TermId indexTerm(std::int64_t value) {
    return pool_.constant(DType::Index, static_cast<std::uint64_t>(value));
  }

  /// Runs the tasks until the roots' terms are there; the first of them.
  TermId complete(const std::vector<ExprId> &roots) {
    const Plan plan = planOf(program_, roots);
    pushEvaluation(plan, std::nullopt);
    while (!stack_.empty()) {
      if (pool_.size() > kMostTerms)
        throw ExpandError("the element's term has more than 50 million nodes");
      if (stack_.back().folding)
        stepFolding(*stack_.back().folding);
      else
        stepEvaluation(stack_.back().evaluation);
    }
    return delivered_.front();
  }

  void pushEvaluation(const Plan &plan, std::optional<Key> key) {
    Task task;
    task.evaluation.plan = &plan;
    task.evaluation.values.resize(plan.nodes.size());
    task.evaluation.key = std::move(key);
    stack_.push_back(std::move(task));
  }

  /// Makes terms until a node needs another task (which then lies on top) or all are made.
  void stepEvaluation(Evaluation &task) {
    for (; task.next < task.plan->nodes.size(); ++task.next) {
      const std::optional<TermId> term = termOf(task);
      if (!term)
        return; // `task` may have moved
      task.values[task.next] = *term;
    }
    delivered_.clear();
    for (const std::uint32_t root : task.plan->roots)
      delivered_.push_back(task.values[root]);
    if (task.key)
      known_[*task.key] = delivered_.front();
    for (const auto &[var, term] : task.saved)
      bound_[var] = term;
    stack_.pop_back();
  }

  std::optional<TermId> termOf(const Evaluation &task) {
    const Expr &e = program_.expr(task.plan->nodes[task.next]);
    const std::vector<std::uint32_t> &operands = task.plan->operands[task.next];
    std::vector<TermId> args;
    for (const std::uint32_t operand : operands)
      args.push_back(task.values[operand]);
    switch (e.op) {
    case Op::Var:
      if (bound_.at(e.payload) == kNone)
        throw ExpandError("malformed program: a variable outside its scope");
      return bound_[e.payload];
    case Op::Size:
      if (e.payload >= dims_.size())
        throw ExpandError("a free dimension has no size");
      return indexTerm(dims_[e.payload]);
    case Op::Use:
      return useOf(e, args);
    case Op::Reduce:
      return reductionOf(e);
    case Op::Carry:
    case Op::Recur:
    case Op::Undef:
      throw ExpandError("terms have no recurrences yet");
    case Op::Const:
    case Op::Scalar:
    case Op::Load:
      return pool_.make(e.op, e.type, e.payload, args);
    default:
      return computed(e, args);
    }
  }

  /// The operation's term; its value where only indices and conditions on them go in.
  TermId computed(const Expr &e, const std::vector<TermId> &args) {
    if (e.op == Op::Select && args.size() == 3 && pool_.isConstant(args[0]))
      return pool_.term(args[0]).payload != 0 ? args[1] : args[2];
    const bool isIndexWork =
        (e.type == DType::Index || e.type == DType::Bool) &&
        std::ranges::all_of(args, [&](TermId arg) {
          const DType type = pool_.term(arg).type;
          return pool_.isConstant(arg) && (type == DType::Index || type == DType::Bool);
        });
    if (isIndexWork && !args.empty()) {
      std::vector<std::uint64_t> bits;
      for (const TermId arg : args)
        bits.push_back(pool_.term(arg).payload);
      if (const auto value = evaluate(e.op, e.type, pool_.term(args.back()).type, bits))
        return pool_.constant(e.type, *value);
    }
    return pool_.make(e.op, e.type, e.payload, args);
  }

  std::optional<TermId> useOf(const Expr &e, const std::vector<TermId> &args) {
    Key key = {0, static_cast<std::uint32_t>(e.payload)};
    key.insert(key.end(), args.begin(), args.end());
    if (const auto it = known_.find(key); it != known_.end())
      return it->second;
    const Definition &definition = program_.definitions.at(e.payload);
    if (definition.isPlaced())
      throw ExpandError(fmt::format("terms have no placed definitions yet: `{}`", definition.name));
    if (definition.vars.size() != args.size())
      throw ExpandError("malformed program: a use with the wrong number of indices");
    std::vector<std::pair<VarId, TermId>> saved;
    for (const VarId var : definition.vars)
      saved.emplace_back(var, bound_.at(var));
    for (std::size_t k = 0; k < args.size(); ++k)
      bound_[definition.vars[k]] = args[k];
    auto [it, isNew] = plans_.try_emplace(static_cast<DefId>(e.payload));
    if (isNew)
      it->second = planOf(program_, {definition.value});
    pushEvaluation(it->second, std::move(key));
    stack_.back().evaluation.saved = std::move(saved);
    return std::nullopt;
  }

  PerReduction &prepared(ReductionId id) {
    PerReduction &info = reductions_.at(id);
    if (info.known)
      return info;
    info.known = true;
    const Reduction &r = program_.reductions[id];
    std::vector<ExprId> extents;
    for (const VarId var : r.vars)
      extents.push_back(program_.vars.at(var).extent);
    info.extents = planOf(program_, extents);
    if (r.where != kNone)
      info.condition = planOf(program_, {r.where});
    std::vector<ExprId> roots = {r.body};
    if (isFused(r))
      roots.assign(program_.args(r.body).begin(), program_.args(r.body).end());
    info.body = planOf(program_, roots);
    info.outer = outerVars(r);
    return info;
  }

  /// Variables bound outside that the reduction reads, through nested reductions too.
  std::vector<VarId> outerVars(const Reduction &reduction) const {
    std::vector<VarId> outer;
    std::vector<bool> bound(program_.vars.size());
    std::vector<ExprId> roots;
    const auto enter = [&](const Reduction &r) {
      roots.insert(roots.end(), {r.body, r.where});
      for (const VarId var : r.vars) {
        bound[var] = true; // variables have one binder each
        roots.push_back(program_.vars.at(var).extent);
      }
    };
    enter(reduction);
    std::vector<bool> seen(program_.exprCount());
    while (!roots.empty()) {
      const ExprId id = roots.back();
      roots.pop_back();
      if (id == kNone || seen.at(id))
        continue;
      seen[id] = true;
      const Expr &e = program_.expr(id);
      if (e.op == Op::Var)
        outer.push_back(static_cast<VarId>(e.payload));
      if (e.op == Op::Reduce)
        enter(program_.reductions.at(e.payload));
      roots.insert(roots.end(), program_.args(id).begin(), program_.args(id).end());
    }
    std::erase_if(outer, [&](VarId var) { return bound[var]; });
    std::ranges::sort(outer);
    return outer;
  }

  bool isFused(const Reduction &r) const {
    if (r.order.empty() || r.order.stages.front().kind != Stage::Kind::Fma)
      return false;
    if (r.op != ReduceOp::Dot || program_.expr(r.body).op != Op::Mul)
      throw ExpandError("malformed program: an `fma` stage outside a `dot` of a product");
    return true;
  }

  std::optional<TermId> reductionOf(const Expr &e) {
    const auto id = static_cast<ReductionId>(e.payload);
    const PerReduction &info = prepared(id);
    Key key = {1, id};
    for (const VarId var : info.outer)
      key.push_back(bound_[var]);
    if (const auto it = known_.find(key); it != known_.end())
      return it->second;
    const Reduction &r = program_.reductions[id];
    if (r.op == ReduceOp::ArgMax || r.op == ReduceOp::Top)
      throw ExpandError(fmt::format("terms have no {} yet", name(r.op)));
    if (!r.order.empty()) {
      if (const auto reason = malformed(r.order))
        throw ExpandError(fmt::format("malformed program: {}", *reason));
      if (r.order.stages.front().kind == Stage::Kind::Mma)
        throw ExpandError(fmt::format("terms have no matrix units yet: `{}`", toString(r.order)));
    }
    auto folding = std::make_unique<Folding>();
    folding->reduction = &r;
    folding->id = id;
    folding->type = e.type;
    folding->fused = isFused(r);
    folding->key = std::move(key);
    Task task;
    task.folding = std::move(folding);
    stack_.push_back(std::move(task));
    pushEvaluation(info.extents, std::nullopt);
    return std::nullopt;
  }

  /// What was asked for last lies in delivered_.
  void stepFolding(Folding &f) {
    const Reduction &r = *f.reduction;
    switch (f.step) {
    case Folding::Step::Extents:
      takeExtents(f);
      f.step = Folding::Step::Begin;
      return;
    case Folding::Step::Begin:
      if (f.left == 0)
        return finish(f);
      for (std::size_t k = 0; k < r.vars.size(); ++k)
        bound_[r.vars[k]] = indexTerm(f.at[k]);
      f.condition = kNone;
      f.step = r.where == kNone ? Folding::Step::Element : Folding::Step::Condition;
      return pushEvaluation(r.where == kNone ? reductions_[f.id].body : reductions_[f.id].condition,
                            std::nullopt);
    case Folding::Step::Condition: {
      f.condition = delivered_.front();
      if (!pool_.isConstant(f.condition)) {
        f.step = Folding::Step::Element;
        return pushEvaluation(reductions_[f.id].body, std::nullopt);
      }
      const bool live = pool_.term(f.condition).payload != 0;
      f.condition = kNone;
      if (live) {
        f.step = Folding::Step::Element;
        return pushEvaluation(reductions_[f.id].body, std::nullopt);
      }
      addIdentity(f);
      return advance(f);
    }
    case Folding::Step::Element:
      addElement(f);
      return advance(f);
    }
  }

  void takeExtents(Folding &f) {
    f.left = 1;
    for (std::size_t k = 0; k < f.reduction->vars.size(); ++k) {
      const TermId term = delivered_[k];
      const std::string &var = program_.vars[f.reduction->vars[k]].name;
      if (!pool_.isConstant(term))
        throw ExpandError(fmt::format("how many {} there are depends on data", var));
      const auto extent = static_cast<std::int64_t>(pool_.term(term).payload);
      if (extent < 0)
        throw ExpandError(fmt::format("{} runs over {} elements", var, extent));
      f.extents.push_back(extent);
      f.at.push_back(0);
      if (extent != 0 && f.left > kLongest / extent)
        throw ExpandError("a reduction is longer than 2^28 elements");
      f.left *= extent;
    }
  }

  void advance(Folding &f) {
    f.step = Folding::Step::Begin;
    --f.left;
    for (std::size_t k = f.at.size(); k-- > 0;) {
      if (++f.at[k] < f.extents[k])
        return;
      f.at[k] = 0;
    }
  }

  TermId identity(const Folding &f) {
    return pool_.constant(f.type, identityBits(f.reduction->op, f.type));
  }

  void addIdentity(Folding &f) {
    f.leaves[0].push_back(f.fused ? kNone : identity(f));
    f.leaves[1].push_back(kNone);
    f.leaves[2].push_back(kNone);
  }

  void addElement(Folding &f) {
    TermId value = delivered_.front();
    if (f.fused) {
      f.leaves[0].push_back(value);
      f.leaves[1].push_back(delivered_[1]);
      f.leaves[2].push_back(f.condition);
      return;
    }
    if (f.reduction->op == ReduceOp::Count)
      value = pool_.make(Op::Cast, f.type, 0, {value});
    if (f.reduction->op == ReduceOp::Max || f.reduction->op == ReduceOp::Min)
      value = pool_.make(mergeOp(f), f.type, 0, {identity(f), value});
    if (f.condition != kNone)
      value = pool_.make(Op::Select, f.type, 0, {f.condition, value, identity(f)});
    f.leaves[0].push_back(value);
  }

  static Op mergeOp(const Folding &f) {
    switch (f.reduction->op) {
    case ReduceOp::Max:
      return Op::Max;
    case ReduceOp::Min:
      return Op::Min;
    case ReduceOp::MaxNan:
      return Op::MaxNan;
    case ReduceOp::MinNan:
      return Op::MinNan;
    default:
      return Op::Add;
    }
  }

  struct Merge {
    TermPool &pool;
    Op op;
    DType type;

    TermId add(TermId a, TermId b) const { return pool.make(op, type, 0, {a, b}); }
    TermId round(TermId value, DType to) const {
      if (to == type)
        return value;
      return pool.make(Op::Cast, type, 0, {pool.make(Op::Cast, to, 0, {value})});
    }
    TermId literal(double value) const {
      return pool.constant(type, castBits(DType::F64, type, std::bit_cast<std::uint64_t>(value)));
    }
  };

  /// acc ← fma(a, b, acc) over runs; a masked product leaves acc.
  std::vector<TermId> fusedRuns(const Folding &f, const Merge &merge) {
    const Stage &stage = f.reduction->order.stages.front();
    const std::size_t count = f.leaves[0].size();
    const std::size_t run = stage.n == 0 ? count : static_cast<std::size_t>(stage.n);
    std::vector<TermId> sums;
    for (std::size_t begin = 0; begin < count; begin += run) {
      TermId sum = merge.literal(stage.start.value_or(-0.0));
      for (std::size_t i = begin; i < std::min(begin + run, count); ++i) {
        TermId next = sum;
        if (f.leaves[0][i] != kNone)
          next = pool_.make(Op::Fma, f.type, 0, {f.leaves[0][i], f.leaves[1][i], sum});
        if (f.leaves[2][i] != kNone)
          next = pool_.make(Op::Select, f.type, 0, {f.leaves[2][i], next, sum});
        sum = stage.round ? merge.round(next, *stage.round) : next;
      }
      sums.push_back(sum);
    }
    return sums;
  }

  void finish(Folding &f) {
    const Merge merge{pool_, mergeOp(f), f.type};
    Order rest = f.reduction->order;
    if (f.fused) {
      f.leaves[0] = fusedRuns(f, merge);
      rest.stages.erase(rest.stages.begin());
    }
    const std::optional<TermId> term = fold(rest, std::move(f.leaves[0]), merge);
    delivered_ = {term.value_or(identity(f))};
    known_[f.key] = delivered_.front();
    stack_.pop_back();
  }

  const Program &program_;
  std::span<const std::int64_t> dims_;
  TermPool &pool_;
  std::vector<TermId> bound_; // by VarId: its term in the scope under way
  std::vector<PerReduction> reductions_;
  std::map<DefId, Plan> plans_;
  std::map<Key, TermId> known_;
  std::vector<Task> stack_;
  std::vector<TermId> delivered_;
};

} // namespace

std::optional<TermId> expand(const Program &program, TensorId output,
                             std::span<const std::int64_t> index,
                             std::span<const std::int64_t> dims, TermPool &pool,
                             std::string *error) {
  const auto it = std::ranges::find(program.definitions, output, &Definition::output);
  if (output == kNone || it == program.definitions.end()) {
    *error = "no definition writes that tensor";
    return std::nullopt;
  }
  const FloatEnvironment environment;
  try {
    return Expander(program, dims, pool).run(*it, index);
  } catch (const ExpandError &reason) {
    *error = reason.what();
  } catch (const std::exception &reason) { // out of memory, out of ids, a broken program
    *error = fmt::format("the term cannot be made: {}", reason.what());
  }
  return std::nullopt;
}

} // namespace ordo::dsl
