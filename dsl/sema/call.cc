// Built-in functions, conversions between types, and functions, which are inlined.
#include "dsl/sema/expr.h"
#include "dsl/sema/literal.h"

#include <algorithm>

namespace ordo::dsl {
namespace {

constexpr int kInlineLimit = 100; // functions entered, one from another
constexpr Type kIndex{DType::Index, nullptr};
constexpr Type kU32{DType::U32, nullptr};
constexpr Type kU64{DType::U64, nullptr};

// The unsigned integer that holds the bits of a float type.
const Type *bitsType(const Type &type) {
  if (!isComputable(type) || type.isOpaque())
    return nullptr;
  return type.dtype == DType::F64 ? &kU64 : &kU32;
}

} // namespace

Compound ExprChecker::call(const Node &n, const Type *hint) {
  if (const Builtin *builtin = findBuiltin(n.text))
    return builtinCall(n, *builtin, hint);
  if (n.text == "ceil_div")
    return ceilingQuotient(n);
  if (n.text == "bits")
    return bitsCall(n);
  if (const auto conversion = splitConversion(n.text)) {
    if (const auto dtype = dtypeFromName(conversion->typeName))
      return this->conversion(n, *conversion, {*dtype, nullptr});
    const Entry *entry = scope_->use(conversion->typeName);
    if (entry && entry->kind == Entry::Kind::TypeParam)
      return this->conversion(n, *conversion, entry->value.type);
  }
  if (n.text == "tf32")
    return tf32(n);
  const std::string typeName = n.text.substr(0, n.text.find('.'));
  if (typeName != n.text && typeName == "tf32") {
    report_.error("unknown-name", n.nameSpan, fmt::format("there is no `{}`", n.text)).help =
        "tf32 is no type: tf32(x) rounds an f32 to nearest even, and stays f32";
    return {};
  }
  if (typeName != n.text && dtypeFromName(typeName)) {
    report_.error("unknown-name", n.nameSpan, fmt::format("there is no `{}`", n.text)).help =
        "a type has .rz and .of_bits, and for f8 .sat and .nosat";
    return {};
  }
  if (const Entry *entry = scope_->find(n.text)) {
    if (entry->kind == Entry::Kind::Function)
      return localCall(n, *entry);
    if (entry->kind == Entry::Kind::Refused)
      return {};
    Diagnostic &d = report_.error(
        "not-callable", n.nameSpan,
        fmt::format("expected a function, found {} `{}`", describe(entry->kind), n.text),
        {entry->span, "declared here"});
    if (entry->kind == Entry::Kind::Tensor || entry->kind == Entry::Kind::Definition)
      d.help = fmt::format("an element is written with brackets: {}[…]", n.text);
    return {};
  }
  bool ambiguous = false;
  const auto symbol = lookup(scope_->module(), n.text, &ambiguous);
  if (symbol && symbol->node().kind == NodeKind::Fn)
    return functionCall(n, *symbol);
  if (symbol) {
    report_.error(
        "not-callable", n.nameSpan,
        fmt::format("expected a function, found {} `{}`", describe(symbol->node().kind), n.text),
        {symbol->node().nameSpan, "declared here"});
  } else if (ambiguous) {
    report_
        .error("ambiguous-name", n.nameSpan,
               fmt::format("`{}` is declared by several of the used modules", n.text))
        .help = "write it with its module's name";
  } else {
    std::vector<std::string> candidates = builtinNames();
    for (std::string &name : visibleNames(scope_->module(), NodeKind::Fn))
      candidates.push_back(std::move(name));
    for (std::string &name : scope_->names({Entry::Kind::Function}))
      candidates.push_back(std::move(name));
    report_.error("unknown-name", n.nameSpan, fmt::format("there is no function `{}`", n.text))
        .help = suggestion(n.text, candidates);
  }
  return {};
}

bool ExprChecker::hasArity(const Node &n, std::size_t arity) {
  if (n.kids.size() == arity)
    return true;
  report_.error("wrong-arity", n.span,
                fmt::format("expected {} {} of `{}`, found {}", arity,
                            arity == 1 ? "argument" : "arguments", n.text, n.kids.size()));
  return false;
}

Value ExprChecker::builtinCall(const Node &n, const Builtin &builtin, const Type *hint) {
  const std::string what = fmt::format("`{}`", n.text);
  std::vector<Value> values;
  if (!hasArity(n, builtin.arity) || !unify(n.kids, hint, n, what, values))
    return {};
  if (hint && *hint == kIndex && builtin.index && isInteger(values[0].type.dtype) &&
      !asIndices(n.kids, values))
    return {};
  const Type type = values[0].type;
  std::vector<ExprId> args;
  for (const Value &value : values)
    args.push_back(value.id);
  if (type == kIndex && builtin.index)
    return indexArithmetic(builtin.op, args, n.span);
  const bool isFine =
      (builtin.floats && isComputable(type)) || (builtin.integers && isInteger(type.dtype));
  if (!isFine)
    return badOperand(n, what, type);
  return {program_.make(builtin.op, type.dtype, 0, std::span<const ExprId>(args)), type};
}

// ceil_div(a, b): of indices, b > 0.
Value ExprChecker::ceilingQuotient(const Node &n) {
  std::vector<Value> values(n.kids.size());
  if (!hasArity(n, 2) || !asIndices(n.kids, values))
    return {};
  const ExprId sum[] = {values[0].id, values[1].id};
  const Value above = indexArithmetic(Op::Add, sum, n.span);
  if (!above)
    return {};
  const ExprId less[] = {above.id, program_.index(1)};
  const Value last = indexArithmetic(Op::Sub, less, n.span);
  if (!last)
    return {};
  const ExprId quotient[] = {last.id, values[1].id};
  return indexArithmetic(Op::Div, quotient, n.span);
}

Value ExprChecker::bitsCall(const Node &n) {
  if (!hasArity(n, 1))
    return {};
  const Value value = within(n.kids[0], nullptr);
  if (!value)
    return {};
  const Type *result = bitsType(value.type);
  if (!result) {
    report_.error(
        "type-mismatch", node(n.kids[0]).span,
        fmt::format("expected f64, f32, f16 or bf16 for `bits`, found {}", toString(value.type)));
    return {};
  }
  return {make(Op::Bits, result->dtype, n.span, {value.id}), *result};
}

Value ExprChecker::conversion(const Node &n, const Conversion &conversion, const Type &target) {
  if (!hasArity(n, 1))
    return {};
  if (conversion.kind == Conversion::Kind::OfBits)
    return ofBits(n, target);
  // A literal has the type it is converted to, and so rounds once.
  const Value value = within(n.kids[0], isUntyped(n.kids[0]) ? &target : nullptr);
  if (!value || !isCastAllowed(n, value.type, target, conversion.rounding, conversion.suffix))
    return {};
  return cast(n, value, target, conversion.rounding);
}

// No type of its own: an f32 with its last 13 bits rounded away.
Value ExprChecker::tf32(const Node &n) {
  constexpr Type kF32{DType::F32, nullptr};
  if (!hasArity(n, 1))
    return {};
  const Value value = withinAs(n.kids[0], kF32, "the argument of `tf32`");
  if (!value)
    return {};
  return {
      make(Op::Cast, DType::F32, n.span, {value.id}, static_cast<std::uint64_t>(Rounding::Tf32)),
      kF32};
}

Value ExprChecker::ofBits(const Node &n, const Type &target) {
  const Type *source = bitsType(target);
  if (!source) {
    report_.error("type-mismatch", n.nameSpan,
                  fmt::format("expected f64, f32, f16 or bf16 before `.of_bits`, found {}",
                              toString(target)));
    return {};
  }
  const Value value = withinAs(n.kids[0], *source, fmt::format("the argument of `{}`", n.text));
  if (!value)
    return {};
  return {make(Op::OfBits, target.dtype, n.span, {value.id}), target};
}

bool ExprChecker::isCastAllowed(const Node &n, const Type &from, const Type &to,
                                std::optional<Rounding> rounding, const std::string &suffix) {
  const bool toFloat = isFloat(to.dtype);
  const bool toF8 = toFloat && bitWidth(to.dtype) == 8 && !to.isOpaque();
  const auto refuse = [&](std::string message, std::string help) {
    report_.error("bad-cast", n.nameSpan, std::move(message)).help = std::move(help);
    return false;
  };
  if (from == to)
    return true;
  if (to.dtype == DType::Bool)
    return refuse(fmt::format("there is no cast from {} to bool", toString(from)),
                  "compare the value with zero");
  if (from.dtype == DType::Bool && !isInteger(to.dtype))
    return refuse(fmt::format("there is no cast from bool to {}", toString(to)),
                  "write if … then 1.0 else 0.0");
  if (toF8 && !isFloat(from.dtype))
    return refuse(fmt::format("there is no cast from {} to {}", toString(from), toString(to)),
                  "convert to f32 first");
  const bool saysOverflow = suffix == "sat" || suffix == "nosat";
  if (toF8 && !saysOverflow)
    return refuse("a cast to f8 says whether it saturates",
                  fmt::format("write {0}.sat(x) or {0}.nosat(x)", toString(to)));
  if (saysOverflow && !toF8)
    return refuse(fmt::format("`.{}` belongs to casts to f8, found {}", suffix, toString(to)), "");
  if (rounding == Rounding::TowardZero && !isFloat(from.dtype) && !toFloat)
    return refuse("`.rz` belongs to casts that round: from or to a floating-point type", "");
  return true;
}

Value ExprChecker::cast(const Node &n, const Value &value, const Type &target,
                        std::optional<Rounding> rounding) {
  if (value.type == target)
    return value;
  const Rounding mode = rounding.value_or(Rounding::NearestEven);
  if (const auto constant = program_.constantIndex(value.id))
    return target.isOpaque() ? Value{opaque(target.dtype), target}
                             : castConstantIndex(n, *constant, target.dtype, mode);
  return {make(Op::Cast, target.dtype, n.span, {value.id}, static_cast<std::uint64_t>(mode)),
          target};
}

// One rounding of an exact integer: done here.
Value ExprChecker::castConstantIndex(const Node &n, std::int64_t value, DType target,
                                     Rounding rounding) {
  const auto refuse = [&]() -> Value {
    report_.error("literal-overflow", n.span,
                  fmt::format("{} does not fit {}", value, dsl::name(target)));
    return {};
  };
  if (isFloat(target)) {
    const auto bits = roundInteger(value, target,
                                   rounding == Rounding::TowardZero ? Direction::TowardZero
                                                                    : Direction::NearestEven);
    return bits ? Value{program_.constant(target, *bits), {target, nullptr}} : refuse();
  }
  const bool isNegative = value < 0;
  const std::string digits = fmt::format("{}", value).substr(isNegative ? 1 : 0);
  const RoundedLiteral rounded = roundLiteral(digits, isNegative, target);
  return rounded.bits ? Value{program_.constant(target, *rounded.bits), {target, nullptr}}
                      : refuse();
}

Compound ExprChecker::functionCall(const Node &n, const Symbol &function) {
  const Node &fn = function.node();
  const Ast &there = function.module->ast;
  if (!hasArity(n, fn.a))
    return {};
  Scope outside(*function.module);
  std::vector<Compound> arguments;
  bool isFine = true;
  for (std::uint32_t i = 0; i < fn.a; ++i) {
    const Node &param = there[fn.kids[i]];
    const auto form = knownForm(param.kids[0], outside);
    if (!form)
      return {}; // the function itself was refused
    arguments.push_back(anyAs(n.kids[i], *form, fmt::format("`{}` of `{}`", param.text, n.text)));
    isFine = isFine && arguments.back();
  }
  const auto result = knownForm(fn.kids[fn.a], outside);
  if (!isFine || !result)
    return {};
  if (!isGeneric())
    return inlined(n, function, arguments, *result);
  calls_.emplace_back(function, n.nameSpan);
  // Unknown, but it depends on the arguments: what is used stays used.
  std::vector<ExprId> args;
  for (const Compound &argument : arguments)
    args.insert(args.end(), argument.leaves.begin(), argument.leaves.end());
  return opaque(*result, args);
}

// The form in a declaration that is checked, and reported, by itself.
std::optional<Form> ExprChecker::knownForm(NodeId type, Scope &scope) {
  const bool before = report_.isMuted();
  report_.setMuted(true);
  auto form = formOf(type, scope);
  report_.setMuted(before);
  return form;
}

bool ExprChecker::mayEnter(const Node &call) {
  if (inlineDepth_ < kInlineLimit)
    return true;
  report_.error("too-deep", call.span,
                fmt::format("more than {} functions are entered one from another", kInlineLimit));
  return false;
}

Compound ExprChecker::inlined(const Node &n, const Symbol &function,
                              const std::vector<Compound> &arguments, const Form &result) {
  if (!mayEnter(n))
    return {};
  const Node &fn = function.node();
  const Ast &there = function.module->ast;
  Scope scope(*function.module);
  for (std::uint32_t i = 0; i < fn.a; ++i)
    declareValue(there[fn.kids[i]], arguments[i], scope);
  ++inlineDepth_;
  Compound value =
      checkFormAs(fn.kids.back(), scope, result, fmt::format("the result of `{}`", fn.text));
  --inlineDepth_;
  return value;
}

} // namespace ordo::dsl
