// The laws hold for every bit: random programs of the machine's operations, as terms and on bits.
// What a law makes of an operation must have the value that the emulator computes for it.
#include "compiler/verify/machine/concrete.h"
#include "compiler/verify/term/terms.h"
#include "dsl/eval/numeric.h"
#include "tests/unit/compiler/verify/term/evaluate_node.h"

#include <array>
#include <gtest/gtest.h>
#include <random>

namespace ordo::verify {
namespace {

using dsl::DType;

constexpr std::size_t kSamples = 12;

std::uint64_t ones(unsigned width) { return ~std::uint64_t{0} >> (64 - width); }

/// A value of a program: its term, and its bits in each sample.
struct Register {
  Term term;
  unsigned width = 32;
  std::array<std::uint64_t, kSamples> bits{};
  std::array<bool, kSamples> isOfNan{}; // a NaN went in, whose bits depend on the target
  std::string text;
};

class RandomProgram {
public:
  explicit RandomProgram(unsigned seed) : random_(seed) {
    addSymbols();
    addInputs();
    for (int k = 0; k < 24; ++k)
      addOperation();
  }

  int refused() const { return refused_; }
  int compared() const { return compared_; }

  void expectSameBits() {
    for (std::size_t sample = 0; sample < kSamples; ++sample) {
      NodeInputs inputs;
      for (const std::size_t at : symbols_)
        inputs.symbols.push_back(registers_[at].bits[sample]);
      inputs.element = [&](std::uint32_t tensor, Wide) {
        return std::optional(registers_[inputs_[tensor]].bits[sample]);
      };
      NodeEvaluator evaluator(terms_.pool(), terms_.affine(), inputs);
      for (const Register &r : registers_) {
        if (r.isOfNan[sample])
          continue;
        ++compared_;
        const auto got = r.term.isNode() ? evaluator.bits(r.term.node()) : r.term.bits;
        ASSERT_TRUE(got) << r.text << ": " << evaluator.fault();
        ASSERT_EQ(*got, r.bits[sample])
            << r.text << ", as a term "
            << (r.term.isNode() ? toString(terms_.pool(), terms_.affine(), r.term.node()) : "");
      }
    }
  }

private:
  template <class T> T pick(std::initializer_list<T> list) {
    return *(list.begin() + random_() % list.size());
  }

