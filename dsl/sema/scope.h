// Local names while an operator or a function is checked.
#pragma once

#include "dsl/sema/module.h"
#include "dsl/sema/type.h"

#include <string>
#include <string_view>
#include <vector>

namespace ordo::dsl {

struct Entry {
  enum class Kind : std::uint8_t {
    Dimension,  // value: an Index, constant or free
    BoolParam,  // value: a Bool
    TypeParam,  // value.type
    OrderParam, // order
    Tensor,     // number: TensorId; value.type: of its elements
    Output,     // the same; a name for types only until its definition is reached
    Scalar,     // value
    Definition, // number: DefId; value.type
    Variable,   // value: an Index
    Let,        // value
    Binding,    // value: a function's parameter or local; compound where that is no scalar
    Function,   // number: its node, a LetFn; it sees what stands before it in the scope
    Carry,      // number: CarryId; side; value.type
    Refused,    // reported; its uses stay silent
  };
  Kind kind = Kind::Refused;
  std::string name;
  Span span; // where it was declared
  Value value;
  std::uint32_t number = kNone;
  Order order; // empty in a generic check: not known yet
  bool isUsed = false;
  Compound compound = {};
  Side side = Side::Step;
};

/// "a dimension", "a tensor", … for messages.
std::string_view describe(Entry::Kind kind);

/// The names of one operator or function body, innermost last. `module` is where it was written:
/// other names are looked up there.
class Scope {
public:
  explicit Scope(const Module &module) : module_(&module) {}

  const Module &module() const { return *module_; }
  const Entry *find(std::string_view name) const;
  /// The same, and remembers that the name is used.
  const Entry *use(std::string_view name);
  /// Puts `entry` in the place of the one with its name: an output that gets its definition.
  void replace(Entry entry);
  /// False, with a report, when the name is already a local one.
  bool declare(Entry entry, Reporter &report);
  /// The same, but an output that is not defined yet may be hidden: it means nothing in a value.
  bool declareOverOutput(Entry entry, Reporter &report);
  const std::vector<Entry> &entries() const { return entries_; }
  std::size_t size() const { return entries_.size(); }
  void shrink(std::size_t size) { entries_.resize(size); }
  /// The first `size` entries in a scope of their own, and what was used there, used here.
  Scope prefix(std::size_t size) const;
  void adoptUses(const Scope &prefix);
  /// The local names of the given kinds.
  std::vector<std::string> names(std::initializer_list<Entry::Kind> kinds) const;

private:
  const Module *module_;
  std::vector<Entry> entries_;
};

} // namespace ordo::dsl
