// From a resolved Program to the ordo dialect, one to one.
#pragma once

#include "dsl/syntax/diagnostic.h"
#include "dsl/term/program.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace ordo::compiler {

/// Builds a module with one ordo.kernel. What the dialect cannot hold yet is reported at its place
/// in the contract, and nothing is returned.
mlir::OwningOpRef<mlir::ModuleOp> importProgram(const dsl::Program &program,
                                                mlir::MLIRContext &context,
                                                dsl::Diagnostics &diagnostics);

/// Spans travel through MLIR as locations, so that a pass's error lands in the contract.
mlir::Location toLocation(mlir::MLIRContext &context, dsl::Span span);
/// The span in a location that toLocation made, or nothing.
std::optional<dsl::Span> toSpan(mlir::Location location);

} // namespace ordo::compiler
