// CUDA's own functions, sixteen evaluations an element, as tests/contracts/throughput.ordo has them.
#include <cstdint>

#define MANY(name, call)                                                                           \
  extern "C" __global__ void name(const float *x, float *y, std::uint64_t n) {                     \
    const std::uint64_t t = std::uint64_t{blockIdx.x} * 256 + threadIdx.x;                         \
    if (t >= n)                                                                                    \
      return;                                                                                      \
    float v = x[t], total = 0.0f * v;                                                              \
    _Pragma("unroll") for (int i = 0; i < 16; ++i, v += 0.0625f) total += call;                    \
    y[t] = total;                                                                                  \
  }

MANY(cuda_exp, expf(v))
MANY(cuda_exp_nonpositive, expf(-v))
MANY(cuda_exp2, exp2f(v))
MANY(cuda_expm1, expm1f(v))
MANY(cuda_log, logf(v))
MANY(cuda_log2, log2f(v))
MANY(cuda_log1p, log1pf(v))
MANY(cuda_sin, sinf(v))
MANY(cuda_cos, cosf(v))
MANY(cuda_tanh, tanhf(v))
MANY(cuda_erf, erff(v))
MANY(cuda_rsqrt, rsqrtf(v))
MANY(cuda_cbrt, cbrtf(v))
MANY(cuda_sigmoid, 1.0f / (1.0f + expf(-v)))
