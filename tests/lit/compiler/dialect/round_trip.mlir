// RUN: %ordo_opt %s | %ordo_opt | FileCheck %s

// What the dialect prints, it reads.
// CHECK: ordo.kernel @norm(%{{.*}}: !ordo.tensor<d0 x 64 x bf16>, %{{.*}}: !ordo.tensor<d0 x 64 x f32>, %{{.*}}: f32)
// CHECK-SAME: dims = ["T"]
// CHECK: ordo.define "ss" (%[[T:.*]]) {
// CHECK: ordo.reduce sum over [64] by "seq(8) | lanes(4) | halves" on ["register", "thread", "warp"] (%[[H:.*]]) {
// CHECK: ordo.load %{{.*}}[%[[T]], %[[H]]] : <d0 x 64 x bf16> -> bf16
// CHECK: ordo.cast %{{.*}} : bf16 to f32
// CHECK: ordo.yield %{{.*}} : f32
// CHECK: } : !ordo.tensor<d0 x f32>
// CHECK: ordo.size 0
// CHECK: ordo.write "y" %{{.*}} (%{{.*}}, %{{.*}}) {
// CHECK: ordo.sqrt
// CHECK: } : !ordo.tensor<d0 x 64 x f32>
ordo.kernel @norm(%x: !ordo.tensor<d0 x 64 x bf16>, %y: !ordo.tensor<d0 x 64 x f32>, %eps: f32)
    attributes {dims = ["T"], names = ["x", "y", "eps"], inputs = 1 : i64, outputs = 1 : i64,
                schedule = #ordo.schedule<rows = 16, threads = 8, chunk = 8, resident = 1, warp = 32>} {
  %ss = ordo.define "ss" (%t) {
    %sum = ordo.reduce sum over [64] by "seq(8) | lanes(4) | halves" on ["register", "thread", "warp"] (%h) {
      %a = ordo.load %x[%t, %h] : !ordo.tensor<d0 x 64 x bf16> -> bf16
      %b = ordo.cast %a : bf16 to f32
      ordo.yield %b : f32
    } : f32
    ordo.yield %sum : f32
  } : !ordo.tensor<d0 x f32>
  %rows = ordo.size 0
  ordo.write "y" %y (%t, %h) {
    %s = ordo.load %ss[%t] : !ordo.tensor<d0 x f32> -> f32
    %r = ordo.sqrt %s : f32
    %e = arith.addf %r, %eps : f32
    ordo.yield %e : f32
  } : !ordo.tensor<d0 x 64 x f32>
}
