// What each target's code looks like, and what is refused.
#include "compiler/target/codegen.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ordo::compiler {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

struct Result {
  std::optional<Emitted> code;
  std::string error;
};

Result compileText(std::string_view text, std::string_view targetName) {
  mlir::DialectRegistry registry;
  registerCodegenDialects(registry);
  mlir::MLIRContext context(registry);
  const auto module =
      mlir::parseSourceString<mlir::ModuleOp>(text, mlir::ParserConfig(&context), "kernel.mlir");
  Result result;
  const Target &target = *findTarget(targetName);
  if (!module)
    result.error = "the test's text does not parse";
  else if (lowerToLlvmDialect(*module, target, &result.error))
    result.code = emit(*module, target, &result.error);
  return result;
}

// Eight bf16 a thread: an exchange through shared memory and one by shuffles, then bf16(sqrt(s) /
// x).
constexpr std::string_view kBlockKernel = R"(module { gpu.module @kernels {
  gpu.func @kernel(%x: !llvm.ptr<1> {ordo.readonly}, %y: !llvm.ptr<1>, %eps: f32)
      workgroup(%buf: memref<128xf32, #gpu.address_space<workgroup>>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %i = arith.index_cast %t : index to i64
    %p = llvm.getelementptr %x[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, vector<8xbf16>
    %v = llvm.load %p invariant {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xbf16>
    %b = vector.extract %v[3] : bf16 from vector<8xbf16>
    %f = ordo.cast %b : bf16 to f32
    %m = arith.mulf %f, %f : f32
    %a = arith.addf %m, %eps : f32
    memref.store %a, %buf[%t] : memref<128xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %zero = arith.constant 0 : index
    %l = memref.load %buf[%zero] : memref<128xf32, #gpu.address_space<workgroup>>
    %offset = arith.constant 16 : i32
    %width = arith.constant 32 : i32
    %o, %ok = gpu.shuffle xor %l, %offset, %width : f32
    %s = arith.addf %o, %l : f32
    %root = ordo.sqrt %s : f32
    %q = arith.divf %root, %f : f32
    %r = ordo.cast %q : f32 to bf16
    %g = ordo.cast %root : f32 to bf16
    %w = vector.from_elements %r, %g, %r, %g, %r, %g, %r, %g : vector<8xbf16>
    %d = llvm.getelementptr %y[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, vector<8xbf16>
    llvm.store %w, %d {alignment = 16 : i64} : vector<8xbf16>, !llvm.ptr<1>
    gpu.return
  } } })";

class Gpu : public ::testing::TestWithParam<const char *> {};

TEST_P(Gpu, CompilesWithoutAnyLibrary) {
  const auto [code, error] = compileText(kBlockKernel, GetParam());
  ASSERT_TRUE(code) << error;
  for (const char *library : {"__nv_", "__ocml_", "__ockl_"}) {
    EXPECT_THAT(code->assembly, Not(HasSubstr(library)));
    EXPECT_THAT(code->llvmIr, Not(HasSubstr(library)));
  }
  EXPECT_THAT(code->llvmIr, Not(HasSubstr("contract")));
  if (code->object.empty())
    EXPECT_EQ(code->note, "ptxas not found: PTX only");
  else
    EXPECT_THAT(code->object, StartsWith("\x7f"
                                         "ELF"));
  if (!code->object.empty()) {
    EXPECT_GT(code->registers, 0);
    EXPECT_EQ(code->spillBytes, 0);
    EXPECT_EQ(code->sharedBytes, 512);
  }
}

TEST_P(Gpu, GivesTheSameBytesTwice) {
  const auto first = compileText(kBlockKernel, GetParam()),
             second = compileText(kBlockKernel, GetParam());
  ASSERT_TRUE(first.code && second.code) << first.error << second.error;
  EXPECT_EQ(first.code->assembly, second.code->assembly);
  EXPECT_EQ(first.code->object, second.code->object);
}

INSTANTIATE_TEST_SUITE_P(Targets, Gpu,
                         ::testing::Values("cuda.sm_80", "cuda.sm_89", "cuda.sm_90a", "rocm.gfx90a",
                                           "rocm.gfx942", "rocm.gfx1100"),
                         [](const auto &info) {
                           std::string name = info.param;
                           name[4] = '_';
                           return name;
                         });

