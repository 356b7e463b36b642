// The device half of the GPU checks, and a plain copy to measure beside. Built to a cubin by
// build.sh.
#include "tests/gpu/pattern.h"

using namespace ordo::gpu;

// Rows over blocks, columns over threads: no division by a run-time row length.

extern "C" __global__ void ordo_generate(void *out, Source source, U64 rows,
                                         Arrangement arrangement) {
  for (U64 row = blockIdx.x; row < rows; row += gridDim.x) {
    const U32 pattern = patternOf(arrangement, row);
    for (U64 column = threadIdx.x; column < source.columns; column += blockDim.x)
      storeElement(out, source.format.bytes, row * source.columns + column,
                   elementBits(source, pattern, column));
  }
}

// One row of a pattern that is no row pattern: the tensors without a row axis.
extern "C" __global__ void ordo_generate_fixed(void *out, Source source, U32 pattern) {
  const U64 step = static_cast<U64>(gridDim.x) * blockDim.x;
  for (U64 i = static_cast<U64>(blockIdx.x) * blockDim.x + threadIdx.x; i < source.columns;
       i += step)
    storeElement(out, source.format.bytes, i, elementBits(source, pattern, i));
}

extern "C" __global__ void ordo_hash(const void *data, U32 bytes, U64 count,
                                     unsigned long long *sum) {
  const U64 step = static_cast<U64>(gridDim.x) * blockDim.x;
  U64 own = 0;
  for (U64 i = static_cast<U64>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step)
    own += hashShare(i, loadElement(data, bytes, i));
  for (int distance = 16; distance > 0; distance /= 2)
    own += __shfl_down_sync(~0u, own, distance);
  if (threadIdx.x % 32 == 0)
    atomicAdd(sum, own);
}

extern "C" __global__ void ordo_compare(const void *got, const void *expected, Format format,
                                        U64 rows, U64 columns, Arrangement arrangement,
                                        Mismatch *result) {
  auto *count = reinterpret_cast<unsigned long long *>(&result->count);
  auto *first = reinterpret_cast<unsigned long long *>(&result->first);
  for (U64 row = blockIdx.x; row < rows; row += gridDim.x) {
    const U64 pattern = patternOf(arrangement, row);
    for (U64 column = threadIdx.x; column < columns; column += blockDim.x) {
      const U64 index = row * columns + column;
      const U64 want = loadElement(expected, format.bytes, pattern * columns + column);
      if (!sameValue(format, loadElement(got, format.bytes, index), want)) {
        atomicAdd(count, 1ull);
        atomicMin(first, static_cast<unsigned long long>(index));
      }
    }
  }
}

// Counts the bytes that are not `value`.
extern "C" __global__ void ordo_expect_bytes(const unsigned char *data, U64 bytes, U32 value,
                                             unsigned long long *others) {
  const U64 step = static_cast<U64>(gridDim.x) * blockDim.x;
  for (U64 i = static_cast<U64>(blockIdx.x) * blockDim.x + threadIdx.x; i < bytes; i += step)
    if (data[i] != value)
      atomicAdd(others, 1ull);
}

// 64 bytes a thread in flight, coalesced. `vectors` counts 16-byte vectors; whole blocks of 4 *
// blockDim.
extern "C" __global__ void ordo_copy(uint4 *__restrict__ to, const uint4 *__restrict__ from,
                                     U64 vectors) {
  const U64 start = static_cast<U64>(blockIdx.x) * blockDim.x * 4 + threadIdx.x;
  uint4 held[4];
#pragma unroll
  for (int i = 0; i < 4; ++i)
    if (start + i * blockDim.x < vectors)
      held[i] = from[start + i * blockDim.x];
#pragma unroll
  for (int i = 0; i < 4; ++i)
    if (start + i * blockDim.x < vectors)
      to[start + i * blockDim.x] = held[i];
}
