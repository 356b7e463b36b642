// Philox4x32-10 against the test vectors that its authors publish (Random123, tests/kat_vectors)
// and against the algorithm in plain C++.
#include "tests/oracle/harness.h"

#include <array>
#include <gtest/gtest.h>
#include <random>

namespace ordo::oracle {
namespace {

using Words = std::array<std::uint32_t, 4>;

struct Draw {
  Words counter;
  std::array<std::uint32_t, 2> key;
};

// The multipliers and Weyl constants of Salmon et al., SC 2011, section 3.3 and table 2.
Words philox(Draw at) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * at.counter[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57} * at.counter[2];
    at.counter = {static_cast<std::uint32_t>(b >> 32) ^ at.counter[1] ^ at.key[0],
                  static_cast<std::uint32_t>(b),
                  static_cast<std::uint32_t>(a >> 32) ^ at.counter[3] ^ at.key[1],
                  static_cast<std::uint32_t>(a)};
    at.key[0] += 0x9E3779B9;
    at.key[1] += 0xBB67AE85;
  }
  return at.counter;
}

std::vector<Words> evaluated(const std::vector<Draw> &draws) {
  const auto count = static_cast<std::int64_t>(draws.size());
  std::map<std::string, Array> inputs;
  for (const char *name : {"k0", "k1", "c0", "c1", "c2", "c3"})
    inputs[name] = {dsl::DType::U32, {count}, {}};
  for (const Draw &draw : draws) {
    for (std::size_t i = 0; i < 2; ++i)
      inputs["k" + std::to_string(i)].bits.push_back(draw.key[i]);
    for (std::size_t i = 0; i < 4; ++i)
      inputs["c" + std::to_string(i)].bits.push_back(draw.counter[i]);
  }
  const auto outputs = run("contracts/random/philox.ordo", "philox4x32_10", inputs);
  std::vector<Words> words(draws.size());
  for (std::size_t i = 0; i < 4; ++i) {
    const auto it = outputs.find("w" + std::to_string(i));
    if (it == outputs.end() || it->second.bits.size() != draws.size()) {
      ADD_FAILURE() << "no w" << i;
      return words;
    }
    for (std::size_t at = 0; at < draws.size(); ++at)
      words[at][i] = it->second.bits[at];
  }
  return words;
}

constexpr std::uint32_t kAll = 0xffffffff;
const std::vector<std::pair<Draw, Words>> kPublished = {
    {{{0, 0, 0, 0}, {0, 0}}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
    {{{kAll, kAll, kAll, kAll}, {kAll, kAll}}, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
    {{{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}},
     {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
};

TEST(Philox, GivesThePublishedVectors) {
  std::vector<Draw> draws;
  for (const auto &[draw, words] : kPublished)
    draws.push_back(draw);
  const std::vector<Words> words = evaluated(draws);
  for (std::size_t i = 0; i < draws.size(); ++i) {
    EXPECT_EQ(words[i], kPublished[i].second);
    EXPECT_EQ(philox(draws[i]), kPublished[i].second); // and so does the reference
  }
}

TEST(Philox, EqualsTheReferenceOnRandomCounters) {
  std::mt19937 random(20111112);
  std::vector<Draw> draws(5000);
  for (Draw &draw : draws) {
    for (std::uint32_t &word : draw.counter)
      word = random();
    for (std::uint32_t &word : draw.key)
      word = random();
  }
  for (std::uint32_t i = 0; i < 5000; i += 2) // and on counters in a row, as a generator takes them
    draws[i].counter = {i, 7, 0, 0};
  const std::vector<Words> words = evaluated(draws);
  for (std::size_t i = 0; i < draws.size(); ++i)
    ASSERT_EQ(words[i], philox(draws[i])) << i;
}

} // namespace
} // namespace ordo::oracle
