#include "dsl/sema/operator.h"

#include "dsl/sema/extents.h"
#include "dsl/sema/print.h"

#include <algorithm>

namespace ordo::dsl {
namespace {

constexpr Type kIndex{DType::Index, nullptr};
constexpr Type kBool{DType::Bool, nullptr};

} // namespace

OperatorChecker::OperatorChecker(const Symbol &op, const Binding *binding,
                                 const std::set<std::string> &skipped, Program &program,
                                 Reporter &report)
    : op_(op), ast_(op.module->ast), n_(op.node()), binding_(binding), skipped_(skipped),
      program_(program), report_(report), scope_(*op.module),
      checker_(program, report, binding ? Mode::Instance : Mode::Generic) {}

bool OperatorChecker::run() {
  program_.module = ast_.module;
  program_.op = n_.text;
  const Node &body = node(n_.kids.back());
  bool isFine = true;
  for (NodeId id : body.kids) {
    isFine = isUnderstood(node(id)) && isFine;
    if (node(id).kind == NodeKind::Define)
      later_.emplace(node(id).text, node(id).nameSpan);
  }
  checker_.setLater(&later_);
  // Without what is not understood yet, the rest would be full of names that nothing declares.
  if (!declareGenerics() || !declareParameters() || !isFine || !settleConstants() || !checkShapes())
    return false;
  for (NodeId id : body.kids)
    if (node(id).kind == NodeKind::Define && !skipped_.contains(node(id).text))
      isFine = define(node(id)) && isFine;
  isFine = allOutputsDefined() && isFine;
  if (isFine && !binding_)
    warnUnused();
  return isFine;
}

bool OperatorChecker::isUnderstood(const Node &statement) {
  const auto refuse = [&](Span span, std::string_view what) {
    report_.unsupported(span, what);
    return false;
  };
  const auto recurrence = [&](NodeId value) {
    const Node &given = node(value);
    if (given.kind == NodeKind::Fold)
      return refuse(given.nameSpan, given.text);
    if (given.kind == NodeKind::Iterate)
      return refuse(given.nameSpan, "iterate");
    return true;
  };
  switch (statement.kind) {
  case NodeKind::Define:
    return recurrence(statement.kids.back());
  case NodeKind::DefineTuple:
    return recurrence(statement.kids.back()) &&
           refuse(statement.nameSpan, "a tuple on the left of `=`");
  case NodeKind::Update:
    return refuse(statement.nameSpan, "an update in place (`:=`)");
  case NodeKind::LetFn:
    return refuse(statement.nameSpan, "a function local to an op");
  case NodeKind::Assume:
    return refuse(statement.nameSpan, "assume");
  case NodeKind::For:
    return refuse(statement.nameSpan, "for");
  default:
    return true;
  }
}

bool OperatorChecker::settleConstants() {
  bool isFine = true;
  for (NodeId id : node(n_.kids.back()).kids) {
    const Node &statement = node(id);
    if (statement.kind == NodeKind::Let)
      isFine = let(statement) && isFine;
    else if (statement.kind == NodeKind::Require)
      for (NodeId condition : statement.kids)
        isFine = require(condition) && isFine;
  }
  return isFine;
}

bool OperatorChecker::let(const Node &statement) {
  Value value = checker_.check(statement.kids[0], scope_, &kIndex);
  if (value && ((value.type != kIndex && value.type != kBool) || !isOverDimensions(value.id))) {
    report_
        .error("type-mismatch", node(statement.kids[0]).span,
               fmt::format("expected an expression over dimensions for `{}`, found {}",
                           statement.text, toString(value.type)))
        .help = "values are defined without `let`";
    value = {};
  }
  Entry entry{value ? Entry::Kind::Let : Entry::Kind::Refused,
              statement.text,
              statement.nameSpan,
              value,
              kNone,
              {}};
  return scope_.declare(std::move(entry), report_) && value;
}

// Only dimensions and bool parameters, nothing read from memory.
bool OperatorChecker::isOverDimensions(ExprId id) const {
  std::vector<ExprId> open = {id};
  std::set<ExprId> seen;
  while (!open.empty()) {
    const ExprId at = open.back();
    open.pop_back();
    if (!seen.insert(at).second)
      continue;
    const Expr &e = program_.expr(at);
    const bool isOpaqueBool =
        e.op == Op::Scalar && e.payload >= kFirstOpaque && e.type == DType::Bool;
    if (e.op == Op::Load || e.op == Op::Use || e.op == Op::Reduce || e.op == Op::Var ||
        (e.op == Op::Scalar && !isOpaqueBool))
      return false;
    open.insert(open.end(), program_.args(at).begin(), program_.args(at).end());
  }
  return true;
}

bool OperatorChecker::require(NodeId condition) {
  const Value value = checker_.checkAs(condition, scope_, kBool, "`require`");
  if (!value)
    return false;
  const Span span = node(condition).span;
  if (!isOverDimensions(value.id)) {
    report_.error("bad-require", span, "expected a condition over dimensions in `require`").help =
        "values of tensors and scalars are not known before a launch";
    return false;
  }
  checker_.algebra().assume(value.id);
  const Expr &e = program_.expr(value.id);
  const std::string text = report_.text(span);
  if (e.op != Op::Const) {
    if (binding_)
      program_.requires_.push_back({value.id, text, span});
    return true;
  }
  if (e.payload != 0)
    return true;
  report_.error("require-failed", span,
                fmt::format("`{}` requires {}{}", n_.text, text, valuesIn(condition)));
  return false;
}

// ", and H = 7, W = 3": the constants that the condition names.
std::string OperatorChecker::valuesIn(NodeId condition) const {
  std::string text;
  std::set<std::string> seen;
  std::vector<NodeId> open = {condition};
  while (!open.empty()) {
    const NodeId id = open.back();
    open.pop_back();
    if (id == kNoNode)
      continue;
    const Node &n = node(id);
    open.insert(open.end(), n.kids.rbegin(), n.kids.rend());
    const Entry *entry = n.kind == NodeKind::Name ? scope_.find(n.text) : nullptr;
    if (!entry || !entry->value || program_.expr(entry->value.id).op != Op::Const ||
        !seen.insert(n.text).second)
      continue;
    text += fmt::format("{} {} = {}", text.empty() ? ", and" : ",", n.text,
                        printExpr(program_, entry->value.id));
  }
  return text;
}

bool OperatorChecker::define(const Node &statement) {
  later_.erase(statement.text);
  const Entry *known = scope_.find(statement.text);
  const bool isOutput = known && known->kind == Entry::Kind::Output;
  if (known && !isOutput)
    return alreadyDefined(statement, *known);
  const std::size_t mark = scope_.size();
  const std::size_t facts = checker_.algebra().factCount();
  Definition definition;
  definition.name = statement.text;
  definition.span = statement.span;
  const Entry output = isOutput ? *known : Entry{};
  bool isFine = bindIndices(statement, isOutput ? &output : nullptr, definition);
  const NodeId guard = statement.kids[statement.kids.size() - 2];
  if (isFine && guard != kNoNode) {
    const Value where = checker_.checkAs(guard, scope_, kBool, "`where`");
    isFine = static_cast<bool>(where);
    if (isFine && !isOutput) {
      report_
          .error("bad-guard", node(guard).span,
                 fmt::format("`where` guards a store, and `{}` is no output", statement.text))
          .help = "choose a value with `if … then … else`";
      isFine = false;
    }
    if (isFine && where.id != program_.constant(DType::Bool, 1)) {
      definition.where = where.id;
      checker_.algebra().assume(where.id);
    }
  }
  Value value;
  if (isFine)
    value = isOutput ? checker_.checkAs(statement.kids.back(), scope_, output.value.type,
                                        fmt::format("output `{}`", statement.text))
                     : checker_.check(statement.kids.back(), scope_, nullptr);
  checker_.algebra().forget(facts);
  scope_.shrink(mark);

  Entry entry{value ? Entry::Kind::Definition : Entry::Kind::Refused,
              statement.text,
              statement.nameSpan,
              {kNone, value.type},
              static_cast<std::uint32_t>(program_.definitions.size()),
              {}};
  if (value) {
    definition.value = value.id;
    if (isOutput)
      definition.output = output.number;
    program_.definitions.push_back(std::move(definition));
  }
  if (isOutput)
    scope_.replace(std::move(entry));
  else
    isFine = scope_.declare(std::move(entry), report_);
  return isFine && value;
}

bool OperatorChecker::alreadyDefined(const Node &statement, const Entry &entry) {
  const bool isDefinition =
      entry.kind == Entry::Kind::Definition || entry.kind == Entry::Kind::Refused;
  if (isDefinition)
    report_
        .error("duplicate-definition", statement.nameSpan,
               fmt::format("`{}` is already defined", statement.text), {entry.span, "defined here"})
        .help = "there is no mutation: give the second value a name of its own";
  else
    report_.error("shadowing", statement.nameSpan,
                  fmt::format("`{}` is already {} here", statement.text, describe(entry.kind)),
                  {entry.span, "declared here"});
  return false;
}

bool OperatorChecker::bindIndices(const Node &statement, const Entry *output,
                                  Definition &definition) {
  const std::span<const NodeId> indices(statement.kids.data(), statement.kids.size() - 2);
  if (output && indices.size() != program_.tensors[output->number].shape.size()) {
    const std::size_t rank = program_.tensors[output->number].shape.size();
    report_.error("wrong-arity", statement.nameSpan,
                  fmt::format("expected {} {} for `{}`, found {}", rank,
                              rank == 1 ? "index" : "indices", statement.text, indices.size()),
                  {output->span, "declared here"});
    return false;
  }
  // All extents first: the definition's own variables are not in scope while they are sought.
  std::vector<ExprId> extents;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    extents.push_back(output ? program_.tensors[output->number].shape[i]
                             : extentOf(statement, node(indices[i])));
    if (extents.back() == kNone)
      return false;
  }
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const Node &index = node(indices[i]);
    const auto var = static_cast<VarId>(program_.vars.size());
    program_.vars.push_back({index.text, extents[i]});
    const ExprId value = program_.make(Op::Var, DType::Index, var);
    program_.setSpan(value, index.span);
    Entry entry{Entry::Kind::Variable, index.text, index.span, {value, kIndex}, kNone, {}};
    if (!scope_.declare(std::move(entry), report_))
      return false;
    definition.vars.push_back(var);
  }
  return true;
}

