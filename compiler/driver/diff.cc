// `ordo diff`: two kernels or two orders.
//
// Kernels are alike but for their orders when their canonical forms agree with every order
// replaced by one; then the reductions pair up, and each pair of orders is compared at the
// reduction's lengths. Kernels that differ in more are shown line by line.

#include "compiler/driver/audit_facts.h"
#include "compiler/driver/contract.h"
#include "compiler/driver/failure.h"
#include "compiler/driver/text.h"
#include "dsl/order/difference.h"
#include "dsl/sema/digest.h"
#include "dsl/sema/print.h"

#include <algorithm>
#include <fmt/core.h>
#include <sstream>

namespace ordo::compiler::driver {

namespace {

using dsl::Verdict;

dsl::Order parsedOrder(const std::string &text) {
  std::string error;
  const std::optional<dsl::Order> order = dsl::parseOrder(text, &error);
  if (!order)
    throw misuse(fmt::format("order '{}': {}", text, error));
  if (const auto reason = dsl::malformed(*order))
    throw misuse(fmt::format("order '{}': {}", text, *reason));
  return *order;
}

int exitCode(Verdict verdict) {
  return verdict == Verdict::Equal ? kFine : verdict == Verdict::Different ? kRefused : kUnknown;
}

dsl::Lengths lengthsOf(std::optional<std::int64_t> length) {
  return length ? dsl::Lengths{*length, *length} : dsl::Lengths{};
}

std::string verdictText(const dsl::Order &a, const dsl::Order &b, dsl::Difference difference,
                        std::optional<std::int64_t> length, const dsl::Facts &facts,
                        const std::string &operation) {
  if (difference.comparison.verdict != Verdict::Equal) {
    dsl::DrawOptions options;
    options.operation = operation;
    difference.comparison.isFirst &= !length; // of one length, none is the first
    return dsl::drawDifference(a, b, difference, options);
  }
  const dsl::Order form = dsl::normalForm(a, lengthsOf(length).longest, facts);
  const std::string shared = form == dsl::normalForm(b, lengthsOf(length).longest, facts)
                                 ? fmt::format(": both are {}", dsl::toString(form))
                                 : "";
  return fmt::format("equal at {}{}\n",
                     length ? fmt::format("{} elements", *length) : "every length", shared);
}

int diffOrders(const DiffOptions &options) {
  const dsl::Order a = parsedOrder(options.a.file);
  const dsl::Order b = parsedOrder(options.b.file);
  const dsl::Difference difference =
      dsl::firstDifference(a, b, lengthsOf(options.length), dsl::kSumFacts);
  fmt::print("{}", verdictText(a, b, difference, options.length, dsl::kSumFacts, "+"));
  return exitCode(difference.comparison.verdict);
}

/// The program with every order replaced by one.
dsl::Program withoutOrders(dsl::Program program) {
  for (dsl::Reduction &reduction : program.reductions)
    if (!reduction.order.empty())
      reduction.order = {{dsl::Stage{}}};
  return program;
}

dsl::Facts factsOf(dsl::ReduceOp op) {
  switch (op) {
  case dsl::ReduceOp::Sum:
  case dsl::ReduceOp::Dot:
    return dsl::kSumFacts;
  default:
    return {};
  }
}

/// A bf16 accumulator does not hold what f16 does, on which comparing orders relies.
bool isBeyondComparing(const dsl::Program &program, const dsl::Reduction &reduction) {
  return program.expr(reduction.body).type == dsl::DType::BF16 &&
         std::ranges::any_of(reduction.order.stages, [](const dsl::Stage &stage) {
           return stage.round == dsl::DType::F16;
         });
}

/// One side of the comparison.
struct Side {
  explicit Side(const SourceOptions &options)
      : contract(options), program(contract.program(onlyKernel(contract, options.kernel))) {}

  std::string name() const { return fmt::format("{}:{}", contract.path(), program.kernel); }

  Contract contract;
  dsl::Program program;
};

class KernelDiff {
public:
  KernelDiff(Side &a, Side &b, std::optional<std::int64_t> length) : a_(a), b_(b), asked_(length) {}

