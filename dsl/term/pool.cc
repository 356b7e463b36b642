#include "dsl/term/term.h"

#include <algorithm>
#include <stdexcept>

namespace ordo::dsl {
namespace {

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash ^= value + 0x9e3779b97f4a7c15u + (hash << 6) + (hash >> 2);
  hash *= 0xff51afd7ed558ccdu;
  return hash ^ hash >> 32;
}

} // namespace

TermId TermPool::make(Op op, DType type, std::uint64_t payload, std::span<const TermId> args) {
  if (table_.size() < 2 * (terms_.size() + 1))
    grow();
  Term made{op, type, payload, static_cast<std::uint32_t>(args_.size()),
            static_cast<std::uint32_t>(args.size())};
  made.hash =
      mix(mix(static_cast<std::uint64_t>(op) << 8 | static_cast<std::uint64_t>(type), payload),
          args.size());
  for (const TermId arg : args) {
    made.hash = mix(made.hash, terms_[arg].hash);
    if (__builtin_add_overflow(made.size, terms_[arg].size, &made.size))
      made.size = ~std::uint64_t{0};
  }
  std::size_t slot = made.hash & (table_.size() - 1);
  for (; table_[slot] != kNone; slot = (slot + 1) & (table_.size() - 1)) {
    const Term &t = terms_[table_[slot]];
    if (t.hash == made.hash && t.op == op && t.type == type && t.payload == payload &&
        std::ranges::equal(this->args(table_[slot]), args))
      return table_[slot];
  }
  if (terms_.size() >= kNone - 1 || args_.size() >= kNone - 16)
    throw std::length_error("a pool holds no more than 2^32 terms");
  const auto id = static_cast<TermId>(terms_.size());
  terms_.push_back(made);
  // `args` may point into args_, which this may move.
  if (!args.empty() && args.data() >= args_.data() && args.data() < args_.data() + args_.size()) {
    const std::vector<TermId> copy(args.begin(), args.end());
    args_.insert(args_.end(), copy.begin(), copy.end());
  } else
    args_.insert(args_.end(), args.begin(), args.end());
  table_[slot] = id;
  return id;
}

void TermPool::grow() {
  table_.assign(table_.empty() ? 1024 : table_.size() * 2, kNone);
  for (TermId id = 0; id < terms_.size(); ++id) {
    std::size_t slot = terms_[id].hash & (table_.size() - 1);
    while (table_[slot] != kNone)
      slot = (slot + 1) & (table_.size() - 1);
    table_[slot] = id;
  }
}

} // namespace ordo::dsl