TEST(Cuda, RoundsEveryOperation) {
  const auto [code, error] = compileText(kBlockKernel, "cuda.sm_90a");
  ASSERT_TRUE(code) << error;
  const std::string &ptx = code->assembly;
  for (const char *wanted :
       {".maxntid 128, 1, 1", "st.global.v4", "mul.rn.f32", "add.rn.f32", "sqrt.rn.f32",
        "div.rn.f32", "cvt.rn.bf16x2.f32", "shfl.sync.bfly.b32", ".visible .entry kernel("})
    EXPECT_THAT(ptx, HasSubstr(wanted));
  for (const char *unwanted : {"fma", ".ftz", ".approx", "call", "mul.f32", "add.f32"})
    EXPECT_THAT(ptx, Not(HasSubstr(unwanted)));
}

// y = bf16(2 x), eight elements a thread.
std::string vectorKernel() {
  std::string text = R"(module { gpu.module @kernels {
    gpu.func @kernel(%x: !llvm.ptr<1> {ordo.readonly}, %y: !llvm.ptr<1>)
        kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %t = gpu.thread_id x
      %i = arith.index_cast %t : index to i64
      %p = llvm.getelementptr %x[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, vector<8xbf16>
      %v = llvm.load %p invariant {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xbf16>
  )";
  std::string elements;
  for (char k = '0'; k < '8'; ++k) {
    for (const char *line :
         {"%b# = vector.extract %v[#] : bf16 from vector<8xbf16>\n",
          "%f# = ordo.cast %b# : bf16 to f32\n", "%m# = arith.addf %f#, %f# : f32\n",
          "%r# = ordo.cast %m# : f32 to bf16\n"})
      for (const char *c = line; *c; ++c)
        text += *c == '#' ? k : *c;
    elements += std::string(k == '0' ? "" : ", ") + "%r" + k;
  }
  return text + "%w = vector.from_elements " + elements + R"( : vector<8xbf16>
      %d = llvm.getelementptr %y[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, vector<8xbf16>
      llvm.store %w, %d {alignment = 16 : i64} : vector<8xbf16>, !llvm.ptr<1>
      gpu.return
    } } })";
}

int count(std::string_view text, std::string_view what) {
  int n = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string_view::npos; at += what.size())
    ++n;
  return n;
}

TEST(Cuda, MovesVectorsAndRoundsPairs) {
  const auto [code, error] = compileText(vectorKernel(), "cuda.sm_90a");
  ASSERT_TRUE(code) << error;
  EXPECT_EQ(count(code->assembly, "ld.global"), 1);
  EXPECT_EQ(count(code->assembly, "ld.global.nc.v4.u32"), 1);
  EXPECT_EQ(count(code->assembly, "st.global"), 1);
  EXPECT_EQ(count(code->assembly, "st.global.v4"), 1);
  EXPECT_EQ(count(code->assembly, "cvt.rn.bf16x2.f32"), 4);
  EXPECT_EQ(count(code->assembly, ".b16"), 0);
}

TEST(Rocm, MovesVectors) {
  const auto [code, error] = compileText(vectorKernel(), "rocm.gfx942");
  ASSERT_TRUE(code) << error;
  EXPECT_EQ(count(code->assembly, "global_load_"), 1);
  EXPECT_EQ(count(code->assembly, "global_load_dwordx4"), 1);
  EXPECT_EQ(count(code->assembly, "global_store_dwordx4"), 1);
}

TEST(Rocm, KeepsSubnormalsAndKnowsItsBlock) {
  const auto [code, error] = compileText(kBlockKernel, "rocm.gfx942");
  ASSERT_TRUE(code) << error;
  for (const char *wanted : {".amdhsa_float_denorm_mode_32 3", ".amdhsa_float_denorm_mode_16_64 3",
                             ".amdhsa_float_round_mode_32 0", ".max_flat_workgroup_size: 128",
                             ".uniform_work_group_size: 1", ".amdhsa_code_object_version 5",
                             ".amdhsa_ieee_mode 0", "v_div_fixup_f32"})
    EXPECT_THAT(code->assembly, HasSubstr(wanted));
}

