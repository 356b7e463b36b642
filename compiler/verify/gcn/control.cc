// Branches, barriers, waits, and what does nothing to values.
#include "compiler/verify/gcn/lowering.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace ordo::verify::gcn {
namespace {

/// No effect on values or on the order of this wave's accesses: padding, hints to the scheduler and
/// the caches, and the release of registers at the end.
constexpr std::array kNothing = {
    "s_nop",        "s_clause",         "s_delay_alu",    "s_set_inst_prefetch_distance",
    "s_sendmsg",    "s_waitcnt_depctr", "s_setprio",      "s_sleep",
    "s_icache_inv", "buffer_gl0_inv",   "buffer_gl1_inv", "buffer_wbl2",
    "buffer_inv",   "s_dcache_inv"};

} // namespace

bool Lowering::control(const std::string &op) {
  if (std::ranges::find(kNothing, op) != kNothing.end()) {
    if (op == "s_sendmsg" && at(0).text != "sendmsg(MSG_DEALLOC_VGPRS)")
      refuse("messages are not modelled");
    for (const char *scope : {"sc0", "sc1", "nt"})
      take(scope);
    return true;
  }
  if (op == "s_endpgm") {
    push(make(Op::Exit, 32));
  } else if (op == "s_barrier") {
    verify::Instruction i = make(Op::Barrier, 32);
    i.src = {M::imm(0)};
    push(std::move(i));
  } else if (op == "s_waitcnt") {
    operands(1);
    waitFor(at(0).text);
  } else if (op == "s_waitcnt_vscnt") {
    // "null, 0x0", one operand of free text.
    if (!at(0).text.starts_with("null, "))
      refuse("a wait of this form is not modelled");
    waitFor("vscnt(" + at(0).text.substr(6) + ")");
  } else if (op == "s_branch") {
    branch(M{}, false);
  } else if (op == "s_cbranch_scc0" || op == "s_cbranch_scc1") {
    branch(M::of(scc_), op == "s_cbranch_scc0");
  } else if (op == "s_cbranch_vccz" || op == "s_cbranch_vccnz" || op == "s_cbranch_execz" ||
             op == "s_cbranch_execnz") {
    const RegisterId *half = op.find("vcc") != std::string::npos ? vcc_ : exec_;
    const auto width = static_cast<unsigned>(object_.waveSize);
    const M whole = width == 32 ? M::of(half[0]) : concat(M::of(half[0]), M::of(half[1]), 32);
    branch(isNonZero(whole, width), op.ends_with("z") && !op.ends_with("nz"));
  } else {
    return false;
  }
  return true;
}

/// The operand is a signed number of words from the next instruction.
std::uint64_t Lowering::branchTarget(const Instruction &i) const {
  const auto words = static_cast<std::int16_t>(i.operands.front().integer);
  return i.address + i.bytes + static_cast<std::uint64_t>(std::int64_t{words} * 4);
}

void Lowering::branch(M condition, bool negated) {
  operands(1);
  if (at(0).kind != Operand::Kind::Integer)
    refuse("a branch to something else than an address");
  verify::Instruction i = make(Op::Branch, 32);
  if (condition.isRegister()) {
    i.guard = condition.reg;
    i.guardNegated = negated;
  }
  const std::uint64_t target = branchTarget(*at_);
  push(std::move(i));
  jumps_.push_back({kernel_.code.size() - 1, target, at_->address});
}

/// "vmcnt(0) lgkmcnt(1)": each counter that is named.
void Lowering::waitFor(std::string_view text) {
  while (!text.empty()) {
    if (text.front() == ' ' || text.front() == '&') {
      text.remove_prefix(1);
      continue;
    }
    const std::size_t open = text.find('('), close = text.find(')');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open)
      refuse("a wait of this form is not modelled");
    const std::string_view name = text.substr(0, open);
    std::string_view digits = text.substr(open + 1, close - open - 1);
    const bool isHex = digits.starts_with("0x");
    if (isHex)
      digits.remove_prefix(2);
    std::uint32_t most = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), most, isHex ? 16 : 10);
    if (error != std::errc() || end != digits.data() + digits.size())
      refuse("a wait of this form is not modelled");
    text.remove_prefix(close + 1);
    if (name == "expcnt")
      continue; // exports and writes' data: no instruction here has them outstanding
    verify::Instruction i = make(Op::Wait, 32);
    if (name == "vmcnt")
      i.access.counter = Counter::Vector;
    else if (name == "lgkmcnt")
      i.access.counter = Counter::Scalar;
    else if (name == "vscnt")
      i.access.counter = Counter::Store;
    else
      refuse(fmt::format("a wait for {} is not modelled", name));
    i.src = {M::imm(most)};
    push(std::move(i));
  }
}

} // namespace ordo::verify::gcn
