#include "compiler/driver/json.h"
#include "compiler/driver/ptx_audit.h"

namespace ordo::compiler::driver {

namespace {

Json partJson(const verify::NamedPart &part) {
  Json object = {{"name", part.name}, {"value", part.text}};
  if (!part.reduction)
    return object;
  static constexpr const char *kOperations[] = {"sum", "dot", "max", "min"};
  const verify::Reduction &r = *part.reduction;
  object["operation"] = kOperations[static_cast<std::size_t>(r.kind)];
  object["length"] = r.length;
  object["stages"] = r.stages;
  object["order"] = r.order ? Json(dsl::toString(*r.order)) : Json(nullptr);
  object["depth"] = r.depth;
  if (!part.shape.empty())
    object["first_values"] = part.shape;
  return object;
}

Json outputJson(const verify::OutputTree &output) {
  Json parts = Json::array();
  for (const verify::NamedPart &part : output.parts)
    parts.push_back(partJson(part));
  Json object = {{"array", output.array},   {"elements_of_a_block", output.elements},
                 {"alike", output.isAlike}, {"element", output.element},
                 {"value", output.value},   {"parts", std::move(parts)}};
  if (!output.operations.empty())
    object["operations"] = output.operations;
  return object;
}

Json findingJson(const verify::Finding &finding) {
  return {
      {"kind", name(finding.kind)}, {"instruction", finding.instruction}, {"lines", finding.lines}};
}

Json refusalJson(const PtxAudit &audit) {
  const verify::Fault &fault = *audit.found.fault;
  Json object = {{"reason", fault.message}, {"line", nullptr}, {"thread", nullptr}};
  if (fault.line != 0)
    object["line"] = audit.kernel.lines.at(fault.line).number;
  if (fault.hasThread)
    object["thread"] = fault.thread;
  return object;
}

} // namespace

std::string ptxAuditJson(const PtxAudit &audit) {
  Json sizes = Json::object();
  for (const auto &[name, size] : audit.launch.sizes)
    sizes[name] = {size.low, size.high};
  Json grid = Json::array();
  for (const verify::Extent &extent : audit.launch.grid)
    grid.push_back(textOf(extent));
  Json outputs = Json::array();
  for (const verify::OutputTree &output : audit.found.tree.outputs)
    outputs.push_back(outputJson(output));
  Json findings = Json::array();
  for (const verify::Finding &finding : audit.found.findings)
    findings.push_back(findingJson(finding));
  return pretty({{"ordo_audit_ptx", 1},
                 {"file", audit.path},
                 {"kernel", audit.kernel.name},
                 {"target", audit.kernel.target},
                 {"signature", audit.signature},
                 {"grid", std::move(grid)},
                 {"block", audit.launch.block},
                 {"shared_bytes", audit.launch.sharedBytes},
                 {"sizes", std::move(sizes)},
                 {"refused", audit.found.fault ? refusalJson(audit) : Json(nullptr)},
                 {"cases", audit.found.fault ? 0 : audit.found.tree.cases},
                 {"where", audit.found.tree.where},
                 {"outputs", std::move(outputs)},
                 {"findings", std::move(findings)}});
}

} // namespace ordo::compiler::driver
