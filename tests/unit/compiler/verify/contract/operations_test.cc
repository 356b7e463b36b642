// Every operation and cast of the language on every type that has it: the terms' bits are those of
// dsl/eval, of data and of constants.
#include "compiler/verify/contract/contract_terms.h"
#include "dsl/eval/numeric.h"
#include "tests/unit/compiler/verify/term/evaluate_node.h"
#include "tests/unit/dsl/eval/program_builder.h"

#include <gtest/gtest.h>
#include <random>

namespace ordo::verify {
namespace {

using dsl::DType;
using dsl::ExprId;
using dsl::Rounding;
using dsl::testing_support::Builder;
using Code = dsl::Op;

constexpr DType kTypes[] = {DType::F64, DType::F32, DType::F16, DType::BF16, DType::I32,
                            DType::I64, DType::U32, DType::U64, DType::Bool};

/// Patterns that operations treat apart, and any.
std::vector<std::uint64_t> patternsOf(DType type) {
  if (type == DType::Bool)
    return {0, 1};
  const auto width = static_cast<unsigned>(dsl::bitWidth(type));
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - width),
                      top = std::uint64_t{1} << (width - 1);
  std::vector<std::uint64_t> all = {0, 1, 2, 7, 31, 33, top, top + 1, top - 1, mask, mask - 1};
  if (dsl::isFloat(type)) {
    for (const double value : {1.0, -1.0, 2.0, 0.5, 3.0, -2.5, 1e4, 3e9, -3e9, 1e19, 1.5, 2.5, 0.1})
      all.push_back(dsl::castBits(DType::F64, type, std::bit_cast<std::uint64_t>(value)));
    const std::uint64_t infinity = dsl::identityBits(dsl::ReduceOp::Min, type);
    all.insert(all.end(), {infinity, infinity | top, dsl::canonicalNan(type), infinity + 1});
  }
  std::mt19937_64 random(7);
  for (int k = 0; k < 12; ++k)
    all.push_back(random() & mask);
  return all;
}

/// A kernel of one element: `value` of the three elements of an input.
class Operation {
public:
  template <class F> Operation(DType type, F &&value) {
    x_ = b_.tensor("x", type, {b_.n(3)});
    result_ = value(b_, b_.load(x_, {b_.n(0)}), b_.load(x_, {b_.n(1)}), b_.load(x_, {b_.n(2)}));
    const DType to = b_.p.expr(result_).type;
    y_ = b_.tensor("y", to, {b_.n(1)}, dsl::Tensor::Role::Output);
    b_.define("y", {b_.var("i", b_.n(1))}, result_, y_);
    terms_.pool().tensors = {"x", "y"};
    ContractTerms contract(b_.p, terms_, {}, {});
    const AffineId zero = terms_.affine().constant(0);
    element_ = contract.element(y_, std::span(&zero, 1)).value;
  }

  std::optional<std::uint64_t> at(const std::vector<std::uint64_t> &x) {
    const auto element = [&](std::uint32_t, Wide number) {
      return std::optional(x[static_cast<std::size_t>(number)]);
    };
    NodeEvaluator evaluator(terms_.pool(), terms_.affine(), {{}, element, {}});
    return evaluator.bits(element_);
  }

