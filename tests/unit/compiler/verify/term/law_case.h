// Two ways of writing a value, as terms and on bits: what a law makes one node must have one value,
// whatever the operands are. Bits are computed by the emulator's operations, a NaN being one value.
#pragma once

#include "compiler/verify/machine/concrete.h"
#include "compiler/verify/term/terms.h"
#include "dsl/eval/numeric.h"
#include "tests/unit/compiler/verify/term/evaluate_node.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace ordo::verify::test {

using Samples = std::vector<std::uint64_t>;

/// A value in every sample.
struct Both {
  Term term;
  unsigned width = 32;
  dsl::DType format = dsl::DType::Index; // Index: bits
  Samples bits;
  std::vector<bool> isOfNan; // its bits depend on which NaN went in

  bool isFloat() const { return format != dsl::DType::Index; }
};

class LawCase {
public:
  explicit LawCase(std::size_t samples) : samples_(samples) {}

  Both input(dsl::DType type, const Samples &bits) {
    const auto tensor = static_cast<std::uint32_t>(inputs_.size());
    terms.pool().tensors.push_back("x" + std::to_string(tensor));
    inputs_.push_back(bits);
    Both b = made(static_cast<unsigned>(dsl::bitWidth(type)), bits);
    if (dsl::isFloat(type))
      b.format = type;
    b.term = terms.input(tensor, type, terms.affine().constant(0));
    for (std::size_t k = 0; k < samples_; ++k)
      b.isOfNan[k] = b.isFloat() && dsl::isNanBits(type, bits[k]);
    return b;
  }

  Both symbol(unsigned width, std::uint64_t low, std::uint64_t high, const Samples &bits) {
    symbols_.push_back(bits);
    Both b = made(width, bits);
    b.term = terms.symbol("s", width, {Wide{low}, Wide{high}});
    return b;
  }

  Both constant(unsigned width, std::uint64_t bits) const {
    Both b = made(width, Samples(samples_, bits));
    b.term = Term::constant(bits);
    return b;
  }
  Both constant(dsl::DType format, double value) const {
    Both b = constant(static_cast<unsigned>(dsl::bitWidth(format)),
                      dsl::castBits(dsl::DType::F64, format, std::bit_cast<std::uint64_t>(value)));
    b.format = format;
    return b;
  }

  /// An operation on floats; a comparison gives one bit.
  Both f(Op op, dsl::DType format, const std::vector<Both> &args) {
    Instruction i = plain(op, static_cast<unsigned>(dsl::bitWidth(format)));
    i.format = format;
    i.from = format;
    const bool isCondition = (op >= Op::FCmpEq && op <= Op::FIsNan) || op == Op::GcnClass;
    return applied(i, args, isCondition ? 1 : i.width, isCondition ? dsl::DType::Index : format);
  }
  Both cast(dsl::DType to, const Both &a, Round rounding = Round::NearestEven) {
    Instruction i = plain(Op::FConvert, static_cast<unsigned>(dsl::bitWidth(to)));
    i.format = to;
    i.from = a.format;
    i.rounding = rounding;
    return applied(i, {a}, i.width, to);
  }
  Both fromInteger(Op op, dsl::DType to, const Both &a) {
    Instruction i = plain(op, a.width);
    i.format = to;
    return applied(i, {a}, static_cast<unsigned>(dsl::bitWidth(to)), to);
  }
  Both toInteger(Op op, unsigned width, const Both &a, Round rounding) {
    Instruction i = plain(op, width);
    i.format = a.format;
    i.from = a.format;
    i.rounding = rounding;
    Both result = applied(i, {a}, width);
    result.isOfNan.assign(samples_, false); // of a NaN it is 0
    return result;
  }
  Both roundInt(const Both &a, Round rounding) {
    Instruction i = plain(Op::FRoundInt, a.width);
    i.format = a.format;
    i.from = a.format;
    i.rounding = rounding;
    return applied(i, {a}, a.width, a.format);
  }
  /// An operation on bits of one width.
  Both b(Op op, unsigned width, const std::vector<Both> &args) {
    const bool isComparison = op >= Op::CmpEq && op <= Op::CmpLeS;
    return applied(plain(op, width), args, isComparison ? 1 : width);
  }
  Both extend(Op op, const Both &a, unsigned to) {
    Instruction i = plain(op, to);
    i.fromWidth = static_cast<std::uint8_t>(a.width);
    return applied(i, {a}, to);
  }
  Both extract(const Both &a, unsigned bit, unsigned width) {
    Instruction i = plain(Op::Extract, width);
    i.fromWidth = static_cast<std::uint8_t>(a.width);
    i.bit = static_cast<std::uint8_t>(bit);
    return applied(i, {a}, width);
  }
  Both concat(const Both &low, const Both &high) {
    Instruction i = plain(Op::Concat, low.width + high.width);
    i.fromWidth = static_cast<std::uint8_t>(low.width);
    return applied(i, {low, high}, i.width);
  }
  Both select(const Both &condition, const Both &yes, const Both &no) {
    return applied(plain(Op::Select, yes.width), {condition, yes, no}, yes.width, yes.format);
  }
  /// A sum or difference with a carry: the value, and the carry out.
  std::pair<Both, Both> carried(Op op, const Both &a, const Both &x, const Both &carry) {
    Instruction i = plain(op, a.width);
    i.src.resize(3);
    i.dst.resize(2);
    std::array<Term, 2> dst;
    const std::array<Term, 3> src = {a.term, x.term, carry.term};
    terms.apply(i, src.data(), dst.data());
    std::pair<Both, Both> result = {made(a.width, Samples(samples_)), made(1, Samples(samples_))};
    result.first.term = dst[0];
    result.second.term = dst[1];
    for (std::size_t k = 0; k < samples_; ++k) {
      const std::array<std::uint64_t, 3> bits = {a.bits[k], x.bits[k], carry.bits[k]};
      result.first.bits[k] = computeInteger(i, bits.data(), &result.second.bits[k]);
    }
    return result;
  }
  /// The same bits, read as a float, or as bits.
  static Both as(dsl::DType format, Both b) {
    b.format = format;
    return b;
  }

