// What compilers emit and what verifiers get wrong: small PTX against small contracts, each proven
// if it is right, and refused once one thing in it is not. One element a thread, 32 a block.
#include "compiler/verify/proof/prove.h"
#include "compiler/verify/ptx/read.h"
#include "dsl/sema/package.h"
#include "tests/oracle/every_kernel.h"

#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ordo {
namespace {

using ::testing::HasSubstr;

/// What becomes of a kernel k(x, y, T) of one element of y a thread, in blocks of 32: %rd1 is x,
/// %rd2 y, %rd3 T, %r1 the block's number, %r2 the thread's, %rd4 the element's.
class Beware : public ::testing::Test {
protected:
  /// "proven", or why not. `contract`: the arguments and the definition.
  static std::string verdict(const std::string &contract, const std::string &body,
                             const std::string &extent = "T") {
    const std::string file = std::string(std::getenv("TEST_TMPDIR")) + "/beware.ordo";
    std::ofstream(file) << "module beware\n\nop k" << contract << "\n\nkernel small = k()\n";
    dsl::SourceManager sources;
    dsl::Diagnostics diagnostics{sources};
    const auto package = oracle::loadPackage(file, sources, diagnostics);
    const auto program = package ? package->instantiate("small", diagnostics) : std::nullopt;
    if (!program)
      return diagnostics.renderAll();
    verify::ptx::ReadFailure failure;
    const auto kernel =
        verify::ptx::read(ptx(body, contract.find('T') != std::string::npos), "small", failure);
    if (!kernel)
      return fmt::format("line {}: {}", failure.line, failure.message);
    verify::Launch launch;
    launch.block = {32, 1, 1};
    launch.rows = 32;
    launch.extents = extentsOf(*program, extent);
    const verify::Proof proof = verify::prove(*program, *kernel, launch);
    return proof.refusal ? proof.refusal->message + proof.refusal->trees : "proven";
  }

  /// The extents of the output that launches a row a thread.
  static std::vector<dsl::ExprId> extentsOf(const dsl::Program &program,
                                            const std::string &extent) {
    const dsl::Tensor &y = program.tensors.back();
    std::vector<dsl::ExprId> extents(y.shape.begin(), y.shape.end());
    if (extent == "T")
      extents.resize(1);
    return extents;
  }

  static std::string ptx(const std::string &body, bool takesSize) {
    return fmt::format(R"(.version 8.3
.target sm_90a
.address_size 64
.visible .entry small(.param .u64 .ptr .global .align 16 p0, .param .u64 .ptr .global .align 16 p1{})
.reqntid 32, 1, 1
{{
  .reg .pred %p<9>;
  .reg .b16 %rs<9>;
  .reg .b32 %r<39>;
  .reg .b64 %rd<39>;
  .reg .f32 %f<19>;
  .shared .align 16 .b8 tile[256];
  ld.param.u64 %rd1, [p0];
  ld.param.u64 %rd2, [p1];
{}  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %rd5, %r1, 32;
  cvt.u64.u32 %rd6, %r2;
  add.s64 %rd4, %rd5, %rd6;
{}
done:
  ret;
}}
)",
                       takesSize ? ", .param .u64 p2" : "",
                       takesSize ? "  ld.param.u64 %rd3, [p2];\n" : "", body);
  }
  /// y[i] = `code` of x[i], from %f1 to %f2.
  static std::string mapped(const std::string &code) { return kGuard + kLoad + code + kStore; }

  static inline const std::string kGuard = "  setp.ge.u64 %p1, %rd4, %rd3;\n  @%p1 bra done;\n";
  static inline const std::string kLoad =
      "  shl.b64 %rd7, %rd4, 2;\n  add.s64 %rd8, %rd1, %rd7;\n  ld.global.nc.f32 %f1, [%rd8];\n";
  static inline const std::string kStore =
      "  shl.b64 %rd9, %rd4, 2;\n  add.s64 %rd10, %rd2, %rd9;\n  st.global.f32 [%rd10], %f2;\n";
  static inline const std::string kMap = "(x: f32[T]) -> (y: f32[T]) { y[t] = ";
};

