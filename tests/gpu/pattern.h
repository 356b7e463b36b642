// The inputs of the GPU checks: a counter-based generator, one definition for host and device.
//
// A tensor of T rows repeats 256 row patterns. An element is a pure function of (seed, tensor,
// pattern, column), built from integers only, so that the host's rows and the device's are the same
// bits by construction; a hash taken on the device checks that all the same.
#pragma once

#include <cstdint>

#if defined(__CUDACC__)
#define ORDO_HD __host__ __device__ inline
#else
#define ORDO_HD inline
#endif

namespace ordo::gpu {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

constexpr U32 kPatterns = 256;
// Tensors without a row axis are one long row of one of these patterns.
constexpr U32 kPlainWeights = kPatterns;
constexpr U32 kSpecialWeights = kPatterns + 1;

/// An IEEE-like binary format with infinities: f16, bf16, f32, f64. Without exponent bits: an
/// integer, two's complement or unsigned.
struct Format {
  U32 bytes;
  U32 exponentBits;
  U32 mantissaBits;
};

/// What distinguishes one tensor's elements from another's.
struct Source {
  U64 seed;
  U64 columns; // elements of a row
  Format format;
  U32 tensor;
};

/// Row t carries pattern (t * stride + offset) mod 256. An odd stride reaches every pattern, a
/// stride of 32 those of one kind.
struct Arrangement {
  U32 stride;
  U32 offset;
};

ORDO_HD U32 patternOf(Arrangement arrangement, U64 row) {
  return (static_cast<U32>(row) * arrangement.stride + arrangement.offset) % kPatterns;
}

struct Words {
  U32 w[4];
};

/// Philox4x32-10 (Salmon et al., 2011).
ORDO_HD Words philox(U64 key, U32 c0, U32 c1, U32 c2, U32 c3) {
  U32 k0 = static_cast<U32>(key);
  U32 k1 = static_cast<U32>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const U64 p0 = static_cast<U64>(0xd2511f53u) * c0;
    const U64 p1 = static_cast<U64>(0xcd9e8d57u) * c2;
    const U32 n0 = static_cast<U32>(p1 >> 32) ^ c1 ^ k0;
    const U32 n2 = static_cast<U32>(p0 >> 32) ^ c3 ^ k1;
    c0 = n0;
    c1 = static_cast<U32>(p1);
    c2 = n2;
    c3 = static_cast<U32>(p0);
    k0 += 0x9e3779b9u;
    k1 += 0xbb67ae85u;
  }
  return {{c0, c1, c2, c3}};
}

enum class Kind : U32 {
  Ordinary,     // magnitudes below 4, most near it
  Wide,         // every finite exponent
  Moderate,     // exponents within 6 of one
  SameExponent, // positive, one binade: sums carry often
  Logits,       // magnitudes from 1 to 256
  OneNan,
  ManyNans, // one in eight, any payload, quiet and signalling
  OneInf,
  OneNegInf,
  BothInfs,
  Subnormals,
  SignedZeros,
  PositiveZeros,
  NegativeZeros,
  AllNegInf,
  AllInf,
  AllNan,
  Huge, // squares overflow
  Tiny, // the smallest normal numbers
  Constant,
  Lone,   // zeros but one
  Masked, // half of it -inf
  Mixed,  // each element of a finite kind of its own
  Weights,
  SpecialWeights, // one in sixteen a zero, subnormal, infinity, NaN or huge
};

ORDO_HD Kind kindOf(U32 pattern) {
  using enum Kind;
  constexpr Kind kKinds[32] = {
      Ordinary,      Wide,     Moderate,  SameExponent,  OneNan,    Ordinary,     Logits,
      ManyNans,      OneInf,   OneNegInf, BothInfs,      Ordinary,  Subnormals,   SignedZeros,
      PositiveZeros, Wide,     Ordinary,  NegativeZeros, AllNegInf, AllInf,       AllNan,
      Moderate,      Ordinary, Huge,      Tiny,          Constant,  SameExponent, Lone,
      Masked,        Logits,   Ordinary,  Mixed,
  };
  if (pattern == kPlainWeights)
    return Weights;
  if (pattern == kSpecialWeights)
    return SpecialWeights;
  return kKinds[pattern % 32];
}

