// Compiling expressions to straight-line code over columns, and running it.
#include "dsl/eval/machine.h"
#include "dsl/eval/recurrence.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace ordo::dsl::machine {
namespace {

/// The nodes the roots need, children first; reductions are leaves here.
std::vector<ExprId> nodesOf(const Program &program, const std::vector<ExprId> &roots) {
  std::vector<ExprId> nodes, stack = roots;
  std::vector<bool> seen(program.exprCount());
  while (!stack.empty()) {
    const ExprId id = stack.back();
    stack.pop_back();
    if (id >= program.exprCount())
      throw EvalError("malformed program: an expression is missing");
    if (seen[id])
      continue;
    seen[id] = true;
    nodes.push_back(id);
    for (const ExprId arg : program.args(id)) {
      if (arg >= id)
        throw EvalError("malformed program: an operand comes after its user");
      stack.push_back(arg);
    }
  }
  std::ranges::sort(nodes);
  return nodes;
}

Kernel kernelOf(const Program &program, ExprId id) {
  const Expr &e = program.expr(id);
  const std::span<const ExprId> args = program.args(id);
  const auto typeOf = [&](std::size_t i) { return program.expr(args[i]).type; };
  Kernel kernel = nullptr;
  if (static_cast<int>(args.size()) == arity(e.op) && !args.empty()) {
    // Operands share a type, but for the condition of a select.
    const std::size_t first = e.op == Op::Select ? 1 : 0;
    bool agree = first == 0 || typeOf(0) == DType::Bool;
    for (std::size_t i = first; i < args.size(); ++i)
      agree = agree && typeOf(i) == typeOf(first);
    const auto rounding = e.op == Op::Cast ? static_cast<Rounding>(e.payload) : Rounding{};
    if (agree)
      kernel = kernelFor(e.op, e.type, typeOf(first), rounding);
  }
  if (!kernel)
    throw EvalError(fmt::format("malformed program: `{}` has no meaning with these operands in {}",
                                name(e.op), name(e.type)));
  return kernel;
}

template <class T> void fill(std::byte *out, const std::byte *value, std::size_t count) {
  T v;
  std::memcpy(&v, value, sizeof v);
  for (std::size_t i = 0; i < count; ++i)
    std::memcpy(out + i * sizeof v, &v, sizeof v);
}

/// Repeats the element at `value`, which may be the first of `out`.
void fillElements(std::size_t size, std::byte *out, const std::byte *value, std::size_t count) {
  switch (size) {
  case 1:
    return fill<std::uint8_t>(out, value, count);
  case 2:
    return fill<std::uint16_t>(out, value, count);
  case 4:
    return fill<std::uint32_t>(out, value, count);
  default:
    return fill<std::uint64_t>(out, value, count);
  }
}

void fillSteps(std::byte *out, std::int64_t base, std::int64_t step, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t value = base + step * static_cast<std::int64_t>(i);
    std::memcpy(out + i * sizeof value, &value, sizeof value);
  }
}

std::int64_t indexOf(const std::byte *data, std::size_t i) {
  std::int64_t value;
  std::memcpy(&value, data + i * sizeof value, sizeof value);
  return value;
}

bool isEven(const Register &r) {
  return r.type == DType::Index && r.form != Register::Form::Full && r.poison.empty();
}
std::int64_t baseOf(const Register &r) {
  return r.form == Register::Form::Uniform ? indexOf(r.data, 0) : r.base;
}
std::int64_t indexAt(const Register &r, std::size_t i) {
  if (r.form == Register::Form::Full)
    return indexOf(r.data, i);
  return r.form == Register::Form::Uniform ? indexOf(r.data, 0)
                                           : r.base + r.step * static_cast<std::int64_t>(i);
}
std::int64_t stepOf(const Register &r) { return r.form == Register::Form::Uniform ? 0 : r.step; }

} // namespace

std::uint32_t Block::takeRegister(DType type) {
  std::vector<std::uint32_t> &recycled = free_[elementSize(type)];
  if (!recycled.empty()) {
    const std::uint32_t index = recycled.back();
    recycled.pop_back();
    return index;
  }
  Register r;
  r.storage.resize(kBatch * elementSize(type));
  registers_.push_back(std::move(r));
  return static_cast<std::uint32_t>(registers_.size() - 1);
}

std::uint32_t Block::fixedRegister(DType type, std::uint64_t bits) {
  Register r;
  r.type = type;
  r.fixed = true;
  r.form = Register::Form::Uniform;
  r.storage.resize(kBatch * elementSize(type));
  storeBits(type, r.storage.data(), bits);
  fillElements(elementSize(type), r.storage.data(), r.storage.data(), kBatch);
  r.spread = kBatch;
  registers_.push_back(std::move(r));
  registers_.back().data = registers_.back().storage.data();
  return static_cast<std::uint32_t>(registers_.size() - 1);
}

