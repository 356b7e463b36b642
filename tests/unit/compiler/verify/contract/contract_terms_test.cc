// What a contract's terms look like, where that matters, and what is refused.
#include "compiler/verify/contract/contract_terms.h"
#include "tests/unit/dsl/eval/program_builder.h"

#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>

namespace ordo::verify {
namespace {

using dsl::DType;
using dsl::ExprId;
using dsl::kNone;
using dsl::ReduceOp;
using dsl::Tensor;
using dsl::testing_support::Builder;
using Code = dsl::Op;
using ::testing::HasSubstr;

/// y: f32[T, 4] of x: f32[T, 7], w: f32[7], k: i32[T], at t (a symbol) and a column.
class ContractOf : public ::testing::Test {
protected:
  ContractOf() {
    rows_ = b_.size(b_.dim("T"));
    x_ = b_.tensor("x", DType::F32, {rows_, b_.n(7)});
    w_ = b_.tensor("w", DType::F32, {b_.n(7)});
    k_ = b_.tensor("k", DType::I32, {rows_});
    y_ = b_.tensor("y", DType::F32, {rows_, b_.n(4)}, Tensor::Role::Output);
    tv_ = b_.var("t", rows_);
    hv_ = b_.var("h", b_.n(4));
    terms_.pool().tensors = {"x", "w", "k", "y"};
    size_ = symbol("T", (std::int64_t{1} << 31) - 1);
    t_ = symbol("t", (std::int64_t{1} << 31) - 2);
    terms_.facts().assume(affine_.plus(affine_.sub(size_, t_), -1)); // t < T
  }

  AffineId symbol(const char *name, std::int64_t high) {
    return terms_.exact(terms_.symbol(name, 32, {Wide{0}, Wide{high}}), 32);
  }
  ExprId t() { return b_.at(tv_); }
  ExprId h() { return b_.at(hv_); }
  ExprId x(ExprId row, ExprId column) { return b_.load(x_, {row, column}); }

  /// Of y[t, h] = value where `where`.
  ContractTerms::Element element(ExprId value, std::int64_t column, ExprId where = kNone) {
    if (b_.p.definitions.empty() || b_.p.definitions.back().output == kNone)
      b_.define("y", {tv_, hv_}, value, y_, where);
    if (!contract_)
      contract_.emplace(b_.p, terms_, std::vector{size_}, std::vector<Term>{});
    const AffineId index[] = {t_, affine_.constant(column)};
    return contract_->element(y_, index);
  }

  NodeId input(dsl::TensorId tensor, AffineId number) {
    return terms_.input(tensor, b_.p.tensors[tensor].type, number).node();
  }
  /// x[t, column], row-major.
  NodeId inRow(std::int64_t column) {
    return input(x_, affine_.plus(affine_.scale(t_, 7), column));
  }
  NodeId f32(float value) {
    return terms_.floatConstant(DType::F32, std::bit_cast<std::uint32_t>(value));
  }
  NodeId add(NodeId a, NodeId b) { return terms_.fadd(DType::F32, a, b); }

  /// The message that the element is refused with.
  std::string refusal(ExprId value) {
    try {
      element(value, 1);
    } catch (const ContractError &error) {
      return error.what();
    }
    return "";
  }

