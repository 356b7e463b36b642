// Reads the vectors of tests/data/tensor_core_vectors.
#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

namespace ordo::dsl {

inline constexpr const char *kVectorFolder = "tests/data/tensor_core_vectors/";

inline std::string gunzip(const std::string &path) {
  std::string data;
  const gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr)
    return data;
  char buffer[1 << 16];
  for (int n = 0; (n = gzread(file, buffer, sizeof buffer)) > 0;)
    data.append(buffer, static_cast<std::size_t>(n));
  gzclose(file);
  return data;
}

/// As tests/data/tensor_core_vectors/pack.py lays them out.
struct Vectors {
  std::uint32_t rows = 0, columns = 0;
  std::size_t operandBytes, accumulatorBytes;
  std::string data;

  Vectors(const std::string &file, std::size_t operand, std::size_t accumulator = 4)
      : operandBytes(operand), accumulatorBytes(accumulator), data(gunzip(kVectorFolder + file)) {
    if (data.size() < 8)
      return;
    std::memcpy(&rows, data.data(), 4);
    std::memcpy(&columns, data.data() + 4, 4);
  }
  std::size_t matrixBytes() const { return std::size_t{rows} * columns * operandBytes; }
  std::span<const std::byte> operands(int matrix, std::uint32_t row) const {
    const std::size_t bytes = columns * operandBytes;
    const std::size_t at = 8 + matrix * matrixBytes() + row * bytes;
    return std::as_bytes(std::span<const char>(data).subspan(at, bytes));
  }
  bool isWhole() const {
    return rows > 0 && data.size() == 8 + 2 * matrixBytes() + 2 * rows * accumulatorBytes;
  }
  /// c (0) or d (1).
  std::uint64_t accumulator(int which, std::uint32_t row) const {
    std::uint64_t v = 0;
    const std::size_t index = which * std::size_t{rows} + row;
    std::memcpy(&v, data.data() + 8 + 2 * matrixBytes() + index * accumulatorBytes,
                accumulatorBytes);
    return v;
  }
};

} // namespace ordo::dsl
