// The walk: arguments in order, then the definition of each output in order. An expression is
// written once, after its operands and what its payload refers to; a definition, reduction or
// recurrence numbers its own variables on entry, in declared order, a recurrence what it carries,
// too. Everything else is numbered when first completed, so that neither names nor the order of
// unrelated definitions matter.
#include "dsl/sema/digest.h"

#include "dsl/order/digest.h"

#include <fmt/format.h>
#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

namespace ordo::dsl {
namespace {

class Canonical {
public:
  explicit Canonical(const Program &program)
      : program_(program), exprs_(program.exprCount(), kNone),
        definitions_(program.definitions.size(), kNone),
        reductions_(program.reductions.size(), kNone),
        recurrences_(program.recurrences.size(), kNone), carries_(program.carries.size(), kNone),
        vars_(program.vars.size(), kNone), dims_(program.dims.size(), kNone) {}

  std::string run() {
    out_ = "ordo contract 1\n";
    writeArguments();
    writeRequires();
    writeAssumptions();
    for (TensorId id = 0; id < program_.tensors.size(); ++id)
      if (program_.tensors[id].isWritten())
        writeOutput(id);
    return std::move(out_);
  }

  std::string argumentsAlone() {
    writeArguments();
    return std::move(out_);
  }

  /// With the dimensions numbered as the arguments do.
  std::string definitionAlone(DefId id) {
    writeArguments();
    out_.clear();
    std::ranges::fill(exprs_, kNone);
    nextExpr_ = 0;
    write({Task::Kind::Definition, id});
    return std::move(out_);
  }

  std::string assumptionAlone(const Assumption &assumption) {
    writeArguments();
    return spell(assumption);
  }

  std::string requireAlone(const LaunchRequire &require) {
    writeArguments();
    return spell(require.condition);
  }

  /// After run().
  std::vector<std::uint32_t> reductionsInOrder() const {
    std::vector<std::uint32_t> ids(nextReduction_);
    for (std::uint32_t id = 0; id < reductions_.size(); ++id)
      if (reductions_[id] != kNone)
        ids[reductions_[id]] = id;
    return ids;
  }

private:
  // What remains to be written, on an explicit stack: Enter pushes what must come first.
  struct Task {
    enum class Kind : std::uint8_t { Expr, Definition, Reduction, Recurrence } kind;
    std::uint32_t id;
    bool isOpen = false;
  };

  void writeArguments() {
    for (const Scalar &scalar : program_.scalars)
      out_ += fmt::format("scalar {}\n", name(scalar.type));
    for (const Tensor &tensor : program_.tensors)
      writeTensor(tensor);
  }

  void writeTensor(const Tensor &tensor) {
    std::string shape;
    for (ExprId extent : tensor.shape) {
      write({Task::Kind::Expr, extent});
      shape += fmt::format(" %{}", exprs_[extent]);
    }
    const char *role = !tensor.isWritten() ? "in" : tensor.isRead() ? "inout" : "out";
    out_ += fmt::format("{} {}{}\n", role, name(tensor.type), shape);
  }

  // A set: neither order nor repetition counts. Their operands are numbered in order of spelling by
  // themselves, which names only dimensions that the shapes have numbered.
  void writeRequires() {
    std::vector<std::pair<std::string, ExprId>> conditions;
    for (const LaunchRequire &require : program_.requires_)
      conditions.emplace_back(spell(require.condition), require.condition);
    std::ranges::sort(conditions);
    for (const auto &[text, condition] : conditions)
      if (exprs_[condition] == kNone || !written_.contains(condition)) {
        written_.insert(condition);
        write({Task::Kind::Expr, condition});
        out_ += fmt::format("require %{}\n", exprs_[condition]);
      }
  }

  // A set as well. Each is spelt by itself, with all that it uses.
  void writeAssumptions() {
    std::set<std::string> texts;
    for (const Assumption &assumption : program_.assumptions)
      texts.insert(spell(assumption));
    for (const std::string &text : texts)
      out_ += text;
  }

