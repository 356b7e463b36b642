#include "compiler/verify/proof/counter_example.h"

#include "compiler/verify/proof/instance.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace ordo::verify {
namespace {

constexpr std::size_t kMostWork = 4'000'000; // stores of one launch that are looked at
constexpr std::size_t kMostLaunches = 64;

class Trial {
public:
  Trial(const Launched &launched, std::uint32_t argument)
      : launched_(launched), argument_(argument), array_(launched.signature.arguments[argument]),
        instance_(launched.terms) {}

  std::optional<Fault> run(std::span<const std::int64_t> sizes) {
    sizes_.assign(sizes.begin(), sizes.end());
    for (std::size_t k = 0; k < sizes.size(); ++k)
      instance_.set(launched_.sizes[k], sizes[k]);
    const auto extent = instance_.ofForm(launched_.grid.extent);
    const auto elements = instance_.ofForm(array_.elements);
    if (!extent || !elements || *extent < 0 || *elements < 0 || !takeShape())
      return std::nullopt;
    const Wide blocks = (*extent + launched_.grid.rows - 1) / launched_.grid.rows;
    const auto work = static_cast<Wide>(launched_.summary.stores.size()) * blocks + *elements;
    if (work > static_cast<Wide>(kMostWork))
      return std::nullopt;
    isOpen_ = false;
    writers_.assign(static_cast<std::size_t>(*elements), {});
    for (std::int64_t block = 0; block < static_cast<std::int64_t>(blocks); ++block)
      if (auto fault = runBlock(block))
        return fault;
    return hole();
  }

private:
  struct Writer {
    std::uint32_t store = 0;
    std::int64_t block = -1; // -1: none
    bool isMaybe = false;    // its path depends on data
  };

  bool takeShape() {
    shape_.clear();
    for (const AffineId extent : array_.shape) {
      const auto value = instance_.ofForm(extent);
      if (!value)
        return false;
      shape_.push_back(static_cast<std::int64_t>(*value));
    }
    return true;
  }

  /// Whether the path is taken; nothing where data decides.
  std::optional<bool> isTaken(std::uint32_t path) {
    bool isKnown = true;
    for (const Condition &c : launched_.summary.paths[path]) {
      const auto value = instance_.ofNode(c.node);
      if (value && (*value != 0) != c.holds)
        return false;
      isKnown = isKnown && value;
    }
    return isKnown ? std::optional(true) : std::nullopt;
  }

  std::optional<Fault> runBlock(std::int64_t block) {
    if (launched_.grid.block.isNode())
      instance_.set(launched_.grid.block.node(), block);
    std::vector<std::optional<std::optional<bool>>> taken(launched_.summary.paths.size());
    for (std::uint32_t k = 0; k < launched_.summary.stores.size(); ++k) {
      const GlobalStore &store = launched_.summary.stores[k];
      if (store.argument != argument_)
        continue;
      auto &path = taken[store.path];
      if (!path)
        path = isTaken(store.path);
      const auto element = instance_.ofForm(store.element);
      if (*path == false)
        continue;
      if (!element) {
        isOpen_ = true;
        continue;
      }
      if (auto fault = put({k, block, !path->has_value()}, *element))
        return fault;
    }
    return std::nullopt;
  }

  std::optional<Fault> put(const Writer &writer, Wide element) {
    if (element < 0 || element >= static_cast<Wide>(writers_.size()))
      return writer.isMaybe
                 ? std::nullopt
                 : std::optional(
                       fault(writer, fmt::format("{} stores element {} of {}, which has {}{}",
                                                 who(writer), static_cast<std::int64_t>(element),
                                                 array_.name, writers_.size(), sizesText())));
    Writer &first = writers_[static_cast<std::size_t>(element)];
    if (first.block >= 0 && !first.isMaybe && !writer.isMaybe)
      return fault(writer, fmt::format("element {} of {} is stored twice{}: by {} and by {}",
                                       indicesOf(static_cast<std::int64_t>(element), shape_),
                                       array_.name, sizesText(), who(first), who(writer)));
    if (first.block < 0 || first.isMaybe)
      first = writer;
    return std::nullopt;
  }

