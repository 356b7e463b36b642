// What is known of integers, and what follows from it.
//
// Atoms have intervals; facts are linear inequalities. A question "is form >= 0?" is answered yes
// if the facts and its negation have no rational solution, found by Fourier-Motzkin elimination
// with integer tightening of constants: sound, and not complete.
#pragma once

#include "compiler/verify/term/affine.h"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace ordo::verify {

class Facts {
public:
  explicit Facts(AffinePool &pool) : pool_(pool) {}

  /// atom in [low, high]. Once an atom.
  void bound(NodeId atom, Interval interval);
  /// form >= 0.
  void assume(AffineId form);
  /// form >= 0, a fact about what `atom` stands for: used in questions that lead to it.
  void define(NodeId atom, AffineId form);
  /// atom = floor(form / divisor), divisor > 0.
  void defineQuotient(NodeId atom, AffineId form, std::int64_t divisor);
  /// The same, of an atom that questions were asked about before: what had no answer may have one.
  void learn(NodeId atom, AffineId form);

  /// The facts that speak of the atom.
  std::vector<AffineId> about(NodeId atom) const;

  Interval interval(AffineId form) const;
  Interval ofAtom(NodeId atom) const;
  /// form >= 0, given the facts and that each of `given` is >= 0.
  bool holds(AffineId form, std::span<const AffineId> given = {});
  /// low <= form < high.
  bool within(AffineId form, Wide low, Wide high, std::span<const AffineId> given = {});

private:
  /// What an atom stands for. There are millions of quotients, and few are asked about: their
  /// inequalities are written down when they are.
  struct Definition {
    std::vector<AffineId> forms;
    std::pair<AffineId, std::int64_t> quotient = {0, 0}; // no divisor: none
  };
  struct Hash {
    std::size_t operator()(const std::vector<AffineId> &forms) const;
  };

  void mark(AffineId form);
  bool isMarked(NodeId atom) const { return atom < isMarked_.size() && isMarked_[atom]; }
  bool isAlone(AffineId form) const;
  void addDefinition(NodeId atom, std::vector<AffineId> &constraints) const;
  bool eliminate(std::vector<AffineId> constraints) const;

  AffinePool &pool_;
  std::vector<Interval> intervals_;       // different ones; the first: unbounded
  std::vector<std::uint32_t> intervalOf_; // by atom, into intervals_
  std::vector<AffineId> facts_;
  std::vector<bool> isMarked_; // by atom: see mark()
  std::unordered_map<NodeId, Definition> definitions_;
  std::unordered_map<std::vector<AffineId>, bool, Hash> answers_;
};

} // namespace ordo::verify
