// A mutant altered once more, to ask the proof why it takes the mutant: with the result of the
// changed instructions undefined, with a trap where it is not the kernel's, and so on.
#pragma once

#include "compiler/verify/machine/instruction.h"
#include "tests/mutation/code_diff.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace ordo::mutation {

class Variant {
public:
  /// `more`: so many instructions after the changed ones, alike in both, count as changed too.
  Variant(const verify::Kernel &kernel, const verify::Kernel &mutant, std::size_t more = 0);

  /// Whether the changed instructions only compute: no branch, store or barrier among them, nor a
  /// place that a branch goes to.
  bool isStraight() const { return isStraight_; }
  bool computesFloats() const;

  // Each is code that the proof may take or refuse.
  /// The kernel with a trap before the instructions that the mutant changes.
  verify::Kernel trapped() const;
  /// The kernel with a trap in the place of its first changed instruction, a branch: where it is
  /// taken, or where it is not.
  verify::Kernel trappedBranch(bool ifTaken) const;
  /// The mutant without a value for what the changed instructions wrote.
  verify::Kernel undefined() const;
  /// The mutant, a trap where the changed instructions' results are not the kernel's. Bits: of
  /// floats they are never shown to be equal.
  verify::Kernel trappedUnlessEqual() const;
  /// The mutant, undefined where the changed instructions' results are not the kernel's.
  verify::Kernel undefinedUnlessEqual() const;
  /// The mutant, each result of the first `lanes` lanes the extremum (verify::Op::FMin, FMax) of it
  /// and the kernel's, the others undefined: proven for both extrema, they are one term there.
  verify::Kernel extremum(verify::Op op, unsigned lanes) const;
  /// The mutant, results undefined but in the first `lanes` lanes.
  verify::Kernel ofFirstLanes(unsigned lanes) const;

private:
  using Code = std::vector<verify::Instruction>;
  /// A register of the mutant that the changed instructions write and others read.
  struct Result {
    verify::RegisterId reg = 0;
    verify::RegisterId guard = verify::kNoRegister;
    bool guardNegated = false;
  };
  class Builder;

  static void keep(Builder &builder, const Result &result, verify::RegisterId by);
  static verify::RegisterId isFirst(Builder &builder, unsigned lanes);
  std::vector<verify::RegisterId> computeBoth(Builder &builder) const;
  dsl::DType formatOf(unsigned width) const;
  void findResults();
  bool isUsed(verify::RegisterId reg) const;
  std::optional<verify::RegisterId> ofMutant(verify::RegisterId reg) const;

  const verify::Kernel &kernel_, &mutant_;
  CodeDiff diff_;
  bool isStraight_ = true;
  std::vector<Result> results_;
};

} // namespace ordo::mutation
