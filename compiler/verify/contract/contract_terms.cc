#include "compiler/verify/contract/contract_terms.h"

#include "compiler/verify/contract/expansion.h"

#include <algorithm>
#include <fmt/format.h>

namespace ordo::verify {

using dsl::Definition;
using dsl::DType;
using dsl::ExprId;
using dsl::kNone;

namespace {

constexpr int kDeepest = 400; // definitions and reductions within each other

} // namespace

ContractTerms::ContractTerms(const dsl::Program &program, Terms &terms, std::vector<AffineId> dims,
                             std::vector<Term> scalars)
    : expansion_(std::make_unique<Expansion>(program, terms, std::move(dims), std::move(scalars))) {
}

ContractTerms::~ContractTerms() = default;

const std::vector<AffineId> &ContractTerms::shape(dsl::TensorId tensor) {
  return expansion_->shape(tensor);
}

AffineId ContractTerms::elements(dsl::TensorId tensor) {
  AffineId count = expansion_->terms().affine().constant(1);
  for (const AffineId extent : shape(tensor))
    count = expansion_->terms().product(count, extent);
  return count;
}

AffineId ContractTerms::extent(dsl::ExprId expr) { return expansion_->run(expr).id; }

AffineId ContractTerms::number(dsl::TensorId tensor, std::span<const AffineId> index) {
  return expansion_->number(tensor, index);
}

void ContractTerms::foldLongRuns() { expansion_->foldLongRuns(); }

ContractTerms::Element ContractTerms::element(dsl::TensorId output,
                                              std::span<const AffineId> index) {
  return expansion_->element(output, index);
}

ContractTerms::Expansion::Expansion(const dsl::Program &program, Terms &terms,
                                    std::vector<AffineId> dims, std::vector<Term> scalars)
    : program_(program), terms_(terms), arithmetic_(terms), dims_(std::move(dims)),
      scalars_(std::move(scalars)), bound_(program.vars.size()) {
  if (dims_.size() != program.dims.size() || scalars_.size() != program.scalars.size())
    throw ContractError("a size or a scalar of the contract has no value", program.kernelSpan);
}

std::size_t ContractTerms::Expansion::KeyHash::operator()(const Key &key) const {
  std::uint64_t hash = key.size();
  for (const std::uint32_t part : key) {
    hash = (hash ^ part) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
  }
  return hash;
}

const std::vector<AffineId> &ContractTerms::Expansion::shape(dsl::TensorId tensor) {
  if (const auto it = shapes_.find(tensor); it != shapes_.end())
    return it->second;
  std::vector<AffineId> extents;
  for (const ExprId extent : program_.tensors.at(tensor).shape)
    extents.push_back(run(extent).id);
  return shapes_.emplace(tensor, std::move(extents)).first->second;
}

AffineId ContractTerms::Expansion::number(dsl::TensorId tensor, std::span<const AffineId> index) {
  const std::vector<AffineId> &extents = shape(tensor);
  if (index.size() != extents.size())
    throw ContractError(fmt::format("`{}` has {} axes, and {} indices were given",
                                    program_.tensors[tensor].name, extents.size(), index.size()),
                        program_.kernelSpan);
  AffineId number = terms_.affine().constant(0);
  for (std::size_t axis = 0; axis < index.size(); ++axis)
    number = terms_.affine().add(terms_.product(number, extents[axis]), index[axis]);
  return number;
}

ContractTerms::Element ContractTerms::Expansion::element(dsl::TensorId output,
                                                         std::span<const AffineId> index) {
  const auto it = std::ranges::find(program_.definitions, output, &Definition::output);
  if (output == kNone || it == program_.definitions.end())
    throw ContractError("no definition writes that tensor", program_.kernelSpan);
  if (it->isPlaced())
    throw ContractError(fmt::format("`{}` is written at places from data, in place or in `for`, "
                                    "which is not proven yet",
                                    it->name),
                        it->span);
  if (it->vars.size() != index.size())
    throw ContractError(fmt::format("`{}` has {} indices, and {} were given", it->name,
                                    it->vars.size(), index.size()),
                        it->span);
  const DType type = program_.tensors.at(output).type;
  bind(it->vars, index);
  depth_ = 0;
  Element element;
  if (it->where != kNone) {
    element.where = run(it->where).bits;
    if (element.where == Term::constant(0)) {
      element.value = terms_.asElement(type, Term{});
      return element;
    }
    if (element.where->isConstant())
      element.where.reset();
  }
  element.value = arithmetic_.stored(type, run(it->value));
  return element;
}

void ContractTerms::Expansion::bind(const std::vector<dsl::VarId> &variables,
                                    std::span<const AffineId> forms) {
  for (std::size_t k = 0; k < variables.size(); ++k)
    bound_.at(variables[k]) = forms[k];
}

Value ContractTerms::Expansion::run(ExprId root) {
  const auto [it, isNew] = plans_.try_emplace(root);
  if (isNew)
    it->second = planOf(program_, std::span(&root, 1));
  const Plan &plan = it->second;
  std::vector<Value> values(plan.steps.size());
  run(plan, values, true);
  return values[plan.roots.front()];
}

/// Computes the plan's values: all, or those that vary.
void ContractTerms::Expansion::run(const Plan &plan, std::vector<Value> &values, bool isFirst) {
  std::size_t operand = 0;
  std::vector<Value> args;
  for (std::size_t at = 0; at < plan.steps.size(); ++at) {
    const auto [id, varies] = plan.steps[at];
    const auto exprArgs = program_.args(id);
    const std::size_t first = operand;
    operand += exprArgs.size();
    if (!isFirst && !varies)
      continue;
    args.clear();
    for (std::size_t k = first; k < operand; ++k)
      args.push_back(values[plan.operands[k]]);
    values[at] =
        valueOf(id, args, exprArgs.empty() ? DType::Index : program_.expr(exprArgs.back()).type);
  }
}

Value ContractTerms::Expansion::valueOf(ExprId id, std::span<const Value> args, DType from) {
  try {
    return computed(id, args, from);
  } catch (const ContractError &) {
    throw;
  } catch (const DomainError &error) {
    throw ContractError(error.what(), program_.span(id));
  }
}

Value ContractTerms::Expansion::computed(ExprId id, std::span<const Value> args, DType from) {
  const dsl::Expr &e = program_.expr(id);
  switch (e.op) {
  case dsl::Op::Const:
    return arithmetic_.constant(e.type, e.payload);
  case dsl::Op::Var:
    if (!bound_.at(e.payload))
      throw DomainError("malformed program: a variable outside its scope");
    return Arithmetic::index(*bound_[e.payload]);
  case dsl::Op::Size:
    return Arithmetic::index(dims_.at(e.payload));
  case dsl::Op::Scalar:
    return arithmetic_.ofBits(e.type, scalars_.at(e.payload));
  case dsl::Op::Load:
    return loaded(e, args);
  case dsl::Op::Use:
    return used(e, args);
  case dsl::Op::Reduce:
    return reduction(e);
  case dsl::Op::Carry:
  case dsl::Op::Recur:
    throw DomainError("a recurrence (`fold`, `scan`) is not proven yet");
  case dsl::Op::Undef:
    return arithmetic_.undefined(e.type);
  default:
    return arithmetic_.settled(e.type, arithmetic_.apply(e, from, args));
  }
}

Value ContractTerms::Expansion::loaded(const dsl::Expr &e, std::span<const Value> args) {
  std::vector<AffineId> index;
  for (const Value &arg : args)
    index.push_back(arg.id);
  const auto tensor = static_cast<dsl::TensorId>(e.payload);
  return arithmetic_.ofBits(e.type, terms_.input(tensor, e.type, number(tensor, index)));
}

Value ContractTerms::Expansion::used(const dsl::Expr &e, std::span<const Value> args) {
  Key key = {static_cast<std::uint32_t>(e.payload)};
  std::vector<AffineId> index;
  for (const Value &arg : args)
    index.push_back(arg.id);
  key.insert(key.end(), index.begin(), index.end());
  if (const auto it = uses_.find(key); it != uses_.end())
    return it->second;
  const Definition &definition = program_.definitions.at(e.payload);
  if (definition.isPlaced())
    throw DomainError(fmt::format("`{}` is defined within `for`, at places of its own, which is "
                                  "not proven yet",
                                  definition.name));
  if (definition.vars.size() != index.size())
    throw DomainError("malformed program: a use with the wrong number of indices");
  if (depth_ == kDeepest)
    throw DomainError(fmt::format("definitions lie more than {} deep in each other", kDeepest));
  ++depth_;
  bind(definition.vars, index);
  const Value value = run(definition.value);
  --depth_;
  uses_.emplace(std::move(key), value);
  return value;
}

} // namespace ordo::verify
