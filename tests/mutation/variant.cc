#include "tests/mutation/variant.h"

#include "tests/mutation/lane_values.h"

#include <algorithm>
#include <map>
#include <utility>

namespace ordo::mutation {
namespace {

using verify::Instruction;
using verify::Kernel;
using verify::kNoRegister;
using verify::Op;
using verify::Operand;
using verify::RegisterId;

constexpr std::size_t kLongest = 64; // of a region

bool computes(const Instruction &i) {
  switch (i.op) {
  case Op::Store:
  case Op::Atomic:
  case Op::CopyAsync:
  case Op::CommitGroup:
  case Op::WaitGroup:
  case Op::Prefetch:
  case Op::Fence:
  case Op::Wait:
  case Op::Branch:
  case Op::Exit:
  case Op::Trap:
  case Op::Barrier:
  case Op::WarpBarrier:
    return false;
  default:
    return true;
  }
}

/// Its result is a float.
bool isFloatOp(Op op) {
  return (op >= Op::FAdd && op <= Op::FMaxNan) || op == Op::FConvert || op == Op::UToF ||
         op == Op::SToF || op == Op::FRoundInt || (op >= Op::GcnDivScale && op <= Op::GcnMed3);
}

bool isBranchedInto(const Kernel &kernel, const Region &region) {
  return std::ranges::any_of(kernel.code, [&](const Instruction &i) {
    return i.op == Op::Branch && i.target > region.begin && i.target < region.end;
  });
}

/// Delivered at once: what is asked is what it delivers.
std::optional<Instruction> delivered(Instruction i) {
  if (i.op == Op::Pending)
    return std::nullopt;
  i.access.counter = verify::Counter::None;
  return i;
}

} // namespace

/// The mutant, or the kernel, with other instructions in the place of a region.
class Variant::Builder {
public:
  Builder(const Kernel &base, Region region) : made_(base), region_(region) {
    line_ = base.code[std::min(region.begin, base.code.size() - 1)].line;
  }

  RegisterId fresh(unsigned width, bool uniform) {
    made_.registers.push_back({"", static_cast<std::uint8_t>(width), uniform});
    return static_cast<RegisterId>(made_.registers.size() - 1);
  }
  RegisterId like(RegisterId reg) {
    const verify::Register r = made_.registers[reg];
    return fresh(r.width, r.uniform);
  }
  bool isUniform(RegisterId reg) const { return made_.registers[reg].uniform; }
  unsigned width(RegisterId reg) const { return made_.registers[reg].width; }

  Instruction &emit(Op op, unsigned width, std::vector<RegisterId> dst, std::vector<Operand> src) {
    Instruction i;
    i.op = op;
    i.width = static_cast<std::uint8_t>(width);
    i.dst = std::move(dst);
    i.src = std::move(src);
    i.line = line_;
    code_.push_back(std::move(i));
    return code_.back();
  }
  void emit(const Instruction &i) {
    if (auto now = delivered(i))
      code_.push_back(std::move(*now));
  }
  RegisterId select(RegisterId condition, Operand a, Operand b, unsigned width, bool uniform) {
    const RegisterId to = fresh(width, uniform);
    emit(Op::Select, width, {to}, {Operand::of(condition), a, b});
    return to;
  }

