#include "dsl/order/digest.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <bit>
#include <iterator>
#include <stdexcept>

namespace ordo::dsl {

namespace {

// Stage kinds by name rather than by number, so that a kind added to the enumeration moves no
// digest.
std::string_view kindName(Stage::Kind kind) {
  switch (kind) {
  case Stage::Kind::Seq:
    return "seq";
  case Stage::Kind::Lanes:
    return "lanes";
  case Stage::Kind::Pairs:
    return "pairs";
  case Stage::Kind::Halves:
    return "halves";
  case Stage::Kind::Mid:
    return "mid";
  case Stage::Kind::Fma:
    return "fma";
  case Stage::Kind::Mma:
    return "mma";
  case Stage::Kind::First:
    return "first";
  }
  return "";
}

std::string bitsOrNone(const std::optional<double> &value) {
  return value ? fmt::format("{:016x}", std::bit_cast<std::uint64_t>(*value)) : "none";
}

} // namespace

std::string canonicalForm(const Order &order) {
  std::string form = "ordo.order 1\n";
  for (const Stage &stage : order.stages)
    fmt::format_to(std::back_inserter(form), "{} n={} w={} leaf={} round={} from={} pad={}\n",
                   kindName(stage.kind), stage.n, stage.w, stage.leaf,
                   stage.round ? name(*stage.round) : "none", bitsOrNone(stage.start),
                   bitsOrNone(stage.pad));
  return form;
}

std::string digest(const Order &order) {
  const std::string form = canonicalForm(order);
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned int size = 0;
  if (EVP_Digest(form.data(), form.size(), bytes.data(), &size, EVP_sha256(), nullptr) != 1)
    throw std::runtime_error("libcrypto offers no SHA-256");
  std::string hex;
  for (unsigned int i = 0; i < size; ++i)
    fmt::format_to(std::back_inserter(hex), "{:02x}", bytes[i]);
  return hex;
}

} // namespace ordo::dsl