  // What is written alone, from a fresh numbering that keeps the dimensions'.
  Canonical alone() const {
    Canonical alone(program_);
    alone.dims_ = dims_;
    alone.nextDim_ = nextDim_;
    return alone;
  }

  std::string spell(ExprId id) const {
    Canonical own = alone();
    own.write({Task::Kind::Expr, id});
    return own.out_;
  }

  std::string spell(const Assumption &assumption) const {
    static constexpr const char *kNames[] = {"holds", "distinct", "disjoint"};
    Canonical own = alone();
    std::vector<Task> needs;
    own.needVars(assumption.vars, needs);
    for (const ExprId id :
         {assumption.where, assumption.condition, assumption.value, assumption.length})
      own.need(id, needs);
    for (const Task &task : needs)
      own.write(task);
    return own.out_ + fmt::format("assume {}{} where {} condition {} value {} length {}\n",
                                  kNames[static_cast<std::size_t>(assumption.kind)],
                                  own.varsText(assumption.vars), own.whereText(assumption.where),
                                  own.exprText(assumption.condition),
                                  own.exprText(assumption.value), own.exprText(assumption.length));
  }

  void writeOutput(TensorId tensor) {
    for (DefId id = 0; id < program_.definitions.size(); ++id)
      if (program_.definitions[id].output == tensor) {
        write({Task::Kind::Definition, id});
        out_ += fmt::format("output {} = definition {}\n", tensor, definitions_[id]);
      }
  }

  void write(Task task) {
    stack_.push_back(task);
    while (!stack_.empty()) {
      Task &top = stack_.back();
      if (number(top) != kNone) {
        stack_.pop_back();
        continue;
      }
      const Task current = top;
      if (!top.isOpen) {
        top.isOpen = true;
        pushNeeds(current);
        continue;
      }
      stack_.pop_back();
      emit(current);
    }
  }

  std::uint32_t &number(const Task &task) {
    switch (task.kind) {
    case Task::Kind::Expr:
      return exprs_[task.id];
    case Task::Kind::Definition:
      return definitions_[task.id];
    case Task::Kind::Recurrence:
      return recurrences_[task.id];
    case Task::Kind::Reduction:
      break;
    }
    return reductions_[task.id];
  }

  // Pushed in reverse, so that they are written in order.
  void pushNeeds(const Task &task) {
    std::vector<Task> needs;
    switch (task.kind) {
    case Task::Kind::Expr: {
      const Expr &e = program_.expr(task.id);
      for (ExprId arg : program_.args(task.id))
        needs.push_back({Task::Kind::Expr, arg});
      if (e.op == Op::Use)
        needs.push_back({Task::Kind::Definition, static_cast<std::uint32_t>(e.payload)});
      if (e.op == Op::Reduce)
        needs.push_back({Task::Kind::Reduction, static_cast<std::uint32_t>(e.payload)});
      if (e.op == Op::Recur)
        needs.push_back({Task::Kind::Recurrence, recurrenceOf(e.payload)});
      break;
    }
    case Task::Kind::Definition: {
      const Definition &d = program_.definitions[task.id];
      needVars(d.vars, needs);
      need(d.value, needs);
      need(d.where, needs);
      for (const std::vector<ExprId> *list : {&d.at, &d.shape})
        for (ExprId id : *list)
          need(id, needs);
      break;
    }
    case Task::Kind::Reduction: {
      const Reduction &r = program_.reductions[task.id];
      needVars(r.vars, needs);
      need(r.where, needs);
      need(r.body, needs);
      need(r.count, needs);
      for (const RankKey &key : r.keys)
        need(key.value, needs);
      break;
    }
    case Task::Kind::Recurrence:
      needRecurrence(program_.recurrences[task.id], needs);
      break;
    }
    stack_.insert(stack_.end(), needs.rbegin(), needs.rend());
  }

  static void need(ExprId id, std::vector<Task> &needs) {
    if (id != kNone)
      needs.push_back({Task::Kind::Expr, id});
  }

