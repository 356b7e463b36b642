// Exchanges between the lanes of a wave.
#include "compiler/verify/gcn/lowering.h"

#include <charconv>

namespace ordo::verify::gcn {

bool Lowering::lanes(const std::string &op) {
  if (op == "v_readfirstlane_b32" || op == "v_readlane_b32") {
    const bool isFirst = op == "v_readfirstlane_b32";
    operands(isFirst ? 2 : 3);
    verify::Instruction i = make(isFirst ? Op::ReadFirstLane : Op::ReadLane, 32);
    i.src = {source(1, 32, As::Bits)};
    if (isFirst)
      i.guard = on_;
    else
      i.src.push_back(source(2, 32, As::Bits));
    i.dst = {temporary(32, true)};
    const M value = M::of(push(std::move(i)).dst.front());
    isScalar_ = true;
    setScalar(0, value, 32);
  } else if (op == "v_writelane_b32") {
    operands(3);
    verify::Instruction i = make(Op::WriteLane, 32);
    i.src = {source(1, 32, As::Bits), source(2, 32, As::Bits)};
    i.dst = {part(at(0), 0)};
    if (at(0).kind != Operand::Kind::Vgpr)
      refuse("a lane of what is no vector register");
    push(std::move(i));
  } else if (op == "v_mbcnt_lo_u32_b32" || op == "v_mbcnt_hi_u32_b32") {
    // Counts the bits of a mask below the lane's own.
    operands(3);
    verify::Instruction i = make(Op::Special, 64);
    i.special = SpecialRegister::LaneMaskLt;
    i.dst = {temporary(64)};
    const M below = M::of(push(std::move(i)).dst.front());
    const M half = extract(below, 32, op == "v_mbcnt_lo_u32_b32" ? 0 : 32, 64);
    const M bits = emit(Op::And, 32, {source(1, 32, As::Bits), half});
    setVector(0, emit(Op::Add, 32, {emit(Op::Popc, 32, {bits}), source(2, 32, As::Bits)}), 32);
  } else if (op == "ds_bpermute_b32") {
    permuteLanes();
  } else if (op == "ds_swizzle_b32") {
    swizzle();
  } else {
    return false;
  }
  return true;
}

/// vdst, byte address of the source lane, value. A lane that is off gives 0.
void Lowering::permuteLanes() {
  operands(3);
  M address = source(1, 32, As::Bits);
  if (const std::int64_t offset = takeNumber("offset", 0); offset != 0)
    address = emit(Op::Add, 32, {address, M::imm(static_cast<std::uint64_t>(offset))});
  verify::Instruction i = make(Op::LanePermute, 32);
  i.src = {address, source(2, 32, As::Bits)};
  i.dst = {part(at(0), 0)};
  i.guard = on_;
  i.what = "zero";
  const RegisterId reg = i.dst.front();
  push(std::move(i));
  pending(Space::Generic, Counter::Scalar, {reg});
}

/// The numbers of "[1,0,3,2]" or "3".
static std::vector<int> numbers(std::string_view text) {
  std::vector<int> list;
  const char *at = text.data(), *end = text.data() + text.size();
  while (at != end) {
    int value = 0;
    const auto result = std::from_chars(at, end, value);
    if (result.ec == std::errc())
      list.push_back(value);
    at = result.ec == std::errc() ? result.ptr : at + 1;
  }
  return list;
}

/// ds_swizzle: within four lanes, or within 32 by and, or, xor masks.
void Lowering::swizzle() {
  operands(2);
  const std::string text = takeValue("offset");
  std::vector<std::int8_t> table(static_cast<std::size_t>(object_.waveSize));
  const auto fill = [&](auto &&from) {
    for (int lane = 0; lane < object_.waveSize; ++lane)
      table[static_cast<std::size_t>(lane)] = static_cast<std::int8_t>(from(lane));
  };
  const std::size_t comma = text.find(',');
  const std::string_view rest =
      comma == std::string::npos ? std::string_view() : std::string_view(text).substr(comma + 1);
  if (text.starts_with("swizzle(QUAD_PERM")) {
    const std::vector<int> lanes = numbers(rest);
    if (lanes.size() != 4)
      refuse("a swizzle of this form is not modelled");
    fill([&](int lane) { return (lane & ~3) + lanes[static_cast<std::size_t>(lane & 3)]; });
  } else if (text.starts_with("swizzle(SWAP") || text.starts_with("swizzle(REVERSE")) {
    const std::vector<int> size = numbers(rest);
    if (size.size() != 1 || size[0] < 1 || size[0] > 32)
      refuse("a swizzle of this form is not modelled");
    const int mask = text.starts_with("swizzle(SWAP") ? size[0] : size[0] - 1;
    fill([&](int lane) { return lane ^ mask; });
  } else if (text.starts_with("swizzle(BROADCAST")) {
    const std::vector<int> at = numbers(rest);
    if (at.size() != 2 || at[0] < 1 || at[0] > 32)
      refuse("a swizzle of this form is not modelled");
    fill([&](int lane) { return (lane & ~(at[0] - 1)) + at[1]; });
  } else if (text.starts_with("swizzle(BITMASK_PERM")) {
    // Five characters from the highest bit: 0, 1, p (keep), i (invert).
    const std::size_t quote = text.find('"');
    const std::string mask =
        quote == std::string::npos || quote + 6 > text.size() ? "" : text.substr(quote + 1, 5);
    if (mask.find_first_not_of("01pi") != std::string::npos || mask.size() != 5)
      refuse("a swizzle of this form is not modelled");
    fill([&](int lane) {
      int from = lane & ~31;
      for (int bit = 0; bit < 5; ++bit) {
        const char c = mask[static_cast<std::size_t>(4 - bit)];
        const int own = lane >> bit & 1;
        from |= (c == '0' ? 0 : c == '1' ? 1 : c == 'p' ? own : 1 - own) << bit;
      }
      return from;
    });
  } else {
    refuse("a swizzle of this form is not modelled");
  }
  verify::Instruction i = make(Op::LaneMove, 32);
  i.src = {source(1, 32, As::Bits)};
  i.dst = {part(at(0), 0)};
  i.lanes = std::move(table);
  i.guard = on_;
  i.what = "zero"; // what a lane that is off gives
  const RegisterId reg = i.dst.front();
  push(std::move(i));
  pending(Space::Generic, Counter::Scalar, {reg});
}

/// Where each lane of a DPP instruction reads its first source: LLVM's user guide, "DPP"; -2: from
/// outside its row.
std::vector<std::int8_t> Lowering::dataParallelTable() {
  const int lanes = object_.waveSize;
  std::vector<std::int8_t> table(static_cast<std::size_t>(lanes));
  const auto fill = [&](auto &&from) {
    for (int lane = 0; lane < lanes; ++lane)
      table[static_cast<std::size_t>(lane)] = static_cast<std::int8_t>(from(lane));
  };
  const auto inRow = [](int lane, int column) {
    return column < 0 || column > 15 ? -2 : (lane & ~15) + column;
  };
  const auto amount = [&](const char *name) {
    const std::int64_t value = takeNumber(name, -1);
    if (value < 0 || value > 15)
      refuse(fmt::format("{} out of range", name));
    return static_cast<int>(value);
  };
  if (modifier("quad_perm") != nullptr) {
    const std::vector<int> quad = numbers(takeValue("quad_perm"));
    if (quad.size() != 4)
      refuse("quad_perm without four lanes");
    fill([&](int lane) { return (lane & ~3) + quad[static_cast<std::size_t>(lane & 3)]; });
  } else if (modifier("row_shl") != nullptr) {
    const int n = amount("row_shl");
    fill([&](int lane) { return inRow(lane, (lane & 15) + n); });
  } else if (modifier("row_shr") != nullptr) {
    const int n = amount("row_shr");
    fill([&](int lane) { return inRow(lane, (lane & 15) - n); });
  } else if (modifier("row_ror") != nullptr) {
    const int n = amount("row_ror");
    fill([&](int lane) { return inRow(lane, ((lane & 15) - n) & 15); });
  } else if (take("row_mirror")) {
    fill([&](int lane) { return inRow(lane, 15 - (lane & 15)); });
  } else if (take("row_half_mirror")) {
    fill([&](int lane) { return (lane & ~7) + 7 - (lane & 7); });
  } else if (modifier("row_share") != nullptr || modifier("row_newbcast") != nullptr) {
    const int n = amount(modifier("row_share") != nullptr ? "row_share" : "row_newbcast");
    fill([&](int lane) { return inRow(lane, n); });
  } else if (modifier("row_xmask") != nullptr) {
    const int n = amount("row_xmask");
    fill([&](int lane) { return lane ^ n; });
  } else if (modifier("row_bcast") != nullptr) { // gfx9: the last lane of the rows before
    const std::int64_t n = takeNumber("row_bcast", 0);
    if (n != 15 && n != 31)
      refuse("row_bcast out of range");
    const int size = static_cast<int>(n) + 1;
    fill([&](int lane) { return lane < size ? -2 : lane / size * size - 1; });
  } else if (modifier("wave_shr") != nullptr && takeNumber("wave_shr", 0) == 1) {
    fill([&](int lane) { return lane == 0 ? -2 : lane - 1; });
  } else if (modifier("wave_shl") != nullptr && takeNumber("wave_shl", 0) == 1) {
    fill([&](int lane) { return lane == lanes - 1 ? -2 : lane + 1; });
  } else {
    refuse("this DPP control is not modelled");
  }
  return table;
}

/// Prepares a DPP instruction: its first source moves between lanes. A lane whose row or bank is
/// masked out does nothing; nor does one whose source is outside its row or off, unless bound_ctrl
/// makes that source 0.
void Lowering::beginDataParallel(std::size_t firstSource) {
  if (at(firstSource).kind != Operand::Kind::Vgpr)
    refuse("DPP of what is no vector register");
  table_ = dataParallelTable();
  moved_ = firstSource;
  const auto rows = static_cast<unsigned>(takeNumber("row_mask", 15));
  const auto banks = static_cast<unsigned>(takeNumber("bank_mask", 15));
  // LLVM prints the encoding's 1, which means that lanes without a source read 0.
  const bool readsZero = takeNumber("bound_ctrl", 0) == 1;
  if (take("fi"))
    refuse("fetching from lanes that are off is not modelled");
  verify::Instruction i = make(Op::LaneMove, 1);
  i.lanes = table_;
  for (std::size_t lane = 0; lane < i.lanes.size(); ++lane) {
    const bool isMasked = (rows >> (lane / 16) & 1) == 0 || (banks >> (lane / 4 % 4) & 1) == 0;
    if (isMasked)
      i.lanes[lane] = -2;
    else if (readsZero)
      i.lanes[lane] = static_cast<std::int8_t>(lane);
  }
  // Lanes that are off keep the 0.
  const RegisterId acts = temporary(1, false);
  assign(acts, M::imm(0));
  i.src = {M::imm(1)};
  i.dst = {acts};
  i.what = "zero";
  i.guard = on_;
  push(std::move(i));
  guard_ = acts;
}

} // namespace ordo::verify::gcn
