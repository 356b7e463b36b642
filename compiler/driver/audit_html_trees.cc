#include "compiler/driver/audit_html_trees.h"

#include "compiler/driver/audit_html_page.h"
#include "dsl/order/difference.h"

#include <algorithm>
#include <fmt/core.h>

namespace ordo::compiler::driver {

namespace {

/// A bf16 accumulator does not hold what f16 does, on which comparing orders relies.
bool isBeyondComparing(const ReductionFact &reduction) {
  return reduction.type == "bf16" &&
         std::any_of(reduction.order->stages.begin(), reduction.order->stages.end(),
                     [](const dsl::Stage &stage) { return stage.round == dsl::DType::F16; });
}

bool areComparable(const ReductionFact &left, const ReductionFact &right) {
  return left.order != nullptr && right.order != nullptr && !(*left.order == *right.order) &&
         left.operation == right.operation && left.type == right.type &&
         left.length == right.length && left.length.value_or(1) >= 1 && !isBeyondComparing(left) &&
         !isBeyondComparing(right);
}

} // namespace

TreeVerdict comparedTrees(const ReductionFact &left, const ReductionFact &right,
                          std::optional<std::int64_t> asked) {
  if (!areComparable(left, right))
    return {};
  const std::optional<std::int64_t> length = left.length ? left.length : asked;
  const bool isSum = left.operation == "sum" || left.operation == "dot";
  dsl::Difference difference = dsl::firstDifference(
      *left.order, *right.order, length ? dsl::Lengths{*length, *length} : dsl::Lengths{},
      isSum ? dsl::kSumFacts : dsl::Facts{});
  difference.comparison.isFirst &= !length; // of one length, none is the first
  const std::string where = length ? fmt::format("at {} elements", *length) : "at every length";
  switch (difference.comparison.verdict) {
  case dsl::Verdict::Equal:
    return {"one tree " + where,
            fmt::format("<p><span class=\"pill same\">one tree</span> The orders are written "
                        "differently, but {} they fold alike: the same bits.</p>\n",
                        where)};
  case dsl::Verdict::Unknown:
    return {"whether the trees differ is unknown",
            "<p><span class=\"pill\">unknown</span> Whether the trees differ was not "
            "established.</p>\n"};
  case dsl::Verdict::Different:
    break;
  }
  dsl::DrawOptions options;
  options.operation = treeOperation(left);
  const std::string parted =
      fmt::format("the trees {}part at {} elements", difference.comparison.isFirst ? "first " : "",
                  difference.comparison.length);
  return {
      parted,
      fmt::format("<p><span class=\"pill differs\">two trees</span> From the result down, {}, "
                  "at the node marked ◂.</p>\n<pre>{}</pre>\n",
                  parted,
                  htmlText(dsl::drawDifference(*left.order, *right.order, difference, options)))};
}

} // namespace ordo::compiler::driver
