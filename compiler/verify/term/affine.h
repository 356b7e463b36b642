// Integers as linear forms: c + k1*a1 + k2*a2 + …, over atoms, exact (no modulus), interned.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace ordo::verify {

using NodeId = std::uint32_t;   // of a Pool; atoms are nodes
using AffineId = std::uint32_t; // of an AffinePool

using Wide = __int128;

/// Atoms with their coefficients. There are millions of forms, nearly all of two terms at most:
/// those need no memory of their own.
class LinearTerms {
public:
  using value_type = std::pair<NodeId, std::int64_t>;

  LinearTerms() = default;
  LinearTerms(const LinearTerms &other) : size_(other.size_), capacity_(other.size_) {
    if (size_ > kFew)
      many_ = std::make_unique<value_type[]>(size_);
    else
      capacity_ = kFew;
    std::copy_n(other.begin(), size_, begin());
  }
  LinearTerms(LinearTerms &&other) noexcept
      : few_(other.few_), many_(std::move(other.many_)), size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, kFew)) {}
  LinearTerms &operator=(LinearTerms other) noexcept {
    few_ = other.few_;
    many_ = std::move(other.many_);
    size_ = other.size_;
    capacity_ = other.capacity_;
    return *this;
  }
  ~LinearTerms() = default;

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  value_type *begin() { return many_ ? many_.get() : few_.data(); }
  value_type *end() { return begin() + size_; }
  const value_type *begin() const { return many_ ? many_.get() : few_.data(); }
  const value_type *end() const { return begin() + size_; }
  const value_type &front() const { return *begin(); }
  const value_type &operator[](std::size_t k) const { return begin()[k]; }
  void emplace_back(NodeId atom, std::int64_t factor) {
    if (size_ == capacity_)
      grow();
    begin()[size_++] = {atom, factor};
  }
  bool operator==(const LinearTerms &other) const {
    return std::equal(begin(), end(), other.begin(), other.end());
  }

private:
  static constexpr std::uint32_t kFew = 2;

  void grow() {
    auto more = std::make_unique<value_type[]>(std::size_t{capacity_} * 2);
    std::copy_n(begin(), size_, more.get());
    many_ = std::move(more);
    capacity_ *= 2;
  }

  std::array<value_type, kFew> few_{};
  std::unique_ptr<value_type[]> many_;
  std::uint32_t size_ = 0, capacity_ = kFew;
};

struct Affine {
  LinearTerms terms; // by atom, no zero coefficients
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
  AffineId constant(std::int64_t value) {
    Affine form;
    form.constant = value;
    return intern(std::move(form));
  }
  AffineId atom(NodeId node) {
    Affine form;
    form.terms.emplace_back(node, 1);
    return intern(std::move(form));
  }
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
  /// A place of the hash table; part of the hash beside the form spares a look at most others.
  struct Place {
    std::uint32_t hash = 0;
    AffineId form = 0;
  };
  void grow();

  std::vector<Affine> forms_;
  std::vector<Place> table_;
};

} // namespace ordo::verify
