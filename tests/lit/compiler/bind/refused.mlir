// RUN: %ordo_opt %s --split-input-file --verify-diagnostics --ordo-bind=target=cuda.sm_90a

ordo.kernel @lanes(%x: !ordo.tensor<d0 x 4096 x bf16>, %y: !ordo.tensor<d0 x 4096 x f32>)
    attributes {dims = ["T"], names = ["x", "y"], inputs = 1 : i64, outputs = 1 : i64} {
  %s = ordo.define "s" (%t) {
    // expected-error@+2 {{`lanes(2048)` needs 2048 threads, and a block of cuda.sm_90a holds 1024}}
    // expected-note@+1 {{help: lanes(1024) or fewer}}
    %r = ordo.reduce sum over [4096] by "lanes(2048) | halves" (%h) {
      %a = ordo.load %x[%t, %h] : !ordo.tensor<d0 x 4096 x bf16> -> bf16
      %b = ordo.cast %a : bf16 to f32
      ordo.yield %b : f32
    } : f32
    ordo.yield %r : f32
  } : !ordo.tensor<d0 x f32>
  ordo.write "y" %y (%t, %h) {
    %a = ordo.load %x[%t, %h] : !ordo.tensor<d0 x 4096 x bf16> -> bf16
    %b = ordo.cast %a : bf16 to f32
    %c = ordo.load %s[%t] : !ordo.tensor<d0 x f32> -> f32
    %d = arith.subf %b, %c : f32
    ordo.yield %d : f32
  } : !ordo.tensor<d0 x 4096 x f32>
}

// -----

