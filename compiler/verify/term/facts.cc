#include "compiler/verify/term/facts.h"

#include "compiler/verify/machine/fault.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>
#include <map>
#include <set>

namespace ordo::verify {
namespace {

constexpr std::size_t kMostConstraints = 400;

/// A constraint sum k*a + c >= 0 with wide coefficients.
struct Row {
  std::map<NodeId, Wide> terms;
  Wide constant = 0;
};

Wide gcd(Wide a, Wide b) {
  a = a < 0 ? -a : a;
  while (b != 0) {
    const Wide rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

Wide floorDivided(Wide a, Wide b) { return a / b - (a % b != 0 && (a % b < 0) != (b < 0)); }

/// Divides by the common factor; the constant is rounded down, for the terms are integers.
void tighten(Row &row) {
  Wide common = 0;
  for (const auto &[atom, factor] : row.terms)
    common = gcd(factor, common);
  if (common <= 1)
    return;
  for (auto &[atom, factor] : row.terms)
    factor /= common;
  row.constant = floorDivided(row.constant, common);
}

/// Binary digits of the magnitude.
int digits(Wide value) {
  const auto size = static_cast<unsigned __int128>(value < 0 ? -value : value);
  const auto high = static_cast<std::uint64_t>(size >> 64);
  return high != 0 ? 64 + static_cast<int>(std::bit_width(high))
                   : static_cast<int>(std::bit_width(static_cast<std::uint64_t>(size)));
}

/// Two such products have a sum of 128 bits.
bool fitsProduct(Wide a, Wide b) { return digits(a) + digits(b) <= 125; }

bool fitsProducts(const Row &row, Wide factor) {
  return fitsProduct(row.constant, factor) && std::ranges::all_of(row.terms, [&](const auto &t) {
           return fitsProduct(t.second, factor);
         });
}

/// x*a + y*b, x and y positive; nothing where that may leave 128 bits.
std::optional<Row> combined(const Row &a, Wide x, const Row &b, Wide y) {
  if (!fitsProducts(a, x) || !fitsProducts(b, y))
    return std::nullopt;
  Row sum;
  sum.constant = a.constant * x + b.constant * y;
  for (const auto &[atom, factor] : a.terms)
    sum.terms[atom] += factor * x;
  for (const auto &[atom, factor] : b.terms)
    sum.terms[atom] += factor * y;
  std::erase_if(sum.terms, [](const auto &term) { return term.second == 0; });
  return sum;
}

/// The atom whose elimination makes the fewest rows.
NodeId cheapest(const std::vector<Row> &rows, const std::set<NodeId> &atoms) {
  std::map<NodeId, std::pair<std::ptrdiff_t, std::ptrdiff_t>> counts;
  for (const Row &row : rows)
    for (const auto &[atom, factor] : row.terms)
      ++(factor > 0 ? counts[atom].first : counts[atom].second);
  const auto added = [&](NodeId atom) {
    const auto it = counts.find(atom);
    const auto [above, below] =
        it == counts.end() ? std::pair<std::ptrdiff_t, std::ptrdiff_t>() : it->second;
    return above * below - above - below;
  };
  return *std::ranges::min_element(atoms, {}, added);
}

/// Of rows with the same terms the one that says most.
std::vector<Row> strongest(std::vector<Row> rows) {
  std::map<std::map<NodeId, Wide>, Wide> least;
  for (Row &row : rows) {
    const auto [it, isNew] = least.try_emplace(std::move(row.terms), row.constant);
    it->second = std::min(it->second, row.constant);
  }
  std::vector<Row> kept;
  for (const auto &[terms, constant] : least)
    kept.push_back({terms, constant});
  return kept;
}

/// sum + bound * factor; nothing where that may leave 128 bits.
std::optional<Wide> plusProduct(const std::optional<Wide> &sum, const std::optional<Wide> &bound,
                                std::int64_t factor) {
  if (!sum || !bound || digits(*sum) > 125 || !fitsProduct(*bound, factor))
    return std::nullopt;
  return *sum + *bound * factor;
}

} // namespace

void Facts::bound(NodeId atom, Interval interval) {
  if (intervals_.empty())
    intervals_.emplace_back();
  if (atom >= intervalOf_.size())
    intervalOf_.resize(std::max<std::size_t>(atom + 1, intervalOf_.size() * 2));
  // Nearly all atoms have one of a few intervals, and the last ones are asked for again.
  constexpr std::size_t kLast = 8;
  const std::size_t first = intervals_.size() > kLast ? intervals_.size() - kLast : 0;
  for (std::size_t k = intervals_.size(); k-- > first;)
    if (intervals_[k].low == interval.low && intervals_[k].high == interval.high) {
      intervalOf_[atom] = static_cast<std::uint32_t>(k);
      return;
    }
  intervalOf_[atom] = static_cast<std::uint32_t>(intervals_.size());
  intervals_.push_back(interval);
}

void Facts::assume(AffineId form) {
  facts_.push_back(form);
  mark(form);
  answers_.clear();
}

void Facts::define(NodeId atom, AffineId form) {
  definitions_[atom].forms.push_back(form);
  if (isMarked(atom))
    mark(form);
}

void Facts::defineQuotient(NodeId atom, AffineId form, std::int64_t divisor) {
  definitions_[atom].quotient = {form, divisor};
  if (isMarked(atom))
    mark(form);
}

/// What the facts speak of, by themselves or by what their atoms stand for.
void Facts::mark(AffineId form) {
  std::vector<AffineId> todo = {form};
  while (!todo.empty()) {
    const AffineId next = todo.back();
    todo.pop_back();
    for (const auto &[atom, factor] : pool_.form(next).terms) {
      if (isMarked(atom))
        continue;
      if (atom >= isMarked_.size())
        isMarked_.resize(atom + 1);
      isMarked_[atom] = true;
      const auto it = definitions_.find(atom);
      if (it == definitions_.end())
        continue;
      todo.insert(todo.end(), it->second.forms.begin(), it->second.forms.end());
      if (it->second.quotient.second != 0)
        todo.push_back(it->second.quotient.first);
    }
  }
}

Interval Facts::ofAtom(NodeId atom) const {
  return atom < intervalOf_.size() ? intervals_[intervalOf_[atom]] : Interval{};
}

std::size_t Facts::Hash::operator()(const std::vector<AffineId> &forms) const {
  std::uint64_t hash = forms.size();
  for (const AffineId form : forms) {
    hash = (hash ^ form) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
  }
  return hash;
}

/// Nothing more is known of the form's atoms than their intervals say; of one quotient alone: than
/// its own, which ends where the quotients of its form's ends are, and they are taken.
bool Facts::isAlone(AffineId form) const {
  const LinearTerms &terms = pool_.form(form).terms;
  return std::ranges::none_of(terms, [&](const auto &term) {
    if (isMarked(term.first))
      return true;
    const auto it = definitions_.find(term.first);
    if (it == definitions_.end())
      return false;
    const auto &[forms, quotient] = it->second;
    return terms.size() > 1 || !forms.empty() || quotient.second == 0 || !isAlone(quotient.first);
  });
}

void Facts::learn(NodeId atom, AffineId form) {
  const std::vector<AffineId> &known = definitions_[atom].forms;
  if (std::ranges::find(known, form) != known.end())
    return;
  define(atom, form);
  answers_.clear();
}

std::vector<AffineId> Facts::about(NodeId atom) const {
  std::vector<AffineId> all;
  addDefinition(atom, all);
  std::ranges::copy_if(facts_, std::back_inserter(all), [&](AffineId fact) {
    return std::ranges::any_of(pool_.form(fact).terms,
                               [&](const auto &term) { return term.first == atom; });
  });
  return all;
}

Interval Facts::interval(AffineId form) const {
  const Affine &f = pool_.form(form);
  Interval sum{Wide{f.constant}, Wide{f.constant}};
  for (const auto &[atom, factor] : f.terms) {
    const Interval of = ofAtom(atom);
    const auto &low = factor > 0 ? of.low : of.high, &high = factor > 0 ? of.high : of.low;
    sum.low = plusProduct(sum.low, low, factor);
    sum.high = plusProduct(sum.high, high, factor);
  }
  return sum;
}

bool Facts::holds(AffineId form, std::span<const AffineId> given) {
  const Interval of = interval(form);
  if (of.low && *of.low >= 0)
    return true;
  // Then its least value is that of its intervals.
  if (given.empty() && isAlone(form))
    return false;
  std::vector<AffineId> question(given.begin(), given.end());
  question.push_back(form);
  if (const auto it = answers_.find(question); it != answers_.end())
    return it->second;
  std::vector<AffineId> constraints(given.begin(), given.end());
  constraints.insert(constraints.end(), facts_.begin(), facts_.end());
  // Not form: -form - 1 >= 0.
  constraints.push_back(pool_.plus(pool_.scale(form, -1), -1));
  const bool answer = eliminate(std::move(constraints));
  answers_[question] = answer;
  return answer;
}

bool Facts::within(AffineId form, Wide low, Wide high, std::span<const AffineId> given) {
  const Interval of = interval(form);
  if (of.low && of.high && *of.low >= low && *of.high < high)
    return true;
  // Whether the constant of a question fits, and the number that makes it.
  const Wide constant = pool_.form(form).constant;
  const auto fits = [](Wide value) {
    return value > std::numeric_limits<std::int64_t>::min() &&
           value <= std::numeric_limits<std::int64_t>::max();
  };
  const auto least = [&] {
    return (of.low && *of.low >= low) ||
           (fits(-low) && fits(constant - low) &&
            holds(pool_.plus(form, static_cast<std::int64_t>(-low)), given));
  };
  const auto most = [&] {
    return (of.high && *of.high < high) ||
           (fits(constant) && fits(high - 1) && fits(high - 1 - constant) &&
            holds(pool_.plus(pool_.scale(form, -1), static_cast<std::int64_t>(high - 1)), given));
  };
  return least() && most();
}

void Facts::addDefinition(NodeId atom, std::vector<AffineId> &constraints) const {
  const auto it = definitions_.find(atom);
  if (it == definitions_.end())
    return;
  const auto &[forms, quotient] = it->second;
  constraints.insert(constraints.end(), forms.begin(), forms.end());
  const auto [form, divisor] = quotient;
  if (divisor == 0)
    return;
  try { // d * q <= form <= d * q + d - 1
    const AffineId q = pool_.scale(pool_.atom(atom), divisor);
    const AffineId below = pool_.sub(form, q);
    const AffineId above = pool_.plus(pool_.sub(q, form), divisor - 1);
    constraints.insert(constraints.end(), {below, above});
  } catch (const DomainError &) { // numbers too large: its bounds are all that is said of it
  }
}

/// True if the constraints have no solution.
bool Facts::eliminate(std::vector<AffineId> constraints) const {
  std::vector<Row> rows;
  std::set<NodeId> atoms;
  const auto add = [&](Row row) {
    tighten(row);
    rows.push_back(std::move(row));
  };
  for (std::size_t k = 0; k < constraints.size(); ++k) {
    Row row;
    const Affine form = pool_.form(constraints[k]); // definitions make forms, which moves them
    row.constant = form.constant;
    for (const auto &[atom, factor] : form.terms) {
      row.terms[atom] = factor;
      if (!atoms.insert(atom).second)
        continue;
      addDefinition(atom, constraints);
    }
    add(std::move(row));
  }
  for (const NodeId atom : atoms) {
    const Interval of = ofAtom(atom);
    if (of.low)
      add({{{atom, 1}}, -*of.low});
    if (of.high)
      add({{{atom, -1}}, *of.high});
  }
  while (!atoms.empty()) {
    const NodeId atom = cheapest(rows, atoms);
    atoms.erase(atom);
    std::vector<Row> above, below, next; // lower bounds of the atom, upper bounds
    for (Row &row : rows) {
      const auto it = row.terms.find(atom);
      if (it == row.terms.end())
        next.push_back(std::move(row));
      else
        (it->second > 0 ? above : below).push_back(std::move(row));
    }
    if (next.size() + above.size() * below.size() > kMostConstraints)
      return false;
    for (const Row &a : above)
      for (const Row &b : below) {
        auto sum = combined(a, -b.terms.at(atom), b, a.terms.at(atom));
        if (!sum)
          return false;
        tighten(*sum);
        if (sum->terms.empty() && sum->constant < 0)
          return true;
        if (!sum->terms.empty())
          next.push_back(std::move(*sum));
      }
    rows = strongest(std::move(next));
  }
  for (const Row &row : rows)
    if (row.terms.empty() && row.constant < 0)
      return true;
  return false;
}

} // namespace ordo::verify
