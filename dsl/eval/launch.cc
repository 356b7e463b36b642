#include "dsl/eval/launch.h"

#include "dsl/eval/numeric.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ordo::dsl {
namespace {

/// The nodes that `root` needs, children first.
std::vector<ExprId> nodesOf(const Program &program, ExprId root) {
  std::vector<ExprId> nodes, stack = {root};
  std::vector<bool> seen(program.exprCount());
  while (!stack.empty()) {
    const ExprId id = stack.back();
    stack.pop_back();
    if (seen[id])
      continue;
    seen[id] = true;
    nodes.push_back(id);
    for (const ExprId arg : program.args(id))
      stack.push_back(arg);
  }
  std::ranges::sort(nodes);
  return nodes;
}

class Binder {
public:
  Binder(const Program &program, const std::map<std::string, std::int64_t> &dims,
         std::string *error)
      : program_(program), given_(dims), error_(error), known_(program.dims.size()) {}

  std::optional<Launch> run(const std::map<std::string, std::vector<std::int64_t>> &shapes) {
    if (!checkNames(shapes) || !takeGiven() || !takeAxes(shapes) || !allKnown() ||
        !computeShapes(shapes) || !checkRequires())
      return std::nullopt;
    return std::move(launch_);
  }

private:
  bool fail(std::string message) {
    *error_ = std::move(message);
    return false;
  }

  bool checkNames(const std::map<std::string, std::vector<std::int64_t>> &shapes) {
    std::vector<std::string> wanted;
    for (const Tensor &tensor : program_.tensors) {
      if (!tensor.isRead())
        continue;
      wanted.push_back(tensor.name);
      const auto it = shapes.find(tensor.name);
      if (it == shapes.end())
        return fail(fmt::format("input `{}` is missing; it is {}[{}]", tensor.name,
                                name(tensor.type), axesText(tensor)));
      if (it->second.size() != tensor.shape.size())
        return fail(fmt::format("input `{}` has {} {}, shape {}; wanted is {}[{}]", tensor.name,
                                it->second.size(), it->second.size() == 1 ? "axis" : "axes",
                                shapeText(it->second), name(tensor.type), axesText(tensor)));
    }
    for (const auto &[tensor, shape] : shapes)
      if (std::ranges::find(wanted, tensor) == wanted.end())
        return fail(
            fmt::format("there is no input `{}`; the inputs are {}", tensor,
                        wanted.empty() ? "none" : fmt::format("{}", fmt::join(wanted, ", "))));
    return true;
  }

  std::string axesText(const Tensor &tensor) const {
    std::vector<std::string> axes;
    for (const ExprId axis : tensor.shape)
      axes.push_back(indexText(program_, axis));
    return fmt::format("{}", fmt::join(axes, ", "));
  }

  bool bind(DimId dim, std::int64_t size, std::string where) {
    if (known_[dim] && launch_.dims[dim] != size)
      return fail(fmt::format("dimension {} is {} by {} and {} by {}", program_.dims[dim].name,
                              launch_.dims[dim], source_[dim], size, where));
    known_[dim] = true;
    launch_.dims[dim] = size;
    source_[dim] = std::move(where);
    return true;
  }

  bool takeGiven() {
    launch_.dims.resize(program_.dims.size());
    source_.resize(program_.dims.size());
    for (const auto &[dimName, size] : given_) {
      const auto it = std::ranges::find(program_.dims, dimName, &Dim::name);
      if (it == program_.dims.end())
        return fail(fmt::format("there is no free dimension `{}`", dimName));
      if (size < 0)
        return fail(fmt::format("dimension {} cannot be {}", dimName, size));
      if (!bind(static_cast<DimId>(it - program_.dims.begin()), size, "what was asked"))
        return false;
    }
    return true;
  }

  bool takeAxes(const std::map<std::string, std::vector<std::int64_t>> &shapes) {
    for (const Tensor &tensor : program_.tensors) {
      if (!tensor.isRead())
        continue;
      const std::vector<std::int64_t> &shape = shapes.at(tensor.name);
      for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (shape[axis] < 0)
          return fail(
              fmt::format("input `{}` has a negative size in {}", tensor.name, shapeText(shape)));
        const Expr &size = program_.expr(tensor.shape[axis]);
        if (size.op == Op::Size &&
            !bind(static_cast<DimId>(size.payload), shape[axis],
                  fmt::format("axis {} of `{}` {}", axis, tensor.name, shapeText(shape))))
          return false;
      }
    }
    return true;
  }

  bool allKnown() {
    for (std::size_t dim = 0; dim < known_.size(); ++dim)
      if (!known_[dim])
        return fail(
            fmt::format("nothing given says how large dimension {} is: no input has it as an axis",
                        program_.dims[dim].name));
    return true;
  }

