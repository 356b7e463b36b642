#include "tests/bench/reference.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace ordo::bench {
namespace {

// -- Elements

float load(float value) { return value; }
float load(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }

void store(float &to, float value) { to = value; }
void store(std::uint16_t &to, float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = bits + 0x7fff + (bits >> 16 & 1);
  to = static_cast<std::uint16_t>(value != value ? 0x7fc0 : rounded >> 16);
}

// Drops a NaN; -0 is below +0.
float larger(float a, float b) {
  const float zero =
      std::bit_cast<float>(std::bit_cast<std::uint32_t>(a) & std::bit_cast<std::uint32_t>(b));
  const float most = a == b ? zero : a > b ? a : b;
  return b != b ? a : most;
}

// contracts/math/f32.ordo, line by line.
float exponential(float x) {
  const float t = __builtin_fmaf(x, 0x1.715476p0f, 0x1.8p23f), k = t - 0x1.8p23f;
  const float f1 = __builtin_fmaf(k, -0x1.62e43p-1f, x);
  const float f = __builtin_fmaf(k, 0x1.05c61p-29f, f1);
  float q = __builtin_fmaf(0x1.6a3d08p-10f, f, 0x1.123858p-7f);
  q = __builtin_fmaf(q, f, 0x1.5558bep-5f);
  q = __builtin_fmaf(q, f, 0x1.555494p-3f);
  q = __builtin_fmaf(q, f, 0x1.fffffcp-2f);
  const float head = 1.0f + f1;
  const float tail = __builtin_fmaf(k, 0x1.05c61p-29f, f1 - (head - 1.0f));
  const float r = head + __builtin_fmaf(f * f, q, tail);
  const float rest = x < 0.0f ? 0x1p-76f : 0x1p76f;
  const std::uint32_t power = x < 0.0f ? 0x65800000 : 0x19800000;
  const auto scale = std::bit_cast<float>((std::bit_cast<std::uint32_t>(t) << 23) + power);
  return __builtin_fabsf(x) >= 104.0f ? rest * rest : r * scale * rest;
}

float logarithm(float x) {
  const bool tiny = x < 0x1p-126f;
  const auto bits = std::bit_cast<std::uint32_t>(tiny ? x * 0x1p23f : x);
  const std::int32_t e = static_cast<std::int32_t>(bits - 0x3f2aaaab) >> 23;
  const auto m = std::bit_cast<float>(bits - (static_cast<std::uint32_t>(e) << 23));
  const float k = static_cast<float>(e) + (tiny ? -23.0f : 0.0f);
  const float f = m - 1.0f, half = -0.5f * f, square = half * f;
  const float squareError = __builtin_fmaf(half, f, -square);
  float q = 0x1.e9d18ap-4f;
  for (float c : {-0x1.06c2bap-3f, 0x1.b91efap-4f, -0x1.f3b02cp-4f, 0x1.24eb6ep-3f, -0x1.55978cp-3f,
                  0x1.9997eep-3f, -0x1.ffff18p-3f, 0x1.555556p-2f})
    q = __builtin_fmaf(q, f, c);
  const float a = k * 0x1.62e4p-1f, p = f + square, pError = f - p + square;
  const float head = a + p, headError = a - head + p;
  const float tail =
      __builtin_fmaf(-2.0f * square * f, q, __builtin_fmaf(k, 0x1.7f7d1cp-20f, squareError));
  const float r = head + (headError + (pError + tail));
  constexpr float kInf = std::numeric_limits<float>::infinity();
  if (x > 0.0f)
    return x < kInf ? r : x;
  return x == 0.0f ? -kInf : std::numeric_limits<float>::quiet_NaN();
}

// -- Orders

// halves over an array, which it overwrites.
template <int n> float halves(float *values) {
  int length = n;
  for (int half = static_cast<int>(std::bit_ceil(static_cast<unsigned>(n))) / 2; half >= 1;
       half /= 2) {
    for (int i = 0; i < half && i + half < length; ++i)
      values[i] += values[i + half];
    length = std::min(length, half);
  }
  return values[0];
}

template <int n> float pairs(float *values) {
  for (int length = n; length > 1; length = (length + 1) / 2) {
    for (int i = 0; i < length / 2; ++i)
      values[i] = values[2 * i] + values[2 * i + 1];
    if (length % 2)
      values[length / 2] = values[length - 1];
  }
  return values[0];
}

// lanes(n, w) of runs of `run` elements, each a chain.
template <int n, int w, int run, class Element> void lanes(float *sums, Element element) {
  constexpr int kSlots = kColumns / run;
  static_assert(kColumns % (run * w) == 0);
  for (int lane = 0; lane < n; ++lane)
    sums[lane] = -0.0f;
  for (int base = 0; base < kSlots; base += n * w) {
    const int count = std::min(n, (kSlots - base) / w);
    for (int lane = 0; lane < count; ++lane)
      for (int j = 0; j < w; ++j) {
        const int first = (base + lane * w + j) * run;
        float sum = element(first);
        for (int i = 1; i < run; ++i)
          sum += element(first + i);
        sums[lane] += sum;
      }
  }
}

// seq(8) | lanes(128) | halves
template <class Element> float wideRow(Element element) {
  alignas(64) float sums[128];
  lanes<128, 1, 8>(sums, element);
  return halves<128>(sums);
}

// -- Contracts

template <class E> void rmsNorm(const E *x, const E *w, E *y, std::int64_t rows) {
  for (std::int64_t t = 0; t < rows; ++t, x += kColumns, y += kColumns) {
    const float ss = wideRow([&](int h) { return load(x[h]) * load(x[h]); });
    const float rstd = 1.0f / __builtin_sqrtf(ss / 3584.0f + 1e-6f);
    for (int h = 0; h < kColumns; ++h)
      store(y[h], load(x[h]) * rstd * load(w[h]));
  }
}

// Any order gives the same maximum; this one vectorises.
template <class E> float largest(const E *x) {
  float m[32];
  std::fill(m, m + 32, -std::numeric_limits<float>::infinity());
  for (int h = 0; h < kColumns; h += 32)
    for (int lane = 0; lane < 32; ++lane)
      m[lane] = larger(m[lane], load(x[h + lane]));
  for (int half = 16; half >= 1; half /= 2)
    for (int i = 0; i < half; ++i)
      m[i] = larger(m[i], m[i + half]);
  return m[0];
}

template <class E> void softmax(const E *x, E *y, std::int64_t rows) {
  for (std::int64_t t = 0; t < rows; ++t, x += kColumns, y += kColumns) {
    const float m = largest(x);
    const float r = 1.0f / wideRow([&](int v) { return exponential(load(x[v]) - m); });
    for (int v = 0; v < kColumns; ++v)
      store(y[v], exponential(load(x[v]) - m) * r);
  }
}

template <class E> void logSumExp(const E *x, float *y, std::int64_t rows) {
  for (std::int64_t t = 0; t < rows; ++t, x += kColumns) {
    const float m = largest(x), base = std::isinf(m) ? 0.0f : m;
    y[t] = base + logarithm(wideRow([&](int v) { return exponential(load(x[v]) - base); }));
  }
}

template <class Sum>
void rowSum(const std::uint16_t *x, float *y, std::int64_t rows, Sum sumOfElements) {
  for (std::int64_t t = 0; t < rows; ++t, x += kColumns)
    y[t] = sumOfElements([x](int h) { return load(x[h]); });
}

} // namespace

