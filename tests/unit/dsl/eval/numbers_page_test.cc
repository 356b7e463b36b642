// The table of casts in docs/numbers.md: each cell against the checker, which accepts or refuses
// the cast, and the evaluator, which runs it over the operands of casts_oracle.h.
#include "dsl/eval/evaluator.h"
#include "dsl/eval/numeric.h"
#include "tests/unit/dsl/eval/casts_oracle.h"
#include "tests/unit/dsl/sema/harness.h"

#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace ordo::dsl {
namespace {

using namespace casts;

using Cells = std::vector<std::string>;

Cells cellsOf(const std::string &line) {
  Cells cells;
  std::istringstream words(line.substr(1));
  for (std::string cell; std::getline(words, cell, '|');) {
    const std::size_t begin = cell.find_first_not_of(' '), end = cell.find_last_not_of(' ');
    cells.push_back(begin == std::string::npos ? "" : cell.substr(begin, end - begin + 1));
  }
  return cells;
}

/// The rows of the table behind the mark, its head first.
std::vector<Cells> table() {
  std::ifstream page("docs/numbers.md");
  EXPECT_TRUE(page);
  std::vector<Cells> rows;
  bool isIn = false;
  for (std::string line; std::getline(page, line);) {
    if (line == "<!-- casts: -->")
      isIn = true;
    else if (isIn && line.starts_with("|") && !line.starts_with("|-"))
      rows.push_back(cellsOf(line));
    else if (isIn && !line.starts_with("|"))
      break;
  }
  return rows;
}

/// "f8" stands for four.
std::vector<DType> typesOf(const std::string &text) {
  if (text == "f8")
    return {F8E4M3FN, F8E5M2, F8E4M3FNUZ, F8E5M2FNUZ};
  const auto type = dtypeFromName(text);
  EXPECT_TRUE(type) << text;
  return {type.value_or(F32)};
}

std::string source(const std::string &call, DType from, DType to) {
  return "op c(x: " + std::string(name(from)) + "[T]) -> (y: " + std::string(name(to)) +
         "[T]) {\n  y[t] = " + call + "(x[t])\n}\nkernel k = c\n";
}

/// The values that the cast gives over `in`; nothing if it is refused.
std::optional<Bits> cast(const std::string &call, DType from, DType to, const Bits &in) {
  testing::Loaded loaded(source(call, from, to));
  if (!loaded.package) {
    EXPECT_EQ(loaded.errors().size(), 1u) << loaded.diagnostics.renderAll();
    if (loaded.errors().size() == 1)
      EXPECT_EQ(loaded.errors()[0].kind.name(), "bad-cast") << loaded.diagnostics.renderAll();
    return std::nullopt;
  }
  const auto program = loaded.kernel("k");
  if (!program)
    return std::nullopt;
  const std::size_t size = elementSize(from);
  TensorValue x{from, {static_cast<std::int64_t>(in.size())}, {}};
  x.data.resize(in.size() * size);
  for (std::size_t i = 0; i < in.size(); ++i)
    storeBits(from, x.data.data() + i * size, in[i]);
  EvalInputs inputs;
  inputs.tensors["x"] = std::move(x);
  const EvalResult result = evaluate(*program, inputs);
  EXPECT_TRUE(result.ok()) << result.error;
  if (!result.ok())
    return std::nullopt;
  const TensorValue &y = result.outputs.at("y");
  Bits out(in.size());
  for (std::size_t i = 0; i < in.size(); ++i)
    out[i] = loadBits(to, y.data.data() + i * elementSize(to));
  return out;
}

/// Whether the cast gives what the oracle says, and whether that is each operand's own value.
struct Outcome {
  bool isRight = true;
  bool isExact = true;
};
Outcome outcome(DType from, DType to, const Bits &in, const Bits &out, Rounding rounding) {
  Outcome result;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::uint64_t wanted = expected(from, to, in[i], rounding);
    const Real a = valueOf(from, in[i]), b = valueOf(to, wanted);
    result.isRight = result.isRight && out[i] == wanted;
    result.isExact = result.isExact && (a == b || (std::isnan(a) && std::isnan(b)));
  }
  return result;
}

void check(const std::string &word, DType from, DType to) {
  const std::string type(name(to));
  const Bits in = operandsOf(from);
  const std::optional<Bits> plain = cast(type, from, to, in);
  if (word == "refused") {
    EXPECT_FALSE(plain);
    if (bitWidth(to) == 8 && isFloat(to)) // neither way
      EXPECT_FALSE(cast(type + ".sat", from, to, in) || cast(type + ".nosat", from, to, in));
    return;
  }
  if (word == "says" && from != to) {
    EXPECT_FALSE(plain);
    const auto sat = cast(type + ".sat", from, to, in);
    const auto nosat = cast(type + ".nosat", from, to, in);
    ASSERT_TRUE(sat && nosat);
    EXPECT_TRUE(outcome(from, to, in, *sat, Rounding::Saturate).isRight);
    EXPECT_TRUE(outcome(from, to, in, *nosat, Rounding::NearestEven).isRight);
    return;
  }
  ASSERT_TRUE(plain);
  const Outcome result = outcome(from, to, in, *plain, Rounding::NearestEven);
  EXPECT_TRUE(result.isRight);
  EXPECT_EQ(result.isExact, word == "exact" || word == "same" || word == "says");
  EXPECT_EQ(word == "same", from == to && word != "says");
  EXPECT_EQ(word == "saturates", isFloat(from) && !isFloat(to));
  EXPECT_EQ(word == "rounds", isFloat(to) && !result.isExact);
  if (isFloat(from) || isFloat(to)) {
    const auto toward = cast(type + ".rz", from, to, in);
    ASSERT_TRUE(toward || from == to);
    if (toward)
      EXPECT_TRUE(outcome(from, to, in, *toward, Rounding::TowardZero).isRight);
  }
}

TEST(NumbersPage, TheTableOfCasts) {
  const std::vector<Cells> rows = table();
  ASSERT_EQ(rows.size(), 11u);
  int cells = 0;
  for (std::size_t r = 1; r < rows.size(); ++r) {
    ASSERT_EQ(rows[r].size(), rows[0].size());
    for (std::size_t c = 1; c < rows[r].size(); ++c)
      for (const DType from : typesOf(rows[r][0]))
        for (const DType to : typesOf(rows[0][c].substr(std::string("to ").size()))) {
          SCOPED_TRACE(std::string(name(from)) + " to " + std::string(name(to)) + ": " +
                       rows[r][c]);
          check(rows[r][c], from, to);
          ++cells;
        }
  }
  EXPECT_EQ(cells, 13 * 13);
}

TEST(NumbersPage, AnIndexGoesToAnyTypeButBoolAndF8) {
  for (const DType to : kTypes) {
    if (to == Index)
      continue;
    const std::string type(name(to)), suffix = isFloat(to) && bitWidth(to) == 8 ? ".sat" : "";
    testing::Loaded loaded("op c(x: f32[T]) -> (y: " + type + "[T], z: f32[T]) {\n  z[t] = x[t]\n" +
                           "  y[t] = " + type + suffix + "(t)\n}\nkernel k = c\n");
    EXPECT_EQ(loaded.package != nullptr, to != Bool && suffix.empty()) << type;
  }
}

} // namespace
} // namespace ordo::dsl
