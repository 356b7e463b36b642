#include "compiler/lower/chunk.h"

#include "compiler/lower/body.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace ordo::compiler {
namespace {

Value add(OpBuilder &b, Location loc, Value x, std::int64_t n) {
  return n == 0 ? x : b.create<arith::AddIOp>(loc, x, constantIndex(b, loc, n)).getResult();
}

Value less(OpBuilder &b, Location loc, Value x, std::int64_t n) {
  return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, x, constantIndex(b, loc, n));
}

std::int64_t bytesOf(Type type) { return std::max(8u, type.getIntOrFloatBitWidth()) / 8; }

Value address(OpBuilder &b, Location loc, Value pointer, Value offset, Type type) {
  const Value at = b.create<arith::IndexCastOp>(loc, b.getI64Type(), offset);
  return b.create<LLVM::GEPOp>(loc, pointer.getType(), type, pointer, ValueRange{at});
}

// Inputs are never written while the kernel runs.
Value load(OpBuilder &b, Location loc, Type type, Value pointer, std::int64_t alignment) {
  auto op = b.create<LLVM::LoadOp>(loc, type, pointer, static_cast<unsigned>(alignment));
  op.setInvariant(true);
  return op;
}

// What one load of `count` elements brings. Sixteen-bit elements come in pairs as i32: a backend
// then shifts and masks, and moves nothing.
Type packedType(Type type, std::int64_t count) {
  if (count == 1)
    return type;
  if (bytesOf(type) == 2)
    return VectorType::get({count / 2}, IntegerType::get(type.getContext(), 32));
  return VectorType::get({count}, type);
}

SmallVector<Value> unpack(OpBuilder &b, Location loc, Value packed, Type type, std::int64_t count) {
  if (count == 1)
    return {packed};
  const bool inPairs = bytesOf(type) == 2;
  SmallVector<Value> elements;
  for (std::int64_t i = 0; i < count; ++i) {
    Value value = b.create<vector::ExtractOp>(loc, packed, inPairs ? i / 2 : i);
    if (inPairs) {
      if (i % 2)
        value = b.create<arith::ShRUIOp>(loc, value, b.create<arith::ConstantIntOp>(loc, 16, 32));
      value = b.create<arith::TruncIOp>(loc, b.getI16Type(), value);
      value = b.create<arith::BitcastOp>(loc, type, value);
    }
    elements.push_back(value);
  }
  return elements;
}

} // namespace

std::optional<std::size_t> Chunk::elementOf(Value value) const {
  for (auto [j, element] : llvm::enumerate(index))
    if (element == value)
      return j;
  return std::nullopt;
}

Value Chunk::elementValid(OpBuilder &b, Location loc, std::int64_t j) const {
  if (!isPartial() || j == 0)
    return valid;
  return b.create<arith::AndIOp>(loc, valid, less(b, loc, add(b, loc, start, j), length));
}

Chunk makeChunk(OpBuilder &b, Location loc, const Mapping &mapping, Value number, bool guarded,
                Value owned) {
  Chunk chunk;
  chunk.size = mapping.chunk();
  chunk.length = mapping.length;
  chunk.guarded = guarded;
  chunk.start =
      chunk.size == 1
          ? number
          : b.create<arith::MulIOp>(loc, number, constantIndex(b, loc, chunk.size)).getResult();
  if (guarded) {
    chunk.valid = less(b, loc, chunk.start, chunk.length);
    if (owned)
      chunk.valid = b.create<arith::AndIOp>(loc, chunk.valid, owned);
  }
  for (std::int64_t j = 0; j < chunk.size; ++j) {
    Value index = add(b, loc, chunk.start, j);
    if (guarded)
      index = b.create<arith::MinUIOp>(
          loc, index, constantIndex(b, loc, std::max<std::int64_t>(chunk.length - 1, 0)));
    chunk.index.push_back(index);
  }
  return chunk;
}

std::int64_t vectorWidth(std::int64_t chunk, std::int64_t rowLength, Type type,
                         std::int64_t vectorBytes) {
  std::int64_t width = std::max<std::int64_t>(1, vectorBytes / bytesOf(type));
  while (width > 1 && (chunk % width != 0 || rowLength % width != 0))
    width /= 2;
  return width;
}

SmallVector<Value> loadVector(OpBuilder &b, Location loc, Value pointer, Value offset, Type type,
                              std::int64_t count) {
  const Value packed = load(b, loc, packedType(type, count), address(b, loc, pointer, offset, type),
                            bytesOf(type) * count);
  return unpack(b, loc, packed, type, count);
}

void storeVector(OpBuilder &b, Location loc, Value pointer, Value offset, ValueRange elements) {
  const Type type = elements.front().getType();
  const auto count = static_cast<std::int64_t>(elements.size());
  Value value = elements.front();
  if (count > 1)
    value = b.create<vector::FromElementsOp>(loc, VectorType::get({count}, type), elements);
  b.create<LLVM::StoreOp>(loc, value, address(b, loc, pointer, offset, type),
                          static_cast<unsigned>(bytesOf(type) * count));
}

SmallVector<Value> loadChunk(OpBuilder &b, Location loc, const Chunk &chunk, Value pointer,
                             Value base, Type type, std::int64_t vectorBytes) {
  const std::int64_t width = vectorWidth(chunk.size, chunk.length, type, vectorBytes);
  SmallVector<Value> elements;
  for (std::int64_t j = 0; j < chunk.size; j += width) {
    const Value offset = b.create<arith::AddIOp>(loc, base, add(b, loc, chunk.start, j));
    if (!chunk.guarded) {
      elements.append(loadVector(b, loc, pointer, offset, type, width));
      continue;
    }
    // The packed words go through the branch, so that they, not their elements, stay in registers.
    const Type packed = packedType(type, width);
    auto branch = b.create<scf::IfOp>(loc, packed, chunk.elementValid(b, loc, j), true);
    OpBuilder inside = branch.getThenBodyBuilder();
    inside.create<scf::YieldOp>(loc, load(inside, loc, packed,
                                          address(inside, loc, pointer, offset, type),
                                          bytesOf(type) * width));
    OpBuilder outside = branch.getElseBodyBuilder();
    outside.create<scf::YieldOp>(
        loc, outside.create<arith::ConstantOp>(loc, outside.getZeroAttr(packed)).getResult());
    elements.append(unpack(b, loc, branch.getResult(0), type, width));
  }
  return elements;
}

void storeChunk(OpBuilder &b, Location loc, const Chunk &chunk, Value pointer, Value base,
                ValueRange elements, std::int64_t vectorBytes) {
  const std::int64_t width =
      vectorWidth(chunk.size, chunk.length, elements.front().getType(), vectorBytes);
  for (std::int64_t j = 0; j < chunk.size; j += width) {
    const Value offset = b.create<arith::AddIOp>(loc, base, add(b, loc, chunk.start, j));
    OpBuilder at = b;
    if (chunk.guarded)
      at = b.create<scf::IfOp>(loc, chunk.elementValid(b, loc, j)).getThenBodyBuilder();
    storeVector(at, loc, pointer, offset, elements.slice(j, width));
  }
}

} // namespace ordo::compiler
