// Every operation on all 2^32 pairs of f16 and of bf16: the table of results/half_pairs.md, whose
// checksums are of all operands and results.
//   bazel run //tests/unit/dsl/eval:half_pairs_full_test
// writes the table.
#include "tests/unit/dsl/eval/half_pairs.h"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <numeric>
#include <sstream>

namespace ordo::dsl {
namespace {

const std::string kPath = "tests/unit/dsl/eval/results/half_pairs.md";

std::string folder() {
  const char *workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  return workspace ? std::string(workspace) + "/" : "";
}

std::string head() {
  return "# f16 and bf16 on all pairs of operands\n"
         "\n"
         "Each operation of the evaluator on all 2^32 pairs, against exact integer arithmetic "
         "rounded once\n"
         "(`half_oracle.h`). fma takes with every pair one addend, mostly one near the last bits "
         "of the\n"
         "product. The checksum is of all operands and results. Written by\n"
         "`bazel run //tests/unit/dsl/eval:half_pairs_full_test`, compared by `./ordo test "
         "--full`.\n"
         "\n"
         "| type | operation | pairs | different | checksum |\n"
         "|---|---|---:|---:|---|\n";
}

TEST(HalfPairs, AllPairs) {
  std::vector<std::uint16_t> all(0x10000);
  std::iota(all.begin(), all.end(), std::uint16_t{0});
  const unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  std::string table = head();
  for (const DType type : {DType::F16, DType::BF16})
    for (const half_pairs::Subject &subject : half_pairs::subjects()) {
      const half_pairs::Result result = half_pairs::run(type, subject, all, all, threads);
      EXPECT_EQ(result.tried, std::uint64_t{1} << 32);
      EXPECT_EQ(result.different, 0u) << result.first;
      const std::string row =
          fmt::format("| {} | {} | {} | {} | {:016x} |\n", name(type), subject.name, result.tried,
                      result.different, result.checksum);
      std::fputs(row.c_str(), stdout);
      std::fflush(stdout);
      table += row;
    }
  if (!folder().empty())
    std::ofstream(folder() + kPath) << table;
  std::ifstream file(folder() + kPath);
  std::ostringstream committed;
  committed << file.rdbuf();
  EXPECT_EQ(committed.str(), table);
}

} // namespace
} // namespace ordo::dsl
