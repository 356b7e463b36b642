// Definitions: their indices, and where their points stand. In a `for` block and under `:=` that
// may be where data says. And the names on the left of a fold.
#include "dsl/sema/extents.h"
#include "dsl/sema/operator.h"

#include <algorithm>

namespace ordo::dsl {
// --- Indices of a definition

bool OperatorChecker::bindIndices(const Head &head, const Entry *output, Definition &definition) {
  const std::span<const NodeId> indices = head.indices;
  if (output && indices.size() != program_.tensors[output->number].shape.size()) {
    const std::size_t rank = program_.tensors[output->number].shape.size();
    report_.error("wrong-arity", head.name.nameSpan,
                  fmt::format("expected {} {} for `{}`, found {}", rank,
                              rank == 1 ? "index" : "indices", head.name.text, indices.size()),
                  {output->span, "declared here"});
    return false;
  }
  // All extents first: the definition's own variables are not in scope while they are sought.
  std::vector<ExprId> extents;
  const NodeId roots[] = {head.value, head.guard};
  for (std::size_t i = 0; i < indices.size(); ++i) {
    extents.push_back(output ? program_.tensors[output->number].shape[i]
                             : extentOf(node(indices[i]), roots, &head.statement, i));
    if (extents.back() == kNone)
      return false;
  }
  // In a `for` block a name may stand for a place that its variables give.
  std::vector<ExprId> places;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const Node &index = node(indices[i]);
    const Entry *known = loop_ ? scope_.use(index.text) : nullptr;
    if (known && (known->kind == Entry::Kind::Variable || known->kind == Entry::Kind::Binding)) {
      places.push_back(known->value.id);
      continue;
    }
    definition.vars.push_back(checker_.bindVariable(index.text, index.span, extents[i], scope_));
    if (definition.vars.back() == kNone)
      return false;
    places.push_back(scope_.find(index.text)->value.id);
  }
  if (loop_) {
    definition.at = std::move(places);
    definition.shape = std::move(extents);
  }
  return true;
}

// --- for r in R, i in len[r] let n = start[r] + i { … }

// Each definition within is one of its own, over variables of its own.
bool OperatorChecker::loop(const Node &statement) {
  bool isFine = true;
  const bool warns = report_.warns();
  for (NodeId id : node(statement.kids.back()).kids) {
    const Node &inner = node(id);
    const bool isDefinition =
        (inner.kind == NodeKind::Define || inner.kind == NodeKind::DefineTuple) &&
        node(inner.kids.back()).kind != NodeKind::Fold;
    if (!isDefinition) {
      report_
          .error("unexpected-statement", inner.nameSpan.end ? inner.nameSpan : inner.span,
                 "expected a definition within `for`")
          .help = "folds, updates, `let`, `require` and `assume` stand outside of it";
      isFine = false;
      continue;
    }
    if (bindsBadly_) { // said once
      for (const Head &head : headsOf(inner))
        refuse(head);
      continue;
    }
    loop_ = &statement;
    isFine = defineAll(headsOf(inner)) && isFine;
    report_.setWarns(false);
    loop_ = nullptr;
  }
  bindsBadly_ = false;
  report_.setWarns(warns);
  return isFine;
}

// Its uses stay silent.
void OperatorChecker::refuse(const Head &head) {
  later_.erase(head.name.text);
  Entry refused{Entry::Kind::Refused, head.name.text, head.name.nameSpan, {}, kNone, {}};
  if (const Entry *known = scope_.find(head.name.text); !known)
    scope_.declare(std::move(refused), report_);
  else if (known->kind == Entry::Kind::Output)
    scope_.replace(std::move(refused));
}

bool OperatorChecker::bindLoop(Definition &definition) {
  if (!loop_)
    return true;
  const std::span<const NodeId> kids(loop_->kids);
  bool isFine = checker_.bindVariables(kids.first(loop_->a), scope_, definition.vars);
  for (std::size_t i = loop_->a; isFine && i + 1 < kids.size(); ++i)
    isFine = checker_.checkLet(kids[i], scope_);
  bindsBadly_ = bindsBadly_ || !isFine;
  return isFine;
}

// The places are in the array, and promised to differ where data decides.
bool OperatorChecker::arePlaced(const Head &head, const Entry *output, Definition &definition) {
  if (!loop_)
    return true;
  Entry array = output ? *output : Entry{};
  array.name = head.name.text;
  array.span = output ? output->span : head.name.nameSpan;
  for (std::size_t axis = 0; axis < definition.at.size(); ++axis)
    if (!checker_.checkPlace(head.indices[axis], scope_, definition.at[axis], array, axis,
                             definition.shape[axis]))
      return false;
  return promisesDistinct(definition, head.name.nameSpan);
}

