// RUN: %ordo_opt %s --split-input-file --ordo-lower-to-cpu --canonicalize --cse | FileCheck %s

// Lanes are an array; the loop over them is the inner one. halves folds the array in place.
// CHECK-LABEL: func.func @wide
// CHECK: memref.alloca() {alignment = 64 : i64} : memref<128xf32>
// CHECK: scf.for
// CHECK: scf.for
// CHECK: scf.for
// CHECK: memref.load
// CHECK: arith.addf
// CHECK: memref.store
// CHECK: llvm.store
// CHECK: return
ordo.kernel @wide(%x: !ordo.tensor<d0 x 3584 x bf16>, %y: !ordo.tensor<d0 x 3584 x f32>)
    attributes {dims = ["T"], names = ["x", "y"], inputs = 1 : i64, outputs = 1 : i64} {
  %s = ordo.define "s" (%t) {
    %r = ordo.reduce sum over [3584] by "seq(8) | lanes(128) | halves" (%h) {
      %a = ordo.load %x[%t, %h] : !ordo.tensor<d0 x 3584 x bf16> -> bf16
      %b = ordo.cast %a : bf16 to f32
      ordo.yield %b : f32
    } : f32
    ordo.yield %r : f32
  } : !ordo.tensor<d0 x f32>
  ordo.write "y" %y (%t, %h) {
    %a = ordo.load %x[%t, %h] : !ordo.tensor<d0 x 3584 x bf16> -> bf16
    %b = ordo.cast %a : bf16 to f32
    %c = ordo.load %s[%t] : !ordo.tensor<d0 x f32> -> f32
    %d = arith.subf %b, %c : f32
    ordo.yield %d : f32
  } : !ordo.tensor<d0 x 3584 x f32>
}

// -----

// CHECK-LABEL: func.func @seq
// CHECK-NOT: memref.alloca
// CHECK: scf.for
// CHECK: scf.for {{.*}} iter_args
ordo.kernel @seq(%x: !ordo.tensor<d0 x 1000 x bf16>, %y: !ordo.tensor<d0 x 1000 x f32>)
    attributes {dims = ["T"], names = ["x", "y"], inputs = 1 : i64, outputs = 1 : i64} {
  %s = ordo.define "s" (%t) {
    %r = ordo.reduce sum over [1000] by "seq" (%h) {
      %a = ordo.load %x[%t, %h] : !ordo.tensor<d0 x 1000 x bf16> -> bf16
      %b = ordo.cast %a : bf16 to f32
      ordo.yield %b : f32
    } : f32
    ordo.yield %r : f32
  } : !ordo.tensor<d0 x f32>
  ordo.write "y" %y (%t, %h) {
    %a = ordo.load %x[%t, %h] : !ordo.tensor<d0 x 1000 x bf16> -> bf16
    %b = ordo.cast %a : bf16 to f32
    %c = ordo.load %s[%t] : !ordo.tensor<d0 x f32> -> f32
    %d = arith.subf %b, %c : f32
    ordo.yield %d : f32
  } : !ordo.tensor<d0 x 1000 x f32>
}

// -----

// Over a free dimension the orders of every target are loops, here within the one over columns.
// CHECK-LABEL: func.func @chunks
// CHECK: scf.for %{{.*}} = %c0 to %c2048 step %c1
// CHECK: scf.for %[[T:.*]] = %c0 to %[[ROWS:.*]] step %c64 iter_args(%[[ACC:.*]] = %{{.*}}) -> (f32)
// CHECK: %[[LEFT:.*]] = arith.subi %[[ROWS]], %[[T]]
// CHECK: arith.minsi %[[LEFT]], %c64
// CHECK: %[[CHUNK:.*]] = scf.for
// CHECK: arith.addf %[[ACC]], %[[CHUNK]] : f32
ordo.kernel @chunks(%x: !ordo.tensor<d0 x 2048 x bf16>, %y: !ordo.tensor<2048 x f32>)
    attributes {dims = ["T"], names = ["x", "y"], inputs = 1 : i64, outputs = 1 : i64} {
  ordo.write "y" %y (%c) {
    %r = ordo.reduce sum over [d0] by "seq(64) | seq" (%t) {
      %a = ordo.load %x[%t, %c] : !ordo.tensor<d0 x 2048 x bf16> -> bf16
      %b = ordo.cast %a : bf16 to f32
      ordo.yield %b : f32
    } : f32
    ordo.yield %r : f32
  } : !ordo.tensor<2048 x f32>
}
