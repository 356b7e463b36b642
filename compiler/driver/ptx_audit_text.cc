#include "compiler/driver/ptx_audit.h"
#include "compiler/driver/text.h"
#include "dsl/order/draw.h"

#include <fmt/format.h>
#include <sstream>

namespace ordo::compiler::driver {

namespace {

std::string indented(const std::string &text, std::string_view by) {
  std::string out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    out += line.empty() ? "\n" : fmt::format("{}{}\n", by, line);
  return out;
}

std::string launchText(const verify::LaunchSignature &launch) {
  std::vector<std::string> grid, block;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    grid.push_back(textOf(launch.grid[axis]));
    block.push_back(std::to_string(launch.block[axis]));
  }
  while (block.size() > 1 && block.back() == "1")
    block.pop_back();
  while (grid.size() > 1 && grid.back() == "1")
    grid.pop_back();
  const std::string shared =
      launch.sharedBytes == 0 ? "" : fmt::format(", {} bytes of shared memory", launch.sharedBytes);
  return fmt::format("{} blocks of {} threads{}", joined(grid, " x "), joined(block, " x "),
                     shared);
}

std::string sizesText(const verify::LaunchSignature &launch) {
  std::vector<std::string> all;
  for (const auto &[name, size] : launch.sizes)
    all.push_back(fmt::format("{} from {} to {}", name, size.low, size.high));
  all.push_back("all inputs");
  return joined(all);
}

const char *operationOf(verify::Reduction::Kind kind) {
  using Kind = verify::Reduction::Kind;
  switch (kind) {
  case Kind::Sum:
    return "sum";
  case Kind::Dot:
    return "sum of fused products";
  case Kind::Max:
    return "max";
  case Kind::Min:
    return "min";
  }
  return "";
}

std::string orderText(const verify::NamedPart &part) {
  const verify::Reduction &r = *part.reduction;
  if (r.kind == verify::Reduction::Kind::Max || r.kind == verify::Reduction::Kind::Min)
    return "     in any order: the bits are the same\n";
  if (r.stages.empty())
    return fmt::format(
        "     the order is none of the known ones; {} operations deep, and the first "
        "values fold as\n       {}\n",
        r.depth, part.shape);
  std::string text = fmt::format("     by {}\n", joined(r.stages, " | "));
  if (!r.order)
    return text + "     which no order of the language says\n";
  return text + "\n" + indented(dsl::drawText(*r.order, r.length), "     ");
}

std::string partText(const verify::NamedPart &part) {
  if (!part.reduction)
    return fmt::format("  {} = {}\n", part.name, part.text);
  return fmt::format("  {} = {} over k in {} of {}\n", part.name, operationOf(part.reduction->kind),
                     part.reduction->length, part.text) +
         orderText(part);
}

std::string outputText(const verify::OutputTree &output) {
  std::string text = fmt::format("\n{}: a block stores {}", output.array,
                                 counted(static_cast<std::size_t>(output.elements), "element"));
  if (output.elements == 0)
    return text + "\n";
  if (output.elements > 1)
    text += output.isAlike ? ", all by one expression" : ", by several expressions; the first is";
  text += fmt::format("\n  {}[{}] = {}\n", output.array, output.element, output.value);
  for (const verify::NamedPart &part : output.parts)
    text += partText(part);
  if (output.operations.empty())
    return text;
  std::vector<std::vector<std::string>> rows;
  for (const auto &[name, count] : output.operations)
    rows.push_back({name, counted(static_cast<std::size_t>(count), "time")});
  return text + "  too many operations to show; an element takes\n" + table(rows, "    ");
}

std::string linesText(const std::vector<std::uint32_t> &lines) {
  constexpr std::size_t kShown = 4;
  std::vector<std::string> all;
  for (const std::uint32_t line : lines)
    if (all.size() < kShown)
      all.push_back(std::to_string(line));
  return fmt::format("line {}{}", joined(all), lines.size() > kShown ? ", …" : "");
}

std::string findingsText(const std::vector<verify::Finding> &findings) {
  std::vector<std::vector<std::string>> rows;
  for (const verify::Finding &finding : findings)
    rows.push_back({std::string(name(finding.kind)), finding.instruction,
                    counted(finding.lines.size(), "instruction"), linesText(finding.lines)});
  return "\nFindings\n" + (rows.empty() ? std::string("  none\n") : table(rows, "  "));
}

} // namespace

std::string textOf(const verify::Extent &extent) {
  std::string text;
  for (const auto &[name, factor] : extent.factors)
    text += fmt::format("{}{}{}",
                        text.empty() ? (factor < 0 ? "-" : "")
                        : factor < 0 ? " - "
                                     : " + ",
                        factor == 1 || factor == -1 ? "" : fmt::format("{} * ", std::abs(factor)),
                        name);
  if (extent.constant != 0 || text.empty())
    text += text.empty()
                ? std::to_string(extent.constant)
                : fmt::format(" {} {}", extent.constant < 0 ? "-" : "+", std::abs(extent.constant));
  return extent.divisor == 1 ? text : fmt::format("({}) / {}", text, extent.divisor);
}

std::string ptxAuditText(const PtxAudit &audit) {
  std::string text = fmt::format("kernel     {}\nfile       {}, for {}\nsignature  {}\n"
                                 "launch     {}\n",
                                 audit.kernel.name, audit.path, audit.kernel.target,
                                 audit.signature, launchText(audit.launch));
  if (!audit.found.fault) {
    text += fmt::format("holds for  {}\n", sizesText(audit.launch));
    if (audit.found.tree.cases > 1)
      text += fmt::format("cases      {}; shown where {}\n", audit.found.tree.cases,
                          joined(audit.found.tree.where, " and "));
    for (const verify::OutputTree &output : audit.found.tree.outputs)
      text += outputText(output);
  }
  return text + findingsText(audit.found.findings);
}

} // namespace ordo::compiler::driver
