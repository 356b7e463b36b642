#include "dsl/eval/atom/chains.h"

#include "dsl/eval/atom/fused.h"
#include "dsl/eval/lane.h"
#include "dsl/eval/numeric.h"

#include <array>
#include <cmath>

namespace ordo::dsl::atom {
namespace {

constexpr int kMaxProducts = 32;

std::uint64_t fusedChain(const AtomRule &rule, const Row &a, const Row &b, std::int64_t length,
                         std::uint32_t c) {
  const OperandFormat format(rule);
  std::array<Decoded, kMaxProducts> x, y;
  Decoded acc = decodeF32(c);
  for (std::int64_t k = 0; k < length; k += rule.products) {
    const auto count = static_cast<std::size_t>(std::min<std::int64_t>(rule.products, length - k));
    for (std::size_t i = 0; i < count; ++i) {
      const std::int64_t at = k + static_cast<std::int64_t>(i);
      x[i] = decode(format, static_cast<std::uint32_t>(a[at]));
      y[i] = decode(format, static_cast<std::uint32_t>(b[at]));
    }
    const std::span<const Decoded> xs(x.data(), count), ys(y.data(), count);
    if (rule.arithmetic == AtomArithmetic::TruncatedSum)
      acc = truncatedStep(rule, format, xs, ys, acc);
    else
      c = twoStageStep(rule, format, xs, ys, c);
  }
  return rule.arithmetic == AtomArithmetic::TruncatedSum ? truncatedBits(acc) : c;
}

float flushed(float x) { return std::fabs(x) < 0x1p-126f ? std::copysign(0.0f, x) : x; }

/// A subnormal operand counts as +0 whatever its sign.
float flushedOperand(DType type, std::uint64_t bits) {
  const auto half = static_cast<std::uint16_t>(bits);
  const float x = type == DType::F16 ? lane::f16ToFloat(half) : lane::bf16ToFloat(half);
  return std::fabs(x) < (type == DType::F16 ? 0x1p-14f : 0x1p-126f) ? 0.0f : x;
}

/// Products and every sum rounded to f32 and flushed: (p0 + p1) + (p2 + p3), then onto acc.
std::uint64_t flushedChain(const AtomRule &rule, const Row &a, const Row &b, std::int64_t length,
                           std::uint32_t c) {
  float acc = std::bit_cast<float>(c);
  if (std::fabs(acc) < 0x1p-126f)
    acc = 0.0f;
  for (std::int64_t k = 0; k < length; k += rule.products) {
    float p[4] = {0.0f, 0.0f, 0.0f, 0.0f}; // what lies past the end is a zero operand's product
    for (int i = 0; i < rule.products && k + i < length; ++i)
      p[i] =
          flushed(flushedOperand(rule.operand, a[k + i]) * flushedOperand(rule.operand, b[k + i]));
    float group = flushed(p[0] + p[1]);
    if (rule.products == 4)
      group = flushed(group + flushed(p[2] + p[3]));
    acc = flushed(acc + group);
  }
  return canonical(DType::F32, std::bit_cast<std::uint32_t>(acc));
}

template <class Float, class Bits>
std::uint64_t fmaChain(const Row &a, const Row &b, std::int64_t length, std::uint64_t c) {
  auto acc = std::bit_cast<Float>(static_cast<Bits>(c));
  for (std::int64_t k = 0; k < length; ++k)
    acc = std::fma(std::bit_cast<Float>(static_cast<Bits>(a[k])),
                   std::bit_cast<Float>(static_cast<Bits>(b[k])), acc);
  return canonical(sizeof(Float) == 4 ? DType::F32 : DType::F64, std::bit_cast<Bits>(acc));
}

} // namespace

std::uint64_t Row::operator[](std::int64_t k) const {
  return loadElement(data, first + k * stride, bytes);
}

const char *unmodelled(const AtomRule &rule, std::int64_t length, std::uint64_t c) {
  const bool zero = (c & 0x7fffffffu) == 0;
  const bool modelled = rule.arithmetic != AtomArithmetic::Unmodelled &&
                        !(rule.startsFromZero && (!zero || length > rule.products));
  return modelled ? nullptr : rule.reason.data();
}

std::uint64_t runChain(const AtomRule &rule, const Row &a, const Row &b, std::int64_t length,
                       std::uint64_t c) {
  if (length == 0)
    return c;
  switch (rule.arithmetic) {
  case AtomArithmetic::FlushedPairs:
    return flushedChain(rule, a, b, length, static_cast<std::uint32_t>(c));
  case AtomArithmetic::SequentialFma:
    return rule.operand == DType::F64 ? fmaChain<double, std::uint64_t>(a, b, length, c)
                                      : fmaChain<float, std::uint32_t>(a, b, length, c);
  default:
    return fusedChain(rule, a, b, length, static_cast<std::uint32_t>(c));
  }
}

} // namespace ordo::dsl::atom
