// Arrays, tuples, local functions and `iterate`. None of them is left in a program: an array is its
// elements, a local function is inlined, and the rounds of an iterate are written out.
#include "dsl/sema/expr.h"

#include <algorithm>
#include <set>

namespace ordo::dsl {
namespace {

constexpr std::size_t kLeafLimit = 256;    // scalars in one array or tuple
constexpr std::int64_t kRoundLimit = 1024; // of one iterate

// What a round costs beyond its expressions, in nodes visited.
constexpr std::size_t kRoundCost = 16;

constexpr Type kIndex{DType::Index, nullptr};

} // namespace

// --- Forms

std::optional<Form> ExprChecker::formOf(NodeId type, Scope &scope) {
  const Ast &ast = scope.module().ast;
  const Node &n = ast[type];
  if (n.kind != NodeKind::TupleType) {
    const auto scalar = checkType(n, scope);
    if (!scalar)
      return std::nullopt;
    return n.kids.empty() ? Form(*scalar) : arrayOf(n, *scalar, scope);
  }
  Form form;
  form.kind = Form::Kind::Tuple;
  for (NodeId kid : n.kids) {
    const bool isNamed = ast[kid].kind == NodeKind::Param;
    auto part = formOf(isNamed ? ast[kid].kids[0] : kid, scope);
    if (!part)
      return std::nullopt;
    form.parts.push_back(std::move(*part));
    const std::string &name = isNamed ? ast[kid].text : std::string();
    if (isNamed && std::ranges::find(form.names, name) != form.names.end()) {
      report_.error("duplicate-name", ast[kid].nameSpan,
                    fmt::format("two parts of the tuple are named `{}`", name));
      return std::nullopt;
    }
    form.names.push_back(name);
  }
  if (form.leaves().size() <= kLeafLimit)
    return form;
  report_.error("too-large", n.span,
                fmt::format("a tuple has at most {} elements in all", kLeafLimit));
  return std::nullopt;
}

// `u32[4]`: one axis, of constant size.
std::optional<Form> ExprChecker::arrayOf(const Node &n, const Type &type, Scope &scope) {
  const Ast &ast = scope.module().ast;
  if (n.kids.size() != 1) {
    report_
        .error("array-size", n.span, fmt::format("an array has one axis, found {}", n.kids.size()))
        .help = "a tuple of arrays has several";
    return std::nullopt;
  }
  const ExprId extent = checkIndex(n.kids[0], scope, "the size of an array");
  if (extent == kNone)
    return std::nullopt;
  const auto size = program_.constantIndex(extent);
  if (size && *size > 0 && *size <= static_cast<std::int64_t>(kLeafLimit)) {
    Form form(type);
    form.kind = Form::Kind::Array;
    form.size = static_cast<std::size_t>(*size);
    return form;
  }
  report_.error("array-size", ast[n.kids[0]].span,
                fmt::format("the size of an array is a constant between 1 and {}", kLeafLimit));
  return std::nullopt;
}

Compound ExprChecker::array(const Node &n, const Form *hint) {
  if (n.kids.empty() || n.kids.size() > kLeafLimit) {
    report_.error("array-size", n.span,
                  fmt::format("an array has between 1 and {} elements", kLeafLimit));
    return {};
  }
  const bool isHinted = hint && hint->kind == Form::Kind::Array;
  std::vector<Value> values;
  if (!unify(n.kids, isHinted ? &hint->type : nullptr, n, "an array", values))
    return {};
  Form form(values[0].type);
  form.kind = Form::Kind::Array;
  form.size = values.size();
  Compound result(std::move(form), {});
  for (const Value &value : values)
    result.leaves.push_back(value.id);
  return result;
}

Compound ExprChecker::tuple(const Node &n, const Form *hint) {
  const bool isHinted =
      hint && hint->kind == Form::Kind::Tuple && hint->parts.size() == n.kids.size();
  Compound result;
  result.form.kind = Form::Kind::Tuple;
  bool isFine = true;
  for (std::size_t i = 0; i < n.kids.size(); ++i) {
    const Compound part = any(n.kids[i], isHinted ? &hint->parts[i] : nullptr);
    isFine = isFine && part;
    result.form.parts.push_back(part.form);
    result.leaves.insert(result.leaves.end(), part.leaves.begin(), part.leaves.end());
  }
  if (isFine && result.leaves.size() > kLeafLimit) {
    report_.error("too-large", n.span,
                  fmt::format("a tuple has at most {} elements in all", kLeafLimit));
    return {};
  }
  return isFine ? result : Compound();
}

// --- Parts

Value ExprChecker::element(const Node &n) {
  const Compound base = any(n.kids[0], nullptr);
  if (!base)
    return {};
  if (base.form.kind != Form::Kind::Array) {
    report_.error("not-indexable", node(n.kids[0]).span,
                  fmt::format("expected an array before `[`, found {}", toString(base.form)));
    return {};
  }
  if (n.kids.size() != 2) {
    report_.error("wrong-arity", n.span,
                  fmt::format("expected 1 index for an array, found {}", n.kids.size() - 1));
    return {};
  }
  return elementAt(base, n.kids[1]);
}

Value ExprChecker::elementAt(const Compound &array, NodeId index) {
  const ExprId at = withinAs(index, kIndex, "the index of an array").id;
  if (at == kNone)
    return {};
  const auto constant = program_.constantIndex(at);
  if (!constant && isGeneric() && isOverDimensions(at))
    return opaque(Form(array.form.type), array.leaves).value(); // the instance knows
  if (!constant) {
    report_
        .error("array-index", node(index).span,
               fmt::format("expected a constant index for an array, found `{}`", text(index)))
        .help = "an array is no tensor: choose between its elements with if … then … else";
    return {};
  }
  if (*constant >= 0 && *constant < static_cast<std::int64_t>(array.form.size))
    return array.part(static_cast<std::size_t>(*constant)).value();
  report_.error(
      "index-range", node(index).span,
      fmt::format("index {} is outside an array of {} elements", *constant, array.form.size));
  return {};
}

// Whether a node of the expression is one that `is` accepts.
template <class F> bool ExprChecker::contains(ExprId id, F &&is) const {
  std::vector<ExprId> open = {id};
  std::set<ExprId> seen;
  while (!open.empty()) {
    const ExprId at = open.back();
    open.pop_back();
    if (!seen.insert(at).second)
      continue;
    if (is(program_.expr(at)))
      return true;
    open.insert(open.end(), program_.args(at).begin(), program_.args(at).end());
  }
  return false;
}

bool ExprChecker::isOverDimensions(ExprId id) const {
  return !contains(id, [](const Expr &e) {
    const bool isOpaqueBool =
        e.op == Op::Scalar && e.payload >= kFirstOpaque && e.type == DType::Bool;
    return e.op == Op::Load || e.op == Op::Use || e.op == Op::Reduce || e.op == Op::Var ||
           (e.op == Op::Scalar && !isOpaqueBool);
  });
}

// An integer of a tensor or a definition, made an index.
bool ExprChecker::readsData(ExprId id) const {
  return contains(id, [](const Expr &e) { return e.op == Op::Cast; });
}

bool ExprChecker::reads(ExprId id, std::uint64_t tensor) const {
  return contains(id, [&](const Expr &e) { return e.op == Op::Load && e.payload == tensor; });
}

Compound ExprChecker::field(const Node &n) {
  const Node &base = node(n.kids[0]);
  if (base.kind != NodeKind::Iterate)
    return partNamed(any(n.kids[0], nullptr), n.text, n.nameSpan);
  // `iterate … { … }.c`: also where c is the only carry.
  std::vector<std::string> names;
  for (std::size_t i = 1; i + 1 < base.kids.size(); ++i)
    names.push_back(node(base.kids[i]).text);
  const auto it = std::ranges::find(names, n.text);
  if (it == names.end()) {
    report_.error("unknown-name", n.nameSpan, fmt::format("`iterate` carries no `{}`", n.text))
        .help = suggestion(n.text, names);
    return {};
  }
  const std::vector<Compound> carry = iterate(base);
  return carry.empty() ? Compound() : carry[static_cast<std::size_t>(it - names.begin())];
}

// `path` may go deeper: "m.c".
Compound ExprChecker::partNamed(const Compound &value, std::string_view path, Span span) {
  Compound at = value;
  while (at && !path.empty()) {
    const std::string name(path.substr(0, path.find('.')));
    path = name.size() < path.size() ? path.substr(name.size() + 1) : "";
    const auto it = std::ranges::find(at.form.names, name);
    if (at.form.kind != Form::Kind::Tuple) {
      report_.error(
          "type-mismatch", span,
          fmt::format("expected a tuple before `.{}`, found {}", name, toString(at.form)));
      return {};
    }
    if (it == at.form.names.end()) {
      report_
          .error("unknown-name", span,
                 fmt::format("{} has no part named `{}`", toString(at.form), name))
          .help = suggestion(name, at.form.names);
      return {};
    }
    at = at.part(static_cast<std::size_t>(it - at.form.names.begin()));
  }
  return at;
}

// `(a, b) = value` within a function.
bool ExprChecker::bindTuple(const Node &define) {
  const std::size_t count = define.kids.size() - 2;
  bool isPlain = define.kids[count] == kNoNode;
  for (std::size_t i = 0; i < count; ++i)
    isPlain = isPlain && node(define.kids[i]).kids.empty();
  if (!isPlain) {
    report_.error("unexpected-statement", define.span,
                  "expected a plain definition `(a, b) = value` within a function");
    return false;
  }
  Compound value = any(define.kids.back(), nullptr);
  if (value && !isTupleOf(value.form, count, define))
    value = {};
  bool isFine = static_cast<bool>(value);
  for (std::size_t i = 0; i < count; ++i)
    isFine =
        declareValue(node(define.kids[i]), value ? value.part(i) : Compound(), *scope_) && isFine;
  return isFine;
}

bool ExprChecker::isTupleOf(const Form &form, std::size_t count, const Node &define) {
  if (form.kind == Form::Kind::Tuple && form.parts.size() == count)
    return true;
  if (form.kind == Form::Kind::Tuple)
    report_.error("wrong-arity", define.nameSpan,
                  fmt::format("expected {} names on the left of `=`, one for each part of {}, "
                              "found {}",
                              form.parts.size(), toString(form), count));
  else
    report_.error(
        "type-mismatch", define.nameSpan,
        fmt::format("expected a tuple for the names on the left of `=`, found {}", toString(form)));
  return false;
}

// --- Local functions

bool ExprChecker::declareFunction(NodeId define, Scope &scope) {
  const Node &fn = scope.module().ast[define];
  Entry entry{Entry::Kind::Function, fn.text, fn.nameSpan, {}, define, {}};
  if (!scope.declare(entry, report_))
    return false;
  Scope inside = scope.prefix(scope.size());
  for (std::size_t i = 0; i + 1 < fn.kids.size(); ++i) {
    const Node &param = scope.module().ast[fn.kids[i]];
    Entry value{Entry::Kind::Refused, param.text, param.span, {}, kNone, {}};
    if (inside.declare(std::move(value), report_))
      continue;
    entry.kind = Entry::Kind::Refused; // its calls stay silent
    scope.replace(std::move(entry));
    return false;
  }
  return true;
}

// The body is checked where it is called: its parameters have no types of their own.
Compound ExprChecker::localCall(const Node &n, const Entry &entry) {
  const std::size_t visible = static_cast<std::size_t>(&entry - scope_->entries().data()) + 1;
  const Node &fn = node(entry.number);
  scope_->use(n.text);
  if (!hasArity(n, fn.kids.size() - 1))
    return {};
  if (std::ranges::find(openLocals_, &fn) != openLocals_.end()) {
    report_.error(
        "recursion", n.nameSpan,
        fmt::format("functions are inlined, so none may call itself: {0} → {0}", fn.text));
    return {};
  }
  std::vector<Compound> arguments;
  bool isFine = true;
  for (NodeId argument : n.kids) {
    arguments.push_back(any(argument, nullptr));
    isFine = isFine && arguments.back();
  }
  if (!isFine || std::ranges::find(refusedLocals_, &fn) != refusedLocals_.end() || !mayEnter(n))
    return {};
  Scope inside = scope_->prefix(visible);
  for (std::size_t i = 0; i < arguments.size(); ++i)
    declareValue(node(fn.kids[i]), arguments[i], inside);
  openLocals_.push_back(&fn);
  ++inlineDepth_;
  Compound value = checkForm(fn.kids.back(), inside, nullptr);
  --inlineDepth_;
  openLocals_.pop_back();
  scope_->adoptUses(inside);
  if (!value)
    refusedLocals_.push_back(&fn);
  return value;
}

// --- iterate

std::optional<std::size_t> ExprChecker::iterateCount(NodeId id) {
  const Value count = within(id, &kIndex);
  if (!count)
    return std::nullopt;
  const auto constant = program_.constantIndex(count.id);
  if (count.type == kIndex && !constant && isGeneric() && isOverDimensions(count.id))
    return 1; // the instance knows
  if (constant && *constant >= 0 && *constant <= kRoundLimit)
    return static_cast<std::size_t>(*constant);
  const std::string found = constant ? fmt::format("{}", *constant)
                                     : fmt::format("{}, which is not known here", text(id));
  report_
      .error("iterate-count", node(id).span,
             fmt::format("expected a constant number of rounds between 0 and {}, found {}",
                         kRoundLimit, found))
      .help = "the rounds are written out: `iterate` has no other bound";
  return std::nullopt;
}

// What is carried after the last round; nothing after a report.
std::vector<Compound> ExprChecker::iterate(const Node &n) {
  const auto count = iterateCount(n.kids[0]);
  if (!count)
    return {};
  std::vector<Compound> carry;
  bool isFine = true;
  for (std::size_t i = 1; i + 1 < n.kids.size(); ++i) {
    carry.push_back(any(node(n.kids[i]).kids[0], nullptr));
    isFine = isFine && carry.back();
  }
  const bool before = repeats_;
  // One round is checked even where none is asked for.
  for (std::size_t round = 0; isFine && round < std::max<std::size_t>(*count, 1); ++round) {
    std::vector<Compound> next = carry;
    steps_ += kRoundCost;
    isFine = iterateStep(n, next);
    repeats_ = true;
    if (*count > 0)
      carry = std::move(next);
  }
  repeats_ = before;
  return isFine ? carry : std::vector<Compound>();
}

bool ExprChecker::iterateStep(const Node &n, std::vector<Compound> &carry) {
  const std::size_t outside = scope_->size();
  bool isFine = true;
  for (std::size_t i = 0; i < carry.size(); ++i)
    isFine = declareValue(node(n.kids[i + 1]), carry[i], *scope_) && isFine;
  const std::size_t mark = scope_->size();
  const Node &step = node(n.kids.back());
  isFine = isFine && bindLocals(step);
  const Node &next = node(step.kids.back());
  if (isFine && next.kids.size() != carry.size()) {
    report_.error("wrong-arity", next.span,
                  fmt::format("expected {} in `next`, as many as `iterate` carries, found {}",
                              carry.size(), next.kids.size()));
    isFine = false;
  }
  std::vector<Compound> after;
  for (std::size_t i = 0; isFine && i < carry.size(); ++i) {
    after.push_back(anyAs(next.kids[i], carry[i].form,
                          fmt::format("`{}` in the next round", node(n.kids[i + 1]).text)));
    isFine = static_cast<bool>(after.back());
  }
  if (isFine)
    warnUnused(mark);
  scope_->shrink(outside);
  if (isFine)
    carry = std::move(after);
  return isFine;
}

Compound ExprChecker::iterateValue(const Node &n) {
  const std::vector<Compound> carry = iterate(n);
  if (carry.size() <= 1)
    return carry.empty() ? Compound() : carry[0];
  Compound result;
  result.form.kind = Form::Kind::Tuple;
  for (std::size_t i = 0; i < carry.size(); ++i) {
    result.form.parts.push_back(carry[i].form);
    result.form.names.push_back(node(n.kids[i + 1]).text);
    result.leaves.insert(result.leaves.end(), carry[i].leaves.begin(), carry[i].leaves.end());
  }
  return result;
}

} // namespace ordo::dsl
