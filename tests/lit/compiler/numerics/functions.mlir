// RUN: %ordo_opt %s --ordo-expand-numerics=target=cuda.sm_90a | FileCheck %s --check-prefixes=CHECK,CUDA
// RUN: %ordo_opt %s --ordo-expand-numerics=target=rocm.gfx942 | FileCheck %s --check-prefixes=CHECK,ROCM
// RUN: %ordo_opt %s --ordo-expand-numerics=target=cpu | FileCheck %s --check-prefixes=CHECK,CPU

// No operation that upstream's GPU conversions would make a library call of.
// CHECK-NOT: math.
// CHECK-NOT: llvm.intr.

// CHECK-LABEL: @sqrt
// CHECK: llvm.call_intrinsic "llvm.sqrt"(%{{.*}}) : (f32) -> f32
func.func @sqrt(%x: f32) -> f32 {
  %r = ordo.sqrt %x : f32
  return %r : f32
}

// max drops a NaN: never llvm.maxnum.
// CHECK-LABEL: @max
// CUDA: llvm.inline_asm "max.f32 $0, $1, $2;"
// ROCM: llvm.inline_asm "v_max_f32 $0, $1, $2", "=v,v,v"
// CPU: arith.cmpf ogt
// CPU: arith.andi %{{.*}} : i32
// CPU: arith.cmpf oeq
// CPU: arith.cmpf uno
// CHECK-NOT: maxnum
func.func @max(%x: f32, %y: f32) -> f32 {
  %r = ordo.max %x, %y : f32
  return %r : f32
}

// PTX has no max.NaN.f64, AMD nothing that keeps a NaN.
// CHECK-LABEL: @max_nan
// CUDA: llvm.inline_asm "max.NaN.f32 $0, $1, $2;"
// ROCM-NOT: inline_asm
// CHECK: arith.cmpf ogt, %{{.*}} : f64
func.func @max_nan(%x: f32, %y: f32, %z: f64, %w: f64) -> (f32, f64) {
  %r = ordo.max_nan %x, %y : f32
  %s = ordo.max_nan %z, %w : f64
  return %r, %s : f32, f64
}

// A cast to an integer rounds to nearest even; toward zero where it says so. Both saturate.
// CHECK-LABEL: @to_integer
// CHECK: %[[R:.*]] = llvm.call_intrinsic "llvm.roundeven"
// CHECK: llvm.call_intrinsic "llvm.fptosi.sat"(%[[R]]) : (f32) -> i32
// CHECK: llvm.call_intrinsic "llvm.fptoui.sat"(%arg0) : (f32) -> i64
func.func @to_integer(%x: f32) -> (i32, i64) {
  %r = ordo.cast %x : f32 to i32
  %s = ordo.cast %x {rounding = 1 : i32, unsigned_result} : f32 to i64
  return %r, %s : i32, i64
}

// CHECK-LABEL: @bits
// CHECK: arith.constant 2143289344 : i32
// CHECK: arith.select
func.func @bits(%x: f32) -> i32 {
  %r = ordo.bits %x : f32 to i32
  return %r : i32
}

// An extremum with a number is one, and so is what follows by suitable constants.
// CHECK-LABEL: @bits_of_numbers
// CUDA-NOT: arith.cmpf uno
// CUDA: return
func.func @bits_of_numbers(%x: f32, %c: i1) -> (i32, i32) {
  %low = arith.constant -104.0 : f32
  %factor = arith.constant 1.5 : f32
  %up = arith.constant 12582912.0 : f32
  %other = arith.constant 12582963.0 : f32
  %chosen = arith.select %c, %up, %other : f32
  %number = ordo.max %x, %low : f32
  %fused = ordo.fma %number, %factor, %chosen : f32
  %sum = arith.addf %number, %chosen : f32
  %r = ordo.bits %fused : f32 to i32
  %s = ordo.bits %sum : f32 to i32
  return %r, %s : i32, i32
}

// CHECK-LABEL: @bits_of_no_numbers
// CUDA-COUNT-3: arith.cmpf uno
func.func @bits_of_no_numbers(%x: f32, %y: f32) -> (i32, i32, i32) {
  %low = arith.constant -104.0 : f32
  %zero = arith.constant 0.0 : f32
  %kept = ordo.max_nan %x, %low : f32
  %number = ordo.max %x, %low : f32
  %fused = ordo.fma %number, %zero, %low : f32
  %sum = arith.addf %number, %y : f32
  %r = ordo.bits %kept : f32 to i32
  %s = ordo.bits %fused : f32 to i32
  %t = ordo.bits %sum : f32 to i32
  return %r, %s, %t : i32, i32, i32
}

// The least integer by -1 wraps; a constant divisor needs no care.
// CHECK-LABEL: @divide
// CHECK: arith.cmpi eq
// CHECK: arith.floordivsi
// CHECK: arith.select
// CHECK: arith.floordivsi %arg0, %c3_i32
func.func @divide(%x: i32, %y: i32) -> (i32, i32) {
  %c3_i32 = arith.constant 3 : i32
  %r = arith.floordivsi %x, %y : i32
  %s = arith.floordivsi %x, %c3_i32 : i32
  return %r, %s : i32, i32
}
