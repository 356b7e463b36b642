// The ordo dialect's C++ side. Heavy: include it in .cc files, not in headers.
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

// TableGen's output names parameters that it does not always use.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunused-parameter"
#include "compiler/dialect/OrdoDialect.h.inc"
#include "compiler/dialect/OrdoEnums.h.inc"
#define GET_TYPEDEF_CLASSES
#include "compiler/dialect/OrdoTypes.h.inc"
#define GET_ATTRDEF_CLASSES
#include "compiler/dialect/OrdoAttrs.h.inc"
#define GET_OP_CLASSES
#include "compiler/dialect/OrdoOps.h.inc"
#pragma clang diagnostic pop
