// What a digest tells apart and what it does not.
#include "dsl/sema/digest.h"
#include "tests/unit/dsl/sema/harness.h"

#include <set>

namespace ordo::dsl::testing {
namespace {

std::string digestOf(const std::string &op, const std::string &kernel = "kernel k = f<H = 64>\n") {
  Loaded loaded(op + kernel);
  const auto program = loaded.kernel("k");
  return program ? digest(*program) : "";
}

const std::string kPlain = R"(
fn square(x: f32) -> f32 = x * x
op f<H>(x: bf16[T, H], w: bf16[H], eps: f32) -> (y: bf16[T, H], m: f32[T]) {
  require T % 2 == 0, T < 100
  ss[t]   = sum[h in H by seq(8) | halves where h > 0] square(f32(x[t, h]))
  hi[t]   = max[h in H] f32(x[t, h])
  m[t]    = hi[t] + 1.0
  y[t, h] = bf16(f32(x[t, h]) * (ss[t] + eps)) * w[h]
}
)";

TEST(Digest, IsSha256OfTheCanonicalForm) {
  Loaded loaded(kPlain + "kernel k = f<H = 64>\n");
  const auto program = loaded.kernel("k");
  ASSERT_TRUE(program);
  EXPECT_EQ(digest(*program).size(), 64u);
  const std::string form = canonicalForm(*program);
  for (const char *name : {"square", "eps", "ss", "hi", "row", "nn"})
    EXPECT_EQ(form.find(name), std::string::npos) << name << "\n" << form;
}

TEST(Digest, IgnoresNamesOrderAndSpelling) {
  const std::string renamed = R"(
// The same contract.
order pipe = seq(8) | halves
let width = 32 + 32
fn sq(value: f32) -> f32 = {
  v = value
  v * v
}
op g<N, order o>(a: bf16[R, N], b: bf16[N], small: f32) -> (out: bf16[R, N], top: f32[R]) {
  require R < 100, R % 2 == 0
  top_[r]   = max[c in N] f32(a[r, c])
  top[r]    = top_[r] + 0x1p0
  unused[r] = top_[r] * 3.0
  acc[r]    = sum[i in N by o where i > 0] sq(f32(a[r, i]))
  out[r, c] = bf16(f32(a[r, c]) * (acc[r] + small)) * b[c]
}
)";
  EXPECT_EQ(digestOf(kPlain), digestOf(renamed, "kernel k = g<N = width, o = pipe>\n"));
}

TEST(Digest, TellsContractsApart) {
  const std::pair<std::string, std::string> changes[] = {
      {"seq(8)", "seq(16)"},
      {"halves where", "pairs where"},
      {"halves where", "halves: bf16 where"},
      {"seq(8)", "seq(8).from(0.0)"},
      {"where h > 0", "where h > 1"},
      {" where h > 0", ""},
      {"max[h in H]", "max_nan[h in H]"},
      {"+ 1.0", "+ 1.5"},
      {"hi[t] + 1.0", "1.0 + hi[t]"},
      {"bf16(f32", "bf16.rz(f32"},
      {"eps: f32", "eps: f32, more: f32"},
      {"x: bf16[T, H], w: bf16[H]", "w: bf16[H], x: bf16[T, H]"},
      {"T % 2 == 0, ", ""},
      {"T < 100", "T < 101"},
      {"x * x", "x * x * x"},
      {"(ss[t] + eps)", "ss[t] + eps"},
      {"hi[t] + 1.0", "ss[t] + 1.0"},
      {"x[t, h])\n  m", "x[t, H - 1 - h])\n  m"},
  };
  std::set<std::string> digests = {digestOf(kPlain)};
  for (const auto &[from, to] : changes) {
    std::string text = kPlain;
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    EXPECT_TRUE(digests.insert(digestOf(text)).second) << from << " → " << to;
  }
  EXPECT_TRUE(digests.insert(digestOf(kPlain, "kernel k = f<H = 65>\n")).second);
  EXPECT_TRUE(digests.insert(digestOf(kPlain, "kernel k = f<H = 64>(eps = 1e-6)\n")).second);
  EXPECT_TRUE(digests.insert(digestOf(kPlain, "kernel k = f<H = 64>(eps = 1e-5)\n")).second);
}

TEST(Digest, FreeDimensionsCountByTheirPlaces) {
  const std::string body = " -> (y: f32[T]) {\n  y[t] = x[t, t]\n}\n";
  const std::string same = digestOf("op f<H>(x: f32[T, T])" + body);
  EXPECT_NE(same,
            digestOf("op f<H>(x: f32[T, S])" +
                     std::string(" -> (y: f32[T]) {\n  require T == S\n  y[t] = x[t, t]\n}\n")));
  EXPECT_EQ(same, digestOf("op f<H>(x: f32[A, A]) -> (y: f32[A]) {\n  y[i] = x[i, i]\n}\n"));
}

TEST(Digest, LongChainsNeedNoStack) {
  Program program;
  program.tensors = {{"x", DType::F32, {}, Tensor::Role::Input},
                     {"y", DType::F32, {}, Tensor::Role::Output}};
  const ExprId x = program.make(Op::Load, DType::F32, 0);
  ExprId value = x;
  for (int i = 0; i < 300000; ++i)
    value = program.make(Op::Add, DType::F32, 0, {value, x});
  Definition y;
  y.value = value;
  y.output = 1;
  program.definitions = {y};
  EXPECT_EQ(digest(program).size(), 64u);
}

} // namespace
} // namespace ordo::dsl::testing
