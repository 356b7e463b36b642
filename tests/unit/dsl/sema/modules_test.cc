// Files, roots and imports.
#include "tests/unit/dsl/sema/contracts.h"
#include "tests/unit/dsl/sema/harness.h"

namespace ordo::dsl::testing {
namespace {

const std::string kCopy = "op copy<N>(x: f32[N]) -> (y: f32[N]) {\n  y[n] = x[n]\n}\n";

TEST(Modules, MissingFile) {
  SourceManager sources;
  Diagnostics diagnostics(sources);
  EXPECT_FALSE(Package::load("/nowhere/m.ordo", {}, sources, diagnostics));
  ASSERT_EQ(diagnostics.all().size(), 1u);
  EXPECT_EQ(diagnostics.all()[0].kind, "missing-file");
}

TEST(Modules, AFolderIsNoFile) {
  SourceManager sources;
  Diagnostics diagnostics(sources);
  EXPECT_FALSE(Package::load(::testing::TempDir(), {}, sources, diagnostics));
  EXPECT_EQ(diagnostics.all().at(0).kind, "missing-file");
}

TEST(Modules, NoModuleLine) {
  Loaded loaded({{"a.ordo", kCopy}}, "a.ordo");
  ASSERT_EQ(loaded.errors().size(), 1u);
  EXPECT_EQ(loaded.errors()[0].kind, "missing-module-line");
  EXPECT_EQ(loaded.errors()[0].help, "write `module a`");
}

TEST(Modules, ModuleLineDisagreesWithThePath) {
  Loaded loaded({{"nn/a.ordo", "module «nn.b»\n" + kCopy}}, "nn/a.ordo");
  loaded.expectError("module-path");
}

TEST(Modules, UsedModuleDisagreesWithItsPath) {
  Loaded loaded({{"a.ordo", "module a\nuse b\n"}, {"b.ordo", "module «c»\n"}}, "a.ordo");
  loaded.expectError("module-path");
  EXPECT_EQ(loaded.errors()[0].labels.at(0).text, "used here");
}

TEST(Modules, MissingModuleWithItsNeighbour) {
  Loaded loaded({{"a.ordo", "module a\nuse «nn.nor»\n"}, {"nn/norm.ordo", "module nn.norm\n"}},
                "a.ordo");
  loaded.expectError("missing-module");
  EXPECT_EQ(loaded.errors()[0].help, "did you mean `nn.norm`?");
}

TEST(Modules, MissingModuleNamesTheRoots) {
  Loaded loaded({{"a.ordo", "module a\nuse «zzz»\n"}}, "a.ordo");
  loaded.expectError("missing-module");
  EXPECT_NE(loaded.errors()[0].help.find("zzz.ordo"), std::string::npos);
}

TEST(Modules, FurtherRoots) {
  Loaded library({{"lib/math.ordo", kMath}}, "lib/math.ordo");
  const auto folder = library.folder;
  std::filesystem::create_directories(folder / "own");
  std::ofstream(folder / "own" / "m.ordo")
      << "module m\nuse math (exp)\nfn f(x: f32) -> f32 = exp(x)\n";
  SourceManager sources;
  Diagnostics diagnostics(sources);
  EXPECT_TRUE(Package::load((folder / "own/m.ordo").string(), {(folder / "lib").string()}, sources,
                            diagnostics))
      << diagnostics.renderAll();
}

TEST(Modules, Cycle) {
  Loaded loaded({{"a.ordo", "module a\nuse b\n"},
                 {"b.ordo", "module b\nuse c\n"},
                 {"c.ordo", "module c\nuse «b»\n"}},
                "a.ordo");
  loaded.expectError("module-cycle");
  EXPECT_NE(loaded.errors()[0].message.find("b → c → b"), std::string::npos);
}

TEST(Modules, SelfUse) {
  Loaded loaded({{"a.ordo", "module a\nuse «a»\n"}}, "a.ordo");
  loaded.expectError("module-cycle");
}

TEST(Modules, UnknownImport) {
  Loaded loaded({{"a.ordo", "module a\nuse math («epx», log)\n"}, {"math.ordo", kMath}}, "a.ordo");
  loaded.expectError("unknown-name");
}

TEST(Modules, ImportMeetsDeclaration) {
  Loaded loaded(
      {{"a.ordo", "module a\nuse math («exp»)\nfn exp(x: f32) -> f32 = x\n"}, {"math.ordo", kMath}},
      "a.ordo");
  loaded.expectError("duplicate-name");
}

TEST(Modules, ImportedTwice) {
  Loaded loaded({{"a.ordo", "module a\nuse math (exp, «exp»)\n"}, {"math.ordo", kMath}}, "a.ordo");
  loaded.expectError("duplicate-name");
}

TEST(Modules, ErrorInAUsedModule) {
  Loaded loaded(
      {{"a.ordo", "module a\nuse b\n"}, {"b.ordo", "module b\nfn f(x: f32) -> f32 = x * «2»\n"}},
      "a.ordo");
  loaded.expectError("literal-type");
}

TEST(Modules, SyntaxErrorInAUsedModule) {
  Loaded loaded({{"a.ordo", "module a\nuse b\n"}, {"b.ordo", "module b\nfn f(\n"}}, "a.ordo");
  EXPECT_FALSE(loaded.package);
  EXPECT_EQ(loaded.errors().size(), 1u) << loaded.diagnostics.renderAll();
}

TEST(Modules, ThreeWaysToNameADeclaration) {
  for (const char *name : {"copy", "norm.copy", "nn.norm.copy"}) {
    Loaded loaded(
        {{"a.ordo", "module a\nuse nn.norm\nkernel k = " + std::string(name) + "<N = 4>\n"},
         {"nn/norm.ordo", "module nn.norm\n" + kCopy}},
        "a.ordo");
    const auto program = loaded.kernel("k");
    ASSERT_TRUE(program) << name;
    EXPECT_EQ(program->module, "nn.norm");
    EXPECT_EQ(program->op, "copy");
    EXPECT_EQ(program->kernel, "k");
  }
}

TEST(Modules, AmbiguousName) {
  Loaded loaded({{"a.ordo", "module a\nuse b\nuse c\nkernel k = «copy»<N = 4>\n"},
                 {"b.ordo", "module b\n" + kCopy},
                 {"c.ordo", "module c\n" + kCopy}},
                "a.ordo");
  EXPECT_FALSE(loaded.kernel("k", false));
  loaded.expectError("ambiguous-name");
}

TEST(Modules, FunctionsSeeTheirOwnModule) {
  // `scale` of b is meant within b, whatever a calls so.
  Loaded loaded(
      {{"a.ordo",
        "module a\nuse b (twice)\nlet scale = 7\n"
        "op f<N>(x: f32[N]) -> (y: f32[N]) {\n  y[n] = twice(x[n])\n}\nkernel k = f<N = 4>\n"},
       {"b.ordo", "module b\nlet scale = 2\nfn twice(x: f32) -> f32 = x * f32(scale)\n"}},
      "a.ordo");
  const auto program = loaded.kernel("k");
  ASSERT_TRUE(program);
  const auto args = program->args(program->definitions.at(0).value);
  EXPECT_EQ(program->expr(args[1]).payload, 0x40000000u); // 2.0
}

} // namespace
} // namespace ordo::dsl::testing
