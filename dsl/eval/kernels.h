// Pieces of the kernel table; callers want numeric.h.
#pragma once

#include "dsl/eval/lane.h"
#include "dsl/eval/numeric.h"

namespace ordo::dsl::detail {

Kernel arithmeticKernel(Op op, DType type);
Kernel logicKernel(Op op, DType type);
Kernel comparisonKernel(Op op, DType argType);
Kernel selectKernel(DType type);
Kernel castKernel(DType type, DType argType, Rounding rounding);
Kernel bitsKernel(DType type, DType argType);
Kernel ofBitsKernel(DType type, DType argType);

/// out[i] = F(a[i], …); `Out` and `In` are representations.
template <class Out, class In, auto F>
void mapUnary(void *out, const void *const *args, std::size_t count) {
  auto *__restrict o = static_cast<Out *>(out);
  const auto *a = static_cast<const In *>(args[0]);
  for (std::size_t i = 0; i < count; ++i)
    o[i] = F(a[i]);
}
template <class Out, class In, auto F>
void mapBinary(void *out, const void *const *args, std::size_t count) {
  auto *__restrict o = static_cast<Out *>(out);
  const auto *a = static_cast<const In *>(args[0]);
  const auto *b = static_cast<const In *>(args[1]);
  for (std::size_t i = 0; i < count; ++i)
    o[i] = F(a[i], b[i]);
}
template <class Out, class In, auto F>
void mapTernary(void *out, const void *const *args, std::size_t count) {
  auto *__restrict o = static_cast<Out *>(out);
  const auto *a = static_cast<const In *>(args[0]);
  const auto *b = static_cast<const In *>(args[1]);
  const auto *c = static_cast<const In *>(args[2]);
  for (std::size_t i = 0; i < count; ++i)
    o[i] = F(a[i], b[i], c[i]);
}

/// Calls f.template operator()<T>() for the type that `type` names.
template <class F> Kernel forType(DType type, F f) {
  switch (type) {
  case DType::F64:
    return f.template operator()<DType::F64>();
  case DType::F32:
    return f.template operator()<DType::F32>();
  case DType::F16:
    return f.template operator()<DType::F16>();
  case DType::BF16:
    return f.template operator()<DType::BF16>();
  case DType::F8E4M3FN:
    return f.template operator()<DType::F8E4M3FN>();
  case DType::F8E5M2:
    return f.template operator()<DType::F8E5M2>();
  case DType::F8E4M3FNUZ:
    return f.template operator()<DType::F8E4M3FNUZ>();
  case DType::F8E5M2FNUZ:
    return f.template operator()<DType::F8E5M2FNUZ>();
  case DType::I32:
    return f.template operator()<DType::I32>();
  case DType::I64:
    return f.template operator()<DType::I64>();
  case DType::U32:
    return f.template operator()<DType::U32>();
  case DType::U64:
    return f.template operator()<DType::U64>();
  case DType::Bool:
    return f.template operator()<DType::Bool>();
  case DType::Index:
    return f.template operator()<DType::Index>();
  }
  return nullptr;
}

} // namespace ordo::dsl::detail