ExprId OperatorChecker::extentOf(const Node &statement, const Node &index) {
  const auto uses = findExtents(index.text, statement.kids.back(), scope_, program_);
  if (uses.empty()) {
    report_
        .error("unknown-extent", index.span,
               fmt::format("nothing shows how far `{}` runs", index.text))
        .help =
        fmt::format("index a tensor or a definition with plain `{}` on the right", index.text);
    return kNone;
  }
  for (const ExtentUse &use : uses)
    if (!checker_.algebra().equal(use.extent, uses[0].extent)) {
      Diagnostic &d = report_.error("extent-conflict", index.span,
                                    fmt::format("`{}` runs over {} and over {}", index.text,
                                                printExpr(program_, uses[0].extent),
                                                printExpr(program_, use.extent)));
      const auto label = [&](const ExtentUse &at) {
        return Label{at.span,
                     fmt::format("{} has extent {}", at.what, printExpr(program_, at.extent))};
      };
      d.labels.insert(d.labels.begin(), {label(uses[0]), label(use)});
      d.help = "if they are equal, say so in a `require`";
      return kNone;
    }
  return uses[0].extent;
}

bool OperatorChecker::allOutputsDefined() {
  bool isFine = true;
  for (const Entry &entry : scope_.entries())
    if (entry.kind == Entry::Kind::Output) {
      report_
          .error("missing-definition", entry.span,
                 fmt::format("output `{}` is not defined", entry.name))
          .help = "define every output once, for every index of its shape";
      isFine = false;
    }
  return isFine;
}

