// The ordo dialect: index spaces, casts and reductions with their order, before any hardware.
//
// A kernel holds definitions over index spaces. Structure (kernel, define, write, reduce, load) is lowered by
// the binding of orders to a target's axes; numerics (sqrt, cast, max, …) survive to the end and are
// expanded per target, because upstream's conversions would turn them into library calls.
#ifndef ORDO_TD
#define ORDO_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Ordo_Dialect : Dialect {
  let name = "ordo";
  let cppNamespace = "::ordo::compiler";
  let summary = "numerical contracts: definitions over index spaces, reductions with a declared order";
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
}

class Ordo_Op<string mnemonic, list<Trait> traits = []> : Op<Ordo_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Types and attributes
//===----------------------------------------------------------------------===//

def Ordo_TensorType : TypeDef<Ordo_Dialect, "Array"> {
  let mnemonic = "tensor";
  let summary = "a row-major array; an extent that is free at launch is written d0, d1, …";
  let description = [{
    `!ordo.tensor<d0 x 3584 x bf16>`: extents, then the element type. A non-negative extent is a number;
    free dimension i is stored as -(i + 1).
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    static bool isFree(int64_t extent) { return extent < 0; }
    static unsigned freeDim(int64_t extent) { return static_cast<unsigned>(-extent - 1); }
    static int64_t freeExtent(unsigned dim) { return -static_cast<int64_t>(dim) - 1; }
    int64_t getRank() const { return getShape().size(); }
  }];
}

def Ordo_OrderAttr : AttrDef<Ordo_Dialect, "Order"> {
  let mnemonic = "order";
  let summary = "an order in its canonical spelling";
  let description = "`#ordo.order<\"seq(8) | lanes(128) | halves\">`; verified by dsl/order.";
  let parameters = (ins StringRefParameter<"canonical spelling">:$spelling);
  let assemblyFormat = "`<` $spelling `>`";
  let genVerifyDecl = 1;
}

def Ordo_ReduceKind : I32EnumAttr<"ReduceKind", "operation of a reduction", [
    I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Max", 1, "max">, I32EnumAttrCase<"Min", 2, "min">,
    I32EnumAttrCase<"MaxNan", 3, "max_nan">, I32EnumAttrCase<"MinNan", 4, "min_nan">]> {
  let cppNamespace = "::ordo::compiler";
}

def Ordo_RoundingKind : I32EnumAttr<"RoundingKind", "how a cast rounds", [
    I32EnumAttrCase<"NearestEven", 0, "rn">, I32EnumAttrCase<"TowardZero", 1, "rz">]> {
  let cppNamespace = "::ordo::compiler";
}

def Ordo_Axis : I32EnumAttr<"Axis", "what a stage of an order is bound to", [
    I32EnumAttrCase<"Register", 0, "register">,   // a run folded inside one thread
    I32EnumAttrCase<"Thread", 1, "thread">,       // one lane a thread
    I32EnumAttrCase<"Warp", 2, "warp">,           // exchanged by shuffles
    I32EnumAttrCase<"Block", 3, "block">,         // exchanged through shared memory
    I32EnumAttrCase<"Array", 4, "array">]> {      // an array of partial results (CPU)
  let cppNamespace = "::ordo::compiler";
}

