// Small contracts that several tests share.
#pragma once

#include <string>

namespace ordo::dsl::testing {

inline const std::string kMath = R"(module math

fn exp(x: f32) -> f32 = {
  n = i32(floor(x * 1.442695 + 0.5))
  r = fma(f32(n), -0.693147, x)
  p = 1.0 + r * (1.0 + r * 0.5)
  p * f32.of_bits(u32(n + 127) << 23)
}
fn log(x: f32) -> f32 = f32(i32(bits(x) >> 23)) - 127.0
fn rsqrt(x: f32) -> f32 = 1.0 / sqrt(x)
)";

inline const std::string kNorm = R"(module nn.norm

use math (rsqrt, exp, log)

op rms_norm<H, bool CENTRED, order row, type E>(x: E[T, H], w: E[H], eps: f32) -> (y: E[T, H]) {
  require H % 8 == 0, H > 0
  ss[t]   = sum[h in H by row] f32(x[t, h]) * f32(x[t, h])
  rstd[t] = 1.0 / sqrt(ss[t] / f32(H) + eps)
  g[h]    = if CENTRED then 1.0 + f32(w[h]) else f32(w[h])
  y[t, h] = E(f32(x[t, h]) * rstd[t] * g[h])
}

op rms_norm_hf<H, order row, type E>(x: E[T, H], w: E[H], eps: f32) -> (y: E[T, H]) {
  ss[t]   = sum[h in H by row] f32(x[t, h]) * f32(x[t, h])
  rstd[t] = rsqrt(ss[t] / f32(H) + eps)
  y[t, h] = w[h] * E(f32(x[t, h]) * rstd[t])
}

op softmax<V, order row, type E>(x: E[T, V]) -> (y: E[T, V]) {
  m[t]    = max[v in V] f32(x[t, v])
  s[t]    = sum[v in V by row] exp(f32(x[t, v]) - m[t])
  y[t, v] = E(exp(f32(x[t, v]) - m[t]) / s[t])
}

op log_sum_exp<V, order row, type E>(x: E[T, V]) -> (y: f32[T]) {
  m[t] = max[v in V] f32(x[t, v])
  y[t] = m[t] + log(sum[v in V by row] exp(f32(x[t, v]) - m[t]))
}

let hidden = 2048
order row = seq(8) | lanes(128) | halves
kernel norm = rms_norm<H = hidden, CENTRED = false, row, E = bf16>(eps = 1e-6)
kernel centred = rms_norm<H = hidden + 8, CENTRED = true, row = lanes(256) | halves, E = f32>
kernel hf = rms_norm_hf<H = 3584, row, E = f16>(eps = 1e-6)
kernel softmax = softmax<V = 1000, row, E = bf16>
kernel lse = log_sum_exp<V = 152064, row = seq(8) | row, E = bf16>
kernel ragged = rms_norm<H = 7, CENTRED = false, row, E = bf16>
)";

} // namespace ordo::dsl::testing
