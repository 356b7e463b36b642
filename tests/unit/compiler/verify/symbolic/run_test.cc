// Small kernels y[i] = f(x[i]) of N elements, one thread an element, blocks of 32: what is found
// for all N and all blocks, and what stops it.
#include "compiler/verify/ptx/read.h"
#include "compiler/verify/symbolic/run.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace ordo::verify {
namespace {

/// %rd1: x, %rd2: y, %rd3: N, %rd4: i. `body` ends where the kernel does.
std::string kernelOf(const std::string &body) {
  return fmt::format(R"(.version 8.3
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 .ptr .global .align 16 p0, .param .u64 .ptr .global .align 16 p1,
  .param .u64 p2)
.reqntid 32, 1, 1
{{
  .reg .pred %p<9>;
  .reg .b16 %rs<9>;
  .reg .b32 %r<19>;
  .reg .b64 %rd<19>;
  .reg .f32 %f<19>;
  .shared .align 4 .b8 tile[128];
  ld.param.u64 %rd1, [p0];
  ld.param.u64 %rd2, [p1];
  ld.param.u64 %rd3, [p2];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %rd5, %r1, 32;
  cvt.u64.u32 %rd6, %r2;
  add.s64 %rd4, %rd5, %rd6;
  shl.b64 %rd7, %rd4, 2;
  add.s64 %rd8, %rd1, %rd7;
  add.s64 %rd9, %rd2, %rd7;
{}
}}
)",
                     body);
}

struct Found {
  Terms terms;
  std::vector<Summary> cases;

  explicit Found(const std::string &body) {
    ptx::ReadFailure failure;
    const auto kernel = ptx::read(kernelOf(body), "k", failure);
    if (!kernel) {
      ADD_FAILURE() << failure.line << ": " << failure.message;
      return;
    }
    AffinePool &affine = terms.affine();
    const Term n = terms.symbol("N", 64, {Wide{0}, Wide{1} << 40});
    const Term block = terms.symbol("block", 32, {Wide{0}, (Wide{1} << 31) - 1});
    const AffineId rows = affine.atom(n.node());
    terms.facts().assume(
        affine.plus(affine.sub(rows, affine.scale(affine.atom(block.node()), 32)), -1));
    Signature signature;
    for (const char *name : {"x", "y"}) {
      Argument array;
      array.name = name;
      array.elements = rows;
      array.isRead = array.name == "x";
      array.isWritten = !array.isRead;
      array.tensor = array.isRead ? 0 : 1;
      array.value = terms.symbol(name, 64, {Wide{1}, Wide{1} << 62});
      terms.pool().tensors.push_back(name);
      signature.arguments.push_back(array);
    }
    Argument size;
    size.kind = Argument::Kind::Size;
    size.name = "N";
    size.value = n;
    signature.arguments.push_back(size);
    signature.block.size = {32, 1, 1};
    signature.blockIndex = {block, Term::constant(0), Term::constant(0)};
    signature.gridSize = {Term{}, Term::constant(1), Term::constant(1)};
    cases = run(*kernel, terms, signature);
  }

  std::string fault() const {
    return cases.empty() || !cases[0].fault ? "" : cases[0].fault->message;
  }
  /// Of thread 3, whose element is 3 of its block.
  std::string value() {
    for (const GlobalStore &store : cases.at(0).stores)
      if (store.thread == 3)
        return store.value.isNode() ? toString(terms.pool(), terms.affine(), store.value.node())
                                    : fmt::format("{:#x}", store.value.bits);
    return "nothing";
  }
};

const std::string kGuard = R"(
  setp.ge.u64 %p1, %rd4, %rd3;
  @%p1 bra done;
)";
const std::string kLoad = "  ld.global.nc.f32 %f1, [%rd8];\n";
const std::string kStore = "  st.global.f32 [%rd9], %f2;\ndone:\n  ret;\n";

TEST(SymbolicRun, FindsEveryElementUnderItsBound) {
  Found found(kGuard + kLoad + "  add.rn.f32 %f2, %f1, %f1;\n" + kStore);
  ASSERT_EQ(found.fault(), "");
  ASSERT_EQ(found.cases.size(), 1u);
  const Summary &summary = found.cases[0];
  EXPECT_EQ(summary.stores.size(), 32u);
  EXPECT_EQ(found.value(), "(x[32*block + 3] * 0x1p+1)");
  for (const GlobalStore &store : summary.stores) {
    EXPECT_EQ(store.argument, 1u);
    // A block has an element at least.
    EXPECT_EQ(summary.paths[store.path].size(), store.thread == 0 ? 0u : 1u);
  }
}

TEST(SymbolicRun, RefusesALoadWithoutItsBound) {
  Found found(kLoad + "  add.rn.f32 %f2, %f1, %f1;\n" + kStore);
  EXPECT_NE(found.fault().find("which need not be below N"), std::string::npos) << found.fault();
}

