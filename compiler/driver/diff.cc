// `ordo diff`: two kernels or two orders.
//
// Kernels are alike but for their orders when their canonical forms agree with every order
// replaced by one; then the reductions pair up, and each pair of orders is compared at the
// reduction's lengths. Kernels that differ in more are shown line by line.

#include "compiler/driver/diff.h"

#include "compiler/driver/audit_facts.h"
#include "compiler/driver/audit_html.h"
#include "compiler/driver/contract.h"
#include "compiler/driver/failure.h"
#include "compiler/driver/files.h"
#include "compiler/driver/profiles.h"
#include "compiler/driver/text.h"
#include "dsl/sema/digest.h"
#include "dsl/sema/print.h"

#include <algorithm>
#include <cstdio>
#include <fmt/core.h>
#include <sstream>
#include <tuple>

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

dsl::Lengths lengthsOf(std::optional<std::int64_t> length) {
  return length ? dsl::Lengths{*length, *length} : dsl::Lengths{};
}

void compareOrders(OrderPair &pair) {
  pair.difference = dsl::firstDifference(pair.a, pair.b, lengthsOf(pair.length), pair.facts);
  pair.difference.comparison.isFirst &= !pair.length; // of one length, none is the first
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

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

struct Side {
  Side(const SourceOptions &options, const std::string &target)
      : contract(options),
        program(resolvedProgram(contract, onlyKernel(contract, options.kernel), target)) {}

  std::string name() const { return fmt::format("{}:{}", contract.path(), program.kernel); }

  Contract contract;
  dsl::Program program;
};

std::vector<OrderPair> comparedOrders(const Side &a, const Side &b,
                                      std::optional<std::int64_t> asked) {
  const auto left = dsl::reductionsInOrder(a.program);
  const auto right = dsl::reductionsInOrder(b.program);
  const AuditFacts facts = auditFacts(a.contract, a.program);
  std::vector<OrderPair> pairs;
  for (std::size_t i = 0; i < left.size(); ++i) {
    const dsl::Reduction &x = a.program.reductions[left[i]];
    const dsl::Reduction &y = b.program.reductions[right[i]];
    if (x.order == y.order)
      continue;
    const ReductionFact &fact = facts.reductions[left[i]];
    OrderPair pair{x.order,
                   y.order,
                   fact.operation,
                   fact.over,
                   fact.place.at,
                   fact.length ? fact.length : asked,
                   factsOf(x.op),
                   {},
                   ""};
    if (pair.length && *pair.length < 1) {
      pair.reason = "a reduction over nothing has no order";
      pair.difference.comparison.verdict = Verdict::Equal;
    } else if (isBeyondComparing(a.program, x) || isBeyondComparing(b.program, y)) {
      pair.reason = "f16 in a bf16 accumulator is not compared";
    } else {
      compareOrders(pair);
    }
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

/// Whether two rules are one function, whatever they are called.
bool computeAlike(const dsl::AtomRule &a, const dsl::AtomRule &b) {
  const auto facts = [](const dsl::AtomRule &rule) {
    return std::tie(rule.arithmetic, rule.operand, rule.accumulator, rule.ignoredBits,
                    rule.products, rule.fractionBits, rule.resultBits, rule.leastExponent,
                    rule.sumBits, rule.cutsTotal, rule.startsFromZero);
  };
  return facts(a) == facts(b);
}

/// Both fold by `mma`: by which atoms, where those are not of one name, and whether they are
/// one function.
void compareAtoms(const Side &a, const Side &b, DiffReport &report) {
  if (!a.program.matrix || !b.program.matrix)
    return;
  const dsl::AtomRule &x = atomOf(*a.program.matrix), &y = atomOf(*b.program.matrix);
  if (&x == &y)
    return;
  report.atomA = resolutionText(x);
  report.atomB = resolutionText(y);
  report.atomsAlike = computeAlike(x, y);
}

std::vector<std::string> linesOf(const std::string &text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

/// By a longest common subsequence.
std::vector<ProgramLine> comparedLines(const std::vector<std::string> &a,
                                       const std::vector<std::string> &b) {
  std::vector<std::vector<std::uint32_t>> common(a.size() + 1,
                                                 std::vector<std::uint32_t>(b.size() + 1));
  for (std::size_t i = a.size(); i-- > 0;)
    for (std::size_t j = b.size(); j-- > 0;)
      common[i][j] =
          a[i] == b[j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
  std::vector<ProgramLine> lines;
  for (std::size_t i = 0, j = 0; i < a.size() || j < b.size();) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      lines.push_back({' ', a[i]});
      ++i, ++j;
    } else if (j == b.size() || (i < a.size() && common[i + 1][j] >= common[i][j + 1])) {
      lines.push_back({'-', a[i++]});
    } else {
      lines.push_back({'+', b[j++]});
    }
  }
  return lines;
}

void writePage(const DiffOptions &options, const Side &a, const Side &b) {
  const AuditFacts left = auditFacts(a.contract, a.program);
  const AuditFacts right = auditFacts(b.contract, b.program);
  writeFiles({{options.html, htmlDiff({a.contract, a.program, left}, {b.contract, b.program, right},
                                      options.length)}});
}

DiffReport diffKernels(const DiffOptions &options) {
  const Side a(options.a, options.targets.empty() ? "" : options.targets.front());
  const Side b(options.b, options.targets.empty() ? "" : options.targets.back());
  if (!options.html.empty())
    writePage(options, a, b);
  DiffReport report;
  report.a = a.name();
  report.b = b.name();
  if (dsl::digest(a.program) == dsl::digest(b.program)) {
    report.digest = dsl::digest(a.program);
    return report;
  }
  compareAtoms(a, b, report);
  if (dsl::canonicalForm(withoutOrders(a.program)) !=
      dsl::canonicalForm(withoutOrders(b.program))) {
    report.verdict = Verdict::Different;
    report.lines =
        comparedLines(linesOf(dsl::printProgram(a.program)), linesOf(dsl::printProgram(b.program)));
    return report;
  }
  report.orders = comparedOrders(a, b, options.length);
  for (const OrderPair &pair : report.orders) { // a difference decides, else an open question
    const Verdict own = pair.difference.comparison.verdict;
    if (own == Verdict::Different || report.verdict == Verdict::Equal)
      report.verdict = own;
  }
  if (!report.atomsAlike)
    report.verdict = Verdict::Different;
  return report;
}

DiffReport diffOrders(const DiffOptions &options) {
  OrderPair pair;
  pair.a = parsedOrder(options.a.file);
  pair.b = parsedOrder(options.b.file);
  pair.length = options.length;
  pair.facts = dsl::kSumFacts;
  compareOrders(pair);
  DiffReport report;
  report.verdict = pair.difference.comparison.verdict;
  report.a = dsl::toString(pair.a);
  report.b = dsl::toString(pair.b);
  report.orders.push_back(std::move(pair));
  return report;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

std::string orderText(const OrderPair &pair) {
  const Verdict verdict = pair.difference.comparison.verdict;
  if (!pair.reason.empty())
    return fmt::format("{}: {}\n", dsl::name(verdict), pair.reason);
  if (verdict != Verdict::Equal) {
    dsl::DrawOptions options;
    if (pair.operation != "sum" && pair.operation != "dot")
      options.operation = pair.operation;
    return dsl::drawDifference(pair.a, pair.b, pair.difference, options);
  }
  const std::int64_t longest = lengthsOf(pair.length).longest;
  const dsl::Order form = dsl::normalForm(pair.a, longest, pair.facts);
  return fmt::format("equal at {}{}\n",
                     pair.length ? counted(static_cast<std::size_t>(*pair.length), "element")
                                 : "every length",
                     form == dsl::normalForm(pair.b, longest, pair.facts)
                         ? fmt::format(": both are {}", dsl::toString(form))
                         : "");
}

std::string reportText(const DiffReport &report) {
  if (!report.digest.empty())
    return fmt::format("equal: one contract, digest {}\n", report.digest);
  std::string text = fmt::format("{}: {} and {}{}\n", dsl::name(report.verdict), report.a, report.b,
                                 report.lines.empty() ? "" : " differ in more than orders");
  if (!report.atomA.empty())
    text += fmt::format("\n{} and {}{}\n", report.atomA, report.atomB,
                        report.atomsAlike ? ", one function" : "");
  for (const OrderPair &pair : report.orders)
    text += fmt::format("\n{} over {}{}{}\n{}", pair.operation, pair.over,
                        pair.place.empty() ? "" : ", ", pair.place, orderText(pair));
  if (!report.lines.empty())
    text += '\n';
  for (const ProgramLine &line : report.lines)
    text += fmt::format("  {} {}\n", line.side, line.text);
  return text;
}

} // namespace

int runDiff(const DiffOptions &options) {
  if (options.orders && !options.html.empty())
    throw misuse("--html goes with two kernels", "`ordo diff --order` draws where two orders part");
  if (!options.html.empty())
    requireWritableFile(options.html);
  const DiffReport report = options.orders ? diffOrders(options) : diffKernels(options);
  const std::string text = options.json     ? diffJson(report)
                           : options.orders ? orderText(report.orders.front())
                                            : reportText(report);
  std::fputs(text.c_str(), stdout);
  return report.verdict == Verdict::Equal       ? kFine
         : report.verdict == Verdict::Different ? kRefused
                                                : kUnknown;
}

} // namespace ordo::compiler::driver
