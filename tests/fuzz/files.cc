// Readers of what is no contract: arrays, lock files, manifests, values on the command line.
#include "compiler/driver/failure.h"
#include "compiler/driver/lock_file.h"
#include "compiler/driver/manifest_files.h"
#include "compiler/driver/values.h"
#include "dsl/eval/npy.h"
#include "tests/fuzz/fuzz.h"

#include <fstream>
#include <optional>

namespace ordo::fuzz {

using namespace ordo::dsl;
namespace driver = ordo::compiler::driver;

namespace {

constexpr int kTypes = static_cast<int>(DType::Index) + 1;

/// The first byte chooses a type.
DType takeType(std::string_view &input) {
  if (input.empty())
    return DType::F32;
  const DType type = static_cast<DType>(static_cast<unsigned char>(input.front()) % kTypes);
  input.remove_prefix(1);
  return type;
}

std::optional<TensorValue> readBytes(std::string_view bytes, DType type) {
  const std::string path = settings().scratch + "/x.npy";
  std::ofstream(path, std::ios::binary) << bytes;
  std::string error;
  auto value = readNpy(path, type, &error);
  require(value.has_value() || !error.empty(), "refused, and nothing says why");
  return value;
}

} // namespace

void runNpy(std::string_view input) {
  const DType type = takeType(input);
  const auto value = readBytes(input, type);
  if (!value)
    return;
  require(value->type == type, "another type");
  const auto again = readBytes(npyBytes(*value), type);
  require(again && again->shape == value->shape && again->data == value->data,
          "what was written reads back as something else");
}

void runLock(std::string_view input) {
  try {
    const driver::Lock lock = driver::parseLock(std::string(input));
    const std::string text = driver::lockText(lock);
    require(driver::lockText(driver::parseLock(text)) == text, "written again it changes\n{}",
            text);
  } catch (const driver::Failure &failure) {
    require(!failure.message.empty(), "refused, and nothing says why");
  }
}

void runManifest(std::string_view input) {
  for (const std::string &name : driver::filesOfManifest(std::string(input)))
    require(!name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos,
            "`{}` lies outside its folder", name);
}

void runValue(std::string_view input) {
  const DType type = takeType(input);
  if (type == DType::Index)
    return; // scalars have none
  try {
    const std::uint64_t bits = driver::parseValue("s", std::string(input), type);
    require(bitWidth(type) == 64 || bits >> bitWidth(type) == 0, "bits beyond the type: {:x}",
            bits);
    const std::string text = driver::valueText(type, bits);
    require(driver::parseValue("s", text, type) == bits, "{} reads back otherwise", text);
    require(!driver::bitsText(type, bits).empty(), "no bits");
  } catch (const driver::Failure &failure) {
    require(!failure.message.empty(), "refused, and nothing says why");
  }
}

} // namespace ordo::fuzz
