// What the code of AMDGCN computes in several steps, as trees over any domain of values
// (machine.h): square root of f32 and rounding to bf16 as LLVM 19 expands them, divisions and the
// square root of f64 as Ordo's own code generator does (docs/amdgcn.md says why).
//
// HOW THEY ARE RECOGNISED. Schedulers interleave instructions, so trees are compared, not runs. The
// last operation of an expansion names its operands: v_div_fixup holds denominator and numerator.
// The tree that the expansion would have built from them is built here by the domain's own
// operations; if it is the value that was found, the value is the quotient. A domain that brings
// equal trees to one node (terms) needs no patterns, and nothing almost equal is taken.
//
// WHY THEY ARE RIGHT. Rounding to bf16 is tried on every class of operand. Division and square root
// rest on the documented error of v_rcp, v_rsq and v_sqrt, and are tried against MPFR with any
// value within it (tests/unit/compiler/verify/gcn/division_test.cc). LLVM's own divisions, and its
// root of f64, are not right by that error alone, and are not taken.
#pragma once

#include "compiler/verify/machine/instruction.h"

#include <array>
#include <initializer_list>

namespace ordo::verify::gcn {

template <class Domain> class Expansion {
public:
  using Value = typename Domain::Value;

  /// Of operands in F32 or F64.
  explicit Expansion(Domain &domain, dsl::DType format = dsl::DType::F32)
      : domain_(domain), format_(format) {}

  /// The first operand of the v_div_fixup that ends numerator / denominator.
  Value quotient(const Value &numerator, const Value &denominator) {
    const auto [d, unused] = scaled(denominator, denominator, numerator);
    const auto [n, flag] = scaled(numerator, denominator, numerator);
    const Value minusD = op(Op::FNeg, {d}), one = power(0);
    const auto fma = [&](const Value &a, const Value &b, const Value &c) {
      return op(Op::FFma, {a, b, c});
    };
    Value r = approximated("rcp", d);
    for (int step = 0; step < (format_ == dsl::DType::F64 ? 3 : 1); ++step)
      r = fma(r, fma(minusD, r, one), r);
    const int bits = format_ == dsl::DType::F64 ? 53 : 24;
    const Value whole = truncated(op(Op::FMul, {fma(minusD, r, one), power(bits)}));
    r = fma(r, op(Op::FMul, {whole, power(1 - bits)}), r);
    const Value q = op(Op::FMul, {n, r});
    const Value better = fma(fma(minusD, q, n), r, q);
    return op(Op::GcnDivFmas, {fma(minusD, better, n), r, better, flag});
  }

  /// sqrt(x), whole; of an F32 by LLVM.
  Value root(const Value &x) { return format_ == dsl::DType::F64 ? root64(x) : root32(x); }

  /// bf16(x) of an f32, as 16 bits in the low half of 32; a NaN is 0x7fc0.
  Value roundedToBf16(const Value &x) {
    const Value last = op(Op::BitField, {x, f32(16), f32(1)});
    const Value sum = op(Op::Add, {op(Op::Add, {x, last}), f32(0x7fff)});
    const Value high = op(Op::ShrU, {sum, f32(16)});
    return select(bit(Op::Not, {bit(Op::FIsNan, {x, x})}), high, f32(0x7fc0));
  }

private:
  Value root32(const Value &x) {
    const Value isSmall = bit(Op::FCmpLt, {x, power(-96)});
    const Value y = select(isSmall, op(Op::FMul, {x, power(32)}), x);
    const Value s = approximated("sqrt", y);
    const Value below = op(Op::Add, {s, f32(0xffffffff)}), above = op(Op::Add, {s, f32(1)});
    Value result = nearest(s, below, above, y);
    result = select(isSmall, op(Op::FMul, {result, power(-16)}), result);
    return select(isItself(y), y, result);
  }

  Value root64(const Value &x) {
    const Value isSmall = bit(Op::FCmpLt, {x, power(-767)});
    const auto fma = [&](const Value &a, const Value &b, const Value &c) {
      return op(Op::FFma, {a, b, c});
    };
    const auto minus = [&](const Value &a) { return op(Op::FNeg, {a}); };
    const Value y = op(Op::FMul, {x, select(isSmall, power(256), power(0))});
    const Value r = approximated("rsq", y);
    const Value g0 = op(Op::FMul, {y, r}), h0 = op(Op::FMul, {r, power(-1)});
    const Value e = fma(minus(h0), g0, power(-1));
    const Value g1 = fma(g0, e, g0), h1 = fma(h0, e, h0);
    const Value s = fma(fma(minus(g1), g1, y), h1, g1);
    // 2^-53 and a little: to the neighbours, one ulp away.
    const Value step = domain_.constant(64, 0x3ca0000000000001);
    const Value below = fma(s, minus(step), s), above = fma(s, step, s);
    const Value result = select(isItself(y), y, nearest(s, below, above, y));
    return op(Op::FMul, {result, select(isSmall, power(-128), power(0))});
  }

  /// Of s and its neighbours the root of y (Tuckerman's test): s * below < y < s * above.
  Value nearest(const Value &s, const Value &below, const Value &above, const Value &y) {
    const Value under = op(Op::FFma, {op(Op::FNeg, {below}), s, y});
    const Value over = op(Op::FFma, {op(Op::FNeg, {above}), s, y});
    const Value zero = domain_.constant(width(), 0);
    const Value lower = select(bit(Op::FCmpLe, {under, zero}), below, s);
    return select(bit(Op::FCmpLt, {zero, over}), above, lower);
  }
  /// Zeros and +inf.
  Value isItself(const Value &y) { return bit(Op::GcnClass, {y, f32(0x260)}); }

  unsigned width() const { return format_ == dsl::DType::F64 ? 64 : 32; }
  Instruction make(Op operation) const {
    Instruction i;
    i.op = operation;
    i.width = static_cast<std::uint8_t>(width());
    i.format = format_;
    i.from = format_;
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
  Value truncated(const Value &x) {
    Instruction i = make(Op::FRoundInt);
    i.rounding = Round::TowardZero;
    return apply(std::move(i), {x});
  }
  Value f32(std::uint32_t bits) { return domain_.constant(32, bits); }
  /// 2^exponent.
  Value power(int exponent) {
    return format_ == dsl::DType::F64
               ? domain_.constant(64, static_cast<std::uint64_t>(1023 + exponent) << 52)
               : f32(static_cast<std::uint32_t>(127 + exponent) << 23);
  }

  Domain &domain_;
  dsl::DType format_;
};

} // namespace ordo::verify::gcn
