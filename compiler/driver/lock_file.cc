// A lock holds, per profile and resolution, the digest of each kernel, and their fingerprint; and
// per kernel the digests of its parts, which serve only to say what changed.
#include "compiler/driver/lock_file.h"

#include "compiler/driver/failure.h"
#include "compiler/driver/files.h"
#include "compiler/driver/json.h"

#include <fmt/core.h>

namespace ordo::compiler::driver {

namespace {

constexpr int kFormat = 1;

Json jsonOf(const LockEntry &entry) {
  Json resolutions = Json::object(), parts = Json::object();
  for (const auto &[name, kernels] : entry.resolutions)
    resolutions[name] = {{"fingerprint", fingerprint(kernels)}, {"kernels", Json(kernels)}};
  for (const auto &[name, part] : entry.parts)
    parts[name] = {{"arguments", part.arguments},
                   {"requires", part.requires_},
                   {"definitions", part.definitions},
                   {"orders", part.orders}};
  return {{"resolutions", resolutions}, {"parts", parts}};
}

LockEntry entryFrom(const Json &json) {
  LockEntry entry;
  for (const auto &item : json.at("resolutions").items()) {
    auto kernels = item.value().at("kernels").get<std::map<std::string, std::string>>();
    if (item.value().at("fingerprint").get<std::string>() != fingerprint(kernels))
      throw refusal(fmt::format("the fingerprint for {} is not that of its kernels", item.key()));
    entry.resolutions.emplace(item.key(), std::move(kernels));
  }
  for (const auto &item : json.at("parts").items()) {
    dsl::ContractParts &parts = entry.parts[item.key()];
    item.value().at("arguments").get_to(parts.arguments);
    item.value().at("requires").get_to(parts.requires_);
    item.value().at("definitions").get_to(parts.definitions);
    item.value().at("orders").get_to(parts.orders);
  }
  return entry;
}

Lock lockFrom(const std::string &text) {
  const Json json = Json::parse(text);
  const Json &format = json.at("ordo_lock");
  if (!format.is_number_integer())
    throw refusal(fmt::format("its format is no whole number, this ordo reads {}", kFormat));
  if (format != kFormat)
    throw refusal(fmt::format("its format is {}, this ordo reads {}", format.dump(), kFormat));
  Lock lock;
  for (const auto &item : json.at("profiles").items())
    lock.emplace(item.key(), entryFrom(item.value()));
  return lock;
}

} // namespace

std::string fingerprint(const std::map<std::string, std::string> &kernels) {
  std::string text = "ordo profile 1\n";
  for (const auto &[name, digest] : kernels)
    text += fmt::format("{} {}\n", name, digest);
  return sha256(text);
}

std::string lockText(const Lock &lock) {
  Json profiles = Json::object();
  for (const auto &[name, entry] : lock)
    profiles[name] = jsonOf(entry);
  return pretty({{"ordo_lock", kFormat}, {"profiles", profiles}});
}

Lock parseLock(const std::string &text) {
  try {
    return lockFrom(text);
  } catch (const Json::exception &caught) {
    throw refusal(caught.what());
  }
}

} // namespace ordo::compiler::driver