TEST_F(Beware, DivisionByAPowerOfTwoAsMultiplication) {
  const std::string contract = kMap + "x[t] / 8.0 }", third = kMap + "x[t] / 3.0 }";
  EXPECT_EQ(verdict(contract, mapped("  mul.rn.f32 %f2, %f1, 0f3E000000;\n")), "proven");
  EXPECT_NE(verdict(contract, mapped("  mul.rn.f32 %f2, %f1, 0f3E800000;\n")), "proven");
  EXPECT_NE(verdict(third, mapped("  mul.rn.f32 %f2, %f1, 0f3EAAAAAB;\n")), "proven");
}

TEST_F(Beware, XPlusXForTwoX) {
  EXPECT_EQ(verdict(kMap + "2.0 * x[t] }", mapped("  add.rn.f32 %f2, %f1, %f1;\n")), "proven");
  EXPECT_EQ(verdict(kMap + "x[t] + x[t] }", mapped("  mul.rn.f32 %f2, %f1, 0f40000000;\n")),
            "proven");
  EXPECT_NE(verdict(kMap + "3.0 * x[t] }", mapped("  add.rn.f32 %f2, %f1, %f1;\n"
                                                  "  add.rn.f32 %f2, %f2, %f1;\n")),
            "proven");
}

TEST_F(Beware, MinusXPlusYForYMinusX) {
  const std::string negated = "  neg.f32 %f3, %f1;\n";
  EXPECT_EQ(
      verdict(kMap + "1.5 - x[t] }", mapped(negated + "  add.rn.f32 %f2, %f3, 0f3FC00000;\n")),
      "proven");
  EXPECT_NE(
      verdict(kMap + "x[t] - 1.5 }", mapped(negated + "  add.rn.f32 %f2, %f3, 0f3FC00000;\n")),
      "proven");
}

TEST_F(Beware, LawsThatHoldForRealsOnly) {
  // x - x is NaN of an infinity, x * 0 is -0 of a negative, x + 0 is not -0, (x + 1) - 1 rounds.
  EXPECT_NE(verdict(kMap + "0.0 }", mapped("  sub.rn.f32 %f2, %f1, %f1;\n")), "proven");
  EXPECT_NE(verdict(kMap + "0.0 }", mapped("  mul.rn.f32 %f2, %f1, 0f00000000;\n")), "proven");
  EXPECT_NE(verdict(kMap + "x[t] + 0.0 }", mapped("  mov.f32 %f2, %f1;\n")), "proven");
  EXPECT_NE(verdict(kMap + "x[t] }", mapped("  add.rn.f32 %f2, %f1, 0f3F800000;\n"
                                            "  sub.rn.f32 %f2, %f2, 0f3F800000;\n")),
            "proven");
  EXPECT_NE(
      verdict(kMap + "x[t] * 2.0 + x[t] }", mapped("  fma.rn.f32 %f2, %f1, 0f40000000, %f1;\n")),
      "proven");
  EXPECT_NE(verdict(kMap + "0.0 - x[t] }", mapped("  neg.f32 %f2, %f1;\n")), "proven");
  // Of a NaN both comparisons are false.
  EXPECT_NE(verdict(kMap + "if x[t] < 0.0 then 1.0 else 2.0 }",
                    mapped("  setp.ge.f32 %p2, %f1, 0f00000000;\n"
                           "  selp.f32 %f2, 0f40000000, 0f3F800000, %p2;\n")),
            "proven");
  // And the same that hold for floats.
  EXPECT_EQ(verdict(kMap + "x[t] }", mapped("  add.rn.f32 %f2, %f1, 0f80000000;\n")), "proven");
}

