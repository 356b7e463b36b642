// RUN: %ordo_opt %s --split-input-file --verify-diagnostics

func.func private @order(i32) attributes {
  // expected-error@+1 {{order 'seq(8)'}}
  o = #ordo.order<"seq(8)">}

// -----

ordo.kernel @k(%x: !ordo.tensor<8 x f32>, %y: !ordo.tensor<f32>)
    attributes {dims = [], names = ["x", "y"], inputs = 1 : i64, outputs = 1 : i64} {
  ordo.write "y" %y () {
    // expected-error@+1 {{over floats needs an order}}
    %s = ordo.reduce sum over [8] (%h) {
      %a = ordo.load %x[%h] : !ordo.tensor<8 x f32> -> f32
      ordo.yield %a : f32
    } : f32
    ordo.yield %s : f32
  } : !ordo.tensor<f32>
}

// -----

ordo.kernel @k(%x: !ordo.tensor<8 x f32>, %y: !ordo.tensor<f32>)
    attributes {dims = [], names = ["x", "y"], inputs = 1 : i64, outputs = 1 : i64} {
  // expected-error@+1 {{body has 1 indices, its space has 0}}
  ordo.write "y" %y (%t) {
    %a = ordo.load %x[%t] : !ordo.tensor<8 x f32> -> f32
    ordo.yield %a : f32
  } : !ordo.tensor<f32>
}

// -----

ordo.kernel @k(%x: !ordo.tensor<8 x f32>, %y: !ordo.tensor<8 x bf16>)
    attributes {dims = [], names = ["x", "y"], inputs = 1 : i64, outputs = 1 : i64} {
  // expected-error@+1 {{yields 'f32', expected 'bf16'}}
  ordo.write "y" %y (%h) {
    %a = ordo.load %x[%h] : !ordo.tensor<8 x f32> -> f32
    ordo.yield %a : f32
  } : !ordo.tensor<8 x bf16>
}

// -----

// expected-error@+1 {{uses a free dimension that is not declared}}
ordo.kernel @k(%y: !ordo.tensor<d1 x f32>)
    attributes {dims = ["T"], names = ["y"], inputs = 0 : i64, outputs = 1 : i64} {
}

// -----

ordo.kernel @k(%x: !ordo.tensor<8 x f32>, %y: !ordo.tensor<8 x f32>)
    attributes {dims = [], names = ["x", "y"], inputs = 1 : i64, outputs = 1 : i64} {
  ordo.write "y" %y (%h) {
    // expected-error@+1 {{has 2 indices for}}
    %a = ordo.load %x[%h, %h] : !ordo.tensor<8 x f32> -> f32
    ordo.yield %a : f32
  } : !ordo.tensor<8 x f32>
}
