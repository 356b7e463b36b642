// Numbers of an interval, near its ends above all, for the tests of the laws of integers.
#pragma once

#include "tests/unit/compiler/verify/term/law_case.h"

namespace ordo::verify::test {

inline constexpr std::size_t kSamples = 600;
inline constexpr std::uint64_t kAll32 = 0xffffffff;

class IntegerCase : public ::testing::Test {
protected:
  /// Numbers of an interval: its ends, their neighbours, and others.
  Samples between(std::uint64_t low, std::uint64_t high) {
    Samples samples = {low, high, low + (high > low ? 1 : 0), high - (high > low ? 1 : 0)};
    while (samples.size() < kSamples) {
      const std::uint64_t range = high - low, any = random_();
      samples.push_back(range + 1 == 0 ? any : low + any % (range + 1));
    }
    std::shuffle(samples.begin(), samples.end(), random_);
    return samples;
  }
  Both number(unsigned width, std::uint64_t low, std::uint64_t high) {
    return l.symbol(width, low, high, between(low, high));
  }
  Both data(dsl::DType type) {
    return l.input(type, between(0, ~std::uint64_t{0} >> (64 - dsl::bitWidth(type))));
  }
  Both k32(std::uint64_t bits) { return l.constant(32, bits); }
  Both k64(std::uint64_t bits) { return l.constant(64, bits); }
  Both low(const Both &a) { return l.extract(a, 0, 32); }
  Both high(const Both &a) { return l.extract(a, 32, 32); }

  std::mt19937_64 random_{11};
  LawCase l{kSamples};
};

} // namespace ordo::verify::test