  // A carry's next value may speak of the carry: numbers come before bodies.
  void needRecurrence(const Recurrence &r, std::vector<Task> &needs) {
    for (const std::vector<CarryId> *parts : {&r.carries, &r.yields})
      for (CarryId part : *parts)
        carries_[part] = nextCarry_++;
    needVars(r.shared, needs);
    needVars(r.vars, needs);
    for (const std::vector<CarryId> *parts : {&r.carries, &r.yields})
      for (CarryId part : *parts)
        needVars(program_.carries[part].vars, needs);
    need(r.where, needs);
    for (const std::vector<CarryId> *parts : {&r.carries, &r.yields})
      for (CarryId part : *parts) {
        const Carry &carry = program_.carries[part];
        for (ExprId id : {carry.start, carry.next, carry.merged})
          need(id, needs);
      }
  }

  void needVars(const std::vector<VarId> &vars, std::vector<Task> &needs) {
    for (VarId var : vars) {
      vars_[var] = nextVar_++;
      needs.push_back({Task::Kind::Expr, program_.vars[var].extent});
    }
  }

  void emit(const Task &task) {
    switch (task.kind) {
    case Task::Kind::Expr:
      emitExpr(task.id);
      break;
    case Task::Kind::Definition: {
      const Definition &d = program_.definitions[task.id];
      definitions_[task.id] = nextDefinition_++;
      out_ += fmt::format("definition {}{} = %{} where {}{}\n", definitions_[task.id],
                          varsText(d.vars), exprs_[d.value], whereText(d.where), placeText(d));
      break;
    }
    case Task::Kind::Reduction: {
      const Reduction &r = program_.reductions[task.id];
      reductions_[task.id] = nextReduction_++;
      out_ += fmt::format("reduction {} {}{} = {} where {}{}\n{}", reductions_[task.id], name(r.op),
                          varsText(r.vars), exprText(r.body), whereText(r.where), rankText(r),
                          r.order.empty() ? "" : canonicalForm(r.order));
      break;
    }
    case Task::Kind::Recurrence:
      emitRecurrence(task.id);
      break;
    }
  }

  void emitRecurrence(RecurrenceId id) {
    const Recurrence &r = program_.recurrences[id];
    recurrences_[id] = nextRecurrence_++;
    out_ += fmt::format("recurrence {} {} shared{} steps{} where {}\n{}", recurrences_[id],
                        r.isScan ? "scan" : "fold", varsText(r.shared), varsText(r.vars),
                        whereText(r.where), r.order.empty() ? "" : canonicalForm(r.order));
    const auto list = [&](const char *role, const std::vector<CarryId> &parts) {
      for (CarryId part : parts) {
        const Carry &carry = program_.carries[part];
        out_ += fmt::format("{} {} {}{} start {} next {} merged {}\n", role, carries_[part],
                            name(carry.type), varsText(carry.vars), exprText(carry.start),
                            exprText(carry.next), exprText(carry.merged));
      }
    };
    list("carry", r.carries);
    list("yield", r.yields);
  }

  void emitExpr(ExprId id) {
    const Expr &e = program_.expr(id);
    exprs_[id] = nextExpr_++;
    out_ += fmt::format("%{} {} {} {:x}", exprs_[id], name(e.op), name(e.type), payload(e));
    for (ExprId arg : program_.args(id))
      out_ += fmt::format(" %{}", exprs_[arg]);
    out_ += '\n';
  }

  std::uint64_t payload(const Expr &e) {
    switch (e.op) {
    case Op::Var:
      if (vars_[e.payload] == kNone) // of a recurrence, one of whose definitions stands alone
        vars_[e.payload] = nextVar_++;
      return vars_[e.payload];
    case Op::Carry: {
      std::uint32_t &carry = carries_[carryOf(e.payload)];
      if (carry == kNone) // the same
        carry = nextCarry_++;
      return carryPayload(carry, sideOf(e.payload));
    }
    case Op::Recur:
      return recurPayload(recurrences_[recurrenceOf(e.payload)], partOf(e.payload));
    case Op::Use:
      return definitions_[e.payload];
    case Op::Reduce:
      return reductions_[e.payload];
    case Op::Size:
      if (dims_[e.payload] == kNone)
        dims_[e.payload] = nextDim_++;
      return dims_[e.payload];
    default:
      return e.payload;
    }
  }

