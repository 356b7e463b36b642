#include "compiler/verify/certificate/certificate.h"

#include "dsl/sema/digest.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace ordo::verify::certificate {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchema = 1;

Json hashes(const std::map<std::string, std::string> &code) {
  Json object = Json::object();
  for (const auto &[role, bytes] : code)
    object[role] = dsl::sha256Hex(bytes);
  return object;
}

/// What a text must say of its subject, key by key.
Json bound(const Subject &subject) {
  return {{"kernel", subject.kernel},
          {"target", subject.target},
          {"contract_digest", subject.contractDigest},
          {"launch_sha256", dsl::sha256Hex(subject.launch)},
          {"code_sha256", hashes(subject.code)}};
}

const char *described(const std::string &key) {
  if (key == "kernel")
    return "another kernel";
  if (key == "target")
    return "another target";
  if (key == "contract_digest")
    return "another contract";
  return key == "launch_sha256" ? "another launch recipe" : "other code";
}

} // namespace

std::string toText(const Certificate &certificate) {
  Json json = {{"ordo_certificate", kSchema}};
  json.update(bound(certificate.subject));
  json["level"] = certificate.level;
  json["claims"] = certificate.claims;
  json["assumptions"] = certificate.assumptions;
  json["axioms"] = certificate.axioms;
  json["trusted"] = certificate.trusted;
  json["laws"] = certificate.laws;
  json["verifier"] = certificate.verifier;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string mismatch(const std::string &text, const Subject &subject) {
  if (text.empty())
    return "there is no certificate";
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("ordo_certificate"))
    return "the certificate does not read";
  if (json["ordo_certificate"] != kSchema)
    return "the certificate is of a format that is not known here";
  const Json wanted = bound(subject);
  for (const auto &[key, value] : wanted.items())
    if (!json.contains(key) || json[key] != value)
      return fmt::format("the certificate is of {}", described(key));
  return "";
}

const std::vector<std::string> &claims() {
  static const std::vector<std::string> kClaims = {
      "each element of each output is stored exactly once, by one thread, with the contract's "
      "value",
      "nothing else is stored",
      "no two accesses race, and no thread waits for ever",
      "no atomics, no flushing of subnormals, no contraction",
      "for all inputs, all sizes of the free dimensions and all blocks of the launch",
  };
  return kClaims;
}

const std::vector<std::string> &laws() {
  static const std::vector<std::string> kLaws = {
      "a + b = b + a, a * b = b * a, and operands of max and min in any order",
      "x + -0.0 = x and x * 1 = x",
      "x + x = 2 * x, x / 2^k = x * 2^-k, 1 / x = rcp(x)",
      "signs move through products, quotients and casts",
      "a cast to a wider format and back is the value",
      "+, -, *, / and sqrt of a narrow format may be done in f32 and rounded again",
      "max and min of several are those of the set",
      "an operation on constants is its result",
      "a selection whose condition is known is its arm",
      "integers that do not wrap are exact",
  };
  return kLaws;
}

} // namespace ordo::verify::certificate
