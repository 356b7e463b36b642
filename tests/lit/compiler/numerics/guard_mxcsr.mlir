// RUN: %ordo_opt %s --ordo-guard-mxcsr | FileCheck %s

// The arithmetic stays behind a call that is never inlined: LLVM may move it across ldmxcsr otherwise.
// CHECK: llvm.func internal @kernel.body(%{{.*}}: !llvm.ptr, %{{.*}}: f32) attributes {passthrough = ["noinline"]}
// CHECK: llvm.fadd
// CHECK: llvm.func @kernel(%[[P:.*]]: !llvm.ptr, %[[X:.*]]: f32)
// CHECK-NOT: llvm.fadd
// CHECK: llvm.call_intrinsic "llvm.x86.sse.stmxcsr"(%[[SAVED:.*]])
// CHECK: %[[MODES:.*]] = llvm.mlir.constant(8064 : i32) : i32
// CHECK: llvm.store %[[MODES]], %[[WANTED:.*]] :
// CHECK: llvm.call_intrinsic "llvm.x86.sse.ldmxcsr"(%[[WANTED]])
// CHECK: llvm.call @kernel.body(%[[P]], %[[X]])
// CHECK: llvm.call_intrinsic "llvm.x86.sse.ldmxcsr"(%[[SAVED]])
// CHECK: llvm.return
llvm.func @kernel(%p: !llvm.ptr, %x: f32) {
  %r = llvm.fadd %x, %x : f32
  llvm.store %r, %p : f32, !llvm.ptr
  llvm.return
}
