// Rounding to bf16 by integers is taken for the step, and so are AMDGCN's roots; what differs in
// one number is not.
#include "compiler/verify/gcn/expansion.h"
#include "compiler/verify/symbolic/expansions.h"

#include <array>
#include <gtest/gtest.h>
#include <vector>

namespace ordo::verify {
namespace {

using dsl::DType;

class Bf16Rounding : public ::testing::Test {
protected:
  struct Code {
    unsigned bit = 16;
    std::uint64_t addend = 0x7fff;
    unsigned shift = 16;
    std::optional<NodeId> bitOf = {}, asked = {};
  };

  NodeId value(std::uint32_t tensor) {
    terms_.pool().tensors.resize(3, "x");
    const auto at = [&](std::int64_t k) {
      return terms_.asFloat(DType::F32,
                            terms_.input(tensor, DType::F32, terms_.affine().constant(k)));
    };
    return terms_.fmul(DType::F32, at(0), at(1));
  }

  Term high(NodeId x, const Code &code) {
    const Term bit = terms_.extract(Term::of(code.bitOf.value_or(x)), code.bit, 1, 32);
    const Term sum = terms_.add(terms_.add(Term::of(x), terms_.zeroExtend(bit, 1, 32), 32),
                                Term::constant(code.addend), 32);
    return terms_.shiftRight(sum, code.shift, 32);
  }

  std::optional<Term> recognised(NodeId x, const Term &upper, std::uint64_t nan,
                                 std::optional<NodeId> asked = {}) {
    Instruction select;
    select.op = Op::Select;
    select.width = 32;
    select.src.resize(3);
    select.dst.resize(1);
    const Term src[] = {terms_.notBit(terms_.isNan(asked.value_or(x))), upper, Term::constant(nan)};
    return expansions_.recognisedAnywhere(select, src);
  }
  std::optional<Term> rounded(NodeId x, const Code &code) {
    return recognised(x, high(x, code), 0x7fc0, code.asked);
  }

  Terms terms_;
  Expansions expansions_{terms_};
};

TEST_F(Bf16Rounding, IsTaken) {
  const NodeId x = value(0);
  const NodeId narrow = terms_.fconvert(DType::BF16, x, Round::NearestEven);
  const std::array<Term, 2> halves = {Term::of(narrow), Term::constant(0)};
  const std::array<unsigned, 2> widths = {16, 16};
  EXPECT_EQ(rounded(x, {}), terms_.concat(halves, widths));
  EXPECT_EQ(recognised(x, terms_.shiftLeft(high(x, {}), 16, 32), 0x7fc00000),
            Term::of(terms_.fconvert(DType::F32, narrow, Round::NearestEven)));
  EXPECT_EQ(expansions_.used(), std::set<std::string>{"cvt.bf16"});
}

TEST_F(Bf16Rounding, WithAnotherNumberOrOperandIsNot) {
  const NodeId x = value(0), y = value(1);
  for (const unsigned bit : {0u, 15u, 17u, 31u})
    EXPECT_FALSE(rounded(x, {.bit = bit}));
  for (const std::uint64_t addend : {0x7ffeull, 0x8000ull, 0x17fffull, 0xffffull})
    EXPECT_FALSE(rounded(x, {.addend = addend}));
  for (const unsigned shift : {15u, 17u})
    EXPECT_FALSE(rounded(x, {.shift = shift}));
  EXPECT_FALSE(rounded(x, {.bitOf = y}));
  EXPECT_FALSE(rounded(x, {.asked = y}));
  EXPECT_FALSE(recognised(x, high(x, {}), 0x7fc1));
  EXPECT_FALSE(recognised(x, high(x, {}), 0x7fc00000));
  EXPECT_FALSE(recognised(x, terms_.shiftLeft(high(x, {}), 16, 32), 0x7fc0));
  EXPECT_FALSE(recognised(x, terms_.shiftLeft(high(x, {}), 15, 32), 0x7fc00000));
  EXPECT_TRUE(expansions_.used().empty());
}

/// Parts of what the rounded value is written as.
TEST_F(Bf16Rounding, ItsPartsAreNot) {
  const NodeId x = value(0);
  AffinePool &affine = terms_.affine();
  const Node whole = terms_.pool().node(high(x, {}).node());
  const Affine form = affine.form(static_cast<AffineId>(whole.payload));
  ASSERT_EQ(form.terms.size(), 2u); // q - 2^16 * floor(q / 2^16)
  for (const auto &[atom, factor] : form.terms)
    for (const std::int64_t times : {factor, -factor, factor * 2, std::int64_t{1}}) {
      const Term part = terms_.integer(affine.scale(affine.atom(atom), times), 32);
      EXPECT_FALSE(recognised(x, part, 0x7fc0)) << times;
      EXPECT_FALSE(recognised(x, part, 0x7fc00000)) << times;
    }
}

class Roots : public ::testing::TestWithParam<DType> {
protected:
  NodeId value(std::int64_t k) {
    terms_.pool().tensors.resize(1, "x");
    return terms_.asFloat(format_, terms_.input(0, format_, terms_.affine().constant(k)));
  }
  /// What the last operation of the root of x is taken for, one operand another.
  std::optional<Term> recognised(NodeId x, std::optional<std::size_t> other = {}) {
    const Term whole = gcn::Expansion(expansions_, format_).root(Term::of(x));
    Instruction last;
    last.op = format_ == DType::F32 ? Op::Select : Op::FMul;
    last.format = format_;
    last.width = static_cast<std::uint8_t>(dsl::bitWidth(format_));
    std::vector<Term> src;
    for (const NodeId arg : terms_.pool().args(whole.node()))
      src.push_back(terms_.valueOf(arg));
    last.src.resize(src.size());
    last.dst.resize(1);
    if (other)
      src[*other] = Term::of(value(9));
    return expansions_.recognised(last, src.data());
  }

  const DType format_ = GetParam();
  Terms terms_;
  Expansions expansions_{terms_};
};

TEST_P(Roots, AreTakenOfNegatedValuesToo) {
  const NodeId product = terms_.fmul(format_, value(0), value(1));
  for (const NodeId x : {product, terms_.fneg(product)}) {
    EXPECT_EQ(recognised(x), Term::of(terms_.fsqrt(format_, x)));
    for (const std::size_t operand :
         format_ == DType::F32 ? std::vector<std::size_t>{1, 2} : std::vector<std::size_t>{0, 1})
      EXPECT_FALSE(recognised(x, operand));
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, Roots, ::testing::Values(DType::F32, DType::F64));

} // namespace
} // namespace ordo::verify
