// Input rows of every kind a contract must survive, as bits of a format.
#pragma once

#include "tests/oracle/harness.h"
#include "tests/oracle/real.h"

#include <functional>
#include <string>
#include <vector>

namespace ordo::oracle {

using Row = std::vector<std::uint32_t>;

inline dsl::DType dtypeOf(const Format &format) {
  if (format.exponent == kF16.exponent)
    return dsl::DType::F16;
  return format.fraction == kF32.fraction ? dsl::DType::F32 : dsl::DType::BF16;
}

/// "bf16" in "rms_norm_hf_bf16_128" names the format, the last number the width.
inline Format formatOfKernel(const std::string &kernel) {
  if (kernel.find("_bf16_") != std::string::npos)
    return kBf16;
  return kernel.find("_f16_") != std::string::npos ? kF16 : kF32;
}
inline std::size_t widthOfKernel(const std::string &kernel) {
  return std::stoul(kernel.substr(kernel.rfind('_') + 1));
}

inline Row makeRow(const Format &format, std::size_t width, const std::function<double()> &draw) {
  Row row(width);
  for (std::uint32_t &bits : row)
    bits = encode(format, draw());
  return row;
}

inline Array toArray(const Format &format, const std::vector<Row> &rows) {
  Array array{dtypeOf(format),
              {static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(rows[0].size())},
              {}};
  for (const Row &row : rows)
    array.bits.insert(array.bits.end(), row.begin(), row.end());
  return array;
}

inline std::vector<double> decodeRow(const Format &format, const Row &row) {
  std::vector<double> values;
  for (std::uint32_t bits : row)
    values.push_back(decode(format, bits));
  return values;
}

/// Row `index` of an output of `width` columns.
inline Row rowOf(const Array &array, std::size_t index, std::size_t width) {
  return Row(array.bits.begin() + static_cast<std::ptrdiff_t>(index * width),
             array.bits.begin() + static_cast<std::ptrdiff_t>((index + 1) * width));
}

/// Collects |got - want| / allowed over many elements and reports the worst once.
class Judge {
public:
  void check(double got, double want, double allowed, const std::string &where) {
    const double ratio =
        std::isfinite(got) && std::isfinite(want) ? std::fabs(got - want) / allowed : HUGE_VAL;
    if (ratio <= worst_)
      return;
    worst_ = ratio;
    where_ = where + ": " + std::to_string(got) + " for " + std::to_string(want) + ", allowed " +
             std::to_string(allowed);
  }
  /// The worst error as a part of what is allowed.
  double worst() const { return worst_; }
  const std::string &where() const { return where_; }

private:
  double worst_ = 0.0;
  std::string where_;
};

} // namespace ordo::oracle
