#include "compiler/driver/json.h"

#include "compiler/compile.h"

#include <fmt/core.h>
#include <unordered_map>
#include <vector>

namespace ordo::compiler::driver {

namespace {

constexpr std::size_t kLineWidth = 160;

void print(const Json &value, std::size_t indent, std::size_t column, std::string &out) {
  const std::string line = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (!value.is_structured() || value.empty()) {
    out += line;
    return;
  }
  // dump() puts no blanks behind commas and colons; leave room for them.
  const std::size_t spaced =
      line.size() + static_cast<std::size_t>(std::count(line.begin(), line.end(), ',')) + 4;
  const bool whole = column + spaced <= kLineWidth;
  const std::string gap = whole ? " " : "\n" + std::string(indent + 2, ' ');
  out += value.is_array() ? "[" : "{";
  bool first = true;
  for (const auto &item : value.items()) {
    if (!first)
      out += ",";
    if (!first || !whole)
      out += gap;
    first = false;
    std::size_t at = indent + 2;
    if (value.is_object()) {
      const std::string key = Json(item.key()).dump() + ": ";
      out += key;
      at += key.size();
    }
    print(item.value(), indent + 2, whole ? 0 : at, out);
  }
  if (!whole)
    out += "\n" + std::string(indent, ' ');
  out += value.is_array() ? "]" : "}";
}

const char *operation(dsl::Op op) {
  using dsl::Op;
  switch (op) {
  case Op::Neg:
    return "neg";
  case Op::Add:
    return "add";
  case Op::Sub:
    return "sub";
  case Op::Mul:
    return "mul";
  case Op::Div:
    return "div";
  case Op::Rem:
    return "rem";
  case Op::Min:
    return "min";
  case Op::Max:
    return "max";
  case Op::Eq:
    return "eq";
  case Op::Ne:
    return "ne";
  case Op::Lt:
    return "lt";
  case Op::Le:
    return "le";
  case Op::Gt:
    return "gt";
  case Op::Ge:
    return "ge";
  case Op::And:
    return "and";
  case Op::Or:
    return "or";
  case Op::Not:
    return "not";
  case Op::Select:
    return "select";
  default:
    return nullptr;
  }
}

Json leaf(const dsl::Program &program, const dsl::Expr &expr) {
  switch (expr.op) {
  case dsl::Op::Size:
    return program.dims[expr.payload].name;
  case dsl::Op::Scalar:
    return program.scalars[expr.payload].name;
  case dsl::Op::Const:
    if (expr.type == dsl::DType::Bool)
      return expr.payload != 0;
    if (expr.type == dsl::DType::Index)
      return static_cast<std::int64_t>(expr.payload);
    return Json{{std::string(dsl::name(expr.type)),
                 fmt::format("0x{:0{}x}", expr.payload, dsl::bitWidth(expr.type) / 4)}};
  default:
    return nullptr;
  }
}

} // namespace

std::string pretty(const Json &value) {
  std::string out;
  print(value, 0, 0, out);
  return out + "\n";
}

Json formula(const dsl::Program &program, dsl::ExprId id) {
  // Children come before parents, so one pass over the ids below `id` in rising order will do.
  std::vector<bool> needed(id + 1, false);
  needed[id] = true;
  for (dsl::ExprId node = id + 1; node-- > 0;)
    if (needed[node])
      for (const dsl::ExprId arg : program.args(node))
        needed[arg] = true;
  std::unordered_map<dsl::ExprId, Json> values;
  for (dsl::ExprId node = 0; node <= id; ++node) {
    if (!needed[node])
      continue;
    const dsl::Expr &expr = program.expr(node);
    const char *name = operation(expr.op);
    if (expr.argCount == 0 || name == nullptr) {
      values[node] = leaf(program, expr);
      continue;
    }
    Json operands = Json::array();
    for (const dsl::ExprId arg : program.args(node))
      operands.push_back(values[arg]);
    values[node] = Json{{name, std::move(operands)}};
  }
  return values[id];
}

Json shapeJson(const dsl::Program &program, const dsl::Tensor &tensor) {
  Json shape = Json::array();
  for (const dsl::ExprId extent : tensor.shape)
    shape.push_back(formula(program, extent));
  return shape;
}

Json argumentsJson(const dsl::Program &program) {
  Json arguments = Json::array();
  for (const dsl::Tensor &tensor : program.tensors)
    arguments.push_back({{"name", tensor.name},
                         {"kind", tensor.role == dsl::Tensor::Role::Input ? "input" : "output"},
                         {"dtype", dsl::name(tensor.type)},
                         {"shape", shapeJson(program, tensor)},
                         {"layout", "row-major"},
                         {"alignment", kPointerAlignment}});
  for (const dsl::Dim &dim : program.dims)
    arguments.push_back({{"name", dim.name}, {"kind", "dimension"}, {"dtype", "i64"}});
  for (const dsl::Scalar &scalar : program.scalars)
    arguments.push_back(
        {{"name", scalar.name}, {"kind", "scalar"}, {"dtype", dsl::name(scalar.type)}});
  return arguments;
}

Json requiresJson(const dsl::Program &program) {
  Json conditions = Json::array();
  for (const dsl::LaunchRequire &require : program.requires_)
    conditions.push_back(
        {{"text", require.text}, {"condition", formula(program, require.condition)}});
  return conditions;
}

} // namespace ordo::compiler::driver
