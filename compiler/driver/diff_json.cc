#include "compiler/driver/diff.h"
#include "compiler/driver/json.h"

namespace ordo::compiler::driver {

namespace {

Json orderPairJson(const OrderPair &pair) {
  const dsl::Comparison &comparison = pair.difference.comparison;
  Json object = {{"a", dsl::toString(pair.a)},
                 {"b", dsl::toString(pair.b)},
                 {"operation", pair.operation},
                 {"over", pair.over.empty() ? Json(nullptr) : Json(pair.over)},
                 {"place", pair.place.empty() ? Json(nullptr) : Json(pair.place)},
                 {"length", pair.length ? Json(*pair.length) : Json(nullptr)},
                 {"verdict", dsl::name(comparison.verdict)}};
  if (comparison.verdict == dsl::Verdict::Different) {
    object["parts_at"] = comparison.length;
    object["is_first"] = comparison.isFirst;
    object["path"] = pair.difference.path;
  }
  if (comparison.verdict == dsl::Verdict::Unknown)
    object["alike_up_to"] = comparison.compared;
  if (!pair.reason.empty())
    object["reason"] = pair.reason;
  return object;
}

} // namespace

std::string diffJson(const DiffReport &report) {
  Json orders = Json::array();
  for (const OrderPair &pair : report.orders)
    orders.push_back(orderPairJson(pair));
  Json lines = Json::array();
  for (const ProgramLine &line : report.lines)
    if (line.side != ' ')
      lines.push_back({{"side", line.side == '-' ? "a" : "b"}, {"line", line.text}});
  return pretty(
      {{"ordo_diff", 1},
       {"a", report.a},
       {"b", report.b},
       {"verdict", dsl::name(report.verdict)},
       {"digest", report.digest.empty() ? Json(nullptr) : Json(report.digest)},
       {"atoms", report.atomA.empty() ? Json(nullptr) : Json::array({report.atomA, report.atomB})},
       {"orders", orders},
       {"lines", lines}});
}

} // namespace ordo::compiler::driver
