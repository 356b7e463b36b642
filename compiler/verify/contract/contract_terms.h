// A kernel's contract as terms: what each element of an output is, at symbolic indices and sizes.
//
// The meaning is the language's (docs/language.md, docs/orders.md, docs/numbers.md), expression by
// expression, each brought to nodes by the constructors of Terms: code that computes the same is
// brought to the same nodes. Inputs are Kind::Input nodes, by TensorId and row-major number; that a
// bool in memory is 0 or 1 is taken for granted. Reductions over as many elements as a number says
// are written out in full; over a free extent they are Kind::Fold nodes.
#pragma once

#include "compiler/verify/machine/fault.h"
#include "compiler/verify/term/terms.h"
#include "dsl/term/program.h"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace ordo::verify {

/// The contract has no term here: what it says is not expressed (a recurrence, a ranking, a matrix
/// product), or needs a bound that the facts do not give.
struct ContractError : DomainError {
  ContractError(const std::string &what, dsl::Span where) : DomainError(what), span(where) {}
  dsl::Span span; // of the author's text
};

/// Everything here throws ContractError. What was made once is kept: elements of one row share its
/// reductions, and asking again costs a look-up. Facts that are learnt later simplify nothing that
/// is already there, so state the sizes' facts first.
class ContractTerms {
public:
  /// `dims`: the size of each free dimension, by DimId; `scalars`: by ScalarId, bits of its type.
  /// The program and the terms outlive this.
  ContractTerms(const dsl::Program &program, Terms &terms, std::vector<AffineId> dims,
                std::vector<Term> scalars);
  ~ContractTerms();

  /// Extents of an argument, outermost first, and their product.
  const std::vector<AffineId> &shape(dsl::TensorId tensor);
  AffineId elements(dsl::TensorId tensor);
  /// An Index expression over constants and free dimensions.
  AffineId extent(dsl::ExprId expr);
  /// The row-major number of an element; one index per axis.
  AffineId number(dsl::TensorId tensor, std::span<const AffineId> index);

  /// From now on long chains of a reduction are folds, as induction over a loop makes them, and
  /// long extrema are those of a range. Say so before the first element is asked for.
  void foldLongRuns();

  struct Element {
    NodeId value = 0;          // as stored: Terms::asElement; Undefined where it is never written
    std::optional<Term> where; // it is written if this bit is set; nothing: always
  };
  /// An element of an output, for indices within its shape.
  Element element(dsl::TensorId output, std::span<const AffineId> index);

private:
  class Expansion;
  std::unique_ptr<Expansion> expansion_;
};

} // namespace ordo::verify
