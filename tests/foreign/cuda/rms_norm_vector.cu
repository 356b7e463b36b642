// RMSNorm of bf16 in two passes, a block a row, eight elements a load, the tree over warps in
// shared memory. Nothing contracts and every step rounds.
//
// nvcc: -fmad=false
// signature: x: bf16[T, 1024] in, w: bf16[1024] in, y: bf16[T, 1024] out, eps: f32; grid T; block 128; T <= 1048576
#include <cuda_bf16.h>

extern "C" __global__ void __launch_bounds__(128)
    rms_norm_vector(const uint4 *__restrict__ x, const uint4 *__restrict__ w,
                    uint4 *__restrict__ y, float eps) {
  __shared__ float partial[4];
  const uint4 packed = x[blockIdx.x * 128 + threadIdx.x], weights = w[threadIdx.x];
  const __nv_bfloat162 *values = reinterpret_cast<const __nv_bfloat162 *>(&packed);
  float squares = 0.0f;
  for (int k = 0; k < 4; ++k) {
    const float2 v = __bfloat1622float2(values[k]);
    squares += v.x * v.x;
    squares += v.y * v.y;
  }
  for (int offset = 16; offset > 0; offset /= 2)
    squares += __shfl_xor_sync(0xffffffffu, squares, offset);
  if (threadIdx.x % 32 == 0)
    partial[threadIdx.x / 32] = squares;
  __syncthreads();
  const float sum = ((partial[0] + partial[1]) + partial[2]) + partial[3];
  const float scale = 1.0f / sqrtf(sum / 1024.0f + eps);
  const __nv_bfloat162 *scales = reinterpret_cast<const __nv_bfloat162 *>(&weights);
  uint4 result;
  __nv_bfloat162 *results = reinterpret_cast<__nv_bfloat162 *>(&result);
  for (int k = 0; k < 4; ++k) {
    const float2 v = __bfloat1622float2(values[k]), g = __bfloat1622float2(scales[k]);
    results[k] = __floats2bfloat162_rn(v.x * scale * g.x, v.y * scale * g.y);
  }
  y[blockIdx.x * 128 + threadIdx.x] = result;
}
