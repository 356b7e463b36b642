// Softmax of each row in three passes: the maximum, the sum of exponentials, the quotients. A warp
// a row; CUDA's expf rests on ex2.approx even without fast math.
//
// nvcc: (no flags)
// signature: x: f32[T, 256] in, y: f32[T, 256] out, T: i32; grid (T + 3) / 4; block 128; T <= 1048576
extern "C" __global__ void softmax_three_pass(const float *x, float *y, int rows) {
  const int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows)
    return;
  x += row * 256;
  y += row * 256;
  float largest = -INFINITY;
  for (int k = lane; k < 256; k += 32)
    largest = fmaxf(largest, x[k]);
  for (int offset = 16; offset > 0; offset /= 2)
    largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, offset));
  float sum = 0.0f;
  for (int k = lane; k < 256; k += 32)
    sum += expf(x[k] - largest);
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  for (int k = lane; k < 256; k += 32)
    y[k] = expf(x[k] - largest) / sum;
}
