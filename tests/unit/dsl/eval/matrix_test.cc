// Matrix products through the language: contracts of tests/contracts against what an A100 and an
// H200 gave, and against the rules over exact numbers (exact.h).
#include "dsl/eval/evaluator.h"
#include "dsl/sema/package.h"
#include "tests/unit/dsl/eval/atom/exact.h"
#include "tests/unit/dsl/eval/atom/vectors.h"

#include <gtest/gtest.h>

#include <bit>
#include <functional>
#include <random>

namespace ordo::dsl {
namespace {

using Bits = std::vector<std::uint64_t>;

TensorValue tensor(DType type, std::vector<std::int64_t> shape, const Bits &bits) {
  const auto size = static_cast<std::size_t>(byteSize(type));
  TensorValue value{type, std::move(shape), {}};
  value.data.resize(bits.size() * size);
  for (std::size_t i = 0; i < bits.size(); ++i)
    std::memcpy(value.data.data() + i * size, &bits[i], size);
  return value;
}

Bits bitsOf(const TensorValue &value) {
  const auto size = static_cast<std::size_t>(byteSize(value.type));
  Bits bits(value.data.size() / size);
  for (std::size_t i = 0; i < bits.size(); ++i)
    std::memcpy(&bits[i], value.data.data() + i * size, size);
  return bits;
}

/// The kernel for the target, or null after a test failure.
std::optional<Program> resolved(const std::string &file, const std::string &kernel,
                                const std::string &target = "") {
  SourceManager sources;
  Diagnostics diagnostics(sources);
  const auto package =
      Package::load("tests/contracts/" + file, {"contracts"}, sources, diagnostics);
  auto program = package ? package->instantiate(kernel, diagnostics, target) : std::nullopt;
  EXPECT_TRUE(program) << diagnostics.renderAll();
  return program;
}

EvalResult run(const std::string &kernel, std::map<std::string, TensorValue> tensors) {
  const auto program = resolved("matrix_units.ordo", kernel);
  return program ? evaluate(*program, {std::move(tensors), {}, {}}) : EvalResult{};
}

Bits outputOf(const EvalResult &result, const std::string &name = "d") {
  EXPECT_TRUE(result.ok()) << result.error;
  return result.ok() ? bitsOf(result.outputs.at(name)) : Bits{};
}

// --- Vectors from hardware

struct Operand {
  DType type;
  exact::Format format;
  int precision; // significant bits that the unit sees
};
const Operand kBf16{DType::BF16, exact::kBf16, 8}, kF16{DType::F16, exact::kF16, 11},
    kTf32{DType::F32, exact::kTf32, 11}, kF64{DType::F64, exact::kF64, 53},
    kE4m3{DType::F8E4M3FN, exact::kE4m3, 4}, kE5m2{DType::F8E5M2, exact::kE5m2, 3};

/// The operand of `precision` bits or fewer and a normal exponent.
std::uint64_t encode(const exact::Format &f, double value) {
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(value), &exponent); // [0.5, 1)
  const auto tail = static_cast<std::uint64_t>(std::ldexp(2 * fraction - 1, f.fraction));
  const auto biased = static_cast<std::uint64_t>(exponent - 1 + f.bias);
  return std::uint64_t{value < 0} << (f.width - 1) | biased << f.fraction | tail;
}

/// Products that add up to `c` without rounding, at most `most` of them; false where there are
/// none. A step over them from zero gives c: none is cut, since they end within the bits of c.
bool productsOf(const Operand &operand, double c, std::size_t most, Bits &a, Bits &b) {
  const int least = 1 - operand.format.bias, largest = operand.format.bias;
  while (c != 0 && a.size() < most) {
    const int exponent = std::ilogb(c);
    const double quantum = std::ldexp(1.0, exponent - operand.precision + 1);
    const double part = std::trunc(c / quantum) * quantum;
    const int of = std::clamp(exponent, least, largest); // of the part, as an operand
    if (exponent - of < least || exponent - of > largest)
      return false;
    a.push_back(encode(operand.format, std::ldexp(part, of - exponent)));
    b.push_back(encode(operand.format, std::ldexp(1.0, exponent - of)));
    c -= part;
  }
  a.resize(most);
  b.resize(most);
  return c == 0;
}

struct VectorCase {
  const char *file, *kernel;
  Operand operand;
  std::size_t products; // of a step
  int least;            // rows, of those whose accumulator some products give
};
void PrintTo(const VectorCase &c, std::ostream *out) { *out << c.kernel << " on " << c.file; }

class ThroughTheLanguage : public testing::TestWithParam<VectorCase> {};

// The language starts a product from zero, so the vector's accumulator is made by a step before it.
TEST_P(ThroughTheLanguage, HardwareVectorsAreEqual) {
  const VectorCase &c = GetParam();
  const bool isF64 = c.operand.type == DType::F64;
  const auto size = static_cast<std::size_t>(byteSize(c.operand.type));
  const Vectors vectors(c.file, size, isF64 ? 8 : 4);
  ASSERT_TRUE(vectors.isWhole());
  Bits a, b, want;
  for (std::uint32_t row = 0; row < vectors.rows; ++row) {
    const std::uint64_t from = vectors.accumulator(0, row);
    const double value = exact::valueOf(isF64 ? exact::kF64 : exact::kF32, from);
    Bits x, y;
    // No sum from +0.0 is -0.0, which only a unit that adds as IEEE does tells from it.
    if (!std::isfinite(value) || (isF64 && value == 0 && std::signbit(value)))
      continue;
    if (!productsOf(c.operand, value, c.products, x, y))
      continue;
    for (const auto &[to, matrix] : {std::pair{&x, 0}, std::pair{&y, 1}}) {
      const auto bytes = vectors.operands(matrix, row);
      for (std::size_t at = 0; at < bytes.size(); at += size) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, bytes.data() + at, size);
        to->push_back(bits);
      }
    }
    a.insert(a.end(), x.begin(), x.end());
    b.insert(b.end(), y.begin(), y.end());
    want.push_back(vectors.accumulator(1, row));
  }
  const auto rows = static_cast<std::int64_t>(want.size());
  ASSERT_GE(rows, c.least);
  RecordProperty("rows", static_cast<int>(rows));
  const auto length = static_cast<std::int64_t>(a.size()) / rows;
  const Bits got = outputOf(run(c.kernel, {{"a", tensor(c.operand.type, {rows, length}, a)},
                                           {"b", tensor(c.operand.type, {rows, length}, b)}}));
  ASSERT_EQ(got.size(), want.size());
  int different = 0;
  const DType result = isF64 ? DType::F64 : DType::F32;
  for (std::size_t i = 0; i < want.size(); ++i) // every NaN is one value
    different +=
        got[i] != want[i] && !(got[i] == canonicalNan(result) && isNanBits(result, want[i]));
  EXPECT_EQ(different, 0) << "of " << rows;
}