  int run() {
    if (dsl::digest(a_.program) == dsl::digest(b_.program)) {
      fmt::print("equal: one contract, digest {}\n", dsl::digest(a_.program));
      return kFine;
    }
    if (dsl::canonicalForm(withoutOrders(a_.program)) !=
        dsl::canonicalForm(withoutOrders(b_.program)))
      return programsDiffer();
    return ordersDiffer();
  }

private:
  int ordersDiffer() {
    const auto left = dsl::reductionsInOrder(a_.program);
    const auto right = dsl::reductionsInOrder(b_.program);
    const AuditFacts facts = auditFacts(a_.contract, a_.program);
    Verdict verdict = Verdict::Equal;
    std::string text;
    for (std::size_t i = 0; i < left.size(); ++i) {
      const dsl::Reduction &x = a_.program.reductions[left[i]];
      const dsl::Reduction &y = b_.program.reductions[right[i]];
      if (x.order == y.order)
        continue;
      const Verdict own = compareOrders(x, y, facts.reductions[left[i]], text);
      // One difference decides; else one open question does.
      if (own == Verdict::Different || verdict == Verdict::Equal)
        verdict = own;
    }
    fmt::print("{}: {} and {}\n{}", dsl::name(verdict), a_.name(), b_.name(), text);
    return exitCode(verdict);
  }

  Verdict compareOrders(const dsl::Reduction &x, const dsl::Reduction &y, const ReductionFact &fact,
                        std::string &text) const {
    text += fmt::format("\n{} over {}{}\n", fact.operation, fact.over,
                        fact.place.at.empty() ? "" : ", " + fact.place.at);
    const std::optional<std::int64_t> length = fact.length ? fact.length : asked_;
    if (length && *length < 1) {
      text += "equal: a sum over nothing has no order\n";
      return Verdict::Equal;
    }
    if (isBeyondComparing(a_.program, x) || isBeyondComparing(b_.program, y)) {
      text += "unknown: f16 in a bf16 accumulator is not compared\n";
      return Verdict::Unknown;
    }
    const dsl::Facts facts = factsOf(x.op);
    const dsl::Difference difference =
        dsl::firstDifference(x.order, y.order, lengthsOf(length), facts);
    text += verdictText(x.order, y.order, difference, length, facts, treeOperation(fact));
    return difference.comparison.verdict;
  }

  /// Which lines of one printed program the other lacks, by their longest common subsequence.
  int programsDiffer() {
    const auto left = linesOf(dsl::printProgram(a_.program));
    const auto right = linesOf(dsl::printProgram(b_.program));
    std::vector<std::vector<std::uint32_t>> common(left.size() + 1,
                                                   std::vector<std::uint32_t>(right.size() + 1));
    for (std::size_t i = left.size(); i-- > 0;)
      for (std::size_t j = right.size(); j-- > 0;)
        common[i][j] = left[i] == right[j] ? common[i + 1][j + 1] + 1
                                           : std::max(common[i + 1][j], common[i][j + 1]);
    fmt::print("different: {} and {} differ in more than orders\n\n", a_.name(), b_.name());
    for (std::size_t i = 0, j = 0; i < left.size() || j < right.size();) {
      if (i < left.size() && j < right.size() && left[i] == right[j]) {
        fmt::print("    {}\n", left[i]);
        ++i, ++j;
      } else if (j == right.size() || (i < left.size() && common[i + 1][j] >= common[i][j + 1])) {
        fmt::print("  - {}\n", left[i++]);
      } else {
        fmt::print("  + {}\n", right[j++]);
      }
    }
    return kRefused;
  }

  static std::vector<std::string> linesOf(const std::string &text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);)
      lines.push_back(line);
    return lines;
  }

  Side &a_;
  Side &b_;
  std::optional<std::int64_t> asked_;
};

} // namespace

int runDiff(const DiffOptions &options) {
  if (options.orders)
    return diffOrders(options);
  Side a(options.a);
  Side b(options.b);
  return KernelDiff(a, b, options.length).run();
}

} // namespace ordo::compiler::driver
