// Whatever the text, sema answers: a package, or errors. Run it under sanitizers.
#include "dsl/sema/digest.h"
#include "dsl/sema/print.h"
#include "tests/unit/dsl/sema/contracts.h"
#include "tests/unit/dsl/sema/harness.h"

#include <random>
#include <vector>

namespace ordo::dsl::testing {
namespace {

const std::string kMore = R"(module m

use math (exp, log)

let width = 64
order tree = seq(4).from(0.0) | lanes(8, 2) | mid.leaf(2): bf16

fn pick(x: f32, n: u32, b: bool) -> f32 = {
  a = if b then x else -x
  c = f32.of_bits((bits(a) ^ n) >> 3)
  max(fma(a, c, 1.0), abs(x))
}

op mix<N, M, bool B, type E, order o>(x: E[T, N], i: i32[T], s: f32, z: f32[S, N / 2]) -> (y: E[T, N], m: f32[T], c: i32[T]) {
  require N % 2 == 0, T == S, M < N
  let half = N / 2
  a[t, h] = sum[j in 2 by o where j < M] f32(x[t, j * half + h]) * z[t, h]
  m[t]    = dot[h in half by fma(4) | tree](a[t, h], z[t, h]) + s
  c[t]    = (count[n in N] x[t, n] == x[t, 0]) + i[t] % 7
  y[t, n] = if B and n > 0 then E(pick(m[t], 0x10, n == 3)) else x[t, N - 1 - n] where n != M
}

kernel k = mix<N = width, M = 3, B = true, E = bf16, o = tree>(s = 0x1p-3)
)";

const std::string kForms = R"(module m

let rounds = 3
let width = 2

fn turn(x: f32, d: f32) -> (c: f32, s: f32) = (x * d, if x < 0.0 then d else x)

fn mix(key: u32[width], ctr: u32[4]) -> u32[4] = iterate rounds (c = ctr, k = key) {
  let up(v) = v + k[1]
  hi = mulhi(0xCD9E8D57, c[2]) ^ up(c[1])
  next ([hi, up(c[0]), c[3], c[1]], [k[0] + 0x9E3779B9, k[1] >> 1])
}.c

fn both(x: f32, n: u64) -> (f32, u32[2]) = {
  (a, b) = turn(x, 0.5)
  w      = mix([u32(n), u32(n >> 32)], [1, 2, 3, 4])
  p      = turn(a, b)
  (if x > 1.0 then p.c else p.s - a, [w[0], w[width + 1]])
}

op forms<N>(x: f32[T, N], n: u64[T]) -> (y: f32[T, N], z: u32[T], m: f32[T]) {
  require N > 0
  let at(t) = both(x[t, N - 1], n[t])
  (a[t], b[t]) = turn(x[t, 0], 2.0)
  y[t, i] = turn(x[t, i], a[t]).s + b[t]
  (q[t], r[t]) = iterate 2 (u = x[t, 0], v = n[t]) {
    (d, e) = both(u, v)
    next (d, u64(e[1]) << 3)
  }
  z[t] = u32(r[t]) + mix([1, 2], [3, 4, 5, 6])[N % 4]
  m[t] = q[t]
}

kernel k = forms<N = 3>
)";

std::vector<std::string> tokensOf(const std::string &text) {
  std::vector<std::string> tokens;
  const auto isWord = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    while (isWord(text[i]) && end < text.size() && isWord(text[end]))
      ++end;
    tokens.push_back(text.substr(i, end - i));
    i = end;
  }
  return tokens;
}

std::string mutate(std::vector<std::string> tokens, std::mt19937 &random) {
  for (int edits = 1 + static_cast<int>(random() % 3); edits > 0; --edits) {
    const std::size_t at = random() % tokens.size(), other = random() % tokens.size();
    switch (random() % 4) {
    case 0:
      tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(at));
      break;
    case 1:
      tokens.insert(tokens.begin() + static_cast<std::ptrdiff_t>(at), tokens[other]);
      break;
    case 2:
      tokens[at] = tokens[other];
      break;
    default:
      std::swap(tokens[at], tokens[other]);
      break;
    }
  }
  std::string text;
  for (const std::string &token : tokens)
    text += token;
  return text;
}

