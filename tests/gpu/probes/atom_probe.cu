// Random operands of every regime through mma.sync and wgmma on a Hopper card, against the evaluator's rules
// (dsl/eval/atom). Prints, for each regime, in how many outputs each reading of the rule differs, and writes the
// sampled steps that lie in tests/data/tensor_core_vectors/measured as H200_TYPE.bin into $OUT or the working
// folder. A probe, run by hand when a rule is in doubt; no test builds it. It last ran on an H200, driver 580:
//
//   nvcc -std=c++20 -O2 -gencode=arch=compute_90a,code=sm_90a -I. -c tests/gpu/probes/atom_probe.cu
//   clang++-19 -std=c++20 -O2 -ffp-contract=off -I. atom_probe.o dsl/eval/atom/*.cc dsl/eval/numeric.cc
//     dsl/eval/rounding.cc dsl/eval/kernels_*.cc dsl/types/dtype.cc -L/usr/local/cuda/lib64 -lcudart_static -lfmt
#include "dsl/eval/atom/atom.h"
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>
using namespace ordo::dsl;
#define CK(x)                                                                                      \
  do {                                                                                             \
    cudaError_t e = (x);                                                                           \
    if (e) {                                                                                       \
      printf("cuda: %s line %d\n", cudaGetErrorString(e), __LINE__);                               \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)
// a [P][M][K], b [P][N][K], c,d [P][M][N]
__global__ void k16(const uint16_t *a, const uint16_t *b, const uint32_t *c, uint32_t *d, bool bf) {
  long p = blockIdx.x;
  int l = threadIdx.x, g = l / 4, t = l % 4;
  a += p * 256;
  b += p * 128;
  c += p * 128;
  d += p * 128;
  auto two = [](const uint16_t *q) { return uint32_t(q[0]) | uint32_t(q[1]) << 16; };
  uint32_t A[4] = {two(a + g * 16 + 2 * t), two(a + (g + 8) * 16 + 2 * t),
                   two(a + g * 16 + 2 * t + 8), two(a + (g + 8) * 16 + 2 * t + 8)},
           B[2] = {two(b + g * 16 + 2 * t), two(b + g * 16 + 2 * t + 8)};
  uint32_t C[4] = {c[g * 8 + 2 * t], c[g * 8 + 2 * t + 1], c[(g + 8) * 8 + 2 * t],
                   c[(g + 8) * 8 + 2 * t + 1]},
           D[4];
  if (bf)
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                 "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%10,%11,%12,%13};"
                 : "=r"(D[0]), "=r"(D[1]), "=r"(D[2]), "=r"(D[3])
                 : "r"(A[0]), "r"(A[1]), "r"(A[2]), "r"(A[3]), "r"(B[0]), "r"(B[1]), "r"(C[0]),
                   "r"(C[1]), "r"(C[2]), "r"(C[3]));
  else
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                 "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%10,%11,%12,%13};"
                 : "=r"(D[0]), "=r"(D[1]), "=r"(D[2]), "=r"(D[3])
                 : "r"(A[0]), "r"(A[1]), "r"(A[2]), "r"(A[3]), "r"(B[0]), "r"(B[1]), "r"(C[0]),
                   "r"(C[1]), "r"(C[2]), "r"(C[3]));
  d[g * 8 + 2 * t] = D[0];
  d[g * 8 + 2 * t + 1] = D[1];
  d[(g + 8) * 8 + 2 * t] = D[2];
  d[(g + 8) * 8 + 2 * t + 1] = D[3];
}
__global__ void tf32(const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *d) {
  long p = blockIdx.x;
  int l = threadIdx.x, g = l / 4, t = l % 4;
  a += p * 128;
  b += p * 64;
  c += p * 128;
  d += p * 128;
  uint32_t A[4] = {a[g * 8 + t], a[(g + 8) * 8 + t], a[g * 8 + t + 4], a[(g + 8) * 8 + t + 4]},
           B[2] = {b[g * 8 + t], b[g * 8 + t + 4]};
  uint32_t C[4] = {c[g * 8 + 2 * t], c[g * 8 + 2 * t + 1], c[(g + 8) * 8 + 2 * t],
                   c[(g + 8) * 8 + 2 * t + 1]},
           D[4];
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
               "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%10,%11,%12,%13};"
               : "=r"(D[0]), "=r"(D[1]), "=r"(D[2]), "=r"(D[3])
               : "r"(A[0]), "r"(A[1]), "r"(A[2]), "r"(A[3]), "r"(B[0]), "r"(B[1]), "r"(C[0]),
                 "r"(C[1]), "r"(C[2]), "r"(C[3]));
  d[g * 8 + 2 * t] = D[0];
  d[g * 8 + 2 * t + 1] = D[1];
  d[(g + 8) * 8 + 2 * t] = D[2];
  d[(g + 8) * 8 + 2 * t + 1] = D[3];
}
__global__ void f64(const uint64_t *a, const uint64_t *b, const uint64_t *c, uint64_t *d) {
  long p = blockIdx.x;
  int l = threadIdx.x, g = l / 4, t = l % 4;
  a += p * 32;
  b += p * 32;
  c += p * 64;
  d += p * 64;
  uint64_t D[2];
  asm volatile("{.reg .f64 a,b,c0,c1,d0,d1; mov.b64 a,%2; mov.b64 b,%3; mov.b64 c0,%4; mov.b64 "
               "c1,%5; mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {d0,d1},{a},{b},{c0,c1}; "
               "mov.b64 %0,d0; mov.b64 %1,d1;}"
               : "=l"(D[0]), "=l"(D[1])
               : "l"(a[g * 4 + t]), "l"(b[g * 4 + t]), "l"(c[g * 8 + 2 * t]),
                 "l"(c[g * 8 + 2 * t + 1]));
  d[g * 8 + 2 * t] = D[0];
  d[g * 8 + 2 * t + 1] = D[1];
}
// wgmma m64n8k32 f8; a [P][64][32], b [P][8][32]
template <bool E5>
__global__ void f8(const uint8_t *a, const uint8_t *b, const uint32_t *c, uint32_t *d) {
  long p = blockIdx.x;
  int th = threadIdx.x, w = th / 32, l = th % 32, g = l / 4, t = l % 4;
  a += p * 2048;
  b += p * 256;
  c += p * 512;
  d += p * 512;
  __shared__ __align__(1024) uint8_t s[256];
  for (int i = th; i < 256; i += 128) {
    int n = i / 32, k = i % 32;
    s[(k / 16) * 128 + n * 16 + k % 16] = b[i];
  }
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  auto four = [&](int r, int k) {
    uint32_t v;
    memcpy(&v, a + (16 * w + r) * 32 + k, 4);
    return v;
  };
  uint32_t A[4] = {four(g, 4 * t), four(g + 8, 4 * t), four(g, 16 + 4 * t),
                   four(g + 8, 16 + 4 * t)};
  int r0 = (16 * w + g) * 8 + 2 * t, r1 = r0 + 64;
  uint32_t D[4] = {c[r0], c[r0 + 1], c[r1], c[r1 + 1]};
  uint64_t desc = ((uint64_t)__cvta_generic_to_shared(s) & 0x3ffff) >> 4 | (uint64_t)8 << 16 |
                  (uint64_t)8 << 32;
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  if (E5)
    asm volatile(
        "{.reg .pred p; setp.ne.b32 p, 1, 0; .reg .f32 x0,x1,x2,x3; mov.b32 x0,%0; mov.b32 x1,%1; "
        "mov.b32 x2,%2; mov.b32 x3,%3; wgmma.fence.sync.aligned; "
        "wgmma.mma_async.sync.aligned.m64n8k32.f32.e5m2.e5m2 {x0,x1,x2,x3},{%4,%5,%6,%7},%8,p,1,1; "
        "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; mov.b32 %0,x0; mov.b32 "
        "%1,x1; mov.b32 %2,x2; mov.b32 %3,x3;}"
        : "+r"(D[0]), "+r"(D[1]), "+r"(D[2]), "+r"(D[3])
        : "r"(A[0]), "r"(A[1]), "r"(A[2]), "r"(A[3]), "l"(desc)
        : "memory");
  else
    asm volatile(
        "{.reg .pred p; setp.ne.b32 p, 1, 0; .reg .f32 x0,x1,x2,x3; mov.b32 x0,%0; mov.b32 x1,%1; "
        "mov.b32 x2,%2; mov.b32 x3,%3; wgmma.fence.sync.aligned; "
        "wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3 {x0,x1,x2,x3},{%4,%5,%6,%7},%8,p,1,1; "
        "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; mov.b32 %0,x0; mov.b32 "
        "%1,x1; mov.b32 %2,x2; mov.b32 %3,x3;}"
        : "+r"(D[0]), "+r"(D[1]), "+r"(D[2]), "+r"(D[3])
        : "r"(A[0]), "r"(A[1]), "r"(A[2]), "r"(A[3]), "l"(desc)
        : "memory");
  d[r0] = D[0];
  d[r0 + 1] = D[1];
  d[r1] = D[2];
  d[r1 + 1] = D[3];
}
using Rng = std::mt19937_64;
using Gen = std::function<uint64_t(Rng &)>;
template <class T> struct Dev {
  T *p;
  size_t n;
  Dev(const std::vector<T> &v) : n(v.size()) {
    CK(cudaMalloc(&p, n * sizeof(T)));
    CK(cudaMemcpy(p, v.data(), n * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~Dev() { cudaFree(p); }
  std::vector<T> get() {
    CK(cudaDeviceSynchronize());
    std::vector<T> v(n);
    CK(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
    return v;
  }
};
struct Dump {
  uint32_t rows = 0, cols = 0;
  std::string a, b, c, d;
};
static std::map<std::string, Dump> dumps;
struct Variant {
  std::string name;
  AtomRule rule;
};
template <class A, class C>
void trial(const std::string &what, long P, int M, int N, int K, Gen ga, Gen gb, Gen gc,
           std::function<void(const A *, const A *, const C *, C *)> launch,
           const std::vector<Variant> &variants) {
  Rng rng(std::hash<std::string>{}(what));
  std::vector<A> a(P * M * K), b(P * N * K);
  std::vector<C> c(P * M * N);
  for (auto &x : a)
    x = ga(rng);
  for (auto &x : b)
    x = gb(rng);
  for (auto &x : c)
    x = gc(rng);
  Dev<A> da(a), db(b);
  Dev<C> dc(c), dd(c);
  launch(da.p, db.p, dc.p, dd.p);
  CK(cudaGetLastError());
  std::vector<C> d = dd.get();
  {
    auto &o = dumps[what.substr(0, what.find(' '))];
    o.cols = K;
    Rng pick(99);
    int want = 240, informative = 0;
    AtomRule plain = variants[0].rule;
    for (int tries = 0; want > 0 && tries < 400000; tries++) {
      long p = pick() % P;
      int i = pick() % M, j = pick() % N;
      const A *x = &a[(p * M + i) * K], *y = &b[(p * N + j) * K];
      C cc = c[(p * M + i) * N + j], dd = d[(p * M + i) * N + j];
      if (variants[0].name == "no floor" && informative < 20 && want <= 120) {
        auto w = chain(plain, {(const std::byte *)x, K * sizeof(A)},
                       {(const std::byte *)y, K * sizeof(A)}, cc);
        if (C(*w) == dd)
          continue;
        informative++;
      }
      o.rows++;
      want--;
      o.a.append((const char *)x, K * sizeof(A));
      o.b.append((const char *)y, K * sizeof(A));
      o.c.append((const char *)&cc, sizeof cc);
      o.d.append((const char *)&dd, sizeof dd);
    }
  }
  printf("%-28s n=%ld", what.c_str(), P * M * N);
  for (auto &v : variants) {
    std::vector<long> bad(16), nanbad(16);
    std::vector<std::string> ex(16);
    std::vector<std::thread> th;
    for (int q = 0; q < 16; q++)
      th.emplace_back([&, q] {
        for (long p = q; p < P; p += 16)
          for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++) {
              auto bytes = [](const A *x, int k) {
                return std::span<const std::byte>((const std::byte *)x, k * sizeof(A));
              };
              auto w = chain(v.rule, bytes(&a[(p * M + i) * K], K), bytes(&b[(p * N + j) * K], K),
                             c[(p * M + i) * N + j]);
              C got = d[(p * M + i) * N + j];
              if (C(*w) != got) {
                bool nan = sizeof(C) == 4
                               ? ((got & 0x7fffffff) > 0x7f800000 && (*w & 0x7fffffff) > 0x7f800000)
                               : ((got & ~(1ull << 63)) > 0x7ff0000000000000ull &&
                                  (*w & ~(1ull << 63)) > 0x7ff0000000000000ull);
                (nan ? nanbad : bad)[q]++;
                if (ex[q].empty() || (!nan && ex[q][0] == 'n')) {
                  char s[2000];
                  int o = snprintf(s, 2000, "%s c=%llx got=%llx want=%llx:", nan ? "n" : "x",
                                   (unsigned long long)c[(p * M + i) * N + j],
                                   (unsigned long long)got, (unsigned long long)*w);
                  for (int k = 0; k < K; k++)
                    o += snprintf(s + o, 2000 - o, " %llx*%llx",
                                  (unsigned long long)a[(p * M + i) * K + k],
                                  (unsigned long long)b[(p * N + j) * K + k]);
                  ex[q] = s;
                }
              }
            }
      });
    for (auto &t : th)
      t.join();
    long s = 0, ns = 0;
    for (long x : bad)
      s += x;
    for (long x : nanbad)
      ns += x;
    printf(" | %s %ld", v.name.c_str(), s);
    if (ns)
      printf(" (nan bits %ld)", ns);
    if ((s || ns) && &v == &variants[0])
      for (auto &e : ex)
        if (!e.empty()) {
          printf("\n    %s\n   ", e.c_str());
          break;
        }
  }
  printf("\n");
  fflush(stdout);
}
static double nrm(Rng &r) { return std::normal_distribution<double>()(r); }
static int uni(Rng &r, int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(r); }
static uint64_t toBits(const std::string &f, double x) {
  float y = (float)x;
  uint32_t u;
  memcpy(&u, &y, 4);
  if (f == "bf16")
    return u >> 16;
  if (f == "tf32")
    return u;
  if (f == "f16") {
    _Float16 h = (_Float16)y;
    uint16_t v;
    memcpy(&v, &h, 2);
    return v;
  }
  if (f == "f64") {
    uint64_t v;
    memcpy(&v, &x, 8);
    return v;
  }
  return u;
}
static Gen scaled(std::string f, int lo, int hi) {
  return [=](Rng &r) { return toBits(f, std::ldexp(nrm(r), uni(r, lo, hi))); };
}
static Gen zeros(Gen g, int percent) {
  return [=](Rng &r) { return uni(r, 0, 99) < percent ? 0 : g(r); };
}
static Gen raw(int bits) {
  return [=](Rng &r) { return r() >> (64 - bits); };
}
static Gen cancel(std::string f, int s) {
  return [=](Rng &r) { return toBits(f, std::ldexp(std::round(nrm(r) * 4), uni(r, -s, s))); };
}
int main() {
  auto rule = [](const char *n) { return *findAtom(n); };
  Gen zero = [](Rng &) { return 0; };
  const long P = 4096;
  auto floors = [&](const char *n) {
    std::vector<Variant> v;
    AtomRule r = rule(n);
    r.leastExponent = kNoLeastExponent;
    v.push_back({"no floor", r});
    for (int f = -130; f >= -136; f--) {
      r.leastExponent = f;
      v.push_back({std::to_string(f), r});
    }
    return v;
  };
  auto negz = [](uint64_t z, Gen g) {
    return Gen([=](Rng &r) { return uni(r, 0, 9) == 0 ? z : g(r); });
  };
  for (bool bf : {true, false}) {
    std::string f = bf ? "bf16" : "f16";
    auto name = "nv.hopper." + f;
    auto launch = [&](const uint16_t *a, const uint16_t *b, const uint32_t *c, uint32_t *d) {
      k16<<<P, 32>>>(a, b, c, d, bf);
    };
    auto go = [&](std::string w, Gen a, Gen b, Gen c, bool fl = false) {
      trial<uint16_t, uint32_t>(f + " " + w, P, 16, 8, 16, a, b, c, launch,
                                fl ? floors(name.c_str())
                                   : std::vector<Variant>{{"rule", rule(name.c_str())}});
    };
    int W = bf ? 30 : 8;
    go("normal", scaled(f, 0, 0), scaled(f, 0, 0), scaled("f32", 0, 0));
    go("wide", scaled(f, -W, W), scaled(f, -W, W), scaled("f32", -W, W));
    go("cancel", cancel(f, 4), cancel(f, 4), cancel("f32", 6));
    go("raw bits", raw(16), raw(16), raw(32));
    go("raw bits, zeros", zeros(raw(16), 60), zeros(raw(16), 60), raw(32));
    go("zeros", zeros(scaled(f, -W, W), 50), zeros(scaled(f, -W, W), 50),
       zeros(scaled("f32", -W, W), 50));
    if (bf) {
      go("floor near 2^-149", scaled(f, -78, -74), scaled(f, -78, -74), zero, true);
      go("floor, zeros", zeros(scaled(f, -78, -74), 30), scaled(f, -78, -74), zero, true);
      go("floor 2^-135", scaled(f, -70, -66), scaled(f, -70, -66), zero, true);
      go("floor, tiny c", scaled(f, -78, -74), scaled(f, -78, -74), scaled("f32", -149, -140),
         true);
      go("floor wide", scaled(f, -90, -55), scaled(f, -90, -55), zero, true);
    }
  }
  {
    std::string f = "tf32";
    auto launch = [&](const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *d) {
      tf32<<<P, 32>>>(a, b, c, d);
    };
    AtomRule l4 = rule("nv.hopper.tf32");
    l4.products = 4;
    AtomRule up = rule("nv.hopper.tf32");
    up.ignoredBits = 0;
    up.fractionBits = 25;
    auto go = [&](std::string w, Gen a, Gen b, Gen c, bool fl = false) {
      trial<uint32_t, uint32_t>(
          f + " " + w, P, 16, 8, 8, a, b, c, launch,
          fl ? floors("nv.hopper.tf32")
             : std::vector<Variant>{{"rule", rule("nv.hopper.tf32")}, {"L=4", l4}});
    };
    go("normal", scaled(f, 0, 0), scaled(f, 0, 0), scaled("f32", 0, 0));
    go("wide", scaled(f, -30, 30), scaled(f, -30, 30), scaled("f32", -30, 30));
    go("cancel", cancel(f, 4), cancel(f, 4), cancel("f32", 6));
    go("raw bits", raw(32), raw(32), raw(32));
    go("raw bits, zeros", zeros(raw(32), 60), zeros(raw(32), 60), raw(32));
    go("zeros", zeros(scaled(f, -30, 30), 50), zeros(scaled(f, -30, 30), 50),
       zeros(scaled("f32", -30, 30), 50));
    Gen nanlow = [=](Rng &r) -> uint64_t {
      int k = uni(r, 0, 19);
      return k == 0   ? 0x7f800000u | uni(r, 1, 0x1fff)
             : k == 1 ? uni(r, 0, 0x3fff)
                      : scaled("f32", -3, 3)(r);
    };
    go("NaN and denormal in dropped", nanlow, nanlow, scaled("f32", 0, 0));
    go("floor near 2^-149", scaled(f, -78, -74), scaled(f, -78, -74), zero, true);
    go("floor wide", scaled(f, -90, -55), scaled(f, -90, -55), zero, true);
    go("tiny c", scaled(f, -78, -74), scaled(f, -78, -74), scaled("f32", -149, -140));
  }
  {
    auto launch = [&](const uint64_t *a, const uint64_t *b, const uint64_t *c, uint64_t *d) {
      f64<<<P, 32>>>(a, b, c, d);
    };
    auto go = [&](std::string w, Gen a, Gen b, Gen c) {
      trial<uint64_t, uint64_t>("f64 " + w, P, 8, 8, 4, a, b, c, launch,
                                {{"rule", rule("nv.hopper.f64")}});
    };
    go("normal", scaled("f64", 0, 0), scaled("f64", 0, 0), scaled("f64", 0, 0));
    go("wide", scaled("f64", -30, 30), scaled("f64", -30, 30), scaled("f64", -30, 30));
    go("raw bits", raw(64), raw(64), raw(64));
    go("subnormal", scaled("f64", -540, -520), scaled("f64", -540, -520),
       scaled("f64", -1074, -1040));
    Gen nz = negz(1ull << 63, zero);
    go("zeros", nz, nz, nz);
    Gen sp = [](Rng &r) -> uint64_t {
      static const uint64_t v[] = {0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000001,
                                   0xfff8000000000000, 0x7ff0000000000001, 0,
                                   1ull << 63,         0x3ff0000000000000};
      return v[uni(r, 0, 7)];
    };
    go("specials", sp, sp, sp);
  }
  for (bool e5 : {false, true}) {
    std::string name = e5 ? "nv.hopper.f8e5m2" : "nv.hopper.f8e4m3fn";
    auto launch = [&](const uint8_t *a, const uint8_t *b, const uint32_t *c, uint32_t *d) {
      if (e5)
        f8<true><<<P, 128>>>(a, b, c, d);
      else
        f8<false><<<P, 128>>>(a, b, c, d);
    };
    AtomRule r = rule(name.c_str());
    r.startsFromZero = false;
    std::vector<Variant> v{{"rule", r}};
    AtomRule q = r;
    q.resultBits = 23;
    v.push_back({"R=23", q});
    q = r;
    q.fractionBits = 14;
    v.push_back({"F=14", q});
    q.fractionBits = 12;
    v.push_back({"F=12", q});
    q = r;
    q.products = 16;
    v.push_back({"L=16", q});
    auto go = [&](std::string w, Gen a, Gen b, Gen c) {
      trial<uint8_t, uint32_t>((e5 ? "e5m2 " : "e4m3 ") + w, P, 64, 8, 32, a, b, c, launch, v);
    };
    Gen mid = [=](Rng &g) -> uint64_t {
      return e5 ? (uni(g, 0, 1) << 7 | uni(g, 48, 71)) : (uni(g, 0, 1) << 7 | uni(g, 32, 79));
    };
    auto e8m13 = [](Gen g) { return Gen([=](Rng &r) { return g(r) & ~uint64_t(0x3ff); }); };
    go("c=0", mid, mid, zero);
    go("raw, c=0", raw(8), raw(8), zero);
    go("c e8m13", mid, mid, e8m13(scaled("f32", -3, 5)));
    go("c f32", mid, mid, scaled("f32", -3, 5));
    go("c f32 wide", mid, mid, scaled("f32", -20, 20));
    go("raw, c raw", zeros(raw(8), 50), zeros(raw(8), 50), raw(32));
    go("c tiny", zeros(mid, 60), zeros(mid, 60), scaled("f32", -149, -120));
    go("zeros, c only", zero, zero, scaled("f32", -30, 30));
  }
  const char *out = getenv("OUT");
  for (auto &[n, o] : dumps) {
    std::string f = std::string(out ? out : ".") + "/H200_" + n + ".bin";
    FILE *h = fopen(f.c_str(), "wb");
    fwrite(&o.rows, 4, 1, h);
    fwrite(&o.cols, 4, 1, h);
    for (auto *v : {&o.a, &o.b, &o.c, &o.d})
      fwrite(v->data(), 1, v->size(), h);
    fclose(h);
    printf("%s %u rows\n", f.c_str(), o.rows);
  }
}
