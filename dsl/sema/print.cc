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
  Text reduction(const Reduction &reduction, int indent);
  std::string plain(ExprId id) {
    std::string unused;
    return region(id, 0, unused).text;
  }

  const Program &program_;
  bool names_; // whether large shared values get names
  int next_ = 1;
};

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
    return reduction(program_.reductions[e.payload], indent);
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
Text Printer::reduction(const Reduction &reduction, int indent) {
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

std::string tensorText(const Tensor &tensor, Printer &printer) {
  std::string shape, ignored;
  for (ExprId extent : tensor.shape)
    shape +=
        fmt::format("{}{}", shape.empty() ? "" : ", ", printer.region(extent, 0, ignored).text);
  const bool isOutput = tensor.role == Tensor::Role::Output;
  return fmt::format("  {} {}: {}{}\n", isOutput ? "out" : "in", tensor.name, name(tensor.type),
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
  for (const Definition &definition : program.definitions) {
    std::string lines;
    const std::string variables = printer.variables(definition.vars);
    std::string text =
        fmt::format("  {}{} = {}", definition.name, variables.empty() ? "" : "[" + variables + "]",
                    printer.region(definition.value, 2, lines).text);
    if (definition.where != kNone)
      text += " where " + printer.region(definition.where, 2, lines).text;
    out += lines + text + "\n";
  }
  return out;
}

} // namespace ordo::dsl
