// Every kind of error in an operator, a function, an order or a kernel, at its exact place.
#include "tests/unit/dsl/sema/harness.h"

namespace ordo::dsl::testing {
namespace {

using Case = ErrorCase;

// op f with this parameter list, result and body.
std::string op(const std::string &params, const std::string &body,
               const std::string &results = "y: f32[T]", const std::string &generics = "H") {
  return "op f<" + generics + ">(" + params + ") -> (" + results + ") {\n" + body + "\n}\n";
}

// A copy with the result's value replaced.
std::string copy(const std::string &value) { return op("x: f32[T, H]", "  y[t] = " + value); }

const std::string kSum = "  y[t] = sum[h in H by seq] x[t, h]\n";

class Errors : public ::testing::TestWithParam<ErrorCase> {};

TEST_P(Errors, StandAtTheirPlace) { expectRefused(GetParam()); }

const Case kTypes[] = {
    {"MixedOperands", "type-mismatch", op("x: bf16[T], z: f32[T]", "  y[t] = x[t] «*» z[t]"),
     "expected one type in `*`, found bf16 and f32", "write f32(x[t]), which is exact"},
    {"MixedHalves", "type-mismatch",
     op("x: bf16[T], z: f16[T]", "  a[t] = x[t] «+» z[t]\n  y[t] = f32(a[t])"), "bf16 and f16",
     "f32(x[t]) and f32(z[t])"},
    {"IndexAndFloat", "type-mismatch", op("x: f32[T]", "  y[t] = x[t] «/» H"), "f32 and index",
     "f32(H), which rounds once"},
    {"ParameterAndFloat", "type-mismatch",
     op("x: E[T], z: f32[T]", "  y[t] = x[t] «+» z[t]", "y: f32[T]", "type E"), "found E and f32",
     "f32(x[t])"},
    {"OutputType", "type-mismatch", op("x: f32[T]", "  y[t] = «x[t]»", "y: bf16[T]"),
     "expected bf16 for output `y`, found f32", "bf16(x[t]), which rounds once"},
    {"ParameterOutput", "type-mismatch", op("x: f32[T]", "  y[t] = «x[t]»", "y: E[T]", "type E"),
     "expected E for output `y`"},
    {"NarrowEight", "type-mismatch", op("x: f32[T]", "  y[t] = «x[t]»", "y: f8e5m2[T]"), "",
     "f8e5m2.sat(x[t])"},
    {"EightHasNoArithmetic", "type-mismatch", op("x: f8e5m2[T]", "  y[t] = f32(x[t] «*» x[t])"),
     "`*` is not defined for f8e5m2", "casts only"},
    {"FloatRemainder", "type-mismatch", op("x: f32[T]", "  y[t] = x[t] «%» x[t]"), "`%`"},
    {"FloatBits", "type-mismatch", op("x: f32[T]", "  y[t] = x[t] «^» x[t]"), "`^`", "bits(x)"},
    {"BoolSum", "type-mismatch",
     op("x: f32[T]", "  y[t] = if (x[t] > 0.0) «&» (x[t] < 1.0) then 1.0 else 0.0"), "`&`",
     "`and`"},
    {"NotOfFloat", "type-mismatch", op("x: f32[T]", "  y[t] = if not «x[t]» then 1.0 else 0.0"),
     "expected bool for `not`, found f32"},
    {"Condition", "type-mismatch", op("x: f32[T]", "  y[t] = if «x[t]» then 1.0 else 0.0"),
     "expected bool for the condition of `if`"},
    {"Branches", "type-mismatch",
     op("x: f32[T], z: bf16[T]", "  y[t] = «if» x[t] > 0.0 then x[t] else z[t]"),
     "the branches of `if`"},
    {"BitsOfInteger", "type-mismatch", op("x: i32[T]", "  y[t] = f32(bits(«x[t]»))"), "found i32"},
    {"OfBitsOfSigned", "type-mismatch", op("x: i32[T]", "  y[t] = f32.of_bits(«x[t]»)"),
     "expected u32"},
    {"CastToBool", "bad-cast", op("x: f32[T]", "  y[t] = if «bool»(x[t]) then 1.0 else 0.0"),
     "no cast from f32 to bool", "compare"},
    {"CastOfBool", "bad-cast", op("x: f32[T]", "  y[t] = «f32»(x[t] > 0.0)"), "from bool to f32"},
    {"EightSaysOverflow", "bad-cast",
     op("x: f32[T]", "  y[t] = «f8e4m3fn»(x[t])", "y: f8e4m3fn[T]"), "whether it saturates",
     "f8e4m3fn.sat(x)"},
    {"SaturatingFloat", "bad-cast", op("x: f64[T]", "  y[t] = «f32.sat»(x[t])"), "belongs to"},
    {"TowardZeroInteger", "bad-cast", op("x: i64[T]", "  y[t] = f32(«i32.rz»(x[t]))"),
     "casts that round"},
    {"UnknownSuffix", "unknown-name", op("x: f64[T]", "  y[t] = «f32.up»(x[t])"), "f32.up"},
    {"IndexedByFloat", "type-mismatch", op("x: f32[T], z: f32[H]", "  y[t] = x[t] * z[«x[t]»]"),
     "expected an index, found f32"},
    {"UnknownType", "unknown-type", op("x: «bf1»[T]", "  y[t] = f32(x[t])"), "expected a type",
     "bf16"},
    {"IntegerParameter", "type-mismatch",
     op("x: E[T]", "  y[t] = f32(x[t])", "y: f32[T]", "type E") + "kernel k = f<E = «i32»>\n",
     "expected a floating-point type for `E`", "", true},
};
INSTANTIATE_TEST_SUITE_P(Types, Errors, ::testing::ValuesIn(kTypes), caseName);

const Case kLiterals[] = {
    {"WithoutContext", "literal-without-context", op("x: f32[T]", "  c = «1.5»\n  y[t] = x[t] * c"),
     "which type `1.5` has", "f32(1.5)"},
    {"BothSides", "literal-without-context",
     op("x: f32[T]", "  y[t] = if «1.0» < 2.0 then x[t] else 0.0"), "1.0"},
    {"IntegerForFloat", "literal-type", op("x: f32[T]", "  y[t] = x[t] * «2»"),
     "expected f32, found the integer 2", "write 2.0"},
    {"IntegerForParameter", "literal-type",
     op("x: E[T]", "  y[t] = x[t] * «2»", "y: E[T]", "type E"), "expected E", "write 2.0"},
    {"FloatForInteger", "literal-type", op("x: i32[T]", "  y[t] = f32(x[t] + «1.5»)"),
     "expected i32"},
    {"FloatForIndex", "literal-type", copy("x[t, «0.0»]"), "expected index"},
    {"NumberForBool", "literal-type", op("x: f32[T]", "  y[t] = if «1» then x[t] else 0.0"),
     "expected bool"},
    {"Overflow", "literal-overflow", op("x: f32[T]", "  y[t] = x[t] + «1e400»"),
     "1e400 is too large for f32", "inf"},
    {"HalfOverflow", "literal-overflow", op("x: f16[T]", "  y[t] = x[t] + «65520.0»", "y: f16[T]"),
     "too large for f16"},
    {"IntegerOverflow", "literal-overflow", op("x: i32[T]", "  y[t] = f32(x[t] + «2147483648»)"),
     "does not fit i32"},
    {"InfinityOfInteger", "literal-type", op("x: i32[T]", "  y[t] = f32(x[t] + «inf»)"),
     "expected i32"},
    {"DimensionOverflow", "literal-overflow",
     op("x: f16[T, H]", "  y[t] = x[t, 0] * «f16(H)»", "y: f16[T]") + "kernel k = f<H = 65520>\n",
     "65520 does not fit f16", "", true},
};
INSTANTIATE_TEST_SUITE_P(Literals, Errors, ::testing::ValuesIn(kLiterals), caseName);

const Case kNames[] = {
    {"Unknown", "unknown-name", op("scale: f32[T]", "  y[t] = «scals»"), "", "`scale`"},
    {"UnknownTensor", "unknown-name", op("x: f32[T]", "  y[t] = «z»[t]")},
    {"UnknownFunction", "unknown-name", op("x: f32[T]", "  y[t] = «sqr»(x[t])"),
     "no function `sqr`", "`sqrt`"},
    {"UnknownOrder", "unknown-name",
     op("x: f32[T, H]", "  y[t] = sum[h in H by «roww»] x[t, h]", "y: f32[T]", "H, order row"),
     "no order `roww`", "`row`"},
    {"UnknownOutputDimension", "unknown-name", op("x: f32[T]", "  y[t] = x[t]", "y: f32[«S»]"),
     "dimension `S`"},
    {"BeforeDefinition", "used-before-definition",
     op("x: f32[T]", "  y[t] = x[t] * «late»\n  late = f32(H)"), "`late` is used above"},
    {"OutputBeforeDefinition", "used-before-definition",
     op("x: f32[T]", "  a[t] = x[t] * «y»[t]\n  y[t] = a[t]")},
    {"VariableShadowsTensor", "shadowing", op("x: f32[T]", "  y[«x»] = 1.0"), "already a tensor"},
    {"BinderShadowsVariable", "shadowing",
     op("x: f32[T, H]", "  y[t] = sum[«t» in H by seq] x[0, t]"), "an index variable"},
    {"LetShadowsDimension", "shadowing", op("x: f32[T, H]", "  let «T» = H\n" + kSum)},
    {"LocalShadowsParameter", "shadowing", "fn f(x: f32) -> f32 = {\n  «x» = x + 1.0\n  x\n}\n",
     "already a local value"},
    {"TwoParameters", "shadowing", op("x: f32[T], «x»: f32[T]", "  y[t] = x[t]")},
    {"BuiltinName", "reserved-name", op("«sqrt»: f32[T]", "  y[t] = sqrt[t]")},
    {"BuiltinFunction", "reserved-name", "fn «abs»(x: f32) -> f32 = x\n"},
    {"FunctionAsValue", "expected-value",
     "fn g(x: f32) -> f32 = x\n" + op("x: f32[T]", "  y[t] = x[t] * «g»"), "found a function `g`",
     "g(…)"},
    {"TypeAsValue", "expected-value", op("x: E[T]", "  y[t] = x[t] * «E»", "y: E[T]", "type E"),
     "found a type `E`"},
    {"CallOfTensor", "not-callable", op("x: f32[T]", "  y[t] = «x»(t)"), "found a tensor `x`",
     "x[…]"},
    {"CallOfOperator", "not-callable",
     op("x: f32[T]", "  y[t] = x[t]") + "fn g(x: f32) -> f32 = «f»(x)\n", "found an operator"},
    {"DeclaredTwice", "duplicate-name", "let a = 1\nlet «a» = 2\n", "already declared"},
    {"DefinedTwice", "duplicate-definition",
     op("x: f32[T]", "  a[t] = x[t]\n  «a»[t] = x[t]\n  y[t] = a[t]"), "", "no mutation"},
    {"OutputTwice", "duplicate-definition", op("x: f32[T]", "  y[t] = x[t]\n  «y»[t] = x[t]")},
    {"TensorDefined", "shadowing", op("x: f32[T]", "  «x»[t] = 1.0\n  y[t] = x[t]")},
    {"OutputMissing", "missing-definition",
     op("x: f32[T]", "  y[t] = x[t]", "y: f32[T], «z»: f32[T]"), "output `z` is not defined"},
    {"ArityOfFunction", "wrong-arity",
     "fn g(x: f32) -> f32 = x\n" + op("x: f32[T]", "  y[t] = «g(x[t], x[t])»"),
     "expected 1 argument"},
    {"ArityOfBuiltin", "wrong-arity", op("x: f32[T]", "  y[t] = «fma(x[t], x[t])»"),
     "expected 3 arguments of `fma`, found 2"},
    {"TooFewIndices", "wrong-arity", copy("«x[t]»"), "expected 2 indices for `x`, found 1"},
    {"WholeTensor", "wrong-arity", copy("«x»"), "found 0"},
    {"OutputIndices", "wrong-arity", op("x: f32[T]", "  «y» = 1.0"), "expected 1 index for `y`"},
    {"IndexedScalar", "not-indexable", op("x: f32[T], s: f32", "  y[t] = x[t] * «s»[t]"),
     "found a scalar `s`"},
    {"Recursion", "recursion", "fn g(x: f32) -> f32 = «g»(x)\n", "g → g"},
    {"ConstantOfItself", "recursion", "let «a» = b\nlet b = a\n", "`a` is defined by itself"},
    {"OrderOfItself", "recursion", "order «a» = seq(8) | a\n", "`a` is defined by itself"},
    {"ForInAFunction", "unexpected-statement",
     "fn g(x: f32) -> f32 = {\n  «for i in 3 {\n    a[i] = x\n  }»\n  x\n}\n"},
    {"IndexedLocal", "unexpected-statement", "fn g(x: f32) -> f32 = {\n  «a[i] = x»\n  x\n}\n",
     "plain definition", "belong to an op"},
    {"TensorfloatOfBf16", "type-mismatch", op("x: bf16[T]", "  y[t] = tf32(«x[t]»)"),
     "expected f32 for the argument of `tf32`, found bf16"},
    {"TensorfloatTowardZero", "unknown-name", op("x: f32[T]", "  y[t] = «tf32.rz»(x[t])"),
     "there is no `tf32.rz`", "stays f32"},
};
INSTANTIATE_TEST_SUITE_P(Names, Errors, ::testing::ValuesIn(kNames), caseName);

// What the grammar has and sema does not: named, at its place, without a cascade.
const std::string kStep = " from (0.0) {\n    next (a + x[j])\n  }\n  y[t] = a";
const Case kIndices[] = {
    {"OtherDimension", "index-range",
     op("x: f32[T, H], w: f32[K]", "  y[t] = sum[h in H by seq] w[«h»]", "y: f32[T]", "H, K"),
     "`h` runs up to H, past axis 0 of `w`, which has extent K", "in a `require`"},
    {"Swapped", "index-range", op("x: f32[T, H]", "  y[t] = sum[h in H by seq] x[«h», 0]"),
     "`h` runs up to H"},
    {"Constant", "index-range", op("x: f32[T, 4]", "  y[t] = x[t, «4»]"),
     "index 4 is outside axis 1 of `x`, which has extent 4"},
    {"Negative", "index-range", op("x: f32[T, H]", "  y[t] = x[t, «-1»]"), "index -1"},
    {"PastTheEnd", "index-range",
     copy("sum[h in H by seq] x[t, «h + 1»]") + "kernel k = f<H = 8>\n",
     "cannot show that `h + 1` lies within axis 1 of `x`, which has extent 8", "where", true},
    {"Gather", "index-range",
     op("x: f32[T, H], i: i32[T]", "  y[t] = x[t, «i[t]»]") + "kernel k = f<H = 8>\n", "", "assume",
     true},
    {"GuardIsNotIf", "index-range",
     copy("if H > 100 or x[t, 0] > 0.0 then sum[h in H by seq] x[t, «h - 1»] else 0.0") +
         "kernel k = f<H = 8>\n",
     "h - 1", "where", true},
    {"NoExtent", "unknown-extent", op("x: f32[T]", "  a[«i»] = 1.0 * x[0]\n  y[t] = x[t]"),
     "how far `i` runs"},
    {"TwoExtents", "extent-conflict",
     op("x: f32[T, H], z: f32[S]", "  a[«t»] = x[t, 0] * z[t]\n  y[t] = x[t, 0]"),
     "`t` runs over T and over S", "require"},
    {"NegativeDimension", "bad-extent", copy("x[t, 0]") + "kernel k = f<H = «0 - 1»>\n", "`H`", "",
     true},
    {"NegativeShape", "bad-extent",
     op("x: f32[T, «H - 2»]", "  y[t] = sum[h in H - 2 by seq] x[t, h]") + "kernel k = f<H = 1>\n",
     "the extent of axis 1 of `x` is negative: -1", "", true},
    {"NegativeExtent", "bad-extent",
     copy("sum[h in «T - 1» by seq] x[t, 0]") + "kernel k = f<H = 1>\n", "extent of `h`", "require",
     true},
    {"Overflow", "index-overflow", "let a = «9223372036854775807 + 1»\n", "64 bits"},
    {"ZeroDivisor", "zero-divisor", "let a = «1 / 0»\n"},
    {"UnprovenDivisor", "zero-divisor",
     copy("sum[h in «H / T» by seq] x[t, h]") + "kernel k = f<H = 8>\n", "divisor is positive",
     "require", true},
    {"IntegerDivisor", "zero-divisor", op("x: i32[T]", "  y[t] = f32(x[t] / «x[t]»)"),
     "`x[t]` is not zero", "constant"},
    {"RequireFails", "require-failed",
     op("x: f32[T, H]", "  let W = H + 1\n  require «W % 8 == 0»\n" + kSum) +
         "kernel k = f<H = 7 - 1>\n",
     "`f` requires W % 8 == 0, and W = 7", "", true},
    {"RequireNeedsBool", "type-mismatch", op("x: f32[T, H]", "  require «H»\n" + kSum),
     "expected bool"},
    {"RequireOfData", "bad-require", op("x: f32[T, H], s: f32", "  require «s > 0.0»\n" + kSum),
     "over dimensions", "before a launch"},
    {"LetOfData", "type-mismatch", op("x: f32[T, H], s: f32", "  let a = «s»\n" + kSum), "",
     "without `let`"},
    {"FloatConstant", "literal-type", "let a = «1.5»\n", "expected index"},
};
INSTANTIATE_TEST_SUITE_P(Indices, Errors, ::testing::ValuesIn(kIndices), caseName);

const Case kReductions[] = {
    {"NoOrder", "missing-order", copy("«sum[h in H]» x[t, h]"), "over f32 rounds", "by seq"},
    {"NoOrderOfDot", "missing-order", copy("«dot[h in H]»(x[t, h], x[t, h])"), ""},
    {"NeedlessOrder", "order-not-needed", copy("max[h in H by «seq»] x[t, h]"), "same bits",
     "remove"},
    {"IntegerOrder", "order-not-needed",
     op("x: i32[T, H]", "  y[t] = f32(sum[h in H by «seq»] x[t, h])"), "`sum` over i32"},
    {"SumOfEight", "type-mismatch",
     op("x: f8e5m2[T, H]", "  y[t] = f32(«sum[h in H by seq]» x[t, h])"), "`sum`", "f32"},
    {"SumOfIndex", "type-mismatch",
     op("x: f32[T, H]", "  y[t] = x[t, 0] * f32(«sum[h in H by seq]» h)"), "`sum`"},
    {"NanMaxOfIntegers", "type-mismatch",
     op("x: i32[T, H]", "  y[t] = f32(«max_nan[h in H]» x[t, h])"), "`max_nan`"},
    {"WhereIsBool", "type-mismatch", copy("sum[h in H by seq where «x[t, h]»] x[t, h]"),
     "expected bool"},
    {"NotTotal", "bad-order", copy("sum[h in H by «seq(8)»] x[t, h]"), "total", "`| halves`"},
    {"TotalTwice", "bad-order", "order a = «seq» | halves\n", "`seq` already leaves one value"},
    {"ZeroSize", "bad-order", "order a = lanes(«0») | seq\n", "1 or more, found 0"},
    {"NoLanes", "bad-order", "order a = «lanes» | seq\n", "1 or 2 sizes of `lanes`, found 0"},
    {"TooManySizes", "bad-order", "order a = «seq(1, 2)» | seq\n", "at most 1"},
    {"FreeSize", "bad-order",
     copy("sum[h in H by seq(«T») | seq] x[t, h]") + "kernel k = f<H = 8>\n", "constant size", "",
     true},
    {"FusedSum", "bad-order", copy("sum[h in H by «fma»] x[t, h]"), "only `dot`"},
    {"FusedLater", "bad-order", "order a = seq(8) | «fma»\n", "first stage"},
    {"InexactStart", "bad-order", "order a = seq.from(«0.1»)\n", "0.1", "exactly"},
    {"StartNotOfType", "bad-order",
     op("x: bf16[T, H]", "  y[t] = sum[h in H by «seq.from(257.0)»] x[t, h]", "y: bf16[T]"),
     "not a value of bf16"},
    {"StartIsName", "bad-order", "let c = 1\norder a = seq.from(«c»)\n", "literal"},
    {"RoundsToInteger", "bad-order", "order a = «seq: i32»\n", "i32"},
    {"FunctionAsOrder", "expected-order", "fn g(x: f32) -> f32 = x\norder a = «g»\n",
     "found a function `g`"},
    {"TensorAsOrder", "expected-order", copy("sum[h in H by «x»] x[t, h]"), "found a tensor"},
};
INSTANTIATE_TEST_SUITE_P(Reductions, Errors, ::testing::ValuesIn(kReductions), caseName);

const std::string kOp =
    op("x: f32[T, H], eps: f32", "  require H > 0\n  y[t] = eps * (sum[h in H by row] x[t, h])",
       "y: f32[T]", "H, order row");

const Case kKernels[] = {
    {"UnknownOperator", "unknown-name", kOp + "kernel k = «ff»<H = 8, row = seq>\n",
     "operator `ff`", "`f`", true},
    {"OrderAsOperator", "expected-operator", "order o = seq\nkernel k = «o»<H = 8>\n", "an order",
     "", true},
    {"UnknownGeneric", "unknown-argument", kOp + "kernel k = f<H = 8, «roww» = seq>\n", "`roww`",
     "`row`", true},
    {"MissingGeneric", "missing-argument", kOp + "kernel k = «f»<row = seq>\n", "gives no `H`", "",
     true},
    {"MissingBoth", "missing-argument", kOp + "kernel k = «f»\n", "`H`, `row`", "", true},
    {"GivenTwice", "duplicate-argument", kOp + "kernel k = f<H = 8, «H = 9», row = seq>\n",
     "`H` is given twice", "", true},
    {"PositionalNumber", "unknown-argument", kOp + "kernel k = f<«8», row = seq>\n", "name = value",
     "", true},
    {"UnknownScalar", "unknown-argument", kOp + "kernel k = f<H = 8, row = seq>(«epps» = 1.0)\n",
     "`epps`", "`eps`", true},
    {"TensorScalar", "unknown-argument", kOp + "kernel k = f<H = 8, row = seq>(«x» = 1.0)\n", "",
     "at launch", true},
    {"ScalarType", "literal-type", kOp + "kernel k = f<H = 8, row = seq>(eps = «1»)\n",
     "expected f32", "1.0", true},
    {"ScalarExpression", "not-constant",
     kOp + "kernel k = f<H = 8, row = seq>(eps = «1.0 + 1.0»)\n", "", "launch", true},
    {"FloatDimension", "literal-type", kOp + "kernel k = f<H = «8.0», row = seq>\n",
     "expected index", "", true},
    {"NumberAsOrder", "expected-order", kOp + "kernel k = f<H = 8, row = «8»>\n", "", "", true},
    {"OtherOrder", "unknown-name", kOp + "order wide = seq\nkernel k = f<H = 8, row = «wid»>\n", "",
     "`wide`", true},
    {"RequireInKernel", "require-failed",
     op("x: f32[T, H], eps: f32", "  require «H > 0»\n" + kSum) + "kernel k = f<H = 0>\n", "H = 0",
     "", true},
};
INSTANTIATE_TEST_SUITE_P(Kernels, Errors, ::testing::ValuesIn(kKernels), caseName);

TEST(ErrorContext, NamesTheKernel) {
  Loaded loaded(kOp + "kernel k = f<H = 0, row = seq>\n");
  EXPECT_FALSE(loaded.kernel("k", false).has_value());
  ASSERT_EQ(loaded.errors().size(), 1u);
  EXPECT_EQ(loaded.errors()[0].labels.back().text, "in kernel `k`");
}

TEST(ErrorContext, UnknownKernel) {
  Loaded loaded(kOp + "kernel norm = f<H = 8, row = seq>\n");
  EXPECT_FALSE(loaded.kernel("nor", false).has_value());
  ASSERT_EQ(loaded.errors().size(), 1u);
  EXPECT_EQ(loaded.errors()[0].kind, "unknown-kernel");
  EXPECT_EQ(loaded.errors()[0].help, "did you mean `norm`?");
}

TEST(ErrorContext, SeveralErrorsInOneRun) {
  Loaded loaded(
      op("x: f32[T], z: bf16[T]", "  a[t] = x[t] * z[t]\n  b[t] = a[t] + x[t]\n  y[t] = x[t] + q") +
      "fn g(x: f32) -> f32 = x * 2\n");
  EXPECT_EQ(loaded.errors().size(), 3u) << loaded.diagnostics.renderAll();
}

TEST(ErrorContext, MutualRecursionShowsTheChain) {
  Loaded loaded(
      "fn a(x: f32) -> f32 = b(x)\nfn b(x: f32) -> f32 = c(x)\nfn c(x: f32) -> f32 = «a»(x)\n");
  loaded.expectError("recursion");
  EXPECT_NE(loaded.errors()[0].message.find("a → b → c → a"), std::string::npos);
}

TEST(ErrorContext, InliningIsBounded) {
  // Each function calls the one before twice: 2^40 calls, if all were entered.
  std::string text = "fn g0(x: f32) -> f32 = x\n";
  for (int i = 1; i <= 40; ++i)
    text += "fn g" + std::to_string(i) + "(x: f32) -> f32 = g" + std::to_string(i - 1) + "(x) + g" +
            std::to_string(i - 1) + "(x)\n";
  Loaded loaded(text + op("x: f32[T]", "  y[t] = g40(x[t])", "y: f32[T]", "N") +
                "kernel k = f<N = 1>\n");
  ASSERT_TRUE(loaded.package) << loaded.diagnostics.renderAll();
  EXPECT_FALSE(loaded.kernel("k", false).has_value());
  ASSERT_EQ(loaded.errors().size(), 1u) << loaded.diagnostics.renderAll();
  EXPECT_EQ(loaded.errors()[0].kind, "too-large");
}

TEST(ErrorContext, InliningIsNotTooDeep) {
  std::string text = "fn g0(x: f32) -> f32 = x\n";
  for (int i = 1; i <= 300; ++i)
    text += "fn g" + std::to_string(i) + "(x: f32) -> f32 = -g" + std::to_string(i - 1) + "(x)\n";
  Loaded loaded(text + op("x: f32[T]", "  y[t] = g300(x[t])", "y: f32[T]", "N") +
                "kernel k = f<N = 1>\n");
  EXPECT_FALSE(loaded.kernel("k", false).has_value());
  ASSERT_EQ(loaded.errors().size(), 1u) << loaded.diagnostics.renderAll();
  EXPECT_EQ(loaded.errors()[0].kind, "too-deep");
}

TEST(Warnings, UnusedDefinition) {
  Loaded(op("x: f32[T, H]", "  «a»[t] = x[t, 0]\n" + kSum)).expectWarning("unused-definition");
}

TEST(Warnings, UnusedParameter) {
  Loaded loaded(op("x: f32[T, H], «w»: f32[H]", kSum));
  loaded.expectWarning("unused-parameter");
}

TEST(Warnings, UnusedLocal) {
  Loaded("fn g(x: f32) -> f32 = {\n  «a» = x + 1.0\n  x\n}\n").expectWarning("unused-definition");
}

TEST(Warnings, LiteralThatVanishes) {
  Loaded loaded(op("x: f32[T, H]", "  y[t] = «1e-400» + (sum[h in H by seq] x[t, h])"));
  loaded.expectWarning("literal-underflow");
}

} // namespace
} // namespace ordo::dsl::testing
