// Formulas, and JSON that people can read.

#include "compiler/driver/json.h"

#include <gtest/gtest.h>

namespace ordo::compiler::driver {
namespace {

using dsl::DType;
using dsl::Op;

class FormulaTest : public testing::Test {
protected:
  FormulaTest() {
    program_.dims = {{"T"}, {"S"}};
    program_.scalars = {{"eps", DType::F32}};
    t_ = program_.make(Op::Size, DType::Index, 0);
    s_ = program_.make(Op::Size, DType::Index, 1);
  }
  std::string text(dsl::ExprId id) const { return formula(program_, id).dump(); }
  dsl::ExprId two(Op op, dsl::ExprId a, dsl::ExprId b, DType type = DType::Index) {
    return program_.make(op, type, 0, {a, b});
  }
  dsl::Program program_;
  dsl::ExprId t_ = 0, s_ = 0;
};

TEST_F(FormulaTest, Leaves) {
  EXPECT_EQ(text(t_), R"("T")");
  EXPECT_EQ(text(program_.index(-5)), "-5");
  EXPECT_EQ(text(program_.constant(DType::Bool, 1)), "true");
  EXPECT_EQ(text(program_.constant(DType::F32, 0x3f800000)), R"({"f32":"0x3f800000"})");
  EXPECT_EQ(text(program_.constant(DType::BF16, 0x80)), R"({"bf16":"0x0080"})");
  EXPECT_EQ(text(program_.make(Op::Scalar, DType::F32, 0)), R"("eps")");
}

TEST_F(FormulaTest, Operations) {
  const dsl::ExprId product = two(Op::Mul, t_, s_);
  EXPECT_EQ(text(two(Op::Add, product, program_.index(1))), R"({"add":[{"mul":["T","S"]},1]})");
  const dsl::ExprId rest = two(Op::Rem, t_, program_.index(8));
  const dsl::ExprId isWhole = two(Op::Eq, rest, program_.index(0), DType::Bool);
  const dsl::ExprId isLess = two(Op::Lt, t_, s_, DType::Bool);
  EXPECT_EQ(text(two(Op::And, isWhole, isLess, DType::Bool)),
            R"({"and":[{"eq":[{"rem":["T",8]},0]},{"lt":["T","S"]}]})");
  EXPECT_EQ(text(program_.make(Op::Not, DType::Bool, 0, {isLess})),
            R"({"not":[{"lt":["T","S"]}]})");
  EXPECT_EQ(text(program_.make(Op::Select, DType::Index, 0, {isLess, t_, s_})),
            R"({"select":[{"lt":["T","S"]},"T","S"]})");
}

TEST(Pretty, ShortOnOneLineLongOnSeveral) {
  EXPECT_EQ(pretty({{"a", 1}, {"b", Json::array({1, "x", nullptr})}}),
            "{\"a\": 1, \"b\": [1, \"x\", null]}\n");
  EXPECT_EQ(pretty(Json::object()), "{}\n");
  const std::string word(90, 'w');
  EXPECT_EQ(pretty({{"a", word}, {"b", {word}}}),
            "{\n  \"a\": \"" + word + "\",\n  \"b\": [\"" + word + "\"]\n}\n");
}

TEST(Pretty, ReadsBackAsItWas) {
  const Json value = {{"list", Json::array({1, 2.5, "quote \" and \\ and \n"})},
                      {"empty", Json::array()},
                      {"long", std::string(200, 'x')},
                      {"nested", {{"inner", {{"deep", std::string(150, 'y')}, {"n", 1}}}}}};
  EXPECT_EQ(Json::parse(pretty(value)), value);
}

} // namespace
} // namespace ordo::compiler::driver
