#include "tests/mutation/gcn_mutator.h"

#include "tests/mutation/change_finder.h"
#include "tests/mutation/gcn_rewrites.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace ordo::mutation {
namespace {

/// A number one larger; of a float, another.
std::optional<std::string> nextNumber(const std::string &number) {
  if (number == "1.0")
    return "2.0";
  if (number == "0.5" || number == "2.0" || number == "4.0")
    return "1.0";
  const bool isHex = number.starts_with("0x");
  const char *begin = number.data() + (isHex ? 2 : 0), *end = number.data() + number.size();
  std::int64_t value = 0;
  if (number.empty() || std::from_chars(begin, end, value, isHex ? 16 : 10).ptr != end)
    return std::nullopt;
  return isHex ? fmt::format("{:#x}", value + 1) : std::to_string(value + 1);
}

/// "v12" or "s12".
bool isSingle(std::string_view operand) {
  return operand.size() > 1 && (operand[0] == 'v' || operand[0] == 's') &&
         std::ranges::all_of(operand.substr(1), [](char c) { return std::isdigit(c) != 0; });
}

/// v[4:5] as v4 and v5.
std::optional<std::pair<std::string, std::string>> halves(const std::string &pair) {
  const std::size_t open = pair.find('['), colon = pair.find(':');
  if (open == std::string::npos || colon == std::string::npos)
    return std::nullopt;
  const std::string kind = pair.substr(0, open);
  return std::pair(kind + pair.substr(open + 1, colon - open - 1),
                   kind + pair.substr(colon + 1, pair.size() - colon - 2));
}

bool touchesShared(const CodeLine &line) {
  return line.isAny({"ds_read", "ds_write", "ds_load", "ds_store"});
}

class Finder : public ChangeFinder {
public:
  explicit Finder(const std::string &text) : ChangeFinder(gcnCode(text)) {
    find<Finder>({&Finder::rewrites, &Finder::operands, &Finder::numbers, &Finder::registers,
                  &Finder::products, &Finder::sums, &Finder::indices, &Finder::addresses,
                  &Finder::control, &Finder::exchanges, &Finder::exec, &Finder::barriers,
                  &Finder::waits, &Finder::stores});
    modes(text);
  }

private:
  void rewrites(std::size_t i) {
    for (const GcnRewrite &r : kGcnRewrites) {
      const std::size_t place = at(i).opcode.find(r.from);
      if (!at(i).is(r.opcode) || place == std::string::npos)
        continue;
      std::string changed = at(i).opcode;
      opcode(r.rule, i, changed.replace(place, r.from.size(), r.to));
    }
  }

  bool isTwoSource(std::size_t i) const { return at(i).operands.size() >= 3; }

  void operands(std::size_t i) {
    const CodeLine &line = at(i);
    if (!isTwoSource(i))
      return;
    if (line.isAny({"v_sub_", "v_subrev_", "v_lshlrev_", "v_lshrrev_", "v_cndmask_", "v_cmp_lt_",
                    "v_cmp_gt_", "v_cmp_le_", "v_cmp_ge_", "v_dual_sub_", "v_dual_lshlrev_",
                    "v_dual_cndmask_", "s_sub_", "s_lshl_b", "v_pack_b32", "v_perm_b32"}))
      exchange(rule::kOperands, i, 1, 2);
    if (line.is("v_fma_f"))
      exchange(rule::kOperands, i, 1, 3);
    if (line.isAny({"v_add_f", "v_mul_f", "v_fma_f", "v_max_", "v_min_", "v_and_b", "v_or_b",
                    "v_xor_b", "v_add_u32", "v_add_nc_u32", "v_dual_add_f32", "v_dual_mul_f32",
                    "v_cmp_eq_", "v_cmp_u_", "v_cmp_o_", "s_add_u32", "v_add3_u32"}))
      exchange(rule::kCommuted, i, 1, 2);
  }

  void numbers(std::size_t i) {
    if (at(i).isAny({"s_cbranch", "s_branch", "s_nop", "s_load", "s_delay", "s_waitcnt", "s_clause",
                     "s_set_inst", "s_sendmsg", "ds_", "global_"}))
      return;
    const bool isLane = at(i).is("v_xor_b32");
    for (std::size_t k = 1; k < at(i).operands.size(); ++k)
      if (const auto next = nextNumber(at(i).operands[k]))
        operand(isLane ? rule::kLanes : rule::kConstant, i, k, *next);
  }