  Kernel done() {
    const auto shift = static_cast<std::int64_t>(code_.size()) -
                       static_cast<std::int64_t>(region_.end - region_.begin);
    auto &code = made_.code;
    code.erase(code.begin() + static_cast<std::ptrdiff_t>(region_.begin),
               code.begin() + static_cast<std::ptrdiff_t>(region_.end));
    code.insert(code.begin() + static_cast<std::ptrdiff_t>(region_.begin), code_.begin(),
                code_.end());
    for (Instruction &i : code)
      if (i.op == Op::Branch && i.target > region_.begin)
        i.target = static_cast<std::uint32_t>(i.target + shift);
    return std::move(made_);
  }

private:
  Kernel made_;
  Region region_;
  std::uint32_t line_ = 0;
  Code code_;
};

Variant::Variant(const Kernel &kernel, const Kernel &mutant, std::size_t more)
    : kernel_(kernel), mutant_(mutant), diff_(diffOf(kernel, mutant)) {
  more = std::min(more, kernel.code.size() - diff_.kernel.end);
  diff_.kernel.end += more;
  diff_.mutant.end += more;
  const auto before = within(kernel, diff_.kernel), after = within(mutant, diff_.mutant);
  isStraight_ = !diff_.isEmpty() && before.size() <= kLongest && after.size() <= kLongest &&
                std::ranges::all_of(before, computes) && std::ranges::all_of(after, computes) &&
                !isBranchedInto(kernel, diff_.kernel) && !isBranchedInto(mutant, diff_.mutant);
  findResults();
}

bool Variant::computesFloats() const {
  const auto isFloat = [](const Instruction &i) { return isFloatOp(i.op); };
  return std::ranges::any_of(within(kernel_, diff_.kernel), isFloat) ||
         std::ranges::any_of(within(mutant_, diff_.mutant), isFloat);
}

std::optional<RegisterId> Variant::ofMutant(RegisterId reg) const {
  const auto it = diff_.registers.find(reg);
  return it == diff_.registers.end() ? std::nullopt : std::optional(it->second);
}

/// Whether some path from the end of the changed instructions reads it before it is written.
bool Variant::isUsed(RegisterId reg) const {
  std::vector<Place> left = {static_cast<Place>(diff_.mutant.end)};
  std::vector<bool> seen(mutant_.code.size());
  while (!left.empty()) {
    const Place at = left.back();
    left.pop_back();
    if (at >= seen.size() || seen[at])
      continue;
    seen[at] = true;
    const Instruction &i = mutant_.code[at];
    if (i.guard == reg || std::ranges::find(i.src, reg, &Operand::reg) != i.src.end())
      return true;
    if (i.guard == kNoRegister && std::ranges::find(i.dst, reg) != i.dst.end())
      continue;
    const std::vector<Place> next = following(mutant_, at);
    left.insert(left.end(), next.begin(), next.end());
  }
  return false;
}

void Variant::findResults() {
  const auto add = [&](RegisterId reg, RegisterId guard, bool guardNegated) {
    if (!isUsed(reg))
      return;
    const auto it = std::ranges::find(results_, reg, &Result::reg);
    Result &result = it == results_.end() ? results_.emplace_back() : *it;
    result = {reg, mutant_.registers[reg].uniform ? kNoRegister : guard, guardNegated};
  };
  for (const Instruction &i : within(kernel_, diff_.kernel))
    for (const RegisterId reg : i.dst)
      if (const auto mine = ofMutant(reg))
        add(*mine, i.guard == kNoRegister ? i.guard : ofMutant(i.guard).value_or(kNoRegister),
            i.guardNegated);
  for (const Instruction &i : within(mutant_, diff_.mutant))
    for (const RegisterId reg : i.dst)
      add(reg, i.guard, i.guardNegated);
}

Kernel Variant::trapped() const {
  Builder builder(kernel_, diff_.kernel);
  const auto region = within(kernel_, diff_.kernel);
  Instruction &trap = builder.emit(Op::Trap, 32, {}, {});
  if (!region.empty()) {
    trap.guard = region.front().guard;
    trap.guardNegated = region.front().guardNegated;
  }
  for (const Instruction &i : region)
    builder.emit(i);
  return builder.done();
}

Kernel Variant::trappedBranch(bool ifTaken) const {
  Kernel changed = kernel_;
  Instruction &branch = changed.code[diff_.kernel.begin];
  branch.op = Op::Trap;
  branch.target = 0;
  branch.guardNegated ^= !ifTaken;
  return changed;
}

Kernel Variant::undefined() const {
  Builder builder(mutant_, diff_.mutant);
  for (const Result &result : results_)
    keep(builder, result, builder.like(result.reg));
  return builder.done();
}

/// The result becomes the value of `by`.
void Variant::keep(Builder &builder, const Result &result, RegisterId by) {
  Instruction &move =
      builder.emit(Op::Mov, builder.width(result.reg), {result.reg}, {Operand::of(by)});
  move.guard = result.guard;
  move.guardNegated = result.guardNegated;
}

/// Whether this lane is one of the first.
RegisterId Variant::isFirst(Builder &builder, unsigned lanes) {
  const RegisterId lane = builder.fresh(32, false), isFirst = builder.fresh(1, false);
  builder.emit(Op::Special, 32, {lane}, {}).special = verify::SpecialRegister::LaneId;
  builder.emit(Op::CmpLtU, 32, {isFirst}, {Operand::of(lane), Operand::imm(lanes)});
  return isFirst;
}

Kernel Variant::ofFirstLanes(unsigned lanes) const {
  Builder builder(mutant_, diff_.mutant);
  for (const Instruction &i : within(mutant_, diff_.mutant))
    builder.emit(i);
  const RegisterId isFirst = Variant::isFirst(builder, lanes);
  for (const Result &result : results_)
    if (!builder.isUniform(result.reg))
      keep(builder, result,
           builder.select(isFirst, Operand::of(result.reg), Operand::of(builder.like(result.reg)),
                          builder.width(result.reg), false));
  return builder.done();
}

/// The kernel's instructions as the mutant's, with results in registers of their own, then the
/// mutant's; what the kernel would have in each of results_.
std::vector<RegisterId> Variant::computeBoth(Builder &builder) const {
  std::map<RegisterId, RegisterId> own; // by the kernel's number
  std::map<RegisterId, RegisterId> byMutant;
  std::vector<RegisterId> kernels;
  for (const Result &result : results_) {
    kernels.push_back(builder.like(result.reg));
    byMutant[result.reg] = kernels.back();
    builder.emit(Op::Mov, builder.width(result.reg), {kernels.back()}, {Operand::of(result.reg)});
  }
  const auto read = [&](RegisterId reg) {
    const auto it = own.find(reg);
    return it != own.end() ? it->second : ofMutant(reg).value_or(kNoRegister);
  };
  for (Instruction i : within(kernel_, diff_.kernel)) {
    for (Operand &operand : i.src)
      operand.reg = operand.isRegister() ? read(operand.reg) : operand.reg;
    i.guard = i.guard == kNoRegister ? i.guard : read(i.guard);
    for (RegisterId &reg : i.dst) {
      const auto mine = ofMutant(reg);
      const auto it = mine ? byMutant.find(*mine) : byMutant.end();
      const verify::Register &r = kernel_.registers[reg];
      if (!own.contains(reg))
        own[reg] = it != byMutant.end() ? it->second : builder.fresh(r.width, r.uniform);
      reg = own[reg];
    }
    builder.emit(i);
  }
  for (const Instruction &i : within(mutant_, diff_.mutant))
    builder.emit(i);
  return kernels;
}

Kernel Variant::trappedUnlessEqual() const {
  Builder builder(mutant_, diff_.mutant);
  const std::vector<RegisterId> kernels = computeBoth(builder);
  for (std::size_t k = 0; k < results_.size(); ++k) {
    const Result &result = results_[k];
    const bool uniform = builder.isUniform(result.reg);
    RegisterId differs = builder.fresh(1, uniform);
    builder.emit(Op::CmpNe, builder.width(result.reg), {differs},
                 {Operand::of(kernels[k]), Operand::of(result.reg)});
    if (result.guard != kNoRegister) {
      const Operand yes = Operand::of(differs), no = Operand::imm(0);
      differs = builder.select(result.guard, result.guardNegated ? no : yes,
                               result.guardNegated ? yes : no, 1, uniform);
    }
    builder.emit(Op::Trap, 32, {}, {}).guard = differs;
  }
  return builder.done();
}

Kernel Variant::undefinedUnlessEqual() const {
  Builder builder(mutant_, diff_.mutant);
  const std::vector<RegisterId> kernels = computeBoth(builder);
  for (std::size_t k = 0; k < results_.size(); ++k) {
    const RegisterId reg = results_[k].reg;
    const bool uniform = builder.isUniform(reg);
    const RegisterId same = builder.fresh(1, uniform);
    builder.emit(Op::CmpEq, builder.width(reg), {same},
                 {Operand::of(kernels[k]), Operand::of(reg)});
    keep(builder, results_[k],
         builder.select(same, Operand::of(reg), Operand::of(builder.like(reg)), builder.width(reg),
                        uniform));
  }
  return builder.done();
}

Kernel Variant::extremum(Op op, unsigned lanes) const {
  Builder builder(mutant_, diff_.mutant);
  const std::vector<RegisterId> kernels = computeBoth(builder);
  const RegisterId isFirst = Variant::isFirst(builder, lanes);
  for (std::size_t k = 0; k < results_.size(); ++k) {
    const RegisterId reg = results_[k].reg;
    if (builder.isUniform(reg))
      continue;
    const RegisterId both = builder.like(reg);
    builder.emit(op, builder.width(reg), {both}, {Operand::of(kernels[k]), Operand::of(reg)})
        .format = formatOf(builder.width(reg));
    keep(builder, results_[k],
         builder.select(isFirst, Operand::of(both), Operand::of(builder.like(reg)),
                        builder.width(reg), false));
  }
  return builder.done();
}

/// Of a register that is so wide, by the changed instructions.
dsl::DType Variant::formatOf(unsigned width) const {
  for (const auto region : {within(kernel_, diff_.kernel), within(mutant_, diff_.mutant)})
    for (const Instruction &i : region)
      if (isFloatOp(i.op) && static_cast<unsigned>(dsl::bitWidth(i.format)) == width)
        return i.format;
  return width == 64 ? dsl::DType::F64 : width == 32 ? dsl::DType::F32 : dsl::DType::BF16;
}

} // namespace ordo::mutation
