#include "tests/math/functions.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace ordo::math {
namespace {

constexpr int kPrecision = 200;
// Where terms cancel: gelu's 1 + tanh, or 1 + erf, of a large negative argument.
constexpr int kWidePrecision = 600;

using Unary = int (*)(mpfr_t, const mpfr_t, mpfr_rnd_t);

template <Unary F> void plain(mpfr_t y, const mpfr_t x) { F(y, x, MPFR_RNDN); }

class Wide {
public:
  Wide() { mpfr_init2(value, kWidePrecision); }
  explicit Wide(const mpfr_t from) : Wide() { mpfr_set(value, from, MPFR_RNDN); }
  ~Wide() { mpfr_clear(value); }
  Wide(const Wide &) = delete;
  Wide &operator=(const Wide &) = delete;
  operator mpfr_ptr() { return value; }

private:
  mpfr_t value;
};

// MPFR takes rec_sqrt(-0) for +inf; 1 / sqrt(-0) is -inf.
void reciprocalRoot(mpfr_t y, const mpfr_t x) {
  if (mpfr_zero_p(x) && mpfr_signbit(x))
    mpfr_set_inf(y, -1);
  else
    mpfr_rec_sqrt(y, x, MPFR_RNDN);
}

// 1 / (1 + exp(-x))
void sigmoid(mpfr_t y, const mpfr_t x) {
  Wide t(x);
  mpfr_neg(t, t, MPFR_RNDN);
  mpfr_exp(t, t, MPFR_RNDN);
  mpfr_add_ui(t, t, 1, MPFR_RNDN);
  mpfr_ui_div(y, 1, t, MPFR_RNDN);
}

// The limit at -inf is 0, where the product is a NaN.
void silu(mpfr_t y, const mpfr_t x) {
  if (mpfr_inf_p(x) && mpfr_signbit(x)) {
    mpfr_set_zero(y, -1);
    return;
  }
  Wide t;
  sigmoid(t, x);
  mpfr_mul(y, t, x, MPFR_RNDN);
}

void softplus(mpfr_t y, const mpfr_t x) {
  Wide t;
  mpfr_exp(t, x, MPFR_RNDN);
  mpfr_log1p(y, t, MPFR_RNDN);
}

void logSigmoid(mpfr_t y, const mpfr_t x) {
  Wide t(x);
  mpfr_neg(t, t, MPFR_RNDN);
  softplus(y, t);
  mpfr_neg(y, y, MPFR_RNDN);
}

// x / 2 * erfc(-x / sqrt(2))
void geluErf(mpfr_t y, const mpfr_t x) {
  if (mpfr_inf_p(x) && mpfr_signbit(x)) {
    mpfr_set_zero(y, -1);
    return;
  }
  Wide t, root;
  mpfr_set_ui(root, 2, MPFR_RNDN);
  mpfr_sqrt(root, root, MPFR_RNDN);
  mpfr_div(t, x, root, MPFR_RNDN);
  mpfr_neg(t, t, MPFR_RNDN);
  mpfr_erfc(t, t, MPFR_RNDN);
  mpfr_mul(t, t, x, MPFR_RNDN);
  mpfr_div_2ui(y, t, 1, MPFR_RNDN);
}

// x / 2 * (1 + tanh(u)) = x * sigmoid(2 u), u = sqrt(2 / pi) * (x + 0.044715 x^3)
void geluTanh(mpfr_t y, const mpfr_t x) {
  if (mpfr_inf_p(x) && mpfr_signbit(x)) {
    mpfr_set_zero(y, -1);
    return;
  }
  Wide cube, u, c;
  mpfr_pow_ui(cube, x, 3, MPFR_RNDN);
  mpfr_set_str(c, "0.044715", 10, MPFR_RNDN);
  mpfr_mul(cube, cube, c, MPFR_RNDN);
  mpfr_add(u, cube, x, MPFR_RNDN);
  mpfr_const_pi(c, MPFR_RNDN);
  mpfr_ui_div(c, 2, c, MPFR_RNDN);
  mpfr_sqrt(c, c, MPFR_RNDN);
  mpfr_mul(u, u, c, MPFR_RNDN);
  mpfr_mul_ui(u, u, 2, MPFR_RNDN);
  sigmoid(u, u);
  mpfr_mul(y, u, x, MPFR_RNDN);
}

void ofNegative(mpfr_t y, const mpfr_t x) {
  mpfr_abs(y, x, MPFR_RNDN);
  mpfr_neg(y, y, MPFR_RNDN);
  mpfr_exp(y, y, MPFR_RNDN);
}

double sigmoidOf(double x) { return 1.0 / (1.0 + std::exp(-x)); }

double siluOf(double x) { return x == -HUGE_VAL ? -0.0 : x / (1.0 + std::exp(-x)); }

double softplusOf(double x) { return x > 40.0 ? x : std::log1p(std::exp(x)); }

double geluErfOf(double x) {
  return x == -HUGE_VAL ? -0.0 : 0.5 * x * std::erfc(x * -0.70710678118654752440);
}

// A rounding of u costs exp as many units as u is large, hence the wider format.
double geluTanhOf(double x) {
  const long double u = 1.5957691216057307117L * (x + 0.044715L * x * x * x);
  return x == -HUGE_VAL ? -0.0 : static_cast<double>(x / (1.0L + std::exp(-u)));
}

constexpr auto kFunctions = std::to_array<Function>({
    {"exp", [](double x) { return std::exp(x); }, plain<mpfr_exp>},
    {"exp_nonpositive", [](double x) { return std::exp(-std::fabs(x)); }, ofNegative},
    {"exp2", [](double x) { return std::exp2(x); }, plain<mpfr_exp2>},
    {"expm1", [](double x) { return std::expm1(x); }, plain<mpfr_expm1>},
    {"log", [](double x) { return std::log(x); }, plain<mpfr_log>},
    {"log2", [](double x) { return std::log2(x); }, plain<mpfr_log2>},
    {"log1p", [](double x) { return std::log1p(x); }, plain<mpfr_log1p>},
    {"sin", [](double x) { return std::sin(x); }, plain<mpfr_sin>},
    {"cos", [](double x) { return std::cos(x); }, plain<mpfr_cos>},
    {"tanh", [](double x) { return std::tanh(x); }, plain<mpfr_tanh>},
    {"erf", [](double x) { return std::erf(x); }, plain<mpfr_erf>},
    {"rsqrt", [](double x) { return 1.0 / std::sqrt(x); }, reciprocalRoot},
    {"cbrt", [](double x) { return std::cbrt(x); }, plain<mpfr_cbrt>},
    {"sigmoid", sigmoidOf, sigmoid},
    {"silu", siluOf, silu},
    {"softplus", softplusOf, softplus},
    {"logsigmoid", [](double x) { return -softplusOf(-x); }, logSigmoid},
    {"gelu_erf", geluErfOf, geluErf},
    {"gelu_tanh", geluTanhOf, geluTanh},
});

constexpr std::uint32_t kNan = 0x7fc00000u;

std::uint32_t bitsOf(float value) {
  return std::isnan(value) ? kNan : std::bit_cast<std::uint32_t>(value);
}

// A value and its argument, made once a thread: initialising them takes as long as a sine.
struct Registers {
  mpfr_t x, y;
  Registers() {
    mpfr_init2(x, 24);
    mpfr_init2(y, kPrecision);
  }
  ~Registers() {
    mpfr_clear(x);
    mpfr_clear(y);
    mpfr_free_cache();
  }
};

Registers &evaluate(const Function &function, std::uint32_t x) {
  thread_local Registers registers;
  mpfr_set_flt(registers.x, std::bit_cast<float>(x), MPFR_RNDN);
  function.exact(registers.y, registers.x);
  return registers;
}

} // namespace

