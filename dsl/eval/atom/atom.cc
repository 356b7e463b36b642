#include "dsl/eval/atom/atom.h"

#include "dsl/eval/atom/chains.h"
#include "dsl/eval/numeric.h"

#include <fmt/format.h>

namespace ordo::dsl {
namespace {

bool refuse(std::string *reason, std::string message) {
  if (reason)
    *reason = std::move(message);
  return false;
}

bool canRun(const AtomRule &rule, std::int64_t length, std::uint64_t c, std::string *reason) {
  const char *why = atom::unmodelled(rule, length, c);
  return why == nullptr ||
         refuse(reason, fmt::format("the arithmetic of {} is unmodelled: {}", rule.name, why));
}

} // namespace

std::optional<std::uint64_t> step(const AtomRule &rule, std::span<const std::uint64_t> a,
                                  std::span<const std::uint64_t> b, std::uint64_t c,
                                  std::string *reason) {
  const auto length = static_cast<std::int64_t>(a.size());
  if (!canRun(rule, length, c, reason))
    return std::nullopt;
  if (a.size() != b.size() || length > rule.products) {
    refuse(reason, fmt::format("a step of {} takes up to {} pairs of operands; these are {} and {}",
                               rule.name, rule.products, a.size(), b.size()));
    return std::nullopt;
  }
  const FloatEnvironment environment;
  // No operands at all are zeros as well: the step still happens.
  constexpr std::uint64_t kZero = 0;
  const void *x = a.empty() ? &kZero : a.data();
  const void *y = b.empty() ? &kZero : b.data();
  return atom::runChain(rule, {x, 0, 1, 8}, {y, 0, 1, 8}, a.empty() ? 1 : length, c);
}

std::optional<std::uint64_t> chain(const AtomRule &rule, std::span<const std::byte> a,
                                   std::span<const std::byte> b, std::uint64_t c,
                                   std::string *reason) {
  const int bytes = byteSize(rule.operand);
  if (a.size() != b.size() || a.size() % static_cast<std::size_t>(bytes) != 0) {
    refuse(reason, fmt::format("operands of a chain of {} are arrays of equal length of {} bytes "
                               "an element; these have {} and {} bytes",
                               rule.name, bytes, a.size(), b.size()));
    return std::nullopt;
  }
  const std::int64_t length = static_cast<std::int64_t>(a.size()) / bytes;
  if (!canRun(rule, length, c, reason))
    return std::nullopt;
  const FloatEnvironment environment;
  return atom::runChain(rule, {a.data(), 0, 1, bytes}, {b.data(), 0, 1, bytes}, length, c);
}

} // namespace ordo::dsl