  std::optional<Fault> hole() {
    for (std::size_t k = 0; k < writers_.size() && !isOpen_; ++k)
      if (writers_[k].block < 0 && isWanted(static_cast<std::int64_t>(k)))
        return Fault{fmt::format("element {} of {} is never stored{}",
                                 indicesOf(static_cast<std::int64_t>(k), shape_), array_.name,
                                 sizesText()),
                     0,
                     false,
                     {},
                     ""};
    return std::nullopt;
  }

  /// False where the contract's `where` leaves the element out; it may depend on data.
  bool isWanted(std::int64_t element) {
    if (!launched_.where)
      return true;
    const auto node = launched_.where(argument_, launched_.terms.affine().constant(element));
    return !node || instance_.ofNode(*node) != Wide{0};
  }

  std::string sizesText() const {
    std::string text;
    for (std::size_t k = 0; k < sizes_.size(); ++k) {
      const Pool &pool = launched_.terms.pool();
      text += fmt::format("{}{} = {}", k == 0 ? ", for " : ", ",
                          pool.symbols[pool.node(launched_.sizes[k]).payload], sizes_[k]);
    }
    return text;
  }

  std::array<std::uint32_t, 3> threadOf(const Writer &writer) const {
    const auto &size = launched_.signature.block.size;
    const std::uint32_t t = launched_.summary.stores[writer.store].thread;
    return {t % size[0], t / size[0] % size[1], t / size[0] / size[1]};
  }

  std::string who(const Writer &writer) const {
    const auto thread = threadOf(writer);
    const std::uint32_t line = launched_.summary.stores[writer.store].line;
    return fmt::format("thread ({}, {}, {}) of block {}{}", thread[0], thread[1], thread[2],
                       writer.block,
                       line < launched_.lines.size() && launched_.lines[line].number != 0
                           ? fmt::format(" at line {}", launched_.lines[line].number)
                           : "");
  }

  Fault fault(const Writer &writer, std::string message) const {
    return {std::move(message), launched_.summary.stores[writer.store].line, true, threadOf(writer),
            std::to_string(writer.block)};
  }

  const Launched &launched_;
  std::uint32_t argument_;
  const Argument &array_;
  Instance instance_;
  std::vector<std::int64_t> sizes_, shape_;
  std::vector<Writer> writers_;
  bool isOpen_ = false; // data decides where something goes
};

/// Sizes at which a last block is empty, short, full or alone.
std::vector<std::int64_t> interestingSizes(std::int64_t rows) {
  std::set<std::int64_t> sizes = {0, 1, 2, 3};
  for (const std::int64_t size : {rows - 1, rows, rows + 1, 2 * rows, 2 * rows + 1})
    if (size > 0)
      sizes.insert(size);
  return {sizes.begin(), sizes.end()};
}

/// The next tuple of choices, the first fastest; false after the last.
bool advance(std::vector<std::size_t> &choice, std::size_t count) {
  for (std::size_t &each : choice) {
    if (++each < count)
      return true;
    each = 0;
  }
  return false;
}

} // namespace

std::string indicesOf(std::int64_t element, std::span<const std::int64_t> shape) {
  std::vector<std::int64_t> indices(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    indices[axis] = element % shape[axis];
    element /= shape[axis];
  }
  return fmt::format("[{}]", fmt::join(indices, ", "));
}

std::optional<Fault> counterExample(const Launched &launched, std::uint32_t argument) {
  const auto candidates = interestingSizes(launched.grid.rows);
  std::vector<std::size_t> choice(launched.sizes.size(), 0);
  Trial trial(launched, argument);
  std::size_t launches = 0;
  do {
    std::vector<std::int64_t> sizes;
    for (const std::size_t each : choice)
      sizes.push_back(candidates[each]);
    if (launched.isAdmissible && !launched.isAdmissible(sizes))
      continue;
    if (auto fault = trial.run(sizes))
      return fault;
  } while (++launches < kMostLaunches && advance(choice, candidates.size()));
  return std::nullopt;
}

} // namespace ordo::verify
