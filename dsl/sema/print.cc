#include "dsl/sema/print.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <vector>

namespace ordo::dsl {
namespace {

constexpr std::size_t kLineLength = 90; // a longer operand gets a name
constexpr std::size_t kSmall = 4;       // operations that may be printed twice

// Binding strength, loosest first, as the language's grammar has it.
enum Strength {
  kLoose,
  kOr,
  kAnd,
  kNot,
  kCompare,
  kBitOr,
  kXor,
  kBitAnd,
  kShift,
  kSum,
  kProduct,
  kUnary,
  kAtom
};

struct Text {
  std::string text;
  int strength = kAtom;
  std::size_t size = 1; // operations within, those behind a name not counted
};

struct Infix {
  std::string_view text;
  int strength;
};

const Infix *infix(Op op, DType type) {
  static const std::map<Op, Infix> kInfix = {
      {Op::Add, {"+", kSum}},     {Op::Sub, {"-", kSum}},     {Op::Mul, {"*", kProduct}},
      {Op::Div, {"/", kProduct}}, {Op::Rem, {"%", kProduct}}, {Op::And, {"&", kBitAnd}},
      {Op::Or, {"|", kBitOr}},    {Op::Xor, {"^", kXor}},     {Op::Shl, {"<<", kShift}},
      {Op::Shr, {">>", kShift}},  {Op::Eq, {"==", kCompare}}, {Op::Ne, {"!=", kCompare}},
      {Op::Lt, {"<", kCompare}},  {Op::Le, {"<=", kCompare}}, {Op::Gt, {">", kCompare}},
      {Op::Ge, {">=", kCompare}}};
  static const Infix kBoolAnd{"and", kAnd}, kBoolOr{"or", kOr};
  if (type == DType::Bool && op == Op::And)
    return &kBoolAnd;
  if (type == DType::Bool && op == Op::Or)
    return &kBoolOr;
  const auto it = kInfix.find(op);
  return it == kInfix.end() ? nullptr : &it->second;
}

double decode(DType type, std::uint64_t bits) {
  if (isNanBits(type, bits))
    return std::numeric_limits<double>::quiet_NaN();
  const FloatFormat f = floatFormat(type);
  const std::uint64_t fieldMask = (std::uint64_t{1} << f.exponentBits) - 1;
  const auto field = static_cast<int>((bits >> f.mantissaBits) & fieldMask);
  const std::uint64_t mantissa = bits & ((std::uint64_t{1} << f.mantissaBits) - 1);
  const double sign = (bits >> (bitWidth(type) - 1)) != 0 ? -1.0 : 1.0;
  if (f.hasInfinity && field == static_cast<int>(fieldMask))
    return sign * std::numeric_limits<double>::infinity();
  const std::uint64_t significand =
      field == 0 ? mantissa : mantissa | (std::uint64_t{1} << f.mantissaBits);
  return sign *
         std::ldexp(static_cast<double>(significand), std::max(field, 1) - f.bias - f.mantissaBits);
}

std::string constantText(DType type, std::uint64_t bits) {
  if (type == DType::Bool)
    return bits != 0 ? "true" : "false";
  if (isFloat(type)) {
    const double value = decode(type, bits);
    std::string text = type == DType::F64 ? fmt::format("{}", value)
                                          : fmt::format("{}", static_cast<float>(value));
    if (text.find_first_of(".en") == std::string::npos)
      text += ".0";
    return text;
  }
  if (type == DType::I32)
    return fmt::format("{}", static_cast<std::int32_t>(bits));
  if (type == DType::U32 || type == DType::U64)
    return bits > 0xffff ? fmt::format("{:#x}", bits) : fmt::format("{}", bits);
  return fmt::format("{}", static_cast<std::int64_t>(bits));
}

class Printer {
public:
  Printer(const Program &program, bool names) : program_(program), names_(names) {}

  /// `root` as text; the values named on the way are appended to `lines`, each indented.
  Text region(ExprId root, int indent, std::string &lines);
  std::string variables(const std::vector<VarId> &vars);

private:
  std::set<ExprId> reachable(ExprId root) const;
  Text node(ExprId id, const std::map<ExprId, Text> &done, int indent);
  Text call(std::string_view callee, ExprId id, const std::map<ExprId, Text> &done);
  Text indexed(std::string_view base, ExprId id, const std::map<ExprId, Text> &done);
  Text conversion(ExprId id, const std::map<ExprId, Text> &done);
  Text reduction(const Reduction &reduction, ExprId id, const std::map<ExprId, Text> &done,
                 int indent);
  Text ranking(const Reduction &reduction, ExprId id, const std::map<ExprId, Text> &done);
  std::string plain(ExprId id) {
    std::string unused;
    return region(id, 0, unused).text;
  }