  NodeId node(const Both &b) {
    return b.isFloat() ? terms.asElement(b.format, b.term) : terms.asBits(b.width, b.term);
  }

  /// One node, and the same bits in every sample.
  void expectLaw(const Both &a, const Both &x) {
    EXPECT_EQ(node(a), node(x)) << text(a) << "\n" << text(x);
    for (std::size_t k = 0; k < samples_; ++k)
      ASSERT_EQ(seen(a, k), seen(x, k)) << "sample " << k << " of " << text(a);
    expectItsBits(a);
  }
  /// What the laws made of it has the bits that its operations have.
  void expectItsBits(const Both &b) {
    const NodeId root = node(b);
    for (std::size_t k = 0; k < samples_; ++k) {
      if (!b.isFloat() && b.isOfNan[k])
        continue;
      NodeInputs inputs;
      for (const Samples &symbol : symbols_)
        inputs.symbols.push_back(symbol[k]);
      inputs.element = [&](std::uint32_t tensor, Wide) {
        return std::optional(inputs_[tensor][k]);
      };
      NodeEvaluator evaluator(terms.pool(), terms.affine(), inputs);
      const auto got = evaluator.bits(root);
      ASSERT_TRUE(got) << text(b) << ": " << evaluator.fault();
      ASSERT_EQ(*got, seen(b, k)) << "sample " << k << " of " << text(b);
    }
  }
  /// Not one node: and there is a sample that shows why.
  void expectApart(const Both &a, const Both &x) {
    EXPECT_NE(node(a), node(x)) << text(a);
    bool differs = false;
    for (std::size_t k = 0; k < samples_; ++k)
      differs |= seen(a, k) != seen(x, k);
    EXPECT_TRUE(differs) << "no sample shows that these differ: " << text(a);
  }

  std::string text(const Both &b) { return toString(terms.pool(), terms.affine(), node(b)); }

  Terms terms;

private:
  static std::uint64_t seen(const Both &b, std::size_t k) {
    return b.isFloat() ? dsl::canonical(b.format, b.bits[k]) : b.bits[k];
  }
  static Instruction plain(Op op, unsigned width) {
    Instruction i;
    i.op = op;
    i.width = static_cast<std::uint8_t>(width);
    return i;
  }
  Both made(unsigned width, const Samples &bits) const {
    Both b;
    b.width = width;
    b.bits = bits;
    b.isOfNan.resize(samples_);
    return b;
  }