TEST_F(Beware, Bf16RoundingByBits) {
  const std::string contract = "(x: f32[T]) -> (y: bf16[T]) { y[t] = bf16(x[t]) }";
  const auto code = [](const std::string &bias, const std::string &bit) {
    return kGuard + kLoad + "  mov.b32 %r3, %f1;\n  bfe.u32 %r5, %r3, " + bit +
           ", 1;\n  add.s32 %r6, %r3, %r5;\n  add.s32 %r7, %r6, " + bias +
           ";\n  shr.u32 %r8, %r7, 16;\n  setp.nan.f32 %p2, %f1, %f1;\n"
           "  selp.b32 %r9, 32704, %r8, %p2;\n  cvt.u16.u32 %rs1, %r9;\n"
           "  shl.b64 %rd9, %rd4, 1;\n  add.s64 %rd10, %rd2, %rd9;\n"
           "  st.global.b16 [%rd10], %rs1;\n";
  };
  EXPECT_EQ(verdict(contract, code("32767", "16")), "proven");
  EXPECT_NE(verdict(contract, code("32768", "16")), "proven"); // ties away
  EXPECT_NE(verdict(contract, code("0", "16")), "proven");     // toward zero
  EXPECT_NE(verdict(contract, code("32767", "15")), "proven"); // to odd
}

// y[t, c] = x[c, t] of 7 columns: the element's row is its number divided by 7.
const char *const kTransposed = "(x: f32[7, T]) -> (y: f32[T, 7]) { y[t, c] = x[c, t] }";

TEST_F(Beware, MagicNumberDivision) {
  const std::string contract = "(x: f32[7]) -> (y: f32[32]) { y[n] = x[n % 7] }";
  const auto code = [](const std::string &magic) {
    return "  mul.hi.u32 %r3, %r2, " + magic +
           ";\n  mul.lo.s32 %r4, %r3, 7;\n"
           "  sub.s32 %r5, %r2, %r4;\n  mul.wide.u32 %rd7, %r5, 4;\n  add.s64 %rd8, %rd1, %rd7;\n"
           "  ld.global.nc.f32 %f1, [%rd8];\n  mov.f32 %f2, %f1;\n" +
           kStore;
  };
  EXPECT_EQ(verdict(contract, code("613566757")), "proven");
  EXPECT_NE(verdict(contract, code("536870912")), "proven"); // by 8
}

TEST_F(Beware, MagicNumberDivisionOfASymbol) {
  // Blocks of 32 elements; the row of element i is i / 7, by a multiplication in 64 bits.
  const auto code = [](const std::string &magic, const std::string &divided) {
    return "  mul.lo.s64 %rd11, %rd3, 7;\n  setp.ge.u64 %p1, %rd4, %rd11;\n  @%p1 bra done;\n" +
           (divided.empty() ? "  mul.hi.u64 %rd12, %rd4, " + magic + ";\n" : divided) +
           "  mul.lo.s64 %rd13, %rd12, 7;\n  sub.s64 %rd14, %rd4, %rd13;\n"
           "  mad.lo.s64 %rd15, %rd14, %rd3, %rd12;\n  shl.b64 %rd16, %rd15, 2;\n"
           "  add.s64 %rd17, %rd1, %rd16;\n  ld.global.nc.f32 %f1, [%rd17];\n"
           "  mov.f32 %f2, %f1;\n" +
           kStore;
  };
  // Both are right, and refused: the bound of a product of two symbols does not follow from linear
  // facts. No wrong one may be proven.
  EXPECT_NE(verdict(kTransposed, code("", "  div.u64 %rd12, %rd4, 8;\n"), "all"), "proven");
  EXPECT_NE(verdict(kTransposed, code("2305843009213693952", ""), "all"), "proven");
}

TEST_F(Beware, XorSwizzledSharedMemory) {
  const std::string contract = "(x: f32[32]) -> (y: f32[32]) { y[n] = x[31 - n] }";
  const auto code = [](const std::string &swizzle, const std::string &barrier) {
    return kLoad +
           "  mov.u32 %r10, tile;\n  shr.u32 %r3, %r2, 2;\n  xor.b32 %r4, %r2, %r3;\n"
           "  shl.b32 %r5, %r4, 2;\n  add.s32 %r6, %r10, %r5;\n  st.shared.f32 [%r6], %f1;\n" +
           barrier + "  sub.s32 %r11, 31, %r2;\n  shr.u32 %r12, %r11, 2;\n  xor.b32 %r13, %r11, " +
           swizzle +
           ";\n"
           "  shl.b32 %r14, %r13, 2;\n  add.s32 %r15, %r10, %r14;\n  ld.shared.f32 %f2, [%r15];\n" +
           kStore;
  };
  const std::string barrier = "  bar.sync 0;\n";
  EXPECT_EQ(verdict(contract, code("%r12", barrier)), "proven");
  EXPECT_THAT(verdict(contract, code("%r3", barrier)), HasSubstr("is not the contract's"));
  EXPECT_THAT(verdict(contract, code("%r12", "")), HasSubstr("a race"));
}

