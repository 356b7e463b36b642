// Views: tensors under other indices. An access through a view is the access that it stands for, so
// a program has no views.
#include "dsl/sema/expr.h"
#include "dsl/sema/print.h"

#include <algorithm>

namespace ordo::dsl {
namespace {

constexpr Type kIndex{DType::Index, nullptr};

} // namespace

bool ExprChecker::checkView(const Symbol &symbol) {
  const Node &view = symbol.node();
  const Ast &ast = symbol.module->ast;
  Scope scope(*symbol.module);
  const Frame frame(*this, scope);
  for (std::uint32_t i = 0; i < view.a; ++i) {
    const Node &generic = ast[view.kids[i]];
    if (generic.kind != NodeKind::GenericType) {
      report_
          .error("bad-view", generic.span,
                 "a view takes its dimensions from the tensors that it is given")
          .help = "declare types alone: view v<type E>(x: E[N, C])…";
      return false;
    }
    Entry type{Entry::Kind::TypeParam,
               generic.text,
               generic.nameSpan,
               {kNone, {DType::F32, &generic.text}},
               kNone,
               {}};
    if (!scope.declare(std::move(type), report_))
      return false;
  }
  for (std::uint32_t i = 0; i < view.b; ++i)
    if (!declareViewTensor(ast[view.kids[view.a + i]], scope))
      return false;
  const std::size_t first = view.a + view.b;
  const Node &result = ast[view.kids[first + view.c]];
  const auto type = checkType(result, scope);
  if (!type)
    return false;
  if (result.kids.size() != view.c) {
    report_.error("wrong-arity", result.span,
                  fmt::format("expected {} extents, one for each index, found {}", view.c,
                              result.kids.size()));
    return false;
  }
  for (std::uint32_t axis = 0; axis < view.c; ++axis) {
    const ExprId extent = checkIndex(result.kids[axis], scope, "an extent of a view");
    const Node &index = ast[view.kids[first + axis]];
    if (extent == kNone || bindVariable(index.text, index.span, extent, scope) == kNone)
      return false;
  }
  return static_cast<bool>(
      withinAs(view.kids.back(), *type, fmt::format("the value of `{}`", view.text)));
}

bool ExprChecker::declareViewTensor(const Node &param, Scope &scope) {
  const Node &typeNode = node(param.kids[0]);
  const auto type = checkType(typeNode, scope);
  if (!type)
    return false;
  Tensor tensor;
  tensor.name = param.text;
  tensor.type = type->dtype;
  for (NodeId id : typeNode.kids) {
    const Node &extent = node(id);
    if (extent.kind == NodeKind::Name && !scope.find(extent.text) &&
        !lookup(scope.module(), extent.text)) {
      const ExprId size = program_.make(Op::Size, DType::Index, program_.dims.size());
      program_.dims.push_back({extent.text});
      Entry entry{Entry::Kind::Dimension, extent.text, extent.span, {size, kIndex}, kNone, {}};
      if (!scope.declare(std::move(entry), report_))
        return false;
    }
    tensor.shape.push_back(checkIndex(id, scope, fmt::format("an extent of `{}`", param.text)));
    if (tensor.shape.back() == kNone)
      return false;
  }
  Entry entry{Entry::Kind::Tensor,
              param.text,
              param.nameSpan,
              {kNone, *type},
              static_cast<std::uint32_t>(program_.tensors.size()),
              {}};
  program_.tensors.push_back(std::move(tensor));
  return scope.declare(std::move(entry), report_);
}

// view(tensor, …)[i, j]
Value ExprChecker::viewAccess(const Node &n, const Symbol &symbol) {
  const Node &call = node(n.kids[0]);
  const Node &view = symbol.node();
  const Ast &there = symbol.module->ast;
  if (call.kids.size() != view.b) {
    hasArity(call, view.b);
    return {};
  }
  if (!mayEnter(call))
    return {};
  Scope inside(*symbol.module);
  for (std::uint32_t i = 0; i < view.b; ++i)
    if (!bindViewParameter(call, call.kids[i], view, there[view.kids[view.a + i]], inside))
      return {};
  if (!bindViewIndices(n, view, inside))
    return {};
  ++inlineDepth_;
  const auto type = checkType(there[view.kids[view.a + view.b + view.c]], inside);
  Value value;
  if (type)
    value = checkAs(view.kids.back(), inside, *type, fmt::format("the value of `{}`", view.text));
  --inlineDepth_;
  return value;
}

bool ExprChecker::bindViewParameter(const Node &call, NodeId argument, const Node &view,
                                    const Node &param, Scope &inside) {
  const Node &given = node(argument);
  const Entry *found = given.kind == NodeKind::Name ? scope_->use(given.text) : nullptr;
  if (found && found->kind == Entry::Kind::Refused)
    return false;
  if (!found || found->kind != Entry::Kind::Tensor) {
    report_
        .error("type-mismatch", given.span,
               fmt::format("expected a tensor for `{}` of `{}`", param.text, view.text))
        .help = "a view is of tensors: give it the name of an argument";
    return false;
  }
  const Entry entry = *found;
  const Ast &there = inside.module().ast;
  const Node &typeNode = there[param.kids[0]];
  const auto generic = std::find_if(view.kids.begin(), view.kids.begin() + view.a, [&](NodeId id) {
    return there[id].kind == NodeKind::GenericType && there[id].text == typeNode.text;
  });
  if (generic != view.kids.begin() + view.a && !inside.find(typeNode.text)) {
    Entry type{Entry::Kind::TypeParam,    typeNode.text, there[*generic].nameSpan,
               {kNone, entry.value.type}, kNone,         {}};
    inside.declare(std::move(type), report_);
  }
  const auto type = checkType(typeNode, inside);
  if (!type)
    return false;
  if (*type != entry.value.type) {
    report_.error("type-mismatch", given.span,
                  fmt::format("expected {} for `{}` of `{}`, found {}", toString(*type), param.text,
                              view.text, toString(entry.value.type)),
                  {entry.span, "declared here"});
    return false;
  }
  const std::vector<ExprId> shape = program_.tensors[entry.number].shape;
  if (shape.size() != typeNode.kids.size()) {
    report_.error("wrong-arity", given.span,
                  fmt::format("expected {} axes for `{}` of `{}`, found {}", typeNode.kids.size(),
                              param.text, call.text, shape.size()),
                  {entry.span, "declared here"});
    return false;
  }
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    if (!bindViewExtent(typeNode.kids[axis], shape[axis], given.span, inside))
      return false;
  Entry tensor{Entry::Kind::Tensor, param.text, param.nameSpan, entry.value, entry.number, {}};
  return inside.declare(std::move(tensor), report_);
}

// A plain name that means nothing yet is the extent; whatever else stands there must equal it.
bool ExprChecker::bindViewExtent(NodeId id, ExprId actual, Span at, Scope &inside) {
  const Node &extent = inside.module().ast[id];
  if (extent.kind == NodeKind::Name && !inside.find(extent.text) &&
      !lookup(inside.module(), extent.text)) {
    Entry entry{Entry::Kind::Dimension, extent.text, extent.span, {actual, kIndex}, kNone, {}};
    return inside.declare(std::move(entry), report_);
  }
  const ExprId wanted = checkIndex(id, inside, "an extent of a view's tensor");
  if (wanted == kNone)
    return false;
  if (algebra_.equal(wanted, actual) || (isGeneric() && !program_.constantIndex(wanted)))
    return true;
  report_.error("extent-conflict", at,
                fmt::format("the view has {} here, and the tensor {}", printExpr(program_, wanted),
                            printExpr(program_, actual)),
                {extent.span, "declared here"});
  return false;
}

bool ExprChecker::bindViewIndices(const Node &n, const Node &view, Scope &inside) {
  const Ast &there = inside.module().ast;
  const std::size_t first = view.a + view.b;
  const Node &type = there[view.kids[first + view.c]];
  if (n.kids.size() - 1 != view.c || type.kids.size() != view.c) {
    report_.error(
        "wrong-arity", n.span,
        fmt::format("expected {} indices for `{}`, found {}", view.c, view.text, n.kids.size() - 1),
        {view.nameSpan, "declared here"});
    return false;
  }
  const Entry named{Entry::Kind::Tensor, view.text, view.nameSpan, {}, kNone, {}};
  std::vector<ExprId> indices;
  for (std::size_t axis = 0; axis < view.c; ++axis) {
    const ExprId extent = checkIndex(type.kids[axis], inside, "an extent of a view");
    if (extent == kNone)
      return false;
    indices.push_back(axisIndex(n.kids[axis + 1], named, axis, extent));
    if (indices.back() == kNone)
      return false;
  }
  for (std::size_t axis = 0; axis < view.c; ++axis)
    if (!declareValue(there[view.kids[first + axis]], Value{indices[axis], kIndex}, inside))
      return false;
  return true;
}

} // namespace ordo::dsl
