#include "compiler/verify/proof/coverage.h"

#include "compiler/verify/proof/conditions.h"
#include "compiler/verify/proof/counter_example.h"
#include "compiler/verify/term/progression.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace ordo::verify {
namespace {

constexpr std::int64_t kMostOuterSteps = 4096; // of a loop around another, written out
constexpr std::size_t kMostQuestions = 4096;   // about paths that together must cover an offset

/// What is taken for granted, or asked: linear conditions and others.
bool contains(const std::vector<Condition> &all, const Condition &one) {
  return std::ranges::find(all, one) != all.end();
}

Condition negated(const Condition &c) { return {c.node, !c.holds}; }

/// One output's stores.
class Output {
public:
  /// The contract's `where` at a store's element.
  using Where = std::function<Conditions(AffineId element)>;

  Output(Terms &terms, const Argument &argument, const Summary &summary, const Grid &grid,
         const std::vector<Conditions> &paths, Where where)
      : terms_(terms), affine_(terms.affine()), argument_(argument), summary_(summary), grid_(grid),
        paths_(paths), where_(std::move(where)), outside_(terms.affine()) {}

  void add(std::uint32_t store, AffineId element) { stores_.push_back({store, element}); }

  /// Why the claim cannot be shown for it, or empty.
  std::string check(std::span<const NodeId> sizes) {
    if (std::string why = decompose(); !why.empty())
      return why;
    prepareOutside(sizes);
    if (std::string why = blockExists(); !why.empty())
      return why;
    std::string why = offsets();
    for (auto group = groups_.begin(); why.empty() && group != groups_.end(); ++group)
      why = covers(group->first.paths, group->second);
    return why;
  }

private:
  struct Stored {
    std::uint32_t store = 0;
    AffineId element = 0;
  };

  /// Offsets that the same paths store; one offset where the contract has a `where`.
  struct Key {
    std::vector<std::uint32_t> paths;
    std::int64_t offset = 0;
    auto operator<=>(const Key &) const = default;
  };
  struct Group {
    std::int64_t first = 0, last = 0; // offsets
    AffineId element = 0;             // of the first
  };

  std::string text(AffineId form) const {
    return toString(terms_.pool(), affine_, terms_.pool().make(Kind::Integer, Sort::bits(64), form),
                    12);
  }

  /// Step 1.
  std::string decompose() {
    std::optional<std::int64_t> stride;
    for (const Stored &s : stores_) {
      const GlobalStore &store = summary_.stores[s.store];
      const std::vector<StoreStep> &steps = summary_.storeSteps[store.steps];
      const Affine &form = affine_.form(s.element);
      std::int64_t here = 0;
      std::vector<std::int64_t> strides(steps.size(), 0);
      for (const auto &[atom, factor] : form.terms) {
        const auto step = std::ranges::find(steps, atom, &StoreStep::step);
        if (grid_.block.isNode() && atom == grid_.block.node())
          here = factor;
        else if (step != steps.end())
          strides[static_cast<std::size_t>(step - steps.begin())] = factor;
        else
          return fmt::format("the element number {} is not one step a block and a constant",
                             text(s.element));
      }
      if (stride && *stride != here)
        return fmt::format("one store moves by {} elements a block, another by {}", *stride, here);
      stride = here;
      if (!addOffsets(store.path, form.constant, steps, strides))
        return fmt::format("the element number {} takes too many values, or some twice, in a loop",
                           text(s.element));
    }
    stride_ = stride.value_or(0);
    return stores_.empty() ? "nothing stores it" : "";
  }

  /// Offsets of a store in loops: constant + stride * step for each step, the innermost as one
  /// progression. False where they are too many or a step does not move.
  bool addOffsets(std::uint32_t path, std::int64_t constant, std::span<const StoreStep> steps,
                  std::span<const std::int64_t> strides) {
    if (std::ranges::any_of(steps, [](const StoreStep &s) { return s.count == 0; }))
      return true;
    if (steps.empty()) {
      offsets_[path].push_back({1, 1, constant});
      return true;
    }
    const auto [step, count] = steps.front();
    std::int64_t last = 0;
    if (strides.front() <= 0 || __builtin_mul_overflow(strides.front(), count, &last) ||
        __builtin_add_overflow(last, constant, &last))
      return false;
    if (steps.size() == 1) {
      offsets_[path].push_back({strides.front(), count, constant});
      return true;
    }
    if (count > kMostOuterSteps)
      return false;
    for (std::int64_t k = 0; k < count; ++k)
      if (!addOffsets(path, constant + strides.front() * k, steps.subspan(1), strides.subspan(1)))
        return false;
    return true;
  }

