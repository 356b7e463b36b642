// The online softmax of each row with fast math: approximations that flush subnormals to zero.
//
// nvcc: -use_fast_math
// signature: x: f32[T, 128] in, y: f32[T, 128] out; grid T; block 32; T <= 1048576
extern "C" __global__ void softmax_fast(const float *x, float *y) {
  x += blockIdx.x * 128;
  y += blockIdx.x * 128;
  float largest = -INFINITY, sum = 0.0f;
  for (int k = threadIdx.x; k < 128; k += 32) {
    const float next = fmaxf(largest, x[k]);
    sum = sum * expf(largest - next) + expf(x[k] - next);
    largest = next;
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    const float other = __shfl_xor_sync(0xffffffffu, largest, offset);
    const float next = fmaxf(largest, other);
    sum = sum * expf(largest - next) +
          __shfl_xor_sync(0xffffffffu, sum, offset) * expf(other - next);
    largest = next;
  }
  for (int k = threadIdx.x; k < 128; k += 32)
    y[k] = expf(x[k] - largest) / sum;
}
