#include "dsl/sema/builtins.h"

#include <algorithm>
#include <array>

namespace ordo::dsl {
namespace {

constexpr std::array<Builtin, 9> kBuiltins = {{
    {"sqrt", Op::Sqrt, 1, true, false, false},
    {"abs", Op::Abs, 1, true, true, false},
    {"floor", Op::Floor, 1, true, false, false},
    {"fma", Op::Fma, 3, true, false, false},
    {"mulhi", Op::MulHi, 2, false, true, false},
    {"min", Op::Min, 2, true, true, true},
    {"max", Op::Max, 2, true, true, true},
    {"min_nan", Op::MinNan, 2, true, false, false},
    {"max_nan", Op::MaxNan, 2, true, false, false},
}};

constexpr std::string_view kTypes[] = {"f64",    "f32",        "f16",        "bf16", "f8e4m3fn",
                                       "f8e5m2", "f8e4m3fnuz", "f8e5m2fnuz", "i32",  "i64",
                                       "u32",    "u64",        "bool",       "tf32"};

constexpr std::string_view kWords[] = {"bits", "sum", "dot", "ceil_div"};

} // namespace

const Builtin *findBuiltin(std::string_view name) {
  const auto *it = std::ranges::find(kBuiltins, name, &Builtin::name);
  return it == kBuiltins.end() ? nullptr : it;
}

std::optional<Conversion> splitConversion(std::string_view callee) {
  const std::size_t dot = callee.find('.');
  Conversion result;
  result.typeName = std::string(callee.substr(0, dot));
  if (dot == std::string_view::npos)
    return result;
  result.suffix = std::string(callee.substr(dot + 1));
  if (result.suffix == "of_bits")
    result.kind = Conversion::Kind::OfBits;
  else if (result.suffix == "rz")
    result.rounding = Rounding::TowardZero;
  else if (result.suffix == "sat")
    result.rounding = Rounding::Saturate;
  else if (result.suffix == "nosat")
    result.rounding = Rounding::NearestEven;
  else
    return std::nullopt;
  return result;
}

bool isReservedName(std::string_view name) {
  return findBuiltin(name) || std::ranges::find(kTypes, name) != std::end(kTypes) ||
         std::ranges::find(kWords, name) != std::end(kWords);
}

std::vector<std::string> builtinNames() {
  std::vector<std::string> names = {"bits", "ceil_div"};
  for (const Builtin &builtin : kBuiltins)
    names.emplace_back(builtin.name);
  names.insert(names.end(), std::begin(kTypes), std::end(kTypes));
  return names;
}

} // namespace ordo::dsl