  /// What is known of a block's number before it is shown to be one of the grid's.
  void prepareOutside(std::span<const NodeId> sizes) {
    for (const NodeId size : sizes)
      outside_.bound(size, terms_.facts().ofAtom(size));
    if (grid_.block.isNode())
      outside_.bound(grid_.block.node(), {Wide{0}, std::nullopt});
  }

  AffineId at(std::int64_t offset) {
    const AffineId constant = affine_.constant(offset);
    return grid_.block.isNode()
               ? affine_.combine(constant, 1, affine_.atom(grid_.block.node()), stride_)
               : constant;
  }

  /// stride*b + offset < elements, as a form that is >= 0.
  AffineId isElement(std::int64_t offset) {
    return affine_.plus(affine_.sub(argument_.elements, at(offset)), -1);
  }

  /// Step 3 for the grid.
  std::string blockExists() {
    if (!grid_.block.isNode())
      return affine_.constantOf(argument_.elements) ? ""
                                                    : "one block stores it, whatever its size is";
    if (stride_ <= 0)
      return "every block stores the same elements";
    const AffineId exists = affine_.plus(
        affine_.sub(grid_.extent, affine_.scale(affine_.atom(grid_.block.node()), grid_.rows)), -1);
    const AffineId given[] = {isElement(0)};
    return outside_.holds(exists, given) ? "" : "the grid may have too few blocks for it";
  }

  /// Step 2: every offset of a block, and which paths store it.
  std::string offsets() {
    const std::int64_t count =
        grid_.block.isNode() ? stride_ : *affine_.constantOf(argument_.elements);
    std::map<std::int64_t, std::vector<std::pair<std::uint32_t, bool>>> edges; // path, begins
    for (const auto &[path, progressions] : offsets_) {
      const auto runs = runsOf(progressions);
      if (!runs)
        return "it is stored at too many offsets";
      Wide stored = 0, different = 0;
      for (const Progression &p : progressions)
        stored += p.count;
      for (const NumberRun &run : *runs) {
        different += run.end - run.first;
        edges[run.first].emplace_back(path, true);
        edges[run.end].emplace_back(path, false);
      }
      if (stored != different)
        return "an element may be stored twice";
    }
    const std::string why =
        fmt::format("a block must store its elements 0 … {}, each, and no other", count - 1);
    if (edges.empty() || edges.begin()->first != 0 || edges.rbegin()->first != count)
      return why;
    std::vector<std::uint32_t> open;
    for (auto edge = edges.begin(); edge != edges.end(); ++edge) {
      for (const auto &[path, begins] : edge->second)
        if (begins)
          open.push_back(path);
        else
          open.erase(std::ranges::find(open, path));
      const auto next = std::next(edge);
      if (next == edges.end())
        break;
      if (open.empty())
        return why;
      std::ranges::sort(open);
      addGroup(open, edge->first, next->first);
    }
    return "";
  }

  /// Offsets first … end - 1, which the paths store; each by itself where the contract has a
  /// `where`.
  void addGroup(const std::vector<std::uint32_t> &paths, std::int64_t first, std::int64_t end) {
    for (std::int64_t at = first; at < end; at = where_ ? at + 1 : end) {
      const std::int64_t last = where_ ? at : end - 1;
      groups_.try_emplace({paths, where_ ? at : 0}, Group{at, last, this->at(at)})
          .first->second.last = last;
    }
  }

  /// Step 3 for the offsets of a group.
  std::string covers(const std::vector<std::uint32_t> &paths, const Group &group) {
    for (std::size_t i = 0; i < paths.size(); ++i)
      for (std::size_t j = i + 1; j < paths.size(); ++j)
        if (!exclude(paths_[paths[i]], paths_[paths[j]]))
          return "an element may be stored twice";
    const Conditions written = where_ ? where_(group.element) : Conditions{};
    for (const std::uint32_t path : paths) {
      const Conditions &p = paths_[path];
      if (!terms_.facts().holds(isElement(group.last), p.given))
        return "an element outside may be stored";
      if (!follow(terms_.facts(), written, p))
        return "an element may be stored that the contract's `where` leaves out";
    }
    Conditions known = written;
    known.given.push_back(isElement(group.first));
    questions_ = 0;
    return oneHolds(paths, known) ? "" : "an element may be left out";
  }

  bool isImpossible(Facts &facts, const Conditions &known) {
    for (const Condition &c : known.others)
      if (contains(known.others, negated(c)))
        return true;
    return !known.given.empty() && facts.holds(affine_.constant(-1), known.given);
  }