std::set<std::string> OperatorChecker::unusedDefinitions() const {
  // Definitions come before their uses: one pass backwards meets every user first.
  const std::size_t count = program_.definitions.size();
  std::vector<bool> needed(count), seen(program_.exprCount());
  std::set<std::string> unused;
  for (std::size_t i = count; i-- > 0;) {
    const Definition &definition = program_.definitions[i];
    if (definition.output == kNone && !needed[i]) {
      unused.insert(definition.name);
      continue;
    }
    std::vector<ExprId> open = {definition.value, definition.where};
    while (!open.empty()) {
      const ExprId id = open.back();
      open.pop_back();
      if (id == kNone || seen[id])
        continue;
      seen[id] = true;
      const Expr &e = program_.expr(id);
      if (e.op == Op::Use)
        needed[e.payload] = true;
      if (e.op == Op::Reduce) {
        open.push_back(program_.reductions[e.payload].body);
        open.push_back(program_.reductions[e.payload].where);
      }
      open.insert(open.end(), program_.args(id).begin(), program_.args(id).end());
    }
  }
  return unused;
}

void OperatorChecker::warnUnused() {
  const std::set<std::string> unused = unusedDefinitions();
  for (const Entry &entry : scope_.entries()) {
    if (entry.kind == Entry::Kind::Definition && unused.contains(entry.name))
      report_.warning("unused-definition", entry.span,
                      fmt::format("no output needs `{}`", entry.name), "remove it, or use it");
    const bool isLocal = entry.kind != Entry::Kind::Definition && entry.kind != Entry::Kind::Output;
    if (isLocal && !entry.isUsed)
      report_.warning("unused-parameter", entry.span,
                      fmt::format("{} `{}` is never used",
                                  describe(entry.kind).substr(describe(entry.kind).find(' ') + 1),
                                  entry.name));
  }
}

} // namespace ordo::dsl
