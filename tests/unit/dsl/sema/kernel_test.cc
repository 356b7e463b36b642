// Contracts that are fine, as the programs they become.
#include "dsl/sema/print.h"
#include "tests/unit/dsl/sema/contracts.h"
#include "tests/unit/dsl/sema/harness.h"

#include <bit>

namespace ordo::dsl::testing {
namespace {

class Norm : public ::testing::Test {
protected:
  std::string listing(const std::string &kernel) {
    const auto program = loaded.kernel(kernel);
    return program ? printProgram(*program) : "";
  }
  Loaded loaded{{{"math.ordo", kMath}, {"nn/norm.ordo", kNorm}}, "nn/norm.ordo"};
};

TEST_F(Norm, ListsItsKernelsInOrder) {
  ASSERT_TRUE(loaded.package) << loaded.diagnostics.renderAll();
  EXPECT_EQ(loaded.package->kernels(),
            (std::vector<std::string>{"norm", "centred", "hf", "softmax", "lse", "ragged"}));
  EXPECT_TRUE(loaded.diagnostics.all().empty()) << loaded.diagnostics.renderAll();
}

TEST_F(Norm, RmsNorm) {
  EXPECT_EQ(listing("norm"), R"(kernel norm = nn.norm.rms_norm
  free T
  in x: bf16[T, 2048]
  in w: bf16[2048]
  out y: bf16[T, 2048]
  ss[t in T] = sum[h in 2048 by seq(8) | lanes(128) | halves] f32(x[t, h]) * f32(x[t, h])
  rstd[t in T] = 1.0 / sqrt(ss[t] / 2048.0 + 1e-06)
  g[h in 2048] = f32(w[h])
  y[t in T, h in 2048] = bf16(f32(x[t, h]) * rstd[t] * g[h])
)");
}

TEST_F(Norm, CentredInF32HasNoCasts) {
  EXPECT_EQ(listing("centred"), R"(kernel centred = nn.norm.rms_norm
  free T
  in x: f32[T, 2056]
  in w: f32[2056]
  out y: f32[T, 2056]
  scalar eps: f32
  ss[t in T] = sum[h in 2056 by lanes(256) | halves] x[t, h] * x[t, h]
  rstd[t in T] = 1.0 / sqrt(ss[t] / 2056.0 + eps)
  g[h in 2056] = 1.0 + w[h]
  y[t in T, h in 2056] = x[t, h] * rstd[t] * g[h]
)");
}

TEST_F(Norm, TheHfOrderRoundsBeforeTheWeight) {
  EXPECT_NE(listing("hf").find("y[t in T, h in 3584] = w[h] * f16(f32(x[t, h]) * rstd[t])"),
            std::string::npos);
}

TEST_F(Norm, Softmax) {
  EXPECT_EQ(listing("softmax"), R"(kernel softmax = nn.norm.softmax
  free T
  in x: bf16[T, 1000]
  out y: bf16[T, 1000]
  m[t in T] = max[v in 1000] f32(x[t, v])
  s[t in T] = sum[v in 1000 by seq(8) | lanes(128) | halves] {
    %1 = f32(x[t, v]) - m[t]
    %2 = i32(floor(%1 * 1.442695 + 0.5))
    %3 = fma(f32(%2), -0.693147, %1)
    (1.0 + %3 * (1.0 + %3 * 0.5)) * f32.of_bits(u32(%2 + 127) << 23)
  }
  %4 = f32(x[t, v]) - m[t]
  %5 = i32(floor(%4 * 1.442695 + 0.5))
  %6 = fma(f32(%5), -0.693147, %4)
  y[t in T, v in 1000] = bf16((1.0 + %6 * (1.0 + %6 * 0.5)) * f32.of_bits(u32(%5 + 127) << 23) / s[t])
)");
}

TEST_F(Norm, LogSumExpOverANamedOrderInAPipe) {
  const auto program = loaded.kernel("lse");
  ASSERT_TRUE(program);
  ASSERT_EQ(program->reductions.size(), 2u);
  EXPECT_TRUE(program->reductions[0].order.empty());
  EXPECT_EQ(toString(program->reductions[1].order), "seq(8) | seq(8) | lanes(128) | halves");
}

TEST_F(Norm, RequireSaysWhichValues) {
  EXPECT_FALSE(loaded.kernel("ragged", false));
  ASSERT_EQ(loaded.errors().size(), 1u) << loaded.diagnostics.renderAll();
  EXPECT_EQ(loaded.errors()[0].kind, "require-failed");
  EXPECT_EQ(loaded.errors()[0].message, "`rms_norm` requires H % 8 == 0, and H = 7");
  EXPECT_EQ(loaded.sources.text(loaded.errors()[0].span), "H % 8 == 0");
}

TEST_F(Norm, DefinitionsComeBeforeTheirUsesAndSpansAreSet) {
  for (const char *name : {"norm", "centred", "hf", "softmax", "lse"}) {
    const auto program = loaded.kernel(name);
    ASSERT_TRUE(program);
    for (DefId id = 0; id < program->definitions.size(); ++id) {
      const Definition &d = program->definitions[id];
      EXPECT_NE(d.span.end, 0u);
      EXPECT_NE(program->span(d.value).end, 0u);
    }
    for (const Reduction &r : program->reductions)
      EXPECT_NE(r.span.end, 0u);
    for (ExprId id = 0; id < program->exprCount(); ++id)
      for (ExprId arg : program->args(id))
        EXPECT_LT(arg, id);
  }
}

std::string only(const std::string &text, const std::string &generics = "N = 8") {
  Loaded loaded(text + "kernel k = f<" + generics + ">\n");
  const auto program = loaded.kernel("k");
  return program ? printProgram(*program) : loaded.diagnostics.renderAll();
}

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

TEST(Program, LaunchRequirements) {
  Loaded loaded(R"(
op f<N>(x: f32[T, N], z: f32[S, N]) -> (y: f32[T, N]) {
  require T == S, N % 8 == 0, T % N == 0
  y[t, n] = x[t, n] + z[t, n]
}
kernel k = f<N = 8>
)");
  const auto program = loaded.kernel("k");
  ASSERT_TRUE(program);
  ASSERT_EQ(program->requires_.size(), 2u);
  EXPECT_EQ(program->requires_[0].text, "T == S");
  EXPECT_EQ(printExpr(*program, program->requires_[1].condition), "T % 8 == 0");
  EXPECT_EQ(program->dims.size(), 2u);
}

TEST(Program, UnusedDefinitionsAreLeftOut) {
  const std::string text = only(R"(
op f<N>(x: f32[T, N]) -> (y: f32[T]) {
  a[t] = x[t, 0] + 1.0
  b[t] = sum[n in N by seq] a[t] * x[t, n]
  y[t] = x[t, 0]
}
)");
  EXPECT_FALSE(contains(text, "a[t") || contains(text, "b[t")) << text;
}

TEST(Program, TheBranchNotTakenNeedNotHold) {
  // x[t, 8] does not exist where N = 8, and is not there to be read.
  const std::string op = R"(
op f<N, bool WIDE>(x: f32[T, N]) -> (y: f32[T]) {
  y[t] = if WIDE then x[t, 8] else x[t, 0]
}
)";
  EXPECT_TRUE(contains(only(op, "N = 8, WIDE = false"), "y[t in T] = x[t, 0]"));
  EXPECT_TRUE(contains(only(op, "N = 9, WIDE = true"), "y[t in T] = x[t, 8]"));
  Loaded taken(op + "kernel k = f<N = 8, WIDE = true>\n");
  EXPECT_FALSE(taken.kernel("k", false));
  EXPECT_EQ(taken.errors().at(0).kind, "index-range");
}

TEST(Program, DimensionsBecomeConstantsRoundedOnce) {
  // 16777217 lies half-way between two f32; floats are not folded.
  const std::string text = only(R"(
op f<N>(x: f32[T]) -> (y: f32[T], z: bf16[T], i: i32[T]) {
  y[t] = x[t] / f32(N) + 1.0 * 2.0
  z[t] = bf16(x[t]) * bf16(N)
  i[t] = i32(N) + i32(t)
}
)",
                                "N = 16777217");
  EXPECT_TRUE(contains(text, "y[t in T] = x[t] / 16777216.0 + 1.0 * 2.0")) << text;
  EXPECT_TRUE(contains(text, "z[t in T] = bf16(x[t]) * 16777216.0")) << text;
  EXPECT_TRUE(contains(text, "i[t in T] = 16777217 + i32(t)")) << text;
}