TEST(SymbolicRun, RefusesABoundThatIsOneTooLarge) {
  Found found("  setp.gt.u64 %p1, %rd4, %rd3;\n  @%p1 bra done;\n" + kLoad +
              "  mov.f32 %f2, %f1;\n" + kStore);
  EXPECT_NE(found.fault().find("which need not be below N"), std::string::npos) << found.fault();
}

TEST(SymbolicRun, RefusesWhatTheAssemblerMayContract) {
  Found found(kGuard + kLoad + "  mul.f32 %f2, %f1, %f1;\n" + kStore);
  EXPECT_NE(found.fault().find("contract"), std::string::npos) << found.fault();
}

TEST(SymbolicRun, RefusesFlushing) {
  Found found(kGuard + kLoad + "  mul.rn.ftz.f32 %f2, %f1, %f1;\n" + kStore);
  EXPECT_NE(found.fault().find("flushes"), std::string::npos) << found.fault();
}

TEST(SymbolicRun, AProductAndASumAreNoFusedOperation) {
  Found split(kGuard + kLoad + "  mul.rn.f32 %f3, %f1, %f1;\n  add.rn.f32 %f2, %f3, %f1;\n" +
              kStore);
  Found fused(kGuard + kLoad + "  fma.rn.f32 %f2, %f1, %f1, %f1;\n" + kStore);
  ASSERT_EQ(split.fault() + fused.fault(), "");
  EXPECT_NE(split.value(), fused.value());
}

TEST(SymbolicRun, LanesThatBranchTogetherOnASizeMayMeetAfterwards) {
  Found found(R"(
  setp.lt.u64 %p1, %rd3, 1000;
  @%p1 bra done;
  mul.wide.u32 %rd10, %r2, 4;
  add.s64 %rd11, %rd1, %rd10;
  ld.global.nc.f32 %f1, [%rd11];
  mov.b32 %r3, %f1;
  shfl.sync.bfly.b32 %r4, %r3, 1, 31, -1;
  mov.b32 %f3, %r4;
  add.rn.f32 %f2, %f1, %f3;
)" + kGuard + kStore);
  ASSERT_EQ(found.fault(), "");
  ASSERT_EQ(found.cases.size(), 2u);
  const bool isSecond = found.cases[0].stores.empty();
  EXPECT_EQ(found.cases[isSecond ? 0 : 1].stores.size(), 0u);
  EXPECT_EQ(found.cases[isSecond ? 1 : 0].stores.size(), 32u);
  std::swap(found.cases[0], found.cases[isSecond ? 1 : 0]);
  EXPECT_EQ(found.value(), "(x[2] + x[3])");
}

TEST(SymbolicRun, RefusesARace) {
  Found found(R"(
  mov.u64 %rd10, tile;
  mul.wide.u32 %rd11, %r2, 4;
  add.s64 %rd12, %rd10, %rd11;
  mov.f32 %f1, 0f3F800000;
  st.shared.f32 [%rd12], %f1;
  ld.shared.f32 %f2, [%rd10];
)" + kGuard + kStore);
  EXPECT_NE(found.fault().find("a race"), std::string::npos) << found.fault();
}

TEST(SymbolicRun, RefusesAStoreToAnInputAndALoadFromAnOutput) {
  Found stores(kGuard +
               "  mov.f32 %f2, 0f00000000;\n  st.global.f32 [%rd8], %f2;\ndone:\n  ret;\n");
  EXPECT_NE(stores.fault().find("stores to x"), std::string::npos) << stores.fault();
  Found loads(kGuard + "  ld.global.f32 %f2, [%rd9];\n" + kStore);
  EXPECT_NE(loads.fault().find("loads from y"), std::string::npos) << loads.fault();
}

TEST(SymbolicRun, RefusesAnAtomicOperation) {
  Found found(kGuard + kLoad + "  red.global.add.f32 [%rd9], %f1;\ndone:\n  ret;\n");
  EXPECT_NE(found.fault().find("atomic"), std::string::npos) << found.fault();
}

TEST(SymbolicRun, SeesAnAddressThatMayWrapIn32Bits) {
  // 4 * i in 32 bits wraps from 2^30 elements on: inside the array, and another element.
  Found found(kGuard + R"(
  cvt.u32.u64 %r6, %rd4;
  shl.b32 %r7, %r6, 2;
  cvt.u64.u32 %rd10, %r7;
  add.s64 %rd11, %rd1, %rd10;
  ld.global.nc.f32 %f2, [%rd11];
)" + kStore);
  ASSERT_EQ(found.fault(), "");
  EXPECT_NE(found.value().find("floor((block) / 33554432)"), std::string::npos) << found.value();
}

} // namespace
} // namespace ordo::verify