void Block::compile(Machine &machine, const std::vector<ExprId> &roots) {
  const Program &program = machine.program();
  const std::vector<ExprId> nodes = nodesOf(program, roots);
  std::unordered_map<ExprId, std::uint32_t> uses, registers;
  for (const ExprId id : nodes)
    for (const ExprId arg : program.args(id))
      ++uses[arg];
  for (const ExprId root : roots)
    ++uses[root]; // a root's register is never recycled
  for (const ExprId id : nodes) {
    const Expr &e = program.expr(id);
    if (e.op == Op::Size && e.payload >= machine.dims().size())
      throw EvalError("malformed program: a dimension is missing");
    if (e.op == Op::Const || e.op == Op::Size || e.op == Op::Scalar) {
      const std::uint64_t bits = e.op == Op::Const  ? e.payload
                                 : e.op == Op::Size ? machine.dims()[e.payload]
                                                    : machine.scalar(e.payload);
      registers[id] = fixedRegister(e.type, bits);
      continue;
    }
    Instruction code;
    code.op = e.op;
    code.type = e.type;
    code.payload = e.payload;
    prepare(machine, id, code);
    for (const ExprId arg : program.args(id))
      code.operands.push_back(registers[arg]);
    code.target = takeRegister(e.type);
    registers[id] = code.target;
    for (const ExprId arg : program.args(id))
      if (--uses[arg] == 0 && !registers_[registers[arg]].fixed)
        free_[elementSize(program.expr(arg).type)].push_back(registers[arg]);
    code_.push_back(std::move(code));
  }
  for (const ExprId root : roots)
    roots_.push_back(registers[root]);
  // The vector has stopped growing and moving.
  for (Register &r : registers_)
    r.data = r.storage.data();
}

/// What the instruction refers to, there and of the right form.
void Block::prepare(Machine &machine, ExprId id, Instruction &code) {
  const Program &program = machine.program();
  const Expr &e = program.expr(id);
  const std::size_t args = program.args(id).size();
  const auto checkArray = [&](const Array &array) {
    if (array.shape.size() != args || array.type != e.type || !array.ready)
      throw EvalError(fmt::format("malformed program: `{}` is read before it is there, or with "
                                  "the wrong type or number of indices",
                                  array.name));
  };
  switch (e.op) {
  case Op::Var:
  case Op::Undef:
    return;
  case Op::Reduce:
    code.reduction = &machine.prepareReduction(static_cast<ReductionId>(e.payload), e.type);
    if (args != (code.reduction->reduction->op == ReduceOp::Top ? 1u : 0u))
      throw EvalError("malformed program: a reduction with the wrong number of arguments");
    return;
  case Op::Load:
    return checkArray(machine.tensor(e.payload));
  case Op::Use:
    return checkArray(machine.definition(e.payload));
  case Op::Carry:
    if (!machine.carry(e.payload))
      throw EvalError("malformed program: a carry outside its recurrence");
    return checkArray(*machine.carry(e.payload));
  case Op::Recur:
    return checkArray(machine.prepareRecurrence(recurrenceOf(e.payload)).part(partOf(e.payload)));
  default:
    code.kernel = kernelOf(program, id);
  }
}

void Block::run(Machine &machine, const Frame &frame) {
  for (const Instruction &code : code_)
    execute(machine, code, frame);
}

void Block::execute(Machine &machine, const Instruction &code, const Frame &frame) {
  Register &target = registers_[code.target];
  target.type = code.type;
  target.spread = 0;
  target.poison.clear();
  target.data = target.storage.data();
  switch (code.op) {
  case Op::Var: {
    const Binding &binding = frame.vars[code.payload];
    target.form = binding.column ? Register::Form::Full : Register::Form::Affine;
    target.base = binding.base;
    target.step = binding.step;
    if (binding.column)
      target.data = reinterpret_cast<const std::byte *>(binding.column);
    if (binding.isUniform()) {
      target.form = Register::Form::Uniform;
      storeBits(DType::Index, target.storage.data(), static_cast<std::uint64_t>(binding.base));
      target.spread = 1;
    }
    return;
  }
  case Op::Load:
    return load(machine, code, machine.tensor(code.payload), frame.count);
  case Op::Use:
    return load(machine, code, machine.definition(code.payload), frame.count);
  case Op::Carry:
    return load(machine, code, *machine.carry(code.payload), frame.count);
  case Op::Recur:
    return recur(machine, code, frame);
  case Op::Reduce:
    return reduce(machine, code, frame);
  case Op::Undef:
    machine.noteFault("a local value is needed where its `where` is false");
    target.form = Register::Form::Uniform;
    target.spread = 1;
    storeBits(code.type, target.storage.data(), 0);
    target.poison.assign(frame.count, 1);
    return;
  default:
    return compute(code, frame.count);
  }
}

