#include "tests/mutation/code_diff.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <vector>

namespace ordo::mutation {
namespace {

using verify::Instruction;
using verify::Kernel;
using verify::RegisterId;

/// Temporaries have no name; that they are the same ones, the order in which they are made says.
std::string nameOf(const Kernel &kernel, RegisterId reg) {
  if (reg == verify::kNoRegister)
    return "-";
  const verify::Register &r = kernel.registers[reg];
  return fmt::format("{}:{}", r.name.empty() ? "temporary" : r.name, r.width);
}

std::vector<std::string> printed(const Kernel &kernel) {
  std::vector<std::string> lines;
  for (const Instruction &i : kernel.code)
    lines.push_back(mutation::printed(kernel, i));
  return lines;
}

/// The registers of instructions that are alike.
class Names {
public:
  Names(const Kernel &kernel, const Kernel &mutant, CodeDiff &diff) : diff_(diff) {
    for (std::size_t k = 0; k < diff.kernel.begin; ++k)
      pair(kernel.code[k], mutant.code[k]);
    for (std::size_t k = diff.kernel.end; k < kernel.code.size(); ++k)
      pair(kernel.code[k], mutant.code[k - diff.kernel.end + diff.mutant.end]);
    std::map<std::string, RegisterId> named;
    for (RegisterId r = 0; r < mutant.registers.size(); ++r)
      if (!mutant.registers[r].name.empty())
        named.emplace(mutant.registers[r].name, r);
    for (RegisterId r = 0; r < kernel.registers.size(); ++r)
      if (const auto it = named.find(kernel.registers[r].name); it != named.end())
        diff.registers.emplace(r, it->second);
  }

private:
  void pair(RegisterId a, RegisterId b) {
    if (a != verify::kNoRegister && b != verify::kNoRegister)
      diff_.registers.emplace(a, b);
  }
  void pair(const Instruction &a, const Instruction &b) {
    pair(a.guard, b.guard);
    for (std::size_t k = 0; k < a.dst.size(); ++k)
      pair(a.dst[k], b.dst[k]);
    for (std::size_t k = 0; k < a.src.size(); ++k)
      pair(a.src[k].reg, b.src[k].reg);
  }

  CodeDiff &diff_;
};

} // namespace

std::string printed(const Kernel &kernel, const Instruction &i, bool withOperands) {
  std::string text = fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {} {}", verify::name(i.op),
                                 i.width, i.fromWidth, i.bit, static_cast<int>(i.format),
                                 static_cast<int>(i.from), static_cast<int>(i.rounding), i.flushes,
                                 i.saturates, i.mayContract, static_cast<int>(i.shuffle),
                                 static_cast<int>(i.vote), static_cast<int>(i.special), i.what);
  const verify::Access &a = i.access;
  text += fmt::format(" [{} {} {} {} {} {} {} {}]", static_cast<int>(a.space), a.bits, a.count,
                      a.aligned, withOperands ? a.offset : 0, a.readOnly, a.isVolatile,
                      static_cast<int>(a.counter));
  text += fmt::format(" @{}{}", i.guardNegated ? "!" : "", nameOf(kernel, i.guard));
  for (const RegisterId reg : i.dst)
    text += fmt::format(" {}", nameOf(kernel, reg));
  if (!withOperands)
    return text;
  text += " <-";
  for (const verify::Operand &operand : i.src)
    text += operand.isRegister() ? " " + nameOf(kernel, operand.reg)
                                 : fmt::format(" {:#x}", operand.bits);
  return text + fmt::format(" {}", fmt::join(i.lanes, ","));
}

CodeDiff diffOf(const Kernel &kernel, const Kernel &mutant) {
  const std::vector<std::string> a = printed(kernel), b = printed(mutant);
  const std::size_t most = std::min(a.size(), b.size());
  std::size_t front = 0, back = 0;
  while (front < most && a[front] == b[front])
    ++front;
  while (back < most - front && a[a.size() - 1 - back] == b[b.size() - 1 - back])
    ++back;
  CodeDiff diff{{front, a.size() - back}, {front, b.size() - back}, {}};
  Names(kernel, mutant, diff);
  return diff;
}

std::span<const Instruction> within(const Kernel &kernel, const Region &region) {
  return std::span(kernel.code).subspan(region.begin, region.end - region.begin);
}

} // namespace ordo::mutation