  /// The register before it.
  void registers(std::size_t i) {
    if (at(i).isAny({"s_load", "s_cbranch", "s_branch", "s_waitcnt", "s_delay"}))
      return;
    for (std::size_t k = 1; k < at(i).operands.size(); ++k) {
      const std::string &reg = at(i).operands[k];
      if (!isSingle(reg) || reg.substr(1) == "0")
        continue;
      return operand(rule::kRegister, i, k, reg[0] + std::to_string(std::stoi(reg.substr(1)) - 1));
    }
  }

  static std::string suffixOf(const std::string &opcode) {
    return opcode.substr(opcode.rfind('_')); // "_f32"
  }

  /// The nearest line before `i`, in the same straight run, that writes `reg`.
  std::optional<std::size_t> definition(const std::string &reg, std::size_t i) const {
    constexpr std::size_t kReach = 12;
    for (std::size_t k = i; k-- > 0 && k + kReach >= i;) {
      if (at(k).isAny({"s_cbranch", "s_branch", "s_barrier"}))
        return std::nullopt;
      if (!at(k).operands.empty() && at(k).operands[0] == reg)
        return k;
    }
    return std::nullopt;
  }

  /// Whether a line from `first` to before `i` writes `operand`. Pairs of registers count as
  /// writes of everything.
  bool isWritten(const std::string &operand, std::size_t first, std::size_t i) const {
    for (std::size_t k = first; k < i; ++k)
      if (!at(k).operands.empty() &&
          (at(k).operands[0] == operand || at(k).operands[0].find(':') != std::string::npos))
        return true;
    return false;
  }

  void products(std::size_t i) {
    const CodeLine &line = at(i);
    const auto &o = line.operands;
    if (line.isAny({"v_fma_f", "v_fmaak_f", "v_fmamk_f"}) && o[0] != o[3])
      replace(rule::kUnfused, i,
              fmt::format("\tv_mul{0} {1}, {2}, {3}\n\tv_add{0} {1}, {4}, {1}",
                          suffixOf(line.opcode), o[0], o[1], o[2], o[3]));
    if (line.isAny({"v_fma_f", "v_add_f", "v_mul_f"}) && line.after.empty())
      signs(i);
    if (!line.isAny({"v_add_f32", "v_add_f64"}) || !isTwoSource(i) || !line.after.empty())
      return;
    for (const std::size_t k : {1u, 2u}) {
      const auto mul = definition(o[k], i);
      if (!mul || !at(*mul).is("v_mul" + suffixOf(line.opcode)) ||
          isWritten(at(*mul).operands[1], *mul, i) || isWritten(at(*mul).operands[2], *mul, i))
        continue;
      instead(rule::kFused, i, "v_fma" + suffixOf(line.opcode),
              {o[0], at(*mul).operands[1], at(*mul).operands[2], o[3 - k]});
    }
  }

  void signs(std::size_t i) {
    CodeLine clamped = at(i);
    clamped.opcode += "_e64";
    clamped.after = " clamp";
    replace(rule::kSaturate, i, clamped);
    const std::string &first = at(i).operands[1];
    operand(rule::kSign, i, 1, first[0] == '-' ? first.substr(1) : "-" + first);
  }

  /// d = a + b; e = d + c.
  void sums(std::size_t i) {
    const CodeLine &line = at(i);
    const auto &o = line.operands;
    if (line.isAny({"v_fmac_f", "v_dual_fmac_f"}))
      opcode(rule::kRestart, i,
             std::string(line.is("v_dual") ? "v_dual_mul" : "v_mul") + suffixOf(line.opcode));
    if (!line.isAny({"v_add_f32", "v_dual_add_f32"}) || !isTwoSource(i))
      return;
    instead(rule::kRestart, i, line.is("v_dual") ? "v_dual_mov_b32" : "v_mov_b32", {o[0], o[2]});
    if (line.is("v_dual"))
      return;
    for (const std::size_t k : {1u, 2u}) {
      const std::string &d = o[k], &c = o[3 - k];
      const auto first = definition(d, i);
      if (!first || at(*first).opcode != line.opcode || d == c || isWritten(c, *first, i))
        continue;
      const std::string a = at(*first).operands[1], b = at(*first).operands[2];
      if (isWritten(a, *first, i) || isWritten(b, *first, i))
        continue;
      regroup(rule::kOrder, *first, {d, a, c}, i, {o[0], d, b});
      regroup(rule::kSplit, *first, {d, c, b}, i, {o[0], a, d});
    }
  }

  void regroup(const char *rule, std::size_t i, std::vector<std::string> first, std::size_t j,
               std::vector<std::string> second) {
    CodeLine one = at(i), two = at(j);
    one.operands = std::move(first);
    two.operands = std::move(second);
    if (one.before == "\t" && one.after.empty())
      replaceBoth(rule, i, one.print(), j, two.print());
  }

