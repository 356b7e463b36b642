// The checker itself, on a driver that runs on the host: it must pass what is right and catch each
// way of being wrong.
#include "tests/gpu/check.h"
#include "tests/gpu/files.h"

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>

namespace ordo::gpu {
namespace {

using runtime::cuda::Context;
using runtime::cuda::Driver;
using runtime::cuda::Status;

constexpr U64 kColumns = 40;
constexpr U32 kEps = 0x358637bd; // 1e-6

std::string fakeLibrary() {
  return std::string(std::getenv("TEST_SRCDIR")) + "/ordo/tests/gpu/libfake_cuda.so";
}
std::string image(const std::string &text) {
  return "\x7f"
         "ELF" +
         text + "\n";
}

/// The case of fake_norm, whose expected bits are written down here a second time.
Case fakeCase(U32 weights) {
  Case work{"fake", "plain", "T", 7, {}, {{"eps", "f32", kEps}}, {}};
  work.tensors = {{"x", "bf16", true, true, kColumns, 0, 0, {}},
                  {"w", "bf16", true, false, kColumns, weights, 0, {}},
                  {"y", "bf16", false, true, kColumns, 0, 0, {}}};
  const std::vector<char> x = generateRows(work, 0, 0, kPatterns);
  const std::vector<char> w = generateRows(work, 1, 0, kPatterns);
  work.tensors[0].hash = hashOf(x.data(), 2, kPatterns * kColumns);
  work.tensors[1].hash = hashOf(w.data(), 2, kColumns);
  work.tensors[2].expected = x;
  for (U64 i = 0; i < kPatterns * kColumns; ++i)
    work.tensors[2].expected[2 * i] =
        static_cast<char>(work.tensors[2].expected[2 * i] ^ (w[i % kColumns * 2] & 1));
  return work;
}

/// The case of fake_fold, likewise.
Case foldCase() {
  Case work{"fake", "plain", "T", 7, {}, {}, {{0, {1, 0}}, {3, {32, 5}}, {256, {1, 0}}}};
  work.tensors = {{"x", "i32", true, true, kColumns, 0, 0, {}},
                  {"y", "u32", false, false, kColumns, 0, 0, {}}};
  work.tensors[0].hash =
      hashOf(generateRows(work, 0, 0, kPatterns).data(), 4, kPatterns * kColumns);
  for (const Trial &trial : work.trials) {
    const std::vector<char> x = generateRows(work, 0, 0, trial.rows, trial.arrangement);
    std::vector<char> all(kColumns * 4);
    for (std::size_t i = 0; i < x.size(); ++i)
      all[i % all.size()] = static_cast<char>(all[i % all.size()] ^ x[i]);
    work.tensors[1].expected.insert(work.tensors[1].expected.end(), all.begin(), all.end());
  }
  return work;
}

const char *const kFoldManifest = R"({"ordo_manifest": 1, "kernels": [{"name": "fake",
    "symbol": "fake_fold", "contract_digest": "00", "arguments": [
      {"name": "x", "kind": "input", "dtype": "i32", "shape": ["T", 40]},
      {"name": "y", "kind": "output", "dtype": "u32", "shape": [40]},
      {"name": "T", "kind": "dimension", "dtype": "i64"}],
    "targets": {"cuda.sm_90a": {"files": {"cubin": {"path": "fake.cubin", "bytes": CODE}},
      "launch": {"grid": [1, 1, 1], "block": [64, 1, 1], "shared_bytes": 0}, "registers": 32}}}]})";

std::string manifest(std::size_t codeBytes, const std::string &order = "") {
  const std::string x = R"({"name": "x", "kind": "input", "dtype": "bf16", "shape": ["T", 40]},)";
  const std::string w = R"({"name": "w", "kind": "input", "dtype": "bf16", "shape": [40]},)";
  return R"({"ordo_manifest": 1, "kernels": [{"name": "fake", "symbol": "fake_norm",
    "contract_digest": "00", "arguments": [)" +
         (order == "swapped" ? w + x : x + w) +
         R"({"name": "y", "kind": "output", "dtype": "bf16", "shape": ["T", 40]},
      {"name": "T", "kind": "dimension", "dtype": "i64"},
      {"name": "eps", "kind": "scalar", "dtype": "f32"}],
    "targets": {"cuda.sm_90a": {"files": {"cubin": {"path": "fake.cubin", "bytes": )" +
         std::to_string(codeBytes) + R"(}},
      "launch": {"grid": [{"ceildiv": [{"mul": ["T", 1]}, 2]}, 1, 1], "block": [64, 1, 1],
      "shared_bytes": 0}, "registers": 32}}}]})";
}

