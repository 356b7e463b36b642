#include "tests/mutation/ptx_mutator.h"

#include "tests/mutation/change_finder.h"
#include "tests/mutation/ptx_rewrites.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <optional>

namespace ordo::mutation {
namespace {

/// A number one larger: an integer, or the float whose bits are the next.
std::optional<std::string> nextNumber(std::string_view number) {
  const bool isF32 = number.starts_with("0f"), isF64 = number.starts_with("0d");
  const char *begin = number.data(), *end = begin + number.size();
  if (isF32 || isF64) {
    std::uint64_t bits = 0;
    if (std::from_chars(begin + 2, end, bits, 16).ptr != end)
      return std::nullopt;
    return isF32 ? fmt::format("0f{:08X}", bits + 1) : fmt::format("0d{:016X}", bits + 1);
  }
  std::int64_t value = 0;
  if (std::from_chars(begin, end, value).ptr != end)
    return std::nullopt;
  return std::to_string(value + 1);
}

/// The register before it, which is most often another value of the same kind: "%f11" of "%f12".
std::string neighbour(const std::string &reg) {
  const std::size_t digits = reg.find_first_of("0123456789");
  const int number = std::stoi(reg.substr(digits));
  return reg.substr(0, digits) + std::to_string(number > 1 ? number - 1 : number + 1);
}

/// "[%rd4+16]" moved by `bytes`.
std::string moved(const std::string &address, int bytes) {
  const std::size_t plus = address.find('+');
  const int before = plus == std::string::npos ? 0 : std::stoi(address.substr(plus + 1));
  const std::string base = address.substr(0, std::min(plus, address.size() - 1));
  return fmt::format("{}+{}]", base, before + bytes);
}

int bytesOf(std::string_view type) { return std::stoi(std::string(type.substr(1))) / 8; }

/// "%f12": all of it is a register.
bool isRegister(std::string_view operand) {
  return operand.starts_with('%') &&
         std::ranges::all_of(operand.substr(1), [](char c) { return std::isalnum(c) != 0; });
}

bool isStore(const CodeLine &line) { return line.is("st."); }
bool touchesShared(const CodeLine &line) { return line.isAny({"ld.shared", "st.shared"}); }

class Finder : public ChangeFinder {
public:
  explicit Finder(const std::string &text) : ChangeFinder(ptxCode(text)) {
    for (std::size_t i = 0; i < size(); ++i)
      if (!isStore(at(i)) && !at(i).operands.empty())
        definitions_[at(i).operands[0]].push_back(i);
    find<Finder>({&Finder::rewrites, &Finder::operands, &Finder::numbers, &Finder::registers,
                  &Finder::products, &Finder::sums, &Finder::results, &Finder::roundings,
                  &Finder::indices, &Finder::addresses, &Finder::control, &Finder::exchanges,
                  &Finder::barriers, &Finder::stores});
  }

private:
  /// The last line before `i` that defines `reg`, if it has the opcode.
  std::optional<std::size_t> definition(const std::string &reg, std::size_t i,
                                        std::string_view opcode) const {
    const auto it = definitions_.find(reg);
    if (it == definitions_.end())
      return std::nullopt;
    const auto after = std::ranges::lower_bound(it->second, i);
    if (after == it->second.begin() || !at(*(after - 1)).guard().empty() ||
        at(*(after - 1)).opcode != opcode)
      return std::nullopt;
    return *(after - 1);
  }

  void rewrites(std::size_t i) {
    for (const Rewrite &r : kRewrites) {
      if (!at(i).is(r.opcode) || !at(i).opcode.ends_with(r.type))
        continue;
      const std::string changed = r.from.find('.') == std::string_view::npos
                                      ? replaceWord(at(i).opcode, r.from, r.to)
                                      : std::string(r.to);
      opcode(r.rule, i, changed);
    }
  }

  void operands(std::size_t i) {
    const CodeLine &line = at(i);
    const bool isOrdered = line.isAny({"sub.", "div.", "setp.lt", "setp.le", "setp.gt", "setp.ge",
                                       "selp.", "shl.", "shr.", "cvt.rn.bf16x2"});
    const bool isEither = line.isAny(
        {"add.", "mul.", "fma.", "and.", "or.", "xor.", "max.", "min.", "setp.eq", "setp.ne"});
    if (line.operands.size() >= 3 && isOrdered)
      exchange(rule::kOperands, i, 1, 2);
    if (line.operands.size() >= 3 && isEither)
      exchange(rule::kCommuted, i, 1, 2);
    if (line.is("fma."))
      exchange(rule::kOperands, i, 1, 3);
    for (std::size_t k = 0; k < line.operands.size(); ++k)
      vectorElements(i, k);
  }