TEST_F(Beware, ReadingUninitialisedSharedMemory) {
  EXPECT_THAT(verdict(kMap + "x[t] }",
                      kGuard + "  mov.u32 %r10, tile;\n  ld.shared.f32 %f2, [%r10];\n" + kStore),
              HasSubstr("that no thread has written"));
}

TEST_F(Beware, ABarrierNotReachedByAll) {
  EXPECT_NE(verdict(kMap + "x[t] }",
                    kGuard + "  bar.sync 0;\n" + kLoad + "  mov.f32 %f2, %f1;\n" + kStore),
            "proven");
  EXPECT_THAT(
      verdict(kMap + "x[t] }", "  setp.eq.u32 %p2, %r2, 3;\n  @%p2 bra done;\n  bar.sync 0;\n" +
                                   mapped("  mov.f32 %f2, %f1;\n")),
      HasSubstr("a barrier that not all threads of the block reach"));
}

TEST_F(Beware, ADivergentShuffle) {
  const std::string contract = "(x: f32[32]) -> (y: f32[32]) { y[n] = x[0] }";
  const std::string shuffle = "  mov.b32 %r3, %f1;\n  shfl.sync.idx.b32 %r4, %r3, 0, 31, ",
                    moved = "  mov.b32 %f2, %r4;\n";
  EXPECT_EQ(verdict(contract, kLoad + shuffle + "-1;\n" + moved + kStore), "proven");
  // Half of the warp goes elsewhere and waits for nobody.
  const std::string parts = "  setp.ge.u32 %p2, %r2, 16;\n  @%p2 bra done;\n";
  EXPECT_NE(verdict(contract, kLoad + parts + shuffle + "-1;\n" + moved + kStore), "proven");
  // A lane takes from one that is not there.
  EXPECT_NE(verdict(contract, kLoad + "  setp.lt.u32 %p2, %r2, 16;\n  @%p2 bra done;\n" + shuffle +
                                  "0xffff0000;\n" + moved + kStore),
            "proven");
  // Lanes of a ragged block part by a bound on T.
  EXPECT_NE(verdict(kMap + "x[t] }", kGuard + kLoad + shuffle + "-1;\n" + moved + kStore),
            "proven");
}

TEST_F(Beware, ABoundCheckedForOneT) {
  // Right where T is 64, or any multiple of 32.
  const std::string body = kLoad + "  mov.f32 %f2, %f1;\n" + kStore;
  EXPECT_NE(verdict(kMap + "x[t] }", body), "proven");
  EXPECT_NE(verdict(kMap + "x[t] }", "  setp.ge.u64 %p1, %rd4, 64;\n  @%p1 bra done;\n" + body),
            "proven");
  EXPECT_EQ(verdict(kMap + "x[t] }", kGuard + body), "proven");
  EXPECT_NE(verdict(kMap + "x[t] }", "  setp.gt.u64 %p1, %rd4, %rd3;\n  @%p1 bra done;\n" + body),
            "proven");
}

// 64 blocks: what has 32 bits does not wrap.
const char *const kOfFixedSize = "(x: f32[2048]) -> (y: f32[2048]) { y[n] = x[n] }";

TEST_F(Beware, AWrapIn32Bits) {
  // Element numbers of 32 bits: right as far as 2^32 elements.
  const std::string number =
      "  shl.b32 %r3, %r1, 5;\n  add.s32 %r4, %r3, %r2;\n  cvt.u64.u32 %rd4, %r4;\n";
  const std::string copied = kLoad + "  mov.f32 %f2, %f1;\n" + kStore;
  EXPECT_NE(verdict(kMap + "x[t] }", number + kGuard + copied), "proven");
  EXPECT_EQ(verdict(kOfFixedSize, number + copied), "proven");
}

