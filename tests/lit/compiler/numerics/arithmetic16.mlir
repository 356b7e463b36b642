// RUN: %ordo_opt %s --ordo-expand-numerics=target=cuda.sm_90a | FileCheck %s
// RUN: %ordo_opt %s --ordo-expand-numerics=target=rocm.gfx942 | FileCheck %s
// RUN: %ordo_opt %s --ordo-expand-numerics=target=cpu | FileCheck %s

// Sixteen-bit arithmetic is done in f32 and rounded again, which is exact; a bf16 widens by a shift.
// CHECK-LABEL: @add
// CHECK-NOT: arith.extf
// CHECK: arith.shli
// CHECK: arith.addf %{{.*}} : f32
func.func @add(%x: bf16, %y: bf16) -> bf16 {
  %r = arith.addf %x, %y : bf16
  return %r : bf16
}

// CHECK-LABEL: @compare
// CHECK: arith.cmpf olt, %{{.*}} : f32
func.func @compare(%x: f16, %y: f16) -> i1 {
  %r = arith.cmpf olt, %x, %y : f16
  return %r : i1
}

// Negation flips a bit, also of a NaN.
// CHECK-LABEL: @negate
// CHECK: arith.constant -32768 : i16
// CHECK: arith.xori %{{.*}} : i16
// CHECK-NOT: f32
// CHECK: return
func.func @negate(%x: bf16) -> bf16 {
  %r = arith.negf %x : bf16
  return %r : bf16
}

// A fused multiply-add is not: its product and the sum's error are exact in f64, the sum rounded to odd.
// CHECK-LABEL: @fma
// CHECK: arith.mulf %{{.*}} : f64
// CHECK: arith.addf %{{.*}} : f64
// CHECK-COUNT-3: arith.subf %{{.*}} : f64
// CHECK: arith.cmpf one
// CHECK-NOT: llvm.fma
func.func @fma(%x: bf16, %y: bf16, %z: bf16) -> bf16 {
  %r = ordo.fma %x, %y, %z : bf16
  return %r : bf16
}
