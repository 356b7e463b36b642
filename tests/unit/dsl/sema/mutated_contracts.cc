#include "tests/unit/dsl/sema/mutated_contracts.h"

#include "dsl/sema/digest.h"

#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

namespace ordo::dsl {
namespace {

namespace fs = std::filesystem;

// Each construct that can move a bit, and nothing that no kernel needs.
const std::string kEverything = R"(module everything

let quarter = 16
order runs  = seq(8).from(0.0) | lanes(4, 2) | halves: bf16
order ends  = first(3) | seq(4) | mid.leaf(2)

fn pick(x: f32, n: i32) -> f32 = {
  even = (n & 1) == 0 and not (x < -2.5)
  if even or n >= 7 then max(x, 0.5) else fma(x, abs(x), sqrt(1.25))
}
fn twist(n: u32) -> u32 = (n << 3) ^ (n >> 5) | (n * 9 + 4)

op f<H, bool FLIP, order row, type E>(x: E[T, H], w: f32[H], eps: f32) -> (y: E[T, H], m: f32[T]) {
  require T % 2 == 0, T < 1000
  ss[t]   = (sum[h in H by row where h > 1] f32(x[t, h]) * w[h]) - eps
  hi[t]   = max[h in H] (f32(x[t, h]) / 3.5)
  lo[t]   = min_nan[h in H] (f32(x[t, h]) + 4.5)
  d[t]    = dot[h in H by fma(4) | pairs(2) | pairs] (f32(x[t, h]), w[H - 1 - h])
  m[t]    = if FLIP then hi[t] + lo[t] else hi[t] - floor(lo[t])
  y[t, h] = E(pick(ss[t] + d[t], i32(w[h]) % 5)) where t <= 40
}

op g<N>(z: f32[T], x: f32[2 * T, N], n: u32[N]) -> (y: bf16[T, N], b: u32[N]) {
  y[t, i] = bf16.rz(x[t, i] + z[t] + f32(bf16(x[t + T, i])))
  b[i]    = twist(n[i]) + bits(f32.of_bits(n[i]))
}

kernel one   = f<H = 64, FLIP = true, row = runs, E = bf16>(eps = 1e-3)
kernel two   = f<H = quarter * 2, FLIP = false, row = ends, E = f32>
kernel three = g<N = 24>

profile everything.v1 {
  let wide = 96
  order row = seq(16) | seq
  kernel four = f<H = wide, FLIP = true, row, E = f16>(eps = 2.5)
}
)";

// The rest: words and arrays, f8, casts, stages and starts, and the atoms of matrix units.
const std::string kRest = R"(module rest

let rounds = 3
order units = mma(32).from(0.5) | pairs
order trees = halves(4) | mid(8) | lanes(3).pad(-0.0) | seq: f16

fn mix(a: u32[2], n: u32) -> (lo: u32, hi: u32) = {
  let up(v) = v ^ n
  (c, k) = iterate rounds (c = a, k = n) {
    w = mulhi(c[0], 0xD2511F53)
    next ([c[1] + k, w], k + 0x9E3779B9)
  }
  (up(c[0]), c[1] - k)
}

op words<N>(n: u32[T], m: u64[T], i: i64[T], v: f64[T], q: f16[T, N])
  -> (a: u32[T], b: u64[T], c: i64[T], d: f64[T], e: f8e4m3fn[T], g: f8e5m2[T], h: i32[T], s: f32[T])
{
  (a[t], p[t]) = mix([n[t], 7], 5)
  b[t] = m[t] * 3 + u64(p[t])
  c[t] = min(i[t], 4) - max(i[t] >> 2, -9)
  d[t] = -v[t] + f64(i[t]) * 1.5
  e[t] = f8e4m3fn.sat(f32(v[t]))
  g[t] = f8e5m2.nosat(f32(q[t, 0]))
  r[t] = max_nan[k in N, j in 2] (f32(q[t, k]) + f32(t + j))
  h[t] = count[k in N where k != 3] (q[t, k] > 0.5) + (if r[t] <= 2.0 then 1 else i32(r[t]))
  s[t] = sum[k in N, j in 3 by trees] (f32(q[t, k]) * (if j == 1 then 2.0 else 0.25))
}

op products<K, order red>(x: bf16[T, K], w: bf16[K]) -> (y: f32[T]) {
  y[t] = dot[k in K by red where k < 90] (x[t, k], w[k])
}

kernel w = words<N = 12>

profile rest.v1 {
  target cuda.sm_90a { atom mma = nv.hopper.bf16 }
  target rocm.gfx942 { atom mma = amd.cdna3.bf16 }
  kernel p = products<K = 96, red = units>
}
)";

