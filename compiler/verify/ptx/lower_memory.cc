// Loads, stores, atomics and asynchronous copies.
#include "compiler/verify/ptx/lowering.h"

#include <algorithm>

namespace ordo::verify::ptx {

using M = verify::Operand;

bool Lowering::memory(const std::string &op) {
  if (op == "ld" || op == "ldu" || op == "st") {
    loadStore(op != "st");
  } else if (op == "atom" || op == "red") {
    atomic(op == "atom");
  } else if (op == "cp") {
    copyAsync();
  } else if (op == "prefetch" || op == "prefetchu") {
    words_.clear();
    emit(Op::Prefetch, 32, kNoRegister, {});
  } else {
    return false;
  }
  return true;
}

Space Lowering::takeSpace(bool mayBeParam) {
  if (take("global"))
    return Space::Global;
  if (take("shared") || take("shared::cta"))
    return Space::Shared;
  if (mayBeParam && (take("param") || take("param::entry")))
    return Space::Param;
  for (const char *space : {"local", "const", "shared::cluster", "param::func"})
    if (std::ranges::find(words_, space) != words_.end())
      refuseWord(space);
  return Space::Generic;
}

/// Where a cache keeps it does not change what is read.
void Lowering::takeCacheHints(Access &access) {
  for (const char *hint : {"ca", "cg", "cs", "lu", "wb", "wt", "weak"})
    take(hint);
  std::erase_if(words_, [](const std::string &word) {
    return word.starts_with("L1::") || word.starts_with("L2::");
  });
  access.readOnly = take("nc");
  access.isVolatile = take("volatile") || take("cv");
  if (take("relaxed")) {
    access.isVolatile = true;
    for (const char *scope : {"cta", "cluster", "gpu", "sys"})
      take(scope);
  }
}

void Lowering::loadStore(bool isLoad) {
  const Type type = takeType();
  Instruction i = make(isLoad ? Op::Load : Op::Store, type.width);
  i.access.space = takeSpace(isLoad);
  takeCacheHints(i.access);
  std::size_t count = take("v8") ? 8 : take("v4") ? 4 : take("v2") ? 2 : 1;
  // A hint's operand, `.L2::cache_hint`, is left.
  operands(2);
  const Operand &data = at(isLoad ? 0 : 1);
  if (type.width < 8 || (data.kind == Operand::Kind::Vector ? data.parts.size() : 1) != count)
    refuse("the number of registers is not that of the elements");
  i.access.bits = type.width;
  i.access.count = static_cast<std::uint8_t>(count);
  i.src = {address(at(isLoad ? 1 : 0), i.access.space, i.access.offset)};
  for (std::size_t k = 0; k < count; ++k) {
    const Operand &element = data.kind == Operand::Kind::Vector ? data.parts[k] : data;
    if (isLoad)
      i.dst.push_back(destination(element, type.width, type.isSigned()));
    else
      i.src.push_back(value(element, type.width));
  }
  emit(std::move(i));
}

M Lowering::address(const Operand &operand, Space space, std::int64_t &offset) {
  if (operand.kind != Operand::Kind::Address)
    refuse("an address is wanted");
  offset = static_cast<std::int64_t>(operand.bits);
  if (operand.parts.empty())
    return M::imm(0);
  const std::string &name = operand.parts[0].name;
  if (const Variable *v = variable(name)) {
    if (v->space != space)
      refuse(fmt::format("`{}` lies in another space", name));
    return M::imm(v->address);
  }
  if (space == Space::Param)
    refuse(fmt::format("`{}` is not a parameter", name));
  const RegisterId reg = find(name);
  if (widthOf(reg) == 64)
    return M::of(reg);
  if (widthOf(reg) != 32 || space != Space::Shared)
    refuse("an address of this width is not modelled");
  return M::of(extended(M::of(reg), 32, 64, false)); // ld.shared [%r1]
}

void Lowering::atomic(bool returns) {
  const Type type = takeType();
  Instruction i = make(Op::Atomic, type.width);
  i.access.space = takeSpace(false);
  for (const char *word : {"relaxed", "acquire", "release", "acq_rel", "cta", "gpu", "sys"})
    take(word);
  i.format = type.format;
  i.what = (type.isFloat()    ? "f."
            : type.isSigned() ? "s."
                              : "u.") +
           (words_.empty() ? std::string("?") : words_.front());
  if (words_.size() != 1)
    refuse("this atomic is not modelled");
  words_.clear();
  const std::size_t first = returns ? 1 : 0;
  operands(first + 2, first + 3);
  i.access.bits = type.width;
  i.src = {address(at(first), i.access.space, i.access.offset)};
  for (std::size_t k = first + 1; k < statement_->operands.size(); ++k)
    i.src.push_back(value(k, type.width));
  if (returns)
    i.dst = {destination(0, type.width)};
  emit(std::move(i));
}

/// cp.async and its groups.
void Lowering::copyAsync() {
  if (!take("async") || take("bulk") || take("mbarrier"))
    refuse("is not modelled");
  if (take("commit_group")) {
    operands(0);
    emit(Op::CommitGroup, 32, kNoRegister, {});
    return;
  }
  if (take("wait_group") || take("wait_all")) {
    const bool all = statement_->operands.empty();
    operands(0, 1);
    if (all)
      emit(Op::CommitGroup, 32, kNoRegister, {});
    emit(Op::WaitGroup, 32, kNoRegister, {all ? M::imm(0) : value(0, 32)});
    return;
  }
  Access hints;
  takeCacheHints(hints);
  if (!take("shared") && !take("shared::cta"))
    refuse("this space is not modelled");
  if (!take("global"))
    refuse("this space is not modelled");
  operands(3, 4);
  std::int64_t to = 0, from = 0;
  M shared = address(at(0), Space::Shared, to), global = address(at(1), Space::Global, from);
  const auto moved = [&](M base, std::int64_t by) {
    if (by == 0)
      return base;
    const RegisterId sum = temporary(64);
    emit(Op::Add, 64, sum, {base, M::imm(static_cast<std::uint64_t>(by))});
    return M::of(sum);
  };
  shared = moved(shared, to);
  global = moved(global, from);
  std::vector<M> src = {shared, global, value(2, 32)};
  if (statement_->operands.size() == 4)
    src.push_back(value(3, 32)); // bytes that are read; the rest becomes zero
  emit(Op::CopyAsync, 32, kNoRegister, std::move(src));
}

} // namespace ordo::verify::ptx
