#include "tests/mutation/reasons.h"

#include "tests/mutation/code_diff.h"
#include "tests/mutation/lane_values.h"
#include "tests/mutation/variant.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <vector>

namespace ordo::mutation {
namespace {

using verify::Instruction;
using verify::Kernel;
using verify::Op;
using verify::Operand;

bool commutes(Op op) {
  switch (op) {
  case Op::Add:
  case Op::Mul:
  case Op::MulHiU:
  case Op::MulHiS:
  case Op::MinU:
  case Op::MinS:
  case Op::MaxU:
  case Op::MaxS:
  case Op::And:
  case Op::Or:
  case Op::Xor:
  case Op::AddCarry:
  case Op::CmpEq:
  case Op::CmpNe:
  case Op::FAdd:
  case Op::FMul:
  case Op::FFma:
  case Op::FMin:
  case Op::FMax:
  case Op::FMinNan:
  case Op::FMaxNan:
  case Op::FCmpEq:
  case Op::FCmpNe:
  case Op::FIsNan:
    return true;
  default:
    return false;
  }
}

class Reasons {
public:
  Reasons(const Change &change, const Kernel &kernel, const Kernel &mutant, const Proves &proves)
      : change_(change), kernel_(kernel), mutant_(mutant), proves_(proves),
        diff_(diffOf(kernel, mutant)), variant_(kernel, mutant) {}

  std::string find() {
    if (std::string why = read(); !why.empty())
      return why;
    if (!variant_.isStraight())
      return ofControl();
    if (!diff_.kernel.isEmpty() && proves_(variant_.trapped()))
      return "no thread comes to the instruction: the proof stands with a trap there";
    if (proves_(variant_.undefined()))
      return "nothing that is stored depends on the result: the proof stands with it undefined";
    if (proves_(variant_.trappedUnlessEqual()))
      return "the same number wherever it is computed (the proof stands with a trap for any "
             "other)" +
             ofNumber();
    if (variant_.computesFloats() && isOneTerm(variant_, kAllLanes))
      return "the same value where it counts: " + ofFloat();
    if (proves_(variant_.undefinedUnlessEqual()))
      return "where the number is another, nothing that is stored depends on it: the proof stands "
             "with it undefined there";
    if (std::string why = ofUses(); !why.empty())
      return why;
    return ofLanes();
  }

private:
  static constexpr unsigned kAllLanes = 64;
  static constexpr std::size_t kFarthest = 16; // instructions

  std::span<const Instruction> before() const { return within(kernel_, diff_.kernel); }
  std::span<const Instruction> after() const { return within(mutant_, diff_.mutant); }

  /// What the instructions themselves show.
  std::string read() const {
    if (diff_.isEmpty())
      return sameTargets() ? "it is read as the same instructions" : "";
    if (before().size() != after().size())
      return "";
    std::string exchanged;
    for (std::size_t k = 0; k < before().size(); ++k) {
      const Instruction &a = before()[k], &b = after()[k];
      if (printed(kernel_, a) == printed(mutant_, b))
        continue;
      if (printed(kernel_, a, false) != printed(mutant_, b, false) || !commutes(a.op) ||
          !areExchanged(a, b))
        return "";
      exchanged = name(a.op);
    }
    return exchanged.empty() ? "" : fmt::format("the operands of `{}` commute", exchanged);
  }

  bool sameTargets() const {
    return std::ranges::equal(kernel_.code, mutant_.code, {}, &Instruction::target,
                              &Instruction::target);
  }

  /// The first two.
  bool areExchanged(const Instruction &a, const Instruction &b) const {
    const auto isSame = [&](const Operand &x, const Operand &y) {
      if (x.isRegister() != y.isRegister())
        return false;
      if (!x.isRegister())
        return x.bits == y.bits;
      const auto it = diff_.registers.find(x.reg);
      return it != diff_.registers.end() && it->second == y.reg;
    };
    if (a.src.size() < 2 || a.src.size() != b.src.size() || !isSame(a.src[0], b.src[1]) ||
        !isSame(a.src[1], b.src[0]))
      return false;
    for (std::size_t k = 2; k < a.src.size(); ++k)
      if (!isSame(a.src[k], b.src[k]))
        return false;
    return true;
  }

  bool isOneTerm(const Variant &variant, unsigned lanes) const {
    return proves_(variant.extremum(Op::FMax, lanes)) && proves_(variant.extremum(Op::FMin, lanes));
  }

  std::string ofNumber() const {
    const std::string &rule = change_.rule;
    if (rule == rule::kNarrow)
      return ": nothing is carried beyond 32 bits";
    if (rule == rule::kWidth)
      return ": its sign bit is 0";
    if (rule == rule::kRegister)
      return ": both registers hold it";
    if (rule == rule::kRelation)
      return ": no thread, size or block is at the bound itself";
    if (rule == rule::kConstant)
      return ": the constant makes no difference";
    return "";
  }

  bool hasConstant(Op op, std::initializer_list<std::uint64_t> values) const {
    const auto has = [&](const Instruction &i) {
      return i.op == op && std::ranges::any_of(i.src, [&](const Operand &operand) {
               return !operand.isRegister() &&
                      std::ranges::find(values, operand.bits) != values.end();
             });
    };
    return std::ranges::any_of(before(), has) || std::ranges::any_of(after(), has);
  }

