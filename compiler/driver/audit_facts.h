// What `audit` reports of a kernel, gathered once for its text, its JSON and its drawing.
#pragma once

#include "compiler/driver/contract.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ordo::compiler::driver {

/// Where something was first written.
struct Place {
  std::string at;     // "path:line:column"; empty when nowhere
  std::string source; // the text itself, on one line, shortened
  dsl::Span span;     // end 0: nowhere
};

struct ReductionFact {
  std::string operation;              // "sum", "max", …
  std::string over;                   // "h in 3584"
  std::string type;                   // of the result: "f32"
  const dsl::Order *order = nullptr;  // null: the operation needs none
  std::optional<std::int64_t> length; // elements; nothing when the extent is free
  bool isMasked = false;              // has a `where`
  Place place;
};

struct CastFact {
  std::string from, to;
  std::string rounding; // "exact", "to nearest even", …
  Place place;
};

struct ConstantFact {
  std::string type;
  std::string value;            // decimal, shortest that reads back
  std::string bits;             // "0x3f800000"
  std::optional<double> number; // exactly; nothing for an integer or a bool
  Place place;
};

/// A target by whose atom the kernel's `mma` may fold.
struct ResolutionFact {
  std::string target; // "cuda.sm_90a"
  const dsl::AtomRule *atom;
  std::string digest; // of the contract resolved so
};

struct AuditFacts {
  std::string digest;                      // empty: open, see `resolutions`
  const dsl::AtomRule *atom = nullptr;     // by which `mma` folds; null: no `mma`, or open
  std::vector<ResolutionFact> resolutions; // where it is open, or folds by an atom
  std::vector<ReductionFact> reductions;
  std::vector<CastFact> casts;         // without those of an index expression
  std::vector<ConstantFact> constants; // the same
};

/// The digest, or that there is one for each atom.
std::string digestText(const AuditFacts &facts);
/// "nv.hopper.bf16 version 1, measured"
std::string atomText(const dsl::AtomRule &atom);

AuditFacts auditFacts(const Contract &contract, const dsl::Program &program);

/// For every expression whether an output needs it: a program also holds what sema folded away.
std::vector<bool> reachedExprs(const dsl::Program &program);

/// The length at which a reduction is drawn: its own, else `asked`, else kFreeLength.
std::int64_t drawnLength(const ReductionFact &reduction, std::optional<std::int64_t> asked);
inline constexpr std::int64_t kFreeLength = 16;

/// The operation as a tree names it: "+" for sums, else its name.
std::string treeOperation(const ReductionFact &reduction);

/// The whole report as JSON text, ended by a newline.
std::string auditJson(const Contract &contract, const dsl::Program &program,
                      const AuditFacts &facts);

/// The trees of all ordered reductions below each other as one SVG document; empty when there are
/// none.
std::string auditSvg(const dsl::Program &program, const AuditFacts &facts,
                     std::optional<std::int64_t> asked);

/// An argument's type as the language writes it: "bf16[T, 3584]".
std::string tensorText(const dsl::Program &program, const dsl::Tensor &tensor);

} // namespace ordo::compiler::driver
