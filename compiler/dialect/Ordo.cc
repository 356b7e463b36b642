#include "compiler/dialect/Ordo.h"

#include "dsl/order/order.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace ordo::compiler;

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunused-parameter"
#include "compiler/dialect/OrdoDialect.cc.inc"
#include "compiler/dialect/OrdoEnums.cc.inc"
#define GET_TYPEDEF_CLASSES
#include "compiler/dialect/OrdoTypes.cc.inc"
#define GET_ATTRDEF_CLASSES
#include "compiler/dialect/OrdoAttrs.cc.inc"
#define GET_OP_CLASSES
#include "compiler/dialect/OrdoOps.cc.inc"
#pragma clang diagnostic pop

void OrdoDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "compiler/dialect/OrdoTypes.cc.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "compiler/dialect/OrdoAttrs.cc.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "compiler/dialect/OrdoOps.cc.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Types and attributes
//===----------------------------------------------------------------------===//

// One extent: a number, or `d0`, `d1`, … for a free dimension.
static ParseResult parseExtent(AsmParser &parser, int64_t &extent) {
  const OptionalParseResult number = parser.parseOptionalInteger(extent);
  if (number.has_value())
    return *number;
  StringRef word;
  const SMLoc at = parser.getCurrentLocation();
  unsigned dim = 0;
  if (parser.parseKeyword(&word))
    return failure();
  if (!word.consume_front("d") || word.getAsInteger(10, dim))
    return parser.emitError(at, "expected an extent: a number or d0, d1, …");
  extent = ArrayType::freeExtent(dim);
  return success();
}

Type ArrayType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type element;
  if (parser.parseLess())
    return {};
  while (true) {
    const OptionalParseResult type = parser.parseOptionalType(element);
    if (type.has_value()) {
      if (failed(*type) || parser.parseGreater())
        return {};
      return ArrayType::get(parser.getContext(), shape, element);
    }
    int64_t extent = 0;
    if (parseExtent(parser, extent) || parser.parseKeyword("x"))
      return {};
    shape.push_back(extent);
  }
}

static void printExtent(AsmPrinter &printer, int64_t extent) {
  if (ArrayType::isFree(extent))
    printer << "d" << ArrayType::freeDim(extent);
  else
    printer << extent;
}

void ArrayType::print(AsmPrinter &printer) const {
  printer << "<";
  for (int64_t extent : getShape()) {
    printExtent(printer, extent);
    printer << " x ";
  }
  printer << getElementType() << ">";
}

LogicalResult OrderAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef spelling) {
  std::string why;
  const auto order = dsl::parseOrder(spelling.str(), &why);
  if (!order)
    return emitError() << "order '" << spelling << "': " << why;
  if (const auto reason = dsl::malformed(*order))
    return emitError() << "order '" << spelling << "': " << *reason;
  return success();
}

//===----------------------------------------------------------------------===//
// Kernel
//===----------------------------------------------------------------------===//

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  if (parser.parseSymbolName(name, "sym_name", result.attributes) ||
      parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren, /*allowType=*/true) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  return parser.parseRegion(*result.addRegion(), arguments);
}

void KernelOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  printer << '(';
  llvm::interleaveComma(getBody().getArguments(), printer,
                        [&](BlockArgument arg) { printer.printRegionArgument(arg); });
  printer << ')';
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {"sym_name"});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

LogicalResult KernelOp::verify() {
  const unsigned arguments = getBody().getNumArguments();
  const int64_t tensors = getInputs() + getOutputs();
  if (getNames().size() != arguments)
    return emitOpError("names ") << getNames().size() << " arguments and has " << arguments;
  if (getInputs() < 0 || getOutputs() < 1 || tensors > arguments)
    return emitOpError(
        "needs at least one output, and a tensor argument for each input and output");
  for (unsigned i = 0; i < arguments; ++i) {
    const Type type = getBody().getArgument(i).getType();
    if (isa<ArrayType>(type) != (static_cast<int64_t>(i) < tensors))
      return emitOpError("argument ")
             << i << " has type " << type << "; tensors come first, then scalars";
    if (auto tensor = dyn_cast<ArrayType>(type))
      for (int64_t extent : tensor.getShape())
        if (ArrayType::isFree(extent) && ArrayType::freeDim(extent) >= getDims().size())
          return emitOpError("argument ") << i << " uses a free dimension that is not declared";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Bodies over index spaces: `(%t, %h) { … }`
//===----------------------------------------------------------------------===//

static ParseResult parseBody(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> indices;
  if (parser.parseArgumentList(indices, OpAsmParser::Delimiter::Paren))
    return failure();
  for (auto &index : indices)
    index.type = parser.getBuilder().getIndexType();
  return parser.parseRegion(*result.addRegion(), indices);
}

static void printBody(OpAsmPrinter &printer, Region &region) {
  printer << " (";
  llvm::interleaveComma(region.getArguments(), printer,
                        [&](BlockArgument arg) { printer.printOperand(arg); });
  printer << ") ";
  printer.printRegion(region, /*printEntryBlockArgs=*/false);
}

static LogicalResult verifyBody(Operation *op, Region &region, size_t rank, Type element,
                                bool mayMask) {
  if (region.getNumArguments() != rank)
    return op->emitOpError("body has ")
           << region.getNumArguments() << " indices, its space has " << rank;
  for (BlockArgument arg : region.getArguments())
    if (!arg.getType().isIndex())
      return op->emitOpError("body's indices are of type index");
  auto yield = dyn_cast<YieldOp>(region.front().getTerminator());
  if (!yield)
    return op->emitOpError("body ends in ordo.yield");
  if (yield.getValue().getType() != element)
    return op->emitOpError("yields ") << yield.getValue().getType() << ", expected " << element;
  if (yield.getCondition() && !mayMask)
    return op->emitOpError("cannot mask its value");
  return success();
}

ParseResult DefineOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr label;
  Type type;
  if (parser.parseAttribute(label, "label", result.attributes) || parseBody(parser, result) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(type))
    return failure();
  result.addTypes(type);
  return success();
}

void DefineOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getLabelAttr();
  printBody(printer, getBody());
  printer.printOptionalAttrDict((*this)->getAttrs(), {"label"});
  printer << " : " << getType();
}

