// Orders found again in the terms that a fold makes; what is no reduction, or has no known order.
#include "compiler/verify/describe/reduction.h"

#include "dsl/order/fold.h"

#include <bit>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

namespace ordo::verify {
namespace {

using dsl::DType;

/// A fold of terms by an order, as a compiler would make it.
struct Fold {
  Terms &terms;
  NodeId add(NodeId left, NodeId right) const { return terms.fadd(DType::F32, left, right); }
  NodeId round(NodeId, DType) const { throw std::logic_error("no order here rounds"); }
  NodeId literal(double value) const {
    return terms.floatConstant(DType::F32, std::bit_cast<std::uint32_t>(static_cast<float>(value)));
  }
};

class Reductions : public ::testing::Test {
protected:
  Reductions() { terms.pool().tensors = {"x", "w"}; }

  /// x[100 + stride * k].
  NodeId element(std::int64_t k, std::int64_t stride = 1, std::uint32_t tensor = 0) {
    return terms.asFloat(
        DType::F32, terms.input(tensor, DType::F32, terms.affine().constant(100 + stride * k)));
  }
  std::vector<NodeId> elements(std::int64_t length, std::int64_t stride = 1) {
    std::vector<NodeId> all;
    for (std::int64_t k = 0; k < length; ++k)
      all.push_back(element(k, stride));
    return all;
  }
  NodeId folded(const std::string &order, std::vector<NodeId> values) {
    std::string error;
    const auto parsed = dsl::parseOrder(order, &error);
    EXPECT_TRUE(parsed) << order << ": " << error;
    return *dsl::fold<NodeId>(*parsed, std::move(values), Fold{terms});
  }
  std::optional<Reduction> found(NodeId root) {
    auto tree = foldTreeAt(terms, root);
    return tree ? reductionOf(terms, std::move(*tree)) : std::nullopt;
  }

