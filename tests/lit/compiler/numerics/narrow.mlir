// RUN: %ordo_opt %s --ordo-expand-numerics=target=cuda.sm_90a | FileCheck %s --check-prefixes=CHECK,CUDA
// RUN: %ordo_opt %s --ordo-expand-numerics=target=rocm.gfx942 | FileCheck %s --check-prefixes=CHECK,INT,FENCE
// RUN: %ordo_opt %s --ordo-expand-numerics=target=cpu | FileCheck %s --check-prefixes=CHECK,INT,NOFENCE

// To nearest even in bf16: one instruction on NVIDIA; elsewhere integer code, and a NaN is made quiet.
// CHECK-LABEL: @to_bf16
// CUDA: arith.truncf %{{.*}} : f32 to bf16
// INT-NOT: arith.truncf
// INT-DAG: arith.constant 32767 : i32
// INT-DAG: arith.cmpf uno
// INT-DAG: %[[NAN:.*]] = arith.constant 32704 : i16
// INT: arith.select %{{.*}}, %[[NAN]]
func.func @to_bf16(%x: f32) -> bf16 {
  %r = ordo.cast %x : f32 to bf16
  return %r : bf16
}

// A fence keeps an f32 division from being done in f16, which gfx942 misrounds.
// CHECK-LABEL: @divide_to_f16
// CHECK: %[[Q:.*]] = arith.divf %{{.*}} : f32
// FENCE: %[[F:.*]] = llvm.call_intrinsic "llvm.arithmetic.fence"(%[[Q]])
// FENCE: arith.truncf %[[F]] : f32 to f16
// CUDA: arith.truncf %[[Q]] : f32 to f16
// NOFENCE: arith.truncf %[[Q]] : f32 to f16
func.func @divide_to_f16(%x: f32, %y: f32) -> f16 {
  %q = arith.divf %x, %y : f32
  %r = ordo.cast %q : f32 to f16
  return %r : f16
}

// An f64 goes to sixteen bits by way of an f32 rounded to odd, never rounded to nearest twice.
// CHECK-LABEL: @double_to_f16
// CHECK: arith.truncf %{{.*}} : f64 to f32
// CHECK: %[[ODD:.*]] = arith.ori %{{.*}}, %{{.*}} : i32
// CHECK: %[[INEXACT:.*]] = arith.cmpf one
// CHECK: arith.select %[[INEXACT]], %[[ODD]]
// CHECK: arith.truncf %{{.*}} : f32 to f16
func.func @double_to_f16(%x: f64) -> f16 {
  %r = ordo.cast %x : f64 to f16
  return %r : f16
}

// Toward zero: one step back where rounding to nearest went too far.
// CHECK-LABEL: @toward_zero
// CHECK: arith.truncf %{{.*}} : f64 to f32
// CHECK: arith.extf
// CHECK: arith.subi
// CHECK: arith.cmpf ogt
func.func @toward_zero(%x: f64) -> f32 {
  %r = ordo.cast %x {rounding = 1 : i32} : f64 to f32
  return %r : f32
}