  /// {a, b, c, d} as {b, a, c, d}.
  void vectorElements(std::size_t i, std::size_t k) {
    const std::string &all = at(i).operands[k];
    const std::size_t comma = all.find(", ");
    if (!all.starts_with('{') || comma == std::string::npos)
      return;
    const std::size_t end = std::min(all.find_first_of(",}", comma + 2), all.size());
    operand(rule::kOperands, i, k,
            "{" + all.substr(comma + 2, end - comma - 2) + ", " + all.substr(1, comma - 1) +
                all.substr(end));
  }

  void numbers(std::size_t i) {
    if (at(i).isAny({"shfl", "bar"}))
      return;
    for (std::size_t k = 1; k < at(i).operands.size(); ++k) {
      const std::string &number = at(i).operands[k];
      if (const auto next = nextNumber(number))
        operand(rule::kConstant, i, k, *next);
      if (number == "0f80000000" || number == "0f00000000") // a zero of the other sign
        operand(rule::kSign, i, k, number == "0f00000000" ? "0f80000000" : "0f00000000");
    }
  }

  void registers(std::size_t i) {
    if (at(i).isAny({"bra", "mov.u", "ld."}))
      return;
    for (std::size_t k = 1; k < at(i).operands.size(); ++k)
      if (isRegister(at(i).operands[k]))
        return operand(rule::kRegister, i, k, neighbour(at(i).operands[k]));
  }

  void products(std::size_t i) {
    const CodeLine &line = at(i);
    const std::string type(line.type());
    if (line.is("fma.rn")) {
      const auto &o = line.operands;
      replace(rule::kUnfused, i,
              fmt::format("\t{{ .reg .{0} product; mul.rn.{0} product, {2}, {3}; add.rn.{0} {1}, "
                          "product, {4}; }}",
                          type, o[0], o[1], o[2], o[3]));
    }
    if (!line.is("add.rn"))
      return;
    for (const std::size_t k : {1u, 2u})
      if (const auto mul = definition(line.operands[k], i, "mul.rn." + type))
        replace(rule::kFused, i,
                fmt::format("\tfma.rn.{} {}, {}, {}, {};", type, line.operands[0],
                            at(*mul).operands[1], at(*mul).operands[2], line.operands[3 - k]));
  }

  /// first: d = a + b; i: e = d + c.
  void sums(std::size_t i) {
    const CodeLine &line = at(i);
    if (!line.is("add.rn"))
      return;
    replace(
        rule::kRestart, i,
        fmt::format("\tmov.{} {}, {};", moveType(line.type()), line.operands[0], line.operands[1]));
    for (const std::size_t k : {1u, 2u}) {
      const std::string &d = line.operands[k], &c = line.operands[3 - k];
      const auto first = definition(d, i, line.opcode);
      if (!first || d == c)
        continue;
      const std::string &a = at(*first).operands[1], &b = at(*first).operands[2];
      regroup(rule::kOrder, i, a, c, b);
      regroup(rule::kSplit, i, c, b, a);
    }
  }

  /// e = (x + y) + z. What line `first` defined stays.
  void regroup(const char *rule, std::size_t i, const std::string &x, const std::string &y,
               const std::string &z) {
    const CodeLine &line = at(i);
    replace(rule, i,
            fmt::format("\t{{ .reg .{0} other; {1} other, {2}, {3}; {1} {4}, other, {5}; }}",
                        line.type(), line.opcode, x, y, line.operands[0], z));
  }

  /// What leaves the result alone, but for zeros, infinities or subnormals.
  void results(std::size_t i) {
    const CodeLine &line = at(i);
    if (!line.isAny({"add.rn.f32", "mul.rn.f32", "max.f32", "fma.rn.f32"}))
      return;
    const std::string &d = line.operands[0];
    const auto then = [&](const char *rule, std::initializer_list<const char *> steps) {
      std::string text = line.print();
      for (const std::string step : steps)
        text += fmt::format("\n\t{0} {1}, {1}, {2};", step.substr(0, step.find(' ')), d,
                            step.substr(step.find(' ') + 1));
      replace(rule, i, text);
    };
    then(rule::kIdentity, {"add.rn.f32 0f00000000"});
    then(rule::kIdentity, {"add.rn.f32 0f80000000"});
    then(rule::kIdentity, {"mul.rn.f32 0f3F800000"});
    then(rule::kIdentity, {"max.f32 0fFF800000"});
    then(rule::kScaled, {"mul.rn.f32 0f40000000", "mul.rn.f32 0f3F000000"});
    then(rule::kScaled, {"mul.rn.f32 0f3F000000", "mul.rn.f32 0f40000000"});
  }

