// Runs a few AMDGCN instructions on every lane's own words.
#pragma once

#include "compiler/verify/machine/concrete.h"
#include "tests/unit/compiler/verify/gcn/assemble.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ordo::verify::gcn {

using Words = std::array<std::uint32_t, 4>;   // v4 … v7 of a lane, before
using Results = std::array<std::uint32_t, 2>; // v8, v9, after

struct Outcome {
  std::string error; // of the reader or of the machine; empty when it went well
  std::vector<Results> lanes;
};

/// Runs `body` in blocks of 64 lanes, one for each of `lanes` (a multiple of 64). Before it, v0 is
/// the lane's number in its block, v4 … v7 its words, v8 and v9 zero, s[4:5] points to all words;
/// v[20:63], s[16:63], vcc and exec are the body's to use. What is in v8 and v9 after it comes
/// back.
Outcome run(const std::string &chip, const std::string &body, const std::vector<Words> &lanes,
            Approximation within = Approximation::Nearest, std::uint32_t ldsBytes = 0);

/// 64 lanes with the same words.
std::vector<Words> everywhere(Words words);

/// The first lane's v8 for the words in every lane, or fails the test.
std::uint32_t v8(const std::string &chip, const std::string &body, Words words);
/// v8 and v9.
std::uint64_t v8v9(const std::string &chip, const std::string &body, Words words);
/// The error, or "" where it ran.
std::string errorOf(const std::string &chip, const std::string &body, std::uint32_t ldsBytes = 0);

/// The three chips.
inline const std::array kChips = {"gfx90a", "gfx942", "gfx1100"};

} // namespace ordo::verify::gcn
