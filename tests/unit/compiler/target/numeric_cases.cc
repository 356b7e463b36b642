#include "tests/unit/compiler/target/numeric_cases.h"

#include "dsl/eval/numeric.h"

#include <bit>
#include <cmath>
#include <random>
#include <sstream>

namespace ordo::compiler {

using dsl::DType;
using dsl::Op;
using dsl::Rounding;

namespace {

std::string_view mlirType(DType type) {
  switch (type) {
  case DType::U32:
    return "i32";
  case DType::U64:
    return "i64";
  case DType::Bool:
    return "i1";
  default:
    return dsl::name(type);
  }
}

struct Spelling {
  Op op;
  std::string_view name;
  std::string_view floats;   // the operation on floats, or nothing
  std::string_view integers; // on signed integers
};

constexpr Spelling kSpellings[] = {
    {Op::Neg, "neg", "arith.negf", ""},
    {Op::Abs, "abs", "ordo.abs", ""},
    {Op::Sqrt, "sqrt", "ordo.sqrt", ""},
    {Op::Floor, "floor", "ordo.floor", ""},
    {Op::Add, "add", "arith.addf", "arith.addi"},
    {Op::Sub, "sub", "arith.subf", "arith.subi"},
    {Op::Mul, "mul", "arith.mulf", "arith.muli"},
    {Op::Div, "div", "arith.divf", "arith.floordivsi"},
    {Op::Fma, "fma", "ordo.fma", ""},
    {Op::Max, "max", "ordo.max", "arith.maxsi"},
    {Op::Min, "min", "ordo.min", "arith.minsi"},
    {Op::MaxNan, "max_nan", "ordo.max_nan", ""},
    {Op::MinNan, "min_nan", "ordo.min_nan", ""},
    {Op::Lt, "lt", "arith.cmpf olt,", ""},
    {Op::Ne, "ne", "arith.cmpf une,", ""},
    {Op::Bits, "bits", "ordo.bits", ""},
    {Op::Cast, "cast", "ordo.cast", ""},
};

const Spelling &spelling(Op op) {
  for (const Spelling &s : kSpellings)
    if (s.op == op)
      return s;
  std::abort(); // a case that the table above does not name: the test is wrong
}

bool isUnsigned(DType type) { return type == DType::U32 || type == DType::U64; }

// `%r = op %a, %b : type`.
std::string operation(const NumericCase &c) {
  const Spelling &s = spelling(c.op);
  std::ostringstream out;
  out << "%r = " << (dsl::isFloat(c.argType) || c.op == Op::Cast ? s.floats : s.integers) << " %a";
  if (c.arity() > 1)
    out << ", %b";
  if (c.arity() > 2)
    out << ", %c";
  if (c.op == Op::Cast) {
    out << (isUnsigned(c.argType) ? " unsigned" : "")
        << " {rounding = " << (c.rounding == Rounding::TowardZero ? 1 : 0) << " : i32"
        << (isUnsigned(c.type) ? ", unsigned_result" : "") << "}";
  }
  out << " : " << mlirType(c.argType);
  if (c.op == Op::Cast || c.op == Op::Bits)
    out << " to " << mlirType(c.type);
  return out.str();
}

// Loads of the operands at %i, the operation, the store.
std::string body(const NumericCase &c, std::string_view pointer) {
  std::ostringstream out;
  const auto at = [&](std::string_view name, std::string_view base, DType type) {
    const std::string_view memory = type == DType::Bool ? "i8" : mlirType(type);
    out << "%p" << name << " = llvm.getelementptr %" << base << "[%i] : (" << pointer
        << ", i64) -> " << pointer << ", " << memory << "\n";
    return memory;
  };
  for (int k = 0; k < c.arity(); ++k) {
    const std::string name(1, "abc"[k]), base = std::string("q") + name;
    const auto memory = at(name, base, c.argType);
    const bool narrow = c.argType == DType::Bool;
    out << "%" << name << (narrow ? "8" : "") << " = llvm.load %p" << name << " : " << pointer
        << " -> " << memory << "\n";
    if (narrow)
      out << "%" << name << " = arith.trunci %" << name << "8 : i8 to i1\n";
  }
  out << operation(c) << "\n";
  const auto memory = at("o", "qo", c.type);
  if (c.type == DType::Bool)
    out << "%r8 = arith.extui %r : i1 to i8\n";
  out << "llvm.store " << (c.type == DType::Bool ? "%r8" : "%r") << ", %po : " << memory << ", "
      << pointer << "\n";
  return out.str();
}

std::string arguments(std::string_view pointer) {
  std::ostringstream out;
  out << "(";
  for (const char *name : {"%qa", "%qb", "%qc"})
    out << name << ": " << pointer << " {ordo.readonly}, ";
  out << "%qo: " << pointer << ", %n: i64)";
  return out.str();
}

// Zeros, subnormals, ones, the largest, infinities, quiet and signalling NaNs, in both signs;
// integers around powers of two.
std::vector<std::uint64_t> specialValues(DType type) {
  std::vector<std::uint64_t> values;
  const int width = dsl::bitWidth(type);
  if (type == DType::Bool)
    return {0, 1};
  const std::uint64_t sign = std::uint64_t{1} << (width - 1);
  if (!dsl::isFloat(type)) {
    for (int k = 0; k < width; ++k)
      for (const int d : {-1, 0, 1})
        values.push_back((std::uint64_t{1} << k) + static_cast<std::uint64_t>(d));
    for (std::size_t k = 0, n = values.size(); k < n; ++k)
      values.push_back(~values[k]);
    for (std::uint64_t &v : values)
      v &= sign | (sign - 1);
    return values;
  }
  const auto format = dsl::floatFormat(type);
  const int m = format.mantissaBits;
  const std::uint64_t infinity = ((std::uint64_t{1} << format.exponentBits) - 1) << m;
  const std::uint64_t one = static_cast<std::uint64_t>(format.bias) << m;
  values = {0,
            1,
            2,
            (1ull << m) - 1,
            1ull << m,
            one - 1,
            one,
            one + 1,
            infinity,
            3 + one,
            infinity - 1,
            infinity - 2,
            infinity | 1,
            infinity | (1ull << (m - 1))};
  for (const double d :
       {0.5, 1.5, 2.5, 2.0, 3.0, 87.0, 127.5, 128.5, 255.5, 1e-3, 65504.0, 65519.0})
    values.push_back(dsl::castBits(DType::F64, type, std::bit_cast<std::uint64_t>(d)));
  for (std::size_t k = 0, n = values.size(); k < n; ++k)
    values.push_back(values[k] | sign);
  return values;
}

// Values of `type` at ties of `result` and beside them: half-way between two neighbours of the
// smaller format, exactly, and off by the last bit of the wider one.
void addTies(std::vector<std::uint64_t> &values, DType type, DType result,
             std::mt19937_64 &random) {
  if (!dsl::isFloat(result) || type == DType::Bool || dsl::bitWidth(type) <= dsl::bitWidth(result))
    return;
  for (int k = 0; k < 20000; ++k) {
    std::uint64_t bits = 0;
    if (dsl::isFloat(type)) {
      const int dropped =
          dsl::floatFormat(type).mantissaBits - dsl::floatFormat(result).mantissaBits;
      const std::uint64_t tie = std::uint64_t{1} << (dropped - 1);
      // A value near one, so that it lies in the range of the smaller format.
      const auto scale = std::ldexp(1.0, static_cast<int>(random() % 280) - 140);
      const std::uint64_t near =
          dsl::castBits(DType::F64, type, std::bit_cast<std::uint64_t>(scale));
      bits = near | (random() & ((std::uint64_t{1} << dsl::floatFormat(type).mantissaBits) - 1));
      bits = (bits & ~(2 * tie - 1)) | tie;
    } else {
      const int p = dsl::floatFormat(result).mantissaBits + 1;
      const int shift = static_cast<int>(random() % (dsl::bitWidth(type) - p));
      bits = ((random() & ((std::uint64_t{1} << p) - 1)) * 2 + 1) << shift;
    }
    values.push_back(bits + random() % 3 - 1);
  }
}

} // namespace

std::string NumericCase::name() const {
  std::string text = std::string(spelling(op).name) + "_" + std::string(dsl::name(argType));
  if (op == Op::Cast)
    text += "_to_" + std::string(dsl::name(type));
  if (rounding == Rounding::TowardZero)
    text += "_rz";
  return text;
}

int NumericCase::arity() const { return dsl::arity(op); }

std::vector<NumericCase> numericCases() {
  using enum DType;
  std::vector<NumericCase> cases;
  for (const DType type : {BF16, F16, F32, F64}) {
    for (const Spelling &s : kSpellings)
      if (s.op == Op::Lt || s.op == Op::Ne)
        cases.push_back({s.op, Bool, type});
      else if (s.op == Op::Bits)
        cases.push_back({s.op, type == F64 ? U64 : U32, type});
      else if (s.op != Op::Cast)
        cases.push_back({s.op, type, type});
    for (const DType other : {BF16, F16, F32, F64, I32, I64, U32, U64, Bool})
      for (const Rounding rounding : {Rounding::NearestEven, Rounding::TowardZero}) {
        if (other != type)
          cases.push_back({Op::Cast, type, other, rounding});
        if (!dsl::isFloat(other))
          cases.push_back({Op::Cast, other, type, rounding});
      }
  }
  for (const DType type : {I32, I64})
    for (const Op op : {Op::Add, Op::Mul, Op::Div, Op::Max, Op::Min})
      cases.push_back({op, type, type});
  return cases;
}

std::string cpuModule(const std::vector<NumericCase> &cases) {
  std::ostringstream out;
  out << "module {\n";
  for (const NumericCase &c : cases)
    out << "func.func @" << c.name() << arguments("!llvm.ptr") << " {\n"
        << "%zero = arith.constant 0 : i64\n%one = arith.constant 1 : i64\n"
        << "scf.for %i = %zero to %n step %one : i64 {\n"
        << body(c, "!llvm.ptr") << "}\nreturn\n}\n";
  out << "}\n";
  return out.str();
}

std::string gpuModule(const std::vector<NumericCase> &cases) {
  std::ostringstream out;
  out << "module {\ngpu.module @kernels {\n";
  for (const NumericCase &c : cases)
    out << "gpu.func @" << c.name() << arguments("!llvm.ptr<1>")
        << " kernel attributes {known_block_size = array<i32: 128, 1, 1>} {\n"
        << "%t = gpu.thread_id x\n%k = gpu.block_id x\n%w = arith.constant 128 : index\n"
        << "%base = arith.muli %k, %w : index\n%at = arith.addi %base, %t : index\n"
        << "%i = arith.index_cast %at : index to i64\n"
        << "%in = arith.cmpi slt, %i, %n : i64\nscf.if %in {\n"
        << body(c, "!llvm.ptr<1>") << "}\ngpu.return\n}\n";
  out << "}\n}\n";
  return out.str();
}

Operands operandsFor(const NumericCase &c) {
  std::mt19937_64 random(20240501);
  const auto special = specialValues(c.argType);
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - dsl::bitWidth(c.argType));
  Operands operands;
  auto &[a, b, d] = operands;
  if (c.arity() == 1) {
    a = special;
    if (dsl::bitWidth(c.argType) == 16)
      for (std::uint64_t bits = 0; bits < 65536; ++bits)
        a.push_back(bits);
    addTies(a, c.argType, c.type, random);
    for (int k = 0; k < 20000; ++k)
      a.push_back(random());
  } else {
    for (const std::uint64_t x : special)
      for (const std::uint64_t y : special) {
        a.push_back(x);
        b.push_back(y);
        d.push_back(special[random() % special.size()]);
      }
    for (int k = 0; k < 30000; ++k) {
      a.push_back(random());
      // Half of them of like magnitude, where sums round in interesting places.
      b.push_back(k % 2 ? random() : a.back() ^ (random() & (mask >> 5)));
      d.push_back(k % 2 ? random() : special[random() % special.size()]);
    }
  }
  for (auto &values : operands) {
    values.resize(std::max<std::size_t>(a.size(), 1));
    for (std::uint64_t &v : values)
      v &= mask;
  }
  // Division by zero is excluded by proof, never computed.
  if (c.op == Op::Div && !dsl::isFloat(c.type))
    for (std::uint64_t &v : b)
      v = v == 0 ? 1 : v;
  return operands;
}

} // namespace ordo::compiler