ordo.kernel @slots(%x: !ordo.tensor<d0 x 152064 x bf16>, %y: !ordo.tensor<d0 x 152064 x f32>)
    attributes {dims = ["T"], names = ["x", "y"], inputs = 1 : i64, outputs = 1 : i64} {
  %s = ordo.define "s" (%t) {
    // expected-error@+2 {{leave 4752 values of 152064 elements}}
    // expected-note@+1 {{help: lanes(1024) after them}}
    %r = ordo.reduce sum over [152064] by "seq(32) | seq" (%h) {
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

ordo.kernel @slots2(%x: !ordo.tensor<d0 x 4096 x bf16>, %y: !ordo.tensor<d0 x 4096 x f32>)
    attributes {dims = ["T"], names = ["x", "y"], inputs = 1 : i64, outputs = 1 : i64} {
  %s = ordo.define "s" (%t) {
    // expected-error@+2 {{leave 2048 values of 4096 elements}}
    // expected-note@+1 {{help: runs of 4 or more, or lanes(1024) after them}}
    %r = ordo.reduce sum over [4096] by "seq(2) | pairs" (%h) {
      %a = ordo.load %x[%t, %h] : !ordo.tensor<d0 x 4096 x bf16> -> bf16
      %b = ordo.cast %a : bf16 to f32
      ordo.yield %b : f32
    } : f32
    ordo.yield %r : f32
  } : !ordo.tensor<d0 x f32>
  ordo.write "y" %y (%t, %h) {
    %a = ordo.load %x[%t, %h] : !ordo.tensor<d0 x 4096 x bf16> -> bf16
    %b = ordo.cast %a : bf16 to f32
    %c = ordo.load %s[%t] : !ordo.tensor<d0 x f32> -> f32
    %d = arith.subf %b, %c : f32
    ordo.yield %d : f32
  } : !ordo.tensor<d0 x 4096 x f32>
}

// -----

ordo.kernel @run(%x: !ordo.tensor<d0 x 4096 x bf16>, %y: !ordo.tensor<d0 x 4096 x f32>)
    attributes {dims = ["T"], names = ["x", "y"], inputs = 1 : i64, outputs = 1 : i64} {
  %s = ordo.define "s" (%t) {
    // expected-error@+2 {{a run of 256 elements is folded inside one thread, which holds 128}}
    // expected-note@+1 {{help: runs of 128 or fewer}}
    %r = ordo.reduce sum over [4096] by "seq(256) | seq" (%h) {
      %a = ordo.load %x[%t, %h] : !ordo.tensor<d0 x 4096 x bf16> -> bf16
      %b = ordo.cast %a : bf16 to f32
      ordo.yield %b : f32
    } : f32
    ordo.yield %r : f32
  } : !ordo.tensor<d0 x f32>
  ordo.write "y" %y (%t, %h) {
    %a = ordo.load %x[%t, %h] : !ordo.tensor<d0 x 4096 x bf16> -> bf16
    %b = ordo.cast %a : bf16 to f32
    %c = ordo.load %s[%t] : !ordo.tensor<d0 x f32> -> f32
    %d = arith.subf %b, %c : f32
    ordo.yield %d : f32
  } : !ordo.tensor<d0 x 4096 x f32>
}

// -----

ordo.kernel @tree(%x: !ordo.tensor<d0 x 152064 x bf16>, %y: !ordo.tensor<d0 x 152064 x f32>)
    attributes {dims = ["T"], names = ["x", "y"], inputs = 1 : i64, outputs = 1 : i64} {
  %s = ordo.define "s" (%t) {
    // expected-error@+2 {{`pairs` over 152064 elements does not fit a block: 131072 elements do}}
    // expected-note@+1 {{help: seq(8) | lanes(1024) | pairs}}
    %r = ordo.reduce sum over [152064] by "pairs" (%h) {
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

ordo.kernel @mid(%x: !ordo.tensor<d0 x 64 x bf16>, %y: !ordo.tensor<d0 x 64 x f32>)
    attributes {dims = ["T"], names = ["x", "y"], inputs = 1 : i64, outputs = 1 : i64} {
  %s = ordo.define "s" (%t) {
    // expected-error@+2 {{not lowered yet: `mid`}}
    // expected-note@+1 {{help: seq, lanes, pairs and halves are lowered}}
    %r = ordo.reduce sum over [64] by "mid" (%h) {
      %a = ordo.load %x[%t, %h] : !ordo.tensor<d0 x 64 x bf16> -> bf16
      %b = ordo.cast %a : bf16 to f32
      ordo.yield %b : f32
    } : f32
    ordo.yield %r : f32
  } : !ordo.tensor<d0 x f32>
  ordo.write "y" %y (%t, %h) {
    %a = ordo.load %x[%t, %h] : !ordo.tensor<d0 x 64 x bf16> -> bf16
    %b = ordo.cast %a : bf16 to f32
    %c = ordo.load %s[%t] : !ordo.tensor<d0 x f32> -> f32
    %d = arith.subf %b, %c : f32
    ordo.yield %d : f32
  } : !ordo.tensor<d0 x 64 x f32>
}

// -----

ordo.kernel @rounding(%x: !ordo.tensor<d0 x 64 x bf16>, %y: !ordo.tensor<d0 x 64 x f32>)
    attributes {dims = ["T"], names = ["x", "y"], inputs = 1 : i64, outputs = 1 : i64} {
  %s = ordo.define "s" (%t) {
    // expected-error@+1 {{not lowered yet: `lanes(8): bf16`}}
    %r = ordo.reduce sum over [64] by "seq(8) | lanes(8): bf16 | halves" (%h) {
      %a = ordo.load %x[%t, %h] : !ordo.tensor<d0 x 64 x bf16> -> bf16
      %b = ordo.cast %a : bf16 to f32
      ordo.yield %b : f32
    } : f32
    ordo.yield %r : f32
  } : !ordo.tensor<d0 x f32>
  ordo.write "y" %y (%t, %h) {
    %a = ordo.load %x[%t, %h] : !ordo.tensor<d0 x 64 x bf16> -> bf16
    %b = ordo.cast %a : bf16 to f32
    %c = ordo.load %s[%t] : !ordo.tensor<d0 x f32> -> f32
    %d = arith.subf %b, %c : f32
    ordo.yield %d : f32
  } : !ordo.tensor<d0 x 64 x f32>
}

// -----

ordo.kernel @two(%x: !ordo.tensor<d0 x 8 x f32>, %y: !ordo.tensor<d0 x 8 x f32>, %z: !ordo.tensor<8 x d0 x f32>)
    attributes {dims = ["T"], names = ["x", "y", "z"], inputs = 1 : i64, outputs = 2 : i64} {
  ordo.write "y" %y (%t, %h) {
    %m = ordo.reduce max over [8] (%k) {
      %a = ordo.load %x[%t, %k] : !ordo.tensor<d0 x 8 x f32> -> f32
      ordo.yield %a : f32
    } : f32
    ordo.yield %m : f32
  } : !ordo.tensor<d0 x 8 x f32>
  // expected-error@+1 {{not lowered yet: outputs with different rows in one kernel}}
  ordo.write "z" %z (%h, %t) {
    %a = ordo.load %x[%t, %h] : !ordo.tensor<d0 x 8 x f32> -> f32
    ordo.yield %a : f32
  } : !ordo.tensor<8 x d0 x f32>
}

// -----

ordo.kernel @columns(%x: !ordo.tensor<d0 x 2048 x bf16>, %y: !ordo.tensor<2048 x f32>)
    attributes {dims = ["T"], names = ["x", "y"], inputs = 1 : i64, outputs = 1 : i64} {
  ordo.write "y" %y (%c) {
    // expected-error@+2 {{not lowered yet: `lanes(32)` over a free dimension}}
    // expected-note@+1 {{help: stages `seq(n)` and a last `seq` are lowered there, as in `seq(64) | seq`}}
    %r = ordo.reduce sum over [d0] by "lanes(32) | halves" (%t) {
      %a = ordo.load %x[%t, %c] : !ordo.tensor<d0 x 2048 x bf16> -> bf16
      %b = ordo.cast %a : bf16 to f32
      ordo.yield %b : f32
    } : f32
    ordo.yield %r : f32
  } : !ordo.tensor<2048 x f32>
}
