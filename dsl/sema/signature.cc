// The head of an operator: generics, parameters, results.
#include "dsl/sema/operator.h"

#include "dsl/sema/print.h"

#include <algorithm>

namespace ordo::dsl {
namespace {

constexpr Type kIndex{DType::Index, nullptr};
constexpr Type kBool{DType::Bool, nullptr};

Entry::Kind entryKind(NodeKind kind) {
  switch (kind) {
  case NodeKind::GenericBool:
    return Entry::Kind::BoolParam;
  case NodeKind::GenericType:
    return Entry::Kind::TypeParam;
  case NodeKind::GenericOrder:
    return Entry::Kind::OrderParam;
  default:
    return Entry::Kind::Dimension;
  }
}

} // namespace

bool OperatorChecker::declareGenerics() {
  bool isFine = true;
  for (std::uint32_t i = 0; i < n_.a; ++i)
    isFine = declareGeneric(node(n_.kids[i])) && isFine;
  return isFine;
}

bool OperatorChecker::declareGeneric(const Node &generic) {
  Entry entry;
  entry.kind = entryKind(generic.kind);
  entry.name = generic.text;
  entry.span = generic.nameSpan;
  if (binding_) {
    if (!bindGeneric(generic, entry))
      return false;
  } else if (entry.kind == Entry::Kind::Dimension) {
    entry.value = {program_.make(Op::Size, DType::Index, program_.dims.size()), kIndex};
    program_.dims.push_back({generic.text});
  } else if (entry.kind == Entry::Kind::BoolParam) {
    entry.value = {checker_.opaque(DType::Bool), kBool};
  } else if (entry.kind == Entry::Kind::TypeParam) {
    entry.value.type = {DType::F32, &generic.text};
  }
  return scope_.declare(std::move(entry), report_);
}

bool OperatorChecker::bindGeneric(const Node &generic, Entry &entry) {
  const NodeId value = binding_->generics.at(generic.text);
  switch (entry.kind) {
  case Entry::Kind::OrderParam:
    return bindOrder(value, entry);
  case Entry::Kind::TypeParam:
    return bindType(generic, value, entry);
  case Entry::Kind::Dimension:
    return bindDimension(generic, value, entry);
  default:
    break;
  }
  Scope outside(*binding_->module);
  entry.value = checker_.checkAs(value, outside, kBool, fmt::format("`{}`", generic.text));
  return static_cast<bool>(entry.value);
}

bool OperatorChecker::bindOrder(NodeId value, Entry &entry) {
  Scope outside(*binding_->module);
  const auto order = checker_.checkOrder(value, outside);
  if (!order)
    return false;
  entry.order = *order;
  return true;
}

bool OperatorChecker::bindType(const Node &generic, NodeId value, Entry &entry) {
  const Node &given = binding_->module->ast[value];
  const auto dtype = dtypeFromName(given.text);
  const bool isName = given.kind == NodeKind::Name || given.kind == NodeKind::OrderName;
  if (isName && dtype && isFloat(*dtype)) {
    entry.value.type = {*dtype, nullptr};
    return true;
  }
  std::vector<std::string> candidates;
  for (const std::string &candidate : builtinNames())
    if (const auto type = dtypeFromName(candidate); type && isFloat(*type))
      candidates.push_back(candidate);
  report_
      .error("type-mismatch", given.span,
             fmt::format("expected a floating-point type for `{}`, found `{}`", generic.text,
                         report_.text(given.span)))
      .help = suggestion(given.text, candidates);
  return false;
}

bool OperatorChecker::bindDimension(const Node &generic, NodeId value, Entry &entry) {
  Scope outside(*binding_->module);
  entry.value.id = checker_.checkIndex(value, outside, fmt::format("`{}`", generic.text));
  entry.value.type = kIndex;
  if (!entry.value)
    return false;
  const auto constant = program_.constantIndex(entry.value.id);
  if (constant && *constant >= 0)
    return true;
  report_.error("bad-extent", binding_->module->ast[value].span,
                fmt::format("expected a size of 0 or more for `{}`, found {}", generic.text,
                            printExpr(program_, entry.value.id)));
  return false;
}

bool OperatorChecker::declareParameters() {
  const std::uint32_t firstResult = n_.a + n_.b;
  bool isFine = true;
  for (std::uint32_t i = n_.a; i < firstResult; ++i)
    declareFreeDimensions(node(n_.kids[i]));
  for (std::uint32_t i = n_.a; i < firstResult + n_.c; ++i) {
    const Node &param = node(n_.kids[i]);
    const bool isResult = i >= firstResult;
    const Node &typeNode = node(param.kids[0]);
    const auto type = checker_.checkType(typeNode, scope_);
    if (!type) {
      isFine = false;
      continue;
    }
    scope_.use(typeNode.text); // a type parameter counts as used
    const bool isInOut = param.a != 0;
    if (!isResult && typeNode.kids.empty() && isInOut) {
      report_
          .error("bad-update", param.span,
                 fmt::format("`{}` is one value, and `inout` updates elements", param.text))
          .help = "give it an extent, or make it a result";
      isFine = false;
    } else if (!isResult && typeNode.kids.empty()) {
      isFine = declareScalar(param, *type) && isFine;
    } else {
      isFine = declareTensor(param, isResult  ? Tensor::Role::Output
                                    : isInOut ? Tensor::Role::InOut
                                              : Tensor::Role::Input) &&
               isFine;
    }
  }
  return isFine;
}

// A plain name that means nothing else yet is a free dimension.
void OperatorChecker::declareFreeDimensions(const Node &param) {
  for (NodeId id : node(param.kids[0]).kids) {
    const Node &extent = node(id);
    if (extent.kind != NodeKind::Name || scope_.find(extent.text))
      continue;
    const auto symbol = lookup(*op_.module, extent.text);
    if (symbol && symbol->node().kind == NodeKind::LetDecl)
      continue;
    const ExprId size = program_.make(Op::Size, DType::Index, program_.dims.size());
    program_.setSpan(size, extent.span);
    Entry entry{Entry::Kind::Dimension, extent.text, extent.span, {size, kIndex}, kNone, {}};
    if (scope_.declare(std::move(entry), report_))
      program_.dims.push_back({extent.text});
  }
}

bool OperatorChecker::declareTensor(const Node &param, Tensor::Role role) {
  const Node &typeNode = node(param.kids[0]);
  Tensor tensor;
  tensor.name = param.text;
  tensor.role = role;
  const Type type = *checker_.checkType(typeNode, scope_);
  tensor.type = type.dtype;
  for (NodeId id : typeNode.kids) {
    const Node &extent = node(id);
    if (role == Tensor::Role::Output && extent.kind == NodeKind::Name &&
        !scope_.find(extent.text) && !lookup(*op_.module, extent.text)) {
      report_
          .error(
              "unknown-name", extent.span,
              fmt::format("dimension `{}` of output `{}` is not declared", extent.text, param.text))
          .help = "a free dimension is one that stands alone in the type of an input";
      return false;
    }
    tensor.shape.push_back(
        checker_.checkIndex(id, scope_, fmt::format("an extent of `{}`", param.text)));
    if (tensor.shape.back() == kNone)
      return false;
  }
  Entry entry{role == Tensor::Role::Output ? Entry::Kind::Output : Entry::Kind::Tensor,
              param.text,
              param.nameSpan,
              {kNone, type},
              static_cast<std::uint32_t>(program_.tensors.size()),
              {}};
  program_.tensors.push_back(std::move(tensor));
  return scope_.declare(std::move(entry), report_);
}

bool OperatorChecker::declareScalar(const Node &param, const Type &type) {
  Entry entry{Entry::Kind::Scalar, param.text, param.nameSpan, {kNone, type}, kNone, {}};
  const auto given =
      binding_ ? binding_->scalars.find(param.text) : decltype(binding_->scalars.end()){};
  if (!binding_ || given == binding_->scalars.end()) {
    entry.value.id = program_.make(Op::Scalar, type.dtype, program_.scalars.size());
    program_.setSpan(entry.value.id, param.span);
    program_.scalars.push_back({param.text, type.dtype});
    return scope_.declare(std::move(entry), report_);
  }
  Scope outside(*binding_->module);
  entry.value = checker_.checkAs(given->second, outside, type, fmt::format("`{}`", param.text));
  if (!entry.value)
    return false;
  if (program_.expr(entry.value.id).op != Op::Const) {
    report_
        .error("not-constant", binding_->module->ast[given->second].span,
               fmt::format("expected a constant for `{}`", param.text))
        .help = "write a literal, or leave it out to give it at launch";
    return false;
  }
  return scope_.declare(std::move(entry), report_);
}

// After the requirements, which may be what keeps an extent from being negative.
bool OperatorChecker::checkShapes() {
  bool isFine = true;
  for (std::uint32_t i = n_.a; i < n_.a + n_.b + n_.c; ++i) {
    const Node &param = node(n_.kids[i]);
    const auto tensor = std::ranges::find(program_.tensors, param.text, &Tensor::name);
    if (tensor == program_.tensors.end())
      continue;
    for (std::size_t axis = 0; axis < tensor->shape.size(); ++axis) {
      const ExprId extent = tensor->shape[axis];
      if (checker_.algebra().provesNonNegative(extent) ||
          (!binding_ && !program_.constantIndex(extent)))
        continue;
      checker_.reportExtent(node(node(param.kids[0]).kids[axis]).span,
                            fmt::format("the extent of axis {} of `{}`", axis, param.text), extent);
      isFine = false;
    }
  }
  return isFine;
}

} // namespace ordo::dsl
