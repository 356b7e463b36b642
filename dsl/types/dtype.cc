#include "dsl/types/dtype.h"

#include <array>

namespace ordo::dsl {
namespace {

struct Row {
  DType type;
  std::string_view name;
  int bytes;
  int bits;
};

constexpr std::array<Row, 14> kRows = {{
    {DType::F64, "f64", 8, 64},
    {DType::F32, "f32", 4, 32},
    {DType::F16, "f16", 2, 16},
    {DType::BF16, "bf16", 2, 16},
    {DType::F8E4M3FN, "f8e4m3fn", 1, 8},
    {DType::F8E5M2, "f8e5m2", 1, 8},
    {DType::F8E4M3FNUZ, "f8e4m3fnuz", 1, 8},
    {DType::F8E5M2FNUZ, "f8e5m2fnuz", 1, 8},
    {DType::I32, "i32", 4, 32},
    {DType::I64, "i64", 8, 64},
    {DType::U32, "u32", 4, 32},
    {DType::U64, "u64", 8, 64},
    {DType::Bool, "bool", 1, 1},
    {DType::Index, "index", 0, 64},
}};

const Row &row(DType type) { return kRows[static_cast<std::size_t>(type)]; }

} // namespace

std::string_view name(DType type) { return row(type).name; }

std::optional<DType> dtypeFromName(std::string_view text) {
  for (const Row &r : kRows)
    if (r.name == text && r.type != DType::Index)
      return r.type;
  return std::nullopt;
}

int byteSize(DType type) { return row(type).bytes; }
int bitWidth(DType type) { return row(type).bits; }
bool isFloat(DType type) { return type <= DType::F8E5M2FNUZ; }
bool isInteger(DType type) { return type >= DType::I32 && type <= DType::U64; }
bool isSigned(DType type) { return type == DType::I32 || type == DType::I64; }

FloatFormat floatFormat(DType type) {
  switch (type) {
  case DType::F64:
    return {11, 52, 1023, true, true};
  case DType::F16:
    return {5, 10, 15, true, true};
  case DType::BF16:
    return {8, 7, 127, true, true};
  case DType::F8E4M3FN:
    return {4, 3, 7, false, true};
  case DType::F8E5M2:
    return {5, 2, 15, true, true};
  case DType::F8E4M3FNUZ:
    return {4, 3, 8, false, false};
  case DType::F8E5M2FNUZ:
    return {5, 2, 16, false, false};
  default:
    return {8, 23, 127, true, true};
  }
}

std::uint64_t canonicalNan(DType type) {
  switch (type) {
  case DType::F64:
    return 0x7ff8000000000000u;
  case DType::F32:
    return 0x7fc00000u;
  case DType::F16:
    return 0x7e00u;
  case DType::BF16:
    return 0x7fc0u;
  case DType::F8E4M3FN:
    return 0x7fu;
  case DType::F8E5M2:
    return 0x7eu;
  case DType::F8E4M3FNUZ:
  case DType::F8E5M2FNUZ:
    return 0x80u;
  default:
    return 0;
  }
}

bool isNanBits(DType type, std::uint64_t bits) {
  if (!isFloat(type))
    return false;
  const FloatFormat f = floatFormat(type);
  const std::uint64_t magnitude = bits & ((std::uint64_t{1} << (bitWidth(type) - 1)) - 1);
  if (!f.hasNegativeZero)
    return bits == 0x80u;
  if (!f.hasInfinity)
    return magnitude == 0x7fu;
  const std::uint64_t infinity = ((std::uint64_t{1} << f.exponentBits) - 1) << f.mantissaBits;
  return magnitude > infinity;
}

} // namespace ordo::dsl
