#include "compiler/verify/proof/prove.h"

#include "compiler/verify/proof/claim.h"
#include "compiler/verify/proof/coverage.h"
#include "compiler/verify/proof/trees.h"
#include "compiler/verify/proof/under.h"
#include "compiler/verify/symbolic/run.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace ordo::verify {
namespace {

/// Cases as one: every path holds its case's conditions.
Summary joined(std::vector<Summary> cases) {
  Summary all;
  for (Summary &one : cases) {
    const auto first = static_cast<std::uint32_t>(all.paths.size());
    const auto firstSteps = static_cast<std::uint32_t>(all.storeSteps.size());
    all.storeSteps.insert(all.storeSteps.end(), one.storeSteps.begin(), one.storeSteps.end());
    all.hasLongLoops |= one.hasLongLoops;
    for (GlobalStore &store : one.stores) {
      store.path += first;
      store.steps += firstSteps;
      all.stores.push_back(store);
    }
    all.paths.insert(all.paths.end(), std::make_move_iterator(one.paths.begin()),
                     std::make_move_iterator(one.paths.end()));
    all.steps += one.steps;
    all.expansions.merge(one.expansions);
    if (one.fault)
      all.fault = std::move(one.fault);
  }
  return all;
}

/// What a step rests on that the code makes of many (gcn/expansion.h).
std::string axiomOf(const std::string &expansion) {
  static const std::map<std::string, std::string, std::less<>> kAxioms = {
      {"div.f32", "Ordo's expansion is the correctly rounded quotient; v_rcp_f32 errs by 1 ulp at "
                  "most"},
      {"sqrt.f32", "LLVM's expansion is the correctly rounded root; v_sqrt_f32 errs by 1 ulp at "
                   "most"},
      {"div.f64", "Ordo's expansion is the correctly rounded quotient; v_rcp_f64 errs by 2^29 ulp "
                  "at most"},
      {"sqrt.f64", "Ordo's expansion is the correctly rounded root; v_rsq_f64 errs by 2^29 ulp at "
                   "most"},
      {"cvt.bf16", "LLVM's integer code rounds to nearest even; it asks nothing of the hardware "
                   "but integer arithmetic"}};
  return fmt::format("{}: {}", expansion, kAxioms.at(expansion));
}

class Prover {
public:
  Prover(const dsl::Program &program, const Kernel &kernel, const Launch &launch,
         MachineLimits limits)
      : program_(program), kernel_(kernel), launch_(launch), limits_(limits) {}

  /// First with long loops by induction; if that shows nothing, with all of them run out.
  Proof run() {
    ofLongLoops_ = true;
    Proof proof = attempt();
    if (proof.refusal && hasLongLoops_) {
      ofLongLoops_ = false;
      isSeen_.clear();
      proof_ = {};
      proof = attempt();
    }
    return proof;
  }

private:
  Proof attempt() {
    try {
      claim_.emplace(program_, launch_);
      proof_.assumptions = claim_->assumptions();
      proof_.refusal = check();
      proof_.terms = claim_->terms().pool().size();
    } catch (const ContractError &error) {
      proof_.refusal =
          Refusal{fmt::format("the contract has no term: {}", error.what()), "", error.span, ""};
    } catch (const DomainError &error) {
      proof_.refusal = Refusal{error.what(), "", std::nullopt, ""};
    }
    return std::move(proof_);
  }

  std::optional<Refusal> check() {
    if (const std::string why = blockMismatch(); !why.empty())
      return Refusal{why, "", std::nullopt, ""};
    Terms &terms = claim_->terms();
    const Summary summary =
        joined(verify::run(kernel_, terms, claim_->signature(), limits_, ofLongLoops_));
    hasLongLoops_ = summary.hasLongLoops;
    if (hasLongLoops_)
      claim_->contract().foldLongRuns();
    for (const std::string &expansion : summary.expansions)
      proof_.axioms.push_back(axiomOf(expansion));
    proof_.steps = summary.steps;
    proof_.stores = summary.stores.size();
    if (summary.fault)
      return refusal(*summary.fault);
    const std::vector<AffineId> elements = settledElements(terms, summary);
    if (auto refused = compareAll(summary, elements))
      return refused;
    const Launched launched{terms,          claim_->signature(), summary,  kernel_.lines,
                            claim_->grid(), claim_->sizes(),     admits(), where()};
    if (const auto fault = uncovered(launched, elements))
      return refusal(*fault);
    return std::nullopt;
  }

  /// What the code requires of its launch.
  std::string blockMismatch() const {
    std::uint64_t largest = 1;
    for (const std::uint32_t threads : kernel_.largestBlock)
      largest *= threads;
    const std::uint32_t threads = claim_->signature().block.threads();
    return largest != 0 && threads > largest
               ? fmt::format("the code is for blocks of {} threads at most, and the launch has {}",
                             largest, threads)
               : "";
  }

  std::function<bool(std::span<const std::int64_t>)> admits() {
    return [this](std::span<const std::int64_t> sizes) { return claim_->isAdmissible(sizes); };
  }

