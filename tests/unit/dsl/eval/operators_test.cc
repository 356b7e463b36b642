// Every operator of the language on every type: accepted where it has a meaning, refused where it
// has none, and evaluated as the operation it is spelt like. What the operations give is
// numeric_test's business; that `-` is a subtraction and `>>` shifts right is this one's.
#include "dsl/eval/evaluator.h"
#include "dsl/eval/numeric.h"
#include "tests/unit/dsl/eval/casts_oracle.h"
#include "tests/unit/dsl/sema/harness.h"

#include <gtest/gtest.h>

namespace ordo::dsl {
namespace {

using namespace casts;

struct Spelling {
  std::string text; // over x[t], y[t], z[t]
  Op op;
  int operands;
  std::string meanings; // f: f64 f32 f16 bf16; i: i32 i64 u32 u64; s: i32 i64; b: bool
};

const Spelling kSpellings[] = {
    {"x[t] + y[t]", Op::Add, 2, "fi"},
    {"x[t] - y[t]", Op::Sub, 2, "fi"},
    {"x[t] * y[t]", Op::Mul, 2, "fi"},
    {"x[t] / y[t]", Op::Div, 2, "f"}, // of integers: by a constant, below
    {"-x[t]", Op::Neg, 1, "fi"},
    {"abs(x[t])", Op::Abs, 1, "fi"},
    {"sqrt(x[t])", Op::Sqrt, 1, "f"},
    {"floor(x[t])", Op::Floor, 1, "f"},
    {"fma(x[t], y[t], z[t])", Op::Fma, 3, "f"},
    {"min(x[t], y[t])", Op::Min, 2, "fi"},
    {"max(x[t], y[t])", Op::Max, 2, "fi"},
    {"min_nan(x[t], y[t])", Op::MinNan, 2, "f"},
    {"max_nan(x[t], y[t])", Op::MaxNan, 2, "f"},
    {"mulhi(x[t], y[t])", Op::MulHi, 2, "i"},
    {"x[t] & y[t]", Op::And, 2, "i"},
    {"x[t] | y[t]", Op::Or, 2, "i"},
    {"x[t] ^ y[t]", Op::Xor, 2, "i"},
    {"~x[t]", Op::Not, 1, "i"},
    {"x[t] << y[t]", Op::Shl, 2, "i"},
    {"x[t] >> y[t]", Op::Shr, 2, "i"},
    {"x[t] and y[t]", Op::And, 2, "b"},
    {"x[t] or y[t]", Op::Or, 2, "b"},
    {"not x[t]", Op::Not, 1, "b"},
    {"x[t] == y[t]", Op::Eq, 2, "fib"},
    {"x[t] != y[t]", Op::Ne, 2, "fib"},
    {"x[t] < y[t]", Op::Lt, 2, "fi"},
    {"x[t] <= y[t]", Op::Le, 2, "fi"},
    {"x[t] > y[t]", Op::Gt, 2, "fi"},
    {"x[t] >= y[t]", Op::Ge, 2, "fi"},
};

char classOf(DType type) {
  if (isFloat(type))
    return bitWidth(type) == 8 ? '8' : 'f';
  return type == Bool ? 'b' : 'i';
}

bool compares(Op op) { return op >= Op::Eq && op <= Op::Ge; }

/// Some of the hard values of a type, in an order of their own for each operand.
Bits some(DType type, std::size_t operand) {
  const Bits all = operandsOf(type);
  std::mt19937_64 random(operand + 1);
  Bits values;
  for (int i = 0; i < 400; ++i)
    values.push_back(all[random() % all.size()]);
  return values;
}

TensorValue tensor(DType type, const Bits &bits) {
  TensorValue value{type, {static_cast<std::int64_t>(bits.size())}, {}};
  value.data.resize(bits.size() * elementSize(type));
  for (std::size_t i = 0; i < bits.size(); ++i)
    storeBits(type, value.data.data() + i * elementSize(type), bits[i]);
  return value;
}

std::string source(const std::string &expression, DType type, DType result) {
  std::string inputs;
  for (const char name : {'x', 'y', 'z'})
    if (expression.find(std::string(1, name) + "[t]") != std::string::npos)
      inputs += (inputs.empty() ? "" : ", ") + std::string(1, name) + ": " +
                std::string(dsl::name(type)) + "[T]";
  return "op c(" + inputs + ") -> (out: " + std::string(name(result)) +
         "[T]) {\n  out[t] = " + expression + "\n}\nkernel k = c\n";
}

std::optional<Bits> evaluated(const std::string &expression, DType type, DType result,
                              const std::vector<Bits> &operands) {
  testing::Loaded loaded(source(expression, type, result));
  if (!loaded.package)
    return std::nullopt;
  const auto program = loaded.kernel("k");
  if (!program)
    return std::nullopt;
  EvalInputs inputs;
  for (std::size_t k = 0; k < operands.size(); ++k)
    inputs.tensors[std::string(1, "xyz"[k])] = tensor(type, operands[k]);
  const EvalResult outcome = evaluate(*program, inputs);
  EXPECT_TRUE(outcome.ok()) << outcome.error;
  if (!outcome.ok())
    return std::nullopt;
  const TensorValue &out = outcome.outputs.at("out");
  Bits bits(operands[0].size());
  for (std::size_t i = 0; i < bits.size(); ++i)
    bits[i] = loadBits(result, out.data.data() + i * elementSize(result));
  return bits;
}

class Operators : public ::testing::TestWithParam<DType> {};

TEST_P(Operators, MeanWhatTheyAreSpeltLike) {
  const DType type = GetParam();
  for (const Spelling &s : kSpellings) {
    SCOPED_TRACE(s.text + " of " + std::string(name(type)));
    const DType result = compares(s.op) ? Bool : type;
    std::vector<Bits> operands;
    for (int k = 0; k < s.operands; ++k)
      operands.push_back(some(type, static_cast<std::size_t>(k)));
    const std::optional<Bits> got = evaluated(s.text, type, result, operands);
    ASSERT_EQ(got.has_value(), s.meanings.find(classOf(type)) != std::string::npos);
    if (!got)
      continue;
    const FloatEnvironment environment;
    for (std::size_t i = 0; i < got->size(); ++i) {
      Bits args;
      for (const Bits &operand : operands)
        args.push_back(operand[i]);
      ASSERT_EQ((*got)[i], canonical(result, evaluate(s.op, result, type, args).value())) << i;
    }
  }
}

TEST_P(Operators, IntegersDivideByWhatIsKnownNotToBeZero) {
  const DType type = GetParam();
  const Bits x = some(type, 0);
  for (const auto &[text, op] : {std::pair{"x[t] / 7", Op::Div}, std::pair{"x[t] % 7", Op::Rem}}) {
    const std::optional<Bits> got = evaluated(text, type, type, {x});
    ASSERT_EQ(got.has_value(), isInteger(type)) << text; // of floats 7 is no literal
    for (std::size_t i = 0; got && i < x.size(); ++i)
      ASSERT_EQ((*got)[i], evaluate(op, type, type, Bits{x[i], 7}).value()) << text;
  }
}

TEST_P(Operators, BitsAndBack) {
  const DType type = GetParam();
  const DType word = type == F64 ? U64 : U32;
  const Bits x = some(type, 0);
  const std::optional<Bits> got = evaluated("bits(x[t])", type, word, {x});
  ASSERT_EQ(got.has_value(), classOf(type) == 'f');
  if (!got)
    return;
  for (std::size_t i = 0; i < x.size(); ++i)
    ASSERT_EQ((*got)[i], canonical(type, x[i]));
  const std::string back = std::string(name(type)) + ".of_bits(bits(x[t]))";
  const std::optional<Bits> same = evaluated(back, type, type, {x});
  ASSERT_TRUE(same);
  for (std::size_t i = 0; i < x.size(); ++i)
    ASSERT_EQ((*same)[i], canonical(type, x[i]));
}

INSTANTIATE_TEST_SUITE_P(All, Operators,
                         ::testing::Values(F64, F32, F16, BF16, F8E4M3FN, F8E5M2, F8E4M3FNUZ,
                                           F8E5M2FNUZ, I32, I64, U32, U64, Bool),
                         [](const auto &info) { return std::string(name(info.param)); });

} // namespace
} // namespace ordo::dsl
