// What the author promises, tried on the values at hand.
#include "dsl/eval/table.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace ordo::dsl::machine {
namespace {

/// Every value of an Index or integer type.
using Whole = __int128;

Whole wholeOf(DType type, const std::byte *element) {
  const std::uint64_t bits = loadBits(type, element);
  const bool isSigned = type == DType::I32 || type == DType::I64 || type == DType::Index;
  return isSigned ? Whole{static_cast<std::int64_t>(castBits(type, DType::I64, bits))}
                  : Whole{bits};
}

struct Point {
  std::vector<std::int64_t> at;
  Whole value = 0, length = 1;
};

struct Checker {
  Machine &machine;
  const Assumption &assumption;

  [[noreturn]] void refuse(const std::string &why) const {
    throw EvalError(fmt::format("`assume {}` does not hold{}", assumption.text, why));
  }
  std::string at(std::span<const std::int64_t> point) const {
    const std::string text = machine.pointText(assumption.vars, point);
    return text.empty() ? "" : " at " + text;
  }

  /// Calls visit(frame, point in it, values of the roots) for each live point.
  template <class F> void walk(const std::vector<ExprId> &roots, F visit) const {
    const Program &program = machine.program();
    Nest nest;
    Body body;
    std::vector<VarId> vars;
    for (const ExprId root : roots) {
      if (root >= program.exprCount())
        throw EvalError(fmt::format("malformed program: `assume {}`", assumption.text));
      std::ranges::copy(machine.freeVars(root), std::back_inserter(vars));
    }
    nest.compile(machine, assumption.vars);
    machine.inScope(assumption.vars,
                    [&] { body.compile(machine, roots, assumption.where, std::move(vars)); });
    std::vector<std::vector<std::byte>> columns(roots.size(), std::vector<std::byte>(kBatch * 8));
    std::vector<std::byte *> out;
    for (std::vector<std::byte> &column : columns)
      out.push_back(column.data());
    std::vector<std::uint8_t> live(kBatch), poison(kBatch);
    Frame frame;
    machine.bindAmbient(frame);
    for (nest.start(machine, frame); nest.next();) {
      const bool isPoisoned = body.run(machine, frame, out.data(), live.data(), poison.data());
      for (std::size_t i = 0; i < frame.count; ++i) {
        std::vector<std::int64_t> point;
        if (live[i] == 0 && !isPoisoned)
          continue;
        for (const VarId var : assumption.vars)
          point.push_back(frame.vars[var].at(i));
        if (isPoisoned && poison[i] != 0)
          throw EvalError(fmt::format("whether `assume {}` holds is not known{}: {}",
                                      assumption.text, at(point), machine.fault()));
        if (live[i] != 0)
          visit(i, std::move(point), columns);
      }
    }
  }

  void holds() const {
    walk({assumption.condition}, [&](std::size_t i, std::vector<std::int64_t> point,
                                     const std::vector<std::vector<std::byte>> &columns) {
      if (columns[0][i] == std::byte{0})
        refuse(at(point));
    });
  }

  std::vector<Point> points(bool hasLength) const {
    std::vector<ExprId> roots = {assumption.value};
    if (hasLength)
      roots.push_back(assumption.length);
    std::vector<Point> all;
    walk(roots, [&](std::size_t i, std::vector<std::int64_t> point,
                    const std::vector<std::vector<std::byte>> &columns) {
      Point &p = all.emplace_back();
      p.at = std::move(point);
      const auto read = [&](std::size_t root) {
        const DType type = machine.program().expr(roots[root]).type;
        return wholeOf(type, columns[root].data() + i * elementSize(type));
      };
      p.value = read(0);
      if (hasLength)
        p.length = read(1);
    });
    return all;
  }

  std::string both(const Point &a, const Point &b) const {
    return at(std::min(a.at, b.at)) + " and" + at(std::max(a.at, b.at));
  }

  void distinct() const {
    std::map<Whole, const Point *> seen;
    const std::vector<Point> all = points(false);
    for (const Point &point : all) {
      const auto [it, isNew] = seen.try_emplace(point.value, &point);
      if (!isNew)
        refuse(fmt::format("{}: both are {}", both(*it->second, point),
                           static_cast<std::int64_t>(point.value)));
    }
  }

  void disjoint() const {
    std::vector<Point> all = points(true);
    std::erase_if(all, [](const Point &p) { return p.length <= 0; });
    std::ranges::sort(all, [](const Point &a, const Point &b) {
      return a.value != b.value ? a.value < b.value : a.at < b.at;
    });
    for (std::size_t i = 1; i < all.size(); ++i)
      if (all[i].value < all[i - 1].value + all[i - 1].length)
        refuse(fmt::format("{}: both have {}", both(all[i - 1], all[i]),
                           static_cast<std::int64_t>(all[i].value)));
  }
};

} // namespace

void Machine::check(const Assumption &assumption) {
  const Checker checker{*this, assumption};
  switch (assumption.kind) {
  case Assumption::Kind::Holds:
    return checker.holds();
  case Assumption::Kind::Distinct:
    return checker.distinct();
  case Assumption::Kind::Disjoint:
    return checker.disjoint();
  }
}

} // namespace ordo::dsl::machine