// Recurrences, rankings, places and promises.
const std::string kData = R"(module data

order split = seq(4) | seq

view turned<type E>(p: E[N, M])[i, j] -> E[M, N] = p[j, i]

op folds<H>(x: f32[T, H], n: i32[T]) -> (m: f32[T], s: f32[T]) {
  assume forall t: 0 <= n[t] <= H
  (m[t], s[t]) = fold[h in n[t] by split where h != 3] from (-inf, 0.0) {
    hi = max(m, x[t, h])
    next (hi, s * (m - hi) + x[t, h])
  } merge (a, b) {
    next (max(a.m, b.m), a.s - b.s)
  }
}

op scans<H>(x: f32[N, H], start: i32[R], len: i32[R], slot: i32[R], c: f32[P, H] inout)
  -> (y: f32[N, H])
{
  assume disjoint(start[r], len[r] for r in R), distinct(slot[r] for r in R)
  assume forall r: 0 <= start[r] and 0 <= len[r] and start[r] + len[r] <= N
  assume forall r: 0 <= slot[r] < P
  (s[r, i], z[r, t]) = scan[t in len[r] by seq] from (c[slot[r], i]) {
    w[j] = s[j] * x[start[r] + t, j]
    next (w[i] + 1.0)
    yield ((sum[j in H by split] w[j]) - 2.0)
  }
  for r in R, t in len[r] let n = start[r] + t {
    y[n, i] = z[r, t] * x[n, i]
  }
  c[slot[r], i] := s[r, i] where len[r] > 0
}

op ranks<E>(z: f32[T, E], k: i32[T, E]) -> (a: i32[T, 2], b: i32[T], y: f32[T]) {
  a[t, s] = top[2] e in E of (z[t, e] descending, NaN last, e ascending) at s
  b[t]    = argmax[e in E where k[t, e] > 1] of (z[t, e] ascending, NaN first, e descending)
  y[t]    = f32(count[u in T, e in E] ((u, e) < (t, b[t]))) + turned(z)[4, t]
}

kernel f = folds<H = 16>
kernel s = scans<H = 12>
kernel r = ranks<E = 10>
)";

std::string readFile(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// Of the profile; one without a name where there are none.
std::vector<std::string> targetsOf(const Package &package, const std::string &name) {
  std::vector<std::string> targets;
  for (const ProfileInfo &profile : package.profiles())
    if (profile.name == name)
      for (const ProfileInfo::Target &each : profile.targets)
        targets.push_back(each.target.name);
  return targets.empty() ? std::vector<std::string>{""} : targets;
}

} // namespace

Contracts::Contracts(const std::string &name)
    : root_(fs::path(::testing::TempDir()) / "mutation" / name) {
  fs::remove_all(root_);
  fs::create_directories(root_);
  fs::copy("contracts", root_, fs::copy_options::recursive);
  for (const auto &entry : fs::recursive_directory_iterator(root_))
    fs::permissions(entry.path(), fs::perms::owner_all, fs::perm_options::add);
  for (const auto &entry : fs::directory_iterator("tests/contracts"))
    if (entry.path().extension() == ".ordo")
      write(entry.path().filename().string(), readFile(entry.path().string()));
  write("everything.ordo", kEverything);
  write("rest.ordo", kRest);
  write("data.ordo", kData);
}

void Contracts::write(const std::string &path, const std::string &text) const {
  fs::remove(root_ / path);
  std::ofstream(root_ / path, std::ios::binary) << text;
}

std::string Contracts::read(const std::string &path) const {
  return readFile((root_ / path).string());
}

std::optional<Digests> Contracts::digests(const std::string &path, std::string *why) const {
  SourceManager sources;
  Diagnostics diagnostics(sources);
  const auto package = Package::load((root_ / path).string(), {}, sources, diagnostics);
  Digests all;
  if (package)
    for (const std::string &kernel : package->kernels())
      for (const std::string &target : targetsOf(*package, package->kernel(kernel)->profile))
        if (const auto program = package->instantiate(kernel, diagnostics, target))
          all.push_back(digest(*program));
  if (why)
    *why = diagnostics.renderAll();
  if (!package || diagnostics.hasErrors())
    return std::nullopt;
  return all;
}

} // namespace ordo::dsl