/// Composes elements of a format from random words.
struct Composer {
  Format format;
  Words random;

  ORDO_HD U32 bias() const { return (1u << (format.exponentBits - 1)) - 1; }
  ORDO_HD U32 special() const { return (1u << format.exponentBits) - 1; } // exponent of inf and NaN
  ORDO_HD U64 mantissa() const {
    const U64 bits = static_cast<U64>(random.w[1]) << 32 | random.w[2];
    return bits >> (64 - format.mantissaBits);
  }
  ORDO_HD U64 sign() const { return random.w[0] >> 31; }
  ORDO_HD U64 compose(U64 negative, U64 exponent, U64 fraction) const {
    return negative << (format.exponentBits + format.mantissaBits) |
           exponent << format.mantissaBits | fraction;
  }
  ORDO_HD U64 infinity(U64 negative) const { return compose(negative, special(), 0); }
  ORDO_HD U64 nan() const {
    const U64 fraction = mantissa();
    return compose(sign(), special(), fraction == 0 ? 1 : fraction);
  }
  /// Signed, the exponent `lowest` plus one of `count` choices.
  ORDO_HD U64 within(U32 lowest, U32 count) const {
    return compose(sign(), lowest + random.w[3] % count, mantissa());
  }
  ORDO_HD U64 ordinary() const {
    // Each exponent half as likely as the next larger one, as for uniform numbers.
    U32 below = 0;
    while (below < 31 && below < bias() && (random.w[3] >> (31 - below) & 1) == 0)
      ++below;
    return compose(sign(), bias() + 1 - below, mantissa());
  }
  ORDO_HD U64 wide() const { return within(0, special()); }
  ORDO_HD U64 subnormal() const { return compose(sign(), 0, mantissa()); }
  ORDO_HD U64 zero() const { return compose(sign(), 0, 0); }
  ORDO_HD U64 huge() const { return within(special() - 3, 3); }
  ORDO_HD U64 weight() const { return compose(0, bias() - 1 + (random.w[3] & 1), mantissa()); }

  ORDO_HD U64 mixed() const {
    switch (random.w[0] & 7) {
    case 0:
      return wide();
    case 1:
      return subnormal();
    case 2:
      return zero();
    default:
      return ordinary();
    }
  }
  ORDO_HD U64 specialWeight() const {
    switch (random.w[0] & 127) {
    case 0:
      return zero();
    case 1:
      return subnormal();
    case 2:
      return infinity(sign());
    case 3:
      return nan();
    case 4:
      return huge();
    case 5:
      return compose(1, 0, 0);
    case 6:
      return wide();
    case 7:
      return ordinary();
    default:
      return weight();
    }
  }
};

/// An integer: the values at which things turn, and numbers of any length, one in four of them
/// below zero. Whatever the kind of the row: an index or a seed is drawn for each row anew.
ORDO_HD U64 integerBits(U32 bytes, const Words &random) {
  const U32 width = 8 * bytes;
  const U64 mask = ~U64{0} >> (64 - width);
  const U64 magnitude =
      ((static_cast<U64>(random.w[1]) << 32 | random.w[2]) & mask) >> random.w[3] % width;
  switch (random.w[0] % 16) {
  case 0:
    return 0;
  case 1:
    return 1;
  case 2:
    return mask;
  case 3:
    return U64{1} << (width - 1);
  case 4:
    return mask >> 1;
  case 5:
  case 6:
  case 7:
    return (0 - magnitude) & mask;
  default:
    return magnitude;
  }
}

