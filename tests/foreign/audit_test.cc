// What the audit of each foreign kernel finds: the expected tree, or the expected refusal. The
// signature is the line `signature:` of the kernel's source.
#include "compiler/verify/describe/audit.h"
#include "compiler/verify/signature/build.h"
#include "dsl/order/fold.h"
#include "tests/foreign/run.h"

#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

namespace ordo::foreign {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// The `signature:` line above `kernel` in the source.
std::string signatureIn(const std::string &path, const std::string &kernel) {
  std::ifstream file("tests/foreign/" + path);
  EXPECT_TRUE(file) << path;
  std::string signature;
  for (std::string line; std::getline(file, line);) {
    const std::size_t at = line.find(" signature: ");
    if (at != std::string::npos)
      signature = line.substr(at + 12);
    if (line.find(kernel + "(") != std::string::npos)
      break;
  }
  return signature;
}

struct Audited {
  verify::Kernel kernel;
  verify::KernelAudit audit;

  const verify::OutputTree &output() const { return audit.tree.outputs.at(0); }
  const verify::Reduction &sum(const std::string &name) const {
    for (const verify::NamedPart &part : output().parts)
      if (part.name == name)
        return part.reduction.value();
    throw std::out_of_range(name);
  }
  std::string fault() const {
    return audit.fault ? fmt::format("line {}: {}", kernel.lines.at(audit.fault->line).number,
                                     audit.fault->message)
                       : "";
  }
  std::vector<std::string> marks() const {
    std::vector<std::string> all;
    for (const verify::Finding &finding : audit.findings)
      all.push_back(
          fmt::format("{} {} x{}", name(finding.kind), finding.instruction, finding.lines.size()));
    return all;
  }
};

Audited audited(const std::string &folder, const std::string &name, const std::string &text) {
  dsl::SourceManager sources;
  dsl::Diagnostics diagnostics(sources);
  const auto launch = verify::parseLaunch(sources.add("--signature", text), sources, diagnostics);
  EXPECT_TRUE(launch) << diagnostics.renderAll();
  Audited result;
  result.kernel = kernelOf(folder + "/" + name);
  if (!launch)
    return result;
  EXPECT_EQ(mismatch(*launch, result.kernel), "");
  result.audit = verify::audit(result.kernel, *launch);
  return result;
}

Audited cuda(const std::string &name) {
  return audited("cuda", name, signatureIn("cuda/" + name + ".cu", name));
}

Audited triton(const std::string &name) {
  return audited("triton", name, signatureIn("triton/kernels.py", name));
}

TEST(Audit, RowSumByATreeInSharedMemory) {
  const Audited found = cuda("row_sum_tree");
  ASSERT_EQ(found.fault(), "");
  EXPECT_EQ(found.output().value, "s1");
  EXPECT_EQ(found.sum("s1").length, 1024);
  EXPECT_EQ(toString(found.sum("s1").order.value()), "lanes(256).from(0.0) | halves");
  EXPECT_THAT(found.marks(), ElementsAre("may contract add.f32 x2"));
}

TEST(Audit, RowSumByShuffles) {
  const Audited found = cuda("row_sum_warp");
  ASSERT_EQ(found.fault(), "");
  EXPECT_EQ(toString(found.sum("s1").order.value()),
            "seq(4) | halves(32) | halves(32).pad(0.0) | seq");
  EXPECT_THAT(found.marks(), IsEmpty());
}

TEST(Audit, RmsNormByVectorLoads) {
  const Audited found = cuda("rms_norm_vector");
  ASSERT_EQ(found.fault(), "");
  EXPECT_EQ(found.output().elements, 1024);
  EXPECT_TRUE(found.output().isAlike);
  EXPECT_EQ(found.output().value, "bf16((f32(w[0]) * (f32(x[1024*block.x]) * (1.0 / "
                                  "sqrt(((s1 * 0.0009765625) + eps))))))");
  EXPECT_EQ(toString(found.sum("s1").order.value()), "seq(8).from(0.0) | halves(32) | seq");
  EXPECT_THAT(found.marks(), IsEmpty());
}

TEST(Audit, RmsNormByWarps) {
  const Audited found = cuda("rms_norm_warp");
  ASSERT_EQ(found.fault(), "");
  EXPECT_EQ(found.audit.tree.cases, 4u); // one to four rows
  EXPECT_TRUE(found.output().isAlike);
  EXPECT_EQ(found.output().value,
            "((x[2048*block.x] * rsqrt.approx.f32(fma(s1, 0.001953125, eps))) * w[0])");
  EXPECT_THAT(found.sum("s1").stages, ElementsAre("fma lanes(32).from(0.0)", "halves"));
  EXPECT_THAT(found.marks(),
              ElementsAre("approximation rsqrt.approx.f32 x1", "may contract add.f32 x5",
                          "may contract mul.f32 x10", "fused multiply-add fma.rn.f32 x6"));
}

TEST(Audit, SoftmaxInThreePasses) {
  const Audited found = cuda("softmax_three_pass");
  ASSERT_EQ(found.fault(), "");
  EXPECT_EQ(found.sum("s1").kind, verify::Reduction::Kind::Max);
  EXPECT_EQ(found.sum("s2").length, 256);
  EXPECT_THAT(found.sum("s2").stages, ElementsAre("fma lanes(32).from(0.0)", "halves"));
  EXPECT_THAT(found.marks(), ::testing::IsSupersetOf({"approximation ex2.approx.ftz.f32 x2",
                                                      "saturates cvt.sat.f32.f32 x2",
                                                      "rounds otherwise fma.rm.f32 x2"}));
}

TEST(Audit, SoftmaxWithFastMath) {
  const Audited found = cuda("softmax_fast");
  ASSERT_EQ(found.fault(), "");
  EXPECT_THAT(found.output().value, HasSubstr("div.approx.ftz.f32(ex2.approx.ftz.f32("));
  EXPECT_GT(found.output().operations.at("ex2.approx.ftz.f32"), 200);
  EXPECT_THAT(found.marks(), ::testing::IsSupersetOf({"approximation ex2.approx.ftz.f32 x25",
                                                      "approximation div.approx.ftz.f32 x5",
                                                      "flushes subnormals fma.rn.ftz.f32 x10"}));
}

TEST(Audit, ARaceIsRefusedWithItsTwoAccesses) {
  EXPECT_EQ(cuda("row_sum_race").fault(),
            "line 65: a race: thread 0 loads the byte of shared memory at 64, and thread 16 stored "
            "it with no barrier between");
}

TEST(Audit, AnAtomicAdditionIsRefused) {
  const Audited found = cuda("row_sum_atomic");
  EXPECT_EQ(found.fault(),
            "line 70: an atomic operation (f.add): its order is not declared by any contract");
  EXPECT_THAT(found.marks(), ElementsAre("atomic operation atom.global.add.f32 x1"));
}

TEST(Audit, RowSumOfTriton) {
  const Audited found = triton("triton_row_sum");
  ASSERT_EQ(found.fault(), "");
  EXPECT_EQ(toString(found.sum("s1").order.value()), "lanes(128, 4) | halves(32) | halves");
}

// LLVM contracted the first two squares the other way round: no stage folds 1 before 0.
TEST(Audit, RmsNormOfTriton) {
  const Audited found = triton("triton_rms_norm");
  ASSERT_EQ(found.fault(), "");
  EXPECT_TRUE(found.output().isAlike);
  EXPECT_THAT(found.output().value, HasSubstr("rsqrt.approx.ftz.f32((div.full.f32(s1, 1024.0)"));
  EXPECT_EQ(found.sum("s1").length, 1024);
  EXPECT_THAT(found.sum("s1").stages, IsEmpty());
  EXPECT_THAT(found.output().parts[0].shape, HasSubstr("fused(fused(v[1], v[0]), v[2])"));
}

TEST(Audit, SoftmaxOfTriton) {
  const Audited found = triton("triton_softmax");
  ASSERT_EQ(found.fault(), "");
  EXPECT_EQ(found.output().value, "div.full.f32(t1, s2)");
  EXPECT_EQ(found.sum("s1").kind, verify::Reduction::Kind::Max);
  EXPECT_EQ(toString(found.sum("s2").order.value()), "lanes(128) | halves(32) | halves");
}

struct FloatFold {
  float add(float left, float right) const { return left + right; }
  float round(float, dsl::DType) const { throw std::logic_error("no order here rounds"); }
  float literal(double value) const { return static_cast<float>(value); }
};

// Folded by what the audit found, the elements give the bits of the kernel that was executed.
TEST(Audit, TheOrdersThatAreFoundGiveTheKernelsBits) {
  std::mt19937 generator(21);
  std::vector<float> x;
  for (int k = 0; k < 1024; ++k)
    x.push_back(std::ldexp(std::uniform_real_distribution<float>(-1, 1)(generator),
                           std::uniform_int_distribution<int>(-12, 12)(generator)));
  const auto expect = [&](const Audited &found, Launch launch) {
    ASSERT_EQ(launch.run(found.kernel), "");
    const float want = dsl::fold<float>(found.sum("s1").order.value(), x, FloatFold{}).value();
    EXPECT_EQ(std::bit_cast<std::uint32_t>(launch.output<float>().at(0)),
              std::bit_cast<std::uint32_t>(want))
        << found.kernel.name;
  };
  const auto launch = [&](std::uint32_t threads) {
    Launch made;
    made.in("x", x).out("y", 4).block(threads);
    return made;
  };
  expect(cuda("row_sum_tree"), launch(256).shared(1024));
  expect(cuda("row_sum_warp"), launch(256));
  expect(triton("triton_row_sum"),
         launch(128).shared(16).value(std::int64_t{0}).value(std::int64_t{0}));
}

// 256 * block in 32 bits wraps where T is not bounded.
TEST(Audit, ARowNumberThatMayWrapShowsWhatItReads) {
  std::string text = signatureIn("cuda/row_sum_warp.cu", "row_sum_warp");
  text.erase(text.rfind(';'));
  const Audited found = audited("cuda", "row_sum_warp", text);
  ASSERT_EQ(found.fault(), "");
  ASSERT_EQ(found.output().parts.size(), 1u);
  EXPECT_THAT(found.output().parts[0].text,
              HasSubstr("1024*block.x - 17179869184*floor((block.x) / 16777216)"));
}

} // namespace
} // namespace ordo::foreign