// LLVM's own sequences have fewer steps (docs/amdgcn.md).
TEST(Rocm, DividesAndTakesRootsOfVectorsByItsOwnSequences) {
  const auto [code, error] = compileText(R"(module { gpu.module @kernels {
    gpu.func @kernel(%x: !llvm.ptr<1> {ordo.readonly}, %y: !llvm.ptr<1>)
        kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      %v = llvm.load %x invariant {alignment = 16 : i64} : !llvm.ptr<1> -> vector<2xf64>
      %w = llvm.load %y {alignment = 16 : i64} : !llvm.ptr<1> -> vector<2xf64>
      %q = arith.divf %v, %w : vector<2xf64>
      %r = llvm.call_intrinsic "llvm.sqrt"(%q) : (vector<2xf64>) -> vector<2xf64>
      llvm.store %r, %y {alignment = 16 : i64} : vector<2xf64>, !llvm.ptr<1>
      gpu.return
    } } })",
                                         "rocm.gfx942");
  ASSERT_TRUE(code) << error;
  for (const char *wanted : {"v_rcp_f64", "v_trunc_f64", "v_div_fixup_f64", "v_rsq_f64"})
    EXPECT_EQ(count(code->assembly, wanted), 2) << wanted;
}

constexpr std::string_view kFill = R"(module {
  func.func @fill(%y: !llvm.ptr, %x: !llvm.ptr {ordo.readonly}, %n: i64) {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %f = arith.constant 0.0 : f32
    scf.for %i = %zero to %n step %one : i64 {
      %p = llvm.getelementptr %y[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      llvm.store %f, %p : f32, !llvm.ptr
    }
    scf.for %i = %zero to %n step %one : i64 {
      %q = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %v = llvm.load %q : !llvm.ptr -> f32
      %p = llvm.getelementptr %y[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      llvm.store %v, %p : f32, !llvm.ptr
    }
    return
  } })";

TEST(Cpu, DoesNotTurnLoopsIntoCalls) {
  const auto [code, error] = compileText(kFill, "cpu");
  ASSERT_TRUE(code) << error;
  EXPECT_THAT(code->assembly, Not(AnyOf(HasSubstr("memset"), HasSubstr("memcpy"))));
  EXPECT_THAT(code->assembly, HasSubstr("ldmxcsr"));
}

TEST(Refused, ALibraryCallByItsName) {
  const char *text = R"(module {
    llvm.func @expf(f32) -> f32
    func.func @kernel(%x: f32, %y: !llvm.ptr) {
      %r = llvm.call @expf(%x) : (f32) -> f32
      llvm.store %r, %y : f32, !llvm.ptr
      return
    } })";
  const auto [code, error] = compileText(text, "cpu");
  EXPECT_FALSE(code);
  EXPECT_THAT(error, HasSubstr("'expf'"));
}

// LLVM would make this a call into libgcc only while it emits the object.
TEST(Refused, ALibraryCallThatTheBackendMakes) {
  const char *text = R"(module { func.func @kernel(%x: f32, %y: !llvm.ptr) {
      %r = llvm.call_intrinsic "llvm.sin"(%x) : (f32) -> f32
      llvm.store %r, %y : f32, !llvm.ptr
      return
    } })";
  const auto [code, error] = compileText(text, "cpu");
  EXPECT_FALSE(code);
  EXPECT_THAT(error, HasSubstr("'sinf'"));
}

TEST(Refused, ACastAtItsPlace) {
  const char *text = "module { func.func @kernel(%x: f32) {\n"
                     "  %r = ordo.cast %x : f32 to f8E5M2\n"
                     "  return } }";
  const auto [code, error] = compileText(text, "cpu");
  EXPECT_FALSE(code);
  EXPECT_THAT(error, StartsWith("kernel.mlir:2:8: "));
  EXPECT_THAT(error, HasSubstr("not lowered yet for cpu"));
}

// An instruction that x86 lacks ends the process in LLVM's own tools. Here it is an error, and the
// next kernel compiles.
TEST(Refused, WhatLlvmCallsFatal) {
  const char *text = R"(module { func.func @kernel(%x: f32, %y: !llvm.ptr) {
      %r = llvm.call_intrinsic "llvm.nvvm.ff2bf16x2.rn"(%x, %x) : (f32, f32) -> vector<2xbf16>
      llvm.store %r, %y : vector<2xbf16>, !llvm.ptr
      return
    } })";
  const auto [code, error] = compileText(text, "cpu");
  EXPECT_FALSE(code);
  EXPECT_THAT(error, StartsWith("LLVM stopped: "));
  EXPECT_TRUE(compileText(kFill, "cpu").code);
}

TEST(Refused, AGpuModuleWithoutKernels) {
  const auto [code, error] = compileText("module {}", "cuda.sm_90a");
  EXPECT_FALSE(code);
  EXPECT_THAT(error, HasSubstr("exactly one gpu.module"));
}

} // namespace
} // namespace ordo::compiler