void Block::reduce(Machine &machine, const Instruction &code, const Frame &frame) {
  Register &target = registers_[code.target];
  const Register *slot = code.operands.empty() ? nullptr : &registers_[code.operands[0]];
  const bool isUniform =
      std::ranges::all_of(code.reduction->outer,
                          [&](VarId var) { return frame.vars[var].isUniform(); }) &&
      (!slot || (slot->form == Register::Form::Uniform && slot->poison.empty()));
  target.form = isUniform ? Register::Form::Uniform : Register::Form::Full;
  target.spread = 1;
  for (std::size_t i = 0; i < (isUniform ? 1 : frame.count); ++i) {
    std::uint64_t bits = 0;
    const std::int64_t place = slot ? indexAt(*slot, i) : 0;
    if (machine.reduce(*code.reduction, frame, i, place, &bits)) {
      target.poison.resize(frame.count);
      std::fill(target.poison.begin() + static_cast<std::ptrdiff_t>(i),
                isUniform ? target.poison.end()
                          : target.poison.begin() + static_cast<std::ptrdiff_t>(i + 1),
                1);
    }
    storeBits(code.type, target.storage.data() + i * elementSize(code.type), bits);
  }
  if (slot)
    spreadPoison(code, frame.count);
}

/// Runs the recurrence where its shared variables come to a point for the first time.
void Block::recur(Machine &machine, const Instruction &code, const Frame &frame) {
  RecurrenceState &state = machine.recurrence(recurrenceOf(code.payload));
  std::vector<std::int64_t> at(state.sharedCount()), last;
  for (std::size_t i = 0; i < frame.count; ++i) {
    bool isPoisoned = false;
    for (std::size_t k = 0; k < at.size(); ++k) {
      const Register &index = registers_[code.operands[k]];
      at[k] = indexAt(index, i);
      isPoisoned = isPoisoned || (!index.poison.empty() && index.poison[i] != 0);
    }
    if (isPoisoned || (i > 0 && at == last))
      continue;
    state.provide(machine, at);
    last = at;
  }
  load(machine, code, state.part(partOf(code.payload)), frame.count);
}

void Block::load(Machine &machine, const Instruction &code, const Array &array, std::size_t count) {
  if (!loadEvenly(code, array, count))
    loadEach(machine, code, array, count);
}

/// Indices that step evenly and stay inside: no copy for a step of nought or one.
bool Block::loadEvenly(const Instruction &code, const Array &array, std::size_t count) {
  if (!array.poison.empty())
    return false;
  std::int64_t offset = 0, step = 0;
  for (std::size_t axis = 0; axis < code.operands.size(); ++axis) {
    const Register &index = registers_[code.operands[axis]];
    if (!isEven(index))
      return false;
    const std::int64_t first = baseOf(index), size = array.shape[axis];
    std::int64_t last = 0;
    if (__builtin_mul_overflow(stepOf(index), static_cast<std::int64_t>(count) - 1, &last) ||
        __builtin_add_overflow(last, first, &last))
      return false;
    if (first < 0 || first >= size || last < 0 || last >= size)
      return false;
    offset += first * array.strides[axis];
    step += stepOf(index) * array.strides[axis];
  }
  Register &target = registers_[code.target];
  const std::size_t size = elementSize(code.type);
  const std::byte *start = array.data + static_cast<std::size_t>(offset) * size;
  target.form = step == 0 ? Register::Form::Uniform : Register::Form::Full;
  if (step == 0 || step == 1) {
    target.data = start;
    return true;
  }
  for (std::size_t i = 0; i < count; ++i)
    std::memcpy(target.storage.data() + i * size,
                start + step * static_cast<std::int64_t>(i * size), size);
  return true;
}

void Block::loadEach(Machine &machine, const Instruction &code, const Array &array,
                     std::size_t count) {
  std::vector<const std::byte *> columns;
  Register &target = registers_[code.target];
  const std::size_t size = elementSize(code.type);
  target.form = Register::Form::Full;
  for (const std::uint32_t operand : code.operands)
    columns.push_back(full(operand, count));
  std::vector<std::int64_t> at(columns.size());
  for (std::size_t i = 0; i < count; ++i) {
    std::int64_t offset = 0;
    bool inside = true;
    for (std::size_t axis = 0; axis < columns.size(); ++axis) {
      at[axis] = indexOf(columns[axis], i);
      inside = inside && at[axis] >= 0 && at[axis] < array.shape[axis];
      offset += inside ? at[axis] * array.strides[axis] : 0;
    }
    if (inside && (array.poison.empty() || !array.poison[static_cast<std::size_t>(offset)])) {
      std::memcpy(target.storage.data() + i * size,
                  array.data + static_cast<std::size_t>(offset) * size, size);
      continue;
    }
    machine.noteFault(array, at);
    target.poison.resize(count);
    target.poison[i] = 1;
    std::memset(target.storage.data() + i * size, 0, size);
  }
  spreadPoison(code, count);
}

