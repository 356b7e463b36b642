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
      found.push_back(loopOf(head, latch));
    std::ranges::sort(found, [](const Loop &a, const Loop &b) {
      return std::ranges::count(a.body, true) > std::ranges::count(b.body, true);
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

  Loop loopOf(std::uint32_t head, std::uint32_t latch) const {
    Loop loop;
    loop.head = head;
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
    shape(loop);
    return loop;
  }

  void shape(Loop &loop) const {
    std::set<RegisterId> written;
    std::vector<std::uint32_t> exits;
    for (std::uint32_t pc = 0; pc < code_.size(); ++pc) {
      if (!loop.body[pc])
        continue;
      written.insert(code_[pc].dst.begin(), code_[pc].dst.end());
      const auto leaves = [&](std::uint32_t to) { return !loop.body[to]; };
      if (std::ranges::any_of(after(pc), leaves))
        exits.push_back(pc);
      if (pc != loop.head && std::ranges::any_of(before_[pc], leaves))
        loop.obstacle = "it can be entered beside its head";
      obstacle(loop, code_[pc]);
    }
    loop.written.assign(written.begin(), written.end());
    if (exits.size() != 1) {
      loop.obstacle = "it has several exits, or none";
      return;
    }
    loop.exit = exits.front();
    const Instruction &i = code_[loop.exit];
    loop.leavesWhenTaken = i.op == Op::Branch && !loop.body[i.target];
    loop.after = loop.leavesWhenTaken ? i.target : loop.exit + 1;
    if (i.op != Op::Branch || !returns(loop))
      loop.obstacle = "its exit is not at the end of a step";
  }

  /// From the exit the way back to the head does nothing.
  bool returns(const Loop &loop) const {
    std::uint32_t pc = loop.leavesWhenTaken ? loop.exit + 1 : code_[loop.exit].target;
    for (std::size_t hops = 0; hops < code_.size() && pc != loop.head; ++hops) {
      const Instruction &i = code_[pc];
      if (i.op != Op::Branch || i.guard != kNoRegister)
        return false;
      pc = i.target;
    }
    return pc == loop.head;
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