  Both applied(Instruction i, const std::vector<Both> &args, unsigned width,
               dsl::DType format = dsl::DType::Index) {
    i.src.resize(args.size());
    i.dst.resize(1);
    Both result = made(width, Samples(samples_));
    result.format = format;
    std::vector<Term> src;
    for (const Both &arg : args)
      src.push_back(arg.term);
    terms.apply(i, src.data(), &result.term);
    const bool answers = i.op >= Op::FCmpEq && i.op <= Op::FIsNan; // of a NaN as of one value
    std::vector<std::uint64_t> bits(args.size());
    for (std::size_t k = 0; k < samples_; ++k) {
      for (std::size_t n = 0; n < args.size(); ++n) {
        bits[n] = args[n].bits[k];
        result.isOfNan[k] = result.isOfNan[k] || (args[n].isOfNan[k] && !answers);
      }
      result.bits[k] = computed(i, bits);
      result.isOfNan[k] =
          result.isOfNan[k] || (result.isFloat() && dsl::isNanBits(format, result.bits[k]));
    }
    return result;
  }
  static std::uint64_t computed(const Instruction &i, const std::vector<std::uint64_t> &bits) {
    if (i.op == Op::Select)
      return bits[bits[0] != 0 ? 1 : 2];
    std::uint64_t second = 0;
    if (i.op >= Op::GcnDivScale && i.op <= Op::GcnMed3)
      return computeGcn(i, bits.data(), &second);
    return isFloatOperation(i.op) ? computeFloat(i, bits.data(), NanStyle::Canonical)
                                  : computeInteger(i, bits.data(), &second);
  }

  std::size_t samples_;
  std::vector<Samples> symbols_, inputs_;
};

/// Zeros, subnormals, ones, largest, infinities and NaNs of both kinds, and neighbours of each.
inline Samples corners(dsl::DType format) {
  const dsl::FloatFormat f = dsl::floatFormat(format);
  const std::uint64_t unit = std::uint64_t{1} << f.mantissaBits;
  const std::uint64_t infinity = ((std::uint64_t{1} << f.exponentBits) - 1) * unit;
  const std::uint64_t one = static_cast<std::uint64_t>(f.bias) * unit;
  Samples all = {0,
                 1,
                 2,
                 unit / 2 + 1,
                 unit - 1,
                 unit,
                 unit + 1,
                 one - 1,
                 one,
                 one + 1,
                 one + unit,
                 one + unit / 2,
                 3 * unit,
                 one + 3 * unit + unit / 4,
                 infinity - unit,
                 infinity - 1,
                 infinity,
                 infinity + 1,
                 infinity + unit / 2,
                 infinity + unit / 2 + 5,
                 infinity + unit - 1};
  const std::size_t positive = all.size();
  for (std::size_t k = 0; k < positive; ++k)
    all.push_back(all[k] | std::uint64_t{1} << (dsl::bitWidth(format) - 1));
  return all;
}

/// Operands side by side: of one or two, every tuple of corners; then `random` tuples of corners
/// and of any bits.
inline std::vector<Samples> tuples(dsl::DType format, std::size_t arity, std::size_t random) {
  const Samples corner = corners(format);
  std::vector<Samples> columns(arity);
  std::size_t count = arity > 2 ? 0 : 1;
  for (std::size_t k = 0; k < arity; ++k)
    count *= corner.size();
  for (std::size_t n = 0; n < count; ++n)
    for (std::size_t k = 0, rest = n; k < arity; ++k, rest /= corner.size())
      columns[k].push_back(corner[rest % corner.size()]);
  std::mt19937_64 bits(7);
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - dsl::bitWidth(format));
  for (std::size_t n = 0; n < random; ++n)
    for (Samples &column : columns)
      column.push_back(bits() % 3 != 0 ? corner[bits() % corner.size()] : bits() & mask);
  return columns;
}

/// Of a format of 16 bits every value; of a wider one corners and random ones.
inline Samples all(dsl::DType format) {
  if (dsl::bitWidth(format) > 16)
    return tuples(format, 1, 4000)[0];
  Samples every(1u << 16);
  for (std::size_t k = 0; k < every.size(); ++k)
    every[k] = k;
  return every;
}

} // namespace ordo::verify::test
