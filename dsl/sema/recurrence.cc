// fold and scan.
//
//   1. The shared indices become variables, and each name's own ones; starts are checked.
//   2. A start that is a literal alone takes the type that the step gives it: every type is tried,
//      and exactly one must fit.
//   3. The step: its index, what is carried, local definitions, `next` and `yield`; then `merge`,
//      which sees two carries and no index.
#include "dsl/sema/expr.h"
#include "dsl/sema/extents.h"

#include <algorithm>
#include <array>

namespace ordo::dsl {
namespace {

constexpr Type kIndex{DType::Index, nullptr};

constexpr std::array kReals = {DType::F32, DType::F64, DType::BF16, DType::F16};
constexpr std::array kWholes = {DType::I32, DType::I64, DType::U32, DType::U64};

constexpr int kMostPlaces = 100'000; // looked at for the extent of one index

bool isChain(const Stage &stage) {
  return stage.kind == Stage::Kind::Seq || stage.kind == Stage::Kind::Lanes;
}

} // namespace

std::optional<RecurrenceId> ExprChecker::checkFold(NodeId id, const FoldLayout &layout,
                                                   Scope &scope) {
  const Frame frame(*this, scope);
  const Node &fold = node(id);
  const std::size_t mark = scope.size();
  const std::size_t facts = algebra_.factCount();
  Recurrence r;
  r.isScan = fold.text == "scan";
  r.span = fold.span;
  bool isFine = true;
  for (const FoldLayout::Index &index : layout.shared) {
    r.shared.push_back(bindVariable(index.name, index.span, index.extent, scope));
    isFine = isFine && r.shared.back() != kNone;
  }
  recurrence_ = static_cast<RecurrenceId>(program_.recurrences.size());
  isFine = isFine && foldOrder(fold, r) && startsOf(fold, layout, r) &&
           inferTypes(fold, layout, r) && foldBody(fold, layout, r);
  algebra_.forget(facts);
  scope.shrink(mark);
  const RecurrenceId made = std::exchange(recurrence_, kNone);
  if (!isFine)
    return std::nullopt;
  program_.recurrences.push_back(std::move(r));
  return made;
}

// Each carry with its own variables, and its start where that has a type.
bool ExprChecker::startsOf(const Node &fold, const FoldLayout &layout, Recurrence &r) {
  bool isFine = true;
  for (std::size_t k = 0; k < layout.heads.size(); ++k) {
    const FoldLayout::Head &head = layout.heads[k];
    const bool isCarry = k < fold.b;
    Carry carry;
    carry.name = head.name;
    carry.recurrence = recurrence_;
    const std::size_t mark = scope_->size();
    for (const FoldLayout::Index &index : head.own) {
      carry.vars.push_back(bindVariable(index.name, index.span, index.extent, *scope_));
      isFine = isFine && carry.vars.back() != kNone;
    }
    const NodeId start = isCarry ? fold.kids[fold.a + 2 + k] : kNoNode;
    if (isFine && isCarry && (head.type || !isUntyped(start))) {
      const std::string what = fmt::format("where `{}` starts", head.name);
      const Value value = head.type ? withinAs(start, *head.type, what) : within(start, nullptr);
      isFine = static_cast<bool>(value);
      carry.start = value.id;
      carryTypes_[static_cast<CarryId>(program_.carries.size())] = value.type;
      carry.type = value.type.dtype;
    }
    scope_->shrink(mark);
    (isCarry ? r.carries : r.yields).push_back(static_cast<CarryId>(program_.carries.size()));
    program_.carries.push_back(std::move(carry));
  }
  return isFine;
}

bool ExprChecker::inferTypes(const Node &fold, const FoldLayout &layout, Recurrence &r) {
  const bool isTyped = std::ranges::all_of(
      r.carries, [&](CarryId carry) { return program_.carries[carry].start != kNone; });
  if (isTyped)
    return true;
  bool hasReal = false, hasWhole = false;
  NodeId first = kNoNode;
  for (std::size_t k = 0; k < r.carries.size(); ++k)
    if (program_.carries[r.carries[k]].start == kNone) {
      const NodeId start = fold.kids[fold.a + 2 + k];
      first = first == kNoNode ? start : first;
      (isWhole(start) ? hasWhole : hasReal) = true;
    }
  std::vector<std::pair<DType, DType>> fitting;
  for (DType real : kReals)
    for (DType whole : kWholes) {
      const bool isRepeat = (!hasReal && real != kReals[0]) || (!hasWhole && whole != kWholes[0]);
      if (!isRepeat && tryTypes(fold, layout, r, real, whole))
        fitting.emplace_back(real, whole);
    }
  if (fitting.size() > 1) {
    report_
        .error("literal-without-context", node(first).span,
               fmt::format("nothing in the step says which type `{}` has", text(first)))
        .help = fmt::format("write it with its type: {}({})", hasReal ? "f32" : "i32", text(first));
    return false;
  }
  // None: the errors of the usual types are given.
  const auto [real, whole] = fitting.empty() ? std::pair(kReals[0], kWholes[0]) : fitting.front();
  return giveTypes(fold, layout, r, real, whole);
}

// An untyped expression without a fraction: 0, -1, 2 + 1.
bool ExprChecker::isWhole(NodeId id) const {
  const Node &n = node(id);
  if (n.kind == NodeKind::Number)
    return n.text.find_first_of(".pn") == std::string::npos &&
           (n.text.starts_with("0x") || n.text.find_first_of("eE") == std::string::npos);
  return std::ranges::all_of(n.kids, [&](NodeId kid) { return kid == kNoNode || isWhole(kid); });
}

// Whether the body is free of errors with these types; leaves everything as it was.
bool ExprChecker::tryTypes(const Node &fold, const FoldLayout &layout, Recurrence r, DType real,
                           DType whole) {
  const Program program = program_;
  const auto constants = constants_;
  const auto refused = refusedLocals_;
  const auto types = carryTypes_;
  const std::size_t mark = scope_->size(), facts = algebra_.factCount(), calls = calls_.size();
  const bool wasMuted = report_.isMuted(), saidTooLarge = saidTooLarge_;
  report_.setMuted(true);
  const bool isFine = giveTypes(fold, layout, r, real, whole) && foldBody(fold, layout, r);
  report_.setMuted(wasMuted);
  scope_->shrink(mark);
  algebra_.forget(facts);
  calls_.erase(calls_.begin() + static_cast<std::ptrdiff_t>(calls), calls_.end());
  saidTooLarge_ = saidTooLarge;
  carryTypes_ = types;
  refusedLocals_ = refused;
  constants_ = constants;
  program_ = program;
  algebra_.truncate();
  return isFine;
}

bool ExprChecker::giveTypes(const Node &fold, const FoldLayout &layout, Recurrence &r, DType real,
                            DType whole) {
  for (std::size_t k = 0; k < r.carries.size(); ++k) {
    if (program_.carries[r.carries[k]].start != kNone)
      continue;
    const NodeId start = fold.kids[fold.a + 2 + k];
    const Type type{isWhole(start) ? whole : real, nullptr};
    const Value value =
        withinAs(start, type, fmt::format("where `{}` starts", layout.heads[k].name));
    if (!value)
      return false;
    program_.carries[r.carries[k]].start = value.id;
    program_.carries[r.carries[k]].type = type.dtype;
    carryTypes_[r.carries[k]] = type;
  }
  return true;
}

// The first stage makes the runs, each a chain of steps; what follows merges whole carries.
bool ExprChecker::foldOrder(const Node &fold, Recurrence &r) {
  const NodeId order = fold.kids[fold.a];
  const bool hasMerge = fold.kids.back() != kNoNode;
  if (order == kNoNode) {
    report_
        .error("missing-order", fold.nameSpan,
               fmt::format("the steps of `{}` need an order", fold.text))
        .help = fmt::format("write {}[… by seq]", fold.text);
    return false;
  }
  const auto resolved = checkOrder(order, *scope_);
  if (!resolved)
    return false;
  r.order = *resolved;
  const auto refuse = [&](std::string message, std::string help) {
    report_.error("bad-order", node(order).span, std::move(message)).help = std::move(help);
    return false;
  };
  if (r.order.empty()) // a generic check: not known yet
    return true;
  for (const Stage &stage : r.order.stages)
    if (stage.round || stage.start || stage.pad)
      return refuse(fmt::format("`{}` rounds, starts or pads a single value, and a {} carries more",
                                toString(stage), fold.text),
                    "the step and `from` say these themselves");
  const Stage &first = r.order.stages.front();
  if (!isChain(first))
    return refuse(fmt::format("the steps of a {} are taken one after another, and `{}` takes none",
                              fold.text, toString(first)),
                  "begin the order with seq(1) to start each step anew and merge");
  const bool isSeq = r.order.stages.size() == 1 && first.kind == Stage::Kind::Seq && first.n == 0;
  if (r.isScan && !isSeq)
    return refuse("a scan emits every step, so its order is `seq`", "");
  if (!isSeq && !hasMerge)
    return refuse(fmt::format("`{}` makes several runs, and nothing says how two are put together",
                              toString(r.order)),
                  "add merge (x, y) { … next (…) }");
  return true;
}

bool ExprChecker::foldBody(const Node &fold, const FoldLayout &layout, Recurrence &r) {
  const std::size_t mark = scope_->size(), facts = algebra_.factCount();
  const bool isFine = foldStep(fold, layout, r);
  algebra_.forget(facts);
  scope_->shrink(mark);
  const bool hasMerge = fold.kids.back() != kNoNode;
  const bool isMerged = isFine && (!hasMerge || foldMerge(fold, layout, r));
  scope_->shrink(mark);
  return isMerged;
}

bool ExprChecker::foldStep(const Node &fold, const FoldLayout &layout, Recurrence &r) {
  if (!bindBinders(std::span(fold.kids).first(fold.a), r.vars))
    return false;
  if (!guard(fold.kids[fold.a + 1], r.where))
    return false;
  if (!declareCarries(layout, r, "", fold.nameSpan, Side::Step))
    return false;
  const std::size_t mark = scope_->size();
  const Node &block = node(fold.kids[fold.kids.size() - 2]);
  const std::size_t ends = r.isScan ? 2 : 1; // `next`, and a scan's `yield`
  const std::span<const NodeId> statements(block.kids.data(), block.kids.size() - ends);
  const Node &next = node(block.kids[statements.size()]);
  bool isFine = bindStep(statements, block.kids, r.stepLocals);
  isFine = isFine && carriedValues(next, layout, r.carries, 0, &Carry::next);
  if (isFine && r.isScan)
    isFine =
        carriedValues(node(block.kids.back()), layout, r.yields, r.carries.size(), &Carry::next);
  if (isFine)
    warnUnused(mark);
  return isFine;
}

bool ExprChecker::foldMerge(const Node &fold, const FoldLayout &layout, Recurrence &r) {
  const Node &merge = node(fold.kids.back());
  for (const Side side : {Side::Left, Side::Right}) {
    const Node &name = node(merge.kids[side == Side::Left ? 0 : 1]);
    // The name alone means nothing; it must not hide another.
    Entry whole{Entry::Kind::Refused, name.text, name.span, {}, kNone, {}};
    if (!scope_->declare(std::move(whole), report_) ||
        !declareCarries(layout, r, name.text + ".", name.span, side))
      return false;
  }
  const std::size_t mark = scope_->size();
  const Node &block = node(merge.kids[2]);
  const std::span<const NodeId> statements(block.kids.data(), block.kids.size() - 1);
  const bool isFine = bindStep(statements, block.kids, r.mergeLocals) &&
                      carriedValues(node(block.kids.back()), layout, r.carries, 0, &Carry::merged);
  if (isFine)
    warnUnused(mark);
  return isFine;
}

bool ExprChecker::declareCarries(const FoldLayout &layout, const Recurrence &r,
                                 const std::string &prefix, Span span, Side side) {
  for (std::size_t k = 0; k < r.carries.size(); ++k) {
    Entry entry{Entry::Kind::Carry,
                prefix + layout.heads[k].name,
                prefix.empty() ? layout.heads[k].span : span,
                {kNone, carryTypes_.at(r.carries[k])},
                r.carries[k],
                {}};
    entry.side = side;
    if (!scope_->declareOverOutput(std::move(entry), report_))
      return false;
  }
  return true;
}

bool ExprChecker::bindStep(std::span<const NodeId> statements, std::span<const NodeId> block,
                           std::vector<DefId> &locals) {
  bool isFine = true;
  for (std::size_t i = 0; i < statements.size(); ++i) {
    const Node &statement = node(statements[i]);
    const bool isArray = statement.kind == NodeKind::Define && statement.kids.size() > 2;
    const auto rest = block.subspan(i + 1);
    isFine =
        (isArray ? localArray(statements[i], rest, locals) : bindLocal(statements[i])) && isFine;
  }
  return isFine;
}

// z[c] = value where guard
bool ExprChecker::localArray(NodeId id, std::span<const NodeId> rest, std::vector<DefId> &locals) {
  const Node &define = node(id);
  const std::size_t axes = define.kids.size() - 2;
  const NodeId given = define.kids[axes + 1];
  const std::size_t mark = scope_->size(), facts = algebra_.factCount();
  Definition definition;
  definition.name = define.text;
  definition.span = define.span;
  definition.recurrence = recurrence_;
  std::vector<ExprId> extents;
  for (std::size_t axis = 0; axis < axes; ++axis)
    extents.push_back(localExtent(define, axis, rest));
  bool isFine = std::ranges::find(extents, kNone) == extents.end();
  for (std::size_t axis = 0; isFine && axis < axes; ++axis) {
    const Node &index = node(define.kids[axis]);
    definition.vars.push_back(bindVariable(index.text, index.span, extents[axis], *scope_));
    isFine = definition.vars.back() != kNone;
  }
  isFine = isFine && guard(define.kids[axes], definition.where);
  const Value value = isFine ? within(given, nullptr) : Value();
  algebra_.forget(facts);
  scope_->shrink(mark);
  Entry entry{value ? Entry::Kind::Definition : Entry::Kind::Refused,
              define.text,
              define.nameSpan,
              {kNone, value.type},
              static_cast<std::uint32_t>(program_.definitions.size()),
              {}};
  if (value) {
    definition.value = value.id;
    locals.push_back(static_cast<DefId>(program_.definitions.size()));
    program_.definitions.push_back(std::move(definition));
  }
  return scope_->declare(std::move(entry), report_) && value;
}

// How far an index of a local array runs: as what it indexes on the right, or else as what is put
// in its place below, where that may be the index of another local array.
ExprId ExprChecker::localExtent(const Node &define, std::size_t axis,
                                std::span<const NodeId> rest) {
  int budget = kMostPlaces;
  const ExprId extent = extentBelow(define, axis, rest, budget);
  if (extent != kNone)
    return extent;
  const Node &index = node(define.kids[axis]);
  report_
      .error("unknown-extent", index.span,
             fmt::format("nothing shows how far `{}` runs", index.text))
      .help = fmt::format("use `{}` under a reduction over plain `{}`", define.text, index.text);
  return kNone;
}

ExprId ExprChecker::extentBelow(const Node &define, std::size_t axis, std::span<const NodeId> rest,
                                Scope &scope) {
  const Frame frame(*this, scope);
  int budget = kMostPlaces;
  return extentBelow(define, axis, rest, budget);
}

ExprId ExprChecker::extentBelow(const Node &define, std::size_t axis, std::span<const NodeId> rest,
                                int &budget) {
  const std::size_t axes = define.kids.size() - 2;
  for (const NodeId root : {define.kids[axes + 1], define.kids[axes]})
    if (const auto uses = findExtents(node(define.kids[axis]).text, root, *scope_, program_);
        !uses.empty())
      return uses[0].extent;
  ExprId extent = kNone;
  for (std::size_t i = 0; i < rest.size() && extent == kNone; ++i) {
    std::vector<Around> around;
    extent = extentOfUse(define, axis, rest[i], around, rest.subspan(i + 1), budget);
  }
  return extent;
}

// The extent of the plain variable that stands at `axis` of `define` somewhere in `root`.
ExprId ExprChecker::extentOfUse(const Node &define, std::size_t axis, NodeId root,
                                std::vector<Around> &around, std::span<const NodeId> rest,
                                int &budget) {
  if (root == kNoNode || --budget < 0)
    return kNone;
  const Node &n = node(root);
  const std::size_t mark = around.size();
  const bool isUse = n.kind == NodeKind::Index && node(n.kids[0]).kind == NodeKind::Name &&
                     node(n.kids[0]).text == define.text && n.kids.size() > axis + 1 &&
                     node(n.kids[axis + 1]).kind == NodeKind::Name;
  if (isUse) {
    const auto it = std::find_if(around.rbegin(), around.rend(), [&](const Around &variable) {
      return variable.name == node(n.kids[axis + 1]).text;
    });
    if (it != around.rend()) {
      const ExprId extent =
          it->define ? extentBelow(*it->define, it->axis, rest, budget) : quietExtent(it->binder);
      if (extent != kNone)
        return extent;
    }
  }
  if (n.kind == NodeKind::Reduce || n.kind == NodeKind::Ranking || n.kind == NodeKind::For)
    for (NodeId kid : n.kids)
      if (kid != kNoNode && node(kid).kind == NodeKind::Binder)
        around.push_back({node(kid).text, kid, nullptr, 0});
  if (n.kind == NodeKind::Define && n.kids.size() > 2)
    for (std::size_t other = 0; other + 2 < n.kids.size(); ++other)
      around.push_back({node(n.kids[other]).text, kNoNode, &n, other});
  ExprId found = kNone;
  for (std::size_t i = 0; i < n.kids.size() && found == kNone; ++i)
    found = extentOfUse(define, axis, n.kids[i], around, rest, budget);
  around.resize(mark);
  return found;
}

// The binder is checked, and what is wrong with it said, where it stands.
ExprId ExprChecker::quietExtent(NodeId binder) {
  const bool wasMuted = report_.isMuted();
  report_.setMuted(true);
  const Value extent = within(node(binder).kids[0], &kIndex);
  report_.setMuted(wasMuted);
  const bool isExtent = extent && (extent.type == kIndex || isInteger(extent.type.dtype));
  return isExtent ? algebra_.indexOf(extent.id) : kNone;
}

// next (a, b), yield (a, b)
bool ExprChecker::carriedValues(const Node &results, const FoldLayout &layout,
                                std::span<const CarryId> parts, std::size_t first,
                                ExprId Carry::*into) {
  const std::string word = results.kind == NodeKind::Yield ? "yield" : "next";
  if (results.kids.size() != parts.size()) {
    report_.error("wrong-arity", results.span,
                  fmt::format("expected {} {} in `{}`, one for each name on the left, found {}",
                              parts.size(), parts.size() == 1 ? "value" : "values", word,
                              results.kids.size()));
    return false;
  }
  bool isFine = true;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const FoldLayout::Head &head = layout.heads[first + k];
    const std::size_t mark = scope_->size();
    bool isBound = true;
    for (std::size_t i = 0; i < head.own.size(); ++i)
      isBound =
          isBound && bindAs(head.own[i].name, head.own[i].span, program_.carries[parts[k]].vars[i]);
    const auto known = carryTypes_.find(parts[k]);
    const std::string what = fmt::format("`{}` in `{}`", head.name, word);
    Value value;
    if (isBound && known != carryTypes_.end())
      value = withinAs(results.kids[k], known->second, what);
    else if (isBound && head.type)
      value = withinAs(results.kids[k], *head.type, what);
    else if (isBound)
      value = within(results.kids[k], nullptr);
    scope_->shrink(mark);
    isFine = isFine && value;
    program_.carries[parts[k]].*into = value.id;
    if (value && known == carryTypes_.end()) {
      program_.carries[parts[k]].type = value.type.dtype;
      carryTypes_[parts[k]] = value.type;
    }
  }
  return isFine;
}

} // namespace ordo::dsl
