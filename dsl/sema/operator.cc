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
  for (NodeId id : body.kids)
    announce(node(id));
  checker_.setLater(&later_);
  // After what is wrong here, the rest would be full of names that nothing declares.
  if (!declareGenerics() || !declareParameters() || !settleConstants() || !checkShapes())
    return false;
  for (NodeId id : body.kids)
    isFine = statement(node(id)) && isFine;
  isFine = allOutputsDefined() && isFine;
  if (isFine && !binding_)
    warnUnused();
  return isFine;
}

void OperatorChecker::announce(const Node &statement) {
  for (const Head &head : headsOf(statement))
    later_.emplace(head.name.text, head.name.nameSpan);
  if (statement.kind == NodeKind::For)
    for (NodeId id : node(statement.kids.back()).kids)
      announce(node(id));
}

bool OperatorChecker::statement(const Node &statement) {
  switch (statement.kind) {
  case NodeKind::For:
    return loop(statement);
  case NodeKind::Update:
    return update(statement);
  case NodeKind::Define:
  case NodeKind::DefineTuple:
    return node(statement.kids.back()).kind == NodeKind::Fold ? fold(headsOf(statement))
                                                              : defineAll(headsOf(statement));
  default:
    return true; // settled before
  }
}

bool OperatorChecker::settleConstants() {
  bool isFine = true;
  for (NodeId id : node(n_.kids.back()).kids) {
    const Node &statement = node(id);
    if (statement.kind == NodeKind::Let)
      isFine = let(statement) && isFine;
    else if (statement.kind == NodeKind::LetFn)
      isFine = checker_.declareFunction(id, scope_) && isFine;
    else if (statement.kind == NodeKind::Require)
      for (NodeId condition : statement.kids)
        isFine = require(condition) && isFine;
    else if (statement.kind == NodeKind::Assume)
      for (NodeId condition : statement.kids)
        isFine = checker_.checkAssumption(condition, scope_) && isFine;
  }
  return isFine;
}