  Terms terms;
};

TEST_F(Reductions, OrdersOfSums) {
  const std::vector<std::pair<const char *, std::int64_t>> kCases = {
      {"seq", 3},
      {"seq", 100},
      {"pairs", 64},
      {"pairs", 37},
      {"halves", 64},
      {"halves", 37},
      {"mid", 64},
      {"mid", 37},
      {"seq(8) | lanes(16) | halves", 1024},
      {"lanes(128) | halves", 1024},
      {"lanes(128) | halves", 1000},
      {"lanes(16, 4) | halves", 512},
      {"lanes(128, 8) | halves(32) | halves", 2048},
      {"lanes(7) | seq", 100},
      {"seq(4) | pairs", 64},
      {"seq(4) | halves(32) | seq", 512},
      {"pairs(8) | seq", 80},
      {"halves(32) | halves", 256},
      {"lanes(32).from(0.0) | halves", 256},
      {"seq(8).from(0.0) | halves", 256},
      {"halves.pad(0.0)", 37},
  };
  for (const auto &[order, length] : kCases) {
    const NodeId root = folded(order, elements(length));
    const auto reduction = found(root);
    ASSERT_TRUE(reduction) << order;
    EXPECT_EQ(reduction->length, length) << order;
    ASSERT_TRUE(reduction->order) << order << ": " << fmt::format("{}", reduction->stages);
    // It may be written otherwise: the trees are one.
    const NodeId again = folded(dsl::toString(*reduction->order), elements(length));
    EXPECT_EQ(again, root) << order << " found as " << dsl::toString(*reduction->order);
  }
}

TEST_F(Reductions, AFoundOrderIsSpelledAsItWasDeclared) {
  for (const char *order : {"seq(8) | lanes(16) | halves", "lanes(128, 4) | halves(32) | halves",
                            "lanes(256).from(0.0) | halves", "mid", "pairs"}) {
    const auto reduction = found(folded(order, elements(1000)));
    ASSERT_TRUE(reduction && reduction->order) << order;
    EXPECT_EQ(dsl::toString(*reduction->order), order);
  }
}

TEST_F(Reductions, OtherOrdersAreNotMistaken) {
  // One swap of two positions in a chain, and two chains that are joined the other way round.
  std::vector<NodeId> values = elements(16);
  std::swap(values[5], values[6]);
  const auto swapped = found(folded("seq", values));
  ASSERT_TRUE(swapped);
  EXPECT_TRUE(swapped->stages.empty());
  EXPECT_EQ(swapped->depth, 15);
  NodeId sum = terms.fadd(DType::F32, folded("seq", {values.begin(), values.begin() + 5}),
                          folded("seq", {values.begin() + 5, values.end()}));
  const auto uneven = found(sum);
  ASSERT_TRUE(uneven);
  EXPECT_TRUE(uneven->stages.empty());
}

TEST_F(Reductions, DistancesOfElements) {
  const auto strided = found(folded("seq", elements(10, 24)));
  ASSERT_TRUE(strided && strided->order);
  EXPECT_EQ(strided->stride, 24);
  EXPECT_EQ(strided->first, std::vector<NodeId>{element(0)});
  // One element is missing, or stands twice.
  std::vector<NodeId> values = elements(10);
  values.erase(values.begin() + 4);
  EXPECT_FALSE(found(folded("seq", values)));
  values = elements(10);
  values[3] = values[4];
  EXPECT_FALSE(found(folded("seq", values)));
}

TEST_F(Reductions, ValuesThatAreNotAlike) {
  std::vector<NodeId> values = elements(8);
  values[2] = terms.fneg(values[2]);
  EXPECT_FALSE(found(folded("seq", values)));
  values = elements(8);
  values[2] = element(2, 1, 1);
  EXPECT_FALSE(found(folded("seq", values)));
  EXPECT_FALSE(found(terms.fadd(DType::F32, element(0), element(1))));
}

TEST_F(Reductions, Products) {
  std::vector<NodeId> products;
  for (std::int64_t k = 0; k < 64; ++k)
    products.push_back(terms.fmul(DType::F32, element(k), element(k, 1, 1)));
  const auto reduction = found(folded("seq(8) | halves", products));
  ASSERT_TRUE(reduction && reduction->order);
  EXPECT_EQ(dsl::toString(*reduction->order), "seq(8) | halves");
  EXPECT_EQ(reduction->kind, Reduction::Kind::Sum);
}

// acc ← fma(x, x, acc) over runs of eight, from -0.0, which is a rounded product first, or from
// 0.0.
TEST_F(Reductions, FusedRuns) {
  for (const bool fromZero : {false, true}) {
    std::vector<NodeId> runs;
    for (std::int64_t run = 0; run < 16; ++run) {
      NodeId sum = Fold{terms}.literal(fromZero ? 0.0 : -0.0);
      for (std::int64_t k = 0; k < 8; ++k)
        sum = terms.ffma(DType::F32, element(8 * run + k), element(8 * run + k), sum);
      runs.push_back(sum);
    }
    const auto reduction = found(folded("halves", runs));
    ASSERT_TRUE(reduction);
    EXPECT_EQ(reduction->kind, Reduction::Kind::Dot);
    EXPECT_EQ(reduction->length, 128);
    EXPECT_EQ(reduction->stages,
              (std::vector<std::string>{fromZero ? "fma(8).from(0.0)" : "fma(8)", "halves"}));
  }
}

TEST_F(Reductions, FusedLanesAreNoOrderOfTheLanguage) {
  std::vector<NodeId> lanes(32, Fold{terms}.literal(0.0));
  for (std::int64_t k = 0; k < 128; ++k) {
    NodeId &sum = lanes[static_cast<std::size_t>(k % 32)];
    sum = terms.ffma(DType::F32, element(k), element(k), sum);
  }
  const auto reduction = found(folded("halves", lanes));
  ASSERT_TRUE(reduction);
  EXPECT_EQ(reduction->stages, (std::vector<std::string>{"fma lanes(32).from(0.0)", "halves"}));
  EXPECT_FALSE(reduction->order);
}

TEST_F(Reductions, AMaximumNeedsNoOrder) {
  NodeId largest = element(0);
  for (std::int64_t k = 1; k < 10; ++k)
    largest = terms.fminmax(Kind::FMax, largest, element(k));
  const auto reduction = found(largest);
  ASSERT_TRUE(reduction);
  EXPECT_EQ(reduction->kind, Reduction::Kind::Max);
  EXPECT_EQ(reduction->length, 10);
  EXPECT_TRUE(reduction->stages.empty());
}

} // namespace
} // namespace ordo::verify
