#include "dsl/sema/type.h"

#include <fmt/format.h>

namespace ordo::dsl {

bool Form::operator==(const Form &other) const {
  if (kind != other.kind)
    return false;
  if (kind == Kind::Tuple)
    return parts == other.parts;
  return type == other.type && size == other.size;
}

std::vector<Type> Form::leaves() const {
  if (kind == Kind::Scalar)
    return {type};
  if (kind == Kind::Array)
    return std::vector<Type>(size, type);
  std::vector<Type> types;
  for (const Form &part : parts)
    for (const Type &leaf : part.leaves())
      types.push_back(leaf);
  return types;
}

std::string toString(const Form &form) {
  if (form.isScalar())
    return toString(form.type);
  if (form.kind == Form::Kind::Array)
    return fmt::format("{}[{}]", toString(form.type), form.size);
  std::string text;
  for (const Form &part : form.parts)
    text += (text.empty() ? "" : ", ") + toString(part);
  return "(" + text + ")";
}

Compound Compound::part(std::size_t index) const {
  if (form.kind == Form::Kind::Array)
    return Compound(Form(form.type), {leaves[index]});
  std::size_t first = 0;
  for (std::size_t i = 0; i < index; ++i)
    first += form.parts[i].leaves().size();
  const auto begin = leaves.begin() + static_cast<std::ptrdiff_t>(first);
  const Form &form = this->form.parts[index];
  return Compound(form, {begin, begin + static_cast<std::ptrdiff_t>(form.leaves().size())});
}

} // namespace ordo::dsl
