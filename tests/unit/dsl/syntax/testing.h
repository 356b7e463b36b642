// What the tests of dsl/syntax share.
#pragma once

#include "dsl/syntax/parser.h"

#include <functional>
#include <string>
#include <string_view>

namespace ordo::dsl::testing {

/// One text, parsed.
struct Parsed {
  explicit Parsed(std::string text, std::string path = "m.ordo") : diagnostics(sources) {
    ok = parse(sources.add(std::move(path), std::move(text)), sources, diagnostics, ast);
  }

  /// A subtree as (Kind:text kid kid …), `_` for an absent kid; spans and comments left out.
  std::string tree(NodeId id) const {
    if (id == kNoNode)
      return "_";
    const Node &node = ast[id];
    std::string out = "(" + std::to_string(static_cast<int>(node.kind)) + ":" + node.text;
    for (const std::uint32_t count : {node.a, node.b, node.c})
      out += "," + std::to_string(count);
    for (const NodeId kid : node.kids)
      out += " " + tree(kid);
    return out + (node.doc.empty() ? ")" : " ///" + node.doc + ")");
  }
  std::string tree() const {
    std::string out = ast.module;
    for (const NodeId id : ast.declarations)
      out += "\n" + tree(id);
    return out;
  }

  const Node &declaration(std::size_t i) const { return ast[ast.declarations.at(i)]; }
  std::string rendered() const { return diagnostics.renderAll(); }

  SourceManager sources;
  Diagnostics diagnostics;
  Ast ast;
  bool ok = false;
};

/// A norm, a softmax and the declarations around them, with comments in the places where people put
/// them.
inline constexpr std::string_view kSample = R"(// Norms and softmax.
module nn.sample

use math.f32 (exp, rsqrt), nn.norm

let hidden = 2048, top = hidden * 2 + 1

/// RMSNorm rounded once, at the store.
///
/// With CENTRED the stored weight is an offset from one.
op rms_norm<H, bool CENTRED, order row, type E>(x: E[T, H], w: E[H], eps: f32) -> (y: E[T, H]) {
  require H % 8 == 0, H > 0  // whole vectors
  let W = H / 8

  ss[t]   = sum[h in H by row] f32(x[t, h]) * f32(x[t, h])
  rstd[t] = 1.0 / sqrt(ss[t] / f32(H) + eps)
  // the weight
  g[h]    = if CENTRED then 1.0 + f32(w[h]) else f32(w[h])
  y[t, h] = E(f32(x[t, h]) * rstd[t] * g[h]) where t % 2 == 0 and not (h == 3 or w[h] != w[0])
}

op softmax<V, order row>(x: bf16[T, V], b: bf16[V / 2 + 1], n: i32) -> (y: f32[T, V], top: i32[T]) {
  m[t]    = max[v in V where v < n] f32(x[t, v])
  s[t]    = sum[v in V by seq(8).from(-0.0) | lanes(V / 8, 2).pad(0.0): bf16 | mid.leaf(32)] exp(f32(x[t, v]) - m[t])
  d[t]    = dot[v in V, u in 2 by fma(16) | row](x[t, v], b[u]) * 2.0 - f32.of_bits(0x7fc00000)
  top[t]  = count[u in V] (0.0 <= f32(x[t, u]) < 1.0) + count[u in V] x[t, u] == b[0]
  y[t, v] =
    exp(f32(x[t, v]) - m[t])  // above one never
      * (1.0 / s[t])
    where n >> 2 & 1 == 0 | ~n
}

fn silu(x: f32) -> f32 = x / (1.0 + exp(-x))

/// With names of its own.
fn cube(x: f32) -> f32 = {
  a = x * x

  if x < -inf then -(-a) else a * x % 3.0
}

order wide = seq(8)
  | lanes(128)
  | halves
order same = wide

// Kernels.
kernel norm = rms_norm<H = 3584, CENTRED = false, row = wide, E = bf16>(eps = 1e-6)
kernel soft = nn.sample.softmax<V = hidden * (1 + 1), row = seq(8) | same | pairs>
kernel plain = other<row, H>
// the end
)";

/// What the sample above has not: recurrences, blocks, assumptions, updates, views, profiles.
inline constexpr std::string_view kLarger = R"(module nn.larger

use math (exp2)

// An update, and a fold whose head is too long for its line.
op decode<B, G, order kv>(q: f32[T, D], len: i32[T], s: f32[P] inout) -> (o: f32[T, D], n: i32[T]) {
  require D % 16 == 0
  assume forall t, d in D where d > 0: 0 <= len[t] < P, distinct(len[t] for t in T where len[t] > 0)
  assume disjoint(len[t], len[t] for t in T)  // two
  let r(t, u) = len[t] + u
  (m[t], a[t, d]) =
    fold [j in ceil(len[t] / B) by kv where j * B < len[t]] from (-inf, 0.0) {
      // the step
      let c(i) = j * B + i
      hi   = max(m, max[i in B] q[t, c(i)])  // of a block
      base = if hi == -inf then 0.0 else hi

      next (hi, a[d] * exp2(m - base) + (sum[i in B by seq] q[t, c(i)]))
    } // between
    merge (x, y) {
      next (max(x.m, y.m), x.a[d] + y.a[d])
    } where len[t] > 0
  (c[t], y[t, i]) = scan[i in len[t] by seq] from (1.0) {
    next (c * q[t, i])
    yield (c, c)
  }
  for t in T, i in len[t] let k = r(t, i), l = 2 {
    o[k, i] = y[t, i]
    // within
  }
  n[t] = top[D] e in D where q[t, e] > 0.0 of (q[t, e] descending, NaN last, e ascending) at t + 0
  s[len[t]] := c[t] where len[t] > 0
}

fn turn(x: u32[2], n: u32) -> (a: u32[2], b: u32) = {
  (c, k) = iterate 10 (c = x, k = n) { next ([c[1], mulhi(c[0], 3)], k + 1) }
  (c, turn(c, k).b + argmax[e in 2 where e > 0] of (c[e] ascending))
}

fn last(x: u32) -> u32 = iterate (3 * 2) (c = x) {
  next (c * c)
}.c

view paged<type E>(pool: E[N, P], table: i32[R, C])[r, s] -> E[R, C * P] = pool[table[r, s / P], s % P]

/// One model.
profile q.v1 { // head
  target cuda.sm_90a { atom mma = nv.hopper.bf16 }
  let hidden = 2048, top_k = 10
  order row = seq(8) | halves
  /// Split over ranks.
  kernel k = decode<B = hidden, G = 1, kv = row>(eps = 1e-6) over ranks(1, 2)

  forbid sm_80, gfx90a
  // the end
}
)";

} // namespace ordo::dsl::testing