class CheckerTest : public ::testing::Test {
protected:
  void SetUp() override {
    directory_ = std::string(std::getenv("TEST_TMPDIR")) + "/" +
                 ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(directory_);
    Status status;
    driver_ = Driver::open(status, fakeLibrary());
    ASSERT_TRUE(driver_) << status.message;
    context_ = std::make_unique<Context>(*Context::open(*driver_, 0, status));
    helpers_ = Helpers::load(*context_, image("helpers"), status);
    ASSERT_TRUE(helpers_) << status.message;
  }

  void write(const std::string &behaviour, const std::string &order = "") {
    const std::string code = image(behaviour);
    ASSERT_TRUE(writeFile(directory_ + "/fake.cubin", code));
    ASSERT_TRUE(writeFile(directory_ + "/manifest.json", manifest(code.size(), order)));
  }

  void writeFold(const std::string &behaviour) {
    const std::string code = image(behaviour);
    std::string text = kFoldManifest;
    text.replace(text.find("CODE"), 4, std::to_string(code.size()));
    ASSERT_TRUE(writeFile(directory_ + "/fake.cubin", code));
    ASSERT_TRUE(writeFile(directory_ + "/manifest.json", text));
  }

  CheckReport check(const std::string &behaviour, const Case &work = fakeCase(kPlainWeights)) {
    work.trials.empty() ? write(behaviour) : writeFold(behaviour);
    std::string error;
    const auto kernels = readBundle(directory_, "cuda.sm_90a", error);
    CheckReport report;
    EXPECT_TRUE(kernels) << error;
    if (kernels) {
      CheckOptions options;
      options.tensorLimit = 3000 * kColumns * 2; // the host is slow
      last_ = checkCase(*helpers_, kernels->front(), work, options, report);
    }
    return report;
  }

  std::string directory_;
  std::optional<Driver> driver_;
  std::unique_ptr<Context> context_;
  std::optional<Helpers> helpers_;
  Status last_;
};

TEST_F(CheckerTest, PassesTheRightBits) {
  for (const U32 weights : {kPlainWeights, kSpecialWeights}) {
    const CheckReport report = check("right", fakeCase(weights));
    EXPECT_EQ(report.failed, 0u) << (report.failures.empty() ? "" : report.failures[0]);
    EXPECT_GT(report.launches, 500u);
    EXPECT_EQ(report.largestRows, 3000u);
    EXPECT_EQ(report.elements, report.rows * kColumns);
    EXPECT_EQ(report.registers, 32);
  }
}

TEST_F(CheckerTest, TakesAllNansAsOneValue) { EXPECT_EQ(check("other NaNs").failed, 0u); }

TEST_F(CheckerTest, SeesTheSignOfZero) {
  const CheckReport report = check("loses the sign of zero");
  ASSERT_GT(report.failed, 0u);
  EXPECT_NE(report.failures[0].find("got 0x0000, want 0x8000"), std::string::npos)
      << report.failures[0];
}

TEST_F(CheckerTest, SeesARowThatDependsOnTheBatch) {
  const CheckReport report = check("depends on the batch");
  ASSERT_GT(report.failed, 0u);
  EXPECT_NE(report.failures[0].find("T = 256"), std::string::npos) << report.failures[0];
  EXPECT_NE(report.failures[0].find("row 200 (pattern 200, one inf), column 7"), std::string::npos)
      << report.failures[0];
  EXPECT_NE(report.failures[0].find("differs in 1 elements"), std::string::npos);
}

TEST_F(CheckerTest, SeesWhatWasNotWritten) { EXPECT_GT(check("misses an element").failed, 500u); }

TEST_F(CheckerTest, SeesAWriteBehindTheOutput) {
  const CheckReport report = check("writes past the end");
  ASSERT_GT(report.failed, 0u);
  EXPECT_NE(report.failures[0].find("2 bytes around the outputs"), std::string::npos)
      << report.failures[0];
}

TEST_F(CheckerTest, SeesAChangedInput) {
  const CheckReport report = check("changes its input");
  ASSERT_GT(report.failed, 0u);
  EXPECT_NE(report.failures[0].find("changed its input x"), std::string::npos);
}

TEST_F(CheckerTest, SeesSpills) {
  const CheckReport report = check("spills");
  EXPECT_EQ(report.failed, 1u);
  EXPECT_NE(report.failures[0].find("8 bytes of local memory"), std::string::npos);
}

