// From orders as written to orders as values.
#include "dsl/sema/expr.h"
#include "dsl/sema/literal.h"

#include <algorithm>
#include <bit>

namespace ordo::dsl {
namespace {

constexpr std::pair<std::string_view, Stage::Kind> kStages[] = {
    {"seq", Stage::Kind::Seq},       {"lanes", Stage::Kind::Lanes}, {"pairs", Stage::Kind::Pairs},
    {"halves", Stage::Kind::Halves}, {"mid", Stage::Kind::Mid},     {"mid.leaf", Stage::Kind::Mid},
    {"fma", Stage::Kind::Fma},       {"mma", Stage::Kind::Mma},     {"first", Stage::Kind::First}};

bool isStageName(std::string_view name) {
  return std::ranges::find(kStages, name, &std::pair<std::string_view, Stage::Kind>::first) !=
         std::end(kStages);
}

// The stage at fault: one that is malformed even where it stands well, or one in the wrong place.
std::size_t culprit(const Order &order) {
  for (std::size_t i = 0; i < order.stages.size(); ++i) {
    Order alone{{order.stages[i]}};
    if (order.stages[i].kind == Stage::Kind::First && i + 1 < order.stages.size())
      alone.stages.push_back(order.stages[i + 1]); // the two are one fold
    if (!alone.stages.back().isTotal())
      alone.stages.push_back({});
    if (malformed(alone))
      return i;
  }
  for (std::size_t i = 0; i + 1 < order.stages.size(); ++i) {
    const Stage::Kind next = order.stages[i + 1].kind;
    if (next == Stage::Kind::Fma || next == Stage::Kind::Mma)
      return i + 1;
    if (order.stages[i].isTotal())
      return i;
  }
  return order.stages.size() - 1;
}

} // namespace

std::optional<Order> ExprChecker::checkOrder(NodeId id, Scope &scope) {
  Scope *const before = std::exchange(scope_, &scope);
  Order order;
  bool isKnown = true, isFine = true;
  const Node &n = node(id);
  const bool isPipe = n.kind == NodeKind::OrderPipe;
  for (NodeId stage : isPipe ? n.kids : std::vector<NodeId>{id})
    isFine = appendStage(stage, order, isKnown) && isFine;
  if (isFine && isKnown && malformed(order)) {
    reportMalformed(n, order);
    isFine = false;
  }
  scope_ = before;
  if (!isFine)
    return std::nullopt;
  return isKnown ? order : Order{};
}

void ExprChecker::reportMalformed(const Node &pipe, const Order &order) {
  Span span = pipe.span;
  // Stages and nodes correspond unless a named order was spliced in; then it is the last, or wrong.
  if (const std::size_t at = culprit(order); pipe.kind == NodeKind::OrderPipe)
    span = node(pipe.kids[std::min(at, pipe.kids.size() - 1)]).span;
  // The reason, and after a semicolon what to write instead.
  const std::string text = *malformed(order);
  const std::size_t fix = text.find("; ");
  report_.error("bad-order", span, text.substr(0, fix)).help =
      fix == std::string::npos ? "" : text.substr(fix + 2);
}

std::optional<Order> ExprChecker::orderOf(const Symbol &declaration) {
  const auto key = std::pair(declaration.module, declaration.decl);
  if (const auto it = orders_.find(key); it != orders_.end())
    return it->second;
  const Node &n = declaration.node();
  if (std::ranges::find(open_, declaration) != open_.end()) {
    report_.error("recursion", n.nameSpan, fmt::format("order `{}` is defined by itself", n.text));
    return std::nullopt;
  }
  open_.push_back(declaration);
  Scope scope(*declaration.module);
  auto order = checkOrder(n.kids[0], scope);
  open_.pop_back();
  orders_[key] = order;
  return order;
}

std::optional<Order> ExprChecker::orderNamed(const Node &n) {
  if (const Entry *entry = scope_->use(n.text)) {
    if (entry->kind == Entry::Kind::OrderParam)
      return entry->order;
    if (entry->kind != Entry::Kind::Refused)
      report_.error("expected-order", n.span,
                    fmt::format("expected an order, found {} `{}`", describe(entry->kind), n.text),
                    {entry->span, "declared here"});
    return std::nullopt;
  }
  bool ambiguous = false;
  const auto symbol = lookup(scope_->module(), n.text, &ambiguous);
  if (symbol && symbol->node().kind == NodeKind::OrderDecl)
    return orderOf(*symbol);
  if (symbol) {
    report_.error(
        "expected-order", n.span,
        fmt::format("expected an order, found {} `{}`", describe(symbol->node().kind), n.text),
        {symbol->node().nameSpan, "declared here"});
    return std::nullopt;
  }
  std::vector<std::string> candidates = scope_->names({Entry::Kind::OrderParam});
  for (std::string &name : visibleNames(scope_->module(), NodeKind::OrderDecl))
    candidates.push_back(std::move(name));
  report_
      .error(ambiguous ? Kind("ambiguous-name") : Kind("unknown-name"), n.span,
             ambiguous
                 ? fmt::format("order `{}` is declared by several of the used modules", n.text)
                 : fmt::format("there is no order `{}`", n.text))
      .help = ambiguous ? "write it with its module's name" : suggestion(n.text, candidates);
  return std::nullopt;
}

// Appends a stage, or the stages of a named order.
bool ExprChecker::appendStage(NodeId id, Order &order, bool &isKnown) {
  const Node &n = node(id);
  switch (n.kind) {
  case NodeKind::OrderPipe:
    return std::ranges::all_of(n.kids,
                               [&](NodeId kid) { return appendStage(kid, order, isKnown); });
  case NodeKind::StageFrom:
  case NodeKind::StagePad: {
    if (!appendStage(n.kids[0], order, isKnown))
      return false;
    const auto value = exactValue(n.kids[1]);
    if (!order.stages.empty())
      (n.kind == NodeKind::StageFrom ? order.stages.back().start : order.stages.back().pad) = value;
    return value.has_value();
  }
  case NodeKind::StageRound: {
    if (!appendStage(n.kids[0], order, isKnown))
      return false;
    const auto type = checkType(n, *scope_);
    isKnown = isKnown && !(type && type->isOpaque());
    if (type && !order.stages.empty())
      order.stages.back().round = type->dtype;
    return type.has_value();
  }
  default:
    break;
  }
  // A lone stage without sizes reads like a name, and one with sizes like a call.
  const bool isStage = n.kind == NodeKind::Stage || isStageName(n.text);
  if (isStage) {
    const auto stage = plainStage(n, isKnown);
    if (stage)
      order.stages.push_back(*stage);
    return stage.has_value();
  }
  if (n.kind != NodeKind::OrderName && n.kind != NodeKind::Name) {
    report_.error("expected-order", n.span, "expected an order").help =
        "for example seq(8) | lanes(128) | halves";
    return false;
  }
  const auto named = orderNamed(n);
  if (!named)
    return false;
  isKnown = isKnown && !named->empty();
  order.stages.insert(order.stages.end(), named->stages.begin(), named->stages.end());
  return true;
}

std::optional<Stage> ExprChecker::plainStage(const Node &n, bool &isKnown) {
  Stage stage;
  stage.kind =
      std::ranges::find(kStages, n.text, &std::pair<std::string_view, Stage::Kind>::first)->second;
  // mid(64).leaf(8) has the run before the leaf.
  const bool isRunWithLeaf = n.text == "mid.leaf" && n.kids.size() == 2;
  const std::size_t most = stage.kind == Stage::Kind::Lanes || isRunWithLeaf ? 2 : 1;
  const bool needsOne =
      stage.kind == Stage::Kind::Lanes || stage.kind == Stage::Kind::First || n.text == "mid.leaf";
  if (n.kids.size() > most || (needsOne && n.kids.empty())) {
    report_.error("bad-order", n.span,
                  fmt::format("expected {} {} of `{}`, found {}",
                              needsOne && most == 2 ? "1 or 2"
                              : needsOne            ? "1"
                                                    : "at most 1",
                              most == 2 ? "sizes" : "size", n.text, n.kids.size()));
    return std::nullopt;
  }
  const bool isLeafAlone = n.text == "mid.leaf" && !isRunWithLeaf;
  std::int64_t *const fields[] = {isLeafAlone ? &stage.leaf : &stage.n,
                                  isRunWithLeaf ? &stage.leaf : &stage.w};
  for (std::size_t i = 0; i < n.kids.size(); ++i) {
    const ExprId size =
        withinAs(n.kids[i], {DType::Index, nullptr}, fmt::format("a size of `{}`", n.text)).id;
    if (size == kNone)
      return std::nullopt;
    const auto value = program_.constantIndex(size);
    if (!value && !isGeneric()) {
      report_.error("bad-order", node(n.kids[i]).span,
                    fmt::format("expected a constant size of `{}`", n.text));
      return std::nullopt;
    }
    isKnown = isKnown && value.has_value();
    if (value && *value < 1) {
      report_.error("bad-order", node(n.kids[i]).span,
                    fmt::format("expected a size of 1 or more, found {}", *value));
      return std::nullopt;
    }
    *fields[i] = value.value_or(1);
  }
  return stage;
}

// The value of `.from` or `.pad`: a literal that some f64 equals, since orders carry doubles.
std::optional<double> ExprChecker::exactValue(NodeId id) {
  const Node &n = node(id);
  const bool isNegative = n.kind == NodeKind::Unary && n.text == "-";
  const Node &literal = isNegative ? node(n.kids[0]) : n;
  if (literal.kind != NodeKind::Number) {
    report_.error("bad-order", n.span, "expected a literal");
    return std::nullopt;
  }
  const RoundedLiteral rounded = roundLiteral(literal.text, isNegative, DType::F64);
  if (!rounded.bits) {
    report_.error(rounded.kind, n.span, rounded.message).help = rounded.help;
    return std::nullopt;
  }
  if (!rounded.isExact) {
    report_
        .error("bad-order", n.span,
               fmt::format("{} is not a binary floating-point value", literal.text))
        .help = "write it exactly, as in 0.5 or 0x1p-3";
    return std::nullopt;
  }
  return std::bit_cast<double>(*rounded.bits);
}

} // namespace ordo::dsl
