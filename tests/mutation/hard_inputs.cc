#include "tests/mutation/hard_inputs.h"

#include "tests/oracle/every_kernel.h"

#include <cstring>
#include <random>

namespace ordo::mutation {
namespace {

/// The bits of one float of a format, by kind.
class Floats {
public:
  Floats(dsl::DType type, std::uint64_t seed)
      : type_(type), format_(dsl::floatFormat(type)), random_(seed) {}

  std::uint64_t plain() { return with(format_.bias - 5 + below(9), mantissa()); }
  std::uint64_t small() { return below(3) == 0 ? with(0, mantissa()) : with(below(3), mantissa()); }
  std::uint64_t large() { return with(mostExponent() - 1 - below(4), mantissa()); }
  std::uint64_t zero() { return with(0, 0); }
  std::uint64_t edge() {
    const std::uint64_t edges[] = {with(0, 1),
                                   with(0, mostMantissa()),
                                   with(1, 0),
                                   with(mostExponent() - 1, mostMantissa()),
                                   with(format_.bias, 0),
                                   with(format_.bias - 1, mostMantissa())};
    return edges[below(std::size(edges))];
  }
  std::uint64_t notFinite() {
    return below(2) == 0 || !format_.hasInfinity ? dsl::canonicalNan(type_)
                                                 : with(mostExponent(), 0);
  }
  std::uint64_t below(std::uint64_t count) { return random_() % count; }

  /// Of row kind 0 … 3.
  std::uint64_t element(std::int64_t kind, bool isChosen) {
    switch (kind) {
    case 0:
      return below(4) == 0 ? zero() : below(4) == 0 ? edge() : small();
    case 1:
      return isChosen ? notFinite() : plain();
    case 2: {
      const std::uint64_t which = below(40);
      return which == 0 ? notFinite() : which < 6 ? edge() : which < 10 ? zero() : plain();
    }
    default:
      return below(3) == 0 ? large() : plain();
    }
  }

private:
  std::uint64_t mostExponent() const { return (std::uint64_t{1} << format_.exponentBits) - 1; }
  std::uint64_t mostMantissa() const { return (std::uint64_t{1} << format_.mantissaBits) - 1; }
  std::uint64_t mantissa() { return random_() & mostMantissa(); }
  std::uint64_t with(std::uint64_t exponent, std::uint64_t mantissa) {
    return below(2) << (dsl::bitWidth(type_) - 1) | exponent << format_.mantissaBits | mantissa;
  }

  dsl::DType type_;
  dsl::FloatFormat format_;
  std::mt19937_64 random_;
};

} // namespace

dsl::EvalInputs hardInputs(const dsl::Program &program, std::int64_t rows, std::uint64_t seed) {
  dsl::EvalInputs inputs = oracle::inputsOf(program, rows);
  for (auto &[name, value] : inputs.tensors) {
    if (!dsl::isFloat(value.type) || value.shape.empty())
      continue;
    Floats floats(value.type, ++seed * 0x9e3779b97f4a7c15u);
    const auto bytes = static_cast<std::size_t>(dsl::byteSize(value.type));
    const std::int64_t columns = oracle::isElementwise(program) ? 1 : value.shape.back();
    const auto chosen = static_cast<std::int64_t>(
        floats.below(static_cast<std::uint64_t>(std::max<std::int64_t>(columns, 1))));
    for (std::size_t at = 0; at * bytes < value.data.size(); ++at) {
      const auto element = static_cast<std::int64_t>(at);
      const std::uint64_t bits = floats.element(
          (element / columns + static_cast<std::int64_t>(seed)) % 4, element % columns == chosen);
      std::memcpy(&value.data[at * bytes], &bits, bytes);
    }
  }
  return inputs;
}

} // namespace ordo::mutation