// Whether every tensor that the places are read from is one that a `distinct` or `disjoint` speaks
// of. (Whether the promise is enough shows when the program runs, or is proven.)
bool OperatorChecker::promisesDistinct(const Definition &definition, Span span) {
  std::vector<ExprId> open(definition.at);
  while (!open.empty()) {
    const ExprId id = open.back();
    open.pop_back();
    open.insert(open.end(), program_.args(id).begin(), program_.args(id).end());
    const Expr &e = program_.expr(id);
    if (e.op != Op::Load)
      continue;
    const bool isPromised = std::ranges::any_of(program_.assumptions, [&](const Assumption &a) {
      return a.kind != Assumption::Kind::Holds && checker_.reads(a.value, e.payload);
    });
    if (isPromised)
      continue;
    const std::string &tensor = program_.tensors[e.payload].name;
    report_
        .error(
            "missing-assume", span,
            fmt::format("`{}` says where the points stand, and nothing says that no two stand at "
                        "one place",
                        tensor))
        .help = loop_ ? fmt::format("promise it: assume disjoint({}[…], … for …)", tensor)
                      : fmt::format("promise it: assume distinct({}[…] for …)", tensor);
    return false;
  }
  return true;
}

// --- state[slot[n], g] := value where guard

bool OperatorChecker::update(const Node &statement) {
  const Entry *known = scope_.use(statement.text);
  const bool isTensor = known && known->kind == Entry::Kind::Tensor;
  if (!isTensor || program_.tensors[known->number].role != Tensor::Role::InOut) {
    if (known && known->kind == Entry::Kind::Refused)
      return false;
    report_
        .error("bad-update", statement.nameSpan,
               known ? fmt::format("`:=` updates an `inout` argument, and `{}` is {}",
                                   statement.text, describe(known->kind))
                     : fmt::format("`:=` updates an `inout` argument, and there is no `{}`",
                                   statement.text))
        .help = isTensor ? fmt::format("declare it {}: … inout", statement.text)
                         : "a value is defined with `=`";
    return false;
  }
  const Entry entry = *known;
  const auto earlier = std::ranges::find(program_.definitions, entry.number, &Definition::output);
  if (earlier != program_.definitions.end()) {
    report_.error("duplicate-definition", statement.nameSpan,
                  fmt::format("`{}` is already updated", statement.text),
                  {earlier->span, "updated here"});
    return false;
  }
  const std::size_t mark = scope_.size(), facts = checker_.algebra().factCount();
  Definition definition;
  definition.name = statement.text;
  definition.span = statement.span;
  definition.output = entry.number;
  definition.isUpdate = true;
  const bool isFine = updated(statement, entry, definition);
  checker_.algebra().forget(facts);
  scope_.shrink(mark);
  if (isFine)
    program_.definitions.push_back(std::move(definition));
  return isFine;
}

bool OperatorChecker::updated(const Node &statement, const Entry &entry, Definition &definition) {
  const std::size_t axes = statement.kids.size() - 2;
  definition.shape = program_.tensors[entry.number].shape;
  if (axes != definition.shape.size()) {
    report_.error("wrong-arity", statement.nameSpan,
                  fmt::format("expected {} indices for `{}`, found {}", definition.shape.size(),
                              entry.name, axes),
                  {entry.span, "declared here"});
    return false;
  }
  if (!bindFreeNames(statement, entry, definition) ||
      !checker_.checkGuard(statement.kids[axes], scope_, definition.where))
    return false;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    definition.at.push_back(
        checker_.checkAxis(statement.kids[axis], scope_, entry, axis, definition.shape[axis]));
    if (definition.at.back() == kNone)
      return false;
  }
  const Value value = checker_.checkAs(statement.kids.back(), scope_, entry.value.type,
                                       fmt::format("`{}`", entry.name));
  definition.value = value.id;
  return value && promisesDistinct(definition, statement.nameSpan);
}

// Names in the indices that mean nothing yet are the update's variables.
bool OperatorChecker::bindFreeNames(const Node &statement, const Entry &entry,
                                    Definition &definition) {
  const std::size_t axes = statement.kids.size() - 2;
  std::vector<NodeId> names;
  for (std::size_t axis = 0; axis < axes; ++axis)
    freeNames(statement.kids[axis], names);
  std::vector<ExprId> extents;
  for (NodeId id : names) {
    // A name that is a whole index runs over that axis; others are sought on both sides.
    ExprId extent = kNone;
    for (std::size_t axis = 0; axis < axes && extent == kNone; ++axis)
      if (const Node &index = node(statement.kids[axis]);
          index.kind == NodeKind::Name && index.text == node(id).text)
        extent = program_.tensors[entry.number].shape[axis];
    extents.push_back(extent != kNone ? extent : extentOf(node(id), statement.kids));
    if (extents.back() == kNone)
      return false;
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Node &name = node(names[i]);
    definition.vars.push_back(checker_.bindVariable(name.text, name.span, extents[i], scope_));
    if (definition.vars.back() == kNone)
      return false;
  }
  return true;
}

