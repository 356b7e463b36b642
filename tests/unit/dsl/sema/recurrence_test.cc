// fold, scan, argmax, top, for, := , assume and views: what is understood, and what is refused
// where.
#include "tests/unit/dsl/sema/harness.h"

#include "dsl/sema/print.h"

namespace ordo::dsl::testing {
namespace {

std::string op(const std::string &params, const std::string &body,
               const std::string &results = "y: f32[T]") {
  return "op f<H>(" + params + ") -> (" + results + ") {\n  require H > 0\n" + body + "\n}\n";
}

const std::string kKernel = "kernel k = f<H = 8>\n";

std::string fold(const std::string &head, const std::string &rest) {
  return op("x: f32[T, H]", "  " + head + " = " + rest + "\n");
}

class Recurrences : public ::testing::TestWithParam<ErrorCase> {};

TEST_P(Recurrences, AreRefusedAtTheirPlace) { expectRefused(GetParam()); }

const ErrorCase kCases[] = {
    {"NoOrder", "missing-order",
     fold("y[t]", "«fold»[h in H] from (0.0) {\n    next (y + x[t, h])\n  }"), "need an order",
     "by seq"},
    {"RoundingOrder", "bad-order",
     fold("y[t]", "fold[h in H by «seq: bf16»] from (0.0) {\n    next (y + x[t, h])\n  }"),
     "rounds, starts or pads"},
    {"TreeOfSteps", "bad-order",
     fold("y[t]", "fold[h in H by «pairs»] from (0.0) {\n    next (y + x[t, h])\n  }"),
     "one after another", "seq(1)"},
    {"NoMerge", "bad-order",
     fold("y[t]", "fold[h in H by «seq(4) | seq»] from (0.0) {\n    next (y + x[t, h])\n  }"),
     "how two are put together", "merge (x, y)"},
    {"ScanOfRuns", "bad-order",
     op("x: f32[T, H]",
        "  (a[t], z[t, h]) = scan[h in H by «seq(4) | seq»] from (0.0) {\n    next (a + "
        "x[t, h])\n    yield (a)\n  }\n  y[t] = a[t] + z[t, 0]"),
     "emits every step"},
    {"NamesAndStarts", "wrong-arity",
     op("x: f32[T, H]",
        "  «(a[t], b[t])» = fold[h in H by seq] from (0.0) {\n    next (a + x[t, h])\n  "
        "}\n  y[t] = a[t] + b[t]"),
     "expected 1 name", ""},
    {"NextTooShort", "wrong-arity",
     op("x: f32[T, H]",
        "  (a[t], b[t]) = fold[h in H by seq] from (0.0, 0.0) {\n    «next (a + x[t, h] + "
        "b)»\n  }\n  y[t] = a[t] + b[t]"),
     "expected 2 values in `next`"},
    {"NextOfAnotherType", "type-mismatch",
     op("x: bf16[T, H]",
        "  a[t] = fold[h in H by seq] from (f32(0.0)) {\n    next («x[t, h]»)\n  }\n  "
        "y[t] = a[t]"),
     "expected f32 for `a` in `next`, found bf16", "f32(x[t, h])"},
    {"AnyTypeWouldDo", "literal-without-context",
     op("x: f32[T, H]",
        "  a = fold[h in H by seq] from («0.0») {\n    next (a + a)\n  }\n  y[t] = if "
        "x[t, 0] > 0.0 then 1.0 else f32(a)"),
     "nothing in the step", "f32(0.0)"},
    {"GuardedFold", "bad-guard",
     fold("y[t]", "fold[h in H by seq] from (0.0) {\n    next (y + x[t, h])\n  } where «t > 0»"),
     "stores nothing", "fold[… where …]"},
    {"MergeSeesNoStep", "unknown-name",
     fold("y[t]",
          "fold[h in H by seq(4) | seq] from (0.0) {\n    next (y + x[t, h])\n  } merge (p, q) {\n "
          "   next (p.y + x[t, «h»])\n  }"),
     "`h` is not declared"},
    {"YieldWithoutStep", "definition-index",
     op("x: f32[T, H]",
        "  (a[t], «z»[t]) = scan[h in H by seq] from (0.0) {\n    next (a + x[t, h])\n    "
        "yield (a)\n  }\n  y[t] = a[t] + z[t]"),
     "a value for each step", "[…, h]"},
    {"LocalWithoutExtent", "unknown-extent",
     fold("y[t]",
          "fold[h in H by seq] from (0.0) {\n    z[«c»] = x[t, h]\n    next (y + z[0])\n  }"),
     "how far `c` runs"},
    {"LocalPastItsEnd", "index-range",
     fold("y[t]",
          "fold[h in H by seq] from (0.0) {\n    z[c] = x[t, c]\n    next (y + (sum[e in H + 1 by "
          "seq] z[«e»]) + x[t, h])\n  }") +
         kKernel,
     "past axis 0 of `z`", "", true},
    {"NoNan", "bad-ranking",
     op("x: f32[T, H]", "  y[t] = f32(argmax[h in H] of («x[t, h] descending», h ascending))"),
     "where a NaN", "NaN last"},
    {"Tie", "bad-ranking",
     op("x: f32[T, H]", "  y[t] = f32(«argmax»[h in H] of (x[t, h] descending, NaN last))"),
     "two equal candidates", "h ascending"},
    {"NanOfAnInteger", "bad-ranking",
     op("x: i32[T, H]",
        "  y[t] = f32(argmax[h in H] of (x[t, h] descending, «NaN last», h ascending))"),
     "floating-point key"},
    {"TopOfTooFew", "bad-ranking",
     op("x: f32[T, H]",
        "  y[t] = f32(«top»[9] h in H of (x[t, h] descending, NaN last, h ascending) at 0)") +
         kKernel,
     "needs 9 candidates, and there are 8", "", true},
    {"SlotPastTheEnd", "index-range",
     op("x: f32[T, H]",
        "  y[t] = f32(top[2] h in H of (x[t, h] descending, NaN last, h ascending) at «2»)"),
     "index 2 is outside"},
    {"UpdateOfAnInput", "bad-update", op("x: f32[T, H]", "  «x»[t, h] := 1.0\n  y[t] = x[t, 0]"),
     "updates an `inout` argument", "inout"},
    {"UpdateOfNothing", "bad-update",
     op("x: f32[T, H]", "  «z»[t, h] := x[t, h]\n  y[t] = x[t, 0]"), "there is no `z`"},
    {"TwoUpdates", "duplicate-definition",
     op("x: f32[T, H] inout", "  x[t, h] := 1.0\n  «x»[t, h] := 2.0\n  y[t] = x[t, 0]"),
     "already updated"},
    {"NoUpdate", "missing-definition", op("«x»: f32[T, H] inout", "  y[t] = x[t, 0]"),
     "nothing updates it"},
    {"SlotsMayMeet", "missing-assume",
     op("x: f32[T, H], s: i32[T], p: f32[N, H] inout",
        "  assume forall t: 0 <= s[t] < N\n  «p»[s[t], h] := x[t, h]\n  y[t] = x[t, 0]"),
     "no two stand at one place", "assume distinct(s[…] for …)"},
    {"SlotOutOfRange", "index-range",
     op("x: f32[T, H], s: i32[T], p: f32[N, H] inout",
        "  assume distinct(s[t] for t in T)\n  p[«s[t]», h] := x[t, h]\n  y[t] = x[t, 0]") +
         kKernel,
     "cannot show that `s[t]` lies within axis 0 of `p`", "assume forall", true},
    {"RowsMayMeet", "missing-assume",
     op("x: f32[T, H], s: i32[R], n: i32[R]", "  assume forall r: 0 <= s[r] and 0 <= n[r] and s[r] "
                                              "+ n[r] <= T\n  for r in R, i in n[r] let t = "
                                              "s[r] + i {\n    «y»[t] = x[t, 0]\n  }"),
     "no two stand at one place", "disjoint"},
    {"NegativeLength", "bad-extent",
     op("x: f32[T, H], s: i32[R], n: i32[R]", "  assume disjoint(s[r], n[r] for r in R)\n  for r "
                                              "in R, i in «n[r]» let t = s[r] + i {\n    y[t] = "
                                              "x[t, 0]\n  }") +
         kKernel,
     "`i`, n[r], is not negative", "assume", true},
    {"AssumeNeedsBool", "type-mismatch",
     op("x: f32[T, H]", "  assume forall t: «x[t, 0]»\n  y[t] = x[t, 0]"), "expected bool"},
    {"AssumeOfNoExtent", "unknown-extent",
     op("x: f32[T, H]", "  assume forall «q»: x[0, 0] > 0.0\n  y[t] = x[t, 0]"),
     "how far `q` runs"},
    {"GatherWithoutPromise", "index-range",
     op("x: f32[T, H], i: i32[T]", "  y[t] = x[t, «i[t]»]") + kKernel, "cannot show that `i[t]`",
     "assume forall", true},
    {"PromiseTooWeak", "index-range",
     op("x: f32[T, H], i: i32[T]", "  assume forall t: 0 <= i[t] <= H\n  y[t] = x[t, «i[t]»]") +
         kKernel,
     "cannot show that `i[t]`", "", true},
    {"PromiseForOthers", "index-range",
     op("x: f32[T, H], i: i32[T]",
        "  assume forall t in T where t > 3: 0 <= i[t] < H\n  y[t] = x[t, «i[t]»]") +
         kKernel,
     "cannot show that `i[t]`", "", true},
    {"ViewOfNoTensor", "type-mismatch",
     "view v<type E>(p: E[N, M])[i, j] -> E[M, N] = p[j, i]\n" +
         op("x: f32[T, H]", "  y[t] = v(«H»)[0, t]"),
     "expected a tensor for `p`"},
    {"ViewOutOfRange", "index-range",
     "view v<type E>(p: E[N, M])[i, j] -> E[M, N] = p[j, i]\n" +
         op("x: f32[T, H]", "  y[t] = v(x)[«8», t]") + kKernel,
     "index 8 is outside axis 0 of `v`", "", true},
    {"ViewWithADimension", "bad-view", "view v<«N»>(p: f32[N])[i] -> f32[N] = p[i]\n",
     "from the tensors"},
};
INSTANTIATE_TEST_SUITE_P(All, Recurrences, ::testing::ValuesIn(kCases), caseName);

std::string printed(const std::string &text) {
  Loaded loaded(text);
  const auto program = loaded.kernel("k");
  return program ? printProgram(*program) : "";
}

bool has(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

TEST(Fold, LiteralsTakeTheTypeOfTheStep) {
  const std::string text =
      printed(op("x: f64[T, H]",
                 "  (n[t], a[t]) = fold[h in H by seq] from (0, 0.0) {\n    next (n + i64(1), a + "
                 "x[t, h])\n  }\n  y[t] = f32(a[t]) + f32(n[t])") +
              kKernel);
  EXPECT_TRUE(has(text, "carry n: i64")) << text;
  EXPECT_TRUE(has(text, "carry a: f64")) << text;
}

TEST(Fold, OneNameMayCarryAnArray) {
  const std::string text =
      printed(op("x: f32[T, H], w: f32[H]", "  s[t, i] = fold[h in H by seq] from (w[i]) {\n    "
                                            "z[j] = s[j] * x[t, h]\n    next (z[i])\n  }\n  "
                                            "y[t] = sum[i in H by seq] s[t, i]") +
              kKernel);
  EXPECT_TRUE(has(text, "carry s[i in 8]: f32")) << text;
  EXPECT_TRUE(has(text, "for each t in T\n")) << text;
}

TEST(Fold, AConditionWithANameIsAFact) {
  const std::string text =
      printed(op("x: f32[T, H], n: i32[T]",
                 "  assume forall t: 0 <= n[t] <= H\n  y[t] = fold[j in H by seq] from (0.0) {\n   "
                 " ok[c] = j + c < "
                 "n[t]\n    next (y + sum[c in 4 by seq where ok[c]] x[t, j + c])\n  }") +
              kKernel);
  EXPECT_TRUE(has(text, "ok[c in 4]")) << text;
}

TEST(Index, AnExtentFromDataIsBoundByItsPromise) {
  const std::string text =
      printed(op("x: f32[T, H], n: i32[T]",
                 "  assume forall t: 0 <= n[t] <= H\n  y[t] = sum[h in n[t] by seq] x[t, h]") +
              kKernel);
  EXPECT_TRUE(has(text, "sum[h in n[t] by seq] x[t, h]")) << text;
}

TEST(View, IsTheAccessThatItStandsFor) {
  const std::string text =
      printed("view v<type E>(p: E[N, M], q: i32[K])[i, j] -> E[K, M] = p[q[i], j]\n" +
              op("x: f32[T, H], q: i32[R]",
                 "  assume forall r: 0 <= q[r] < T\n  y[r] = v(x, q)[r, 1]", "y: f32[R]") +
              kKernel);
  EXPECT_TRUE(has(text, "y[r in R] = x[q[r], 1]")) << text;
}

TEST(Index, IntegersFromDataMeetItExactly) {
  const std::string text = printed(op("x: f32[T, H], a: i32[T], b: i32[T]",
                                      "  assume forall t: 0 <= a[t] and 0 <= b[t] and "
                                      "a[t] + b[t] < H\n  y[t] = x[t, a[t] + b[t]]") +
                                   kKernel);
  EXPECT_TRUE(has(text, "y[t in T] = x[t, a[t] + b[t]]")) << text;
}

TEST(Tuples, CompareByTheFirstPartThatDiffers) {
  const std::string text = printed(
      op("x: f32[T, H]", "  y[t] = f32(count[u in T, h in H] ((u, h) < (t, 3)))") + kKernel);
  EXPECT_TRUE(has(text, "u < t or u == t and h < 3")) << text;
}

} // namespace
} // namespace ordo::dsl::testing
