#include "compiler/verify/describe/audit.h"

#include "compiler/verify/signature/build.h"
#include "compiler/verify/symbolic/run.h"

namespace ordo::verify {
namespace {

constexpr std::uint64_t kMostSteps = std::uint64_t{1} << 20; // of a block's waves, in all

} // namespace

KernelAudit audit(const Kernel &kernel, const LaunchSignature &launch) {
  KernelAudit result;
  result.findings = findings(kernel);
  try {
    const Kernel named = byName(kernel);
    Terms terms;
    const Signature signature = signatureOf(launch, named, terms);
    MachineLimits limits;
    limits.steps = kMostSteps;
    const std::vector<Summary> summaries = run(named, terms, signature, limits);
    if (summaries.front().fault)
      result.fault = summaries.front().fault;
    else
      result.tree = describe(terms, signature, summaries);
  } catch (const DomainError &error) {
    result.fault = Fault{error.what(), 0, false, {}, ""};
  }
  return result;
}

} // namespace ordo::verify
