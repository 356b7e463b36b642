#include "compiler/verify/describe/finding.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace ordo::verify {
namespace {

/// "@%p1 ld.global.f32 %f1, [%rd1];": the opcode.
std::string opcodeOf(std::string_view line) {
  const auto skip = [&](std::string_view what) {
    line.remove_prefix(std::min(line.find_first_not_of(what), line.size()));
  };
  skip(" \t{");
  if (line.starts_with('@')) {
    line.remove_prefix(std::min(line.find_first_of(" \t"), line.size()));
    skip(" \t");
  }
  return std::string(line.substr(0, line.find_first_of(" \t;")));
}

std::string opcodeOf(const Kernel &kernel, const Instruction &i) {
  return i.line < kernel.lines.size() ? opcodeOf(kernel.lines[i.line].text)
                                      : std::string(name(i.op));
}

bool isArithmetic(Op op) {
  static const std::set<Op> kOps = {Op::FAdd,  Op::FSub,    Op::FMul,   Op::FDiv, Op::FFma,
                                    Op::FSqrt, Op::FRcp,    Op::FNeg,   Op::FAbs, Op::FMin,
                                    Op::FMax,  Op::FMinNan, Op::FMaxNan};
  return kOps.contains(op);
}

bool roundsOtherwise(const Instruction &i) {
  return isArithmetic(i.op) && i.rounding != Round::NearestEven;
}

std::vector<Finding::Kind> kindsOf(const Instruction &i) {
  using Kind = Finding::Kind;
  std::vector<Kind> kinds;
  const auto note = [&](bool holds, Kind kind) {
    if (holds)
      kinds.push_back(kind);
  };
  note(i.op == Op::Approx, Kind::Approximation);
  note(i.flushes || (i.op == Op::Approx && i.what.find(".ftz") != std::string::npos), Kind::Flush);
  note(i.saturates, Kind::Saturation);
  note(roundsOtherwise(i), Kind::Rounding);
  note(i.mayContract, Kind::Contraction);
  note(i.op == Op::FFma, Kind::Fused);
  note(i.op == Op::Atomic && i.what.starts_with("f."), Kind::Atomic);
  return kinds;
}

} // namespace

std::string_view name(Finding::Kind kind) {
  static constexpr std::string_view kNames[] = {
      "approximation", "flushes subnormals", "saturates",        "rounds otherwise",
      "may contract",  "fused multiply-add", "atomic operation",
  };
  return kNames[static_cast<std::size_t>(kind)];
}

std::vector<Finding> findings(const Kernel &kernel) {
  std::map<std::pair<Finding::Kind, std::string>, std::set<std::uint32_t>> found;
  for (const Instruction &i : kernel.code)
    for (const Finding::Kind kind : kindsOf(i))
      found[{kind, opcodeOf(kernel, i)}].insert(kernel.lines.at(i.line).number);
  std::vector<Finding> all;
  for (const auto &[what, lines] : found)
    all.push_back({what.first, what.second, {lines.begin(), lines.end()}});
  std::ranges::sort(all, {}, [](const Finding &finding) {
    return std::tuple(finding.kind, finding.lines.front(), finding.instruction);
  });
  return all;
}

Kernel byName(Kernel kernel) {
  for (Instruction &i : kernel.code) {
    i.mayContract = false;
    const bool isSameFormat = i.op == Op::FConvert && i.from == i.format;
    if (!(isArithmetic(i.op) || isSameFormat) || !(i.flushes || i.saturates || roundsOtherwise(i)))
      continue;
    i.what = opcodeOf(kernel, i);
    i.op = Op::Approx;
    i.flushes = i.saturates = false;
    i.rounding = Round::NearestEven;
  }
  return kernel;
}

} // namespace ordo::verify
