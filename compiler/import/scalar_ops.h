// One scalar operation of the language as dialect operations.
#pragma once

#include "dsl/term/program.h"

#include "mlir/IR/Builders.h"

namespace ordo::compiler {

/// The MLIR type of a value; null for a type that is not lowered yet (the f8 formats).
mlir::Type scalarType(mlir::MLIRContext &context, dsl::DType type);

mlir::Value emitConstant(mlir::OpBuilder &builder, mlir::Location loc, dsl::DType type,
                         std::uint64_t bits);

/// Everything but leaves, loads and reductions. `operandType` is the type of the first operand.
/// Null when the operation is not lowered yet on this type.
mlir::Value emitScalarOp(mlir::OpBuilder &builder, mlir::Location loc, const dsl::Expr &expr,
                         dsl::DType operandType, mlir::ValueRange operands);

} // namespace ordo::compiler