  std::string ofFloat() const {
    constexpr std::uint64_t kOne = 0x3f800000, kOne64 = 0x3ff0000000000000, kMinusZero = 0x80000000,
                            kMinusZero64 = 0x8000000000000000, kMinusInfinity = 0xff800000;
    if (change_.rule == rule::kRegister)
      return "both registers hold it";
    if (hasConstant(Op::FAdd, {kMinusZero, kMinusZero64}))
      return "x + -0.0 = x";
    if (hasConstant(Op::FMul, {kOne, kOne64}))
      return "x * 1 = x";
    if (hasConstant(Op::FFma, {kMinusZero, kMinusZero64, kOne, kOne64}))
      return "fma(x, 1, c) = x + c, fma(a, b, -0.0) = a * b";
    if (hasConstant(Op::FMax, {kMinusInfinity}))
      return "max(x, -inf) = x of what is no NaN";
    return "one term by the laws of floats";
  }

  /// The result is another, and a few instructions on nothing is.
  std::string ofUses() const {
    for (std::size_t more = 1; more <= kFarthest; ++more) {
      const Variant wider(kernel_, mutant_, more);
      if (!wider.isStraight())
        break;
      if (proves_(wider.trappedUnlessEqual()))
        return fmt::format("what is computed of it is the same number{} (the proof stands with a "
                           "trap for any other)",
                           change_.rule == rule::kRelation ? ", chosen either way at the bound"
                                                           : "");
      if (wider.computesFloats() && isOneTerm(wider, kAllLanes))
        return "what is computed of it is the same value where it counts";
    }
    return "";
  }

  /// An exchange between lanes: few are used, or all that are have the same.
  std::string ofLanes() const {
    const auto all = static_cast<unsigned>(kernel_.waveSize);
    unsigned lanes = 1;
    while (lanes < all && !proves_(variant_.ofFirstLanes(lanes)))
      lanes *= 2;
    if (!isOneTerm(variant_, lanes))
      return "";
    return lanes == all ? "the same value where it counts"
                        : fmt::format("only the results of the first {} of {} lanes are used, and "
                                      "these are the same",
                                      lanes, all);
  }

  /// Branches, stores and the like.
  std::string ofControl() const {
    const auto isSharedStore = [](const Instruction &i) {
      return i.op == Op::Store && i.access.space == verify::Space::Shared;
    };
    if (std::ranges::any_of(before(), isSharedStore) && after().empty())
      return "no thread reads what is stored: the proof stands without the store";
    if (before().empty() || before().back().op != Op::Branch ||
        before().back().guard == verify::kNoRegister)
      return "";
    if (before().size() > 1) // the branch and what its condition is computed by
      return ofSkipped();
    if (proves_(variant_.trappedBranch(true)))
      return "the branch is never taken: the proof stands with a trap in its place";
    if (proves_(variant_.trappedBranch(false)))
      return "the branch is always taken: the proof stands with a trap where it is not";
    return ofSkipped();
  }

  /// A branch that only spares a wave what none of its lanes would do.
  std::string ofSkipped() const {
    const auto at = static_cast<Place>(&before().back() - kernel_.code.data());
    const Place to = before().back().target;
    const std::string &text = kernel_.lines[before().back().line].text;
    bool isSpared = kernel_.model == verify::Model::LockStep && after().empty() && to > at &&
                    text.find("s_cbranch_execz") != std::string::npos;
    for (std::size_t k = 0; k + 1 < before().size(); ++k)
      isSpared = isSpared && isReadOrComputed(before()[k].op) &&
                 std::ranges::none_of(before()[k].dst, [&](verify::RegisterId reg) {
                   return !kernel_.registers[reg].name.empty();
                 });
    for (Place k = at + 1; isSpared && k < to; ++k)
      isSpared = doesNothing(k, at, to);
    return isSpared ? "the branch spares the wave what it would do under EXEC, that is nothing "
                      "where no lane is on, and scalars that nobody reads behind it"
                    : "";
  }

  /// Of an instruction between a branch and its target, where no lane is on: it does nothing, stays
  /// between them, or writes registers alone that are written again before they are read. (Its
  /// loads lie inside their arrays: the mutant is proven.)
  bool doesNothing(Place place, Place from, Place to) const {
    const Instruction &i = kernel_.code[place];
    if (i.op == Op::Wait || i.op == Op::Pending)
      return true;
    if (i.op == Op::Branch)
      return i.target > from && i.target <= to && i.target > place;
    if (i.guard != verify::kNoRegister && !kernel_.registers[i.guard].uniform)
      return true;
    return isReadOrComputed(i.op) &&
           std::ranges::none_of(i.dst, [&](verify::RegisterId reg) { return isReadFrom(to, reg); });
  }

  /// Not what stores, synchronises or ends.
  static bool isReadOrComputed(Op op) { return op <= Op::Load || op >= Op::Ballot; }

  bool isReadFrom(Place start, verify::RegisterId reg) const {
    std::vector<bool> seen(kernel_.code.size());
    std::vector<Place> left = {start};
    while (!left.empty()) {
      const Place at = left.back();
      left.pop_back();
      if (seen[at])
        continue;
      seen[at] = true;
      const Instruction &i = kernel_.code[at];
      if (i.guard == reg || std::ranges::find(i.src, reg, &Operand::reg) != i.src.end())
        return true;
      if (i.guard != verify::kNoRegister || std::ranges::find(i.dst, reg) == i.dst.end())
        std::ranges::copy(following(kernel_, at), std::back_inserter(left));
    }
    return false;
  }

  const Change &change_;
  const Kernel &kernel_, &mutant_;
  const Proves &proves_;
  CodeDiff diff_;
  Variant variant_;
};

} // namespace

std::string reasonOf(const Change &change, const Kernel &kernel, const Kernel &mutant,
                     const Proves &proves) {
  return Reasons(change, kernel, mutant, proves).find();
}

} // namespace ordo::mutation
