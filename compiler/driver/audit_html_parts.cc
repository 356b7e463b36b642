#include "compiler/driver/audit_html_parts.h"

#include "compiler/driver/audit_html_page.h"
#include "dsl/order/digest.h"
#include "dsl/order/draw.h"
#include "dsl/order/tree.h"

#include <fmt/core.h>

namespace ordo::compiler::driver {

namespace {

std::string grouped(std::int64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t i = text.size(); i > 3; i -= 3)
    text.insert(i - 3, ",");
  return text;
}

dsl::DrawOptions drawOptions(const ReductionFact &reduction) {
  dsl::DrawOptions options;
  options.operation = treeOperation(reduction);
  return options;
}

} // namespace

std::string exactText(const ConstantFact &constant) {
  if (!constant.number)
    return constant.bits;
  std::string text = fmt::format("{:a}", *constant.number);
  if (const std::size_t plus = text.find("p+"); plus != std::string::npos)
    text.erase(plus + 1, 1); // as the language spells it
  return text;
}

std::string reductionTitle(const ReductionFact &reduction) {
  return fmt::format("{} over {} in {}", reduction.operation, reduction.over, reduction.type);
}

std::string stagesHtml(const dsl::Order &order, std::optional<std::size_t> marked) {
  std::string text = "<div class=\"stages\">";
  for (std::size_t i = 0; i < order.stages.size(); ++i)
    text += fmt::format("{}<span class=\"stage{}\">{}</span>",
                        i == 0 ? "" : " <span class=\"bar\">|</span> ",
                        marked == i ? " differs" : "", htmlText(dsl::toString(order.stages[i])));
  return text + "</div>\n";
}

std::string treeFigures(const ReductionFact &reduction, std::optional<std::int64_t> asked) {
  if (reduction.order == nullptr)
    return "<p>Needs no order: every one gives the same bits.</p>\n";
  const std::int64_t length = drawnLength(reduction, asked);
  const auto tree = dsl::Tree::make(*reduction.order, length, nullptr);
  std::string text = "<p class=\"soft\">";
  if (tree)
    text += fmt::format("{} elements, {} operations, depth {}. ", grouped(length),
                        grouped(tree->stats().adds), grouped(tree->stats().depth));
  if (!reduction.length)
    text += fmt::format("The extent is free: the order holds for every length; drawn for {}. ",
                        grouped(length));
  if (reduction.isMasked)
    text += "Masked elements keep their positions as the identity. ";
  return text + fmt::format("Order digest <code>{}</code></p>\n", dsl::digest(*reduction.order));
}

std::string treeHtml(const ReductionFact &reduction, std::optional<std::int64_t> asked) {
  if (reduction.order == nullptr)
    return "";
  return fmt::format(
      "<figure>\n{}</figure>\n",
      dsl::drawSvg(*reduction.order, drawnLength(reduction, asked), drawOptions(reduction)));
}

std::string treeText(const ReductionFact &reduction, std::optional<std::int64_t> asked) {
  return reduction.order == nullptr ? ""
                                    : dsl::drawText(*reduction.order, drawnLength(reduction, asked),
                                                    drawOptions(reduction));
}

std::string roundingHtml(const CastFact &cast) {
  return fmt::format("<span class=\"pill {}\">{}</span>",
                     cast.rounding == "exact" ? "exact" : "rounds", htmlText(cast.rounding));
}

std::string footerHtml() {
  return fmt::format(
      "<footer>\n<p>Made by ordo {} (page format 1). No time and no machine is in this page: the "
      "same files give the same bytes.</p>\n<p>It says what the contract declares. It is no "
      "certificate: nothing here is said of compiled code.</p>\n</footer>\n",
      kVersion);
}

} // namespace ordo::compiler::driver