void OperatorChecker::freeNames(NodeId root, std::vector<NodeId> &names) const {
  if (root == kNoNode)
    return;
  const Node &n = node(root);
  const bool isFree = n.kind == NodeKind::Name && !scope_.find(n.text) &&
                      n.text.find('.') == std::string::npos && !lookup(*op_.module, n.text) &&
                      !later_.contains(n.text);
  const bool isNew =
      std::ranges::none_of(names, [&](NodeId other) { return node(other).text == n.text; });
  if (isFree && isNew)
    names.push_back(root);
  for (NodeId kid : n.kids)
    freeNames(kid, names);
}

// --- (m[t], a[t, d]) = fold[…] …

bool OperatorChecker::fold(const std::vector<Head> &heads) {
  const Node &given = node(heads[0].value);
  const bool isFine = [&] {
    if (heads[0].guard == kNoNode)
      return true;
    report_
        .error("bad-guard", node(heads[0].guard).span,
               fmt::format("`where` guards a store, and a {} stores nothing", given.text))
        .help = fmt::format("guard its steps: {}[… where …]", given.text);
    return false;
  }();
  const bool isNeeded = std::ranges::any_of(
      heads, [&](const Head &head) { return !skipped_.contains(head.name.text); });
  std::optional<RecurrenceId> recurrence;
  std::optional<FoldLayout> layout;
  if (isFine && isNeeded && (layout = layoutOf(heads)))
    recurrence = checker_.checkFold(heads[0].value, *layout, scope_);
  bool allFine = recurrence.has_value() || !isNeeded;
  for (const Head &head : heads) {
    later_.erase(head.name.text);
    if (skipped_.contains(head.name.text))
      continue;
    if (recurrence) {
      allFine = definePart(head, *layout, *recurrence) && allFine;
      continue;
    }
    refuse(head);
  }
  return allFine;
}

std::optional<FoldLayout> OperatorChecker::layoutOf(const std::vector<Head> &heads) {
  const Node &given = node(heads[0].value);
  const bool isScan = given.text == "scan";
  const Node &block = node(given.kids[given.kids.size() - 2]);
  const std::size_t yields = isScan ? node(block.kids.back()).kids.size() : 0;
  if (heads.size() != given.b + yields) {
    report_.error(
        "wrong-arity", heads[0].statement.nameSpan,
        fmt::format("expected {} {} on the left of `=`, {}, found {}", given.b + yields,
                    given.b + yields == 1 ? "name" : "names",
                    isScan ? "one for each start and each value of `yield`" : "one for each start",
                    heads.size()));
    return std::nullopt;
  }
  FoldLayout layout;
  for (const Head &head : heads) {
    const Entry *known = scope_.find(head.name.text);
    const bool isOutput = known && known->kind == Entry::Kind::Output;
    if (known && !isOutput) {
      alreadyDefined(head, *known);
      return std::nullopt;
    }
    layout.heads.push_back({head.name.text, head.name.nameSpan, {}, std::nullopt});
    if (isOutput)
      layout.heads.back().type = known->value.type;
  }
  return indicesOf(heads, layout) ? std::optional(layout) : std::nullopt;
}

// Indices that all names have are the recurrence's; a yield has the step's besides.
bool OperatorChecker::indicesOf(const std::vector<Head> &heads, FoldLayout &layout) {
  const Node &given = node(heads[0].value);
  const auto has = [&](const Head &head, const std::string &name) {
    return std::ranges::any_of(head.indices, [&](NodeId id) { return node(id).text == name; });
  };
  const std::string step = given.a == 1 ? node(given.kids[0]).text : "";
  const std::size_t alone = heads.size() == 1 ? heads[0].indices.size() - ownOfOne(heads[0]) : 0;
  for (std::size_t k = 0; k < heads.size(); ++k) {
    const bool isYield = k >= given.b;
    if (isYield && !has(heads[k], step)) {
      report_
          .error("definition-index", heads[k].name.nameSpan,
                 fmt::format("`{}` has a value for each step, and no index for it",
                             heads[k].name.text))
          .help = fmt::format("write {}[…, {}]", heads[k].name.text, step);
      return false;
    }
    for (std::size_t axis = 0; axis < heads[k].indices.size(); ++axis) {
      const std::string &name = node(heads[k].indices[axis]).text;
      if (isYield && name == step)
        continue;
      const bool isShared =
          heads.size() == 1
              ? axis < alone
              : std::ranges::all_of(heads, [&](const Head &other) { return has(other, name); });
      if (isShared && k > 0)
        continue;
      const auto index = foldIndex(heads[k], axis);
      if (!index)
        return false;
      (isShared ? layout.shared : layout.heads[k].own).push_back(*index);
    }
  }
  return true;
}