  const Program &program_;
  bool names_; // whether large shared values get names
  int next_ = 1;
};

std::string recurrenceName(RecurrenceId id) { return fmt::format("@{}", id); }

std::string wrap(const Text &text, int least) {
  return text.strength < least ? "(" + text.text + ")" : text.text;
}

std::set<ExprId> Printer::reachable(ExprId root) const {
  std::set<ExprId> ids;
  std::vector<ExprId> open = {root};
  while (!open.empty()) {
    const ExprId id = open.back();
    open.pop_back();
    if (!ids.insert(id).second)
      continue;
    const auto args = program_.args(id);
    open.insert(open.end(), args.begin(), args.end());
  }
  return ids;
}

Text Printer::region(ExprId root, int indent, std::string &lines) {
  // Children come before parents, so ascending ids build bottom up without recursion.
  const std::set<ExprId> ids = reachable(root);
  std::map<ExprId, int> uses;
  for (ExprId id : ids)
    for (ExprId arg : program_.args(id))
      ++uses[arg];
  std::map<ExprId, Text> done;
  for (ExprId id : ids) {
    Text text = node(id, done, indent);
    const bool isShared = uses[id] > 1 && text.size > kSmall;
    const bool isLong = text.text.size() > kLineLength || text.text.find('\n') != std::string::npos;
    if (names_ && id != root && (isShared || isLong)) {
      std::string value = std::move(text.text);
      text = {fmt::format("%{}", next_++), kAtom, 1};
      lines += fmt::format("{:{}}{} = {}\n", "", indent, text.text, value);
    }
    done.emplace(id, std::move(text));
  }
  return done.at(root);
}

Text Printer::node(ExprId id, const std::map<ExprId, Text> &done, int indent) {
  const Expr &e = program_.expr(id);
  const auto args = program_.args(id);
  const auto arg = [&](std::size_t i) -> const Text & { return done.at(args[i]); };
  if (const Infix *i = infix(e.op, e.type)) {
    // Left-associative; a comparison does not chain with its own result.
    const int left = i->strength == kCompare ? kCompare + 1 : i->strength;
    return {fmt::format("{} {} {}", wrap(arg(0), left), i->text, wrap(arg(1), i->strength + 1)),
            i->strength, arg(0).size + arg(1).size + 1};
  }
  switch (e.op) {
  case Op::Const: {
    std::string text = constantText(e.type, e.payload);
    const int strength = text[0] == '-' ? kUnary : kAtom;
    return {std::move(text), strength, 1};
  }
  case Op::Var:
    return {program_.vars[e.payload].name};
  case Op::Size:
    return {program_.dims[e.payload].name};
  case Op::Scalar:
    return {e.payload < program_.scalars.size() ? program_.scalars[e.payload].name : "?"};
  case Op::Load:
    return indexed(program_.tensors[e.payload].name, id, done);
  case Op::Use:
    return indexed(program_.definitions[e.payload].name, id, done);
  case Op::Reduce:
    return reduction(program_.reductions[e.payload], id, done, indent);
  case Op::Carry: {
    static constexpr std::string_view kSides[] = {"", "left.", "right."};
    return indexed(std::string(kSides[static_cast<std::size_t>(sideOf(e.payload))]) +
                       program_.carries[carryOf(e.payload)].name,
                   id, done);
  }
  case Op::Recur: {
    const Recurrence &r = program_.recurrences[recurrenceOf(e.payload)];
    const CarryId carry = partId(r, partOf(e.payload));
    return indexed(recurrenceName(recurrenceOf(e.payload)) + "." + program_.carries[carry].name, id,
                   done);
  }
  case Op::Undef:
    return {"undefined"};
  case Op::Neg:
    return {"-" + wrap(arg(0), kUnary + 1), kUnary, arg(0).size + 1};
  case Op::Not:
    if (e.type == DType::Bool)
      return {"not " + wrap(arg(0), kNot), kNot, arg(0).size + 1};
    return {"~" + wrap(arg(0), kUnary), kUnary, arg(0).size + 1};
  case Op::Select:
    return {fmt::format("if {} then {} else {}", arg(0).text, wrap(arg(1), kLoose + 1),
                        wrap(arg(2), kLoose + 1)),
            kLoose, arg(0).size + arg(1).size + arg(2).size + 1};
  case Op::Cast:
  case Op::OfBits:
    return conversion(id, done);
  default:
    return call(name(e.op), id, done);
  }
}

Text Printer::call(std::string_view callee, ExprId id, const std::map<ExprId, Text> &done) {
  Text result{std::string(callee) + "(", kAtom, 1};
  std::string_view separator;
  for (ExprId arg : program_.args(id)) {
    result.text += fmt::format("{}{}", separator, done.at(arg).text);
    result.size += done.at(arg).size;
    separator = ", ";
  }
  result.text += ")";
  return result;
}

Text Printer::indexed(std::string_view base, ExprId id, const std::map<ExprId, Text> &done) {
  if (program_.args(id).empty())
    return {std::string(base)};
  Text result = call("", id, done);
  result.text.front() = '[';
  result.text.back() = ']';
  result.text.insert(0, base);
  return result;
}

Text Printer::conversion(ExprId id, const std::map<ExprId, Text> &done) {
  const Expr &e = program_.expr(id);
  std::string callee(name(e.type));
  if (e.type == DType::Index)
    return done.at(program_.args(id)[0]); // an integer that is an index is the same number
  if (e.op == Op::OfBits)
    callee += ".of_bits";
  else if (static_cast<Rounding>(e.payload) == Rounding::Tf32)
    callee = "tf32";
  else if (static_cast<Rounding>(e.payload) == Rounding::TowardZero)
    callee += ".rz";
  else if (static_cast<Rounding>(e.payload) == Rounding::Saturate)
    callee += ".sat";
  else if (isFloat(e.type) && bitWidth(e.type) == 8)
    callee += ".nosat";
  return call(callee, id, done);
}

std::string Printer::variables(const std::vector<VarId> &vars) {
  std::string text;
  for (VarId var : vars)
    text += fmt::format("{}{} in {}", text.empty() ? "" : ", ", program_.vars[var].name,
                        plain(program_.vars[var].extent));
  return text;
}

// sum[h in H by seq where c] body, with the body in braces where it needs names.
Text Printer::reduction(const Reduction &reduction, ExprId id, const std::map<ExprId, Text> &done,
                        int indent) {
  if (!reduction.keys.empty())
    return ranking(reduction, id, done);
  std::string text = fmt::format("{}[{}", name(reduction.op), variables(reduction.vars));
  if (!reduction.order.empty())
    text += " by " + toString(reduction.order);
  std::string lines;
  if (reduction.where != kNone)
    text += " where " + region(reduction.where, indent + 2, lines).text;
  text += "] ";
  const Text body = region(reduction.body, indent + 2, lines);
  if (lines.empty())
    text += wrap(body, kProduct);
  else
    text += fmt::format("{{\n{}{:{}}{}\n{:{}}}}", lines, "", indent + 2, body.text, "", indent);
  return {std::move(text), kLoose, body.size + 2};
}

// name[i in I] = value where guard; a placed one says where: name[start[r] + i] = …
std::string definitionText(const Program &program, const Definition &definition, int indent,
                           Printer &printer) {
  std::string lines;
  std::string variables = printer.variables(definition.vars);
  if (definition.isPlaced()) {
    std::string places;
    for (const ExprId place : definition.at)
      places += (places.empty() ? "" : ", ") + printExpr(program, place);
    variables = places + (variables.empty() ? "" : " for " + variables);
  }
  std::string text =
      fmt::format("{:{}}{}{} {} {}", "", indent, definition.name,
                  variables.empty() ? "" : "[" + variables + "]", definition.isUpdate ? ":=" : "=",
                  printer.region(definition.value, indent, lines).text);
  if (definition.where != kNone)
    text += " where " + printer.region(definition.where, indent, lines).text;
  return lines + text + "\n";
}

// top[n] e in E where c of (z descending, NaN last, e ascending) at s
Text Printer::ranking(const Reduction &reduction, ExprId id, const std::map<ExprId, Text> &done) {
  const bool isTop = reduction.op == ReduceOp::Top;
  std::string keys;
  for (const RankKey &key : reduction.keys) {
    keys += fmt::format("{}{} {}", keys.empty() ? "" : ", ", plain(key.value),
                        key.isDescending ? "descending" : "ascending");
    if (isFloat(program_.expr(key.value).type))
      keys += key.isNanFirst ? ", NaN first" : ", NaN last";
  }
  const std::string where = reduction.where == kNone ? "" : " where " + plain(reduction.where);
  std::string text =
      isTop
          ? fmt::format("top[{}] {}{} of ({}) at {}", plain(reduction.count),
                        variables(reduction.vars), where, keys, done.at(program_.args(id)[0]).text)
          : fmt::format("argmax[{}{}] of ({})", variables(reduction.vars), where, keys);
  return {std::move(text), kLoose, reduction.keys.size() + 2};
}

// The recurrence, one line for each of its parts.
std::string recurrenceText(const Program &program, RecurrenceId id, Printer &printer) {
  const Recurrence &r = program.recurrences[id];
  const std::string order = r.order.empty() ? "" : " by " + toString(r.order);
  std::string out = fmt::format("  {} = {}[{}{}", recurrenceName(id), r.isScan ? "scan" : "fold",
                                printer.variables(r.vars), order);
  if (r.where != kNone)
    out += " where " + printExpr(program, r.where);
  out += "]";
  if (!r.shared.empty())
    out += " for each " + printer.variables(r.shared);
  out += "\n";
  const auto line = [&](std::string_view what, ExprId value) {
    if (value == kNone)
      return;
    std::string lines;
    const std::string text = printer.region(value, 6, lines).text;
    out += fmt::format("{}      {} {}\n", lines, what, text);
  };
  for (const std::vector<DefId> *locals : {&r.stepLocals, &r.mergeLocals})
    for (const DefId local : *locals)
      out += definitionText(program, program.definitions[local], 4, printer);
  for (const std::vector<CarryId> *parts : {&r.carries, &r.yields})
    for (const CarryId part : *parts) {
      const Carry &carry = program.carries[part];
      const std::string variables = printer.variables(carry.vars);
      out += fmt::format("    {} {}{}: {}\n", parts == &r.carries ? "carry" : "yield", carry.name,
                         variables.empty() ? "" : "[" + variables + "]", name(carry.type));
      line("from", carry.start);
      line(parts == &r.carries ? "next" : "is", carry.next);
      line("merge", carry.merged);
    }
  return out;
}

std::string assumptionText(const Program &program, const Assumption &a, Printer &printer) {
  std::string over = printer.variables(a.vars);
  if (a.where != kNone)
    over += " where " + printExpr(program, a.where);
  switch (a.kind) {
  case Assumption::Kind::Holds:
    return (over.empty() ? "" : "forall " + over + ": ") + printExpr(program, a.condition);
  case Assumption::Kind::Distinct:
    return fmt::format("distinct({} for {})", printExpr(program, a.value), over);
  case Assumption::Kind::Disjoint:
    break;
  }
  return fmt::format("disjoint({}, {} for {})", printExpr(program, a.value),
                     printExpr(program, a.length), over);
}

std::string tensorText(const Tensor &tensor, Printer &printer) {
  std::string shape, ignored;
  for (ExprId extent : tensor.shape)
    shape +=
        fmt::format("{}{}", shape.empty() ? "" : ", ", printer.region(extent, 0, ignored).text);
  return fmt::format("  {} {}: {}{}\n", name(tensor.role), tensor.name, name(tensor.type),
                     tensor.shape.empty() ? "" : "[" + shape + "]");
}

} // namespace

std::string printExpr(const Program &program, ExprId id) {
  std::string unused;
  return Printer(program, false).region(id, 0, unused).text;
}

std::string printProgram(const Program &program) {
  Printer printer(program, true);
  std::string out = fmt::format("kernel {} = {}.{}\n", program.kernel, program.module, program.op);
  for (const Dim &dim : program.dims)
    out += fmt::format("  free {}\n", dim.name);
  for (const Tensor &tensor : program.tensors)
    out += tensorText(tensor, printer);
  for (const Scalar &scalar : program.scalars)
    out += fmt::format("  scalar {}: {}\n", scalar.name, name(scalar.type));
  for (const LaunchRequire &require : program.requires_)
    out += fmt::format("  require {}\n", printExpr(program, require.condition));
  for (const Assumption &assumption : program.assumptions)
    out += fmt::format("  assume {}\n", assumptionText(program, assumption, printer));
  std::set<RecurrenceId> shown;
  for (const Definition &definition : program.definitions) {
    if (definition.recurrence != kNone)
      continue; // with its recurrence
    const Expr &value = program.expr(definition.value);
    if (value.op == Op::Recur && shown.insert(recurrenceOf(value.payload)).second)
      out += recurrenceText(program, recurrenceOf(value.payload), printer);
    out += definitionText(program, definition, 2, printer);
  }
  return out;
}

} // namespace ordo::dsl
