#include "dsl/order/expression.h"

#include "dsl/order/fold.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace ordo::dsl {

namespace {

constexpr Expressions::Id kFree = std::numeric_limits<Expressions::Id>::max();

std::uint64_t hashOf(const Expressions::Node &node) {
  std::uint64_t hash = (std::uint64_t{node.left} << 32 | node.right) * 0x9e3779b97f4a7c15u;
  hash ^= hash >> 29;
  hash += static_cast<std::uint64_t>(node.kind) << 8 | static_cast<std::uint64_t>(node.type);
  hash *= 0xbf58476d1ce4e5b9u;
  return hash ^ hash >> 32;
}

} // namespace

bool isWithin(DType narrow, DType wide) {
  if (narrow == wide)
    return true;
  const FloatFormat inner = floatFormat(narrow);
  const FloatFormat outer = floatFormat(wide);
  // One more exponent bit takes in the subnormals, as long as the mantissa fits.
  return inner.exponentBits <= outer.exponentBits && inner.mantissaBits <= outer.mantissaBits &&
         (inner.exponentBits < outer.exponentBits || inner.bias == outer.bias);
}

/// fold()'s callbacks.
struct ExpressionOps {
  Expressions &out;

  Expressions::Id add(Expressions::Id left, Expressions::Id right) const {
    return out.merge(left, right);
  }
  Expressions::Id round(Expressions::Id value, DType type) const { return out.round(value, type); }
  Expressions::Id literal(double value) const { return out.literal(value); }
};

void Expressions::reset(std::int64_t length) {
  elements_ = length;
  nodes_.clear();
  table_.assign(std::bit_ceil(static_cast<std::size_t>(length) * 4 + 16), kFree);
  for (std::int64_t i = 0; i < length; ++i)
    nodes_.push_back({static_cast<std::uint32_t>(i), 0, Kind::Element, DType::F64});
}

std::vector<Expressions::Id> Expressions::fold(const std::vector<Step> &steps) {
  std::vector<Id> values(static_cast<std::size_t>(elements_));
  std::iota(values.begin(), values.end(), Id{0});
  ExpressionOps ops{*this};
  for (const Step &step : steps) {
    const bool fused = step.stage.kind == Stage::Kind::Fma || step.stage.kind == Stage::Kind::Mma;
    values = fused ? fusedRuns(step.stage, values)
                   : detail::StageFold<Id, ExpressionOps>(step, ops).apply(std::move(values));
  }
  return values;
}

/// A rounding stage rounds after every product. How many products an atom takes at once is not
/// known here, but equal runs are equal functions, and nothing but an `mma` run makes these nodes.
std::vector<Expressions::Id> Expressions::fusedRuns(const Stage &stage,
                                                    const std::vector<Id> &products) {
  const bool isFma = stage.kind == Stage::Kind::Fma;
  const std::size_t run = stage.n == 0 ? products.size() : static_cast<std::size_t>(stage.n);
  std::vector<Id> sums;
  for (std::size_t begin = 0; begin < products.size(); begin += run) {
    Id sum = literal(stage.start.value_or(isFma ? -0.0 : 0.0));
    for (std::size_t i = begin; i < std::min(begin + run, products.size()); ++i) {
      sum = make({sum, products[i], isFma ? Kind::Fma : Kind::Mma, DType::F64});
      if (stage.round)
        sum = round(sum, *stage.round);
    }
    sums.push_back(sum);
  }
  return sums;
}

Expressions::Id Expressions::merge(Id left, Id right) {
  if (facts_.minusZeroIsTheIdentity) {
    const auto isIdentity = [&](Id id) {
      return nodes_[id].kind == Kind::Literal && literalValue(id) == 0.0 &&
             std::signbit(literalValue(id));
    };
    if (isIdentity(right))
      return left;
    if (isIdentity(left))
      return right;
  }
  if (facts_.commutes && right < left)
    std::swap(left, right);
  return make({left, right, Kind::Merge, DType::F64});
}

Expressions::Id Expressions::round(Id value, DType type) {
  const Node &node = nodes_[value];
  if (node.kind == Kind::Round && isWithin(node.type, type))
    return value;
  // Every type that a stage rounds to has both zeros and both infinities.
  if (node.kind == Kind::Literal) {
    const double literal = literalValue(value);
    if (literal == 0.0 || std::isinf(literal))
      return value;
  }
  return make({value, 0, Kind::Round, type});
}

Expressions::Id Expressions::literal(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  return make({static_cast<std::uint32_t>(bits >> 32), static_cast<std::uint32_t>(bits),
               Kind::Literal, DType::F64});
}

double Expressions::literalValue(Id id) const {
  return std::bit_cast<double>(std::uint64_t{nodes_[id].left} << 32 | nodes_[id].right);
}

Expressions::Id Expressions::make(Node node) {
  ++work_;
  std::size_t at = hashOf(node) & (table_.size() - 1);
  for (; table_[at] != kFree; at = (at + 1) & (table_.size() - 1))
    if (nodes_[table_[at]] == node)
      return table_[at];
  if (nodes_.size() >= kFree)
    throw std::length_error("an expression with more than 2^32 - 1 parts");
  table_[at] = static_cast<Id>(nodes_.size());
  nodes_.push_back(node);
  if (2 * nodes_.size() > table_.size())
    grow();
  return static_cast<Id>(nodes_.size() - 1);
}

void Expressions::grow() {
  table_.assign(table_.size() * 2, kFree);
  for (std::size_t id = static_cast<std::size_t>(elements_); id < nodes_.size(); ++id) {
    std::size_t at = hashOf(nodes_[id]) & (table_.size() - 1);
    while (table_[at] != kFree)
      at = (at + 1) & (table_.size() - 1);
    table_[at] = static_cast<Id>(id);
  }
}

} // namespace ordo::dsl