TEST(Program, AFreeDimensionIsCastAtLaunch) {
  const std::string text = only("op f<N>(x: f32[T, N]) -> (y: f32[T]) {\n"
                                "  y[t] = (sum[n in N by seq] x[t, n]) / f32(T)\n}\n");
  EXPECT_TRUE(contains(text, "/ f32(T)")) << text;
}

TEST(Program, GuardsAndMasks) {
  const std::string text = only(R"(
op f<N>(x: f32[T, N]) -> (y: f32[T, N]) {
  a[t, m] = sum[n in N by seq where n > m and n > 0] x[t, n - 1] * x[t, m]
  y[t, n] = a[t, n - 1] where n > 0
}
)");
  EXPECT_TRUE(contains(text, "sum[n in 8 by seq where n > m and n > 0] x[t, n - 1] * x[t, m]"))
      << text;
  EXPECT_TRUE(contains(text, "= a[t, n - 1] where n > 0")) << text;
}

TEST(Program, TilesOfAConstantExtent) {
  const std::string text = only(R"(
op f<N>(x: f32[T, N]) -> (y: f32[T, N / 4]) {
  require N % 4 == 0
  let W = N / 4
  y[t, i] = sum[c in 4 by seq] x[t, c * W + i]
}
)",
                                "N = 32");
  EXPECT_TRUE(contains(text, "x[t, c * 8 + i]")) << text;
}

