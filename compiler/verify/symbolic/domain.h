// Values of a machine that runs one block for all inputs, sizes and blocks: a Domain of machine.h.
#pragma once

#include "compiler/verify/symbolic/expansions.h"
#include "compiler/verify/symbolic/summary.h"

#include <map>
#include <span>
#include <unordered_map>

namespace ordo::verify {

/// Thrown where a wave's branch needs an answer that the sizes and the block do not give: the run
/// is repeated for both.
struct Undecided {
  Condition condition;
};

class TermDomain {
public:
  using Value = Term;
  struct Path {
    std::uint32_t id = 0;
    bool operator==(const Path &) const = default;
  };
  static constexpr bool kSymbolic = true;
  static constexpr std::int64_t kMostSteps = Terms::kMostSteps;

  /// `world`: conditions on sizes and blocks that hold in this run. The paths and stores go to
  /// `summary`.
  TermDomain(Terms &terms, const Signature &signature, const Kernel &kernel,
             const std::vector<Condition> &world, Summary &summary);

  static Value constant(unsigned width, std::uint64_t bits);
  Value special(SpecialRegister which) const;
  void apply(const Instruction &i, const Value *src, Value *dst);
  std::optional<bool> truth(const Value &value, Path path);
  static std::optional<std::uint64_t> number(const Value &value) {
    return value.isConstant() ? std::optional(value.bits) : std::nullopt;
  }
  Value select(const Value &condition, const Value &a, const Value &b, unsigned width) {
    return terms_.select(condition, a, b, width);
  }
  Path extend(Path path, const Value &condition, bool holds);
  Value part(const Value &value, unsigned width, unsigned bit, unsigned ofWidth) {
    return terms_.extract(value, bit, width, ofWidth);
  }
  Value concat(std::span<const Value> lowestFirst, unsigned width);
  Value parameter(unsigned offset, unsigned bytes);
  void load(const Instruction &i, const Value &address, Path path, const Accessor &who, Value *dst);
  void store(const Instruction &i, const Value &address, const Value *elements, Path path,
             const Accessor &who);
  static bool isUndefined(const Value &value) { return value.isUndefined(); }
  /// The arm of a choice that the path takes.
  Value under(Value value, Path path);
  /// Whether it is a condition on sizes and the block alone.
  bool isOfSizes(const Value &condition) const;
  // Loops by induction (machine_loops.h).
  struct Trips {
    AffineId count = 0;
  };
  Value unknown(unsigned width);
  Value counter(std::int64_t most);
  Value carried(const Value &after);
  std::optional<std::int64_t> step(const Value &before, const Value &after, unsigned width);
  bool mentions(const Value &value, const Value &what) const;
  Value at(const Value &first, std::int64_t step, const Value &k, unsigned width);
  std::optional<Trips> trips(const Value &continues, const Value &k, std::int64_t most, Path path);
  Value afterLast(const Value &first, std::int64_t step, const Trips &trips, unsigned width);
  Value fold(const Trips &trips, const Value &first, const Value &next, const Value &carried,
             const Value &k, unsigned width);
  std::vector<Value> inLastStep(const Trips &trips, std::span<const Value> values, const Value &k,
                                std::span<const Value> carried);
  /// Every question about sizes that is not decided is thrown as Undecided.
  void splitOnSizes(bool splits) { splits_ = splits; }
  void guess(bool isGuessing) { isGuessing_ = isGuessing; }
  void enterSteps(const Trips &trips, const Value &k) { steps_.push_back({k.node(), trips.count}); }
  void leaveSteps() { steps_.pop_back(); }

  /// Of a wave's branch.
  [[noreturn]] void undecided(const Value &condition) const;

private:
  /// Bytes of an array.
  struct Place {
    std::uint32_t argument = 0;
    AffineId element = 0; // the first one's number
    unsigned skip = 0;    // bytes of it before the access
    unsigned bytes = 0;   // of an element
  };
  /// Offsets of one linear form that are known to lie inside an array on a path: element numbers
  /// form + low … form + high.
  struct Inside {
    std::int64_t low = 0, high = 0;
    bool any = false;
  };

  Place place(const Instruction &i, const Value &address, Path path, const char *what);
  void requireInside(const Place &at, std::int64_t count, Path path, const char *what);
  std::optional<Term> sameOnPath(NodeId choice, std::uint32_t path);
  Term settledUnder(NodeId number, std::uint32_t path);
  AffineId settledForm(AffineId form, std::uint32_t path);
  bool holdsAtLeast(AffineId form, std::uint32_t path);
  std::uint32_t storeSteps(std::uint32_t path);
  Term loadBits(const Place &at, unsigned bit, unsigned bits);
  void note(std::uint32_t path, const Condition &condition);
  NodeId positive(NodeId condition) const;

  Terms &terms_;
  const Signature &signature_;
  const Kernel &kernel_;
  Summary &summary_;
  Expansions expansions_;
  std::unordered_map<std::uint64_t, Term> settled_;             // by path and number
  std::unordered_map<std::uint64_t, std::optional<Term>> same_; // by path and choice
  bool isGuessing_ = false;
  bool splits_ = false;
  struct OpenStep {
    NodeId step;
    AffineId count;
  };
  std::vector<OpenStep> steps_; // of the loops whose step is being run, outermost first
  std::vector<NodeId> counters_;
  std::vector<std::vector<AffineId>> given_; // by path: forms that are >= 0
  std::unordered_map<std::uint64_t, std::uint32_t> extended_;
  std::vector<Term> bases_; // by argument; of arrays
  std::unordered_map<NodeId, std::uint32_t> byBase_;
  std::map<std::tuple<std::uint32_t, AffineId, std::uint32_t>, Inside> inside_;
};

} // namespace ordo::verify
