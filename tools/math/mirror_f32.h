// exp, log and rsqrt of contracts/math/f32.ordo in C++, operation for operation, for references
// that need their bits; tests/oracle/math_test.cc compares them with the contract's. Compile with
// -ffp-contract=off.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace ordo::math_mirror {

inline float floatOf(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// The language's bits(x): every NaN is 0x7fc00000.
inline std::uint32_t bitsOf(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return value != value ? 0x7fc00000u : bits;
}

inline float expF32(float x) {
  bool negative = x < 0.0f;
  float up = negative ? 0x1.800196p23f : 0x1.800066p23f; // 1.5 * 2^23 + 127 + 76 or + 127 - 76
  float rest = negative ? 0x1p-76f : 0x1p76f;
  float t = __builtin_fmaf(x > -104.0f ? x : -104.0f, 0x1.715476p0f, up);
  float k = t - up;
  float f = __builtin_fmaf(k, 0x1.05c61p-29f, __builtin_fmaf(k, -0x1.62e43p-1f, x));
  float p = __builtin_fmaf(0x1.695414p-10f, f, 0x1.123b04p-7f);
  p = __builtin_fmaf(p, f, 0x1.555a22p-5f);
  p = __builtin_fmaf(p, f, 0x1.55549p-3f);
  p = __builtin_fmaf(p, f, 0x1.fffffap-2f);
  p = __builtin_fmaf(p, f, 1.0f);
  float r = __builtin_fmaf(p, f, 1.0f);
  return std::fabs(x) >= 104.0f ? rest * rest : r * floatOf(bitsOf(t) << 23) * rest;
}

inline float logF32(float x) {
  bool tiny = x < 0x1p-126f;
  float normal = tiny ? x * 0x1p23f : x;
  std::int32_t e = static_cast<std::int32_t>(bitsOf(normal) - 0x3f2aaaabu) >> 23;
  float m = floatOf(bitsOf(normal) - (static_cast<std::uint32_t>(e) << 23));
  float k = static_cast<float>(e) + (tiny ? -23.0f : 0.0f);
  float f = m - 1.0f;
  float half = -0.5f * f;
  float square = half * f;
  float squareError = __builtin_fmaf(half, f, -square);
  float q = __builtin_fmaf(0x1.e9d18ap-4f, f, -0x1.06c2bap-3f);
  q = __builtin_fmaf(q, f, 0x1.b91efap-4f);
  q = __builtin_fmaf(q, f, -0x1.f3b02cp-4f);
  q = __builtin_fmaf(q, f, 0x1.24eb6ep-3f);
  q = __builtin_fmaf(q, f, -0x1.55978cp-3f);
  q = __builtin_fmaf(q, f, 0x1.9997eep-3f);
  q = __builtin_fmaf(q, f, -0x1.ffff18p-3f);
  q = __builtin_fmaf(q, f, 0x1.555556p-2f);
  float a = k * 0x1.62e4p-1f;
  float p = f + square;
  float pError = (f - p) + square;
  float head = a + p;
  float headError = (a - head) + p;
  float tail =
      __builtin_fmaf(-2.0f * square * f, q, __builtin_fmaf(k, 0x1.7f7d1cp-20f, squareError));
  float r = head + (headError + (pError + tail));
  float special = x == 0.0f ? -std::numeric_limits<float>::infinity() : floatOf(0x7fc00000u);
  float positive = x < std::numeric_limits<float>::infinity() ? r : x;
  return x > 0.0f ? positive : special;
}

inline float rsqrtF32(float x) {
  float y = 1.0f / std::sqrt(x);
  float p = x * y;
  float pe = __builtin_fmaf(x, y, -p);
  float h = __builtin_fmaf(-pe, y, __builtin_fmaf(-p, y, 1.0f));
  return std::fabs(h) < 1.0f ? __builtin_fmaf(0.5f * y, h, y) : y;
}

} // namespace ordo::math_mirror
