#include "tests/gpu/bundle.h"

#include "tests/gpu/files.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace ordo::gpu {

namespace {

using Json = nlohmann::json;

std::int64_t floorDiv(std::int64_t a, std::int64_t b) {
  const std::int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

std::optional<std::int64_t> apply(const std::string &word, std::int64_t a, std::int64_t b) {
  if (word == "add")
    return a + b;
  if (word == "sub")
    return a - b;
  if (word == "mul")
    return a * b;
  if (word == "min")
    return std::min(a, b);
  if (word == "max")
    return std::max(a, b);
  if (b == 0)
    return std::nullopt;
  if (word == "div")
    return floorDiv(a, b);
  if (word == "ceildiv")
    return -floorDiv(-a, b);
  return std::nullopt;
}

Formula formulaOf(const Json &json) {
  if (json.is_number_integer())
    return {"", json.get<std::int64_t>(), {}};
  if (json.is_string())
    return {json.get<std::string>(), 0, {}};
  if (!json.is_object() || json.size() != 1)
    throw std::runtime_error("'" + json.dump() + "' is no formula");
  Formula formula{json.begin().key(), 0, {}};
  for (const Json &operand : json.begin().value())
    formula.operands.push_back(formulaOf(operand));
  return formula;
}

BundleArgument argumentOf(const Json &json) {
  using Kind = BundleArgument::Kind;
  static const std::map<std::string, Kind> kKinds = {{"input", Kind::Input},
                                                     {"output", Kind::Output},
                                                     {"dimension", Kind::Dimension},
                                                     {"scalar", Kind::Scalar}};
  BundleArgument argument{json.at("name"), kKinds.at(json.at("kind")), json.at("dtype"), {}};
  if (json.contains("shape"))
    for (const Json &extent : json.at("shape"))
      argument.shape.push_back(formulaOf(extent));
  return argument;
}

BundleKernel kernelOf(const Json &json, const std::string &directory, const std::string &target) {
  BundleKernel kernel;
  kernel.name = json.at("name");
  kernel.symbol = json.at("symbol");
  kernel.digest = json.at("contract_digest");
  for (const Json &argument : json.at("arguments"))
    kernel.arguments.push_back(argumentOf(argument));
  if (!json.at("targets").contains(target))
    throw std::runtime_error(kernel.name + " was not built for " + target);
  const Json &built = json.at("targets").at(target);
  if (!built.at("files").contains("cubin"))
    throw std::runtime_error(kernel.name + " has no cubin");
  const Json &launch = built.at("launch");
  for (int axis = 0; axis < 3; ++axis) {
    kernel.grid[axis] = formulaOf(launch.at("grid").at(axis));
    kernel.block[axis] = launch.at("block").at(axis);
  }
  kernel.sharedBytes = launch.at("shared_bytes");
  if (built.contains("registers") && built.at("registers").is_number_integer())
    kernel.registers = built.at("registers");
  const std::string path =
      directory + "/" + built.at("files").at("cubin").at("path").get<std::string>();
  std::string error;
  std::optional<std::vector<char>> code = readFile(path, error);
  if (!code)
    throw std::runtime_error(error);
  if (code->size() != built.at("files").at("cubin").at("bytes"))
    throw std::runtime_error(path + " is not of the length that the manifest says");
  kernel.code = std::move(*code);
  return kernel;
}

} // namespace

std::optional<std::int64_t> evaluate(const Formula &formula,
                                     const std::map<std::string, std::int64_t> &dims) {
  if (formula.word.empty())
    return formula.number;
  if (formula.operands.empty()) {
    const auto found = dims.find(formula.word);
    return found == dims.end() ? std::nullopt : std::optional(found->second);
  }
  if (formula.operands.size() != 2)
    return std::nullopt;
  const auto a = evaluate(formula.operands[0], dims);
  const auto b = evaluate(formula.operands[1], dims);
  return a && b ? apply(formula.word, *a, *b) : std::nullopt;
}

std::optional<std::vector<BundleKernel>> readBundle(const std::string &directory,
                                                    const std::string &target, std::string &error) {
  const std::string path = directory + "/manifest.json";
  const std::optional<std::vector<char>> text = readFile(path, error);
  if (!text)
    return std::nullopt;
  try {
    const Json manifest = Json::parse(text->begin(), text->end());
    if (manifest.at("ordo_manifest") != 1)
      throw std::runtime_error("schema " + manifest.at("ordo_manifest").dump() + " is not known");
    std::vector<BundleKernel> kernels;
    for (const Json &kernel : manifest.at("kernels"))
      kernels.push_back(kernelOf(kernel, directory, target));
    return kernels;
  } catch (const std::exception &problem) {
    error = path + ": " + problem.what();
    return std::nullopt;
  }
}

} // namespace ordo::gpu
