// RUN: %ordo_opt %s --split-input-file --ordo-lower-to-gpu=target=cuda.sm_90a --canonicalize --cse | FileCheck %s

// Loads of 16 bytes come first; the run's fold and the lane's chain stay in the thread; one exchange through
// shared memory, then shuffles by halves.
// CHECK-LABEL: gpu.func @wide
// CHECK-SAME: workgroup(%{{.*}} : memref<128xf32, #gpu.address_space<workgroup>>)
// CHECK-SAME: known_block_size = array<i32: 128, 1, 1>
// CHECK: llvm.load %{{.*}} invariant {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
// CHECK-NOT: gpu.barrier
// CHECK: memref.store
// CHECK-NEXT: gpu.barrier
// CHECK: memref.load
// CHECK: gpu.shuffle xor %{{.*}}, %c16_i32, %c32_i32
// CHECK: gpu.shuffle xor %{{.*}}, %c8_i32
// CHECK: gpu.shuffle xor %{{.*}}, %c4_i32
// CHECK: gpu.shuffle xor %{{.*}}, %c2_i32
// CHECK: gpu.shuffle xor %{{.*}}, %c1_i32
// The kept loads serve the store, too.
// CHECK-NOT: llvm.load
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>
// CHECK: gpu.return
ordo.kernel @wide(%x: !ordo.tensor<d0 x 2048 x bf16>, %y: !ordo.tensor<d0 x 2048 x f32>)
    attributes {dims = ["T"], names = ["x", "y"], inputs = 1 : i64, outputs = 1 : i64} {
  %s = ordo.define "s" (%t) {
    %r = ordo.reduce sum over [2048] by "seq(8) | lanes(128) | halves" (%h) {
      %a = ordo.load %x[%t, %h] : !ordo.tensor<d0 x 2048 x bf16> -> bf16
      %b = ordo.cast %a : bf16 to f32
      ordo.yield %b : f32
    } : f32
    ordo.yield %r : f32
  } : !ordo.tensor<d0 x f32>
  ordo.write "y" %y (%t, %h) {
    %a = ordo.load %x[%t, %h] : !ordo.tensor<d0 x 2048 x bf16> -> bf16
    %b = ordo.cast %a : bf16 to f32
    %c = ordo.load %s[%t] : !ordo.tensor<d0 x f32> -> f32
    %d = arith.subf %b, %c : f32
    ordo.yield %d : f32
  } : !ordo.tensor<d0 x 2048 x f32>
}

// -----

// Short rows: several a block, no shared memory, no barrier; a spare row of the last block is not stored.
// CHECK-LABEL: gpu.func @narrow
// CHECK-NOT: gpu.barrier
// CHECK: gpu.thread_id y
// CHECK: arith.cmpi ult
// CHECK: gpu.shuffle xor
// CHECK: scf.if
// CHECK: llvm.store
ordo.kernel @narrow(%x: !ordo.tensor<d0 x 128 x bf16>, %y: !ordo.tensor<d0 x 128 x f32>)
    attributes {dims = ["T"], names = ["x", "y"], inputs = 1 : i64, outputs = 1 : i64} {
  %s = ordo.define "s" (%t) {
    %r = ordo.reduce sum over [128] by "seq(8) | lanes(16) | halves" (%h) {
      %a = ordo.load %x[%t, %h] : !ordo.tensor<d0 x 128 x bf16> -> bf16
      %b = ordo.cast %a : bf16 to f32
      ordo.yield %b : f32
    } : f32
    ordo.yield %r : f32
  } : !ordo.tensor<d0 x f32>
  ordo.write "y" %y (%t, %h) {
    %a = ordo.load %x[%t, %h] : !ordo.tensor<d0 x 128 x bf16> -> bf16
    %b = ordo.cast %a : bf16 to f32
    %c = ordo.load %s[%t] : !ordo.tensor<d0 x f32> -> f32
    %d = arith.subf %b, %c : f32
    ordo.yield %d : f32
  } : !ordo.tensor<d0 x 128 x f32>
}

// -----

// pairs: near distances first, by shuffles; then the warps' values in order.
// CHECK-LABEL: gpu.func @pairs
// CHECK: gpu.shuffle xor %{{.*}}, %c1_i32
// CHECK: gpu.shuffle xor %{{.*}}, %c16_i32
// CHECK: memref.store
// CHECK-NEXT: gpu.barrier
// CHECK-NOT: gpu.shuffle
// CHECK: gpu.return
ordo.kernel @pairs(%x: !ordo.tensor<d0 x 2048 x bf16>, %y: !ordo.tensor<d0 x 2048 x f32>)
    attributes {dims = ["T"], names = ["x", "y"], inputs = 1 : i64, outputs = 1 : i64} {
  %s = ordo.define "s" (%t) {
    %r = ordo.reduce sum over [2048] by "seq(8) | lanes(128) | pairs" (%h) {
      %a = ordo.load %x[%t, %h] : !ordo.tensor<d0 x 2048 x bf16> -> bf16
      %b = ordo.cast %a : bf16 to f32
      ordo.yield %b : f32
    } : f32
    ordo.yield %r : f32
  } : !ordo.tensor<d0 x f32>
  ordo.write "y" %y (%t, %h) {
    %a = ordo.load %x[%t, %h] : !ordo.tensor<d0 x 2048 x bf16> -> bf16
    %b = ordo.cast %a : bf16 to f32
    %c = ordo.load %s[%t] : !ordo.tensor<d0 x f32> -> f32
    %d = arith.subf %b, %c : f32
    ordo.yield %d : f32
  } : !ordo.tensor<d0 x 2048 x f32>
}