INSTANTIATE_TEST_SUITE_P(
    , ThroughTheLanguage,
    testing::Values(VectorCase{"H200_bf16.bin.gz", "hopper_bf16.v1.step", kBf16, 16, 1000},
                    VectorCase{"H200_fp16.bin.gz", "hopper_f16.v1.step", kF16, 16, 1000},
                    VectorCase{"H200_tf32.bin.gz", "hopper_tf32.v1.step_4", kTf32, 8, 1000},
                    VectorCase{"A100_bf16.bin.gz", "ampere_bf16.v1.step", kBf16, 8, 1000},
                    VectorCase{"A100_fp16.bin.gz", "ampere_f16.v1.step", kF16, 8, 1000},
                    VectorCase{"A100_tf32.bin.gz", "ampere_tf32.v1.step", kTf32, 4, 1000},
                    VectorCase{"measured/H200_bf16.bin.gz", "hopper_bf16.v1.step", kBf16, 16, 300},
                    VectorCase{"measured/H200_f16.bin.gz", "hopper_f16.v1.step", kF16, 16, 300},
                    VectorCase{"measured/H200_tf32.bin.gz", "hopper_tf32.v1.step", kTf32, 8, 300},
                    VectorCase{"measured/H200_f64.bin.gz", "hopper_f64.v1.step", kF64, 1, 300},
                    VectorCase{"measured/H200_e4m3.bin.gz", "hopper_e4m3.v1.step", kE4m3, 32, 300},
                    VectorCase{"measured/H200_e5m2.bin.gz", "hopper_e5m2.v1.step", kE5m2, 32, 300}),
    [](const auto &info) {
      std::string name = info.param.file;
      name = name.substr(0, name.find('.'));
      std::ranges::replace(name, '/', '_');
      return name;
    });