LogicalResult DefineOp::verify() {
  return verifyBody(*this, getBody(), getType().getShape().size(), getType().getElementType(),
                    false);
}

ParseResult WriteOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr label;
  OpAsmParser::UnresolvedOperand output;
  Type type;
  if (parser.parseAttribute(label, "label", result.attributes) || parser.parseOperand(output) ||
      parseBody(parser, result) || parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(type))
    return failure();
  return parser.resolveOperand(output, type, result.operands);
}

void WriteOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getLabelAttr() << ' ' << getOutput();
  printBody(printer, getBody());
  printer.printOptionalAttrDict((*this)->getAttrs(), {"label"});
  printer << " : " << getOutput().getType();
}

LogicalResult WriteOp::verify() {
  const ArrayType type = getOutput().getType();
  return verifyBody(*this, getBody(), type.getShape().size(), type.getElementType(), false);
}

ParseResult ReduceOp::parse(OpAsmParser &parser, OperationState &result) {
  StringRef kind;
  const SMLoc at = parser.getCurrentLocation();
  SmallVector<int64_t> extents;
  if (parser.parseKeyword(&kind))
    return failure();
  const auto parsed = symbolizeReduceKind(kind);
  if (!parsed)
    return parser.emitError(at, "unknown reduction '") << kind << "'";
  result.addAttribute("kind", ReduceKindAttr::get(parser.getContext(), *parsed));
  auto extent = [&]() -> ParseResult { return parseExtent(parser, extents.emplace_back()); };
  if (parser.parseKeyword("over") ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, extent))
    return failure();
  result.addAttribute("extents", parser.getBuilder().getDenseI64ArrayAttr(extents));
  if (succeeded(parser.parseOptionalKeyword("by"))) {
    std::string spelling;
    const SMLoc place = parser.getCurrentLocation();
    if (parser.parseString(&spelling))
      return failure();
    auto order = OrderAttr::getChecked([&] { return parser.emitError(place); }, parser.getContext(),
                                       spelling);
    if (!order)
      return failure();
    result.addAttribute("order", order);
  }
  if (succeeded(parser.parseOptionalKeyword("on"))) {
    ArrayAttr bind;
    if (parser.parseAttribute(bind, "bind", result.attributes))
      return failure();
  }
  Type type;
  if (parseBody(parser, result) || parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(type))
    return failure();
  result.addTypes(type);
  return success();
}

void ReduceOp::print(OpAsmPrinter &printer) {
  printer << ' ' << stringifyReduceKind(getKind()) << " over [";
  llvm::interleaveComma(getExtents(), printer, [&](int64_t e) { printExtent(printer, e); });
  printer << ']';
  if (auto order = getOrderAttr()) {
    printer << " by ";
    printer.printString(order.getSpelling());
  }
  if (auto bind = getBindAttr())
    printer << " on " << bind;
  printBody(printer, getBody());
  printer.printOptionalAttrDict((*this)->getAttrs(), {"kind", "extents", "order", "bind"});
  printer << " : " << getType();
}

LogicalResult ReduceOp::verify() {
  if (getExtents().empty())
    return emitOpError("needs an index to reduce over");
  const bool needsOrder = getKind() == ReduceKind::Sum && isa<FloatType>(getType());
  if (needsOrder && !getOrderAttr())
    return emitOpError("over floats needs an order: by \"seq\", say");
  return verifyBody(*this, getBody(), getExtents().size(), getType(), true);
}

LogicalResult LoadOp::verify() {
  const ArrayType type = getSource().getType();
  if (getIndices().size() != type.getShape().size())
    return emitOpError("has ") << getIndices().size() << " indices for " << type;
  if (getType() != type.getElementType())
    return emitOpError("result is ") << getType() << ", expected " << type.getElementType();
  return success();
}
