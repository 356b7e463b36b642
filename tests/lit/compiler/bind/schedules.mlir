// RUN: %ordo_opt %s --split-input-file --ordo-bind=target=cuda.sm_90a | FileCheck %s
// RUN: %ordo_opt %s --split-input-file --ordo-bind=target=rocm.gfx942 | FileCheck %s --check-prefixes=CHECK,WAVE64

// One thread a lane; runs in registers; a row of 128 threads needs shared memory.
// CHECK-LABEL: @wide
// CHECK-SAME: schedule = #ordo.schedule<rows = 1, threads = 128, chunk = 8, resident = 4, warp = {{32|64}}>
// CHECK: by "seq(8) | lanes(128) | halves" on ["register", "thread", "block"]
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

// A short row stays within a warp, and eight of them share a block.
// CHECK-LABEL: @narrow
// CHECK-SAME: rows = 8, threads = 16
// CHECK: on ["register", "thread", "warp"]
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

// Sixty-four lanes are one wavefront on gfx942 and two warps on NVIDIA.
// CHECK-LABEL: @lanes64
// WAVE64: on ["thread", "warp"]
ordo.kernel @lanes64(%x: !ordo.tensor<d0 x 1000 x bf16>, %y: !ordo.tensor<d0 x 1000 x f32>)
    attributes {dims = ["T"], names = ["x", "y"], inputs = 1 : i64, outputs = 1 : i64} {
  %s = ordo.define "s" (%t) {
    %r = ordo.reduce sum over [1000] by "lanes(64) | pairs" (%h) {
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

// A row too long to keep is read again in each phase.
// CHECK-LABEL: @long
// CHECK-SAME: threads = 1024, chunk = 8, resident = 0
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

// max moves no bit by its order, so it takes the column's mapping.
// CHECK-LABEL: @largest
// CHECK: ordo.reduce max over [3584] on ["register", "thread", "block"]
ordo.kernel @largest(%x: !ordo.tensor<d0 x 3584 x bf16>, %y: !ordo.tensor<d0 x 3584 x f32>)
    attributes {dims = ["T"], names = ["x", "y"], inputs = 1 : i64, outputs = 1 : i64} {
  %s = ordo.define "s" (%t) {
    %r = ordo.reduce max over [3584] (%h) {
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

// The launch gives the length: each thread folds a column, a block 128 neighbouring ones.
// CHECK-LABEL: @columns
// CHECK-SAME: schedule = #ordo.schedule<rows = 128, threads = 1, chunk = 1, resident = 0, warp = {{32|64}}>
// CHECK: ordo.reduce sum over [d0] by "seq(64) | seq" on ["register", "register"]
ordo.kernel @columns(%x: !ordo.tensor<d0 x 2048 x bf16>, %y: !ordo.tensor<2048 x f32>)
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