  bool computeShapes(const std::map<std::string, std::vector<std::int64_t>> &shapes) {
    for (const Tensor &tensor : program_.tensors) {
      std::vector<std::int64_t> shape;
      for (const ExprId axis : tensor.shape) {
        const auto size = evaluateUniform(program_, axis, launch_.dims);
        if (!size || static_cast<std::int64_t>(*size) < 0)
          return fail(
              fmt::format("`{}` has no size along {}", tensor.name, indexText(program_, axis)));
        shape.push_back(static_cast<std::int64_t>(*size));
      }
      if (!elementCount(shape, byteSize(tensor.type)))
        return fail(fmt::format("`{}` of shape {} is too large", tensor.name, shapeText(shape)));
      if (tensor.isRead() && shape != shapes.at(tensor.name))
        return fail(fmt::format("input `{}` has shape {}; wanted is [{}]{}", tensor.name,
                                shapeText(shapes.at(tensor.name)), axesText(tensor), dimsText()));
      launch_.shapes.push_back(std::move(shape));
    }
    return true;
  }

  bool checkRequires() {
    for (const LaunchRequire &require : program_.requires_) {
      const auto holds = evaluateUniform(program_, require.condition, launch_.dims);
      if (!holds || *holds == 0)
        return fail(fmt::format("`require {}` does not hold{}", require.text, dimsText()));
    }
    return true;
  }

  std::string dimsText() const {
    std::vector<std::string> parts;
    for (std::size_t dim = 0; dim < known_.size(); ++dim)
      parts.push_back(fmt::format("{} = {}", program_.dims[dim].name, launch_.dims[dim]));
    return parts.empty() ? "" : fmt::format(" (with {})", fmt::join(parts, ", "));
  }

  const Program &program_;
  const std::map<std::string, std::int64_t> &given_;
  std::string *error_;
  std::vector<bool> known_;
  std::vector<std::string> source_;
  Launch launch_;
};

} // namespace

std::optional<Launch> bindLaunch(const Program &program,
                                 const std::map<std::string, std::vector<std::int64_t>> &shapes,
                                 const std::map<std::string, std::int64_t> &dims,
                                 std::string *error) {
  return Binder(program, dims, error).run(shapes);
}

std::optional<std::uint64_t> evaluateUniform(const Program &program, ExprId expr,
                                             std::span<const std::int64_t> dims) {
  if (expr == kNone || expr >= program.exprCount())
    return std::nullopt;
  std::unordered_map<ExprId, std::uint64_t> values;
  for (const ExprId id : nodesOf(program, expr)) {
    const Expr &e = program.expr(id);
    if (e.op == Op::Const) {
      values[id] = e.payload;
      continue;
    }
    if (e.op == Op::Size && e.payload < dims.size()) {
      values[id] = static_cast<std::uint64_t>(dims[e.payload]);
      continue;
    }
    std::vector<std::uint64_t> args;
    for (const ExprId arg : program.args(id))
      args.push_back(values[arg]);
    if (args.empty())
      return std::nullopt;
    const auto rounding = e.op == Op::Cast ? static_cast<Rounding>(e.payload) : Rounding{};
    const DType argType = program.expr(program.args(id).back()).type;
    const auto bits = evaluate(e.op, e.type, argType, args, rounding);
    if (!bits)
      return std::nullopt;
    values[id] = *bits;
  }
  return values[expr];
}

std::optional<std::int64_t> elementCount(std::span<const std::int64_t> shape,
                                         std::int64_t elementBytes) {
  // A zero anywhere makes it empty, whatever the other sizes are.
  if (std::ranges::any_of(shape, [](std::int64_t size) { return size < 0; }))
    return std::nullopt;
  if (std::ranges::find(shape, 0) != shape.end())
    return 0;
  std::int64_t count = 1, bytes = 0;
  for (const std::int64_t size : shape)
    if (__builtin_mul_overflow(count, size, &count))
      return std::nullopt;
  if (__builtin_mul_overflow(count, elementBytes, &bytes))
    return std::nullopt;
  return count;
}

std::string shapeText(std::span<const std::int64_t> shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

std::string indexText(const Program &program, ExprId expr) {
  std::unordered_map<ExprId, std::string> texts;
  for (const ExprId id : nodesOf(program, expr)) {
    const Expr &e = program.expr(id);
    const std::span<const ExprId> args = program.args(id);
    const auto infix = [&](std::string_view sign) {
      const auto operand = [&](ExprId arg) {
        if (texts[arg].size() > 60) // shared subtrees could double for ever
          return std::string("(…)");
        return program.args(arg).empty() ? texts[arg] : "(" + texts[arg] + ")";
      };
      return fmt::format("{} {} {}", operand(args[0]), sign, operand(args[1]));
    };
    switch (e.op) {
    case Op::Const:
      texts[id] = fmt::format("{}", static_cast<std::int64_t>(e.payload));
      break;
    case Op::Size:
      texts[id] = program.dims[e.payload].name;
      break;
    case Op::Var:
      texts[id] = program.vars[e.payload].name;
      break;
    case Op::Add:
      texts[id] = infix("+");
      break;
    case Op::Sub:
      texts[id] = infix("-");
      break;
    case Op::Mul:
      texts[id] = infix("*");
      break;
    case Op::Div:
      texts[id] = infix("/");
      break;
    case Op::Rem:
      texts[id] = infix("%");
      break;
    default:
      texts[id] = fmt::format("{}(…)", name(e.op));
      break;
    }
  }
  return texts[expr];
}

} // namespace ordo::dsl
