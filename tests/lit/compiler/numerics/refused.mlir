// RUN: not %ordo_opt %s --ordo-expand-numerics=target=cpu 2>&1 | FileCheck %s
// RUN: not %ordo_opt %s --ordo-expand-numerics=target=cuda.sm_100 2>&1 | FileCheck %s --check-prefix=TARGET

// TARGET: unknown target 'cuda.sm_100'

func.func @eight_bits(%x: f32) -> f8E4M3FN {
  // CHECK: [[@LINE+1]]:{{.*}} error: 'ordo.cast' op is not lowered yet for cpu: a cast from or to f8
  %r = ordo.cast %x : f32 to f8E4M3FN
  return %r : f8E4M3FN
}

func.func @upstream(%x: f16) -> f16 {
  // CHECK: [[@LINE+1]]:{{.*}} error: 'arith.maximumf' op is not lowered yet for cpu
  %r = arith.maximumf %x, %x : f16
  return %r : f16
}