  void indices(std::size_t i) {
    const CodeLine &line = at(i);
    const auto &o = line.operands;
    if (line.is("s_addc_u32"))
      instead(rule::kNarrow, i, "s_mov_b32", {o[0], o[1]});
    if (line.isAny({"v_addc_co_u32", "v_add_co_ci_u32"}))
      instead(rule::kNarrow, i, "v_mov_b32", {o[0], o[2]});
    if (line.isAny({"s_lshl_b64", "v_lshlrev_b64"})) {
      const bool isScalar = line.is("s_");
      const auto to = halves(o[0]), from = halves(o[isScalar ? 1 : 2]);
      if (to && from)
        replace(rule::kNarrow, i,
                isScalar ? fmt::format("\ts_lshl_b32 {}, {}, {}\n\ts_mov_b32 {}, 0", to->first,
                                       from->first, o[2], to->second)
                         : fmt::format("\tv_lshlrev_b32 {}, {}, {}\n\tv_mov_b32 {}, 0", to->first,
                                       o[1], from->first, to->second));
    }
    if (line.is("s_ashr_i32") && o[2] == "31")
      instead(rule::kWidth, i, "s_mov_b32", {o[0], "0"});
  }

  void addresses(std::size_t i) {
    const CodeLine &line = at(i);
    if (line.is("s_load") && line.operands[2].starts_with("0x")) {
      const long offset = std::stol(line.operands[2], nullptr, 16);
      operand(rule::kArgument, i, 2, fmt::format("{:#x}", offset >= 8 ? offset - 8 : offset + 8));
    }
    if (!line.isAny({"ds_read", "ds_write", "ds_load", "ds_store", "global_"}))
      return;
    for (const int step : {2, 4, 16}) {
      CodeLine moved = line;
      moved.after = movedOffset(line.after, step, line.opcode.find('2') != std::string::npos);
      replace(rule::kOffset, i, moved);
    }
  }

  /// " offset:16" by so many bytes; of two offsets the first by one.
  static std::string movedOffset(const std::string &modifiers, int step, bool mayBeTwo) {
    for (const std::string name : {" offset0:", " offset:"}) {
      const std::size_t place = modifiers.find(name);
      if (place == std::string::npos)
        continue;
      const std::size_t digits = place + name.size();
      const std::size_t end = std::min(modifiers.find(' ', digits), modifiers.size());
      const int before = std::stoi(modifiers.substr(digits, end - digits));
      return modifiers.substr(0, digits) +
             std::to_string(before + (name == " offset0:" ? 1 : step)) + modifiers.substr(end);
    }
    const bool isTwo = mayBeTwo && modifiers.find(" offset1:") != std::string::npos;
    return (isTwo ? " offset0:1" : " offset:" + std::to_string(step)) + modifiers;
  }

  void control(std::size_t i) {
    const CodeLine &line = at(i);
    if (line.is("s_cbranch"))
      drop(rule::kBound, i);
    if (line.isAny({"s_and_saveexec_b64", "s_and_saveexec_b32"}))
      instead(rule::kBound, i, line.opcode.ends_with("64") ? "s_mov_b64" : "s_mov_b32",
              {line.operands[0], line.opcode.ends_with("64") ? "exec" : "exec_lo"});
    if (line.isAny({"v_cndmask_b32", "v_dual_cndmask_b32"}) && line.operands.size() >= 3)
      for (const std::size_t k : {1u, 2u})
        instead(rule::kBound, i, line.is("v_dual") ? "v_dual_mov_b32" : "v_mov_b32",
                {line.operands[0], line.operands[k]});
  }

  void exchanges(std::size_t i) {
    const CodeLine &line = at(i);
    if (!line.is("ds_bpermute_b32"))
      return;
    const auto move = [&](const char *rule, const char *how) {
      replace(rule, i,
              fmt::format("\tv_mov_b32_dpp {}, {} {}", line.operands[0], line.operands[2], how));
    };
    move(rule::kLanes, "quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf");
    move(rule::kLanes, "row_shr:1 row_mask:0xf bank_mask:0xf");
    move(rule::kLanes, "row_ror:8 row_mask:0xf bank_mask:0xf");
    move(rule::kSegment, "quad_perm:[1,0,3,2] row_mask:0x7 bank_mask:0xf");
    move(rule::kSegment, "row_ror:8 row_mask:0xf bank_mask:0x3");
    replace(rule::kSegment, i,
            fmt::format("\tds_swizzle_b32 {}, {} offset:swizzle(SWAP,16)", line.operands[0],
                        line.operands[2]));
    replace(rule::kLanes, i,
            fmt::format("\tds_swizzle_b32 {}, {} offset:swizzle(SWAP,1)", line.operands[0],
                        line.operands[2]));
  }

