// A thread's chunk: adjacent elements of a row, read by the widest loads that alignment allows.
#pragma once

#include "compiler/bind/mapping.h"
#include "compiler/dialect/Ordo.h"

#include "mlir/IR/Builders.h"

#include <map>

namespace ordo::compiler {

struct Chunk {
  std::int64_t size = 0;   // elements
  std::int64_t length = 0; // of the row
  mlir::Value start;       // index of the first element
  /// False: every element is in the row, known when compiling.
  bool guarded = false;
  mlir::Value valid; // guarded: i1, the first element is this thread's and in the row
  llvm::SmallVector<mlir::Value> index; // of each element; clamped into the row where guarded

  /// Elements may be past the row's end though the first is not.
  bool isPartial() const { return guarded && length % size != 0; }

  /// Loads done so far: (array, leading indices) to the elements.
  std::map<std::vector<void *>, llvm::SmallVector<mlir::Value>> loads;

  /// Which element `index` names, or nothing.
  std::optional<std::size_t> elementOf(mlir::Value value) const;
  /// i1: element j is in the row and this thread's. Only where guarded.
  mlir::Value elementValid(mlir::OpBuilder &b, mlir::Location loc, std::int64_t j) const;
};

/// Chunk of `mapping` whose number is `number` (an index), owned where `owned` (null: always) is
/// true. `guarded` as in Chunk.
Chunk makeChunk(mlir::OpBuilder &b, mlir::Location loc, const Mapping &mapping, mlir::Value number,
                bool guarded, mlir::Value owned);

/// Elements a load or store may take at once from a row of `rowLength` elements of `type`: a power
/// of two that divides the chunk, the row (`hasRows`) and fits `vectorBytes`.
std::int64_t vectorWidth(std::int64_t chunk, std::int64_t rowLength, mlir::Type type,
                         std::int64_t vectorBytes);

/// `count` elements of `type` at `pointer` + `offset` elements, one load, split into scalars.
llvm::SmallVector<mlir::Value> loadVector(mlir::OpBuilder &b, mlir::Location loc,
                                          mlir::Value pointer, mlir::Value offset, mlir::Type type,
                                          std::int64_t count);
void storeVector(mlir::OpBuilder &b, mlir::Location loc, mlir::Value pointer, mlir::Value offset,
                 mlir::ValueRange elements);

/// The chunk's elements of the row that begins at `pointer` + `base` elements of an array whose
/// rows have `rowLength` elements; zero where not valid.
llvm::SmallVector<mlir::Value> loadChunk(mlir::OpBuilder &b, mlir::Location loc, const Chunk &chunk,
                                         mlir::Value pointer, mlir::Value base, mlir::Type type,
                                         std::int64_t vectorBytes);
void storeChunk(mlir::OpBuilder &b, mlir::Location loc, const Chunk &chunk, mlir::Value pointer,
                mlir::Value base, mlir::ValueRange elements, std::int64_t vectorBytes);

} // namespace ordo::compiler
