// Operations on bits.
#include "compiler/verify/machine/concrete.h"

#include <bit>
#include <fmt/format.h>

namespace ordo::verify {
namespace {

using U = std::uint64_t;
using S = std::int64_t;

U masked(U bits, unsigned width) { return width >= 64 ? bits : bits & ((U{1} << width) - 1); }

S extended(U bits, unsigned width) {
  if (width >= 64)
    return static_cast<S>(bits);
  const U sign = U{1} << (width - 1);
  return static_cast<S>((masked(bits, width) ^ sign) - sign);
}

U highProduct(U a, U b, unsigned width, bool isSigned) {
  if (isSigned)
    return static_cast<U>((static_cast<__int128>(extended(a, width)) * extended(b, width)) >>
                          width);
  return static_cast<U>((static_cast<unsigned __int128>(a) * b) >> width);
}

U divided(const Instruction &i, U a, U b) {
  const unsigned w = i.width;
  if (masked(b, w) == 0)
    throw DomainError("divides by zero");
  if (i.op == Op::DivU)
    return a / b;
  if (i.op == Op::RemU)
    return a % b;
  const __int128 x = extended(a, w), y = extended(b, w);
  return static_cast<U>(i.op == Op::DivS ? x / y : x % y);
}

U shifted(const Instruction &i, U a, U amount) {
  const unsigned w = i.width;
  if (i.op == Op::ShrS)
    return static_cast<U>(extended(a, w) >> std::min<U>(amount, 63));
  if (amount >= w)
    return 0;
  return i.op == Op::Shl ? a << amount : a >> amount;
}

U bitField(const Instruction &i, const U *src) {
  const unsigned w = i.width;
  const U position = src[1] & 255, length = src[2] & 255;
  if (i.op == Op::BitField)
    return length == 0 || position >= w ? 0 : masked(src[0] >> position, std::min<U>(length, 64));
  // Beyond the top the sign bit of the value stands.
  const U top = std::min<U>(position + length, w);
  if (length == 0)
    return 0;
  const S value = extended(src[0], w);
  if (position >= w)
    return static_cast<U>(value < 0 ? -1 : 0);
  const S moved = value >> position;
  return static_cast<U>(
      top == w ? moved : extended(static_cast<U>(moved), static_cast<unsigned>(top - position)));
}

U bitInsert(const Instruction &i, const U *src) {
  const U position = src[2] & 255, length = src[3] & 255;
  if (position >= i.width || length == 0)
    return src[1];
  const U mask = masked(length >= 64 ? ~U{0} : (U{1} << length) - 1, 64) << position;
  return (src[1] & ~mask) | ((src[0] << position) & mask);
}

U funnel(const Instruction &i, const U *src) {
  const U both = src[1] << 32 | masked(src[0], 32), amount = src[2];
  if (i.op == Op::FunnelLeft)
    return amount >= 32 ? src[0] : (both << amount) >> 32;
  return amount >= 32 ? src[1] : both >> amount;
}

/// PTX ISA, prmt in its default mode.
U bytePermute(const U *src) {
  const U both = src[1] << 32 | masked(src[0], 32);
  U result = 0;
  for (unsigned k = 0; k < 4; ++k) {
    const U selector = src[2] >> (4 * k);
    U byte = both >> (8 * (selector & 7)) & 255;
    if ((selector & 8) != 0)
      byte = (byte & 128) != 0 ? 255 : 0;
    result |= byte << (8 * k);
  }
  return result;
}

U reversed(U bits, unsigned width) {
  U result = 0;
  for (unsigned k = 0; k < width; ++k)
    result |= (bits >> k & 1) << (width - 1 - k);
  return result;
}

U carried(const Instruction &i, const U *src, U *second) {
  const unsigned w = i.width;
  const unsigned __int128 a = masked(src[0], w), b = masked(src[1], w), c = src[2] & 1;
  if (i.op == Op::AddCarry) {
    const unsigned __int128 sum = a + b + c;
    *second = static_cast<U>(sum >> w) & 1;
    return static_cast<U>(sum);
  }
  *second = a < b + c;
  return static_cast<U>(a - b - c);
}

U compute(const Instruction &i, const U *src, U *second) {
  const unsigned w = i.width;
  const U a = src[0], b = i.src.size() > 1 ? src[1] : 0;
  switch (i.op) {
  case Op::Mov:
    return a;
  case Op::Add:
    return a + b;
  case Op::Sub:
    return a - b;
  case Op::Mul:
    return a * b;
  case Op::MulHiU:
  case Op::MulHiS:
    return highProduct(a, b, w, i.op == Op::MulHiS);
  case Op::DivU:
  case Op::DivS:
  case Op::RemU:
  case Op::RemS:
    return divided(i, a, b);
  case Op::MinU:
    return std::min(a, b);
  case Op::MaxU:
    return std::max(a, b);
  case Op::MinS:
    return extended(a, w) < extended(b, w) ? a : b;
  case Op::MaxS:
    return extended(a, w) < extended(b, w) ? b : a;
  case Op::NegI:
    return U{0} - a;
  case Op::AbsI:
    return extended(a, w) < 0 ? U{0} - a : a;
  case Op::And:
    return a & b;
  case Op::Or:
    return a | b;
  case Op::Xor:
    return a ^ b;
  case Op::Not:
    return ~a;
  case Op::Shl:
  case Op::ShrU:
  case Op::ShrS:
    return shifted(i, a, b);
  case Op::Popc:
    return static_cast<U>(std::popcount(a));
  case Op::Clz:
    return static_cast<U>(std::countl_zero(a)) - (64 - w);
  case Op::Brev:
    return reversed(a, w);
  case Op::AddCarry:
  case Op::SubBorrow:
    return carried(i, src, second);
  case Op::ZeroExtend:
    return masked(a, i.fromWidth);
  case Op::SignExtend:
    return static_cast<U>(extended(a, i.fromWidth));
  case Op::Extract:
    return a >> i.bit;
  case Op::Concat: {
    U whole = 0;
    for (std::size_t k = 0; k < i.src.size(); ++k)
      whole |= masked(src[k], i.fromWidth) << (k * i.fromWidth);
    return whole;
  }
  case Op::BitField:
  case Op::BitFieldS:
    return bitField(i, src);
  case Op::BitInsert:
    return bitInsert(i, src);
  case Op::FunnelLeft:
  case Op::FunnelRight:
    return funnel(i, src);
  case Op::BytePermute:
    return bytePermute(src);
  case Op::CmpEq:
    return a == b;
  case Op::CmpNe:
    return a != b;
  case Op::CmpLtU:
    return a < b;
  case Op::CmpLeU:
    return a <= b;
  case Op::CmpLtS:
    return extended(a, w) < extended(b, w);
  case Op::CmpLeS:
    return extended(a, w) <= extended(b, w);
  default:
    throw DomainError(fmt::format("`{}` has no concrete value", name(i.op)));
  }
}

/// Bits of the result: comparisons give one, counts 32.
unsigned resultWidth(const Instruction &i) {
  switch (i.op) {
  case Op::CmpEq:
  case Op::CmpNe:
  case Op::CmpLtU:
  case Op::CmpLeU:
  case Op::CmpLtS:
  case Op::CmpLeS:
    return 1;
  case Op::Popc:
  case Op::Clz:
    return 32;
  default:
    return i.width;
  }
}

} // namespace

std::uint64_t computeInteger(const Instruction &i, const std::uint64_t *src,
                             std::uint64_t *second) {
  return masked(compute(i, src, second), resultWidth(i));
}

} // namespace ordo::verify
