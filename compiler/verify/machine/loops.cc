#include "compiler/verify/machine/loops.h"

#include <algorithm>
#include <set>

namespace ordo::verify {
namespace {

class Finder {
public:
  explicit Finder(const Kernel &kernel) : code_(kernel.code) {
    before_.resize(code_.size());
    for (std::uint32_t pc = 0; pc < code_.size(); ++pc)
      for (const std::uint32_t next : after(pc))
        before_[next].push_back(pc);
  }

  std::vector<Loop> run() {
    std::vector<Loop> found;
    for (const auto &[head, latch] : backEdges())
      for (Loop &loop : loopsOf(head, latch))
        found.push_back(std::move(loop));
    std::ranges::sort(found, {}, [](const Loop &loop) {
      return std::pair(-std::ranges::count(loop.body, true), loop.exit);
    });
    return found;
  }

private:
  std::vector<std::uint32_t> after(std::uint32_t pc) const {
    const Instruction &i = code_[pc];
    std::vector<std::uint32_t> next;
    const bool mayFallThrough =
        (i.op != Op::Branch && i.op != Op::Exit && i.op != Op::Trap) || i.guard != kNoRegister;
    if (mayFallThrough && pc + 1 < code_.size())
      next.push_back(pc + 1);
    if (i.op == Op::Branch && (next.empty() || next.front() != i.target))
      next.push_back(i.target);
    return next;
  }

  /// Edges to an instruction that a depth-first walk is still below.
  std::set<std::pair<std::uint32_t, std::uint32_t>> backEdges() const {
    enum class Mark : std::uint8_t { New, Open, Done };
    std::vector<Mark> marks(code_.size(), Mark::New);
    std::vector<std::pair<std::uint32_t, std::size_t>> stack; // and the next successor
    std::set<std::pair<std::uint32_t, std::uint32_t>> edges;
    if (!code_.empty())
      stack.emplace_back(0, 0);
    while (!stack.empty()) {
      auto &[pc, which] = stack.back();
      marks[pc] = Mark::Open;
      const auto next = after(pc);
      if (which == next.size()) {
        marks[pc] = Mark::Done;
        stack.pop_back();
        continue;
      }
      const std::uint32_t to = next[which++];
      if (marks[to] == Mark::Open)
        edges.emplace(to, pc);
      else if (marks[to] == Mark::New)
        stack.emplace_back(to, 0);
    }
    return edges;
  }

  /// One for each exit.
  std::vector<Loop> loopsOf(std::uint32_t head, std::uint32_t latch) const {
    Loop loop;
    loop.body.assign(code_.size(), false);
    loop.body[head] = true;
    std::vector<std::uint32_t> stack = {latch};
    while (!stack.empty()) {
      const std::uint32_t pc = stack.back();
      stack.pop_back();
      if (loop.body[pc])
        continue;
      loop.body[pc] = true;
      stack.insert(stack.end(), before_[pc].begin(), before_[pc].end());
    }
    std::vector<Loop> found;
    for (const std::uint32_t exit : shape(loop, head))
      if (code_[exit].op == Op::Branch)
        found.push_back(leftAt(loop, exit));
    return found;
  }

  /// Returns the exits.
  std::vector<std::uint32_t> shape(Loop &loop, std::uint32_t head) const {
    std::set<RegisterId> written;
    std::vector<std::uint32_t> exits;
    for (std::uint32_t pc = 0; pc < code_.size(); ++pc) {
      if (!loop.body[pc])
        continue;
      written.insert(code_[pc].dst.begin(), code_[pc].dst.end());
      const auto leaves = [&](std::uint32_t to) { return !loop.body[to]; };
      if (std::ranges::any_of(after(pc), leaves))
        exits.push_back(pc);
      if (pc != head && std::ranges::any_of(before_[pc], leaves))
        loop.obstacle = "it can be entered beside its head";
      obstacle(loop, code_[pc]);
    }
    loop.written.assign(written.begin(), written.end());
    return exits;
  }

  Loop leftAt(Loop loop, std::uint32_t exit) const {
    const Instruction &i = code_[exit];
    loop.exit = exit;
    loop.leavesWhenTaken = !loop.body[i.target];
    loop.after = loop.leavesWhenTaken ? i.target : exit + 1;
    loop.head = loop.leavesWhenTaken ? exit + 1 : i.target;
    for (std::size_t hops = 0; hops < code_.size(); ++hops) {
      const Instruction &next = code_[loop.head];
      if (next.op != Op::Branch || next.guard != kNoRegister)
        break;
      loop.head = next.target;
    }
    if (loop.obstacle.empty())
      for (const RegisterId reg : loop.written)
        if (isReadFrom(loop.after, reg))
          loop.readAfter.push_back(reg);
    return loop;
  }

  /// Whether some way from `start` on reads the register before it is written.
  bool isReadFrom(std::uint32_t start, RegisterId reg) const {
    std::vector<bool> seen(code_.size());
    std::vector<std::uint32_t> stack = {start};
    while (!stack.empty()) {
      const std::uint32_t pc = stack.back();
      stack.pop_back();
      if (pc >= code_.size() || seen[pc])
        continue;
      seen[pc] = true;
      const Instruction &i = code_[pc];
      if (i.guard == reg || std::ranges::any_of(i.src, [&](const Operand &o) {
            return o.isRegister() && o.reg == reg;
          }))
        return true;
      if (i.guard != kNoRegister || std::ranges::find(i.dst, reg) == i.dst.end())
        for (const std::uint32_t next : after(pc))
          stack.push_back(next);
    }
    return false;
  }

  static void obstacle(Loop &loop, const Instruction &i) {
    switch (i.op) {
    case Op::Barrier:
    case Op::WarpBarrier:
    case Op::Shuffle:
    case Op::Vote:
    case Op::Match:
    case Op::Reduce:
    case Op::LaneMove:
    case Op::LanePermute:
      loop.obstacle = "its threads exchange values in a step";
      return;
    case Op::CopyAsync:
    case Op::CommitGroup:
    case Op::WaitGroup:
      loop.obstacle = "it copies asynchronously";
      return;
    case Op::Load:
    case Op::Store:
      if (i.access.space == Space::Shared || i.access.space == Space::Local)
        loop.obstacle = "it uses shared memory";
      return;
    default:
      return;
    }
  }

  const std::vector<Instruction> &code_;
  std::vector<std::vector<std::uint32_t>> before_;
};

} // namespace

std::vector<Loop> loops(const Kernel &kernel) { return Finder(kernel).run(); }

} // namespace ordo::verify