  void exec(std::size_t i) {
    const CodeLine &line = at(i);
    if (line.isAny({"s_and_saveexec_b64", "s_and_saveexec_b32"})) {
      const bool isWide = line.opcode.ends_with("64");
      replace(rule::kExec, i,
              line.print() + (isWide ? "\n\ts_mov_b64 exec, -1" : "\n\ts_mov_b32 exec_lo, -1"));
      replace(rule::kExec, i,
              line.print() +
                  (isWide ? "\n\ts_not_b64 exec, exec" : "\n\ts_not_b32 exec_lo, exec_lo"));
    }
    if (line.is("s_or_b") && line.operands[0].starts_with("exec"))
      drop(rule::kExec, i);
    if (line.isAny({"global_store", "ds_write", "ds_store"}))
      replace(rule::kExec, i, "\ts_mov_b32 exec_lo, 0xffff\n" + line.print());
  }

  void barriers(std::size_t i) {
    if (!at(i).is("s_barrier"))
      return;
    drop(rule::kBarrier, i);
    replace(rule::kFence, i, "\ts_waitcnt vmcnt(0) lgkmcnt(0)");
    late(i, touchesShared);
  }

  void waits(std::size_t i) {
    if (at(i).opcode != "s_waitcnt")
      return;
    drop(rule::kWait, i);
    for (const char *counter : {"vmcnt(", "lgkmcnt("}) {
      const std::string text = at(i).print();
      const std::size_t place = text.find(counter);
      if (place == std::string::npos)
        continue;
      const std::size_t digits = text.find('(', place) + 1, end = text.find(')', digits);
      const int count = std::stoi(text.substr(digits, end - digits));
      replace(rule::kWeakWait, i,
              text.substr(0, digits) + std::to_string(count + 1) + text.substr(end));
    }
  }

  void stores(std::size_t i) {
    const CodeLine &line = at(i);
    const bool isShared = line.isAny({"ds_write", "ds_store"});
    if (!isShared && !line.is("global_store"))
      return;
    drop(rule::kLost, i);
    if (!isShared)
      replace(rule::kTwice, i, line.print() + "\n" + line.print());
    // The second name of an exchange is gfx11's; the one that the chip does not know is no mutant.
    if (line.isAny({"ds_write_b32", "ds_store_b32"}))
      for (const char *atomic : {"ds_add_f32", "ds_add_u32"})
        opcode(rule::kAtomic, i, atomic);
    if (line.opcode == "global_store_dword" || line.opcode == "global_store_b32")
      for (const char *atomic :
           {"global_atomic_add_f32", "global_atomic_swap", "global_atomic_swap_b32"})
        opcode(rule::kAtomic, i, atomic);
  }

  /// The descriptor's modes, and writes of the mode register.
  void modes(const std::string &text) {
    std::uint32_t number = 0;
    for (const std::string &line : linesOf(text)) {
      for (const GcnMode &mode : kGcnModes)
        if (const std::size_t place = line.find(mode.directive); place != std::string::npos) {
          const std::string other =
              line.substr(0, place) + std::string(mode.directive) + " " + std::string(mode.value);
          changes.push_back({rule::kMode, line, other, {{number, other}}});
        }
      ++number;
    }
    for (std::size_t i = 0; i < size(); ++i)
      if (at(i).is("v_add_f32")) {
        for (const char *write : {"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0",
                                  "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 3",
                                  "s_denorm_mode 0", "s_round_mode 3"})
          replace(rule::kMode, i, fmt::format("\t{}\n{}", write, at(i).print()));
        return;
      }
  }
};

} // namespace

std::vector<std::string> gcnRules() {
  return {rule::kOperands, rule::kCommuted, rule::kOperation, rule::kFused,    rule::kUnfused,
          rule::kSaturate, rule::kApprox,   rule::kSign,      rule::kConstant, rule::kRegister,
          rule::kWidth,    rule::kNarrow,   rule::kOrder,     rule::kSplit,    rule::kRestart,
          rule::kOffset,   rule::kArgument, rule::kRelation,  rule::kBound,    rule::kInverted,
          rule::kLanes,    rule::kSegment,  rule::kExec,      rule::kBarrier,  rule::kLate,
          rule::kFence,    rule::kWait,     rule::kWeakWait,  rule::kAtomic,   rule::kTwice,
          rule::kLost,     rule::kMode};
}

std::vector<Change> gcnChanges(const std::string &text) { return Finder(text).changes; }

} // namespace ordo::mutation