// --- Against the rules

/// Normal numbers with some zeros, subnormals and wide exponents.
Bits randomBf16(std::mt19937_64 &random, std::size_t count) {
  Bits bits(count);
  for (std::uint64_t &each : bits) {
    const std::uint64_t word = random();
    const std::uint64_t exponent = 117 + word % 20;
    const std::uint64_t kind = word >> 8 & 31;
    each = (word >> 16 & 0x8000) | (kind == 0   ? 0
                                    : kind == 1 ? word >> 32 & 0x7f
                                                : exponent << 7 | (word >> 32 & 0x7f));
  }
  return bits;
}

using Step = std::function<std::uint32_t(const Bits &, const Bits &, std::uint32_t)>;

struct Family {
  const char *target;
  std::size_t products;
  Step step;
};
const Family kFamilies[] = {
    {"cuda.sm_90a", 16,
     [](const Bits &a, const Bits &b, std::uint32_t c) {
       return exact::truncatedStep(exact::kBf16, 25, 23, -133, a, b, c);
     }},
    {"cuda.sm_80", 8,
     [](const Bits &a, const Bits &b, std::uint32_t c) {
       return exact::truncatedStep(exact::kBf16, 24, 23, -132, a, b, c);
     }},
    {"cuda.sm_89", 8,
     [](const Bits &a, const Bits &b, std::uint32_t c) {
       return exact::truncatedStep(exact::kBf16, 24, 23, -132, a, b, c);
     }},
    {"rocm.gfx942", 8,
     [](const Bits &a, const Bits &b, std::uint32_t c) {
       return exact::twoStageStep(exact::kBf16, 1, a, b, c);
     }},
};

/// acc ← step(acc, next products), from c; a short last step has fewer.
std::uint32_t chained(const Family &family, const Bits &a, const Bits &b, std::size_t begin,
                      std::size_t end, std::uint32_t c) {
  for (std::size_t k = begin; k < end; k += family.products) {
    const std::size_t stop = std::min(k + family.products, end);
    const auto part = [&](const Bits &all) {
      return Bits(all.begin() + static_cast<std::ptrdiff_t>(k),
                  all.begin() + static_cast<std::ptrdiff_t>(stop));
    };
    c = family.step(part(a), part(b), c);
  }
  return c;
}