/// The bits of one element of row pattern `pattern`.
ORDO_HD U64 elementBits(const Source &source, U32 pattern, U64 column) {
  const U32 high = static_cast<U32>(column >> 32);
  const Composer own{source.format,
                     philox(source.seed, static_cast<U32>(column), high, pattern, source.tensor)};
  if (source.format.exponentBits == 0)
    return integerBits(source.format.bytes, own.random);
  // The row's own words: one level for constants, two places for lone specials.
  const Composer row{source.format, philox(source.seed, 0, ~0u, pattern, source.tensor)};
  const U64 first = row.random.w[2] % source.columns;
  const U64 second = row.random.w[3] % source.columns;
  const U32 bias = own.bias();
  switch (kindOf(pattern)) {
  case Kind::Ordinary:
    return own.ordinary();
  case Kind::Wide:
    return own.wide();
  case Kind::Moderate:
    return own.within(bias - 6, 13);
  case Kind::SameExponent:
    return own.compose(0, bias + row.random.w[0] % 3 - 1, own.mantissa());
  case Kind::Logits:
    return own.within(bias, 8);
  case Kind::OneNan:
    return column == first ? own.nan() : own.ordinary();
  case Kind::ManyNans:
    return own.random.w[0] % 8 == 0 ? own.nan() : own.ordinary();
  case Kind::OneInf:
    return column == first ? own.infinity(0) : own.ordinary();
  case Kind::OneNegInf:
    return column == first ? own.infinity(1) : own.ordinary();
  case Kind::BothInfs:
    if (column == first)
      return own.infinity(0);
    return column == second ? own.infinity(1) : own.ordinary();
  case Kind::Subnormals:
    return own.subnormal();
  case Kind::SignedZeros:
    return own.zero();
  case Kind::PositiveZeros:
    return own.compose(0, 0, 0);
  case Kind::NegativeZeros:
    return own.compose(1, 0, 0);
  case Kind::AllNegInf:
    return own.infinity(1);
  case Kind::AllInf:
    return own.infinity(0);
  case Kind::AllNan:
    return own.nan();
  case Kind::Huge:
    return own.huge();
  case Kind::Tiny:
    return own.within(1, 3);
  case Kind::Constant:
    return row.ordinary();
  case Kind::Lone:
    return column == first ? own.ordinary() : own.zero();
  case Kind::Masked:
    return (own.random.w[0] & 1) != 0 ? own.infinity(1) : own.within(bias, 5);
  case Kind::Mixed:
    return own.mixed();
  case Kind::Weights:
    return own.weight();
  case Kind::SpecialWeights:
    return own.specialWeight();
  }
  return 0;
}

ORDO_HD U64 loadElement(const void *data, U32 bytes, U64 index) {
  switch (bytes) {
  case 2:
    return static_cast<const std::uint16_t *>(data)[index];
  case 4:
    return static_cast<const U32 *>(data)[index];
  default:
    return static_cast<const U64 *>(data)[index];
  }
}

ORDO_HD void storeElement(void *data, U32 bytes, U64 index, U64 bits) {
  switch (bytes) {
  case 2:
    static_cast<std::uint16_t *>(data)[index] = static_cast<std::uint16_t>(bits);
    break;
  case 4:
    static_cast<U32 *>(data)[index] = static_cast<U32>(bits);
    break;
  default:
    static_cast<U64 *>(data)[index] = bits;
    break;
  }
}

ORDO_HD bool isNan(Format format, U64 bits) {
  const U64 infinity = ((U64{1} << format.exponentBits) - 1) << format.mantissaBits;
  const U64 magnitude = bits & ((U64{1} << (format.exponentBits + format.mantissaBits)) - 1);
  return magnitude > infinity;
}

/// Equality of contract results: all NaNs are one value, -0 and +0 are two.
ORDO_HD bool sameValue(Format format, U64 a, U64 b) {
  return a == b || (isNan(format, a) && isNan(format, b));
}

/// One element's share of a tensor's hash, which is the sum of all shares modulo 2^64: no order of
/// summation matters, and swapping two different elements changes it.
ORDO_HD U64 hashShare(U64 index, U64 bits) {
  U64 z = index * 0x9e3779b97f4a7c15u ^ (bits + 0x632be59bd9b4e019u) * 0xd6e8feb86659fd93u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

/// A launch: how many rows, and how the patterns lie on them.
struct Trial {
  U64 rows;
  Arrangement arrangement;
};

/// What a comparison found. `first` is the smallest linear index, ~0 when there is none.
struct Mismatch {
  U64 count;
  U64 first;
};

} // namespace ordo::gpu
