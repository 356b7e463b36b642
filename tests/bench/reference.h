// Contracts as a C++ programmer writes them: plain loops in the contract's own order, with its
// roundings and its meaning of NaN. What the CPU target is measured against.
#pragma once

#include <cstdint>

namespace ordo::bench {

/// Columns of every row.
inline constexpr std::int64_t kColumns = 3584;

/// Rows x kColumns, row-major; `w` has kColumns elements. bf16 lies as its bits.
void rmsNormBf16(const std::uint16_t *x, const std::uint16_t *w, std::uint16_t *y,
                 std::int64_t rows);
void rmsNormF32(const float *x, const float *w, float *y, std::int64_t rows);
void softmaxBf16(const std::uint16_t *x, std::uint16_t *y, std::int64_t rows);
void softmaxF32(const float *x, float *y, std::int64_t rows);
void logSumExpBf16(const std::uint16_t *x, float *y, std::int64_t rows);
void logSumExpF32(const float *x, float *y, std::int64_t rows);

/// Row sums of bf16 in f32, by the orders of tests/contracts/orders.ordo.
void rowSumSeq(const std::uint16_t *x, float *y, std::int64_t rows);
void rowSumPairs(const std::uint16_t *x, float *y, std::int64_t rows);
void rowSumHalves(const std::uint16_t *x, float *y, std::int64_t rows);
void rowSumLanes96(const std::uint16_t *x, float *y, std::int64_t rows);
void rowSumWide(const std::uint16_t *x, float *y, std::int64_t rows);
void rowSumChain(const std::uint16_t *x, float *y, std::int64_t rows);
void rowSumVllm(const std::uint16_t *x, float *y, std::int64_t rows);

} // namespace ordo::bench
