// A fault on purpose: the tree in shared memory lacks its __syncthreads between levels.
//
// nvcc: -fmad=false
// signature: x: f32[T, 128] in, y: f32[T] out; grid T; block 128; T <= 1048576
extern "C" __global__ void row_sum_race(const float *x, float *y) {
  __shared__ float partial[128];
  partial[threadIdx.x] = x[blockIdx.x * 128 + threadIdx.x];
  __syncthreads();
  for (unsigned half = 64; half > 0; half /= 2)
    if (threadIdx.x < half)
      partial[threadIdx.x] += partial[threadIdx.x + half];
  if (threadIdx.x == 0)
    y[blockIdx.x] = partial[0];
}
