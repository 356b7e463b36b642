// What is known of integers, and what follows from it.
//
// Atoms have intervals; facts are linear inequalities. A question "is form >= 0?" is answered yes
// if the facts and its negation have no rational solution, found by Fourier-Motzkin elimination
// with integer tightening of constants: sound, and not complete.
#pragma once

#include "compiler/verify/term/affine.h"

#include <map>
#include <span>
#include <vector>

namespace ordo::verify {

class Facts {
public:
  explicit Facts(AffinePool &pool) : pool_(pool) {}

  /// atom in [low, high]. Once an atom.
  void bound(NodeId atom, Interval interval) { bounds_[atom] = interval; }
  /// form >= 0.
  void assume(AffineId form) {
    facts_.push_back(form);
    answers_.clear();
  }
  /// form >= 0, a fact about what `atom` stands for: used in questions that lead to it.
  void define(NodeId atom, AffineId form) { definitions_[atom].push_back(form); }
  /// The same, of an atom that questions were asked about before: what had no answer may have one.
  void learn(NodeId atom, AffineId form) {
    define(atom, form);
    answers_.clear();
  }

  Interval interval(AffineId form) const;
  Interval ofAtom(NodeId atom) const;
  /// form >= 0, given the facts and that each of `given` is >= 0.
  bool holds(AffineId form, std::span<const AffineId> given = {});
  /// low <= form < high.
  bool within(AffineId form, Wide low, Wide high, std::span<const AffineId> given = {});

private:
  bool eliminate(std::vector<AffineId> constraints) const;

  AffinePool &pool_;
  std::map<NodeId, Interval> bounds_;
  std::vector<AffineId> facts_;
  std::map<NodeId, std::vector<AffineId>> definitions_;
  std::map<std::vector<AffineId>, bool> answers_;
};

} // namespace ordo::verify