TEST_F(CheckerTest, SeesAnotherGeneratorOnTheDevice) {
  Case work = fakeCase(kPlainWeights);
  work.tensors[0].hash ^= 1;
  const CheckReport report = check("right", work);
  EXPECT_EQ(report.failed,
            1u); // only the launch with the evaluator's rows in the evaluator's order
  EXPECT_NE(report.failures[0].find("another input x"), std::string::npos);
}

TEST_F(CheckerTest, SeesTheScalar) {
  Case work = fakeCase(kPlainWeights);
  work.scalars[0].bits = 0;
  EXPECT_GT(check("right", work).failed, 500u);
}

TEST_F(CheckerTest, PassesOutputsThatFoldAllRows) {
  const CheckReport report = check("right", foldCase());
  EXPECT_EQ(report.failed, 0u) << (report.failures.empty() ? "" : report.failures[0]);
  EXPECT_EQ(report.launches, 3u);
  EXPECT_EQ(report.largestRows, 256u);
  EXPECT_EQ(report.elements, 3 * kColumns);
}

TEST_F(CheckerTest, SeesARowThatIsNotFolded) {
  const CheckReport report = check("misses the 65th row", foldCase());
  ASSERT_EQ(report.failed, 1u);
  EXPECT_NE(report.failures[0].find("T = 256, row t of pattern 1 t + 0: y differs in"),
            std::string::npos)
      << report.failures[0];
  EXPECT_NE(report.failures[0].find("first at column 0: got 0x"), std::string::npos);
}

TEST_F(CheckerTest, ReportsAFault) {
  const CheckReport report = check("faults");
  EXPECT_GT(report.failed, 0u);
  EXPECT_EQ(last_.code, 700);
}

TEST_F(CheckerTest, RefusesArgumentsInAnotherOrder) {
  write("right", "swapped");
  std::string error;
  const auto kernels = readBundle(directory_, "cuda.sm_90a", error);
  ASSERT_TRUE(kernels) << error;
  EXPECT_EQ(argumentsDiffer(kernels->front(), fakeCase(kPlainWeights)),
            "argument 0 of the manifest is bf16 w, not bf16 x");
}

TEST_F(CheckerTest, ReadsWhatABundleSays) {
  write("right");
  std::string error;
  const auto kernels = readBundle(directory_, "cuda.sm_90a", error);
  ASSERT_TRUE(kernels) << error;
  EXPECT_EQ(evaluate(kernels->front().grid[0], {{"T", 7}}), 4);
  EXPECT_EQ(evaluate(kernels->front().grid[0], {{"T", 0}}), 0);
  EXPECT_EQ(evaluate(kernels->front().grid[0], {}), std::nullopt);
  EXPECT_FALSE(readBundle(directory_, "rocm.gfx942", error));
  EXPECT_NE(error.find("was not built for rocm.gfx942"), std::string::npos) << error;
  ASSERT_TRUE(writeFile(directory_ + "/fake.cubin", "short"));
  EXPECT_FALSE(readBundle(directory_, "cuda.sm_90a", error));
  EXPECT_NE(error.find("length"), std::string::npos) << error;
  EXPECT_FALSE(readBundle(directory_ + "/absent", "cuda.sm_90a", error));
}

TEST_F(CheckerTest, TheProgramSaysHowItWent) {
  const std::string program = std::string(std::getenv("TEST_SRCDIR")) + "/ordo/tests/gpu/gpu_check";
  const auto exitCode = [&](const std::string &rest) {
    return WEXITSTATUS(std::system((program + " --cases " + directory_ + " --helpers " +
                                    directory_ + "/fake.cubin --limit-mib 1 --out " + directory_ +
                                    "/out.json " + rest + " > " + directory_ + "/log 2>&1")
                                       .c_str()));
  };
  const std::string real = "--libcuda " + fakeLibrary() + " " + directory_;
  write("right");
  EXPECT_EQ(exitCode(real), 1) << "a kernel without a case is a failure";
  ASSERT_TRUE(writeCase(directory_ + "/fake.plain.case", fakeCase(kPlainWeights)));
  EXPECT_EQ(exitCode(real), 0);
  std::string error;
  const auto log = readFile(directory_ + "/log", error);
  EXPECT_NE(std::string(log->begin(), log->end()).find("1 passed, 0 failed"), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(directory_ + "/out.json"));
  write("misses an element");
  EXPECT_EQ(exitCode(real), 1);
  EXPECT_EQ(exitCode("--libcuda /absent/libcuda.so.1 " + directory_), 2);
  EXPECT_EQ(exitCode("--unknown"), 2);
}

} // namespace
} // namespace ordo::gpu
