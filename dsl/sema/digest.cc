// The walk: arguments in order, then the definition of each output in order. An expression is
// written once, after its operands and what its payload refers to; a definition or reduction
// numbers its own variables on entry, in declared order. Everything else is numbered when first
// completed, so that neither names nor the order of unrelated definitions matter.
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
        reductions_(program.reductions.size(), kNone), vars_(program.vars.size(), kNone),
        dims_(program.dims.size(), kNone) {}

  std::string run() {
    out_ = "ordo contract 1\n";
    writeArguments();
    writeRequires();
    for (TensorId id = 0; id < program_.tensors.size(); ++id)
      if (program_.tensors[id].role == Tensor::Role::Output)
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
    enum class Kind : std::uint8_t { Expr, Definition, Reduction } kind;
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
    out_ += fmt::format("{} {}{}\n", tensor.role == Tensor::Role::Input ? "in" : "out",
                        name(tensor.type), shape);
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

  // The expression alone, from a fresh numbering that keeps the dimensions'.
  std::string spell(ExprId id) const {
    Canonical alone(program_);
    alone.dims_ = dims_;
    alone.nextDim_ = nextDim_;
    alone.write({Task::Kind::Expr, id});
    return alone.out_;
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
      break;
    }
    case Task::Kind::Definition: {
      const Definition &d = program_.definitions[task.id];
      needVars(d.vars, needs);
      needs.push_back({Task::Kind::Expr, d.value});
      if (d.where != kNone)
        needs.push_back({Task::Kind::Expr, d.where});
      break;
    }
    case Task::Kind::Reduction: {
      const Reduction &r = program_.reductions[task.id];
      needVars(r.vars, needs);
      if (r.where != kNone)
        needs.push_back({Task::Kind::Expr, r.where});
      needs.push_back({Task::Kind::Expr, r.body});
      break;
    }
    }
    stack_.insert(stack_.end(), needs.rbegin(), needs.rend());
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
      out_ += fmt::format("definition {}{} = %{} where {}\n", definitions_[task.id],
                          varsText(d.vars), exprs_[d.value], whereText(d.where));
      break;
    }
    case Task::Kind::Reduction: {
      const Reduction &r = program_.reductions[task.id];
      reductions_[task.id] = nextReduction_++;
      out_ += fmt::format("reduction {} {}{} = %{} where {}\n{}", reductions_[task.id], name(r.op),
                          varsText(r.vars), exprs_[r.body], whereText(r.where),
                          r.order.empty() ? "" : canonicalForm(r.order));
      break;
    }
    }
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
      return vars_[e.payload];
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

  const Program &program_;
  std::vector<std::uint32_t> exprs_, definitions_, reductions_, vars_, dims_;
  std::uint32_t nextExpr_ = 0, nextDefinition_ = 0, nextReduction_ = 0, nextVar_ = 0, nextDim_ = 0;
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
  for (DefId id = 0; id < program.definitions.size(); ++id)
    parts.definitions.push_back(sha256Hex(Canonical(program).definitionAlone(id)));
  for (std::uint32_t id : reductionsInOrder(program))
    parts.orders.push_back(toString(program.reductions[id].order));
  return parts;
}

} // namespace ordo::dsl
