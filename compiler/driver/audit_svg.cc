#include "compiler/driver/audit_facts.h"
#include "dsl/order/draw.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/core.h>
#include <string_view>

namespace ordo::compiler::driver {

namespace {

constexpr std::string_view kRoot = "<svg ";
constexpr double kGap = 16.0;

/// The number in the first `NAME="…"` of a document: our own drawings state width and height first.
double attribute(const std::string &svg, std::string_view name) {
  const std::string key = fmt::format(" {}=\"", name);
  const std::size_t at = svg.find(key);
  return at == std::string::npos ? 0.0 : std::strtod(svg.c_str() + at + key.size(), nullptr);
}

} // namespace

std::string auditSvg(const dsl::Program &program, const AuditFacts &facts,
                     std::optional<std::int64_t> asked) {
  std::vector<std::string> drawings;
  for (const ReductionFact &reduction : facts.reductions) {
    if (reduction.order == nullptr)
      continue;
    dsl::DrawOptions options;
    options.operation = treeOperation(reduction);
    options.title =
        fmt::format("{}: {} over {}", program.kernel, reduction.operation, reduction.over);
    drawings.push_back(dsl::drawSvg(*reduction.order, drawnLength(reduction, asked), options));
  }
  if (drawings.size() <= 1)
    return drawings.empty() ? "" : drawings.front();

  // Each drawing is a document; nested at its place in an outer one it keeps its own coordinates.
  std::string body;
  double width = 0.0;
  double height = 0.0;
  for (const std::string &drawing : drawings) {
    const std::size_t root = drawing.find(kRoot);
    if (root == std::string::npos)
      continue;
    if (height > 0.0)
      height += kGap;
    body += fmt::format("<svg y=\"{:.0f}\" {}", height, drawing.substr(root + kRoot.size()));
    width = std::max(width, attribute(drawing, "width"));
    height += attribute(drawing, "height");
  }
  return fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" "
                     "height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\">\n"
                     "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{2}</svg>\n",
                     width, height, body);
}

} // namespace ordo::compiler::driver