TEST(Robust, TheUnchangedTextIsFine) {
  Loaded loaded({{"m.ordo", kMore}, {"math.ordo", kMath}}, "m.ordo");
  const auto program = loaded.kernel("k");
  ASSERT_TRUE(program);
  EXPECT_TRUE(loaded.diagnostics.all().empty()) << loaded.diagnostics.renderAll();
}

TEST(Robust, TheUnchangedFormsAreFine) {
  Loaded loaded(Loaded::Modules{{"m.ordo", kForms}}, "m.ordo");
  EXPECT_TRUE(loaded.kernel("k"));
}

TEST(Robust, MutatedContracts) {
  std::mt19937 random(11);
  int built = 0, refused = 0;
  const std::vector<std::string> texts[] = {tokensOf(kMore), tokensOf(kNorm), tokensOf(kForms)};
  for (int round = 0; round < 2400; ++round) {
    const std::string root = round % 3 == 1 ? "nn/norm.ordo" : "m.ordo";
    Loaded loaded({{root, mutate(texts[round % 3], random)}, {"math.ordo", kMath}}, root);
    if (!loaded.package) {
      EXPECT_FALSE(loaded.errors().empty());
      ++refused;
      continue;
    }
    for (const std::string &name : loaded.package->kernels()) {
      const std::size_t before = loaded.errors().size();
      const auto program = loaded.package->instantiate(name, loaded.diagnostics);
      EXPECT_EQ(program.has_value(), loaded.errors().size() == before);
      if (!program)
        continue;
      EXPECT_FALSE(printProgram(*program).empty());
      EXPECT_EQ(digest(*program).size(), 64u);
      ++built;
    }
    EXPECT_FALSE(loaded.diagnostics.renderAll().find('\0') != std::string::npos);
  }
  EXPECT_GT(built, 100);
  EXPECT_GT(refused, 100);
}

// Each unknown name looks for one like it among all of the module's.
TEST(Robust, TheHundredthErrorIsNearlyTheLast) {
  std::string lets;
  for (int i = 0; i < 20000; ++i)
    lets += "let a" + std::to_string(i) + " = b" + std::to_string(i) + "\n";
  std::string arguments =
      "op f<N>(x: f32[N]) -> (y: f32[N]) {\n  y[n] = x[n]\n}\nkernel k = f<N = 1";
  for (int i = 0; i < 2000; ++i)
    arguments += ", A" + std::to_string(i) + " = 1";
  for (const std::string &module : {lets, arguments + ">\n"}) {
    Loaded loaded(module);
    if (loaded.package) {
      EXPECT_FALSE(loaded.kernel("k", false));
    }
    ASSERT_EQ(loaded.errors().size(), 101u);
    EXPECT_EQ(loaded.errors().back().kind, "too-many-errors");
  }
}

TEST(Robust, DepthIsRefusedBeforeTheStackEnds) {
  std::string text = "fn f0(x: f32) -> f32 = x\n";
  for (int i = 1; i <= 5; ++i) {
    text += "fn f" + std::to_string(i) + "(x: f32) -> f32 = f" + std::to_string(i - 1) + "(x)";
    for (int j = 0; j < 900; ++j)
      text += " + x";
    text += "\n";
  }
  Loaded loaded(text +
                "op f<N>(x: f32[N]) -> (y: f32[N]) {\n  y[n] = f5(x[n])\n}\nkernel k = f<N = 1>\n");
  ASSERT_TRUE(loaded.package) << loaded.diagnostics.renderAll();
  EXPECT_FALSE(loaded.kernel("k", false));
  ASSERT_EQ(loaded.errors().size(), 1u);
  EXPECT_EQ(loaded.errors()[0].kind, "too-deep");
}

TEST(Robust, ManyConstantsInARow) {
  std::string text = "let a0 = 1\n";
  for (int i = 1; i < 1000; ++i)
    text += "let a" + std::to_string(i) + " = a" + std::to_string(i - 1) + " + 1\n";
  EXPECT_TRUE(Loaded(text).package);
  // Written the other way round each opens the next.
  text = "let a0 = 1\n";
  for (int i = 1; i < 5000; ++i)
    text = "let a" + std::to_string(i) + " = a" + std::to_string(i - 1) + " + 1\n" + text;
  Loaded deep(text);
  EXPECT_FALSE(deep.package);
  EXPECT_EQ(deep.errors().at(0).kind, "too-deep");
}

} // namespace
} // namespace ordo::dsl::testing