TEST(Program, SeveralVariablesAndScalarsAndRankZero) {
  const std::string text = only(R"(
op f<N>(x: f32[N, 3], s: f64, k: i32) -> (y: f64) {
  m = f64(sum[i in N, j in 3 by seq] x[i, j])
  y = if k > 0 then m * s else -inf
}
)");
  EXPECT_TRUE(contains(text, "m = f64(sum[i in 8, j in 3 by seq] x[i, j])")) << text;
  EXPECT_TRUE(contains(text, "  out y: f64\n  scalar s: f64\n  scalar k: i32\n")) << text;
  EXPECT_TRUE(contains(text, "y = if k > 0 then m * s else -inf")) << text;
}

TEST(Program, DotConvertsExactlyAndCountsAreIntegers) {
  const std::string text = only(R"(
op f<N>(x: bf16[T, N], w: bf16[N], i: i32[N]) -> (y: f32[T], c: i32[T], d: i64) {
  y[t] = dot[n in N by fma(4) | seq](x[t, n], w[n])
  c[t] = count[n in N] i[n] < i32(t)
  d    = count[n in N] (i[n] > 0)
}
)");
  EXPECT_TRUE(contains(text, "dot[n in 8 by fma(4) | seq] f32(x[t, n]) * f32(w[n])")) << text;
  EXPECT_TRUE(contains(text, "c[t in T] = count[n in 8] (i[n] < i32(t))")) << text;
}

TEST(Program, CastsToIntegersRoundAsWritten) {
  const std::string text = only("op f<N>(x: f32[N]) -> (y: i32[N], z: i32[N]) {\n"
                                "  y[n] = i32(x[n])\n  z[n] = i32.rz(x[n])\n}\n");
  EXPECT_TRUE(contains(text, "= i32(x[n])") && contains(text, "= i32.rz(x[n])")) << text;
}

TEST(Program, LiteralsTakeTheirTypeFromTheOtherOperand) {
  Loaded loaded("op f<N>(x: bf16[T, N], u: u32[T]) -> (y: bf16[T, N], v: u32[T]) {\n"
                "  y[t, n] = max(0.1, x[t, n]) * -(1.0 + 1.0)\n"
                "  v[t] = (u[t] ^ 0xCD9E8D57) >> 16\n}\nkernel k = f<N = 2>\n");
  const auto program = loaded.kernel("k");
  ASSERT_TRUE(program);
  bool sawTenth = false;
  for (ExprId id = 0; id < program->exprCount(); ++id)
    sawTenth =
        sawTenth || (program->expr(id).op == Op::Const && program->expr(id).type == DType::BF16 &&
                     program->expr(id).payload == 0x3dcd);
  EXPECT_TRUE(sawTenth);
  EXPECT_TRUE(contains(printProgram(*program), "(u[t] ^ 0xcd9e8d57) >> 16"));
}

TEST(Program, OrdersWithStartsPadsAndRoundings) {
  Loaded loaded(
      "op f<N>(x: bf16[T, N]) -> (y: f32[T]) {\n"
      "  y[t] = sum[n in N by seq(N / 2).from(0.0).pad(-0.0) | mid.leaf(32): bf16] f32(x[t, n])\n"
      "}\nkernel k = f<N = 16>\n");
  const auto program = loaded.kernel("k");
  ASSERT_TRUE(program);
  const Order &order = program->reductions.at(0).order;
  ASSERT_EQ(order.stages.size(), 2u);
  EXPECT_EQ(order.stages[0].n, 8);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(*order.stages[0].start), 0u);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(*order.stages[0].pad), std::uint64_t{1} << 63);
  EXPECT_EQ(order.stages[1].leaf, 32);
  EXPECT_EQ(order.stages[1].round, DType::BF16);
}

} // namespace
} // namespace ordo::dsl::testing