TEST_F(Beware, AStoreWhoseAddressWraps) {
  // The offset in bytes has 32 bits: element 2^30 lies at byte 0.
  const std::string store =
      "  mov.f32 %f2, %f1;\n  cvt.u32.u64 %r3, %rd4;\n  shl.b32 %r4, %r3, 2;\n"
      "  cvt.u64.u32 %rd9, %r4;\n  add.s64 %rd10, %rd2, %rd9;\n"
      "  st.global.f32 [%rd10], %f2;\n";
  EXPECT_NE(verdict(kMap + "x[t] }", kGuard + kLoad + store), "proven");
  EXPECT_EQ(verdict(kOfFixedSize, kLoad + store), "proven");
}

TEST_F(Beware, IntegerOverflowInAffineForms) {
  // Factors whose product with a number leaves 64 bits, of addresses that come back.
  const std::string far = "  mul.lo.s64 %rd11, %rd4, 4611686018427387905;\n"
                          "  mul.lo.s64 %rd12, %rd11, 4;\n  add.s64 %rd8, %rd1, %rd12;\n"
                          "  ld.global.nc.f32 %f2, [%rd8];\n";
  EXPECT_EQ(verdict(kMap + "x[t] }", kGuard + far + kStore), "proven"); // it is 4 * i, modulo 2^64
  const std::string other = "  mul.lo.s64 %rd11, %rd4, 4611686018427387903;\n"
                            "  mul.lo.s64 %rd12, %rd11, 4;\n  add.s64 %rd8, %rd1, %rd12;\n"
                            "  ld.global.nc.f32 %f2, [%rd8];\n";
  EXPECT_NE(verdict(kMap + "x[t] }", kGuard + other + kStore), "proven"); // it is -4 * i
  const std::string huge = "  mul.lo.s64 %rd11, %rd4, 9223372036854775807;\n"
                           "  mul.hi.u64 %rd12, %rd11, 9223372036854775807;\n"
                           "  add.s64 %rd8, %rd1, %rd12;\n  ld.global.nc.f32 %f2, [%rd8];\n";
  EXPECT_NE(verdict(kMap + "x[t] }", kGuard + huge + kStore), "proven");
}

TEST_F(Beware, AProductOfTwoSymbols) {
  // Column 0 of a matrix of a leading dimension that the launch gives: x[t, 0] lies at t * C.
  const std::string contract = "(x: f32[7, T]) -> (y: f32[T, 7]) { y[t, c] = x[c, t] }";
  const std::string bound =
      "  mul.lo.s64 %rd11, %rd3, 7;\n  setp.ge.u64 %p1, %rd4, %rd11;\n  @%p1 bra done;\n";
  const auto code = [&](const std::string &by) {
    return bound +
           "  div.u64 %rd12, %rd4, 7;\n  rem.u64 %rd14, %rd4, 7;\n  mul.lo.s64 %rd15, %rd14, " +
           by +
           ";\n  add.s64 %rd15, %rd15, %rd12;\n  shl.b64 %rd16, %rd15, 2;\n"
           "  add.s64 %rd17, %rd1, %rd16;\n  ld.global.nc.f32 %f2, [%rd17];\n" +
           kStore;
  };
  // By T it is right, and refused: that it lies inside does not follow from linear facts.
  EXPECT_NE(verdict(contract, code("%rd12"), "all"), "proven");
}

TEST_F(Beware, AnEmptySummaryIsNeverEqual) {
  EXPECT_NE(verdict(kMap + "x[t] }", ""), "proven");
  EXPECT_NE(verdict(kMap + "x[t] }", "  ret;\n" + mapped("  mov.f32 %f2, %f1;\n")), "proven");
}

TEST_F(Beware, AnOpaqueSummaryIsNeverEqual) {
  // What nobody defined is stored, on both sides of nothing.
  EXPECT_NE(verdict(kMap + "x[t] }", kGuard + kStore), "proven");
  EXPECT_NE(verdict(kMap + "sqrt(x[t]) }", mapped("  sqrt.approx.f32 %f2, %f1;\n")), "proven");
  EXPECT_NE(verdict(kMap + "1.0 / x[t] }", mapped("  rcp.approx.ftz.f32 %f2, %f1;\n")), "proven");
}

} // namespace
} // namespace ordo
