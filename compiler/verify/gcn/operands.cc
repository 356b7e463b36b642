// Operands: registers, constants, modifiers, parts of registers.
#include "compiler/verify/gcn/lowering.h"

#include <array>
#include <charconv>

namespace ordo::verify::gcn {

const Operand &Lowering::at(std::size_t index) const {
  if (index >= at_->operands.size())
    refuse("too few operands");
  return at_->operands[index];
}

void Lowering::operands(std::size_t least, std::size_t most) const {
  if (at_->operands.size() < least || at_->operands.size() > most)
    refuse(fmt::format("{} operands", at_->operands.size()));
}

/// The 32-bit register `index` of the operand's.
RegisterId Lowering::part(const Operand &operand, std::uint32_t index) const {
  const std::uint32_t number = operand.first + index;
  if (index >= operand.count)
    refuse(fmt::format("{} holds {} registers, and {} are needed", operand.text, operand.count,
                       index + 1));
  switch (operand.kind) {
  case Operand::Kind::Vgpr:
    if (number >= vgprs_.size())
      refuse(fmt::format("v{} lies beyond the {} VGPRs of the wave", number, vgprs_.size()));
    return vgprs_[number];
  case Operand::Kind::Sgpr:
    if (number >= sgprs_.size())
      refuse(fmt::format("s{} lies beyond the {} SGPRs of the wave", number, sgprs_.size()));
    return sgprs_[number];
  case Operand::Kind::Vcc:
    return vcc_[number];
  case Operand::Kind::Exec:
    return exec_[number];
  case Operand::Kind::M0:
    return m0_;
  default:
    refuse(fmt::format("{} is no register that is modelled", operand.text));
  }
}

namespace {

/// The inline constants that are floats, as the hardware spells them in each width.
struct InlineFloat {
  double value;
  std::uint16_t f16;
  std::uint32_t f32;
  std::uint64_t f64;
};
constexpr std::array kInlineFloats = {
    InlineFloat{0.5, 0x3800, 0x3f000000, 0x3fe0000000000000},
    InlineFloat{-0.5, 0xb800, 0xbf000000, 0xbfe0000000000000},
    InlineFloat{1.0, 0x3c00, 0x3f800000, 0x3ff0000000000000},
    InlineFloat{-1.0, 0xbc00, 0xbf800000, 0xbff0000000000000},
    InlineFloat{2.0, 0x4000, 0x40000000, 0x4000000000000000},
    InlineFloat{-2.0, 0xc000, 0xc0000000, 0xc000000000000000},
    InlineFloat{4.0, 0x4400, 0x40800000, 0x4010000000000000},
    InlineFloat{-4.0, 0xc400, 0xc0800000, 0xc010000000000000},
    // 1 / (2 pi), printed with as many digits as the width has.
    InlineFloat{0.15915494, 0x3118, 0x3e22f983, 0x3fc45f306dc9c882},
    InlineFloat{0.15915494309189532, 0x3118, 0x3e22f983, 0x3fc45f306dc9c882},
};

std::uint64_t ones(unsigned width) {
  return width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
}

} // namespace

Lowering::M Lowering::immediate(const Operand &operand, unsigned width, As as) const {
  if (operand.kind == Operand::Kind::Float) {
    for (const InlineFloat &each : kInlineFloats)
      if (each.value == operand.number) {
        if (width == 16 && as == As::Bits)
          refuse("a float constant where 16 bits are meant: chips differ");
        return M::imm(width == 16 ? each.f16 : width == 32 ? each.f32 : each.f64);
      }
    refuse(fmt::format("the constant {} is not modelled", operand.text));
  }
  const bool isLiteral = operand.text.find("0x") != std::string::npos;
  const auto bits = static_cast<std::uint64_t>(operand.integer);
  if (width == 64 && isLiteral) {
    if (as == As::Float) // the literal is the high half
      return M::imm(bits << 32);
    if (bits > 0x7fffffffu)
      refuse("a literal of 64 bits whose extension is not clear");
  }
  return M::imm(bits & ones(width));
}

/// The operand's bits, without modifiers: of 16 the low half of the register.
Lowering::M Lowering::raw(const Operand &operand, unsigned width, As as) {
  if (operand.isImmediate())
    return immediate(operand, width, as);
  if (operand.kind == Operand::Kind::Null)
    return M::imm(0);
  if (isScalar_ && operand.kind == Operand::Kind::Vgpr)
    refuse("a vector register in a scalar instruction");
  const M low = M::of(part(operand, 0));
  if (width == 16)
    return extract(low, 16, 0, 32);
  if (width == 32) {
    if (operand.count != 1)
      refuse(fmt::format("{} where 32 bits are meant", operand.text));
    return low;
  }
  if (operand.count != 2)
    refuse(fmt::format("{} where 64 bits are meant", operand.text));
  return concat(low, M::of(part(operand, 1)), 32);
}

/// The source `index` with everything that is done to it: DPP's move, SDWA's or op_sel's part, the
/// absolute value and the sign.
Lowering::M Lowering::source(std::size_t index, unsigned width, As as) {
  const Operand &operand = at(index);
  const bool moves = moved_ == index;
  const bool selects = at_->encoding == "sdwa";
  const bool takesHalf = width == 16 && modifier("op_sel") != nullptr;
  if (!moves && !selects && !takesHalf)
    return modified(raw(operand, width, as), operand, width, as);
  if (width == 64)
    refuse("a part of 64 bits");
  M word = operand.isImmediate() ? immediate(operand, width, as) : M::of(part(operand, 0));
  if (operand.isImmediate() && (moves || selects || takesHalf))
    refuse("a part of a constant");
  if (moves) {
    verify::Instruction move = make(Op::LaneMove, 32);
    move.dst = {temporary(32, false)};
    move.src = {word};
    move.lanes = table_;
    move.what = "zero";
    move.guard = on_;
    word = M::of(push(std::move(move)).dst.front());
  }
  if (selects)
    word = subDword(word, index, width);
  else if (width == 16)
    word = extract(word, 16, takesHigh(index, "op_sel") ? 16 : 0, 32);
  return modified(word, operand, width, as);
}

/// SDWA: a byte, a half or all of the register, extended to `width`.
Lowering::M Lowering::subDword(M word, std::size_t index, unsigned width) {
  const std::size_t first = at(1).kind == Operand::Kind::Vcc && count() == 4 ? 2 : 1;
  const std::string name = fmt::format("src{}_sel", index - first);
  const std::string selected = takeValue(name);
  unsigned bits = 32, bit = 0;
  if (selected.starts_with("BYTE_") && selected.size() == 6) {
    bits = 8;
    bit = 8u * static_cast<unsigned>(selected[5] - '0');
  } else if (selected.starts_with("WORD_") && selected.size() == 6) {
    bits = 16;
    bit = 16u * static_cast<unsigned>(selected[5] - '0');
  } else if (selected != "DWORD" && !selected.empty()) {
    refuse(fmt::format("{}:{} is not modelled", name, selected));
  }
  if (bits >= width)
    return extract(word, width, bit, 32);
  const M selectedBits = extract(word, bits, bit, 32);
  return at(index).signExtended ? signExtend(selectedBits, bits, width)
                                : zeroExtend(selectedBits, bits, width);
}

Lowering::M Lowering::modified(M value, const Operand &operand, unsigned width, As as) {
  if (operand.signExtended && at_->encoding != "sdwa")
    refuse("a sign extension outside SDWA");
  if (!operand.negated && !operand.absolute)
    return value;
  if (as != As::Float)
    refuse("a float's sign modifier on bits");
  if (operand.absolute)
    value = floating(Op::FAbs, width, {value});
  return operand.negated ? floating(Op::FNeg, width, {value}) : value;
}

/// op_sel:[a,b,c,d]: whether the element for operand `index` (0: the destination) is 1.
bool Lowering::takesHigh(std::size_t index, const char *name) const {
  const Modifier *found = modifier(name);
  if (found == nullptr)
    return false;
  // Sources in turn, then the destination where the instruction has one.
  std::vector<bool> bits;
  for (const char c : found->value)
    if (c == '0' || c == '1')
      bits.push_back(c == '1');
  const std::size_t place = index == 0 ? count() - 1 : index - 1;
  return place < bits.size() && bits[place];
}

void Lowering::setScalar(std::size_t index, M value, unsigned width) {
  const Operand &operand = at(index);
  if (operand.kind == Operand::Kind::Null)
    return;
  if (operand.kind == Operand::Kind::Vgpr)
    refuse("a scalar result in a vector register");
  if (width == 32) {
    if (operand.count != 1)
      refuse(fmt::format("{} for 32 bits", operand.text));
    assign(part(operand, 0), value);
  } else {
    if (operand.count != 2)
      refuse(fmt::format("{} for 64 bits", operand.text));
    const M low = extract(value, 32, 0, 64), high = extract(value, 32, 32, 64);
    assign(part(operand, 0), low);
    assign(part(operand, 1), high);
  }
  if (operand.kind == Operand::Kind::Exec)
    execChanged();
}

void Lowering::setVector(std::size_t index, M value, unsigned width) {
  const Operand &operand = at(index);
  if (operand.kind != Operand::Kind::Vgpr)
    refuse("a vector result outside the vector registers");
  if (at_->encoding == "sdwa" || width == 16)
    return setHalf(operand, value, width);
  if (operand.count * 32 != width)
    refuse(fmt::format("{} for {} bits", operand.text, width));
  if (redirect_) {
    if (width != 32)
      refuse("a pair with a wide result");
    return assign(*redirect_, value);
  }
  if (width == 32)
    return assign(part(operand, 0), value, guard_);
  setPair(operand, extract(value, 32, 0, 64), extract(value, 32, 32, 64));
}

void Lowering::setPair(const Operand &operand, M low, M high) {
  if (operand.kind != Operand::Kind::Vgpr || operand.count != 2 || redirect_)
    refuse("a result of 64 bits elsewhere than in two vector registers");
  assign(part(operand, 0), low, guard_);
  assign(part(operand, 1), high, guard_);
}

/// A result that is, or goes to, a part of a register. gfx9 fills the rest with zeros but for the
/// instructions that came with it; gfx11 keeps it (LLVM, GCNSubtarget::zeroesHigh16BitsOfDest).
void Lowering::setHalf(const Operand &operand, M value, unsigned width) {
  const RegisterId reg = part(operand, 0);
  if (redirect_)
    refuse("a pair with half a register");
  const std::string selected = takeValue("dst_sel"), unused = takeValue("dst_unused");
  if (at_->encoding == "sdwa") {
    if (selected == "DWORD" || selected.empty())
      return assign(reg, width == 32 ? value : zeroExtend(value, width, 32), guard_);
    if (!selected.starts_with("WORD_"))
      refuse(fmt::format("dst_sel:{} is not modelled", selected));
    if (unused != "UNUSED_PRESERVE" && unused != "UNUSED_PAD")
      refuse(fmt::format("dst_unused:{} is not modelled", unused));
    const bool isHigh = selected == "WORD_1";
    const M half = width == 16 ? value : extract(value, 16, 0, width);
    const M other =
        unused == "UNUSED_PAD" ? M::imm(0) : extract(M::of(reg), 16, isHigh ? 0 : 16, 32);
    return assign(reg, isHigh ? concat(other, half, 16) : concat(half, other, 16), guard_);
  }
  const std::string &op = at_->mnemonic;
  const bool keeps = isGfx11_ || op == "v_fma_f16" || op == "v_mad_f16" || op == "v_mad_u16" ||
                     op == "v_mad_i16" || op == "v_div_fixup_f16";
  if (takesHigh(0, "op_sel"))
    return assign(reg, concat(extract(M::of(reg), 16, 0, 32), value, 16), guard_);
  assign(reg,
         keeps ? concat(value, extract(M::of(reg), 16, 16, 32), 16) : zeroExtend(value, 16, 32),
         guard_);
}

/// A mask with a bit for each lane, as one uniform value.
Lowering::M Lowering::mask(const Operand &operand) {
  const bool wasScalar = std::exchange(isScalar_, true);
  const auto width = static_cast<unsigned>(object_.waveSize);
  if (operand.isImmediate())
    refuse("a constant for a mask of lanes");
  const M value = raw(operand, width, As::Bits);
  isScalar_ = wasScalar;
  return value;
}

/// The lane's own bit of a mask.
Lowering::M Lowering::laneOf(const Operand &operand) {
  verify::Instruction i = make(Op::LaneBit, static_cast<unsigned>(object_.waveSize));
  i.src = {mask(operand)};
  i.dst = {temporary(1, false)};
  return M::of(push(std::move(i)).dst.front());
}

/// Gathers a bit of each lane into a mask; lanes that are off give 0.
void Lowering::setMask(const Operand &operand, M bit) {
  if (operand.kind == Operand::Kind::Null)
    return;
  const auto width = static_cast<unsigned>(object_.waveSize);
  verify::Instruction i = make(Op::Ballot, width);
  i.src = {bit};
  i.guard = on_;
  i.dst = {temporary(width, true)};
  const M gathered = M::of(push(std::move(i)).dst.front());
  const bool wasScalar = std::exchange(isScalar_, true);
  if (width == 32) {
    if (operand.count != 1)
      refuse(fmt::format("{} for a mask of 32 lanes", operand.text));
    assign(part(operand, 0), gathered);
  } else {
    if (operand.count != 2)
      refuse(fmt::format("{} for a mask of 64 lanes", operand.text));
    assign(part(operand, 0), extract(gathered, 32, 0, 64));
    assign(part(operand, 1), extract(gathered, 32, 32, 64));
  }
  if (operand.kind == Operand::Kind::Exec)
    execChanged();
  isScalar_ = wasScalar;
}

void Lowering::execChanged() {
  const bool wasScalar = std::exchange(isScalar_, true);
  const M whole =
      object_.waveSize == 32 ? M::of(exec_[0]) : concat(M::of(exec_[0]), M::of(exec_[1]), 32);
  verify::Instruction i = make(Op::LaneBit, static_cast<unsigned>(object_.waveSize));
  i.src = {whole};
  i.dst = {on_};
  push(std::move(i));
  isScalar_ = wasScalar;
}

const Modifier *Lowering::modifier(std::string_view name) const {
  for (const Modifier &each : at_->modifiers)
    if (each.name == name)
      return &each;
  return nullptr;
}

bool Lowering::take(std::string_view name) {
  bool found = false;
  for (std::size_t i = 0; i < at_->modifiers.size(); ++i)
    if (at_->modifiers[i].name == name)
      found = taken_[i] = true;
  return found;
}

std::string Lowering::takeValue(std::string_view name) {
  const Modifier *found = modifier(name);
  take(name);
  return found == nullptr ? "" : found->value;
}

std::int64_t Lowering::takeNumber(std::string_view name, std::int64_t otherwise) {
  const std::string text = takeValue(name);
  if (text.empty())
    return otherwise;
  std::string_view digits = text;
  const bool isHex = digits.starts_with("0x");
  if (isHex)
    digits.remove_prefix(2);
  std::int64_t value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, isHex ? 16 : 10);
  if (error != std::errc() || end != digits.data() + digits.size())
    refuse(fmt::format("{}:{} is no number", name, text));
  return value;
}

} // namespace ordo::verify::gcn
