// Control flow, barriers and exchanges between lanes.
#include "compiler/verify/ptx/lowering.h"

namespace ordo::verify::ptx {

using M = verify::Operand;

bool Lowering::control(const std::string &op) {
  if (op == "bra") {
    branch();
  } else if (op == "ret" || op == "exit") {
    take("uni");
    operands(0);
    emit(Op::Exit, 32, kNoRegister, {});
  } else if (op == "trap") {
    emit(Op::Trap, 32, kNoRegister, {});
  } else if (op == "bar" || op == "barrier") {
    barrier();
  } else if (op == "shfl") {
    shuffle();
  } else if (op == "vote") {
    vote();
  } else if (op == "redux") {
    reduce();
  } else if (op == "membar" || op == "fence") {
    fence();
  } else {
    return false;
  }
  return true;
}

void Lowering::branch() {
  take("uni");
  operands(1);
  if (at(0).kind != Operand::Kind::Name || at(0).negated)
    refuse("a label is wanted");
  jumps_.push_back({kernel_.code.size(), at(0).name, statement_->line});
  emit(Op::Branch, 32, kNoRegister, {});
}

/// bar.sync, barrier.sync(.aligned), bar.warp.sync.
void Lowering::barrier() {
  if (take("warp")) {
    if (!take("sync"))
      refuse("is not modelled");
    operands(1);
    emit(Op::WarpBarrier, 32, kNoRegister, {value(0, 32)});
    return;
  }
  take("cta");
  if (!take("sync"))
    refuse("only .sync is modelled");
  take("aligned");
  operands(1, 2);
  std::vector<M> src = {value(0, 32)};
  if (statement_->operands.size() == 2)
    src.push_back(value(1, 32));
  emit(Op::Barrier, 32, kNoRegister, std::move(src));
}

void Lowering::shuffle() {
  if (!take("sync"))
    refuse("exchanges without .sync are not modelled");
  takeType();
  static constexpr std::pair<std::string_view, ShuffleMode> kModes[] = {
      {"up", ShuffleMode::Up},
      {"down", ShuffleMode::Down},
      {"bfly", ShuffleMode::Butterfly},
      {"idx", ShuffleMode::Index}};
  std::optional<ShuffleMode> mode;
  for (const auto &[word, m] : kModes)
    if (take(word))
      mode = m;
  if (!mode)
    refuse("has no mode");
  operands(5);
  Instruction i = make(Op::Shuffle, 32);
  i.shuffle = *mode;
  for (std::size_t k = 1; k < 5; ++k)
    i.src.push_back(value(k, 32));
  if (at(0).kind == Operand::Kind::Pair)
    i.dst = {destination(at(0).parts[0], 32), destination(at(0).parts[1], 1)};
  else
    i.dst = {destination(0, 32)};
  emit(std::move(i));
}

void Lowering::vote() {
  if (!take("sync"))
    refuse("votes without .sync are not modelled");
  const Type type = takeType();
  static constexpr std::pair<std::string_view, VoteMode> kModes[] = {{"all", VoteMode::All},
                                                                     {"any", VoteMode::Any},
                                                                     {"uni", VoteMode::Uniform},
                                                                     {"ballot", VoteMode::Ballot}};
  std::optional<VoteMode> mode;
  for (const auto &[word, m] : kModes)
    if (take(word))
      mode = m;
  if (!mode || (*mode == VoteMode::Ballot) != (type.width == 32))
    refuse("this vote is not modelled");
  operands(3);
  Instruction i = make(Op::Vote, type.width);
  i.vote = *mode;
  i.src = {predicate(at(1)), value(2, 32)};
  i.dst = {destination(0, type.width)};
  emit(std::move(i));
}

/// redux.sync.add.s32 and its like.
void Lowering::reduce() {
  if (!take("sync"))
    refuse("is not modelled");
  const Type type = takeType();
  if (type.isFloat() || words_.size() != 1)
    refuse("this reduction is not modelled");
  Instruction i = make(Op::Reduce, 32);
  i.what = words_.front() + (type.isSigned() ? ".s" : ".u");
  words_.clear();
  operands(3);
  i.src = {value(1, 32), value(2, 32)};
  i.dst = {destination(0, 32)};
  emit(std::move(i));
}

void Lowering::fence() {
  for (const std::string &word : words_)
    if (word.starts_with("proxy") || word.starts_with("mbarrier_init") ||
        word.starts_with("op_restrict") || word.starts_with("sync_restrict"))
      refuseWord(word);
  Instruction i = make(Op::Fence, 32);
  i.what = statement_->opcode;
  words_.clear();
  operands(0);
  emit(std::move(i));
}

} // namespace ordo::verify::ptx