bool OperatorChecker::let(const Node &statement) {
  Value value = checker_.check(statement.kids[0], scope_, &kIndex);
  if (value &&
      ((value.type != kIndex && value.type != kBool) || !checker_.isOverDimensions(value.id))) {
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

bool OperatorChecker::require(NodeId condition) {
  const Value value = checker_.checkAs(condition, scope_, kBool, "`require`");
  if (!value)
    return false;
  const Span span = node(condition).span;
  if (!checker_.isOverDimensions(value.id)) {
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

std::vector<OperatorChecker::Head> OperatorChecker::headsOf(const Node &statement) const {
  if (statement.kind != NodeKind::Define && statement.kind != NodeKind::DefineTuple)
    return {};
  const std::size_t count = statement.kids.size() - 2;
  const NodeId guard = statement.kids[count], value = statement.kids[count + 1];
  const std::span<const NodeId> kids(statement.kids.data(), count);
  if (statement.kind == NodeKind::Define)
    return {{statement, statement, kids, guard, value}};
  std::vector<Head> heads;
  for (NodeId kid : kids)
    heads.push_back({statement, node(kid), node(kid).kids, guard, value, heads.size(), count});
  return heads;
}

// Each name of a tuple is a definition of its own, and checks the value again over variables of its
// own: what is wrong with it is said once.
bool OperatorChecker::defineAll(const std::vector<Head> &heads) {
  const bool warns = report_.warns();
  bool isFine = true;
  for (const Head &head : heads) {
    if (skipped_.contains(head.name.text))
      continue;
    report_.setMuted(!isFine);
    isFine = define(head) && isFine;
    report_.setMuted(false);
    report_.setWarns(false);
  }
  report_.setWarns(warns);
  return isFine;
}

bool OperatorChecker::define(const Head &head) {
  later_.erase(head.name.text);
  const Entry *known = scope_.find(head.name.text);
  const bool isOutput = known && known->kind == Entry::Kind::Output;
  if (known && !isOutput)
    return alreadyDefined(head, *known);
  const std::size_t mark = scope_.size();
  const std::size_t facts = checker_.algebra().factCount();
  Definition definition;
  definition.name = head.name.text;
  definition.span = head.statement.span;
  const Entry output = isOutput ? *known : Entry{};
  const Entry *outputOrNone = isOutput ? &output : nullptr;
  Value value;
  if (bindLoop(definition) && bindIndices(head, outputOrNone, definition) &&
      checker_.checkGuard(head.guard, scope_, definition.where) &&
      arePlaced(head, outputOrNone, definition))
    value = valueOf(head, outputOrNone);
  checker_.algebra().forget(facts);
  scope_.shrink(mark);

  Entry entry{value ? Entry::Kind::Definition : Entry::Kind::Refused,
              head.name.text,
              head.name.nameSpan,
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
  else if (!scope_.declare(std::move(entry), report_))
    return false;
  return static_cast<bool>(value);
}

Value OperatorChecker::valueOf(const Head &head, const Entry *output) {
  const std::string what = fmt::format("output `{}`", head.name.text);
  const auto check = [&](NodeId id) {
    return output ? checker_.checkAs(id, scope_, output->value.type, what)
                  : checker_.check(id, scope_, nullptr);
  };
  if (head.parts == 0)
    return check(head.value);
  const Node &given = node(head.value);
  if (given.kind == NodeKind::Tuple && given.kids.size() == head.parts)
    return check(given.kids[head.part]);
  const Compound all = checker_.checkForm(head.value, scope_, nullptr);
  if (!all || !checker_.isTupleOf(all.form, head.parts, head.statement))
    return {};
  const Compound part = all.part(head.part);
  const bool isFine = part.form.isScalar() && (!output || part.form.type == output->value.type);
  if (isFine)
    return part.value();
  report_.error("type-mismatch", head.name.span,
                fmt::format("expected {} for {}, found {}",
                            output ? toString(output->value.type) : "one value",
                            output ? what : fmt::format("`{}`", head.name.text),
                            toString(part.form)));
  return {};
}

bool OperatorChecker::alreadyDefined(const Head &head, const Entry &entry) {
  const bool isDefinition =
      entry.kind == Entry::Kind::Definition || entry.kind == Entry::Kind::Refused;
  if (isDefinition)
    report_
        .error("duplicate-definition", head.name.nameSpan,
               fmt::format("`{}` is already defined", head.name.text), {entry.span, "defined here"})
        .help = "there is no mutation: give the second value a name of its own";
  else
    report_.error("shadowing", head.name.nameSpan,
                  fmt::format("`{}` is already {} here", head.name.text, describe(entry.kind)),
                  {entry.span, "declared here"});
  return false;
}

// How far an index runs: as what it indexes in `roots`, or else as what stands in its place at the
// uses of `define` below it.
ExprId OperatorChecker::extentOf(const Node &index, std::span<const NodeId> roots,
                                 const Node *define, std::size_t axis) {
  std::vector<ExtentUse> uses;
  for (NodeId root : roots)
    for (ExtentUse &use : findExtents(index.text, root, scope_, program_))
      uses.push_back(std::move(use));
  if (uses.empty() && define && define->kind == NodeKind::Define)
    if (const ExprId extent = checker_.extentBelow(*define, axis, restAfter(*define), scope_);
        extent != kNone)
      return extent;
  if (uses.empty() && std::ranges::any_of(roots, [&](NodeId id) { return mentionsRefused(id); }))
    return kNone;
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

// The statements of the operator below the one that is, or holds, `define`.
std::span<const NodeId> OperatorChecker::restAfter(const Node &define) const {
  const std::span<const NodeId> all(node(n_.kids.back()).kids);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (node(all[i]).span.begin > define.span.begin)
      return all.subspan(i);
  return {};
}

// What was refused has no extents, and it was said.
bool OperatorChecker::mentionsRefused(NodeId root) const {
  if (root == kNoNode)
    return false;
  const Node &n = node(root);
  const Entry *entry = n.kind == NodeKind::Name ? scope_.find(n.text) : nullptr;
  return (entry && entry->kind == Entry::Kind::Refused) ||
         std::ranges::any_of(n.kids, [&](NodeId kid) { return mentionsRefused(kid); });
}

bool OperatorChecker::allOutputsDefined() {
  bool isFine = true;
  for (const Tensor &tensor : program_.tensors) {
    const bool isUpdated = std::ranges::any_of(node(n_.kids.back()).kids, [&](NodeId id) {
      return node(id).kind == NodeKind::Update && node(id).text == tensor.name;
    });
    if (tensor.role != Tensor::Role::InOut || isUpdated)
      continue;
    report_
        .error("missing-definition", scope_.find(tensor.name)->span,
               fmt::format("`{}` is `inout`, and nothing updates it", tensor.name))
        .help = fmt::format("write {}[…] := …, or take `inout` away", tensor.name);
    isFine = false;
  }
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
      if (definition.recurrence == kNone)
        unused.insert(definition.name);
      continue;
    }
    std::vector<ExprId> open = {definition.value, definition.where};
    open.insert(open.end(), definition.at.begin(), definition.at.end());
    while (!open.empty()) {
      const ExprId id = open.back();
      open.pop_back();
      if (id == kNone || seen[id])
        continue;
      seen[id] = true;
      const Expr &e = program_.expr(id);
      if (e.op == Op::Use)
        needed[e.payload] = true;
      program_.forEachOperand(id, [&](ExprId operand) { open.push_back(operand); });
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
