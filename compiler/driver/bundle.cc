#include "compiler/driver/bundle.h"

#include "compiler/driver/failure.h"

#include <algorithm>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <sstream>

namespace ordo::compiler::driver {

namespace fs = std::filesystem;

namespace {

constexpr int kSchema = 1;
constexpr int kDeepest = 64; // of a formula

std::optional<std::string> bytesOf(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream bytes;
  if (!in || fs::is_directory(path) || !(bytes << in.rdbuf()))
    return std::nullopt;
  return bytes.str();
}

Failure malformed(const std::string &what) {
  return refusal(fmt::format("{} is malformed: {}", kManifestName, what));
}

const Json &member(const Json &object, const char *key) {
  if (!object.is_object() || !object.contains(key))
    throw malformed(fmt::format("`{}` is missing", key));
  return object[key];
}

std::string textOf(const Json &object, const char *key) {
  const Json &value = member(object, key);
  if (!value.is_string())
    throw malformed(fmt::format("`{}` is no text", key));
  return value;
}

const Json &listOf(const Json &object, const char *key) {
  const Json &value = member(object, key);
  if (!value.is_array())
    throw malformed(fmt::format("`{}` is no list", key));
  return value;
}

/// "a.b.c" of letters, digits and `_`.
bool isModuleName(const std::string &name) {
  return !name.empty() && name.front() != '.' && name.back() != '.' &&
         name.find("..") == std::string::npos && std::ranges::all_of(name, [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '_' || c == '.';
         });
}

std::optional<dsl::Op> operationNamed(const std::string &name) {
  using dsl::Op;
  static const std::map<std::string, Op> kOperations = {
      {"neg", Op::Neg}, {"add", Op::Add}, {"sub", Op::Sub}, {"mul", Op::Mul},
      {"div", Op::Div}, {"rem", Op::Rem}, {"min", Op::Min}, {"max", Op::Max}};
  const auto it = kOperations.find(name);
  return it == kOperations.end() ? std::nullopt : std::optional(it->second);
}

std::optional<dsl::ExprId> parsed(const Json &formula, dsl::Program &program, int depth) {
  if (depth > kDeepest)
    return std::nullopt;
  if (formula.is_number_integer())
    return program.index(formula.get<std::int64_t>());
  if (formula.is_string()) {
    const auto it = std::ranges::find(program.dims, formula.get<std::string>(), &dsl::Dim::name);
    if (it == program.dims.end())
      return std::nullopt;
    return program.make(dsl::Op::Size, dsl::DType::Index,
                        static_cast<std::uint64_t>(it - program.dims.begin()));
  }
  if (!formula.is_object() || formula.size() != 1 || !formula.begin()->is_array())
    return std::nullopt;
  const auto operation = operationNamed(formula.begin().key());
  const std::size_t wanted = operation == dsl::Op::Neg ? 1 : 2;
  if (!operation || formula.begin()->size() != wanted)
    return std::nullopt;
  std::vector<dsl::ExprId> operands;
  for (const Json &operand : *formula.begin()) {
    const auto id = parsed(operand, program, depth + 1);
    if (!id)
      return std::nullopt;
    operands.push_back(*id);
  }
  return program.make(*operation, dsl::DType::Index, 0, operands);
}

} // namespace

std::optional<dsl::ExprId> parseFormula(const Json &formula, dsl::Program &program) {
  return parsed(formula, program, 0);
}

Bundle::Bundle(const std::string &folder) : folder_(folder) {
  const auto text = bytesOf((fs::path(folder) / kManifestName).string());
  if (!text)
    throw misuse(fmt::format("{} is no bundle: it has no {}", folder, kManifestName),
                 "ordo build FILE --target TARGET,... -o FOLDER makes one");
  const Json manifest = Json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (!manifest.is_object())
    throw malformed("it is no JSON object");
  if (member(manifest, "ordo_manifest") != kSchema)
    throw refusal(fmt::format("{} is of a schema that this version does not know", kManifestName));
  module_ = textOf(manifest, "module");
  if (const Json &ptxas = member(member(manifest, "generator"), "ptxas"); ptxas.is_string())
    ptxas_ = ptxas;
  if (manifest.contains("contract"))
    for (const Json &source : listOf(manifest, "contract")) {
      const std::string module = textOf(source, "module");
      if (!isModuleName(module))
        throw malformed(fmt::format("'{}' is no module's name", module));
      sources_.emplace_back(module, read(source));
    }
  for (const Json &kernel : listOf(manifest, "kernels"))
    readKernel(kernel);
}

/// The bytes of a file that the manifest describes.
std::string Bundle::read(const Json &file) const {
  const std::string name = textOf(file, "path");
  if (name.empty() || name.find('/') != std::string::npos || name == "." || name == "..")
    throw malformed(fmt::format("'{}' is no file of the bundle", name));
  auto bytes = bytesOf((fs::path(folder_) / name).string());
  if (!bytes)
    throw refusal(fmt::format("cannot read {}/{}", folder_, name));
  if (sha256(*bytes) != textOf(file, "sha256"))
    throw refusal(
        fmt::format("{}/{} is not the file that {} describes", folder_, name, kManifestName),
        "its SHA-256 differs: it was altered after the build");
  return std::move(*bytes);
}

void Bundle::readKernel(const Json &json) {
  BundledKernel kernel;
  kernel.name = textOf(json, "name");
  if (textOf(json, "symbol") != kernel.name)
    throw malformed(fmt::format("the symbol of {} is another name", kernel.name));
  kernel.digest = textOf(json, "contract_digest");
  kernel.arguments = listOf(json, "arguments");
  kernel.conditions = listOf(json, "requires");
  const Json &targets = member(json, "targets");
  if (!targets.is_object())
    throw malformed("`targets` is no object");
  for (const auto &[name, of] : targets.items())
    kernel.targets.push_back(target(name, of));
  kernels_.push_back(std::move(kernel));
}

BundledTarget Bundle::target(const std::string &name, const Json &json) const {
  BundledTarget target;
  target.name = name;
  const Json &files = member(json, "files");
  if (!files.is_object())
    throw malformed("`files` is no object");
  for (const auto &[role, file] : files.items())
    target.files[role] = read(file);
  if (json.contains("launch"))
    target.launch = json["launch"];
  if (json.contains("certificate"))
    target.certificate = read(json["certificate"]);
  return target;
}

std::unique_ptr<Contract> Bundle::contract() const {
  if (sources_.empty() || sources_.front().first != module_)
    throw refusal(fmt::format("{} holds no contract to prove its kernels against", folder_),
                  "build it again: since version 0.1.0 a bundle has the contract's text in it");
  const TemporaryFolder unpacked;
  std::vector<OutputFile> files;
  for (const auto &[module, text] : sources_) {
    std::string path = module;
    std::ranges::replace(path, '.', '/');
    path = fmt::format("{}/{}.ordo", unpacked.path(), path);
    fs::create_directories(fs::path(path).parent_path());
    files.push_back({path, text});
  }
  writeFiles(files);
  return std::make_unique<Contract>(SourceOptions{files.front().path, "", {unpacked.path()}});
}

} // namespace ordo::compiler::driver
