// An array in host memory.
#pragma once

#include "dsl/types/dtype.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ordo::dsl {

/// Row-major and contiguous; `data` holds exactly the elements, little-endian, byteSize(type) each
/// (bool: one byte, 0 or 1).
struct TensorValue {
  DType type = DType::F32;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> data;
};

} // namespace ordo::dsl
