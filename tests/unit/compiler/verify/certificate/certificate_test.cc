// A certificate speaks of certain bytes and of no others.
#include "compiler/verify/certificate/certificate.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace ordo::verify::certificate {
namespace {

Certificate example() {
  return {{"norm",
           "cuda.sm_90a",
           std::string(64, 'a'),
           R"({"grid": ["T", 1, 1]})",
           {{"ptx", ".version 8.5"},
            {"cubin", std::string("\x7f"
                                  "ELF\0\0",
                                  6)}}},
          "ptx",
          claims(),
          {"0 <= T <= 7"},
          {},
          laws(),
          {"ptxas 13.0.88"},
          "0.1.0"};
}

TEST(Certificate, MatchesItsSubject) {
  EXPECT_EQ(mismatch(toText(example()), example().subject), "");
}

TEST(Certificate, IsTheSameBytesEachTime) {
  EXPECT_EQ(toText(example()), toText(example()));
  EXPECT_EQ(toText(example()).back(), '\n');
}

TEST(Certificate, SaysWhatTheDesignAsksFor) {
  const auto json = nlohmann::json::parse(toText(example()));
  EXPECT_EQ(json["ordo_certificate"], 1);
  EXPECT_EQ(json["level"], "ptx");
  EXPECT_EQ(json["contract_digest"], std::string(64, 'a'));
  // printf '.version 8.5' | sha256sum
  EXPECT_EQ(json["code_sha256"]["ptx"],
            "577b846ae933d777b4496b1958383d7fd4b3e57cce49569cf8926bd71febeab4");
  EXPECT_EQ(json["assumptions"], nlohmann::json({"0 <= T <= 7"}));
  EXPECT_EQ(json["trusted"], nlohmann::json({"ptxas 13.0.88"}));
  EXPECT_FALSE(json["claims"].empty());
  EXPECT_FALSE(json["laws"].empty());
}

TEST(Certificate, EveryByteOfTheCodeCounts) {
  const std::string text = toText(example());
  for (const std::string role : {"ptx", "cubin"})
    for (std::size_t at = 0; at < example().subject.code.at(role).size(); ++at) {
      Subject altered = example().subject;
      altered.code[role][at] ^= 1;
      EXPECT_EQ(mismatch(text, altered), "the certificate is of other code") << role << " " << at;
    }
}

TEST(Certificate, CodeAddedOrTakenAwayCounts) {
  Subject more = example().subject;
  more.code["hsaco"] = "";
  EXPECT_FALSE(matches(toText(example()), more));
  Subject fewer = example().subject;
  fewer.code.erase("cubin");
  EXPECT_FALSE(matches(toText(example()), fewer));
}

TEST(Certificate, EveryByteOfTheLaunchRecipeCounts) {
  for (std::size_t at = 0; at < example().subject.launch.size(); ++at) {
    Subject altered = example().subject;
    altered.launch[at] ^= 1;
    EXPECT_EQ(mismatch(toText(example()), altered), "the certificate is of another launch recipe");
  }
}

TEST(Certificate, AnotherContractKernelOrTargetIsForeign) {
  Subject contract = example().subject;
  contract.contractDigest[63] = 'b';
  EXPECT_EQ(mismatch(toText(example()), contract), "the certificate is of another contract");
  Subject kernel = example().subject;
  kernel.kernel = "norm_2";
  EXPECT_EQ(mismatch(toText(example()), kernel), "the certificate is of another kernel");
  Subject target = example().subject;
  target.target = "cuda.sm_80";
  EXPECT_EQ(mismatch(toText(example()), target), "the certificate is of another target");
}

TEST(Certificate, MissingOrMangledIsRefused) {
  const Subject subject = example().subject;
  EXPECT_EQ(mismatch("", subject), "there is no certificate");
  for (const char *text : {"no JSON", "[]", "null", "{}", R"({"kernel": "norm"})"})
    EXPECT_EQ(mismatch(text, subject), "the certificate does not read") << text;
  auto json = nlohmann::json::parse(toText(example()));
  json["ordo_certificate"] = 2;
  EXPECT_EQ(mismatch(json.dump(), subject),
            "the certificate is of a format that is not known here");
  for (const char *key : {"kernel", "target", "contract_digest", "launch_sha256", "code_sha256"}) {
    auto without = nlohmann::json::parse(toText(example()));
    without.erase(key);
    EXPECT_FALSE(matches(without.dump(), subject)) << key;
  }
  EXPECT_FALSE(matches(toText(example()).substr(0, 200), subject));
}

} // namespace
} // namespace ordo::verify::certificate
