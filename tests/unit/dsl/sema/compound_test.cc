// Arrays, tuples, local functions and iterate: each means what it means written out by hand, and
// what is wrong with one is said at its place.
#include "dsl/sema/digest.h"
#include "tests/unit/dsl/sema/harness.h"

namespace ordo::dsl::testing {
namespace {

// op f with two inputs of each kind.
std::string op(const std::string &body, const std::string &results = "y: f32[T]") {
  return "op f<H>(x: f32[T], z: f32[T], u: u32[T], v: u32[T], n: u64[T]) -> (" + results + ") {\n" +
         body + "\n}\n";
}
const std::string kWords = "y: u32[T]";

struct Meaning {
  const char *name;
  std::string text;    // functions and op f
  std::string written; // op f, without any of them
};
void PrintTo(const Meaning &m, std::ostream *out) { *out << m.name; }

class Meanings : public ::testing::TestWithParam<Meaning> {};

std::string formOf(const std::string &text) {
  Loaded loaded(text + "kernel k = f<H = 3>\n");
  const auto program = loaded.kernel("k");
  return program ? canonicalForm(*program) : "";
}

TEST_P(Meanings, AreWhatIsWrittenOut) {
  const std::string form = formOf(GetParam().text);
  EXPECT_FALSE(form.empty());
  EXPECT_EQ(form, formOf(GetParam().written));
}

const std::string kTurn = "fn turn(x: f32, d: f32) -> (c: f32, s: f32) = (x * d, x + d)\n";

const Meaning kMeanings[] = {
    {"ArrayParameterAndResult",
     "fn g(a: u32[2]) -> u32[3] = [a[1], a[0] + 1, 7]\n" +
         op("  y[t] = g([u[t], v[t]])[1]", kWords),
     op("  y[t] = u[t] + 1", kWords)},
    {"ArrayOfConstantSize",
     "let size = 1 + 1\nfn g(a: u32[size]) -> u32 = a[size - 1]\n" +
         op("  y[t] = g([u[t], v[t]])", kWords),
     op("  y[t] = v[t]", kWords)},
    {"ArrayIndexedByDimensions", op("  y[t] = [u[t], 2, v[t], 4][H - 1]", kWords),
     op("  y[t] = v[t]", kWords)},
    {"ArrayTakesLiteralsFromContext",
     "fn g(a: f32[2]) -> f32 = a[0] + a[1]\n" + op("  y[t] = g([1.5, 2.5]) + x[t]"),
     op("  y[t] = f32(1.5) + 2.5 + x[t]")},
    {"ChosenArray",
     "fn g(a: u32[2], c: bool) -> u32[2] = if c then [1, 2] else a\n" +
         op("  y[t] = g([u[t], v[t]], x[t] < 1.0)[1]", kWords),
     op("  y[t] = if x[t] < 1.0 then 2 else v[t]", kWords)},
    {"Destructured",
     kTurn + "fn g(x: f32) -> f32 = {\n  (c, s) = turn(x, 2.0)\n  c / s\n}\n" +
         op("  y[t] = g(x[t])"),
     op("  y[t] = x[t] * 2.0 / (x[t] + 2.0)")},
    {"PartsByName",
     kTurn + "fn g(x: f32) -> f32 = {\n  p = turn(x, 2.0)\n  p.c / p.s\n}\n" +
         op("  y[t] = g(x[t])"),
     op("  y[t] = x[t] * 2.0 / (x[t] + 2.0)")},
    {"PartOfACall", kTurn + op("  y[t] = turn(x[t], z[t]).s"), op("  y[t] = x[t] + z[t]")},
    {"TupleWithAnArray",
     "fn g(a: u32) -> (f32, u32[2]) = (f32(a), [a, a + 1])\n"
     "fn h(a: u32) -> u32 = {\n  (b, w) = g(a)\n  w[1] * u32(b)\n}\n" +
         op("  y[t] = h(u[t])", kWords),
     op("  y[t] = (u[t] + 1) * u32(f32(u[t]))", kWords)},
    {"ArrayInATuple",
     "fn g(a: u32) -> (lo: u32, w: u32[2]) = (a, [a, a + 1])\n"
     "fn h(a: u32) -> u32 = {\n  p = g(a)\n  p.w[1]\n}\n" +
         op("  y[t] = h(u[t])", kWords),
     op("  y[t] = u[t] + 1", kWords)},
    {"TupleOfDefinitions",
     kTurn + op("  (a[t], y[t]) = turn(x[t], 2.0)\n  m[t] = a[t] * z[t]", "y: f32[T], m: f32[T]"),
     op("  a[t] = x[t] * 2.0\n  y[t] = x[t] + 2.0\n  m[t] = a[t] * z[t]", "y: f32[T], m: f32[T]")},
    {"GuardedTuple", op("  (y[t], m[t]) = (1.0, x[t]) where x[t] > 0.0", "y: f32[T], m: f32[T]"),
     op("  y[t] = 1.0 where x[t] > 0.0\n  m[t] = x[t] where x[t] > 0.0", "y: f32[T], m: f32[T]")},
    {"Iterated",
     "fn g(x: f32) -> f32 = iterate 3 (c = x, k = x + 1.0) {\n  d = c * k\n  next (d, k + "
     "2.0)\n}.c\n" +
         op("  y[t] = g(x[t])"),
     op("  k[t] = x[t] + 1.0\n  y[t] = x[t] * (x[t] + 1.0) * (x[t] + 1.0 + 2.0) * "
        "(x[t] + 1.0 + 2.0 + 2.0)")},
    {"TheNextIsTakenAtOnce",
     "fn g(x: f32, z: f32) -> f32 = {\n  (a, b) = iterate 3 (a = x, b = z) {\n    next (b, a * b)\n"
     "  }\n  a / b\n}\n" +
         op("  y[t] = g(x[t], z[t])"),
     // (x, z), (z, xz), (xz, z·xz), (z·xz, xz·(z·xz))
     op("  y[t] = z[t] * (x[t] * z[t]) / ((x[t] * z[t]) * (z[t] * (x[t] * z[t])))")},
    {"OneCarryIsAValue",
     "let rounds = 2\nfn g(x: f32) -> f32 = iterate rounds (c = x) {\n  next (c + c)\n}\n" +
         op("  y[t] = g(x[t])"),
     op("  y[t] = (x[t] + x[t]) + (x[t] + x[t])")},
    {"NoRound",
     "fn g(x: f32) -> f32 = iterate 0 (c = x) {\n  next (c + c)\n}.c\n" + op("  y[t] = g(x[t])"),
     op("  y[t] = x[t]")},
    {"IterateInAnOperator", op("  y[t] = iterate H (c = x[t]) {\n    next (c * z[t])\n  }"),
     op("  y[t] = x[t] * z[t] * z[t] * z[t]")},
    {"LocalFunction",
     "fn g(x: f32, z: f32) -> f32 = {\n  let s(a) = a * z\n  let r(a, b) = s(a) + s(s(b))\n"
     "  a = r(x, 2.0 * z)\n  a\n}\n" +
         op("  y[t] = g(x[t], z[t])"),
     op("  y[t] = x[t] * z[t] + 2.0 * z[t] * z[t] * z[t]")},
    {"LocalFunctionOfAnOperator", op("  let s(i) = x[i] * z[i]\n  y[t] = s(t) + 1.0"),
     op("  y[t] = x[t] * z[t] + 1.0")},
    {"WordsOfASeed",
     "fn g(seed: u64) -> u32[2] = [u32(seed), u32(seed >> 32)]\n" +
         op("  y[t] = g(n[t])[1]", kWords),
     op("  y[t] = u32(n[t] >> 32)", kWords)},
    {"WideShifts",
     "fn g(a: u32[2]) -> u64 = u64(a[1]) << 32 | u64(a[0])\n" +
         op("  y[t] = u32(mulhi(g([u[t], v[t]]), n[t]))", kWords),
     op("  y[t] = u32(mulhi(u64(v[t]) << 32 | u64(u[t]), n[t]))", kWords)},
};
INSTANTIATE_TEST_SUITE_P(All, Meanings, ::testing::ValuesIn(kMeanings),
                         [](const auto &info) { return std::string(info.param.name); });

struct Case {
  const char *name;
  const char *kind;
  std::string text; // «…» is the place
  const char *words = "";
  const char *help = "";
  bool inKernel = false;
};
void PrintTo(const Case &c, std::ostream *out) { *out << c.name; }

class Refused : public ::testing::TestWithParam<Case> {};

TEST_P(Refused, AtItsPlace) {
  const Case &c = GetParam();
  Loaded loaded(c.text);
  ASSERT_EQ(loaded.package != nullptr, c.inKernel) << loaded.diagnostics.renderAll();
  if (c.inKernel)
    EXPECT_FALSE(loaded.kernel("k", false).has_value());
  loaded.expectError(c.kind);
  if (loaded.errors().empty())
    return;
  const Diagnostic d = loaded.errors()[0];
  EXPECT_NE(d.message.find(c.words), std::string::npos) << d.message;
  EXPECT_NE(d.help.find(c.help), std::string::npos) << d.help;
}

// fn g(a: u32[4], x: f32) -> f32 with this body.
std::string fn(const std::string &value) {
  return "fn two(x: f32) -> (c: f32, s: f32) = (x, x)\nfn g(a: u32[4], x: f32) -> f32 = " + value +
         "\n";
}
std::string inBlock(const std::string &lines) { return fn("{\n  " + lines + "\n}"); }
std::string step(const std::string &lines) { return " {\n    " + lines + "\n  }"; }

const Case kArrays[] = {
    {"PastTheEnd", "index-range", fn("f32(a[«4»]) + x"), "index 4 is outside an array of 4"},
    {"BelowTheStart", "index-range", fn("f32(a[«0 - 1»]) + x"), "index -1"},
    {"PastTheEndOfAResult", "index-range",
     "fn g(x: u32) -> u32[2] = [x, x]\n" + op("  y[t] = g(u[t])[«2»]", kWords), "2 elements"},
    {"PastTheEndByADimension", "index-range",
     op("  y[t] = [u[t], v[t]][«H - 1»]", kWords) + "kernel k = f<H = 3>\n", "index 2", "", true},
    {"Variable", "array-index", op("  y[t] = [u[t], v[t]][«t»]", kWords), "constant index",
     "if … then … else"},
    {"Data", "type-mismatch", fn("f32(a[«a[0]»]) + x"), "expected index"},
    {"TwoIndices", "wrong-arity", fn("f32(«a[0, 1]») + x"), "1 index"},
    {"OtherSize", "type-mismatch",
     "fn g(a: u32[4]) -> u32 = a[0]\n" + op("  y[t] = g(«[u[t], v[t]]»)", kWords),
     "expected u32[4] for `a` of `g`, found u32[2]"},
    {"OtherElements", "type-mismatch",
     "fn g(a: u32[2]) -> u32 = a[0]\n" + op("  y[t] = g(«[x[t], z[t]]»)", kWords),
     "expected u32[2] for `a` of `g`, found f32[2]"},
    {"MixedElements", "type-mismatch", op("  y[t] = f32(«[»x[t], u[t]][0])"), "found f32 and u32"},
    {"WithoutType", "literal-without-context", op("  y[t] = f32([«1», 2][0])"), "`1`"},
    {"WholeAsAValue", "type-mismatch", fn("f32(«a») + x"), "expected one value, found u32[4]",
     "index the array"},
    {"WholeAsADefinition", "type-mismatch", op("  a[t] = «[x[t], z[t]]»\n  y[t] = x[t]"),
     "expected one value"},
    {"ScalarIndexed", "not-indexable", fn("«x»[0]")},
    {"NoSize", "array-size", "fn g(a: u32[«0»]) -> u32 = 1\n", "between 1 and"},
    {"LargeSize", "array-size", "fn g(a: u32[«1 + 256»]) -> u32 = 1\n", "between 1 and 256"},
    {"UnknownSize", "unknown-name", "fn g(a: u32[«n»]) -> u32 = 1\n", "`n`"},
    {"SizeOfAParameter", "type-mismatch", "fn g(n: i32, a: u32[«n»]) -> u32 = a[0]\n", "index"},
    {"SeveralAxes", "array-size", "fn g(a: «u32[2, 2]») -> u32 = 1\n", "an array has one axis"},
    {"RefusedArraysAreSaidOnce", "array-size",
     "fn g(a: u32[«0»]) -> u32 = 1\n" + op("  y[t] = g([u[t]])", kWords)},
};
INSTANTIATE_TEST_SUITE_P(Arrays, Refused, ::testing::ValuesIn(kArrays),
                         [](const auto &info) { return std::string(info.param.name); });

const Case kTuples[] = {
    {"TooFewNames", "wrong-arity",
     "fn g(x: f32) -> (f32, f32, f32) = (x, x, x)\n" + inBlock("").substr(0, 0) +
         "fn h(x: f32) -> f32 = {\n  «(a, b)» = g(x)\n  a + b\n}\n",
     "expected 3 names on the left of `=`"},
    {"TooManyNames", "wrong-arity", inBlock("«(p, q, r)» = two(x)\n  p + q + r"),
     "expected 2 names on the left of `=`, one for each part of (f32, f32), found 3"},
    {"NamesOfAScalar", "type-mismatch", inBlock("«(p, q)» = x\n  p + q"), "expected a tuple"},
    {"NamesOfAnArray", "type-mismatch", inBlock("«(p, q)» = a\n  x"), "found u32[4]"},
    {"NamesInAnOperator", "wrong-arity",
     "fn two(x: f32) -> (f32, f32) = (x, x)\n" +
         op("  «(p[t], q[t], r[t])» = two(x[t])\n  y[t] = p[t] + q[t] + r[t]"),
     "expected 2 names"},
    {"PartOfAnOutput", "type-mismatch",
     "fn two(x: f32) -> (f32, f32) = (x, x)\n" +
         op("  (p[t], «y[t]») = two(x[t])\n  m[t] = p[t]", "y: u32[T], m: f32[T]"),
     "expected u32 for output `y`, found f32"},
    {"OnceForAllNames", "unknown-name", op("  (p[t], y[t]) = («q», x[t])"), "`q`"},
    {"IndexedInAFunction", "unexpected-statement", inBlock("«(p[i], q) = two(x)»\n  x")},
    {"Shadowing", "shadowing", inBlock("(p, «x») = two(x)\n  p"), "`x` is already"},
    {"Twice", "shadowing", inBlock("(p, «p») = two(x)\n  p"), "`p` is already"},
    {"WholeAsAValue", "type-mismatch", fn("«two(x)» + x"), "expected one value, found (f32, f32)",
     "name the part"},
    {"ResultOfOtherParts", "type-mismatch", "fn g(x: f32) -> (f32, f32) = «(x, x, x)»\n",
     "expected (f32, f32) for the result of `g`, found (f32, f32, f32)"},
    {"UnknownPart", "unknown-name", inBlock("p = two(x)\n  «p.cc»"), "no part named `cc`", "`c`"},
    {"PartOfAScalar", "type-mismatch", op("  y[t] = x[t].«c»"), "expected a tuple before `.c`"},
    {"PartOfALocalScalar", "type-mismatch", inBlock("«x.c»"), "found f32"},
    {"SamePartTwice", "duplicate-name", "fn g(x: f32) -> (c: f32, «c»: f32) = (x, x)\n", "`c`"},
    {"ComparedWithAScalar", "type-mismatch", op("  y[t] = if «(t, t) < t» then 1.0 else x[t]"),
     "two tuples of one size"},
    {"Branches", "type-mismatch", inBlock("p = «if» x > 0.0 then two(x) else x\n  p"),
     "found (f32, f32) and f32"},
};
INSTANTIATE_TEST_SUITE_P(Tuples, Refused, ::testing::ValuesIn(kTuples),
                         [](const auto &info) { return std::string(info.param.name); });

const Case kIterates[] = {
    {"WithoutNext", "missing-value", fn("iterate 3 (c = x) {\n  d = c\n«}»"), "next"},
    {"CountOfData", "iterate-count",
     "fn g(x: f32, n: i32) -> f32 = iterate «n» (c = x)" + step("next (c + c)") + "\n",
     "constant number of rounds", "written out"},
    {"CountOfAFreeDimension", "iterate-count",
     op("  y[t] = iterate «T» (c = x[t])" + step("next (c + c)")) + "kernel k = f<H = 1>\n",
     "constant number of rounds", "", true},
    {"TooManyRounds", "iterate-count", fn("iterate «1025» (c = x)" + step("next (c + c)")),
     "between 0 and 1024, found 1025"},
    {"TooManyOfADimension", "iterate-count",
     op("  y[t] = iterate «H» (c = x[t])" + step("next (c + c)")) + "kernel k = f<H = 5000>\n",
     "found 5000", "", true},
    {"TooFewNext", "wrong-arity", fn("iterate 3 (c = x, d = x)" + step("«next (c + d)»") + ".c"),
     "expected 2 in `next`"},
    {"OtherNext", "type-mismatch", fn("iterate 3 (c = x)" + step("next («a»)")),
     "expected f32 for `c` in the next round, found u32[4]"},
    {"OtherNextOfNoRound", "type-mismatch", fn("iterate 0 (c = x)" + step("next («f64(c)»)")),
     "expected f32 for `c`"},
    {"UnknownCarry", "unknown-name",
     fn("iterate 3 (total = x, d = x)" + step("next (d, total)") + ".«totl»"),
     "`iterate` carries no `totl`", "`total`"},
    {"CarriesAsOneValue", "type-mismatch",
     fn("«iterate 3 (c = x, d = x)" + step("next (d, c)") + "»"), "found (f32, f32)"},
    {"Shadowing", "shadowing", fn("iterate 3 («x» = x)" + step("next (x)")), "`x` is already"},
    {"ShadowingInAStep", "shadowing", fn("iterate 3 (c = x)" + step("«x» = c\n    next (x)")),
     "`x` is already"},
    {"ErrorOfARound", "unknown-name", fn("iterate 3 (c = x)" + step("next (c + «q»)")), "`q`"},
    {"StartWithoutType", "literal-without-context", fn("iterate 3 (c = «1.0»)" + step("next (c)"))},
};

const Case kLocals[] = {
    {"OfItself", "recursion", inBlock("let s(b) = «s»(b)\n  s(x)"), "s → s"},
    {"InsideAnArgument", "recursion", inBlock("let s(b) = b * «s»(s(b))\n  s(x)").replace(0, 0, ""),
     "s → s"},
    {"EachOther", "unknown-name", inBlock("let s(b) = «r»(b)\n  let r(b) = s(b)\n  r(x)"),
     "no function `r`"},
    {"Arity", "wrong-arity", inBlock("let s(b, c) = b * c\n  «s(x)»"), "2 arguments"},
    {"AsAValue", "expected-value", inBlock("let s(b) = b\n  s(x) + «s»"), "a local function `s`"},
    {"ShadowingParameter", "shadowing", inBlock("let s(«x») = x\n  s(x)"), "`x` is already"},
    {"ShadowingName", "shadowing", inBlock("s = x\n  let «s»(b) = b\n  s"), "`s` is already"},
    {"SameParameterTwice", "shadowing", inBlock("let s(b, «b») = b\n  s(x, x)"), "`b` is already"},
    {"ReservedName", "reserved-name", inBlock("let «sqrt»(b) = b\n  x")},
    {"WrongBodyIsSaidOnce", "type-mismatch", inBlock("let s(b) = b «+» a[0]\n  s(x) + s(x)"),
     "found f32 and u32"},
    {"LaterNamesStayHidden", "unknown-name", inBlock("let s(b) = b * «q»\n  q = x\n  s(q)"), "`q`"},
    {"OfAnOperator", "recursion", op("  let s(i) = x[i] + «s»(i)\n  y[t] = s(t)"), "s → s"},
    {"LiteralArgument", "literal-without-context", inBlock("let s(b) = b * x\n  s(«2.0»)")},
};
INSTANTIATE_TEST_SUITE_P(Iterates, Refused, ::testing::ValuesIn(kIterates),
                         [](const auto &info) { return std::string(info.param.name); });
INSTANTIATE_TEST_SUITE_P(Locals, Refused, ::testing::ValuesIn(kLocals),
                         [](const auto &info) { return std::string(info.param.name); });

TEST(Compound, UnusedNamesAreWarnedOfOnce) {
  Loaded loaded("fn two(x: f32) -> (f32, f32) = (x, x)\n"
                "fn g(x: f32) -> f32 = iterate 5 (c = x) {\n  (a, «b») = two(c)\n  next (a)\n}\n");
  EXPECT_TRUE(loaded.package);
  loaded.expectWarning("unused-definition");
}

TEST(Compound, RoundsWithinRoundsHaveABound) {
  Loaded loaded(
      fn("{\n  b = iterate 1024 (c = x)" +
         step("d = iterate 1024 (e = c) {\n      f = iterate 1024 (h = e) {\n        next "
              "(h + h)\n      }\n      next (f)\n    }\n    next (d)") +
         "\n  b\n}"));
  ASSERT_EQ(loaded.errors().size(), 1u) << loaded.diagnostics.renderAll();
  EXPECT_EQ(loaded.errors()[0].kind, "too-large");
}

TEST(Compound, UnusedLocalFunctionsAreWarnedOf) {
  Loaded loaded("fn g(x: f32) -> f32 = {\n  let «s»(a) = a\n  x\n}\n");
  EXPECT_TRUE(loaded.package);
  loaded.expectWarning("unused-definition");
}

TEST(Compound, ThroughAnotherFunctionIsRecursionToo) {
  Loaded loaded("fn g(x: f32) -> f32 = {\n  let s(a) = h(a)\n  s(x)\n}\n"
                "fn h(x: f32) -> f32 = iterate 2 (c = x) {\n  next («g»(c))\n}\n");
  EXPECT_FALSE(loaded.package);
  for (const Diagnostic &error : loaded.errors())
    EXPECT_EQ(error.kind, "recursion") << loaded.diagnostics.render(error);
  EXPECT_FALSE(loaded.errors().empty());
}

} // namespace
} // namespace ordo::dsl::testing
