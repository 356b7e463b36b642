#include "compiler/verify/machine/instruction.h"

#include <array>
#include <fmt/format.h>

namespace ordo::verify {
namespace {

constexpr auto kNames = std::to_array<std::string_view>({
    "mov",
    "add",
    "sub",
    "mul",
    "mul.hi.u",
    "mul.hi.s",
    "div.u",
    "div.s",
    "rem.u",
    "rem.s",
    "min.u",
    "min.s",
    "max.u",
    "max.s",
    "neg.i",
    "abs.i",
    "and",
    "or",
    "xor",
    "not",
    "shl",
    "shr.u",
    "shr.s",
    "popc",
    "clz",
    "brev",
    "add.carry",
    "sub.borrow",
    "zero-extend",
    "sign-extend",
    "extract",
    "concat",
    "bit-field.u",
    "bit-field.s",
    "bit-insert",
    "funnel.left",
    "funnel.right",
    "byte-permute",
    "select",
    "cmp.eq",
    "cmp.ne",
    "cmp.lt.u",
    "cmp.le.u",
    "cmp.lt.s",
    "cmp.le.s",
    "add.f",
    "sub.f",
    "mul.f",
    "div.f",
    "fma.f",
    "sqrt.f",
    "rcp.f",
    "neg.f",
    "abs.f",
    "min.f",
    "max.f",
    "min-nan.f",
    "max-nan.f",
    "eq.f",
    "ne.f",
    "lt.f",
    "le.f",
    "is-nan.f",
    "convert.f",
    "float-to-u",
    "float-to-s",
    "u-to-float",
    "s-to-float",
    "round.f",
    "approximation",
    "div-scale",
    "div-fmas",
    "div-fixup",
    "ldexp",
    "frexp-mant",
    "frexp-exp",
    "class",
    "fract",
    "med3",
    "load",
    "store",
    "atomic",
    "copy-async",
    "commit-group",
    "wait-group",
    "prefetch",
    "fence",
    "wait",
    "pending",
    "branch",
    "exit",
    "trap",
    "barrier",
    "warp-barrier",
    "shuffle",
    "vote",
    "match",
    "reduce",
    "ballot",
    "lane-bit",
    "read-first-lane",
    "read-lane",
    "write-lane",
    "lane-move",
    "lane-permute",
    "special",
});
static_assert(kNames.size() == static_cast<std::size_t>(Op::Special) + 1);

/// How many destinations and operands an operation has; -1: any number.
struct Shape {
  int dst, src;
};

Shape shapeOf(const Instruction &i) {
  switch (i.op) {
  case Op::Concat:
    return {1, -1};
  case Op::Mov:
  case Op::NegI:
  case Op::AbsI:
  case Op::Not:
  case Op::Popc:
  case Op::Clz:
  case Op::Brev:
  case Op::ZeroExtend:
  case Op::SignExtend:
  case Op::Extract:
  case Op::FSqrt:
  case Op::FRcp:
  case Op::FNeg:
  case Op::FAbs:
  case Op::FConvert:
  case Op::FToU:
  case Op::FToS:
  case Op::UToF:
  case Op::SToF:
  case Op::FRoundInt:
  case Op::Ballot:
  case Op::LaneBit:
  case Op::ReadFirstLane:
  case Op::LaneMove:
  case Op::GcnFrexpMant:
  case Op::GcnFrexpExp:
  case Op::GcnFract:
    return {1, 1};
  case Op::AddCarry:
  case Op::SubBorrow:
    return {2, 3};
  case Op::BitField:
  case Op::BitFieldS:
  case Op::FunnelLeft:
  case Op::FunnelRight:
  case Op::BytePermute:
  case Op::Select:
  case Op::FFma:
  case Op::GcnDivFixup:
  case Op::GcnMed3:
    return {1, 3};
  case Op::BitInsert:
  case Op::GcnDivFmas:
    return {1, 4};
  case Op::GcnDivScale:
    return {2, 3};
  case Op::FIsNan:
  case Op::Approx:
  case Op::Load:
  case Op::Store:
  case Op::Atomic:
  case Op::CopyAsync:
  case Op::Shuffle:
    return {-1, -1};
  case Op::Barrier:
    return {0, -1};
  case Op::Pending:
    return {-1, 0};
  case Op::WaitGroup:
  case Op::Wait:
  case Op::WarpBarrier:
    return {0, 1};
  case Op::CommitGroup:
  case Op::Prefetch:
  case Op::Fence:
  case Op::Branch:
  case Op::Exit:
  case Op::Trap:
    return {0, i.op == Op::Prefetch ? -1 : 0};
  case Op::Special:
    return {1, 0};
  default:
    return {1, 2};
  }
}

bool crossesLanes(Op op) {
  return op == Op::Ballot || op == Op::ReadFirstLane || op == Op::ReadLane;
}

/// The widths that memory and lanes need, beyond the number of operands.
std::string malformedAccess(const Instruction &i) {
  const bool isLoad = i.op == Op::Load;
  if (!isLoad && i.op != Op::Store)
    return "";
  const Access &a = i.access;
  if (a.count == 0 || a.bits % 8 != 0 || a.bits == 0 || a.bits > 64)
    return fmt::format("{} elements of {} bits", a.count, a.bits);
  if (isLoad ? i.dst.size() != a.count || i.src.size() != 1
             : !i.dst.empty() || i.src.size() != std::size_t{a.count} + 1)
    return "not one register an element";
  return "";
}

std::string malformed(const Kernel &kernel, const Instruction &i) {
  const Shape shape = shapeOf(i);
  if ((shape.dst >= 0 && i.dst.size() != static_cast<std::size_t>(shape.dst)) ||
      (shape.src >= 0 && i.src.size() != static_cast<std::size_t>(shape.src)))
    return fmt::format("{} destinations and {} operands", i.dst.size(), i.src.size());
  if (i.dst.size() > kMostOperands || i.src.size() > kMostOperands)
    return "too many operands";
  std::size_t uniform = 0;
  for (const RegisterId reg : i.dst) {
    if (reg >= kernel.registers.size())
      return "a destination that was not declared";
    uniform += kernel.registers[reg].uniform;
  }
  if (uniform != 0 && uniform != i.dst.size())
    return "uniform and per-lane destinations";
  for (const Operand &operand : i.src) {
    if (!operand.isRegister())
      continue;
    if (operand.reg >= kernel.registers.size())
      return "an operand that was not declared";
    if (uniform != 0 && !kernel.registers[operand.reg].uniform && !crossesLanes(i.op))
      return "a uniform result of a per-lane operand";
  }
  if (i.guard != kNoRegister &&
      (i.guard >= kernel.registers.size() || kernel.registers[i.guard].width != 1))
    return "a guard that is not one bit";
  if (i.op == Op::Branch && i.target >= kernel.code.size())
    return "a target outside the code";
  if (kernel.model == Model::LockStep && i.op == Op::Branch && i.guard != kNoRegister &&
      !kernel.registers[i.guard].uniform)
    return "a branch of some lanes of a wave in lock step";
  if (i.line >= kernel.lines.size())
    return "a source line that is not there";
  if (i.op == Op::LaneMove && i.lanes.size() != static_cast<std::size_t>(kernel.waveSize))
    return "a table of lanes of another size";
  return malformedAccess(i);
}

} // namespace

std::string_view name(Op op) { return kNames[static_cast<std::size_t>(op)]; }

std::string malformed(const Kernel &kernel) {
  if (kernel.waveSize != 32 && kernel.waveSize != 64)
    return fmt::format("waves of {} lanes", kernel.waveSize);
  for (const Register &reg : kernel.registers)
    if (reg.width == 0 || reg.width > 64)
      return fmt::format("register {} has {} bits", reg.name, reg.width);
  for (std::size_t at = 0; at < kernel.code.size(); ++at)
    if (const std::string why = malformed(kernel, kernel.code[at]); !why.empty())
      return fmt::format("instruction {} ({}): {}", at, name(kernel.code[at].op), why);
  // Control never runs past the end.
  if (kernel.code.empty() ||
      (kernel.code.back().op != Op::Exit && kernel.code.back().op != Op::Trap &&
       kernel.code.back().op != Op::Branch) ||
      kernel.code.back().guard != kNoRegister)
    return "the code does not end in an exit, a trap or a branch";
  return "";
}

} // namespace ordo::verify
