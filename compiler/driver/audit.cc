// `ordo audit`: a kernel's contract laid open.

#include "compiler/driver/audit_facts.h"
#include "compiler/driver/audit_html.h"
#include "compiler/driver/failure.h"
#include "compiler/driver/files.h"
#include "compiler/driver/manifest.h"
#include "compiler/driver/profiles.h"
#include "compiler/driver/text.h"
#include "dsl/order/draw.h"
#include "dsl/sema/print.h"

#include <cstdio>
#include <fmt/core.h>
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

std::string argumentsText(const dsl::Program &program) {
  std::vector<std::vector<std::string>> rows;
  for (const dsl::Tensor &tensor : program.tensors)
    rows.push_back({roleText(tensor), tensor.name, tensorText(program, tensor)});
  for (const dsl::Dim &dim : program.dims)
    rows.push_back({"free", dim.name, "any size at launch"});
  for (const dsl::Scalar &scalar : program.scalars)
    rows.push_back(
        {"scalar", scalar.name, fmt::format("{}, given at launch", dsl::name(scalar.type))});
  std::string text = table(rows, "  ");
  for (const dsl::LaunchRequire &require : program.requires_)
    text += fmt::format("  require {}, checked at launch\n", require.text);
  return text;
}

std::string reductionText(const ReductionFact &reduction, std::size_t number,
                          std::optional<std::int64_t> asked) {
  std::string text =
      fmt::format("  {}. {} over {} in {}{}\n", number, reduction.operation, reduction.over,
                  reduction.type, reduction.isMasked ? ", masked elements are the identity" : "");
  if (!reduction.place.at.empty())
    text += fmt::format("     {}: {}\n", reduction.place.at, reduction.place.source);
  if (reduction.order == nullptr)
    return text + "     needs no order: every one gives the same bits\n";
  const std::int64_t length = drawnLength(reduction, asked);
  if (!reduction.length)
    text += fmt::format("     the extent is free; drawn for {}, --length N for another\n", length);
  dsl::DrawOptions options;
  options.operation = treeOperation(reduction);
  return text + "\n" + indented(dsl::drawText(*reduction.order, length, options), "     ");
}

std::string reductionsText(const AuditFacts &facts, std::optional<std::int64_t> asked) {
  if (facts.reductions.empty())
    return "  none\n";
  std::string text;
  for (std::size_t i = 0; i < facts.reductions.size(); ++i)
    text += (i == 0 ? "" : "\n") + reductionText(facts.reductions[i], i + 1, asked);
  return text;
}

std::string castsText(const AuditFacts &facts) {
  std::vector<std::vector<std::string>> rows;
  for (const CastFact &cast : facts.casts)
    rows.push_back({fmt::format("{} to {}", cast.from, cast.to), cast.rounding, cast.place.source,
                    cast.place.at});
  return rows.empty() ? "  none\n" : table(rows, "  ");
}

std::string constantsText(const AuditFacts &facts) {
  std::vector<std::vector<std::string>> rows;
  for (const ConstantFact &constant : facts.constants)
    rows.push_back(
        {constant.type, constant.value, constant.bits, constant.place.source, constant.place.at});
  return rows.empty() ? "  none\n" : table(rows, "  ");
}

std::string atomsText(const AuditFacts &facts) {
  if (facts.atom)
    return fmt::format("mma       {}\n", atomText(*facts.atom));
  std::vector<std::vector<std::string>> rows;
  for (const ResolutionFact &each : facts.resolutions)
    rows.push_back({each.target, std::string(each.atom->name), each.digest});
  return table(rows, "  ");
}

void printAudit(const Contract &contract, const dsl::Program &program, const AuditFacts &facts,
                std::optional<std::int64_t> asked) {
  fmt::print("kernel    {}\noperator  {}\nmodule    {}, {}\ndigest    {}\n", program.kernel,
             operatorName(program), contract.module(), contract.path(), digestText(facts));
  fmt::print("{}", atomsText(facts));
  fmt::print("\nArguments, in launch order\n{}", argumentsText(program));
  fmt::print("\nReductions\n{}", reductionsText(facts, asked));
  fmt::print("\nCasts\n{}", castsText(facts));
  fmt::print("\nConstants\n{}", constantsText(facts));
  fmt::print("\nProgram, functions inlined\n{}", indented(dsl::printProgram(program), "  "));
}

int listKernels(Contract &contract) {
  std::vector<std::vector<std::string>> rows;
  for (const std::string &kernel : contract.kernels())
    rows.push_back({kernel, operatorName(contract.program(kernel))});
  fmt::print("{}: {}\n{}", contract.path(), counted(rows.size(), "kernel"), table(rows, "  "));
  if (!rows.empty())
    fmt::print("ordo audit {}:{} shows one.\n", contract.path(), rows.front().front());
  return kFine;
}

} // namespace

namespace {

/// Everything that can be said before any work.
void requireSense(const AuditOptions &options) {
  if (options.against && options.html.empty())
    throw misuse("--against needs --html FILE", "the comparison of two kernels is a page");
  if (options.against && (options.json || !options.svg.empty()))
    throw misuse("--against goes with --html alone");
  if (!options.svg.empty() && options.svg == options.html)
    throw misuse(fmt::format("--svg and --html both name {}", options.svg));
  for (const std::string &path : {options.svg, options.html})
    if (!path.empty())
      requireWritableFile(path);
}

/// The page of two kernels, and one line about them. Different contracts are a refusal's exit code,
/// as for every comparison.
int compareKernels(const AuditOptions &options, const Contract &contract,
                   const dsl::Program &program, const AuditFacts &facts) {
  Contract other(*options.against);
  const dsl::Program otherProgram =
      resolvedProgram(other, onlyKernel(other, options.against->kernel), options.target);
  const AuditFacts otherFacts = auditFacts(other, otherProgram);
  writeFiles({{options.html, htmlDiff({contract, program, facts}, {other, otherProgram, otherFacts},
                                      options.length)}});
  const bool isEqual = facts.digest == otherFacts.digest;
  fmt::print("{} and {}: {}\n", program.kernel, otherProgram.kernel,
             isEqual ? "equal digests, the same bits" : "different contracts");
  return isEqual ? kFine : kRefused;
}

} // namespace

int runAudit(const AuditOptions &options) {
  requireSense(options);
  Contract contract(options.source);
  if (options.source.kernel.empty() && options.svg.empty() && options.html.empty() && !options.json)
    return listKernels(contract);
  const std::string kernel = onlyKernel(contract, options.source.kernel);
  const dsl::Program program = options.against ? resolvedProgram(contract, kernel, options.target)
                                               : contract.program(kernel, options.target);
  const AuditFacts facts = auditFacts(contract, program);
  if (options.against)
    return compareKernels(options, contract, program, facts);
  std::vector<OutputFile> files;
  if (!options.svg.empty()) {
    files.push_back({options.svg, auditSvg(program, facts, options.length)});
    if (files.back().bytes.empty())
      throw refusal(fmt::format("{} has no ordered reduction to draw", program.kernel));
  }
  if (!options.html.empty())
    files.push_back({options.html, htmlAudit({contract, program, facts}, options.length)});
  writeFiles(files);
  if (options.json)
    std::fputs(auditJson(contract, program, facts).c_str(), stdout);
  else
    printAudit(contract, program, facts, options.length);
  return kFine;
}

} // namespace ordo::compiler::driver