  std::string varsText(const std::vector<VarId> &vars) const {
    std::string text;
    for (VarId var : vars)
      text += fmt::format(" v{} < %{}", vars_[var], exprs_[program_.vars[var].extent]);
    return text;
  }

  std::string whereText(ExprId where) const {
    return where == kNone ? "always" : fmt::format("%{}", exprs_[where]);
  }

  std::string exprText(ExprId id) const {
    return id == kNone ? "none" : fmt::format("%{}", exprs_[id]);
  }

  /// Where a placed definition's points stand; nothing of others.
  std::string placeText(const Definition &d) const {
    std::string text;
    for (ExprId id : d.at)
      text += fmt::format("{}%{}", text.empty() ? " at " : " ", exprs_[id]);
    for (ExprId id : d.shape)
      text += fmt::format("{}%{}", id == d.shape.front() ? " in " : " ", exprs_[id]);
    return d.isUpdate ? text + " update" : text;
  }

  /// Of `argmax` and `top`.
  std::string rankText(const Reduction &r) const {
    std::string text;
    for (const RankKey &key : r.keys)
      text +=
          fmt::format(" by %{} {} nan {}", exprs_[key.value],
                      key.isDescending ? "falling" : "rising", key.isNanFirst ? "first" : "last");
    return r.count == kNone ? text : text + fmt::format(" count %{}", exprs_[r.count]);
  }

  const Program &program_;
  std::vector<std::uint32_t> exprs_, definitions_, reductions_, recurrences_, carries_, vars_,
      dims_;
  std::uint32_t nextExpr_ = 0, nextDefinition_ = 0, nextReduction_ = 0, nextRecurrence_ = 0,
                nextCarry_ = 0, nextVar_ = 0, nextDim_ = 0;
  std::vector<Task> stack_;
  std::set<ExprId> written_; // requirements
  std::string out_;
};

/// What resolves the `mma` stages that outputs need; nothing without one.
std::string atomLine(const Program &program, std::string_view atom, int version) {
  return needsAtom(program) ? fmt::format("atom mma = {} version {}\n", atom, version) : "";
}

} // namespace

std::string canonicalForm(const Program &program) {
  std::string form = Canonical(program).run();
  if (program.matrix)
    form += atomLine(program, program.matrix->atom, program.matrix->version);
  return form;
}

std::vector<std::uint32_t> reductionsInOrder(const Program &program) {
  Canonical canonical(program);
  canonical.run();
  return canonical.reductionsInOrder();
}

std::string sha256Hex(const std::string &text) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> hash{};
  SHA256(reinterpret_cast<const unsigned char *>(text.data()), text.size(), hash.data());
  std::string hex;
  for (unsigned char byte : hash)
    hex += fmt::format("{:02x}", byte);
  return hex;
}

std::string digest(const Program &program) { return sha256Hex(canonicalForm(program)); }

bool needsAtom(const Program &program) {
  return std::ranges::any_of(reductionsInOrder(program), [&](std::uint32_t id) {
    return isMatrixProduct(program.reductions[id]);
  });
}

std::string digest(const Program &program, const AtomRule &mma) {
  return sha256Hex(Canonical(program).run() + atomLine(program, mma.name, mma.version));
}

ContractParts partsOf(const Program &program) {
  ContractParts parts;
  parts.arguments = sha256Hex(Canonical(program).argumentsAlone());
  for (const LaunchRequire &require : program.requires_)
    parts.requires_.push_back(sha256Hex(Canonical(program).requireAlone(require)));
  for (const Assumption &assumption : program.assumptions)
    parts.requires_.push_back(sha256Hex(Canonical(program).assumptionAlone(assumption)));
  for (DefId id = 0; id < program.definitions.size(); ++id)
    parts.definitions.push_back(sha256Hex(Canonical(program).definitionAlone(id)));
  for (std::uint32_t id : reductionsInOrder(program))
    parts.orders.push_back(toString(program.reductions[id].order));
  return parts;
}

} // namespace ordo::dsl
