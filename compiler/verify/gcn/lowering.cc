#include "compiler/verify/gcn/lowering.h"

#include <algorithm>

namespace ordo::verify::gcn {

Lowering::Lowering(const KernelObject &object, const std::vector<Instruction> &code)
    : object_(object), code_(code), isGfx11_(object.chip == "gfx1100") {}

Kernel Lowering::run() {
  kernel_.name = object_.name;
  kernel_.target = object_.chip;
  kernel_.model = Model::LockStep;
  kernel_.waveSize = object_.waveSize;
  kernel_.requiredBlock = object_.requiredBlock;
  kernel_.largestBlock = {object_.largestBlock, 1, 1};
  kernel_.sharedBytes = object_.ldsBytes;
  if (object_.ldsBytes != 0)
    kernel_.shared.push_back({"LDS", 0, object_.ldsBytes});
  for (const KernelArgument &argument : object_.arguments)
    if (!argument.isHidden)
      kernel_.parameters.push_back({"", argument.offset, argument.bytes, 0});
  declareRegisters();
  kernel_.lines.push_back({static_cast<std::uint32_t>(object_.address), "(entry)"});
  initialise();
  for (const Instruction &i : code_)
    if ((i.mnemonic.starts_with("s_branch") || i.mnemonic.starts_with("s_cbranch")) &&
        !i.operands.empty())
      entries_.insert(branchTarget(i));
  for (std::size_t i = 0; i < code_.size(); ++i) {
    line_ = static_cast<std::uint32_t>(kernel_.lines.size());
    starts_[code_[i].address] = static_cast<std::uint32_t>(kernel_.code.size());
    if (entries_.contains(code_[i].address))
      lastEntry_ = kernel_.code.size();
    std::string text = code_[i].text;
    if (code_[i].pairsWithNext)
      text += " :: " + code_[i + 1].text;
    kernel_.lines.push_back({static_cast<std::uint32_t>(code_[i].address), text});
    used_.clear();
    written_.resize(kernel_.registers.size());
    for (; seen_ < kernel_.code.size(); ++seen_)
      for (const RegisterId reg : kernel_.code[seen_].dst)
        written_[reg] = true;
    if (code_[i].pairsWithNext) {
      dual(code_[i], code_[i + 1]);
      ++i;
    } else {
      instruction(code_[i]);
    }
  }
  if (kernel_.code.empty() ||
      (kernel_.code.back().op != Op::Exit &&
       (kernel_.code.back().op != Op::Branch || kernel_.code.back().guard != kNoRegister)))
    refuse("the code runs past its end");
  resolveBranches();
  if (const std::string why = malformed(kernel_); !why.empty())
    refuse("the lowering is not well formed: " + why);
  return std::move(kernel_);
}

void Lowering::declareRegisters() {
  const auto declare = [&](std::string name, std::uint8_t width, bool uniform) {
    kernel_.registers.push_back({std::move(name), width, uniform});
    return static_cast<RegisterId>(kernel_.registers.size() - 1);
  };
  for (std::uint32_t i = 0; i < object_.vgprs; ++i)
    vgprs_.push_back(declare(fmt::format("v{}", i), 32, false));
  for (std::uint32_t i = 0; i < object_.sgprs; ++i)
    sgprs_.push_back(declare(fmt::format("s{}", i), 32, true));
  vcc_[0] = declare("vcc_lo", 32, true);
  vcc_[1] = declare("vcc_hi", 32, true);
  exec_[0] = declare("exec_lo", 32, true);
  exec_[1] = declare("exec_hi", 32, true);
  m0_ = declare("m0", 32, true);
  scc_ = declare("scc", 1, true);
  on_ = declare("exec", 1, false);
}

/// The state that a wave starts in: LLVM's user guide, "Initial Kernel Execution State".
void Lowering::initialise() {
  const auto special = [&](SpecialRegister which, unsigned width, bool uniform) {
    verify::Instruction i = make(Op::Special, width);
    i.special = which;
    i.dst = {temporary(width, uniform)};
    push(std::move(i));
    return M::of(kernel_.code.back().dst.front());
  };
  isScalar_ = true;
  const M base = special(SpecialRegister::ParamBase, 64, true);
  if (object_.kernargSgpr + 2 > sgprs_.size())
    refuse("the kernarg pointer lies beyond the wave's SGPRs");
  assign(sgprs_[object_.kernargSgpr], extract(base, 32, 0, 64));
  assign(sgprs_[object_.kernargSgpr + 1], extract(base, 32, 32, 64));
  std::uint32_t next = object_.userSgprs;
  constexpr SpecialRegister kIds[] = {SpecialRegister::CtaidX, SpecialRegister::CtaidY,
                                      SpecialRegister::CtaidZ};
  for (int axis = 0; axis < 3; ++axis) {
    if (!object_.workgroupId[axis])
      continue;
    if (next >= sgprs_.size())
      refuse("the workgroup's ids lie beyond the wave's SGPRs");
    assign(sgprs_[next++], special(kIds[axis], 32, true));
  }
  const M live = special(SpecialRegister::LiveLanes, 64, true);
  assign(exec_[0], extract(live, 32, 0, 64));
  assign(exec_[1], extract(live, 32, 32, 64));
  execChanged();
  isScalar_ = false;
  M ids = special(SpecialRegister::TidX, 32, false);
  if (object_.workitemDims > 1)
    ids = emit(Op::Or, 32,
               {ids, emit(Op::Shl, 32, {special(SpecialRegister::TidY, 32, false), M::imm(10)})});
  if (object_.workitemDims > 2)
    ids = emit(Op::Or, 32,
               {ids, emit(Op::Shl, 32, {special(SpecialRegister::TidZ, 32, false), M::imm(20)})});
  if (!vgprs_.empty())
    assign(vgprs_[0], ids);
}

void Lowering::refuse(const std::string &why) const {
  throw LoweringError{at_ == nullptr ? object_.address : at_->address,
                      at_ == nullptr ? why
                                     : fmt::format("`{}` on {}: {}", at_->text, object_.chip, why)};
}

namespace {

/// gfx11 renamed what gfx9 has; one name is lowered.
std::string canonicalName(std::string name) {
  static const std::map<std::string, std::string, std::less<>> kNames = {
      {"v_add_nc_u32", "v_add_u32"},
      {"v_sub_nc_u32", "v_sub_u32"},
      {"v_subrev_nc_u32", "v_subrev_u32"},
      {"v_add_co_ci_u32", "v_addc_co_u32"},
      {"v_sub_co_ci_u32", "v_subb_co_u32"},
      {"v_subrev_co_ci_u32", "v_subbrev_co_u32"},
      {"v_add_nc_u16", "v_add_u16"},
      {"v_sub_nc_u16", "v_sub_u16"},
      {"s_and_not1_b32", "s_andn2_b32"},
      {"s_and_not1_b64", "s_andn2_b64"},
      {"s_or_not1_b32", "s_orn2_b32"},
      {"s_or_not1_b64", "s_orn2_b64"},
      {"s_and_not1_saveexec_b32", "s_andn2_saveexec_b32"},
      {"s_and_not1_saveexec_b64", "s_andn2_saveexec_b64"},
      {"s_or_not1_saveexec_b32", "s_orn2_saveexec_b32"},
      {"s_or_not1_saveexec_b64", "s_orn2_saveexec_b64"},
      {"s_and_not0_saveexec_b32", "s_andn1_saveexec_b32"},
      {"s_and_not0_saveexec_b64", "s_andn1_saveexec_b64"},
      {"s_or_not0_saveexec_b32", "s_orn1_saveexec_b32"},
      {"s_or_not0_saveexec_b64", "s_orn1_saveexec_b64"},
      {"s_ctz_i32_b32", "s_ff1_i32_b32"},
      {"s_ctz_i32_b64", "s_ff1_i32_b64"},
      {"s_clz_i32_u32", "s_flbit_i32_b32"},
      {"s_clz_i32_u64", "s_flbit_i32_b64"},
      {"v_ctz_i32_b32", "v_ffbl_b32"},
      {"v_clz_i32_u32", "v_ffbh_u32"},
      {"v_cls_i32", "v_ffbh_i32"},
      {"s_cls_i32", "s_flbit_i32"},
      {"s_cls_i32_i64", "s_flbit_i32_i64"},
      {"v_lshlrev_b64_e64", "v_lshlrev_b64"},
  };
  if (name.starts_with("v_dual_"))
    name.erase(2, 5);
  const auto found = kNames.find(name);
  return found == kNames.end() ? name : found->second;
}

} // namespace

void Lowering::instruction(const Instruction &instruction) {
  at_ = &instruction;
  const std::string op = canonicalName(instruction.mnemonic);
  taken_.assign(instruction.modifiers.size(), false);
  isScalar_ = op.starts_with("s_");
  guard_ = on_;
  moved_.reset();
  if (instruction.encoding == "dpp")
    beginDataParallel(count() > 1 && at(1).kind == Operand::Kind::Vcc ? 2 : 1);
  else if (instruction.encoding.ends_with("dpp") || instruction.encoding == "dpp8")
    refuse("this form of DPP is not modelled");
  if (control(op) || scalar(op) || scalarCompare(op) || memory(op) || packed(op) || compare(op) ||
      lanes(op) || arithmetic(op) || conversion(op) || integer(op) || bitwise(op))
    return finishModifiers();
  refuse(fmt::format("this instruction ({}) is not modelled", instruction.opcode));
}

/// Both of a pair read before either writes: the first one's result waits in a temporary.
void Lowering::dual(const Instruction &first, const Instruction &second) {
  at_ = &first;
  if (first.operands.empty() || first.operands.front().kind != Operand::Kind::Vgpr ||
      second.operands.empty() || second.operands.front().kind != Operand::Kind::Vgpr)
    refuse("a pair that does not write vector registers");
  redirect_ = temporary(32, false);
  instruction(first);
  const M waiting = M::of(*redirect_);
  redirect_.reset();
  instruction(second);
  at_ = &first;
  assign(part(first.operands.front(), 0), waiting, on_);
}

void Lowering::resolveBranches() {
  for (const Jump &jump : jumps_) {
    const auto found = starts_.find(jump.target);
    if (found == starts_.end())
      throw LoweringError{jump.from, fmt::format("a branch to 0x{:x}, where no instruction of the "
                                                 "kernel starts",
                                                 jump.target)};
    kernel_.code[jump.instruction].target = found->second;
  }
}

/// What nobody took would be lost.
void Lowering::finishModifiers() const {
  for (std::size_t i = 0; i < taken_.size(); ++i)
    if (!taken_[i])
      refuse(fmt::format("the modifier {} is not modelled here", at_->modifiers[i].name));
}

verify::Instruction Lowering::make(Op op, unsigned width) const {
  verify::Instruction i;
  i.op = op;
  i.width = static_cast<std::uint8_t>(width);
  i.line = line_;
  return i;
}

RegisterId Lowering::temporary(unsigned width, bool uniform) {
  std::vector<RegisterId> &all = pool_[{width, uniform}];
  std::size_t &used = used_[{width, uniform}];
  if (used == all.size()) {
    kernel_.registers.push_back({"", static_cast<std::uint8_t>(width), uniform});
    all.push_back(static_cast<RegisterId>(kernel_.registers.size() - 1));
  }
  return all[used++];
}

verify::Instruction &Lowering::push(verify::Instruction instruction) {
  // What a lane that is off computes is nobody's.
  const auto isOwn = [&](RegisterId reg) {
    return kernel_.registers[reg].name.empty() && !kernel_.registers[reg].uniform;
  };
  if (instruction.op != Op::Mov && instruction.op <= Op::GcnMed3 &&
      instruction.guard == kNoRegister && !isScalar_ && std::ranges::all_of(instruction.dst, isOwn))
    instruction.guard = on_;
  kernel_.code.push_back(std::move(instruction));
  return kernel_.code.back();
}

namespace {

bool isComparison(Op op) {
  return (op >= Op::CmpEq && op <= Op::CmpLeS) || (op >= Op::FCmpEq && op <= Op::FIsNan) ||
         op == Op::GcnClass;
}

} // namespace

Lowering::M Lowering::emit(Op op, unsigned width, std::vector<M> src) {
  verify::Instruction i = make(op, width);
  const bool isCount = op == Op::Popc || op == Op::Clz;
  i.dst = {temporary(isComparison(op) ? 1 : isCount ? 32 : width)};
  i.src = std::move(src);
  return M::of(push(std::move(i)).dst.front());
}

namespace {

dsl::DType formatOf(unsigned width) {
  return width == 64 ? dsl::DType::F64 : width == 32 ? dsl::DType::F32 : dsl::DType::F16;
}

} // namespace

/// An operation on floats of `width` bits: F16, F32 or F64.
Lowering::M Lowering::floating(Op op, unsigned width, std::vector<M> src) {
  const M result = emit(op, width, std::move(src));
  kernel_.code.back().format = formatOf(width);
  kernel_.code.back().from = formatOf(width);
  return result;
}

void Lowering::assign(RegisterId reg, M value) { assign(reg, value, kNoRegister); }

/// Writes a register; where `value` was computed by the last instruction, that writes it itself.
void Lowering::assign(RegisterId reg, M value, RegisterId guard) {
  const Register &to = kernel_.registers[reg];
  verify::Instruction *last = kernel_.code.empty() ? nullptr : &kernel_.code.back();
  const bool isTemporary = value.isRegister() && kernel_.registers[value.reg].name.empty() &&
                           kernel_.registers[value.reg].uniform == to.uniform &&
                           kernel_.registers[value.reg].width == to.width;
  if (isTemporary && last != nullptr && last->line == line_ &&
      (last->guard == kNoRegister || last->guard == guard) && last->dst.size() == 1 &&
      last->dst.front() == value.reg) {
    last->dst.front() = reg;
    last->guard = guard;
    return;
  }
  verify::Instruction i = make(Op::Mov, to.width);
  i.dst = {reg};
  i.src = {value};
  i.guard = guard;
  push(std::move(i));
}

Lowering::M Lowering::extract(M value, unsigned width, unsigned bit, unsigned ofWidth) {
  if (!value.isRegister())
    return M::imm(width >= 64 ? value.bits : value.bits >> bit & ((std::uint64_t{1} << width) - 1));
  if (width == ofWidth)
    return value;
  const M result = emit(Op::Extract, width, {value});
  kernel_.code.back().bit = static_cast<std::uint8_t>(bit);
  kernel_.code.back().fromWidth = static_cast<std::uint8_t>(ofWidth);
  return result;
}

Lowering::M Lowering::concat(M low, M high, unsigned widthOfEach) {
  if (!low.isRegister() && !high.isRegister())
    return M::imm(low.bits | high.bits << widthOfEach);
  const M result = emit(Op::Concat, 2 * widthOfEach, {low, high});
  kernel_.code.back().fromWidth = static_cast<std::uint8_t>(widthOfEach);
  return result;
}

Lowering::M Lowering::zeroExtend(M value, unsigned from, unsigned to) {
  if (!value.isRegister())
    return value;
  const M result = emit(Op::ZeroExtend, to, {value});
  kernel_.code.back().fromWidth = static_cast<std::uint8_t>(from);
  return result;
}

Lowering::M Lowering::signExtend(M value, unsigned from, unsigned to) {
  const M result = emit(Op::SignExtend, to, {value});
  kernel_.code.back().fromWidth = static_cast<std::uint8_t>(from);
  return result;
}

Lowering::M Lowering::isNonZero(M value, unsigned width) {
  return emit(Op::CmpNe, width, {value, M::imm(0)});
}

/// A value that nobody defined: using it is an error.
Lowering::M Lowering::undefined(unsigned width) {
  const auto key = std::pair(width, isScalar_);
  const auto found = undefined_.find(key);
  if (found != undefined_.end())
    return M::of(found->second);
  kernel_.registers.push_back({"undefined", static_cast<std::uint8_t>(width), isScalar_});
  return M::of(undefined_[key] = static_cast<RegisterId>(kernel_.registers.size() - 1));
}

} // namespace ordo::verify::gcn
