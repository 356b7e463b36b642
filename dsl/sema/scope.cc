#include "dsl/sema/scope.h"

#include "dsl/sema/builtins.h"

#include <algorithm>

namespace ordo::dsl {

std::string_view describe(Entry::Kind kind) {
  switch (kind) {
  case Entry::Kind::Dimension:
    return "a dimension";
  case Entry::Kind::BoolParam:
    return "a bool parameter";
  case Entry::Kind::TypeParam:
    return "a type";
  case Entry::Kind::OrderParam:
    return "an order";
  case Entry::Kind::Tensor:
  case Entry::Kind::Output:
    return "a tensor";
  case Entry::Kind::Scalar:
    return "a scalar";
  case Entry::Kind::Definition:
    return "a definition";
  case Entry::Kind::Variable:
    return "an index variable";
  case Entry::Kind::Let:
    return "a constant";
  case Entry::Kind::Function:
    return "a local function";
  case Entry::Kind::Carry:
    return "a carry";
  default:
    return "a local value";
  }
}

const Entry *Scope::find(std::string_view name) const {
  const auto it = std::ranges::find(entries_.rbegin(), entries_.rend(), name, &Entry::name);
  return it == entries_.rend() ? nullptr : &*it;
}

const Entry *Scope::use(std::string_view name) {
  const auto it = std::ranges::find(entries_.rbegin(), entries_.rend(), name, &Entry::name);
  if (it == entries_.rend())
    return nullptr;
  it->isUsed = true;
  return &*it;
}

void Scope::replace(Entry entry) {
  const auto it = std::ranges::find(entries_, entry.name, &Entry::name);
  entry.isUsed = it->isUsed;
  *it = std::move(entry);
}

Scope Scope::prefix(std::size_t size) const {
  Scope scope(*module_);
  scope.entries_.assign(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(size));
  return scope;
}

void Scope::adoptUses(const Scope &prefix) {
  for (std::size_t i = 0; i < std::min(entries_.size(), prefix.entries_.size()); ++i)
    if (prefix.entries_[i].name == entries_[i].name && prefix.entries_[i].isUsed)
      entries_[i].isUsed = true;
}

bool Scope::declare(Entry entry, Reporter &report) {
  if (isReservedName(entry.name)) {
    report
        .error("reserved-name", entry.span,
               fmt::format("`{}` is a name of the language", entry.name))
        .help = "choose another name";
    return false;
  }
  if (const Entry *other = find(entry.name)) {
    report
        .error("shadowing", entry.span,
               fmt::format("`{}` is already {} here", entry.name, describe(other->kind)),
               {other->span, "declared here"})
        .help = "choose another name: a local name never hides another";
    return false;
  }
  entries_.push_back(std::move(entry));
  return true;
}

bool Scope::declareOverOutput(Entry entry, Reporter &report) {
  const Entry *other = find(entry.name);
  if (!other || other->kind != Entry::Kind::Output)
    return declare(std::move(entry), report);
  entries_.push_back(std::move(entry));
  return true;
}

std::vector<std::string> Scope::names(std::initializer_list<Entry::Kind> kinds) const {
  std::vector<std::string> names;
  for (const Entry &entry : entries_)
    if (std::ranges::find(kinds, entry.kind) != kinds.end())
      names.push_back(entry.name);
  return names;
}

} // namespace ordo::dsl
