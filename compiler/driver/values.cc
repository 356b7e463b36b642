#include "compiler/driver/values.h"

#include "compiler/driver/failure.h"
#include "dsl/eval/numeric.h"
#include "dsl/order/order.h"
#include "dsl/sema/literal.h"

#include <algorithm>
#include <bit>
#include <fmt/core.h>

namespace ordo::compiler::driver {

using dsl::DType;

std::string valueText(DType type, std::uint64_t bits) {
  if (type == DType::Bool)
    return bits != 0 ? "true" : "false";
  if (!dsl::isFloat(type)) {
    if (!dsl::isSigned(type))
      return fmt::format("{}", bits);
    return fmt::format("{}", static_cast<std::int64_t>(dsl::castBits(type, DType::I64, bits)));
  }
  if (dsl::isNanBits(type, bits))
    return "nan";
  if (type == DType::F64)
    return dsl::literalText(std::bit_cast<double>(bits));
  const auto single = static_cast<std::uint32_t>(dsl::castBits(type, DType::F32, bits));
  const std::string text = fmt::format("{}", std::bit_cast<float>(single));
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

std::string bitsText(DType type, std::uint64_t bits) {
  return fmt::format("0x{:0{}x}", bits, std::max(1, dsl::bitWidth(type) / 4));
}

std::string firstValues(const dsl::TensorValue &tensor, std::size_t count) {
  const std::size_t size = dsl::elementSize(tensor.type);
  const std::size_t elements = tensor.data.size() / size;
  std::string text;
  for (std::size_t i = 0; i < std::min(count, elements); ++i)
    text += (i == 0 ? "" : " ") +
            valueText(tensor.type, dsl::loadBits(tensor.type, tensor.data.data() + i * size));
  return elements > count ? text + " …" : text;
}

std::uint64_t parseValue(const std::string &what, const std::string &text, DType type) {
  const bool isNegative = text.starts_with("-");
  std::string digits = text.substr(isNegative || text.starts_with("+") ? 1 : 0);
  if (dsl::isFloat(type) && digits == "nan")
    return dsl::canonicalNan(type);
  if (type == DType::Bool && (text == "true" || text == "false"))
    return text == "true" ? 1 : 0;
  // The language wants the point of a float written; a shell need not.
  const bool isPlain =
      !digits.empty() && digits.find_first_not_of("0123456789") == std::string::npos;
  if (dsl::isFloat(type) && isPlain)
    digits += ".0";
  const dsl::RoundedLiteral literal = dsl::roundLiteral(digits, isNegative, type);
  if (literal.bits)
    return *literal.bits;
  throw misuse(
      fmt::format("{} = {} is no value of {}: {}", what, text, dsl::name(type), literal.message),
      literal.help);
}

} // namespace ordo::compiler::driver