std::span<const Function> functions() { return kFunctions; }

const Function *findFunction(std::string_view name) {
  const auto *it = std::ranges::find(kFunctions, name, &Function::name);
  return it == kFunctions.end() ? nullptr : it;
}

std::uint32_t exactly(const Function &function, std::uint32_t x) {
  return bitsOf(mpfr_get_flt(evaluate(function, x).y, MPFR_RNDN));
}

bool isNearBoundary(double value) {
  if (!std::isfinite(value) || value == 0.0)
    return false;
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto inner = static_cast<float>(std::bit_cast<double>(bits - kLibraryBound));
  const auto outer = static_cast<float>(std::bit_cast<double>(bits + kLibraryBound));
  return inner != outer;
}

std::uint32_t expected(const Function &function, std::uint32_t x, std::uint64_t &byMpfr) {
  const double value = function.library(static_cast<double>(std::bit_cast<float>(x)));
  if (!isNearBoundary(value))
    return bitsOf(static_cast<float>(value));
  ++byMpfr;
  return exactly(function, x);
}

double exactError(const Function &function, std::uint32_t x, std::uint32_t got) {
  const auto given = std::bit_cast<float>(got);
  Registers &registers = evaluate(function, x);
  mpfr_t &y = registers.y;
  if (mpfr_nan_p(y) || std::isnan(given))
    return mpfr_nan_p(y) && std::isnan(given) ? 0.0 : HUGE_VAL;
  const double limit = std::ldexp(1.0, 128);
  const double value = mpfr_get_d(y, MPFR_RNDN);
  if (std::fabs(value) >= limit && std::isinf(given))
    return std::signbit(value) == std::signbit(given) ? 0.0 : HUGE_VAL;
  if (std::isinf(value))
    return HUGE_VAL;
  const int binade = value == 0.0 ? -126 : std::clamp(std::ilogb(value), -126, 127);
  mpfr_sub_d(y, y, std::isinf(given) ? std::copysign(limit, given) : given, MPFR_RNDN);
  mpfr_div_2si(y, y, binade - 23, MPFR_RNDN);
  return std::fabs(mpfr_get_d(y, MPFR_RNDN));
}

double boundaryDistance(const Function &function, std::uint32_t x) {
  mpfr_t &y = evaluate(function, x).y;
  const double value = mpfr_get_d(y, MPFR_RNDN);
  const float nearest = mpfr_get_flt(y, MPFR_RNDN);
  if (!std::isfinite(value) || !std::isfinite(nearest) || value == 0.0)
    return HUGE_VAL;
  const double up = std::nextafter(nearest, HUGE_VALF), down = std::nextafter(nearest, -HUGE_VALF);
  double least = HUGE_VAL;
  for (const double other : {up, down}) {
    Wide distance;
    mpfr_sub_d(distance, y, 0.5 * (nearest + other), MPFR_RNDN); // the middle is exact in f64
    mpfr_div_2si(distance, distance, std::ilogb(value) - 52, MPFR_RNDN);
    least = std::min(least, std::fabs(mpfr_get_d(distance, MPFR_RNDN)));
  }
  return least;
}

double toOdd(const Function &function, std::uint32_t x) {
  mpfr_t &y = evaluate(function, x).y;
  const double cut = mpfr_get_d(y, MPFR_RNDZ);
  if (!std::isfinite(cut) || mpfr_cmp_d(y, cut) == 0)
    return cut;
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(cut) | 1u);
}

} // namespace ordo::math