  void addSymbols() {
    const auto add = [&](std::uint64_t low, std::uint64_t high) {
      Register r;
      r.width = 32;
      r.term = terms_.symbol("s", 32, {Wide{low}, Wide{high}});
      for (std::uint64_t &bits : r.bits)
        bits = random_() % 4 == 0 ? (random_() % 2 == 0 ? low : high)
                                  : low + random_() % (high - low + 1);
      symbols_.push_back(registers_.size());
      registers_.push_back(r);
    };
    add(0, 1023);
    add(7, 100'000);
    add(0, 0x7fffffff);
    add(0, 0xffffffff);
  }

  void addInputs() {
    std::uint32_t tensor = 0;
    for (const DType type : {DType::I32, DType::U64, DType::F32, DType::F32, DType::BF16,
                             DType::F16, DType::F64, DType::U32, DType::Bool}) {
      terms_.pool().tensors.push_back("x" + std::to_string(tensor));
      Register r;
      r.width = type == DType::Bool ? 8 : static_cast<unsigned>(dsl::bitWidth(type));
      r.term = terms_.input(tensor, type, terms_.affine().constant(0));
      for (std::uint64_t &bits : r.bits)
        bits = type == DType::Bool ? random_() % 2 : numberOf(type);
      inputs_.push_back(registers_.size());
      registers_.push_back(r);
      ++tensor;
    }
  }

  std::uint64_t numberOf(DType type) {
    const std::uint64_t mask = ones(static_cast<unsigned>(dsl::bitWidth(type)));
    if (!dsl::isFloat(type))
      return pick<std::uint64_t>(
                 {random_(), random_() % 300, mask - random_() % 3, mask / 2 + random_() % 3}) &
             mask;
    const double value = pick<double>({0.0, -0.0, 1.0, -1.0, 2.0, 0.5, 3.0, -1.5, 1e-40, 1e30, 0.1,
                                       static_cast<double>(random_() % 1000) / 7.0 - 60.0});
    return dsl::castBits(DType::F64, type, std::bit_cast<std::uint64_t>(value));
  }

  Register constant(unsigned width) {
    static constexpr DType kFormats[] = {DType::F32, DType::BF16, DType::F16, DType::F64};
    Register r;
    r.width = width;
    std::uint64_t bits = pick<std::uint64_t>({0,
                                              1,
                                              2,
                                              3,
                                              5,
                                              7,
                                              8,
                                              16,
                                              31,
                                              127,
                                              255,
                                              0xffff,
                                              0xffff0000,
                                              0x80000000,
                                              0x7fffffff,
                                              0xfff,
                                              ~std::uint64_t{0},
                                              std::uint64_t{1} << 63,
                                              3584,
                                              random_()});
    const DType format = kFormats[random_() % 4];
    if (random_() % 3 == 0 && static_cast<unsigned>(dsl::bitWidth(format)) == width)
      bits = numberOf(format);
    r.term = Term::constant(bits & ones(width));
    r.bits.fill(bits & ones(width));
    r.text = std::to_string(bits & ones(width));
    return r;
  }

  /// A value of that width; often a new one.
  Register operand(unsigned width) {
    std::vector<std::size_t> fitting;
    for (std::size_t at = 0; at < registers_.size(); ++at)
      if (registers_[at].width == width)
        fitting.push_back(at);
    if (fitting.empty() || random_() % 4 == 0)
      return constant(width);
    const std::size_t newest = fitting.size() - 1;
    const std::size_t at =
        fitting[random_() % 2 == 0 ? newest - random_() % std::min<std::size_t>(4, fitting.size())
                                   : random_() % fitting.size()];
    Register r = registers_[at];
    r.text = "r" + std::to_string(at);
    return r;
  }

  Register small(unsigned width, std::uint64_t limit) {
    Register r;
    r.width = width;
    const std::uint64_t bits = random_() % limit;
    r.term = Term::constant(bits);
    r.bits.fill(bits);
    r.text = std::to_string(bits);
    return r;
  }

  void addOperation() {
    switch (random_() % 5) {
    case 0:
    case 1:
      return addInteger();
    case 2:
      return addShape();
    case 3:
      return addFloat();
    default:
      return addConversion();
    }
  }

  void addInteger() {
    Instruction i;
    i.width = pick<std::uint8_t>({32, 32, 32, 64, 16});
    i.op = pick({Op::Add,    Op::Sub,    Op::Mul,   Op::MulHiU, Op::MulHiS, Op::MinU,  Op::MinS,
                 Op::MaxU,   Op::MaxS,   Op::NegI,  Op::AbsI,   Op::And,    Op::Or,    Op::Xor,
                 Op::Not,    Op::Shl,    Op::ShrU,  Op::ShrS,   Op::DivU,   Op::RemU,  Op::DivS,
                 Op::RemS,   Op::Popc,   Op::Clz,   Op::Brev,   Op::CmpEq,  Op::CmpNe, Op::CmpLtU,
                 Op::CmpLeU, Op::CmpLtS, Op::CmpLeS});
    std::vector<Register> src = {operand(i.width)};
    const bool isUnary = i.op == Op::NegI || i.op == Op::AbsI || i.op == Op::Not ||
                         i.op == Op::Popc || i.op == Op::Clz || i.op == Op::Brev;
    const bool isShift = i.op == Op::Shl || i.op == Op::ShrU || i.op == Op::ShrS;
    const bool isDivision = i.op >= Op::DivU && i.op <= Op::RemS;
    if (isShift || isDivision)
      src.push_back(small(i.width, isShift ? i.width + 2u : 40));
    else if (!isUnary)
      src.push_back(operand(i.width));
    if (isDivision && src[1].term.bits == 0)
      return;
    const bool isComparison = i.op >= Op::CmpEq && i.op <= Op::CmpLeS;
    add(i, src, isComparison ? 1u : i.op == Op::Popc || i.op == Op::Clz ? 32u : i.width);
  }

  void addShape() {
    Instruction i;
    i.op = pick({Op::ZeroExtend, Op::SignExtend, Op::Extract, Op::Concat, Op::BitField,
                 Op::BitFieldS, Op::BitInsert, Op::FunnelLeft, Op::FunnelRight, Op::Select,
                 Op::Select, Op::BytePermute});
    std::vector<Register> src;
    i.width = 32;
    switch (i.op) {
    case Op::ZeroExtend:
    case Op::SignExtend:
      i.fromWidth = pick<std::uint8_t>({1, 8, 16, 32});
      i.width = i.fromWidth == 32 ? 64 : pick<std::uint8_t>({32, 64});
      src = {operand(i.fromWidth)};
      break;
    case Op::Extract:
      i.fromWidth = pick<std::uint8_t>({32, 64});
      i.width = pick<std::uint8_t>({1, 8, 16, 32});
      i.bit = static_cast<std::uint8_t>(random_() % (i.fromWidth - i.width + 1u));
      if (random_() % 2 == 0)
        i.bit = static_cast<std::uint8_t>(i.bit / i.width * i.width);
      src = {operand(i.fromWidth)};
      break;
    case Op::Concat:
      i.fromWidth = pick<std::uint8_t>({16, 32});
      i.width = static_cast<std::uint8_t>(2 * i.fromWidth);
      src = {operand(i.fromWidth), operand(i.fromWidth)};
      break;
    case Op::BitField:
    case Op::BitFieldS:
      src = {operand(32), small(32, 32), small(32, 17)};
      break;
    case Op::BitInsert:
      src = {operand(32), operand(32), small(32, 32), small(32, 17)};
      break;
    case Op::FunnelLeft:
    case Op::FunnelRight:
      src = {operand(32), operand(32), small(32, 33)};
      break;
    case Op::BytePermute:
      src = {operand(32), operand(32), small(32, 0x7777)};
      src[2].term.bits &= 0x7777;
      src[2].bits.fill(src[2].term.bits);
      break;
    default:
      i.width = pick<std::uint8_t>({1, 16, 32, 64});
      src = {operand(1), operand(i.width), operand(i.width)};
      break;
    }
    add(i, src, i.width);
  }

  void addFloat() {
    Instruction i;
    i.format = pick({DType::F32, DType::F32, DType::F64, DType::BF16, DType::F16});
    i.width = static_cast<std::uint8_t>(dsl::bitWidth(i.format));
    i.op = pick({Op::FAdd, Op::FSub, Op::FMul, Op::FDiv, Op::FFma, Op::FSqrt, Op::FRcp, Op::FNeg,
                 Op::FAbs, Op::FMin, Op::FMax, Op::FMinNan, Op::FMaxNan, Op::FCmpEq, Op::FCmpNe,
                 Op::FCmpLt, Op::FCmpLe, Op::FIsNan, Op::FRoundInt});
    const bool isUnary = i.op == Op::FSqrt || i.op == Op::FRcp || i.op == Op::FNeg ||
                         i.op == Op::FAbs || i.op == Op::FIsNan || i.op == Op::FRoundInt;
    if (i.op == Op::FRoundInt)
      i.rounding = pick({Round::NearestEven, Round::TowardZero, Round::Up, Round::Down});
    std::vector<Register> src = {operand(i.width)};
    if (!isUnary)
      src.push_back(operand(i.width));
    if (i.op == Op::FFma)
      src.push_back(operand(i.width));
    const bool isCondition = i.op >= Op::FCmpEq && i.op <= Op::FIsNan;
    add(i, src, isCondition ? 1 : i.width);
  }

  void addConversion() {
    Instruction i;
    i.op = pick({Op::FConvert, Op::FConvert, Op::FToU, Op::FToS, Op::UToF, Op::SToF});
    const auto format = [&] {
      return pick({DType::F32, DType::F32, DType::F64, DType::BF16, DType::F16});
    };
    i.format = format();
    i.from = format();
    if (i.op == Op::FConvert) {
      i.rounding = pick({Round::NearestEven, Round::NearestEven, Round::TowardZero});
      i.width = static_cast<std::uint8_t>(dsl::bitWidth(i.format));
      return add(i, {operand(static_cast<unsigned>(dsl::bitWidth(i.from)))}, i.width);
    }
    i.width = pick<std::uint8_t>({32, 64});
    if (i.op == Op::UToF || i.op == Op::SToF)
      return add(i, {operand(i.width)}, static_cast<unsigned>(dsl::bitWidth(i.format)));
    i.rounding = pick({Round::NearestEven, Round::TowardZero});
    i.format = i.from;
    add(i, {operand(static_cast<unsigned>(dsl::bitWidth(i.from)))}, i.width);
  }

  /// The operation on terms and on bits; one that has no law is left out and counted.
  void add(Instruction i, const std::vector<Register> &src, unsigned width) {
    i.src.resize(src.size());
    i.dst.resize(1);
    std::vector<Term> terms;
    Register result;
    result.width = width;
    result.text = "r" + std::to_string(registers_.size()) + " = " + std::string(name(i.op)) + "." +
                  std::to_string(i.width) + " " + std::string(dsl::name(i.format));
    for (const Register &r : src) {
      terms.push_back(r.term);
      result.text += " " + r.text;
    }
    try {
      terms_.apply(i, terms.data(), &result.term);
    } catch (const DomainError &) {
      ++refused_;
      return;
    }
    for (std::size_t sample = 0; sample < kSamples; ++sample) {
      std::vector<std::uint64_t> bits;
      for (const Register &r : src) {
        bits.push_back(r.bits[sample]);
        result.isOfNan[sample] = result.isOfNan[sample] || r.isOfNan[sample];
      }
      result.bits[sample] = compute(i, bits, result.isOfNan[sample]);
    }
    registers_.push_back(result);
  }

  static std::uint64_t compute(const Instruction &i, const std::vector<std::uint64_t> &src,
                               bool &isOfNan) {
    if (i.op == Op::Select)
      return src[src[0] != 0 ? 1 : 2];
    if (!isFloatOperation(i.op)) {
      std::uint64_t second = 0;
      return computeInteger(i, src.data(), &second);
    }
    const bool isCondition = i.op >= Op::FCmpEq && i.op <= Op::FIsNan;
    const bool readsFloats = i.op != Op::UToF && i.op != Op::SToF;
    const bool isFloat = i.op != Op::FToU && i.op != Op::FToS && !isCondition;
    const DType from = i.op == Op::FConvert ? i.from : i.format;
    const std::uint64_t bits = computeFloat(i, src.data(), NanStyle::Canonical);
    for (const std::uint64_t operand : src)
      isOfNan = isOfNan || (readsFloats && isFloat && dsl::isNanBits(from, operand));
    isOfNan = isOfNan || (isFloat && dsl::isNanBits(i.format, bits));
    return bits;
  }

  std::mt19937_64 random_;
  Terms terms_;
  std::vector<Register> registers_;
  std::vector<std::size_t> symbols_, inputs_;
  int refused_ = 0, compared_ = 0;
};

TEST(Laws, KeepTheBitsOfRandomPrograms) {
  constexpr int kPrograms = 4000;
  int refused = 0, compared = 0;
  for (unsigned seed = 0; seed < kPrograms; ++seed) {
    SCOPED_TRACE(seed);
    RandomProgram program(seed);
    program.expectSameBits();
    if (::testing::Test::HasFatalFailure())
      return;
    refused += program.refused();
    compared += program.compared();
  }
  // Of 24 operations each, and as many values in twelve samples.
  EXPECT_LT(refused, kPrograms * 24 / 20);
  EXPECT_GT(compared, kPrograms * 24 * 8);
}

} // namespace
} // namespace ordo::verify
