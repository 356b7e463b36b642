// RMSNorm of f32, a warp a row and four rows a block, by nvcc's defaults: products and sums fuse,
// and rsqrtf is an approximation.
//
// nvcc: (no flags)
// signature: x: f32[T, 512] in, w: f32[512] in, y: f32[T, 512] out, T: i32, eps: f32; grid (T + 3) / 4; block 32, 4; T <= 1048576
extern "C" __global__ void rms_norm_warp(const float *x, const float *w, float *y, int rows,
                                         float eps) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows)
    return;
  x += static_cast<size_t>(row) * 512;
  y += static_cast<size_t>(row) * 512;
  float squares = 0.0f;
  for (int k = threadIdx.x; k < 512; k += 32)
    squares += x[k] * x[k];
  for (int offset = 16; offset > 0; offset /= 2)
    squares += __shfl_xor_sync(0xffffffffu, squares, offset);
  const float scale = rsqrtf(squares / 512.0f + eps);
  for (int k = threadIdx.x; k < 512; k += 32)
    y[k] = x[k] * scale * w[k];
}
