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

/// One run a case, until all have ended or one has a fault.
class Cases {
public:
  /// `splits`: every question about sizes parts the run, not those of a wave's branches alone.
  Cases(const Kernel &kernel, Terms &terms, const Signature &signature, MachineLimits limits,
        bool splits, bool ofLongLoops)
      : kernel_(kernel), terms_(terms), signature_(signature), limits_(limits), splits_(splits),
        loops_(loops(kernel)) {
    inductions_.ofLongLoops = ofLongLoops;
  }

  std::vector<Summary> run() {
    while (!open_.empty()) {
      if (done_.size() + open_.size() > kMostCases)
        return stopped({"the waves' branches part into too many cases", 0, false, {}, ""});
      const World world = std::move(open_.back());
      open_.pop_back();
      if (auto fault = runOne(world))
        return stopped(std::move(*fault));
    }
    return std::move(done_);
  }

private:
  using World = std::vector<Condition>;

  std::vector<Summary> stopped(Fault fault) {
    std::vector<Summary> one = refused(std::move(fault));
    one.front().hasLongLoops = !inductions_.longOnes.empty();
    return one;
  }

  std::optional<Fault> runOne(const World &world) {
    Summary summary;
    TermDomain domain(terms_, signature_, kernel_, world, summary);
    domain.splitOnSizes(splits_);
    Machine<TermDomain> machine(kernel_, domain, signature_.block, limits_);
    machine.useInduction(loops_, inductions_);
    try {
      if (auto fault = machine.run())
        return fault;
    } catch (const Undecided &on) {
      for (const bool holds : {true, false}) {
        open_.push_back(world);
        open_.back().push_back({on.condition.node, holds});
      }
      return std::nullopt;
    } catch (const LoopFound &found) {
      inductions_.heads.insert(found.head);
      open_.push_back(world);
      if (found.isLong) {
        inductions_.longOnes.insert(found.head);
        startAgain();
      }
      return std::nullopt;
    } catch (const LoopDeclined &declined) {
      inductions_.heads.erase(declined.head);
      inductions_.longOnes.erase(declined.head);
      inductions_.runOut.insert(declined.head);
      startAgain();
      return std::nullopt;
    }
    summary.hasLongLoops = !inductions_.longOnes.empty();
    summary.steps = machine.steps();
    done_.push_back(std::move(summary));
    return std::nullopt;
  }

  /// All cases have the same loops as folds.
  void startAgain() {
    done_.clear();
    open_ = {{}};
  }

  const Kernel &kernel_;
  Terms &terms_;
  const Signature &signature_;
  MachineLimits limits_;
  bool splits_;
  std::vector<Loop> loops_;
  Inductions inductions_;
  std::vector<Summary> done_;
  std::vector<World> open_ = {{}};
};

} // namespace

std::vector<Summary> run(const Kernel &kernel, Terms &terms, const Signature &signature,
                         MachineLimits limits, bool ofLongLoops) {
  if (const std::string why = mismatch(kernel, signature); !why.empty())
    return refused({why, 0, false, {}, ""});
  std::vector<Summary> cases = Cases(kernel, terms, signature, limits, false, ofLongLoops).run();
  // Rows behind EXEC choose numbers in halves, which a case for each row decides.
  if (!cases.empty() && cases.front().fault && kernel.model == Model::LockStep)
    if (std::vector<Summary> split =
            Cases(kernel, terms, signature, limits, true, ofLongLoops).run();
        !split.front().fault)
      return split;
  return cases;
}

} // namespace ordo::verify
