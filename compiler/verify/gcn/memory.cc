// Memory: the scalar unit's loads, global memory, and LDS. Each instruction counts once in its
// counter; what it loads is out of bounds until a wait says that it came.
#include "compiler/verify/gcn/lowering.h"

#include <array>

namespace ordo::verify::gcn {
namespace {

/// Bits of one access, by gfx9's and gfx11's names.
struct Size {
  std::string_view name;
  unsigned bits;
  bool isSigned;
  int half; // d16: 0 the low, 1 the high half of the register, which keeps the other; -1 none
};
constexpr std::array kSizes = {
    Size{"dword", 32, false, -1},       Size{"b32", 32, false, -1},
    Size{"dwordx2", 64, false, -1},     Size{"b64", 64, false, -1},
    Size{"dwordx3", 96, false, -1},     Size{"b96", 96, false, -1},
    Size{"dwordx4", 128, false, -1},    Size{"b128", 128, false, -1},
    Size{"dwordx8", 256, false, -1},    Size{"b256", 256, false, -1},
    Size{"dwordx16", 512, false, -1},   Size{"b512", 512, false, -1},
    Size{"ubyte", 8, false, -1},        Size{"u8", 8, false, -1},
    Size{"sbyte", 8, true, -1},         Size{"i8", 8, true, -1},
    Size{"byte", 8, false, -1},         Size{"b8", 8, false, -1},
    Size{"ushort", 16, false, -1},      Size{"u16", 16, false, -1},
    Size{"sshort", 16, true, -1},       Size{"i16", 16, true, -1},
    Size{"short", 16, false, -1},       Size{"b16", 16, false, -1},
    Size{"short_d16", 16, false, 0},    Size{"d16_b16", 16, false, 0},
    Size{"u16_d16", 16, false, 0},      Size{"u16_d16_hi", 16, false, 1},
    Size{"short_d16_hi", 16, false, 1}, Size{"d16_hi_b16", 16, false, 1},
    Size{"b16_d16_hi", 16, false, 1},
};

const Size *sizeOf(std::string_view name) {
  for (const Size &size : kSizes)
    if (size.name == name)
      return &size;
  return nullptr;
}

/// The rest of `op` after the first of `prefixes` that it has, or nothing.
std::string_view after(std::string_view op, std::initializer_list<std::string_view> prefixes) {
  for (const std::string_view prefix : prefixes)
    if (op.starts_with(prefix))
      return op.substr(prefix.size());
  return {};
}

} // namespace

bool Lowering::memory(const std::string &op) {
  return scalarLoad(op) || globalAccess(op) || sharedAccess(op);
}

/// sdst, base (64 bits), offset: a number, an SGPR or null.
bool Lowering::scalarLoad(const std::string &op) {
  const Size *size = sizeOf(after(op, {"s_load_"}));
  if (size == nullptr || size->bits < 32)
    return false;
  operands(3);
  for (const char *hint : {"glc", "dlc"})
    take(hint);
  M address = source(1, 64, As::Bits);
  std::int64_t offset = takeNumber("offset", 0);
  if (at(2).kind == Operand::Kind::Integer)
    offset += at(2).integer;
  else if (at(2).kind != Operand::Kind::Null)
    address = emit(Op::Add, 64, {address, zeroExtend(source(2, 32, As::Bits), 32, 64)});
  verify::Instruction i = make(Op::Load, 64);
  i.access.bits = 32;
  i.access.count = static_cast<std::uint8_t>(size->bits / 32);
  i.access.aligned = 4;
  i.access.offset = offset;
  i.access.readOnly = true;
  i.access.counter = Counter::Scalar;
  i.src = {address};
  for (std::uint32_t k = 0; k < i.access.count; ++k)
    i.dst.push_back(part(at(0), k));
  if (at(0).count != i.access.count)
    refuse("a destination of another size");
  push(std::move(i));
  if (at(0).kind == Operand::Kind::Exec)
    refuse("a load to EXEC");
  return true;
}

/// vdst, address, scalar base (load) or address, data, scalar base (store). The address is a VGPR
/// pair with `off`, or a scalar base with an unsigned 32-bit offset in a VGPR.
bool Lowering::globalAccess(const std::string &op) {
  const bool isLoad = op.starts_with("global_load_");
  const Size *size = sizeOf(after(op, {"global_load_", "global_store_"}));
  if (size == nullptr)
    return false;
  operands(3);
  for (const char *hint : {"glc", "slc", "dlc", "sc0", "sc1", "nt"})
    take(hint);
  const std::size_t place = isLoad ? 1 : 0;
  M address{};
  if (at(2).kind == Operand::Kind::Off)
    address = source(place, 64, As::Bits);
  else
    address = emit(Op::Add, 64,
                   {source(2, 64, As::Bits), zeroExtend(source(place, 32, As::Bits), 32, 64)});
  const Counter counter = isLoad || !isGfx11_ ? Counter::Vector : Counter::Store;
  const std::int64_t offset = takeNumber("offset", 0);
  access(Space::Global, size->bits, isLoad, address, offset, at(isLoad ? 0 : 1), counter,
         size->isSigned, size->half);
  return true;
}

/// One access of `bits`: whole registers, or a part of one that is extended or keeps the rest.
void Lowering::access(Space space, unsigned bits, bool isLoad, M address, std::int64_t offset,
                      const Operand &data, Counter counter, bool isSigned, int half) {
  if (data.kind != Operand::Kind::Vgpr)
    refuse("data outside the vector registers");
  verify::Instruction i = make(isLoad ? Op::Load : Op::Store, 64);
  i.access.space = space;
  i.access.offset = offset;
  i.guard = on_;
  i.src = {address};
  if (bits >= 32) {
    i.access.bits = 32;
    i.access.count = static_cast<std::uint8_t>(bits / 32);
    // The HSA runtime runs kernels in unaligned access mode (LLVM's user guide): global memory is
    // read and written at any address, LDS at multiples of what is accessed.
    if (space == Space::Global)
      i.access.aligned = 1;
    else if (bits == 96)
      i.access.aligned = 4;
    i.access.counter = counter;
    if (data.count != i.access.count)
      refuse("data of another size");
    for (std::uint32_t k = 0; k < i.access.count; ++k)
      if (isLoad)
        i.dst.push_back(part(data, k));
      else
        i.src.push_back(M::of(part(data, k)));
    push(std::move(i));
    return;
  }
  i.access.bits = static_cast<std::uint8_t>(bits);
  const RegisterId reg = part(data, 0);
  if (data.count != 1)
    refuse("data of another size");
  if (!isLoad) {
    i.access.counter = counter;
    i.src.push_back(extract(M::of(reg), bits, half == 1 ? 16 : 0, 32));
    push(std::move(i));
    return;
  }
  i.dst = {temporary(bits, false)};
  const M value = M::of(push(std::move(i)).dst.front());
  M whole{};
  if (half >= 0) {
    const M other = extract(M::of(reg), 16, half == 1 ? 0 : 16, 32);
    whole = half == 1 ? concat(other, value, 16) : concat(value, other, 16);
  } else {
    whole = isSigned ? signExtend(value, bits, 32) : zeroExtend(value, bits, 32);
  }
  assign(reg, whole, on_);
  pending(space, counter, {reg});
}

/// The registers were written by an access whose wait is to come.
void Lowering::pending(Space space, Counter counter, std::vector<RegisterId> registers) {
  verify::Instruction i = make(Op::Pending, 32);
  i.access.space = space;
  i.access.counter = counter;
  i.dst = std::move(registers);
  push(std::move(i));
}

/// ds_read_b32 vdst, address; ds_write_b32 address, data; ds_read2_b32 vdst (a pair), address.
bool Lowering::sharedAccess(const std::string &op) {
  if (take("gds"))
    refuse("global data share is not modelled");
  const bool isLoad = op.starts_with("ds_read") || op.starts_with("ds_load");
  const std::string_view pair = after(op, {"ds_read2_", "ds_write2_", "ds_load_2addr_",
                                           "ds_store_2addr_", "ds_read2st64_", "ds_write2st64_"});
  if (!pair.empty()) {
    const bool isFar = op.find("st64") != std::string::npos || pair.starts_with("stride64_");
    const Size *each = sizeOf(pair.starts_with("stride64_") ? pair.substr(9) : pair);
    if (each == nullptr || (each->bits != 32 && each->bits != 64))
      return false;
    pairAccess(isLoad, each->bits, isFar ? 64 : 1);
    return true;
  }
  const Size *size = sizeOf(after(op, {"ds_read_", "ds_write_", "ds_load_", "ds_store_"}));
  if (size == nullptr)
    return false;
  operands(2);
  const M address = source(isLoad ? 1 : 0, 32, As::Bits);
  access(Space::Shared, size->bits, isLoad, address, takeNumber("offset", 0), at(isLoad ? 0 : 1),
         Counter::Scalar, size->isSigned, size->half);
  return true;
}

/// Two elements at offset0 and offset1, in units of the element (times 64).
void Lowering::pairAccess(bool isLoad, unsigned bits, unsigned stride) {
  operands(isLoad ? 2 : 3);
  const M address = source(isLoad ? 1 : 0, 32, As::Bits);
  const unsigned words = bits / 32;
  const std::int64_t scale = std::int64_t{bits / 8} * stride;
  const std::int64_t offsets[] = {takeNumber("offset0", 0) * scale,
                                  takeNumber("offset1", 0) * scale};
  std::vector<RegisterId> loaded;
  if (isLoad && at(0).count != 2 * words)
    refuse("a destination of another size");
  // The address may lie in what is loaded: both are read before either is written.
  std::vector<std::pair<RegisterId, RegisterId>> moves;
  for (unsigned k = 0; k < 2; ++k) {
    verify::Instruction i = make(isLoad ? Op::Load : Op::Store, 64);
    i.access.space = Space::Shared;
    i.access.bits = 32;
    i.access.count = static_cast<std::uint8_t>(words);
    i.access.offset = offsets[k];
    i.guard = on_;
    i.src = {address};
    for (std::uint32_t word = 0; word < words; ++word) {
      if (!isLoad) {
        i.src.push_back(M::of(part(at(1 + k), word)));
        continue;
      }
      const RegisterId reg = part(at(0), k * words + word);
      loaded.push_back(reg);
      i.dst.push_back(temporary(32, false));
      moves.emplace_back(reg, i.dst.back());
    }
    push(std::move(i));
  }
  for (const auto &[reg, from] : moves) {
    verify::Instruction move = make(Op::Mov, 32);
    move.dst = {reg};
    move.src = {M::of(from)};
    move.guard = on_;
    push(std::move(move));
  }
  pending(Space::Shared, Counter::Scalar, std::move(loaded));
}

} // namespace ordo::verify::gcn