  /// To bf16 by adding half of a last place, less one, plus the last bit: wrong for NaNs. Or plus
  /// half alone: wrong for ties too.
  void roundings(std::size_t i) {
    const CodeLine &line = at(i);
    if (line.opcode == "cvt.rn.bf16.f32")
      for (const char *tie :
           {"bfe.u32 cb, ca, 16, 1; add.s32 cb, cb, 32767;", "mov.b32 cb, 32768;"})
        replace(rule::kCode, i,
                fmt::format("\t{{ .reg .b32 ca, cb; mov.b32 ca, {1}; {2} add.s32 ca, ca, cb; "
                            "shr.u32 ca, ca, 16; cvt.u16.u32 {0}, ca; }}",
                            line.operands[0], line.operands[1], tie));
    if (line.opcode == "cvt.rn.bf16x2.f32")
      replace(rule::kCode, i,
              fmt::format("\t{{ .reg .b32 ca, cb, cc; mov.b32 ca, {1}; bfe.u32 cb, ca, 16, 1; "
                          "add.s32 cb, cb, 32767; add.s32 ca, ca, cb; and.b32 ca, ca, -65536; "
                          "mov.b32 cc, {2}; bfe.u32 cb, cc, 16, 1; add.s32 cb, cb, 32767; "
                          "add.s32 cc, cc, cb; shr.u32 cc, cc, 16; or.b32 {0}, ca, cc; }}",
                          line.operands[0], line.operands[1], line.operands[2]));
  }

  static std::string moveType(std::string_view type) {
    return type == "f16" || type == "bf16" ? "b16" : std::string(type);
  }

  void indices(std::size_t i) {
    const CodeLine &line = at(i);
    if (line.is("add.s64") || line.is("mul.lo.s64")) {
      const std::string other = at(i).is("add") ? "add.s32" : "mul.lo.s32";
      const bool isNumber = !isRegister(line.operands[2]);
      replace(rule::kNarrow, i,
              fmt::format("\t{{ .reg .b32 na, nb; cvt.u32.u64 na, {1}; {2} {4} na, na, nb; "
                          "cvt.u64.u32 {0}, na; }}",
                          line.operands[0], line.operands[1],
                          isNumber ? fmt::format("mov.b32 nb, {};", line.operands[2])
                                   : fmt::format("cvt.u32.u64 nb, {};", line.operands[2]),
                          "", other));
    }
    if (line.is("mul.wide.u32"))
      replace(rule::kNarrow, i,
              fmt::format("\t{{ .reg .b32 na; mul.lo.s32 na, {1}, {2}; cvt.u64.u32 {0}, na; }}",
                          line.operands[0], line.operands[1], line.operands[2]));
    if (line.is("shl.b64"))
      replace(rule::kNarrow, i,
              fmt::format("\t{{ .reg .b32 na; cvt.u32.u64 na, {1}; shl.b32 na, na, {2}; "
                          "cvt.u64.u32 {0}, na; }}",
                          line.operands[0], line.operands[1], line.operands[2]));
    static const std::map<std::string, std::string> kOther = {
        {"%tid.x", "%tid.y"}, {"%tid.y", "%tid.x"}, {"%ctaid.x", "%ctaid.y"}};
    if (line.is("mov.u32"))
      if (const auto it = kOther.find(line.operands[1]); it != kOther.end())
        operand(rule::kThread, i, 1, it->second);
  }

  void addresses(std::size_t i) {
    const CodeLine &line = at(i);
    for (std::size_t k = 0; k < line.operands.size(); ++k) {
      const std::string &address = line.operands[k];
      if (!address.starts_with('['))
        continue;
      if (line.is("ld.param"))
        return argument(i, k);
      const int element = bytesOf(line.type());
      const int count = line.has("v4") ? 4 : line.has("v2") ? 2 : 1;
      operand(rule::kOffset, i, k, moved(address, element * count));
      if (count > 1)
        operand(rule::kOffset, i, k, moved(address, element));
    }
  }

