#include "compiler/verify/term/affine.h"

#include "compiler/verify/machine/fault.h"

namespace ordo::verify {
namespace {

constexpr AffineId kFree = 0xffffffffu;

std::int64_t narrowed(Wide value) {
  const auto low = static_cast<std::int64_t>(value);
  if (low != value)
    throw DomainError("index arithmetic does not fit 64 bits");
  return low;
}

std::uint64_t hashOf(const Affine &form) {
  std::uint64_t hash = static_cast<std::uint64_t>(form.constant) * 0x9e3779b97f4a7c15u;
  for (const auto &[atom, factor] : form.terms) {
    hash = (hash ^ atom) * 0xff51afd7ed558ccdu;
    hash = (hash ^ (hash >> 29) ^ static_cast<std::uint64_t>(factor)) * 0xc4ceb9fe1a85ec53u;
  }
  return hash ^ (hash >> 32);
}

} // namespace

AffineId AffinePool::intern(Affine form) {
  if (forms_.size() * 2 >= table_.size())
    grow();
  const std::uint64_t hash = hashOf(form);
  const auto part = static_cast<std::uint32_t>(hash >> 32);
  const std::size_t mask = table_.size() - 1;
  std::size_t at = hash & mask;
  for (; table_[at].form != kFree; at = (at + 1) & mask)
    if (table_[at].hash == part && forms_[table_[at].form] == form)
      return table_[at].form;
  const auto id = static_cast<AffineId>(forms_.size());
  if (id == kFree)
    throw DomainError("the linear forms grow beyond what is allowed");
  table_[at] = {part, id};
  forms_.push_back(std::move(form));
  return id;
}

void AffinePool::grow() {
  table_.assign(std::max<std::size_t>(table_.size() * 2, 1 << 10), {0, kFree});
  for (AffineId id = 0; id < forms_.size(); ++id) {
    const std::uint64_t hash = hashOf(forms_[id]);
    std::size_t at = hash & (table_.size() - 1);
    while (table_[at].form != kFree)
      at = (at + 1) & (table_.size() - 1);
    table_[at] = {static_cast<std::uint32_t>(hash >> 32), id};
  }
}

AffineId AffinePool::plus(AffineId a, std::int64_t constant) {
  if (constant == 0)
    return a;
  Affine form = forms_[a];
  form.constant = narrowed(Wide{form.constant} + constant);
  return intern(std::move(form));
}

AffineId AffinePool::combine(AffineId a, std::int64_t x, AffineId b, std::int64_t y) {
  const Affine &p = forms_[a], &q = forms_[b];
  Affine sum;
  sum.constant = narrowed(Wide{p.constant} * x + Wide{q.constant} * y);
  auto i = p.terms.begin();
  auto j = q.terms.begin();
  while (i != p.terms.end() || j != q.terms.end()) {
    NodeId atom = 0;
    Wide factor = 0;
    if (j == q.terms.end() || (i != p.terms.end() && i->first < j->first)) {
      atom = i->first;
      factor = Wide{i++->second} * x;
    } else if (i == p.terms.end() || j->first < i->first) {
      atom = j->first;
      factor = Wide{j++->second} * y;
    } else {
      atom = i->first;
      factor = Wide{i++->second} * x + Wide{j++->second} * y;
    }
    if (factor != 0)
      sum.terms.emplace_back(atom, narrowed(factor));
  }
  return intern(std::move(sum));
}

std::optional<AffineId> AffinePool::dividedBy(AffineId id, std::int64_t divisor) {
  Affine form = forms_[id];
  if (form.constant % divisor != 0)
    return std::nullopt;
  form.constant /= divisor;
  for (auto &[atom, factor] : form.terms) {
    if (factor % divisor != 0)
      return std::nullopt;
    factor /= divisor;
  }
  return intern(std::move(form));
}

std::pair<AffineId, AffineId> AffinePool::split(AffineId id, std::int64_t divisor) {
  const Affine form = forms_[id];
  Affine quotient, rest;
  rest.constant = form.constant % divisor;
  if (rest.constant < 0)
    rest.constant += divisor;
  quotient.constant = (form.constant - rest.constant) / divisor;
  for (const auto &[atom, factor] : form.terms) {
    if (factor % divisor == 0)
      quotient.terms.emplace_back(atom, factor / divisor);
    else
      rest.terms.emplace_back(atom, factor);
  }
  return {intern(std::move(quotient)), intern(std::move(rest))};
}

} // namespace ordo::verify
