// The sum of each row: a block a row, a strided chain a thread, then a tree in shared memory whose
// size is given at launch.
//
// nvcc: (no flags)
// signature: x: f32[T, 1024] in, y: f32[T] out; grid T; block 256; shared 1024
extern __shared__ float partial[];

extern "C" __global__ void row_sum_tree(const float *x, float *y) {
  const float *row = x + static_cast<long long>(blockIdx.x) * 1024;
  float sum = 0.0f;
  for (int k = threadIdx.x; k < 1024; k += blockDim.x)
    sum += row[k];
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    y[blockIdx.x] = partial[0];
}