  Terms terms_;
  AffinePool &affine_ = terms_.affine();
  Builder b_;
  ExprId rows_ = 0;
  dsl::TensorId x_ = 0, w_ = 0, k_ = 0, y_ = 0;
  dsl::VarId tv_ = 0, hv_ = 0;
  AffineId size_ = 0, t_ = 0;
  std::optional<ContractTerms> contract_;
};

TEST_F(ContractOf, ElementsByTheirRowMajorNumber) {
  const auto e = element(x(t(), b_.add(b_.op(Code::Mul, {h(), b_.n(2)}), b_.n(1))), 2);
  EXPECT_EQ(e.value, inRow(5));
  EXPECT_FALSE(e.where);
  EXPECT_EQ(contract_->shape(x_), (std::vector{size_, affine_.constant(7)}));
  EXPECT_EQ(contract_->elements(x_), affine_.scale(size_, 7));
  const AffineId index[] = {t_, affine_.constant(3)};
  EXPECT_EQ(contract_->number(y_, index), affine_.plus(affine_.scale(t_, 4), 3));
}

TEST_F(ContractOf, SumsFoldByTheirOrder) {
  const dsl::VarId i = b_.var("i", b_.n(5));
  const ExprId sum = b_.reduce(ReduceOp::Sum, {i}, "seq(2) | lanes(2) | halves", x(t(), b_.at(i)));
  // Runs 01, 23, 4; lane 0 takes the first and the third.
  const NodeId lane0 = add(add(inRow(0), inRow(1)), inRow(4)), lane1 = add(inRow(2), inRow(3));
  EXPECT_EQ(element(sum, 0).value, add(lane0, lane1));
}

TEST_F(ContractOf, SeveralIndicesRunWithTheLastFastest) {
  const dsl::VarId i = b_.var("i", b_.n(2)), j = b_.var("j", b_.n(2));
  const ExprId column = b_.add(b_.op(Code::Mul, {b_.at(i), b_.n(3)}), b_.at(j));
  const ExprId sum = b_.reduce(ReduceOp::Sum, {i, j}, "seq", x(t(), column));
  EXPECT_EQ(element(sum, 0).value, add(add(add(inRow(0), inRow(1)), inRow(3)), inRow(4)));
}

TEST_F(ContractOf, StartsPadsAndRoundings) {
  const dsl::VarId i = b_.var("i", b_.n(3));
  const ExprId sum =
      b_.reduce(ReduceOp::Sum, {i}, "seq(2).from(1.5): bf16 | pairs.pad(0.0)", x(t(), b_.at(i)));
  const auto rounded = [&](NodeId a) {
    const NodeId narrow = terms_.fconvert(DType::BF16, a, Round::NearestEven);
    return terms_.fconvert(DType::F32, narrow, Round::NearestEven);
  };
  const NodeId first = rounded(add(rounded(add(f32(1.5f), inRow(0))), inRow(1)));
  EXPECT_EQ(element(sum, 0).value, add(first, rounded(add(f32(1.5f), inRow(2)))));
}

TEST_F(ContractOf, MaximaStartFromMinusInfinity) {
  const dsl::VarId i = b_.var("i", b_.n(2));
  const ExprId most = b_.reduce(ReduceOp::Max, {i}, "", x(t(), b_.at(i)));
  const NodeId start = terms_.floatConstant(DType::F32, 0xff800000u);
  const NodeId want =
      terms_.fminmax(Kind::FMax, start, terms_.fminmax(Kind::FMax, inRow(1), inRow(0)));
  EXPECT_EQ(element(most, 0).value, terms_.settled(want));
}

TEST_F(ContractOf, OverNothingIsTheIdentity) {
  const dsl::VarId i = b_.var("i", b_.n(0));
  const ExprId sum = b_.reduce(ReduceOp::Sum, {i}, "seq", x(t(), b_.at(i)));
  EXPECT_EQ(element(sum, 0).value, f32(-0.0f));
}

TEST_F(ContractOf, MasksThatAreDecidedKeepTheirPlace) {
  const dsl::VarId i = b_.var("i", b_.n(4));
  // i + h < 4 or t < 0, at h = 2
  const ExprId live = b_.op(Code::Or, {b_.op(Code::Lt, {b_.add(b_.at(i), h()), b_.n(4)}),
                                       b_.op(Code::Lt, {t(), b_.n(0)})});
  const ExprId beyond = b_.op(Code::Mul, {b_.at(i), b_.n(3)});
  const ExprId sum = b_.reduce(ReduceOp::Sum, {i}, "mid", x(t(), beyond), live);
  // (x0 + x3) + (identity + identity)
  EXPECT_EQ(element(sum, 2).value, add(inRow(0), inRow(3)));
}

TEST_F(ContractOf, MasksByDataSelectTheIdentity) {
  const dsl::VarId i = b_.var("i", b_.n(2));
  const ExprId live = b_.op(Code::Lt, {b_.at(i), b_.cast(DType::Index, b_.load(k_, {t()}))});
  const ExprId sum = b_.reduce(ReduceOp::Sum, {i}, "seq", x(t(), b_.at(i)), live);
  const auto leaf = [&](std::int64_t at) {
    // In the width of the data, though k is read as an index.
    const Term isLive = terms_.compare(Op::CmpLtS, Term::constant(static_cast<std::uint64_t>(at)),
                                       terms_.input(k_, DType::I32, t_), 32);
    return terms_.asFloat(DType::F32,
                          terms_.select(isLive, Term::of(inRow(at)), Term::of(f32(-0.0f)), 32));
  };
  EXPECT_EQ(element(sum, 0).value, add(leaf(0), leaf(1)));
}

TEST_F(ContractOf, FusedProductsThatDoNotCountLeaveTheSum) {
  const dsl::VarId i = b_.var("i", b_.n(3));
  const ExprId live = b_.op(Code::Ne, {b_.at(i), b_.n(1)});
  const ExprId dot = b_.reduce(ReduceOp::Dot, {i}, "fma(4) | seq",
                               b_.mul(x(t(), b_.at(i)), b_.load(w_, {b_.at(i)})), live);
  const auto w = [&](std::int64_t at) { return input(w_, affine_.constant(at)); };
  const NodeId first = terms_.ffma(DType::F32, inRow(0), w(0), f32(-0.0f));
  EXPECT_EQ(element(dot, 0).value, terms_.ffma(DType::F32, inRow(2), w(2), first));
}

TEST_F(ContractOf, GuardsOfStores) {
  const ExprId guard = b_.op(Code::Lt, {h(), b_.n(2)});
  const ExprId byData = b_.op(Code::Gt, {x(t(), h()), b_.f32(0.0f)});
  b_.define("y", {tv_, hv_}, x(t(), h()), y_, b_.op(Code::And, {guard, byData}));
  const auto inside = element(kNone, 1);
  ASSERT_TRUE(inside.where);
  EXPECT_EQ(*inside.where, terms_.fcompare(Kind::FLt, f32(0.0f), inRow(1)));
  EXPECT_EQ(inside.value, inRow(1));
  const auto outside = element(kNone, 3);
  EXPECT_EQ(outside.where, Term::constant(0));
  EXPECT_EQ(terms_.pool().node(outside.value).kind, Kind::Undefined);
}

TEST_F(ContractOf, DataIsComparedInItsWidth) {
  const ExprId label = b_.cast(DType::Index, b_.load(k_, {t()}));
  const ExprId one =
      b_.op(Code::Select, {b_.op(Code::Eq, {h(), label}), b_.f32(1.0f), b_.f32(2.0f)});
  const Term same =
      terms_.compare(Op::CmpEq, Term::constant(3), terms_.input(k_, DType::I32, t_), 32);
  EXPECT_EQ(element(one, 3).value,
            terms_.asFloat(DType::F32,
                           terms_.select(same, Term::of(f32(1.0f)), Term::of(f32(2.0f)), 32)));
}

TEST_F(ContractOf, IndicesOfViewsAreExact) {
  // x[t, (h + 5) % 7] at h = 3, and the row (2 * t + 1) / 2, which is t.
  const ExprId row = b_.op(Code::Div, {b_.add(b_.op(Code::Mul, {t(), b_.n(2)}), b_.n(1)), b_.n(2)});
  EXPECT_EQ(element(x(row, b_.op(Code::Rem, {b_.add(h(), b_.n(5)), b_.n(7)})), 3).value, inRow(1));
}

TEST_F(ContractOf, IndicesBecomeTheSameFloatsInAnyWidth) {
  const NodeId value = element(b_.cast(DType::F32, t()), 0).value;
  const Term t = terms_.integer(t_, 32);
  EXPECT_EQ(value, terms_.fromInteger(DType::F32, t, 32, false));
  EXPECT_EQ(value, terms_.fromInteger(DType::F32, t, 32, true)); // below 2^31
  // t - 5 may be negative: it has a sign.
  const Term less = terms_.integer(affine_.plus(t_, -5), 32);
  EXPECT_EQ(terms_.fromInteger(DType::F32, less, 32, true),
            terms_.fromInteger(DType::F32, terms_.signExtend(less, 32, 64), 64, true));
  EXPECT_NE(terms_.fromInteger(DType::F32, less, 32, true),
            terms_.fromInteger(DType::F32, less, 32, false));
}

TEST_F(ContractOf, BoolsInMemoryAreOneBit) {
  const Term byte = terms_.input(9, DType::Bool, t_);
  const Term bit = terms_.extract(byte, 0, 1, 8);
  EXPECT_EQ(terms_.notBit(terms_.compare(Op::CmpEq, byte, Term::constant(0), 8)), bit);
  EXPECT_EQ(terms_.bitAnd(byte, Term::constant(1), 8), byte);
  EXPECT_EQ(terms_.compare(Op::CmpEq, terms_.zeroExtend(byte, 8, 32), Term::constant(1), 32), bit);
  EXPECT_EQ(terms_.asElement(DType::Bool, terms_.zeroExtend(bit, 1, 8)),
            terms_.asElement(DType::Bool, byte));
}

/// exp-like work in a row's sum is done once for all the row's columns.
TEST_F(ContractOf, ARowsReductionIsMadeOnce) {
  const dsl::VarId i = b_.var("i", b_.n(7)), t0 = b_.var("t", rows_);
  const ExprId square = b_.mul(x(b_.at(t0), b_.at(i)), x(b_.at(t0), b_.at(i)));
  const dsl::DefId s = b_.define("s", {t0}, b_.reduce(ReduceOp::Sum, {i}, "seq", square));
  b_.define("y", {tv_, hv_}, b_.div(x(t(), h()), b_.use(s, {t()})), y_);
  element(kNone, 0);
  const std::size_t before = terms_.pool().size();
  const NodeId second = element(kNone, 1).value;
  EXPECT_LE(terms_.pool().size(), before + 3); // the input, its number, the quotient
  EXPECT_EQ(element(kNone, 1).value, second);
  EXPECT_LE(terms_.pool().size(), before + 3);
}

TEST_F(ContractOf, LongChainsNeedNoStack) {
  const dsl::VarId i = b_.var("i", b_.n(200'000));
  const dsl::TensorId z = b_.tensor("z", DType::F32, {b_.n(200'000)});
  b_.define("y", {tv_, hv_}, b_.reduce(ReduceOp::Sum, {i}, "seq", b_.load(z, {b_.at(i)})), y_);
  terms_.pool().tensors.emplace_back("z");
  NodeId value = 0;
  std::function<void()> work = [&] { value = element(kNone, 0).value; };
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 128 * 1024);
  pthread_t thread = {};
  const auto run = [](void *todo) -> void * {
    (*static_cast<std::function<void()> *>(todo))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, &work), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  EXPECT_EQ(terms_.pool().node(value).kind, Kind::FAdd);
}

TEST_F(ContractOf, RefusesWhatHasNoTermYet) {
  const dsl::VarId i = b_.var("i", rows_), e = b_.var("e", b_.n(7)), d = b_.var("d", kNone);
  const dsl::VarId j = b_.var("j", rows_);
  b_.p.vars[d].extent = b_.cast(DType::Index, b_.load(k_, {t()}));
  const ExprId rounded = b_.reduce(ReduceOp::Sum, {i}, "seq(64): bf16 | seq", x(b_.at(i), h()));
  const ExprId halved = b_.reduce(ReduceOp::Sum, {i}, "halves", x(b_.at(i), h()));
  const ExprId twoAxes = b_.reduce(ReduceOp::Sum, {j, e}, "seq", x(b_.at(j), b_.at(e)));
  const ExprId byData = b_.reduce(ReduceOp::Sum, {d}, "seq", b_.load(w_, {h()}));
  const ExprId best = b_.cast(
      DType::F32, b_.rank(ReduceOp::ArgMax, e, {{x(t(), b_.at(e)), true, false}, {b_.at(e)}}));
  const ExprId matrix = b_.reduce(ReduceOp::Dot, {e}, "mma(4) | seq",
                                  b_.mul(x(t(), b_.at(e)), b_.load(w_, {b_.at(e)})));
  const ExprId narrow = b_.cast(DType::F32, b_.cast(DType::F8E5M2, x(t(), h())));
  const ExprId byRows = x(b_.op(Code::Div, {t(), rows_}), h());
  const struct {
    ExprId value;
    const char *message;
  } cases[] = {
      {rounded, "`seq(64): bf16` over a free extent is not proven yet"},
      {halved, "`halves` over a free extent is not proven yet"},
      {twoAxes, "a reduction over several indices, one of a free extent, is not proven yet"},
      {byData, "d runs over"},
      {best, "`argmax` is not proven yet"},
      {matrix, "a matrix unit is not proven yet: `mma(4) | seq`"},
      {narrow, "a cast from or to an f8 is not proven yet"},
      {byRows, "a division of an index by what is no number is not proven yet"},
  };
  for (const auto &[value, message] : cases) {
    b_.p.definitions.clear();
    contract_.reset();
    EXPECT_THAT(refusal(value), HasSubstr(message));
    EXPECT_THAT(refusal(value), HasSubstr(message)); // asked again, it is no other
  }
}

TEST_F(ContractOf, RefusesRecurrences) {
  const dsl::VarId s = b_.var("t", rows_), i = b_.var("i", b_.n(7));
  const dsl::RecurrenceId r = b_.recurrence({s}, {i}, "seq");
  const dsl::CarryId c = b_.carry(r, "c", DType::F32, {}, b_.f32(0.0f));
  b_.p.carries[c].next = b_.add(b_.held(c), x(b_.at(s), b_.at(i)));
  const dsl::DefId fold = b_.define("c", {s}, b_.part(r, 0, {b_.at(s)}));
  b_.define("y", {tv_, hv_}, b_.use(fold, {t()}), y_);
  EXPECT_THAT(refusal(kNone), HasSubstr("a recurrence (`fold`, `scan`) is not proven yet"));
}

TEST_F(ContractOf, RefusesPlacedDefinitions) {
  b_.place("y", {tv_, hv_}, {t(), h()}, {rows_, b_.n(4)}, x(t(), h()), y_);
  EXPECT_THAT(refusal(kNone), HasSubstr("`y` is written at places from data"));
}

TEST_F(ContractOf, RefusalsNameThePlace) {
  const ExprId value = b_.cast(DType::F32, b_.cast(DType::F8E5M2, x(t(), h())));
  b_.p.setSpan(b_.p.args(value)[0], {0, 17, 23});
  try {
    element(value, 0);
    FAIL() << "not refused";
  } catch (const ContractError &error) {
    EXPECT_EQ(error.span.begin, 17u);
    EXPECT_EQ(error.span.end, 23u);
  }
}

TEST_F(ContractOf, RefusesWhatIsAskedAmiss) {
  EXPECT_THROW(ContractTerms(b_.p, terms_, {}, {}), ContractError);
  ContractTerms contract(b_.p, terms_, {size_}, {});
  EXPECT_THROW(contract.element(y_, std::span(&t_, 1)), ContractError); // no definition
  b_.define("y", {tv_, hv_}, x(t(), h()), y_);
  EXPECT_THROW(contract.element(y_, std::span(&t_, 1)), ContractError); // one index of two
  EXPECT_THROW(contract.number(x_, std::span(&t_, 1)), ContractError);
}

} // namespace
} // namespace ordo::verify
