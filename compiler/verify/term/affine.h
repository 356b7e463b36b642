// Integers as linear forms: c + k1*a1 + k2*a2 + …, over atoms, exact (no modulus), interned.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ordo::verify {

using NodeId = std::uint32_t;   // of a Pool; atoms are nodes
using AffineId = std::uint32_t; // of an AffinePool

using Wide = __int128;

struct Affine {
  std::vector<std::pair<NodeId, std::int64_t>> terms; // by atom, no zero coefficients
  std::int64_t constant = 0;

  bool isConstant() const { return terms.empty(); }
  bool operator==(const Affine &) const = default;
};

/// Closed; nothing where unbounded.
struct Interval {
  std::optional<Wide> low, high;
};

/// Every operation throws DomainError where a coefficient does not fit 64 bits.
class AffinePool {
public:
  AffineId intern(Affine form);
  AffineId constant(std::int64_t value) { return intern({{}, value}); }
  AffineId atom(NodeId node) { return intern({{{node, 1}}, 0}); }
  AffineId add(AffineId a, AffineId b) { return combine(a, 1, b, 1); }
  AffineId sub(AffineId a, AffineId b) { return combine(a, 1, b, -1); }
  AffineId plus(AffineId a, std::int64_t constant);
  AffineId scale(AffineId a, std::int64_t factor) { return combine(a, factor, a, 0); }
  /// x*a + y*b.
  AffineId combine(AffineId a, std::int64_t x, AffineId b, std::int64_t y);
  const Affine &form(AffineId id) const { return forms_[id]; }
  std::optional<std::int64_t> constantOf(AffineId id) const {
    return forms_[id].isConstant() ? std::optional(forms_[id].constant) : std::nullopt;
  }
  /// All coefficients divided, where they all divide.
  std::optional<AffineId> dividedBy(AffineId id, std::int64_t divisor);
  /// {q, r} with a = divisor * q + r: r holds the terms that do not divide and the constant's
  /// remainder, 0 <= … < divisor.
  std::pair<AffineId, AffineId> split(AffineId id, std::int64_t divisor);

private:
  std::vector<Affine> forms_;
  std::unordered_multimap<std::uint64_t, AffineId> interned_;
};

} // namespace ordo::verify