// Of a single name nothing is shared or not: its own indices are those that the step gives it.
std::size_t OperatorChecker::ownOfOne(const Head &head) const {
  std::vector<NodeId> open = {head.value};
  while (!open.empty()) {
    const NodeId id = open.back();
    open.pop_back();
    if (id == kNoNode)
      continue;
    const Node &n = node(id);
    if (n.kind == NodeKind::Index && node(n.kids[0]).kind == NodeKind::Name &&
        node(n.kids[0]).text == head.name.text)
      return std::min(n.kids.size() - 1, head.indices.size());
    open.insert(open.end(), n.kids.begin(), n.kids.end());
  }
  return 0;
}

std::optional<FoldLayout::Index> OperatorChecker::foldIndex(const Head &head, std::size_t axis) {
  const Node &index = node(head.indices[axis]);
  const Entry *known = scope_.find(head.name.text);
  ExprId extent = kNone;
  if (known && known->kind == Entry::Kind::Output) {
    const auto &shape = program_.tensors[known->number].shape;
    if (head.indices.size() == shape.size())
      extent = shape[axis];
    else
      report_.error("wrong-arity", head.name.nameSpan,
                    fmt::format("expected {} indices for `{}`, found {}", shape.size(),
                                head.name.text, head.indices.size()),
                    {known->span, "declared here"});
  } else {
    extent = extentOf(index, std::span(&head.value, 1));
  }
  return extent == kNone ? std::nullopt
                         : std::optional(FoldLayout::Index{index.text, index.span, extent});
}

// name[i, j] = its part of the recurrence.
bool OperatorChecker::definePart(const Head &head, const FoldLayout &layout, RecurrenceId id) {
  const auto part = static_cast<std::uint32_t>(head.part);
  const Recurrence r = program_.recurrences[id];
  const bool isYield = part >= r.carries.size();
  const CarryId carryId = partId(r, part);
  const Carry carry = program_.carries[carryId];
  // Whose variable each written index is; the definition has one of its own for each.
  std::map<std::string, VarId> meant;
  for (std::size_t i = 0; i < layout.shared.size(); ++i)
    meant[layout.shared[i].name] = r.shared[i];
  for (std::size_t i = 0; i < layout.heads[part].own.size(); ++i)
    meant[layout.heads[part].own[i].name] = carry.vars[i];
  if (isYield)
    meant[program_.vars[r.vars[0]].name] = r.vars[0];
  Definition definition;
  definition.name = head.name.text;
  definition.span = head.statement.span;
  std::map<VarId, ExprId> values;
  for (NodeId index : head.indices) {
    const auto var = static_cast<VarId>(program_.vars.size());
    const VarId of = meant.at(node(index).text);
    program_.vars.push_back({node(index).text, program_.vars[of].extent});
    values[of] = program_.make(Op::Var, DType::Index, var);
    definition.vars.push_back(var);
  }
  for (VarId var : definition.vars)
    if (const auto extent = checker_.algebra().substitute(program_.vars[var].extent, values))
      program_.vars[var].extent = *extent;
  std::vector<ExprId> args;
  for (VarId var : r.shared)
    args.push_back(values.at(var));
  for (VarId var : carry.vars)
    args.push_back(values.at(var));
  if (isYield)
    args.push_back(values.at(r.vars[0]));
  definition.value =
      program_.make(Op::Recur, carry.type, recurPayload(id, part), std::span<const ExprId>(args));
  program_.setSpan(definition.value, head.statement.span);
  const Entry *known = scope_.find(head.name.text);
  const bool isOutput = known && known->kind == Entry::Kind::Output;
  if (isOutput)
    definition.output = known->number;
  Entry entry{Entry::Kind::Definition,
              head.name.text,
              head.name.nameSpan,
              {kNone, checker_.typeOf(carryId)},
              static_cast<std::uint32_t>(program_.definitions.size()),
              {}};
  program_.definitions.push_back(std::move(definition));
  if (!isOutput)
    return scope_.declare(std::move(entry), report_);
  scope_.replace(std::move(entry));
  return true;
}

} // namespace ordo::dsl
