// What LLVM 19 expands on AMDGCN: division, square root, and rounding to bf16, as trees over any
// domain of values (machine.h).
//
// HOW THEY ARE RECOGNISED. Schedulers interleave instructions, so trees are compared, not runs. The
// last operation of an expansion names its operands: v_div_fixup holds denominator and numerator.
// The tree that LLVM would have built from them is built here by the domain's own operations; if it
// is the value that was found, the value is the quotient. A domain that brings equal trees to one
// node (terms) needs no patterns, and nothing almost equal is taken.
//
// WHY THEY ARE RIGHT. Rounding to bf16 is tried on every class of operand. Division and square root
// rest on the documented error of v_rcp, v_rsq and v_sqrt, and are tried against MPFR with any
// value within it (tests/unit/compiler/verify/gcn/division_test.cc). One quotient needs more, and
// is an axiom of its own: a power of two divided by a significand of all ones. In f32 it is right
// if v_rcp rounds that one reciprocal up. In f64 it is not right, so f64 quotients are not taken.
#pragma once

#include "compiler/verify/machine/instruction.h"

#include <array>
#include <initializer_list>

namespace ordo::verify::gcn {

template <class Domain> class Expansion {
public:
  using Value = typename Domain::Value;

  explicit Expansion(Domain &domain) : domain_(domain) {}

  /// The first operand of the v_div_fixup_f32 that ends numerator / denominator.
  Value quotient(const Value &numerator, const Value &denominator) {
    const auto [d, unused] = scaled(denominator, denominator, numerator);
    const auto [n, flag] = scaled(numerator, denominator, numerator);
    const Value r0 = approximated("rcp", d);
    const Value minusD = op(Op::FNeg, {d});
    const Value e0 = op(Op::FFma, {minusD, r0, f32(0x3f800000)});
    const Value r1 = op(Op::FFma, {e0, r0, r0});
    const Value q0 = op(Op::FMul, {n, r1});
    const Value e1 = op(Op::FFma, {minusD, q0, n});
    const Value q1 = op(Op::FFma, {e1, r1, q0});
    const Value e2 = op(Op::FFma, {minusD, q1, n});
    return op(Op::GcnDivFmas, {e2, r1, q1, flag});
  }

  /// sqrt(x) in f32, whole.
  Value root(const Value &x) {
    const Value isSmall = bit(Op::FCmpLt, {x, f32(0x0f800000)}); // 2^-96
    const Value up = op(Op::FMul, {x, f32(0x4f800000)});         // 2^32
    const Value y = select(isSmall, up, x);
    const Value s = approximated("sqrt", y);
    const Value below = op(Op::Add, {s, f32(0xffffffff)}), above = op(Op::Add, {s, f32(1)});
    const Value under = op(Op::FFma, {op(Op::FNeg, {below}), s, y});
    const Value over = op(Op::FFma, {op(Op::FNeg, {above}), s, y});
    const Value zero = f32(0);
    Value result = select(bit(Op::FCmpLe, {under, zero}), below, s);
    result = select(bit(Op::FCmpLt, {zero, over}), above, result);
    const Value down = op(Op::FMul, {result, f32(0x37800000)}); // 2^-16
    result = select(isSmall, down, result);
    const Value isItself = bit(Op::GcnClass, {y, f32(0x260)}); // zeros and +inf
    return select(isItself, y, result);
  }

  /// bf16(x) of an f32, as 16 bits in the low half of 32; a NaN is 0x7fc0.
  Value roundedToBf16(const Value &x) {
    const Value last = op(Op::BitField, {x, f32(16), f32(1)});
    const Value sum = op(Op::Add, {op(Op::Add, {x, last}), f32(0x7fff)});
    const Value high = op(Op::ShrU, {sum, f32(16)});
    return select(bit(Op::Not, {bit(Op::FIsNan, {x, x})}), high, f32(0x7fc0));
  }

private:
  static Instruction make(Op operation) {
    Instruction i;
    i.op = operation;
    i.width = 32;
    i.format = dsl::DType::F32;
    i.from = dsl::DType::F32;
    return i;
  }

  Value apply(Instruction i, std::initializer_list<Value> src, std::size_t results = 1,
              Value *second = nullptr) {
    i.src.resize(src.size());
    i.dst.resize(results);
    std::array<Value, 2> dst;
    domain_.apply(i, src.begin(), dst.data());
    if (second != nullptr)
      *second = dst[1];
    return dst[0];
  }

  Value op(Op operation, std::initializer_list<Value> src) { return apply(make(operation), src); }
  Value bit(Op operation, std::initializer_list<Value> src) {
    Instruction i = make(operation);
    if (operation == Op::Not)
      i.width = 1;
    return apply(std::move(i), src);
  }
  Value select(const Value &condition, const Value &a, const Value &b) {
    return apply(make(Op::Select), {condition, a, b});
  }
  Value approximated(const char *function, const Value &x) {
    Instruction i = make(Op::Approx);
    i.what = function;
    return apply(std::move(i), {x});
  }
  std::pair<Value, Value> scaled(const Value &value, const Value &denominator,
                                 const Value &numerator) {
    Value flag;
    const Value result = apply(make(Op::GcnDivScale), {value, denominator, numerator}, 2, &flag);
    return {result, flag};
  }
  Value f32(std::uint32_t bits) { return domain_.constant(32, bits); }

  Domain &domain_;
};

} // namespace ordo::verify::gcn
