// A sequence with equal neighbours folded: what lets a tree of 152,064 elements cost a few entries.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ordo::dsl {

template <class T> struct Repeat {
  T value;
  std::int64_t count;
};

template <class T> class Repeated {
public:
  void append(const T &value, std::int64_t count) {
    if (count <= 0)
      return;
    size_ += count;
    if (!parts_.empty() && parts_.back().value == value)
      parts_.back().count += count;
    else
      parts_.push_back({value, count});
  }

  void append(const Repeated &other) {
    for (const Repeat<T> &part : other)
      append(part.value, part.count);
  }

  /// Entries [begin, end).
  Repeated slice(std::int64_t begin, std::int64_t end) const {
    Repeated result;
    std::int64_t place = 0;
    for (const Repeat<T> &part : parts_) {
      const std::int64_t from = std::max(begin, place);
      const std::int64_t to = std::min(end, place + part.count);
      result.append(part.value, to - from);
      place += part.count;
    }
    return result;
  }

  std::int64_t size() const { return size_; }
  bool uniform() const { return parts_.size() == 1; }
  const T &front() const { return parts_.front().value; }
  const T &back() const { return parts_.back().value; }
  auto begin() const { return parts_.begin(); }
  auto end() const { return parts_.end(); }

private:
  std::vector<Repeat<T>> parts_;
  std::int64_t size_ = 0;
};

/// merge(a[i], b[i]) for every i; both of one length.
template <class T, class Merge>
Repeated<T> zip(const Repeated<T> &a, const Repeated<T> &b, Merge merge) {
  Repeated<T> result;
  auto left = a.begin();
  auto right = b.begin();
  std::int64_t leftUsed = 0;
  std::int64_t rightUsed = 0;
  while (left != a.end() && right != b.end()) {
    const std::int64_t count = std::min(left->count - leftUsed, right->count - rightUsed);
    result.append(merge(left->value, right->value), count);
    leftUsed += count;
    rightUsed += count;
    if (leftUsed == left->count)
      ++left, leftUsed = 0;
    if (rightUsed == right->count)
      ++right, rightUsed = 0;
  }
  return result;
}

} // namespace ordo::dsl