// -----

// A long row: loops of chunks, then a guarded rest.
// CHECK-LABEL: gpu.func @long
// CHECK: scf.for
// CHECK: scf.if
// CHECK: gpu.barrier
// CHECK: scf.for
// CHECK: llvm.store
ordo.kernel @long(%x: !ordo.tensor<d0 x 152064 x bf16>, %y: !ordo.tensor<d0 x 152064 x f32>)
    attributes {dims = ["T"], names = ["x", "y"], inputs = 1 : i64, outputs = 1 : i64} {
  %s = ordo.define "s" (%t) {
    %r = ordo.reduce sum over [152064] by "seq(8) | lanes(1024) | halves" (%h) {
      %a = ordo.load %x[%t, %h] : !ordo.tensor<d0 x 152064 x bf16> -> bf16
      %b = ordo.cast %a : bf16 to f32
      ordo.yield %b : f32
    } : f32
    ordo.yield %r : f32
  } : !ordo.tensor<d0 x f32>
  ordo.write "y" %y (%t, %h) {
    %a = ordo.load %x[%t, %h] : !ordo.tensor<d0 x 152064 x bf16> -> bf16
    %b = ordo.cast %a : bf16 to f32
    %c = ordo.load %s[%t] : !ordo.tensor<d0 x f32> -> f32
    %d = arith.subf %b, %c : f32
    ordo.yield %d : f32
  } : !ordo.tensor<d0 x 152064 x f32>
}

// -----

// seq: every thread folds the whole row, and there is nothing to exchange.
// CHECK-LABEL: gpu.func @seq
// CHECK: scf.for
// CHECK-NOT: gpu.shuffle
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
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

// A column a thread, rows in turn: one accumulator from -0.0, one loop.
// CHECK-LABEL: gpu.func @columns
// CHECK-SAME: known_block_size = array<i32: 1, 128, 1>
// CHECK-DAG: %[[START:.*]] = arith.constant -0.000000e+00 : f32
// CHECK-DAG: %[[ROWS:.*]] = arith.index_cast %{{.*}} : i64 to index
// CHECK: %[[SUM:.*]] = scf.for %[[T:.*]] = %c0 to %[[ROWS]] step %c1 iter_args(%[[ACC:.*]] = %[[START]]) -> (f32)
// CHECK: arith.muli %[[T]], %c2048
// CHECK: llvm.load {{.*}} invariant {alignment = 2 : i64} : !llvm.ptr<1> -> bf16
// CHECK: %[[NEXT:.*]] = arith.addf %[[ACC]], %{{.*}} : f32
// CHECK-NEXT: scf.yield %[[NEXT]]
// CHECK-NOT: scf.for
// CHECK: llvm.store %[[SUM]]
ordo.kernel @columns(%x: !ordo.tensor<d0 x 2048 x bf16>, %y: !ordo.tensor<2048 x f32>)
    attributes {dims = ["T"], names = ["x", "y"], inputs = 1 : i64, outputs = 1 : i64} {
  ordo.write "y" %y (%c) {
    %r = ordo.reduce sum over [d0] by "seq" (%t) {
      %a = ordo.load %x[%t, %c] : !ordo.tensor<d0 x 2048 x bf16> -> bf16
      %b = ordo.cast %a : bf16 to f32
      ordo.yield %b : f32
    } : f32
    ordo.yield %r : f32
  } : !ordo.tensor<2048 x f32>
}

// -----

// A chunk is a loop of its own; the last one ends with the rows.
// CHECK-LABEL: gpu.func @chunks
// CHECK-DAG: %[[START:.*]] = arith.constant -0.000000e+00 : f32
// CHECK-DAG: %[[ROWS:.*]] = arith.index_cast %{{.*}} : i64 to index
// CHECK: scf.for %[[T:.*]] = %c0 to %[[ROWS]] step %c64 iter_args(%[[ACC:.*]] = %[[START]]) -> (f32)
// CHECK: %[[LEFT:.*]] = arith.subi %[[ROWS]], %[[T]]
// CHECK: %[[COUNT:.*]] = arith.minsi %[[LEFT]], %c64
// CHECK: %[[END:.*]] = arith.addi %[[T]], %[[COUNT]]
// CHECK: %[[CHUNK:.*]] = scf.for %{{.*}} = %[[T]] to %[[END]] step %c1 iter_args(%[[INNER:.*]] = %[[START]]) -> (f32)
// CHECK: arith.addf %[[INNER]]
// CHECK: %[[NEXT:.*]] = arith.addf %[[ACC]], %[[CHUNK]] : f32
// CHECK-NEXT: scf.yield %[[NEXT]]
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
