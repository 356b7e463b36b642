// RUN: %ordo_opt %s --ordo-expand-numerics=target=cuda.sm_90a | FileCheck %s --check-prefixes=CHECK,CUDA
// RUN: %ordo_opt %s --ordo-expand-numerics=target=rocm.gfx942 | FileCheck %s --check-prefixes=CHECK,ROCM

// Two roundings are one instruction; the first element is the lower half, the second operand.
// CHECK-LABEL: @pack
// CUDA: llvm.call_intrinsic "llvm.nvvm.ff2bf16x2.rn"(%arg1, %arg0) : (f32, f32) -> vector<2xbf16>
// ROCM-NOT: nvvm
func.func @pack(%x: f32, %y: f32) -> vector<2xbf16> {
  %a = ordo.cast %x : f32 to bf16
  %b = ordo.cast %y : f32 to bf16
  %r = vector.from_elements %a, %b : vector<2xbf16>
  return %r : vector<2xbf16>
}

// One that rounds toward zero is left alone.
// CHECK-LABEL: @mixed
// CHECK-NOT: ff2bf16x2
// CHECK: return
func.func @mixed(%x: f32, %y: f32) -> vector<2xbf16> {
  %a = ordo.cast %x {rounding = 1 : i32} : f32 to bf16
  %b = ordo.cast %y : f32 to bf16
  %r = vector.from_elements %a, %b : vector<2xbf16>
  return %r : vector<2xbf16>
}

// Elements are taken from words: a shift for the lower half, a mask for the upper.
// CHECK-LABEL: @unpack
// CHECK: vector.bitcast %arg0 : vector<4xbf16> to vector<2xi32>
// CHECK: arith.constant 16 : i32
// CHECK: arith.shli
// CHECK: arith.constant -65536 : i32
// CHECK: arith.andi
func.func @unpack(%v: vector<4xbf16>) -> (f32, f32) {
  %a = vector.extract %v[2] : bf16 from vector<4xbf16>
  %b = vector.extract %v[3] : bf16 from vector<4xbf16>
  %x = ordo.cast %a : bf16 to f32
  %y = ordo.cast %b : bf16 to f32
  return %x, %y : f32, f32
}