  std::function<std::optional<NodeId>(std::uint32_t, AffineId)> where() {
    const bool isAnywhere = std::ranges::any_of(program_.definitions, [](const auto &d) {
      return d.output != dsl::kNone && d.where != dsl::kNone;
    });
    if (!isAnywhere)
      return {};
    return [this](std::uint32_t argument, AffineId number) -> std::optional<NodeId> {
      const auto condition = contractAt(argument, number).where;
      return condition ? std::optional(claim_->terms().asBits(1, *condition)) : std::nullopt;
    };
  }

  ContractTerms::Element contractAt(std::uint32_t argument, AffineId number) {
    const Argument &array = claim_->signature().arguments[argument];
    Trees trees(claim_->terms(), claim_->signature());
    const std::vector<AffineId> index = trees.indices(array, number);
    if (index.size() != array.shape.size())
      throw DomainError(
          fmt::format("the indices of an element of {} do not follow from its number", array.name));
    return claim_->contract().element(array.tensor, index);
  }

  std::optional<Refusal> compareAll(const Summary &summary, std::span<const AffineId> elements) {
    std::vector<std::optional<Under>> paths(summary.paths.size());
    for (std::size_t k = 0; k < summary.stores.size(); ++k) {
      const GlobalStore &store = summary.stores[k];
      if (!paths[store.path])
        paths[store.path].emplace(claim_->terms(),
                                  takenApart(claim_->terms(), summary.paths[store.path]));
      if (paths[store.path]->isImpossible())
        continue;
      if (auto refused = compare(store, elements[k], *paths[store.path]))
        return refused;
    }
    return std::nullopt;
  }

  std::optional<Refusal> compare(const GlobalStore &store, AffineId element, Under &under) {
    Terms &terms = claim_->terms();
    const Argument &array = claim_->signature().arguments[store.argument];
    NodeId contract = contractAt(store.argument, element).value;
    NodeId code = terms.asElement(array.type, store.value);
    if (contract != code) {
      code = under(code);
      contract = contract == code ? contract : under(contract);
    }
    const bool isDefined = !holdsUndefined(contract);
    if (contract == code && isDefined)
      return std::nullopt;
    Trees trees(terms, claim_->signature());
    const std::string name = trees.element(array, element);
    Refusal refused = refusal(faultOf(store));
    refused.message = isDefined ? fmt::format("{}: the code's value is not the contract's", name)
                                : fmt::format("{}: the contract does not say what it is", name);
    if (isDefined)
      refused.trees = columns(trees.sideBySide(contract, code));
    return refused;
  }

  /// Two values that nobody defined are not equal, whatever their nodes.
  bool holdsUndefined(NodeId root) {
    const Pool &pool = claim_->terms().pool();
    std::vector<NodeId> todo = {root};
    while (!todo.empty()) {
      const NodeId id = todo.back();
      todo.pop_back();
      if (id >= isSeen_.size())
        isSeen_.resize(pool.size());
      if (isSeen_[id])
        continue;
      if (pool.node(id).kind == Kind::Undefined)
        return true;
      isSeen_[id] = true;
      forEachOperand(claim_->terms(), id, [&](NodeId operand) { todo.push_back(operand); });
    }
    return false;
  }

  Fault faultOf(const GlobalStore &store) const {
    const auto &size = claim_->signature().block.size;
    return {"",
            store.line,
            true,
            {store.thread % size[0], store.thread / size[0] % size[1],
             store.thread / size[0] / size[1]},
            claim_->grid().block.isNode() ? "block" : "0"};
  }

  Refusal refusal(const Fault &fault) const {
    Refusal refused{fault.message, "", std::nullopt, ""};
    if (fault.line < kernel_.lines.size() && kernel_.lines[fault.line].number != 0) {
      const SourceLine &line = kernel_.lines[fault.line];
      std::string code = line.text;
      code.erase(0, code.find_first_not_of(" \t"));
      refused.where =
          kernel_.model == Model::LockStep
              ? fmt::format("byte 0x{:x} of {}, `{}`", line.number, kernel_.target, code)
              : fmt::format("line {} of {}, `{}`", line.number, kernel_.target, code);
    }
    if (fault.hasThread)
      refused.where += fmt::format("{}thread ({}, {}, {})", refused.where.empty() ? "" : ", ",
                                   fault.thread[0], fault.thread[1], fault.thread[2]);
    return refused;
  }

  const dsl::Program &program_;
  const Kernel &kernel_;
  const Launch &launch_;
  MachineLimits limits_;
  std::optional<Claim> claim_;
  Proof proof_;
  bool ofLongLoops_ = false, hasLongLoops_ = false;
  std::vector<bool> isSeen_; // nodes without Undefined in them
};

} // namespace

Proof prove(const dsl::Program &program, const Kernel &kernel, const Launch &launch,
            MachineLimits limits) {
  return Prover(program, kernel, launch, limits).run();
}

} // namespace ordo::verify