  bool exclude(const Conditions &a, const Conditions &b) {
    Conditions both = a;
    both.given.insert(both.given.end(), b.given.begin(), b.given.end());
    both.others.insert(both.others.end(), b.others.begin(), b.others.end());
    return isImpossible(terms_.facts(), both);
  }

  bool follow(Facts &facts, const Conditions &asked, const Conditions &known) {
    const auto holds = [&](AffineId form) { return facts.holds(form, known.given); };
    const auto isKnown = [&](const Condition &c) { return contains(known.others, c); };
    return std::ranges::all_of(asked.given, holds) && std::ranges::all_of(asked.others, isKnown);
  }

  /// Given `known`, one of the paths is taken: whichever condition of the first fails, one of the
  /// rest is.
  bool oneHolds(std::span<const std::uint32_t> paths, Conditions &known) {
    if (isImpossible(outside_, known))
      return true;
    if (paths.empty() || ++questions_ > kMostQuestions)
      return false;
    const Conditions &first = paths_[paths[0]];
    if (paths.size() == 1 && follow(outside_, first, known))
      return true;
    for (const AffineId form : first.given) {
      known.given.push_back(affine_.plus(affine_.scale(form, -1), -1));
      const bool isCovered = oneHolds(paths.subspan(1), known);
      known.given.pop_back();
      if (!isCovered)
        return false;
    }
    for (const Condition &c : first.others) {
      known.others.push_back(negated(c));
      const bool isCovered = oneHolds(paths.subspan(1), known);
      known.others.pop_back();
      if (!isCovered)
        return false;
    }
    return true;
  }

  Terms &terms_;
  AffinePool &affine_;
  const Argument &argument_;
  const Summary &summary_;
  const Grid &grid_;
  const std::vector<Conditions> &paths_;
  Where where_;
  Facts outside_;
  std::vector<Stored> stores_;
  std::map<std::uint32_t, std::vector<Progression>> offsets_; // by path
  std::map<Key, Group> groups_;
  std::int64_t stride_ = 0;
  std::size_t questions_ = 0;
};

class Coverage {
public:
  Coverage(const Launched &launched, std::span<const AffineId> settled)
      : launched_(launched), settled_(settled) {}

  std::optional<Fault> run() {
    for (const auto &path : launched_.summary.paths)
      paths_.push_back(takenApart(launched_.terms, path));
    const auto &arguments = launched_.signature.arguments;
    for (std::uint32_t k = 0; k < arguments.size(); ++k)
      if (arguments[k].kind == Argument::Kind::Array && arguments[k].isWritten)
        if (const std::string why = check(k); !why.empty())
          return counterExample(launched_, k)
              .value_or(
                  Fault{fmt::format("that {} is stored whole, each element once, is not shown: {}",
                                    arguments[k].name, why),
                        0,
                        false,
                        {},
                        ""});
    return std::nullopt;
  }

private:
  std::string check(std::uint32_t argument) {
    Terms &terms = launched_.terms;
    Output::Where where;
    if (launched_.where)
      where = [&, argument](AffineId element) {
        const auto node = launched_.where(argument, element);
        return node ? takenApart(terms, std::vector<Condition>{{*node, true}}) : Conditions{};
      };
    Output output(terms, launched_.signature.arguments[argument], launched_.summary, launched_.grid,
                  paths_, std::move(where));
    for (std::uint32_t k = 0; k < launched_.summary.stores.size(); ++k)
      if (const GlobalStore &store = launched_.summary.stores[k];
          store.argument == argument && !paths_[store.path].isImpossible)
        output.add(k, settled_[k]);
    return output.check(launched_.sizes);
  }

  const Launched &launched_;
  std::span<const AffineId> settled_;
  std::vector<Conditions> paths_;
};

} // namespace

std::vector<AffineId> settledElements(Terms &terms, const Summary &summary) {
  std::vector<Conditions> paths;
  for (const auto &path : summary.paths)
    paths.push_back(takenApart(terms, path));
  std::map<std::pair<AffineId, std::uint32_t>, AffineId> known;
  std::vector<AffineId> elements;
  for (const GlobalStore &store : summary.stores) {
    const auto [it, isNew] = known.try_emplace({store.element, store.path});
    if (isNew)
      it->second = settled(terms, store.element, paths[store.path]);
    elements.push_back(it->second);
  }
  return elements;
}

std::optional<Fault> uncovered(const Launched &launched, std::span<const AffineId> settled) {
  return Coverage(launched, settled).run();
}

} // namespace ordo::verify
