// Matrix products, folded by the atom that a resolution names.
#include "dsl/eval/atom/atom.h"
#include "dsl/eval/machine.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>

namespace ordo::dsl::machine {
namespace {

/// A start in the accumulator's type, which holds it exactly.
std::uint64_t startBits(const Stage &stage, DType type) {
  return castBits(DType::F64, type, std::bit_cast<std::uint64_t>(stage.start.value_or(0.0)));
}

/// One run of a stage that rounds: each step's result is rounded before the next takes it.
std::optional<std::uint64_t> roundedChain(const AtomRule &rule, const Stage &stage,
                                          std::span<const std::byte> a,
                                          std::span<const std::byte> b, std::uint64_t acc,
                                          std::string *reason) {
  const std::size_t most = static_cast<std::size_t>(rule.products) * elementSize(rule.operand);
  for (std::size_t at = 0; at < a.size(); at += most) {
    const std::size_t size = std::min(most, a.size() - at);
    const auto next = chain(rule, a.subspan(at, size), b.subspan(at, size), acc, reason);
    if (!next)
      return std::nullopt;
    const std::uint64_t narrow = castBits(rule.accumulator, *stage.round, *next);
    acc = castBits(*stage.round, rule.accumulator, narrow);
  }
  return acc;
}

} // namespace

const AtomRule &matrixRule(const Program &program, const Reduction &reduction, DType type) {
  if (!program.matrix)
    throw EvalError(
        fmt::format("`{}` does not say by which matrix unit: that is a target's `atom mma` in a "
                    "profile, and the program is not resolved for one",
                    toString(reduction.order)));
  const MatrixUnit &unit = *program.matrix;
  const AtomRule *rule = findAtom(unit.atom, unit.version);
  if (!rule)
    throw EvalError(fmt::format("there is no atom {} version {}", unit.atom, unit.version));
  if (rule->accumulator != type)
    throw EvalError(fmt::format("a `dot` in {} is no matrix product of {}, which accumulates in {}",
                                name(type), rule->name, name(rule->accumulator)));
  for (std::size_t side = 0; side < 2; ++side) {
    const DType given = program.expr(matrixOperand(program, reduction, side, rule->operand)).type;
    if (given != rule->operand)
      throw EvalError(fmt::format("{} takes operands of {}, not of {}", rule->name,
                                  name(rule->operand), name(given)));
  }
  return *rule;
}

std::vector<std::byte> foldMatrix(const ReductionState &state, std::int64_t length) {
  const AtomRule &rule = *state.atom;
  const Stage &stage = state.reduction->order.stages.front();
  const std::size_t operand = elementSize(rule.operand), result = elementSize(state.type);
  const auto count = static_cast<std::size_t>(length);
  const std::size_t run = stage.n == 0 ? count : std::min(count, static_cast<std::size_t>(stage.n));
  const std::uint64_t start = startBits(stage, state.type);
  std::vector<std::byte> sums;
  std::string reason;
  for (std::size_t begin = 0; begin < count; begin += run) {
    const std::size_t size = std::min(run, count - begin) * operand;
    const std::span a = std::span(state.values[0]).subspan(begin * operand, size);
    const std::span b = std::span(state.values[1]).subspan(begin * operand, size);
    const auto sum = stage.round ? roundedChain(rule, stage, a, b, start, &reason)
                                 : chain(rule, a, b, start, &reason);
    if (!sum)
      throw EvalError(reason);
    sums.resize(sums.size() + result);
    storeBits(state.type, sums.data() + sums.size() - result, *sum);
  }
  return sums;
}

} // namespace ordo::dsl::machine