std::uint16_t roundedToBf16(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

TEST(Linear, IsThePlainReferenceForEveryFamily) {
  constexpr std::size_t kRows = 3, kColumns = 18, kDepth = 1043;
  std::mt19937_64 random(7);
  Bits x = randomBf16(random, kRows * kDepth), w = randomBf16(random, kColumns * kDepth),
       bias = randomBf16(random, kColumns);
  // The second half of x repeats the first, and odd columns take it back: what is left is what was
  // cut on the way, by which families part even in bf16.
  constexpr std::size_t kHalf = kDepth / 2;
  for (std::size_t k = 0; k < kHalf; ++k) {
    for (std::size_t t = 0; t < kRows; ++t)
      x[t * kDepth + kHalf + k] = x[t * kDepth + k];
    for (std::size_t n = 1; n < kColumns; n += 2)
      w[n * kDepth + kHalf + k] = w[n * kDepth + k] ^ 0x8000;
  }
  for (std::size_t n = 1; n < kColumns; n += 2)
    bias[n] = w[n * kDepth + kDepth - 1] = 0;
  const std::map<std::string, TensorValue> inputs = {
      {"x", tensor(DType::BF16, {kRows, kDepth}, x)},
      {"w", tensor(DType::BF16, {kColumns, kDepth}, w)},
      {"b", tensor(DType::BF16, {kColumns}, bias)}};
  const auto row = [](const Bits &all, std::size_t r) {
    return Bits(all.begin() + static_cast<std::ptrdiff_t>(r * kDepth),
                all.begin() + static_cast<std::ptrdiff_t>((r + 1) * kDepth));
  };
  std::set<Bits> distinct;
  for (const Family &family : kFamilies)
    for (const std::size_t run : {kDepth, std::size_t{512}}) {
      const char *kernel = run == kDepth ? "linear.v1.chain" : "linear.v1.split";
      SCOPED_TRACE(std::string(kernel) + " for " + family.target);
      const auto program = resolved("linear.ordo", kernel, family.target);
      ASSERT_TRUE(program);
      const Bits got = outputOf(evaluate(*program, {inputs, {}, {}}), "y");
      Bits want;
      for (std::size_t t = 0; t < kRows; ++t)
        for (std::size_t n = 0; n < kColumns; ++n) {
          const Bits a = row(x, t), b = row(w, n);
          float sum = 0;
          for (std::size_t begin = 0; begin < kDepth; begin += run) {
            const float part =
                exact::floatOf(chained(family, a, b, begin, std::min(begin + run, kDepth), 0));
            sum = begin == 0 ? part : sum + part;
          }
          want.push_back(
              roundedToBf16(sum + exact::floatOf(static_cast<std::uint32_t>(bias[n] << 16))));
        }
      EXPECT_EQ(got, want);
      distinct.insert(got);
    }
  // Ampere and Ada are one rule; the other families, and the two orders, part.
  EXPECT_EQ(distinct.size(), 6u);
}

// Unlike zero-filled operands: what is masked is not read, and keeps its place.
TEST(Masked, IsTheExactIdentityInItsPlace) {
  constexpr std::size_t kRows = 64, kDepth = 40, kRun = 24;
  std::mt19937_64 random(11);
  Bits a = randomBf16(random, kRows * kDepth), b = randomBf16(random, kRows * kDepth), live;
  Bits x = a, y = b; // the same with zero products
  for (std::size_t i = 0; i < a.size(); ++i) {
    live.push_back(random() % 3 != 0);
    if (live[i] != 0)
      continue;
    a[i] = 0x7fc0; // a stale NaN
    b[i] = 0x7f80;
    x[i] = y[i] = 0;
  }
  const std::map<std::string, TensorValue> inputs = {
      {"a", tensor(DType::BF16, {kRows, kDepth}, a)},
      {"b", tensor(DType::BF16, {kRows, kDepth}, b)},
      {"live", tensor(DType::I32, {kRows, kDepth}, live)}};
  for (const auto &[kernel, family] : {std::pair{"hopper_bf16.v1.masked", &kFamilies[0]},
                                       {"cdna3_bf16.v1.masked", &kFamilies[3]}}) {
    const Bits got = outputOf(run(kernel, inputs));
    ASSERT_EQ(got.size(), kRows);
    for (std::size_t t = 0; t < kRows; ++t) {
      const Bits p(x.begin() + static_cast<std::ptrdiff_t>(t * kDepth),
                   x.begin() + static_cast<std::ptrdiff_t>((t + 1) * kDepth));
      const Bits q(y.begin() + static_cast<std::ptrdiff_t>(t * kDepth),
                   y.begin() + static_cast<std::ptrdiff_t>((t + 1) * kDepth));
      const float sum = exact::floatOf(chained(*family, p, q, 0, kRun, 0)) +
                        exact::floatOf(chained(*family, p, q, kRun, kDepth, 0));
      EXPECT_EQ(got[t], std::bit_cast<std::uint32_t>(sum)) << kernel << " row " << t;
    }
  }
}

// A unit that adds as IEEE does sees the sign of a masked product: -0.0, which leaves -0.0 alone.
TEST(Masked, KeepsANegativeZero) {
  const std::uint64_t tiny = 0x0d800000, minusTiny = 0x8d800000, nan = 0x7fc00000; // 2^-100
  const auto at = [&](const Bits &live) {
    return outputOf(
        run("cdna3_f32.v1.masked", {{"a", tensor(DType::F32, {1, 4}, {minusTiny, nan, nan, nan})},
                                    {"b", tensor(DType::F32, {1, 4}, {tiny, nan, nan, nan})},
                                    {"live", tensor(DType::I32, {1, 4}, live)}}));
  };
  // +0.0 + -2^-200 rounds to -0.0; everything masked leaves the start, +0.0.
  EXPECT_EQ(at({1, 0, 0, 0}), Bits{0x80000000});
  EXPECT_EQ(at({0, 0, 0, 0}), Bits{0});
}

TEST(Masked, ByUnitsThatFlushNothingLeaksIn) {
  std::mt19937_64 random(5);
  Bits a = randomBf16(random, 40), b = randomBf16(random, 40), none(40);
  const Bits got =
      outputOf(run("cdna2_bf16.v1.masked", {{"a", tensor(DType::BF16, {1, 40}, a)},
                                            {"b", tensor(DType::BF16, {1, 40}, b)},
                                            {"live", tensor(DType::I32, {1, 40}, none)}}));
  EXPECT_EQ(got, Bits{0});
}

// --- What operands may be

TEST(Operands, AreReadInTheirOwnType) {
  constexpr std::size_t kRows = 7, kDepth = 40;
  std::mt19937_64 random(3);
  const Bits x = randomBf16(random, kRows * kDepth), w = randomBf16(random, 3 * kDepth);
  const Bits got =
      outputOf(run("hopper_bf16.v1.gathered", {{"x", tensor(DType::BF16, {kRows, kDepth}, x)},
                                               {"w", tensor(DType::BF16, {3, kDepth}, w)}}));
  ASSERT_EQ(got.size(), kRows);
  for (std::size_t t = 0; t < kRows; ++t) {
    Bits p, q;
    for (std::size_t k = 0; k < kDepth; ++k) {
      const std::uint64_t own = x[t * kDepth + k];
      const float value = exact::floatOf(static_cast<std::uint32_t>(own << 16));
      p.push_back(k % 2 == 0 ? own : roundedToBf16(value * 1.5f));
      q.push_back(w[t % 3 * kDepth + k]);
    }
    float sum = 0;
    for (std::size_t begin = 0; begin < kDepth; begin += 16) {
      const float part = exact::floatOf(
          chained(kFamilies[0], p, q, begin, std::min<std::size_t>(begin + 16, kDepth), 0));
      sum = begin == 0 ? part : sum + part;
    }
    EXPECT_EQ(got[t], std::bit_cast<std::uint32_t>(sum)) << t;
  }
}

TEST(Operands, RunOverSeveralVariablesTheLastFastest) {
  constexpr std::size_t kRows = 21;
  std::mt19937_64 random(9);
  const Bits a = randomBf16(random, kRows * 6), b = randomBf16(random, kRows * 2);
  const Bits got =
      outputOf(run("hopper_bf16.v1.columns", {{"a", tensor(DType::BF16, {kRows, 2, 3}, a)},
                                              {"b", tensor(DType::BF16, {kRows, 2}, b)}}));
  ASSERT_EQ(got.size(), 3u);
  for (std::size_t n = 0; n < 3; ++n) {
    Bits p;
    for (std::size_t i = 0; i < 2 * kRows; ++i)
      p.push_back(a[i * 3 + n]);
    EXPECT_EQ(got[n], chained(kFamilies[0], p, b, 0, 2 * kRows, 0)) << n;
  }
}

TEST(OverNothing, IsPlusZeroAndNotTheSumsMinusZero) {
  const std::map<std::string, TensorValue> nothing = {{"a", tensor(DType::BF16, {0, 2, 3}, {})},
                                                      {"b", tensor(DType::BF16, {0, 2}, {})}};
  EXPECT_EQ(outputOf(run("hopper_bf16.v1.columns", nothing)), (Bits{0, 0, 0}));
  EXPECT_EQ(outputOf(run("hopper_bf16.v1.fused", nothing)),
            (Bits{0x80000000, 0x80000000, 0x80000000}));
}

// --- Starts and roundings of the stage

TEST(Stage, StartsEveryRunFromItsStart) {
  constexpr std::size_t kDepth = 40;
  std::mt19937_64 random(13);
  const Bits a = randomBf16(random, kDepth), b = randomBf16(random, kDepth);
  const Bits got =
      outputOf(run("hopper_bf16.v1.started", {{"a", tensor(DType::BF16, {1, kDepth}, a)},
                                              {"b", tensor(DType::BF16, {1, kDepth}, b)}}));
  const std::uint32_t start = std::bit_cast<std::uint32_t>(-1.5f);
  float sum = exact::floatOf(chained(kFamilies[0], a, b, 0, 16, start));
  sum += exact::floatOf(chained(kFamilies[0], a, b, 16, 32, start));
  sum += exact::floatOf(chained(kFamilies[0], a, b, 32, 40, start));
  EXPECT_EQ(got, Bits{std::bit_cast<std::uint32_t>(sum)});
}

TEST(Stage, RoundsWhatEveryStepLeaves) {
  constexpr std::size_t kDepth = 40;
  std::mt19937_64 random(17);
  const Bits a = randomBf16(random, kDepth), b = randomBf16(random, kDepth);
  const Bits got =
      outputOf(run("hopper_bf16.v1.rounded", {{"a", tensor(DType::BF16, {1, kDepth}, a)},
                                              {"b", tensor(DType::BF16, {1, kDepth}, b)}}));
  const auto rounded = [](std::uint32_t bits) {
    return std::uint32_t{roundedToBf16(exact::floatOf(bits))} << 16;
  };
  std::uint32_t first = rounded(chained(kFamilies[0], a, b, 0, 16, 0));
  first = rounded(chained(kFamilies[0], a, b, 16, 32, first));
  const std::uint32_t second = rounded(chained(kFamilies[0], a, b, 32, 40, 0));
  EXPECT_EQ(got,
            Bits{std::bit_cast<std::uint32_t>(exact::floatOf(first) + exact::floatOf(second))});
}

// --- Refusals

TEST(Unmodelled, IsAnErrorAndNeverAGuess) {
  const auto at = [](const std::string &kernel, std::int64_t length) {
    const Bits ones(static_cast<std::size_t>(length), 0x38);
    return run(kernel, {{"a", tensor(DType::F8E4M3FN, {1, length}, ones)},
                        {"b", tensor(DType::F8E4M3FN, {1, length}, ones)}});
  };
  EXPECT_EQ(outputOf(at("ada_e4m3.v1.one", 16)), Bits{std::bit_cast<std::uint32_t>(16.0f)});
  EXPECT_EQ(outputOf(at("ada_e4m3.v1.apart", 32)), Bits{std::bit_cast<std::uint32_t>(32.0f)});
  const EvalResult second = at("ada_e4m3.v1.two", 32);
  EXPECT_FALSE(second.ok());
  EXPECT_TRUE(second.outputs.empty());
  EXPECT_EQ(second.error,
            "the arithmetic of nv.ada.f8e4m3fn is unmodelled: its steps are known for a "
            "zero accumulator only");
}

TEST(Unresolved, SaysWhereAnAtomIsNamed) {
  const auto program = resolved("linear.ordo", "linear.v1.chain"); // its targets do not agree
  ASSERT_TRUE(program);
  EXPECT_FALSE(program->matrix);
  const EvalResult result =
      evaluate(*program, {{{"x", tensor(DType::BF16, {0, 1043}, {})},
                           {"w", tensor(DType::BF16, {18, 1043}, Bits(18774))},
                           {"b", tensor(DType::BF16, {18}, Bits(18))}},
                          {},
                          {}});
  EXPECT_NE(result.error.find("`mma` does not say by which matrix unit"), std::string::npos)
      << result.error;
}

TEST(Unresolved, AProgramOfAnAtomThatDoesNotFitIsRefused) {
  auto program = resolved("matrix_units.ordo", "hopper_bf16.v1.step");
  ASSERT_TRUE(program);
  const std::map<std::string, TensorValue> inputs = {{"a", tensor(DType::BF16, {1, 32}, Bits(32))},
                                                     {"b", tensor(DType::BF16, {1, 32}, Bits(32))}};
  for (const auto &[atom, version, why] :
       {std::tuple{"nv.hopper.f16", 1, "nv.hopper.f16 takes operands of f16, not of f32"},
        {"nv.hopper.f64", 1, "accumulates in f64"},
        {"nv.hopper.bf16", 9, "there is no atom nv.hopper.bf16 version 9"},
        {"amd.cdna4.bf16", 1, "the arithmetic of amd.cdna4.bf16 is unmodelled"}}) {
    program->matrix = MatrixUnit{atom, version, {}};
    const EvalResult result = evaluate(*program, {inputs, {}, {}});
    EXPECT_NE(result.error.find(why), std::string::npos) << result.error;
  }
}

} // namespace
} // namespace ordo::dsl
