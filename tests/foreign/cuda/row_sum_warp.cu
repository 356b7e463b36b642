// The sum of each row: a block a row, shuffles within a warp, then the first warp adds the warps'
// sums.
//
// nvcc: -fmad=false
// signature: x: f32[T, 1024] in, y: f32[T] out; grid T; block 256; T <= 1048576
__device__ float warpSum(float value) {
  for (int offset = 16; offset > 0; offset /= 2)
    value += __shfl_down_sync(0xffffffffu, value, offset);
  return value;
}

extern "C" __global__ void __launch_bounds__(256) row_sum_warp(const float *__restrict__ x,
                                                               float *__restrict__ y) {
  __shared__ float partial[8];
  const float4 v = reinterpret_cast<const float4 *>(x)[blockIdx.x * 256 + threadIdx.x];
  const float sum = warpSum(((v.x + v.y) + v.z) + v.w);
  if (threadIdx.x % 32 == 0)
    partial[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    const float total = warpSum(threadIdx.x < 8 ? partial[threadIdx.x] : 0.0f);
    if (threadIdx.x == 0)
      y[blockIdx.x] = total;
  }
}
