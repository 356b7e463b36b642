// The bundle's index against docs/bundle.md.

#include "compiler/driver/manifest.h"
#include "compiler/driver/manifest_files.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace ordo::compiler::driver {
namespace {

using Json = nlohmann::json;
using dsl::DType;
using dsl::Op;
using dsl::Tensor;

/// x: bf16[T, S, 8] to y: f32[T, S], with a scalar, for two rows a block.
std::vector<BuiltKernel> oneKernel() {
  std::vector<BuiltKernel> kernels(1);
  dsl::Program &program = kernels[0].program;
  program.module = "m";
  program.op = "o";
  program.kernel = "k";
  program.dims = {{"T"}, {"S"}};
  const dsl::ExprId t = program.make(Op::Size, DType::Index, 0);
  const dsl::ExprId s = program.make(Op::Size, DType::Index, 1);
  program.tensors = {{"x", DType::BF16, {t, s, program.index(8)}, Tensor::Role::Input},
                     {"y", DType::F32, {t, s}, Tensor::Role::Output}};
  program.scalars = {{"eps", DType::F32}};
  program.requires_ = {{program.make(Op::Gt, DType::Bool, 0, {t, program.index(0)}), "T > 0", {}}};
  kernels[0].digest = "abc";

  BuiltTarget cuda;
  cuda.target = findTarget("cuda.sm_90a");
  cuda.kernel.launch.block = {64, 2, 1};
  cuda.kernel.launch.rows = 2;
  cuda.kernel.launch.rowExtents = {t, s};
  cuda.kernel.launch.sharedBytes = 32;
  cuda.kernel.registers = 40;
  cuda.kernel.spillBytes = 0;
  cuda.artifacts = {{"ptx", {"k.cuda.sm_90a.ptx", "abc"}}};
  BuiltTarget cpu;
  cpu.target = findTarget("cpu");
  cpu.artifacts = {{"object", {"k.cpu.o", ""}}};
  kernels[0].targets = {cuda, cpu};
  return kernels;
}

const std::vector<ContractSource> kSources = {{"m", {"m.ordo", "module m"}}};

TEST(Manifest, SaysWhatALoaderNeeds) {
  const Json manifest = Json::parse(manifestText(kSources, {"19.1.7", "13.0"}, oneKernel()));
  EXPECT_EQ(manifest["ordo_manifest"], 1);
  EXPECT_EQ(manifest["generator"]["ptxas"], "13.0");
  EXPECT_EQ(manifest["module"], "m");
  EXPECT_EQ(manifest["contract"][0]["module"], "m");
  EXPECT_EQ(manifest["contract"][0]["path"], "m.ordo");
  const Json &kernel = manifest["kernels"][0];
  EXPECT_EQ(kernel["symbol"], "k");
  EXPECT_EQ(kernel["operator"], "m.o");
  EXPECT_EQ(kernel["contract_digest"], "abc");
  EXPECT_EQ(kernel["requires"],
            Json::parse(R"([{"text": "T > 0", "condition": {"gt": ["T", 0]}}])"));

  const Json &cuda = kernel["targets"]["cuda.sm_90a"];
  EXPECT_EQ(cuda["files"]["ptx"]["path"], "k.cuda.sm_90a.ptx");
  EXPECT_EQ(cuda["files"]["ptx"]["bytes"], 3);
  EXPECT_EQ(cuda["files"]["ptx"]["sha256"],
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(cuda["launch"]["grid"],
            Json::parse(R"([{"ceildiv": [{"mul": ["T", "S"]}, 2]}, 1, 1])"));
  EXPECT_EQ(cuda["launch"]["block"], Json::parse("[64, 2, 1]"));
  EXPECT_EQ(cuda["launch"]["shared_bytes"], 32);
  EXPECT_EQ(cuda["registers"], 40);
  EXPECT_FALSE(kernel["targets"]["cpu"].contains("launch"));
}

TEST(Manifest, ArgumentsStandInLaunchOrder) {
  const Json manifest = Json::parse(manifestText(kSources, {"19.1.7", ""}, oneKernel()));
  EXPECT_TRUE(manifest["generator"]["ptxas"].is_null());
  EXPECT_EQ(manifest["kernels"][0]["arguments"], Json::parse(R"([
    {"name": "x", "kind": "input", "dtype": "bf16", "shape": ["T", "S", 8], "layout": "row-major", "alignment": 16},
    {"name": "y", "kind": "output", "dtype": "f32", "shape": ["T", "S"], "layout": "row-major", "alignment": 16},
    {"name": "T", "kind": "dimension", "dtype": "i64"},
    {"name": "S", "kind": "dimension", "dtype": "i64"},
    {"name": "eps", "kind": "scalar", "dtype": "f32"}])"));
}

TEST(Manifest, AGridOfOneRowABlockAndOneOfNoRows) {
  std::vector<BuiltKernel> kernels = oneKernel();
  LaunchRecipe &launch = kernels[0].targets[0].kernel.launch;
  const auto grid = [&] {
    return Json::parse(
        manifestText(kSources, {"19", ""},
                     kernels))["kernels"][0]["targets"]["cuda.sm_90a"]["launch"]["grid"][0];
  };
  launch.rows = 1;
  EXPECT_EQ(grid(), Json::parse(R"({"mul": ["T", "S"]})"));
  launch.rowExtents.resize(1);
  EXPECT_EQ(grid(), "T");
  launch.rowExtents.clear();
  EXPECT_EQ(grid(), 1);
}

TEST(FilesOfManifest, FindsItsFilesAndTrustsNoPath) {
  const std::string text = manifestText(kSources, {"19", ""}, oneKernel());
  EXPECT_EQ(filesOfManifest(text),
            (std::vector<std::string>{"k.cpu.o", "k.cuda.sm_90a.ptx", "m.ordo"}));
  // A manifest that somebody wrote to have other files removed.
  EXPECT_EQ(filesOfManifest(R"({"ordo_manifest": 1, "a": {"path": "../x"}, "b": {"path": ".."},
                                "c": {"path": "/etc/x"}, "d": {"path": ""}, "e": {"path": 3}})"),
            std::vector<std::string>{});
  EXPECT_EQ(filesOfManifest(R"({"a": {"path": "x"}})"), std::vector<std::string>{});
  EXPECT_EQ(filesOfManifest("{"), std::vector<std::string>{});
  EXPECT_EQ(filesOfManifest(""), std::vector<std::string>{});
}

} // namespace
} // namespace ordo::compiler::driver
