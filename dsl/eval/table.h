// Filling arrays point by point: internal to dsl/eval.
#pragma once

#include "dsl/eval/machine.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ordo::dsl::machine {

/// Index variables in turn, the last fastest. An extent may depend on the variables before it, and
/// on data, so the points need not be a box.
class Nest {
public:
  void compile(Machine &machine, std::vector<VarId> vars);
  /// The extents of the smallest box from the origin that holds every point.
  const std::vector<std::int64_t> &largest(Machine &machine, Frame &frame);
  bool isRagged() const { return split_ > 0; }
  const std::vector<VarId> &vars() const { return vars_; }

  /// Begins the walk, over frames that bind the nest's variables in `frame` and leave the others.
  void start(Machine &machine, Frame &frame);
  /// Sets the frame to the next points; false when none are left. Throws EvalError where an extent
  /// is negative or not known.
  bool next();
  /// Where the frame's first point lies in a row-major array of the box that `largest` gives. The
  /// frame's points follow each other there.
  std::size_t position(std::span<const std::int64_t> strides) const;

private:
  std::int64_t extentOf(std::size_t k);
  void bind(std::size_t k) { frame_->vars[vars_[k]] = {at_[k], 0, nullptr}; }
  bool nextPrefix();
  void grow(std::size_t k);

  std::vector<VarId> vars_;
  std::vector<Block> extents_;
  std::vector<bool> depends_; // on variables of the nest
  std::vector<bool> decides_; // an extent of a later one
  std::size_t split_ = 0;     // the last variable that depends: those before it are walked singly
  Machine *machine_ = nullptr;
  Frame *frame_ = nullptr;
  bool started_ = false;
  std::vector<std::int64_t> at_, sizes_, largest_;
  std::optional<Walk> walk_;
};

/// What one array is made of.
struct Filling {
  std::string name;
  std::vector<VarId> vars;
  ExprId value = kNone;
  ExprId where = kNone;
};

/// An array with one axis per variable, filled with the values at all points: as often as asked,
/// which is every step for what belongs to a recurrence.
class Table {
public:
  void compile(Machine &machine, Filling filling);
  DType type() const { return type_; }
  std::size_t rank() const { return filling_.vars.size(); }
  const std::string &name() const { return filling_.name; }
  /// The array's shape under the ambient variables.
  const std::vector<std::int64_t> &measure(Machine &machine);
  /// Fills `out`, which has the array's shape. Points that are absent, dead or poisoned become the
  /// array's poison; of an output, dead ones keep what is there and poisoned ones throw.
  void fill(Machine &machine, Array &array, std::byte *out, bool isOutput);
  /// The same into storage that it makes as large as it must.
  void fill(Machine &machine, Array &array, std::vector<std::byte> &storage);

private:
  void takePoison(Array &array, std::size_t at, bool &isAnyPoisoned);

  Filling filling_;
  DType type_ = DType::F32;
  Nest nest_;
  Body body_;
  Frame frame_;
  std::vector<std::uint8_t> live_, poison_;
};

/// The values of a placed definition, each put where `at` says.
class Scatter {
public:
  void compile(Machine &machine, const Definition &definition);
  /// `written` has a byte an element, set where one has been written.
  void fill(Machine &machine, Array &array, std::byte *out, std::vector<std::uint8_t> &written);

private:
  /// The element of point i of the frame; throws where it lies outside.
  std::size_t elementAt(Machine &machine, const Array &array, std::size_t i) const;
  bool nextPoints(Machine &machine);
  [[noreturn]] void refuseTwice(Machine &machine, const Array &array, std::size_t element,
                                std::size_t i);

  const Definition *definition_ = nullptr;
  Nest nest_;
  Body value_, place_;
  Frame frame_;
  std::vector<std::vector<std::byte>> columns_; // of `at`
  std::vector<std::byte *> out_;
  std::vector<std::byte> staging_;
  std::vector<std::uint8_t> live_, poison_;
};

} // namespace ordo::dsl::machine