  /// [kernel_param_2] as [kernel_param_1]; the first as the second.
  void argument(std::size_t i, std::size_t k) {
    const std::string &name = at(i).operands[k];
    const std::size_t digits = name.rfind('_') + 1;
    const int number = std::stoi(name.substr(digits));
    operand(rule::kArgument, i, k,
            name.substr(0, digits) + std::to_string(number > 0 ? number - 1 : 1) + "]");
  }

  void control(std::size_t i) {
    const CodeLine &line = at(i);
    if (!line.guard().empty()) {
      CodeLine other = line;
      other.before = "\t";
      if (line.is("bra"))
        drop(rule::kBound, i);
      replace(rule::kBound, i, other);
      other.before = line.guard().starts_with('!') ? fmt::format("\t@{} ", line.guard().substr(1))
                                                   : fmt::format("\t@!{} ", line.guard());
      replace(rule::kInverted, i, other);
    }
    const bool isClamp = line.is("min.u64") || line.is("selp.");
    for (const std::size_t k : {1u, 2u})
      if (isClamp)
        replace(rule::kBound, i,
                fmt::format("\tmov.b{} {}, {};", bytesOf(line.type()) * 8, line.operands[0],
                            line.operands[k]));
  }

  void exchanges(std::size_t i) {
    if (!at(i).is("shfl.sync"))
      return;
    const int lane = std::stoi(at(i).operands[2]);
    operand(rule::kLanes, i, 2, std::to_string(lane ^ 1));
    operand(rule::kLanes, i, 2, std::to_string(lane == 1 ? 2 : lane / 2));
    operand(rule::kSegment, i, 3, "15");
    operand(rule::kSegment, i, 3, std::to_string(0x100 * 16 + 31)); // halves of a warp
    operand(rule::kSegment, i, 4, "65535");
  }

  void barriers(std::size_t i) {
    if (!at(i).is("bar.sync"))
      return;
    drop(rule::kBarrier, i);
    replace(rule::kFence, i, "\tmembar.cta;");
    replace(rule::kFence, i, "\tbar.warp.sync -1;");
    replace(rule::kPart, i, "\tbar.sync 0, 32;");
    late(i, touchesShared);
  }

  void stores(std::size_t i) {
    const CodeLine &line = at(i);
    if (!isStore(line))
      return;
    drop(rule::kLost, i);
    const bool isShared = line.is("st.shared");
    if (!isShared)
      replace(rule::kTwice, i, line.print() + "\n" + line.print());
    if (line.has("v4") || line.has("v2"))
      return;
    const int bits = bytesOf(line.type()) * 8;
    const std::string space = isShared ? "shared" : "global";
    if (line.type() == "f32" || line.type() == "f64")
      opcode(rule::kAtomic, i, fmt::format("red.{}.add.{}", space, line.type()));
    else if (bits >= 32)
      opcode(rule::kAtomic, i, fmt::format("red.{}.add.u{}", space, bits));
    if (bits >= 32 && line.type().front() != 'f')
      replace(rule::kAtomic, i,
              fmt::format("\t{{ .reg .b{0} old; atom.{1}.exch.b{0} old, {2}, {3}; }}", bits, space,
                          line.operands[0], line.operands[1]));
  }

  std::map<std::string, std::vector<std::size_t>> definitions_;
};

} // namespace

std::vector<std::string> ptxRules() {
  return {rule::kOperands, rule::kCommuted, rule::kOperation, rule::kFused,    rule::kUnfused,
          rule::kContract, rule::kRounding, rule::kNans,      rule::kIdentity, rule::kScaled,
          rule::kCode,     rule::kFlush,    rule::kSaturate,  rule::kApprox,   rule::kSign,
          rule::kConstant, rule::kRegister, rule::kWidth,     rule::kNarrow,   rule::kOrder,
          rule::kSplit,    rule::kRestart,  rule::kOffset,    rule::kArgument, rule::kThread,
          rule::kRelation, rule::kBound,    rule::kInverted,  rule::kLanes,    rule::kSegment,
          rule::kBarrier,  rule::kLate,     rule::kFence,     rule::kPart,     rule::kAtomic,
          rule::kTwice,    rule::kLost};
}

std::vector<Change> ptxChanges(const std::string &text) { return Finder(text).changes; }

} // namespace ordo::mutation
