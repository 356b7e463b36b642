#include "dsl/sema/print.h"

#include <gtest/gtest.h>

namespace ordo::dsl {
namespace {

struct Builder {
  Program program;
  ExprId a, b;

  Builder() {
    program.scalars = {{"a", DType::F32}, {"b", DType::F32}};
    a = program.make(Op::Scalar, DType::F32, 0);
    b = program.make(Op::Scalar, DType::F32, 1);
  }
  ExprId f(Op op, std::initializer_list<ExprId> args) {
    return program.make(op, DType::F32, 0, args);
  }
  std::string text(ExprId id) { return printExpr(program, id); }
};

TEST(Print, ParenthesesWhereTheTreeNeedsThem) {
  Builder p;
  const ExprId sum = p.f(Op::Add, {p.a, p.b}), product = p.f(Op::Mul, {p.a, p.b});
  EXPECT_EQ(p.text(p.f(Op::Add, {sum, p.a})), "a + b + a");
  EXPECT_EQ(p.text(p.f(Op::Add, {p.a, sum})), "a + (a + b)");
  EXPECT_EQ(p.text(p.f(Op::Sub, {p.a, sum})), "a - (a + b)");
  EXPECT_EQ(p.text(p.f(Op::Mul, {sum, p.a})), "(a + b) * a");
  EXPECT_EQ(p.text(p.f(Op::Div, {p.a, product})), "a / (a * b)");
  EXPECT_EQ(p.text(p.f(Op::Add, {product, p.a})), "a * b + a");
  EXPECT_EQ(p.text(p.f(Op::Neg, {p.f(Op::Neg, {sum})})), "-(-(a + b))");
  const ExprId less = p.program.make(Op::Lt, DType::Bool, 0, {p.a, p.b});
  EXPECT_EQ(p.text(p.program.make(Op::Eq, DType::Bool, 0, {less, less})), "(a < b) == (a < b)");
  EXPECT_EQ(p.text(p.program.make(Op::Not, DType::Bool, 0, {less})), "not a < b");
  EXPECT_EQ(p.text(p.f(Op::Mul, {p.f(Op::Select, {less, p.a, p.b}), p.a})),
            "(if a < b then a else b) * a");
}

TEST(Print, ConstantsAndConversions) {
  Builder p;
  const auto constant = [&](DType type, std::uint64_t bits) {
    return p.text(p.program.constant(type, bits));
  };
  EXPECT_EQ(constant(DType::F32, 0x3f800000), "1.0");
  EXPECT_EQ(constant(DType::F32, 0x80000000), "-0.0");
  EXPECT_EQ(constant(DType::F32, 0x358637bd), "1e-06");
  EXPECT_EQ(constant(DType::F32, 0xff800000), "-inf");
  EXPECT_EQ(constant(DType::F32, 0x7fc00000), "nan");
  EXPECT_EQ(constant(DType::F32, 1), "1e-45");
  EXPECT_EQ(constant(DType::BF16, 0x3e00), "0.125");
  EXPECT_EQ(constant(DType::F16, 0x7bff), "65504.0");
  EXPECT_EQ(constant(DType::F8E4M3FN, 0x7e), "448.0");
  EXPECT_EQ(constant(DType::F64, 0x3ff0000000000001), "1.0000000000000002");
  EXPECT_EQ(constant(DType::I32, 0xffffffff), "-1");
  EXPECT_EQ(constant(DType::U32, 0xcd9e8d57), "0xcd9e8d57");
  EXPECT_EQ(constant(DType::Bool, 1), "true");
  const auto cast = [&](DType type, Rounding rounding) {
    return p.text(p.program.make(Op::Cast, type, static_cast<std::uint64_t>(rounding), {p.a}));
  };
  EXPECT_EQ(cast(DType::BF16, Rounding::NearestEven), "bf16(a)");
  EXPECT_EQ(cast(DType::BF16, Rounding::TowardZero), "bf16.rz(a)");
  EXPECT_EQ(cast(DType::F8E5M2, Rounding::Saturate), "f8e5m2.sat(a)");
  EXPECT_EQ(cast(DType::F8E5M2, Rounding::NearestEven), "f8e5m2.nosat(a)");
  EXPECT_EQ(p.text(p.program.make(Op::Bits, DType::U32, 0, {p.a})), "bits(a)");
}

TEST(Print, SharedValuesAreNamedOnce) {
  // v(i+1) = v(i) * v(i) + a: written out, 2^60 leaves.
  Builder p;
  ExprId value = p.f(Op::Add, {p.a, p.b});
  for (int i = 0; i < 60; ++i)
    value = p.f(Op::Add, {p.f(Op::Mul, {value, value}), p.a});
  p.program.tensors = {{"y", DType::F32, {}, Tensor::Role::Output}};
  Definition y;
  y.name = "y";
  y.value = value;
  y.output = 0;
  p.program.definitions = {y};
  const std::string text = printProgram(p.program);
  EXPECT_LT(text.size(), 4000u);
  EXPECT_NE(text.find("%1 = "), std::string::npos);
}

TEST(Print, LongChainsAreCut) {
  Builder p;
  ExprId value = p.a;
  for (int i = 0; i < 100000; ++i)
    value = p.f(Op::Add, {value, p.b});
  p.program.tensors = {{"y", DType::F32, {}, Tensor::Role::Output}};
  Definition y;
  y.name = "y";
  y.value = value;
  y.output = 0;
  p.program.definitions = {y};
  EXPECT_LT(printProgram(p.program).size(), 1000000u);
}

} // namespace
} // namespace ordo::dsl