void rmsNormBf16(const std::uint16_t *x, const std::uint16_t *w, std::uint16_t *y,
                 std::int64_t rows) {
  rmsNorm(x, w, y, rows);
}
void rmsNormF32(const float *x, const float *w, float *y, std::int64_t rows) {
  rmsNorm(x, w, y, rows);
}
void softmaxBf16(const std::uint16_t *x, std::uint16_t *y, std::int64_t rows) {
  softmax(x, y, rows);
}
void softmaxF32(const float *x, float *y, std::int64_t rows) { softmax(x, y, rows); }
void logSumExpBf16(const std::uint16_t *x, float *y, std::int64_t rows) { logSumExp(x, y, rows); }
void logSumExpF32(const float *x, float *y, std::int64_t rows) { logSumExp(x, y, rows); }

void rowSumSeq(const std::uint16_t *x, float *y, std::int64_t rows) {
  rowSum(x, y, rows, [](auto element) {
    float sum = -0.0f;
    for (int h = 0; h < kColumns; ++h)
      sum += element(h);
    return sum;
  });
}

void rowSumPairs(const std::uint16_t *x, float *y, std::int64_t rows) {
  rowSum(x, y, rows, [](auto element) {
    float values[kColumns];
    for (int h = 0; h < kColumns; ++h)
      values[h] = element(h);
    return pairs<kColumns>(values);
  });
}

void rowSumHalves(const std::uint16_t *x, float *y, std::int64_t rows) {
  rowSum(x, y, rows, [](auto element) {
    float values[kColumns];
    for (int h = 0; h < kColumns; ++h)
      values[h] = element(h);
    return halves<kColumns>(values);
  });
}

void rowSumLanes96(const std::uint16_t *x, float *y, std::int64_t rows) {
  rowSum(x, y, rows, [](auto element) {
    float sums[96];
    lanes<96, 1, 1>(sums, element);
    return halves<96>(sums);
  });
}

void rowSumWide(const std::uint16_t *x, float *y, std::int64_t rows) {
  rowSum(x, y, rows, [](auto element) {
    float sums[64];
    lanes<64, 4, 1>(sums, element);
    return pairs<64>(sums);
  });
}

void rowSumChain(const std::uint16_t *x, float *y, std::int64_t rows) {
  rowSum(x, y, rows, [](auto element) {
    float sums[32];
    lanes<32, 1, 4>(sums, element);
    float sum = -0.0f;
    for (float lane : sums)
      sum += lane;
    return sum;
  });
}

void rowSumVllm(const std::uint16_t *x, float *y, std::int64_t rows) {
  rowSum(x, y, rows, [](auto element) {
    float sums[256];
    lanes<256, 8, 1>(sums, element);
    return halves<256>(sums);
  });
}

} // namespace ordo::bench