/// Index sums, differences and multiples of even steps step evenly.
bool Block::stepIndex(const Instruction &code) {
  if (code.type != DType::Index || code.operands.size() != 2)
    return false;
  const Register &a = registers_[code.operands[0]], &b = registers_[code.operands[1]];
  if (!isEven(a) || !isEven(b))
    return false;
  const auto u = [](std::int64_t v) { return static_cast<std::uint64_t>(v); };
  std::uint64_t base = 0, step = 0;
  switch (code.op) {
  case Op::Add:
    base = u(baseOf(a)) + u(baseOf(b));
    step = u(stepOf(a)) + u(stepOf(b));
    break;
  case Op::Sub:
    base = u(baseOf(a)) - u(baseOf(b));
    step = u(stepOf(a)) - u(stepOf(b));
    break;
  case Op::Mul:
    if (stepOf(a) != 0 && stepOf(b) != 0)
      return false;
    base = u(baseOf(a)) * u(baseOf(b));
    step = u(stepOf(a)) * u(baseOf(b)) + u(baseOf(a)) * u(stepOf(b));
    break;
  default:
    return false;
  }
  Register &target = registers_[code.target];
  target.form = Register::Form::Affine;
  target.base = static_cast<std::int64_t>(base);
  target.step = static_cast<std::int64_t>(step);
  return true;
}

void Block::compute(const Instruction &code, std::size_t count) {
  Register &target = registers_[code.target];
  const bool isUniform = std::ranges::all_of(code.operands, [&](std::uint32_t operand) {
    return registers_[operand].form == Register::Form::Uniform;
  });
  const void *args[3] = {};
  if (!isUniform && stepIndex(code))
    return;
  for (std::size_t i = 0; i < code.operands.size(); ++i)
    args[i] = isUniform ? registers_[code.operands[i]].data : full(code.operands[i], count);
  target.form = isUniform ? Register::Form::Uniform : Register::Form::Full;
  target.spread = isUniform ? 1 : count;
  code.kernel(target.storage.data(), args, isUniform ? 1 : count);
  spreadPoison(code, count);
}

void Block::spreadPoison(const Instruction &code, std::size_t count) {
  const auto isPoisoned = [&](std::uint32_t r) { return !registers_[r].poison.empty(); };
  if (std::ranges::none_of(code.operands, isPoisoned))
    return;
  Register &target = registers_[code.target];
  target.poison.resize(count);
  const auto add = [&](std::uint32_t operand, std::size_t i) {
    const std::vector<std::uint8_t> &poison = registers_[operand].poison;
    target.poison[i] |= poison.empty() ? 0 : poison[i];
  };
  if (code.op == Op::Select) {
    const std::byte *condition = full(code.operands[0], count);
    for (std::size_t i = 0; i < count; ++i) {
      add(code.operands[0], i);
      add(code.operands[condition[i] != std::byte{0} ? 1 : 2], i);
    }
    return;
  }
  for (const std::uint32_t operand : code.operands)
    for (std::size_t i = 0; i < count; ++i)
      add(operand, i);
}

/// The register's values for all points, written out if they were not.
const std::byte *Block::full(std::uint32_t index, std::size_t count) {
  Register &r = registers_[index];
  if (r.form == Register::Form::Full || r.spread >= count)
    return r.data;
  if (r.form == Register::Form::Affine)
    fillSteps(r.storage.data(), r.base, r.step, count);
  else
    fillElements(elementSize(r.type), r.storage.data(), r.data, count);
  r.data = r.storage.data();
  r.spread = count;
  return r.data;
}

void Block::copyRoot(std::size_t i, std::size_t count, std::byte *out) const {
  const Register &r = root(i);
  const std::size_t size = elementSize(r.type);
  if (r.form == Register::Form::Full)
    std::memcpy(out, r.data, count * size);
  else if (r.form == Register::Form::Affine)
    fillSteps(out, r.base, r.step, count);
  else
    fillElements(size, out, r.data, count);
}

std::int64_t Block::rootIndexAt(std::size_t i, std::size_t point) const {
  return indexAt(root(i), point);
}

} // namespace ordo::dsl::machine
