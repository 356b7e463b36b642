#include "compiler/driver/json.h"

#include "compiler/compile.h"
#include "compiler/driver/manifest.h"

#include <fmt/core.h>
#include <unordered_map>
#include <vector>

namespace ordo::compiler::driver {

namespace {

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
                         {"kind", roleText(tensor)},
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
