// Random well-formed orders with small sizes, and what they compute as text: an oracle that shares
// only fold() with the code under test, which fold_test holds to plain loops.
#pragma once

#include "dsl/order/fold.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace ordo::dsl {

class RandomOrders {
public:
  explicit RandomOrders(unsigned seed) : random_(seed) {}

  /// `suffixes`: with starts, pads and roundings now and then.
  Order next(bool suffixes, std::size_t mostStages = 3) {
    while (true) {
      Order order;
      const std::size_t runs = below(mostStages);
      for (std::size_t i = 0; i < runs; ++i) {
        if (below(12) == 0)
          order.stages.push_back(stageOf(Stage::Kind::First, 1 + below(3)));
        order.stages.push_back(stage(suffixes, false));
      }
      order.stages.push_back(stage(suffixes, true));
      if (!malformed(order))
        return order;
    }
  }

  std::size_t below(std::size_t bound) { return random_() % bound; }

private:
  static Stage stageOf(Stage::Kind kind, std::size_t n) {
    Stage stage;
    stage.kind = kind;
    stage.n = static_cast<std::int64_t>(n);
    return stage;
  }

  Stage stage(bool suffixes, bool total) {
    constexpr Stage::Kind kKinds[] = {Stage::Kind::Seq, Stage::Kind::Pairs, Stage::Kind::Halves,
                                      Stage::Kind::Mid, Stage::Kind::Lanes};
    Stage result = stageOf(kKinds[below(total ? 4 : 5)], total ? 0 : 1 + below(4));
    if (!total && below(8) == 0)
      result.n = 8;
    if (result.kind == Stage::Kind::Lanes)
      result.w = 1 + static_cast<std::int64_t>(below(3));
    if (result.kind == Stage::Kind::Mid)
      result.leaf = 1 + static_cast<std::int64_t>(below(4));
    if (!suffixes)
      return result;
    constexpr double kValues[] = {0.0, -0.0, 1.5};
    constexpr DType kTypes[] = {DType::BF16, DType::F32, DType::F16};
    if (below(5) == 0)
      result.start = kValues[below(3)];
    if (below(5) == 0)
      result.pad = kValues[below(3)];
    if (below(3) == 0)
      result.round = kTypes[below(5) < 3 ? 0 : 1 + below(2)];
    return result;
  }

  std::mt19937 random_;
};

/// Expressions as text. Rounding to a type what is rounded to it or to a narrower one changes
/// nothing, nor does rounding a zero.
struct TextOps {
  bool isSum = false; // + commutes and -0.0 is its identity

  std::string add(const std::string &a, const std::string &b) const {
    if (isSum && a == "-0")
      return b;
    if (isSum && b == "-0")
      return a;
    return isSum && b < a ? "(" + b + "+" + a + ")" : "(" + a + "+" + b + ")";
  }
  std::string round(const std::string &x, DType type) const {
    const bool fromHalf = x.starts_with("[bf16") || x.starts_with("[f16");
    const std::string mark = "[" + std::string(name(type)) + " ";
    if (x == "0" || x == "-0" || x.starts_with(mark) || (type == DType::F32 && fromHalf))
      return x;
    return mark + x + "]";
  }
  std::string literal(double value) const {
    return value == 0.0 ? (std::signbit(value) ? "-0" : "0") : "1.5";
  }
};

inline std::string textOf(const Order &order, std::size_t length, bool isSum = false) {
  std::vector<std::string> values;
  for (std::size_t i = 0; i < length; ++i)
    values.push_back("v" + std::to_string(i));
  return fold(order, values, TextOps{isSum}).value();
}

} // namespace ordo::dsl
