#include "compiler/verify/symbolic/run.h"

#include "compiler/verify/symbolic/domain.h"

#include <fmt/format.h>

namespace ordo::verify {
namespace {

constexpr std::size_t kMostCases = 160;

std::string mismatch(const Kernel &kernel, const Signature &signature) {
  if (kernel.parameters.size() != signature.arguments.size())
    return fmt::format("the code takes {} arguments, and the signature has {}",
                       kernel.parameters.size(), signature.arguments.size());
  for (std::size_t k = 0; k < kernel.parameters.size(); ++k) {
    const Argument &argument = signature.arguments[k];
    const unsigned bytes = argument.kind == Argument::Kind::Scalar
                               ? static_cast<unsigned>(dsl::byteSize(argument.type))
                               : 8u;
    if (argument.kind != Argument::Kind::Size && kernel.parameters[k].bytes != bytes)
      return fmt::format("argument {} ({}) has {} bytes in the code, and should have {}", k,
                         argument.name, kernel.parameters[k].bytes, bytes);
  }
  for (int axis = 0; axis < 3; ++axis)
    if (kernel.requiredBlock[axis] != 0 && kernel.requiredBlock[axis] != signature.block.size[axis])
      return fmt::format("the code requires a block of {} x {} x {} threads",
                         kernel.requiredBlock[0], kernel.requiredBlock[1], kernel.requiredBlock[2]);
  return "";
}

} // namespace

namespace {

std::vector<Summary> refused(Fault fault) {
  std::vector<Summary> one(1);
  one.front().paths.emplace_back();
  one.front().fault = std::move(fault);
  return one;
}

/// `splits`: every question about sizes parts the run, not those of a wave's branches alone.
std::vector<Summary> attempt(const Kernel &kernel, Terms &terms, const Signature &signature,
                             MachineLimits limits, bool splits) {
  std::vector<Summary> done;
  std::vector<std::vector<Condition>> open = {{}};
  const std::vector<Loop> all = loops(kernel);
  std::set<std::uint32_t> byInduction; // heads
  while (!open.empty()) {
    if (done.size() + open.size() > kMostCases)
      return refused({"the waves' branches part into too many cases", 0, false, {}, ""});
    const std::vector<Condition> world = std::move(open.back());
    open.pop_back();
    Summary summary;
    TermDomain domain(terms, signature, kernel, world, summary);
    domain.splitOnSizes(splits);
    Machine<TermDomain> machine(kernel, domain, signature.block, limits);
    machine.useInduction(all, byInduction);
    try {
      if (auto fault = machine.run())
        return refused(std::move(*fault));
    } catch (const Undecided &on) {
      for (const bool holds : {true, false}) {
        open.push_back(world);
        open.back().push_back({on.condition.node, holds});
      }
      continue;
    } catch (const LoopFound &found) {
      byInduction.insert(found.head);
      open.push_back(world);
      continue;
    }
    summary.steps = machine.steps();
    done.push_back(std::move(summary));
  }
  return done;
}

} // namespace

std::vector<Summary> run(const Kernel &kernel, Terms &terms, const Signature &signature,
                         MachineLimits limits) {
  if (const std::string why = mismatch(kernel, signature); !why.empty())
    return refused({why, 0, false, {}, ""});
  std::vector<Summary> cases = attempt(kernel, terms, signature, limits, false);
  // Rows behind EXEC choose numbers in halves, which a case for each row decides.
  if (!cases.empty() && cases.front().fault && kernel.model == Model::LockStep)
    if (std::vector<Summary> split = attempt(kernel, terms, signature, limits, true);
        !split.front().fault)
      return split;
  return cases;
}

} // namespace ordo::verify
