// The sketches check, and so do kernels of every operator in them; no text made of them brings sema
// down.
#include "dsl/sema/digest.h"
#include "dsl/sema/print.h"
#include "tests/unit/dsl/sema/harness.h"

#include <cctype>
#include <random>
#include <set>
#include <vector>

namespace ordo::dsl::testing {
namespace {

// What the sketches use; the values do not matter here.
const std::string kMath = R"(module math.f32

fn exp(x: f32) -> f32 = x
fn exp2(x: f32) -> f32 = x
fn log(x: f32) -> f32 = x
fn log2(x: f32) -> f32 = x
fn rsqrt(x: f32) -> f32 = x
fn sigmoid(x: f32) -> f32 = x
fn silu(x: f32) -> f32 = x
fn softplus(x: f32) -> f32 = x
fn sincos2pi(x: f32) -> (f32, f32) = (x, x)
)";

const char *const kNames[] = {"attention", "delta",      "flow",   "linear", "norm",
                              "philox",    "qwen3_next", "router", "kernels"};

std::string sketch(const std::string &name) {
  std::ifstream in("tests/sketches/" + name + ".ordo", std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

Loaded::Modules modules() {
  Loaded::Modules all = {{"math/f32.ordo", kMath}};
  for (const std::string name : kNames)
    all[name + ".ordo"] = sketch(name);
  return all;
}

class Sketches : public ::testing::TestWithParam<const char *> {};
INSTANTIATE_TEST_SUITE_P(All, Sketches, ::testing::ValuesIn(kNames),
                         [](const auto &info) { return std::string(info.param); });

TEST_P(Sketches, Check) {
  const Loaded loaded(modules(), std::string(GetParam()) + ".ordo");
  EXPECT_TRUE(loaded.package) << loaded.diagnostics.renderAll();
  EXPECT_EQ(loaded.diagnostics.renderAll(), "");
}

TEST(SketchKernels, AreMadeAndDiffer) {
  Loaded loaded(modules(), "kernels.ordo");
  ASSERT_TRUE(loaded.package) << loaded.diagnostics.renderAll();
  const std::vector<std::string> names = loaded.package->kernels();
  std::set<std::string> digests;
  for (const std::string &name : names) {
    const auto program = loaded.kernel(name);
    ASSERT_TRUE(program) << name;
    digests.insert(digest(*program));
    EXPECT_NE(printProgram(*program), "");
  }
  EXPECT_GE(names.size(), 17u); // every operator of the sketches
  EXPECT_EQ(digests.size(), names.size());
}

TEST_P(Sketches, ChangedInAnyWayAreAnswered) {
  const std::string text = sketch(GetParam());
  std::vector<std::string> tokens;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    while (end < text.size() && std::isalnum(static_cast<unsigned char>(text[i])) != 0 &&
           (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_'))
      ++end;
    tokens.push_back(text.substr(i, end - i));
    i = end;
  }
  Loaded::Modules all = modules();
  std::mt19937 random(3);
  int checked = 0;
  for (int i = 0; i < 150; ++i) {
    std::vector<std::string> changed = tokens;
    for (int n = 1 + static_cast<int>(random() % 2); n > 0; --n) {
      const std::size_t at = random() % changed.size(), other = random() % changed.size();
      if (random() % 2 == 0)
        changed[at] = changed[other];
      else
        std::swap(changed[at], changed[other]);
    }
    std::string joined;
    for (const std::string &token : changed)
      joined += token;
    all[std::string(GetParam()) + ".ordo"] = joined;
    const Loaded loaded(all, std::string(GetParam()) + ".ordo");
    EXPECT_EQ(loaded.package == nullptr, !loaded.errors().empty()) << joined;
    checked += loaded.package != nullptr;
    for (const Diagnostic &error : loaded.errors())
      checked += error.kind == "unknown-name" || error.kind == "type-mismatch";
  }
  EXPECT_GT(checked, 0); // some came as far as the checks
}

} // namespace
} // namespace ordo::dsl::testing
