// The sum of each row whose warps add to the result in the order in which they arrive.
//
// nvcc: -fmad=false
// signature: x: f32[T, 256] in, y: f32[T] out; grid T; block 256; T <= 1048576
extern "C" __global__ void row_sum_atomic(const float *x, float *y) {
  float sum = x[blockIdx.x * 256 + threadIdx.x];
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  if (threadIdx.x % 32 == 0)
    atomicAdd(&y[blockIdx.x], sum);
}
