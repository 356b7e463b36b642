#include "dsl/eval/numeric.h"

#include "dsl/eval/kernels.h"
#include "dsl/eval/rounding.h"

#include <bit>
#include <cstring>

static_assert(std::endian::native == std::endian::little, "elements lie as on the targets");

namespace ordo::dsl {

std::size_t elementSize(DType type) {
  return type == DType::Index ? 8 : static_cast<std::size_t>(byteSize(type));
}

std::uint64_t loadBits(DType type, const void *element) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, element, elementSize(type));
  return bits;
}

void storeBits(DType type, void *element, std::uint64_t bits) {
  std::memcpy(element, &bits, elementSize(type));
}

int arity(Op op) {
  switch (op) {
  case Op::Const:
  case Op::Var:
  case Op::Size:
  case Op::Scalar:
  case Op::Load:
  case Op::Use:
  case Op::Reduce:
  case Op::Carry:
  case Op::Recur:
  case Op::Undef:
    return 0;
  case Op::Neg:
  case Op::Abs:
  case Op::Sqrt:
  case Op::Floor:
  case Op::Not:
  case Op::Cast:
  case Op::Bits:
  case Op::OfBits:
    return 1;
  case Op::Fma:
  case Op::Select:
    return 3;
  default:
    return 2;
  }
}

Kernel kernelFor(Op op, DType type, DType argType, Rounding rounding) {
  switch (op) {
  case Op::And:
  case Op::Or:
  case Op::Xor:
  case Op::Not:
  case Op::Shl:
  case Op::Shr:
    return argType == type ? detail::logicKernel(op, type) : nullptr;
  case Op::Eq:
  case Op::Ne:
  case Op::Lt:
  case Op::Le:
  case Op::Gt:
  case Op::Ge:
    return type == DType::Bool ? detail::comparisonKernel(op, argType) : nullptr;
  case Op::Select:
    return argType == type ? detail::selectKernel(type) : nullptr;
  case Op::Cast:
    return detail::castKernel(type, argType, rounding);
  case Op::Bits:
    return detail::bitsKernel(type, argType);
  case Op::OfBits:
    return detail::ofBitsKernel(type, argType);
  default:
    return argType == type ? detail::arithmeticKernel(op, type) : nullptr;
  }
}

std::optional<std::uint64_t> evaluate(Op op, DType type, DType argType,
                                      std::span<const std::uint64_t> args, Rounding rounding) {
  const Kernel kernel = kernelFor(op, type, argType, rounding);
  if (!kernel || static_cast<int>(args.size()) != arity(op))
    return std::nullopt;
  // Little-endian: an element's bytes are the first of its zero-extended bits.
  alignas(8) std::byte in[3][8];
  alignas(8) std::byte out[8] = {};
  const void *pointers[3] = {in[0], in[1], in[2]};
  for (std::size_t i = 0; i < args.size(); ++i)
    std::memcpy(in[i], &args[i], 8);
  kernel(out, pointers, 1);
  std::uint64_t bits = 0;
  std::memcpy(&bits, out, 8);
  return bits;
}

std::uint64_t castBits(DType from, DType to, std::uint64_t bits, Rounding rounding) {
  if (rounding == Rounding::Tf32)
    return lane::roundToTf32(static_cast<std::uint32_t>(bits));
  if (to == DType::Bool) // "is not zero", which NaN is not
    return isFloat(from) ? unpack(from, bits).kind != Unpacked::Class::Zero
                         : unpackInteger(from, bits).significand != 0;
  if (isFloat(to))
    return pack(to, isFloat(from) ? unpack(from, bits) : unpackInteger(from, bits), rounding);
  if (isFloat(from))
    return packInteger(to, unpack(from, bits), rounding);
  // Between integers: sign-extend, then keep the low bits.
  const Unpacked v = unpackInteger(from, bits);
  const std::uint64_t wide = v.negative ? 0 - v.significand : v.significand;
  return bitWidth(to) == 64 ? wide : wide & ((std::uint64_t{1} << bitWidth(to)) - 1);
}

std::uint64_t canonical(DType type, std::uint64_t bits) {
  return isNanBits(type, bits) ? canonicalNan(type) : bits;
}

void canonicalise(DType type, void *data, std::size_t count) {
  if (!isFloat(type))
    return;
  const std::size_t size = elementSize(type);
  auto *bytes = static_cast<std::byte *>(data);
  for (std::size_t i = 0; i < count; ++i, bytes += size) {
    const std::uint64_t bits = loadBits(type, bytes);
    if (isNanBits(type, bits))
      storeBits(type, bytes, canonicalNan(type));
  }
}

} // namespace ordo::dsl