  DType resultType() const { return b_.p.expr(result_).type; }
  std::string text() const { return toString(terms_.pool(), terms_.affine(), element_); }

private:
  Builder b_;
  Terms terms_;
  dsl::TensorId x_ = 0, y_ = 0;
  ExprId result_ = 0;
  NodeId element_ = 0;
};

std::uint64_t wanted(Code op, DType type, DType from, std::span<const std::uint64_t> args,
                     Rounding rounding = Rounding::NearestEven) {
  const dsl::FloatEnvironment environment;
  return dsl::canonical(type, dsl::evaluate(op, type, from, args, rounding).value());
}

void expectOperation(Code op, DType type) {
  const int count = dsl::arity(op);
  const auto make = [&](Builder &b, ExprId x, ExprId y, ExprId z) {
    return count == 1 ? b.op(op, {x}) : count == 2 ? b.op(op, {x, y}) : b.op(op, {x, y, z});
  };
  Operation operation(type, make);
  std::mt19937 random(3);
  const auto patterns = patternsOf(type);
  int constants = 0;
  for (const std::uint64_t x : patterns)
    for (const std::uint64_t y : patterns) {
      const std::vector<std::uint64_t> args = {x, y, patterns[random() % patterns.size()]};
      const std::span used(args.data(), static_cast<std::size_t>(count));
      const std::uint64_t want = wanted(op, operation.resultType(), type, used);
      ASSERT_EQ(operation.at(args), want)
          << operation.text() << std::hex << " of " << x << ", " << y;
      if (++constants % 7 != 0)
        continue;
      Operation folded(type, [&](Builder &b, ExprId, ExprId, ExprId) {
        return make(b, b.p.constant(type, args[0]), b.p.constant(type, args[1]),
                    b.p.constant(type, args[2]));
      });
      ASSERT_EQ(folded.at(args), want) << folded.text() << std::hex << " of " << x << ", " << y;
    }
}

TEST(ContractOperations, OfFloats) {
  for (const DType type : {DType::F64, DType::F32, DType::F16, DType::BF16})
    for (const Code op :
         {Code::Neg, Code::Abs, Code::Sqrt, Code::Floor, Code::Add, Code::Sub, Code::Mul, Code::Div,
          Code::Fma, Code::Min, Code::Max, Code::MinNan, Code::MaxNan, Code::Eq, Code::Ne, Code::Lt,
          Code::Le, Code::Gt, Code::Ge}) {
      SCOPED_TRACE(std::string(dsl::name(op)) + " " + std::string(dsl::name(type)));
      expectOperation(op, type);
    }
}

TEST(ContractOperations, OfIntegers) {
  for (const DType type : {DType::I32, DType::I64, DType::U32, DType::U64})
    for (const Code op :
         {Code::Neg, Code::Abs, Code::Add, Code::Sub, Code::Mul, Code::MulHi, Code::Min,
          Code::Max, Code::And, Code::Or,  Code::Xor, Code::Not, Code::Shl,   Code::Shr,
          Code::Eq,  Code::Ne,  Code::Lt,  Code::Le,  Code::Gt,  Code::Ge}) {
      SCOPED_TRACE(std::string(dsl::name(op)) + " " + std::string(dsl::name(type)));
      expectOperation(op, type);
    }
}

TEST(ContractOperations, OfBools) {
  for (const Code op : {Code::And, Code::Or, Code::Xor, Code::Not, Code::Eq, Code::Ne}) {
    SCOPED_TRACE(dsl::name(op));
    expectOperation(op, DType::Bool);
  }
}

TEST(ContractOperations, QuotientsOfIntegersRoundDown) {
  for (const DType type : {DType::I32, DType::I64, DType::U32, DType::U64})
    for (const std::uint64_t divisor : {1, 2, 3, 7, 1000, -1, -2, -7})
      for (const Code op : {Code::Div, Code::Rem}) {
        const std::uint64_t bits = divisor & (~std::uint64_t{0} >> (64 - dsl::bitWidth(type)));
        if (type == DType::U64 && bits > INT64_MAX)
          continue; // refused: see the other test
        Operation operation(type, [&](Builder &b, ExprId x, ExprId, ExprId) {
          return b.op(op, {x, b.p.constant(type, bits)});
        });
        for (const std::uint64_t x : patternsOf(type)) {
          const std::uint64_t args[] = {x, bits};
          ASSERT_EQ(operation.at({x, 0, 0}), wanted(op, type, type, args))
              << dsl::name(op) << " " << dsl::name(type) << std::hex << " " << x << " by " << bits;
        }
      }
}

TEST(ContractOperations, ChosenByAComparison) {
  for (const DType type : kTypes)
    for (const bool isConstant : {false, true}) {
      Operation operation(type, [&](Builder &b, ExprId x, ExprId y, ExprId z) {
        const ExprId other = isConstant ? b.p.constant(type, 1) : z;
        return b.op(Code::Select, {b.op(Code::Eq, {x, y}), x, other});
      });
      for (const std::uint64_t x : patternsOf(type))
        for (const std::uint64_t y : {x, std::uint64_t{1}}) {
          const std::uint64_t args[] = {x, y};
          const bool equal = wanted(Code::Eq, DType::Bool, type, args) != 0;
          const std::uint64_t other = isConstant ? 1 : y;
          ASSERT_EQ(operation.at({x, y, y}), dsl::canonical(type, equal ? x : other))
              << operation.text();
        }
    }
}

TEST(ContractCasts, BetweenAllTypes) {
  for (const DType from : kTypes)
    for (const DType to : kTypes)
      for (const Rounding rounding : {Rounding::NearestEven, Rounding::TowardZero}) {
        if (rounding == Rounding::TowardZero && !dsl::isFloat(from))
          continue; // of floats alone
        SCOPED_TRACE(std::string(dsl::name(from)) + " to " + std::string(dsl::name(to)));
        Operation operation(
            from, [&](Builder &b, ExprId x, ExprId, ExprId) { return b.cast(to, x, rounding); });
        for (const std::uint64_t x : patternsOf(from)) {
          const std::uint64_t want = wanted(Code::Cast, to, from, std::span(&x, 1), rounding);
          ASSERT_EQ(operation.at({x, 0, 0}), want) << operation.text() << std::hex << " of " << x;
          Operation folded(from, [&](Builder &b, ExprId, ExprId, ExprId) {
            return b.cast(to, b.p.constant(from, x), rounding);
          });
          ASSERT_EQ(folded.at({0, 0, 0}), want) << std::hex << x;
        }
      }
}

TEST(ContractCasts, ToTf32) {
  Operation operation(DType::F32, [](Builder &b, ExprId x, ExprId, ExprId) {
    return b.cast(DType::F32, x, Rounding::Tf32);
  });
  for (const std::uint64_t x : patternsOf(DType::F32))
    ASSERT_EQ(operation.at({x, 0, 0}),
              wanted(Code::Cast, DType::F32, DType::F32, std::span(&x, 1), Rounding::Tf32));
}

TEST(ContractCasts, BitsAndBack) {
  for (const DType type : {DType::F64, DType::F32, DType::F16, DType::BF16}) {
    const DType word = type == DType::F64 ? DType::U64 : DType::U32;
    Operation toBits(type, [&](Builder &b, ExprId x, ExprId, ExprId) {
      return b.p.make(Code::Bits, word, 0, {x});
    });
    Operation ofBits(word, [&](Builder &b, ExprId x, ExprId, ExprId) {
      return b.p.make(Code::OfBits, type, 0, {x});
    });
    for (const std::uint64_t x : patternsOf(type)) {
      ASSERT_EQ(toBits.at({x, 0, 0}), wanted(Code::Bits, word, type, std::span(&x, 1)));
      ASSERT_EQ(ofBits.at({x, 0, 0}), wanted(Code::OfBits, type, word, std::span(&x, 1)));
    }
  }
}

/// Through an index and back: it is exact, so its low bits are what wrapping arithmetic gives.
TEST(ContractCasts, IndicesAsIntegers) {
  for (const DType type : {DType::I32, DType::U32, DType::U64}) {
    Operation there(type, [&](Builder &b, ExprId x, ExprId, ExprId) {
      const ExprId tripled = b.op(Code::Mul, {b.cast(DType::Index, x), b.n(3)});
      return b.cast(type, b.op(Code::Sub, {tripled, b.n(5)}));
    });
    const auto mask = ~std::uint64_t{0} >> (64 - dsl::bitWidth(type));
    for (const std::uint64_t x : patternsOf(type))
      ASSERT_EQ(there.at({x, 0, 0}), (x * 3 - 5) & mask) << there.text();
  }
}

TEST(ContractCasts, IntegersAsIndices) {
  for (const DType type : {DType::I32, DType::I64, DType::U32, DType::U64}) {
    Operation isSmaller(type, [&](Builder &b, ExprId x, ExprId y, ExprId) {
      return b.op(Code::Lt,
                  {b.cast(DType::Index, x), b.op(Code::Add, {b.cast(DType::Index, y), b.n(1)})});
    });
    Operation isSeven(type, [&](Builder &b, ExprId x, ExprId, ExprId) {
      return b.op(Code::Eq, {b.n(7), b.cast(DType::Index, x)});
    });
    const auto numberOf = [&](std::uint64_t bits) {
      const auto above = static_cast<unsigned>(64 - dsl::bitWidth(type));
      return dsl::isSigned(type) ? Wide{static_cast<std::int64_t>(bits << above) >> above}
                                 : Wide{bits};
    };
    for (const std::uint64_t x : patternsOf(type)) {
      ASSERT_EQ(isSeven.at({x, 0, 0}), x == 7 ? 1 : 0);
      for (const std::uint64_t y : patternsOf(type))
        ASSERT_EQ(isSmaller.at({x, y, 0}), numberOf(x) < numberOf(y) + 1 ? 1 : 0);
    }
  }
}

} // namespace
} // namespace ordo::verify