def Ordo_ScheduleAttr : AttrDef<Ordo_Dialect, "Schedule"> {
  let mnemonic = "schedule";
  let summary = "how a kernel's rows are spread over a target; cannot change bits";
  let description = [{
    `rows` rows a block, `threads` threads a row; a thread owns chunks of `chunk` adjacent columns,
    `resident` of them held in registers from first use to the store (0: read again in each phase).
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$threads, "int64_t":$chunk, "int64_t":$resident, "int64_t":$warp);
  let assemblyFormat = "`<` struct(params) `>`";
}

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

def Ordo_KernelOp : Ordo_Op<"kernel", [IsolatedFromAbove, Symbol, SingleBlock, NoTerminator]> {
  let summary = "one operator at one geometry";
  let description = [{
    Arguments in launch order: input tensors, output tensors, then scalars. `dims` names the free dimensions,
    `names` the arguments.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrArrayAttr:$dims, StrArrayAttr:$names,
      I64Attr:$inputs, I64Attr:$outputs, OptionalAttr<Ordo_ScheduleAttr>:$schedule);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Ordo_DefineOp : Ordo_Op<"define", [SingleBlock]> {
  let summary = "a value for every index";
  let description = "The body's arguments are the indices, one for each extent of the result's shape.";
  let arguments = (ins StrAttr:$label);
  let results = (outs Ordo_TensorType:$result);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Ordo_WriteOp : Ordo_Op<"write", [SingleBlock]> {
  let summary = "an output's value for every index";
  let arguments = (ins StrAttr:$label, Ordo_TensorType:$output);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Ordo_ReduceOp : Ordo_Op<"reduce", [SingleBlock]> {
  let summary = "a reduction over an index, in a declared order";
  let description = [{
    `max` and `min` kinds and integers may leave the order out. `bind` names, for each stage, the axis it runs on;
    the bind pass sets it. The body yields the element, and a condition where positions may be masked.
  }];
  let arguments = (ins Ordo_ReduceKind:$kind, DenseI64ArrayAttr:$extents, OptionalAttr<Ordo_OrderAttr>:$order,
      OptionalAttr<StrArrayAttr>:$bind);
  let results = (outs AnyType:$result);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Ordo_YieldOp : Ordo_Op<"yield", [Pure, Terminator, ParentOneOf<["DefineOp", "WriteOp", "ReduceOp"]>]> {
  let summary = "the value of a body; for a masked reduction also its condition";
  let arguments = (ins AnyType:$value, Optional<I1>:$condition);
  let assemblyFormat = "$value (`where` $condition^)? attr-dict `:` type($value)";
}

def Ordo_LoadOp : Ordo_Op<"load", [Pure]> {
  let summary = "an element of an input or of a definition";
  let arguments = (ins Ordo_TensorType:$source, Variadic<Index>:$indices);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$source `[` $indices `]` attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Ordo_SizeOp : Ordo_Op<"size", [Pure]> {
  let summary = "a free dimension's size at launch";
  let arguments = (ins I64Attr:$dim);
  let results = (outs Index:$result);
  let assemblyFormat = "$dim attr-dict";
}

//===----------------------------------------------------------------------===//
// Numerics: scalar, expanded per target by expand-numerics
//===----------------------------------------------------------------------===//

class Ordo_UnaryFloatOp<string mnemonic> : Ordo_Op<mnemonic, [Pure, SameOperandsAndResultType]> {
  let arguments = (ins AnyFloat:$operand);
  let results = (outs AnyFloat:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}
def Ordo_SqrtOp : Ordo_UnaryFloatOp<"sqrt"> { let summary = "square root, rounded once to nearest even"; }
def Ordo_AbsOp : Ordo_UnaryFloatOp<"abs"> { let summary = "magnitude (clears the sign bit)"; }
def Ordo_FloorOp : Ordo_UnaryFloatOp<"floor"> { let summary = "largest integer not above, exact"; }

def Ordo_FmaOp : Ordo_Op<"fma", [Pure, SameOperandsAndResultType]> {
  let summary = "a * b + c, rounded once";
  let arguments = (ins AnyFloat:$a, AnyFloat:$b, AnyFloat:$c);
  let results = (outs AnyFloat:$result);
  let assemblyFormat = "$a `,` $b `,` $c attr-dict `:` type($result)";
}

class Ordo_ExtremumOp<string mnemonic> : Ordo_Op<mnemonic, [Pure, SameOperandsAndResultType]> {
  let arguments = (ins AnyFloat:$lhs, AnyFloat:$rhs);
  let results = (outs AnyFloat:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}
def Ordo_MaxOp : Ordo_ExtremumOp<"max"> { let summary = "larger; drops a NaN, orders -0 below +0"; }
def Ordo_MinOp : Ordo_ExtremumOp<"min"> { let summary = "smaller; drops a NaN, orders -0 below +0"; }
def Ordo_MaxNanOp : Ordo_ExtremumOp<"max_nan"> { let summary = "larger; keeps a NaN, orders -0 below +0"; }
def Ordo_MinNanOp : Ordo_ExtremumOp<"min_nan"> { let summary = "smaller; keeps a NaN, orders -0 below +0"; }

def Ordo_CastOp : Ordo_Op<"cast", [Pure]> {
  let summary = "conversion between number types, rounded once";
  let description = [{
    Float to integer saturates and takes NaN to 0; integer to float rounds. Signless integers carry their
    signedness in `unsigned_source` and `unsigned_result`.
  }];
  let arguments = (ins AnyTypeOf<[AnyFloat, AnySignlessInteger, Index]>:$value,
      DefaultValuedAttr<Ordo_RoundingKind, "RoundingKind::NearestEven">:$rounding,
      UnitAttr:$unsigned_source, UnitAttr:$unsigned_result);
  let results = (outs AnyTypeOf<[AnyFloat, AnySignlessInteger]>:$result);
  let assemblyFormat = "$value (`unsigned` $unsigned_source^)? attr-dict `:` type($value) `to` type($result)";
}

def Ordo_BitsOp : Ordo_Op<"bits", [Pure]> {
  let summary = "the bits of a float, a NaN's as the one canonical NaN; 16-bit formats zero-extend to i32";
  let arguments = (ins AnyFloat:$value);
  let results = (outs AnySignlessInteger:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `to` type($result)";
}

def Ordo_OfBitsOp : Ordo_Op<"of_bits", [Pure]> {
  let summary = "the float whose bits are the low bits of an integer";
  let arguments = (ins AnySignlessInteger:$value);
  let results = (outs AnyFloat:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `to` type($result)";
}

#endif // ORDO_TD
