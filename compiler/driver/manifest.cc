#include "compiler/driver/manifest.h"

#include "compiler/driver/json.h"
#include "compiler/driver/options.h"

namespace ordo::compiler::driver {

namespace {

/// Grid x: ceil(product of the row extents / rows of a block).
Json gridX(const dsl::Program &program, const LaunchRecipe &launch) {
  Json product = 1;
  for (const dsl::ExprId extent : launch.rowExtents) {
    Json factor = formula(program, extent);
    product = product == 1 ? std::move(factor) : Json{{"mul", Json::array({product, factor})}};
  }
  if (launch.rows == 1)
    return product;
  return Json{{"ceildiv", Json::array({product, launch.rows})}};
}

Json fileJson(const OutputFile &file) {
  return {{"path", file.path}, {"sha256", sha256(file.bytes)}, {"bytes", file.bytes.size()}};
}

Json countOrNull(int value) { return value < 0 ? Json(nullptr) : Json(value); }

Json targetJson(const dsl::Program &program, const BuiltTarget &built) {
  Json files = Json::object();
  for (const Artifact &artifact : built.artifacts)
    files[artifact.role] = fileJson(artifact.file);
  Json target = {{"files", std::move(files)}};
  if (built.target->isGpu()) {
    target["launch"] = launchJson(program, built.kernel.launch);
    target["registers"] = countOrNull(built.kernel.registers);
    target["spill_bytes"] = countOrNull(built.kernel.spillBytes);
  }
  if (built.certificate)
    target["certificate"] = fileJson(*built.certificate);
  return target;
}

Json kernelJson(const BuiltKernel &built) {
  const dsl::Program &program = built.program;
  Json targets = Json::object();
  for (const BuiltTarget &target : built.targets)
    targets[std::string(target.target->name)] = targetJson(program, target);
  return {{"name", program.kernel},
          {"symbol", program.kernel},
          {"operator", operatorName(program)},
          {"contract_digest", built.digest},
          {"arguments", argumentsJson(program)},
          {"requires", requiresJson(program)},
          {"targets", std::move(targets)}};
}

} // namespace

Json launchJson(const dsl::Program &program, const LaunchRecipe &launch) {
  return {{"grid", Json::array({gridX(program, launch), 1, 1})},
          {"block", launch.block},
          {"shared_bytes", launch.sharedBytes}};
}

std::string recipeText(const Json &symbol, const Json &arguments, const Json &conditions,
                       const Json &launch) {
  return Json{
      {"symbol", symbol}, {"arguments", arguments}, {"requires", conditions}, {"launch", launch}}
      .dump();
}

std::string manifestText(const std::vector<ContractSource> &sources, const Generator &generator,
                         const std::vector<BuiltKernel> &kernels) {
  Json list = Json::array();
  for (const BuiltKernel &kernel : kernels)
    list.push_back(kernelJson(kernel));
  Json modules = Json::array();
  for (const ContractSource &source : sources) {
    modules.push_back({{"module", source.module}});
    modules.back().update(fileJson(source.file));
  }
  const Json manifest = {
      {"ordo_manifest", 1},
      {"module", sources.front().module},
      {"contract", std::move(modules)},
      {"generator",
       {{"ordo", kVersion},
        {"llvm", generator.llvm},
        {"ptxas", generator.ptxas.empty() ? Json(nullptr) : Json(generator.ptxas)}}},
      {"kernels", std::move(list)}};
  return pretty(manifest);
}

} // namespace ordo::compiler::driver
