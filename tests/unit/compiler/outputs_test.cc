// Every kernel of contracts/ and tests/contracts/ on every target: it compiles, calls nothing that
// it does not define, fuses only what its contract fuses, and keeps everything in registers.
#include "compiler/compile.h"
#include "dsl/sema/package.h"
#include "tests/unit/compiler/listing.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <gmock/gmock.h>
#include <memory>

namespace ordo {
namespace {

using compiler::CompiledKernel;
using compiler::Emit;
using compiler::Target;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

// A module, loaded once.
struct Module {
  dsl::SourceManager sources;
  dsl::Diagnostics diagnostics{sources};
  std::unique_ptr<dsl::Package> package;
};

const Module &module(const std::string &file) {
  static std::map<std::string, Module> loaded;
  const auto [at, isNew] = loaded.try_emplace(file);
  Module &m = at->second;
  if (isNew)
    m.package = dsl::Package::load(file, {"contracts"}, m.sources, m.diagnostics);
  return m;
}

struct Case {
  std::string file, kernel;
  const Target *target;
};
void PrintTo(const Case &c, std::ostream *out) {
  *out << c.file << ":" << c.kernel << " on " << c.target->name;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const char *file :
       {"contracts/nn/norm.ordo", "contracts/nn/softmax.ordo", "contracts/nn/log_sum_exp.ordo",
        "contracts/nn/swiglu.ordo", "contracts/nn/gelu.ordo", "contracts/nn/sigmoid_gate.ordo",
        "contracts/nn/selected_log_prob.ordo", "contracts/nn/norm_backward.ordo",
        "contracts/nn/column_sum.ordo", "contracts/random/philox.ordo",
        "contracts/random/noise.ordo", "tests/contracts/odd_widths.ordo",
        "tests/contracts/orders.ordo", "tests/contracts/apply.ordo", "tests/contracts/rounded.ordo",
        "tests/contracts/words.ordo", "tests/contracts/columns.ordo"}) {
    const auto &package = module(file).package;
    // A case of its own, so that the file's fault shows as a failure.
    const auto kernels = package ? package->kernels() : std::vector<std::string>{""};
    for (const std::string &kernel : kernels)
      for (const Target &target : compiler::targets())
        all.push_back({file, kernel, &target});
  }
  return all;
}

std::string caseName(const ::testing::TestParamInfo<Case> &info) {
  const Case &c = info.param;
  std::string name = c.kernel.empty() ? "broken_" + c.file : c.kernel;
  name += "_on_" + std::string(c.target->name);
  std::ranges::replace_if(name, [](unsigned char x) { return !std::isalnum(x); }, '_');
  return name;
}

// -- How many fused multiply-adds a contract writes

// exp of the f32 tier writes nine and log eleven (contracts/math/f32.ordo). A compiler may repeat
// them, as it unrolls a loop, and a row takes one logarithm.
struct Fused {
  int each = 0; // of one element, in all formats
  int row = 0;  // of one row, once

  /// `count` is some number of elements, and of one row.
  void expect(int count) const {
    const int rest = count - row;
    EXPECT_EQ(rest > 0, each > 0) << count;
    if (each > 0)
      EXPECT_EQ(rest % each, 0) << count << " with " << each << " an element";
  }
};

// By hand, from the contracts. Where a kernel takes exp of the rounded tier it has 13.
const std::map<std::string, int> kFusedOfFunctions = {
    {"exp_f32", 9},       {"exp2_f32", 6},
    {"log_f32", 11},      {"sigmoid_f32", 9 + 3},
    {"tanh_f32", 9 + 8},  {"sin_f32", 10},
    {"cos_f32", 10},      {"erf_f32", 8 + 15},
    {"exp_rounded", 13},  {"exp2_rounded", 10},
    {"log_rounded", 19},  {"expm1_rounded", 14},
    {"log2_rounded", 20}, {"tanh_rounded", 14},
    {"sin_rounded", 16},  {"log1p_rounded", 19},
    {"cos_rounded", 16},  {"erf_rounded", 38},
    {"cbrt_rounded", 9},  {"rsqrt_rounded", 3},
    {"rsqrt_f32", 4},     {"exp_nonpositive_f32", 9},
};

Fused fusedOf(const std::string &kernel) {
  const auto has = [&](const char *part) { return kernel.find(part) != std::string::npos; };
  if (const auto known = kFusedOfFunctions.find(kernel); known != kFusedOfFunctions.end())
    return {known->second, 0};
  if (has("selected_log_prob_rounded"))
    return {13, 19};
  if (has("selected_log_prob"))
    return {9, 11};
  if (has("softmax") || has("log_sum_exp"))
    return {9, has("log_") ? 11 : 0};
  if (has("gelu_tier"))
    return {8 + 15, 0};
  if (has("gelu_tanh_tier"))
    return {9 + 8, 0};
  if (has("gelu_tanh"))
    return {14, 0};
  if (has("gelu"))
    return {38, 0};
  if (has("swiglu_tier"))
    return {9, 0};
  if (has("swiglu") || has("sigmoid_gate"))
    return {13, 0};
  if (has("rms_norm_hf") && !has("_dw_"))
    return {0, 4}; // rsqrt, of a row
  if (has("noise"))
    return {19 + 15, 0}; // a logarithm, and a circle's polynomials
  return {};
}

int countLines(std::string_view text, std::string_view part) {
  int n = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string_view::npos; ++n)
    at = std::min(text.find('\n', at), text.size());
  return n;
}

// -- What we write, each kind by itself

void checkNames(const std::string &text) {
  for (const char *library : {"__nv_", "__ocml_", "__ockl_", "__gnu_", "__truncsf", "__extend"})
    EXPECT_THAT(text, Not(HasSubstr(library)));
  for (const char *name : {"exp", "expf", "exp2f", "log", "logf", "log2f", "sqrt", "sqrtf",
                           "rsqrtf", "fmaf", "fmaxf", "fminf", "floorf", "memcpy", "memset"})
    EXPECT_FALSE(containsWord(text, name)) << name;
}

void checkIr(const std::string &ir, const std::string &kernel) {
  const std::set<std::string> defined = irDefinitions(ir);
  EXPECT_TRUE(defined.contains(kernel));
  for (const std::string &callee : irCallees(ir))
    EXPECT_TRUE(callee.starts_with("llvm.") || defined.contains(callee)) << "calls " << callee;
  for (const char *flag : {"fast", "contract", "reassoc", "afn", "arcp", "nnan", "ninf", "nsz"})
    EXPECT_FALSE(containsWord(ir, flag)) << flag;
  for (const char *other : {"llvm.fmuladd", "llvm.exp", "llvm.log", "llvm.maxnum", "llvm.minnum",
                            "llvm.memset", "llvm.memcpy", "atomicrmw", "cmpxchg"})
    EXPECT_THAT(ir, Not(HasSubstr(other)));
}

void checkX86(const CompiledKernel &code, const std::string &kernel) {
  const auto found = opcodes(code.assembly);
  const int fused = countOpcodes(found, "vfm") + countOpcodes(found, "vfnm");
  EXPECT_EQ(fused > 0, fusedOf(kernel).each + fusedOf(kernel).row > 0) << fused;
  EXPECT_EQ(countOpcodes(found, "call"), 1); // of the body, behind the guard of MXCSR
  EXPECT_THAT(code.assembly, HasSubstr("callq\t" + kernel + ".body\n"));
  for (const char *approximate : {"rcpps", "rcpss", "rsqrtps", "rsqrtss"})
    EXPECT_EQ(countOpcodes(found, approximate), 0) << approximate;
}

bool isFloat(const std::string &opcode) {
  return std::ranges::any_of(std::array{".f32", ".f64", "f16"}, [&](const char *type) {
    return opcode.find(type) != std::string::npos;
  });
}

void checkPtx(const CompiledKernel &code, const std::string &kernel) {
  for (const char *directive : {".extern", ".func", "callseq", ".local"})
    EXPECT_THAT(code.assembly, Not(HasSubstr(directive)));
  const auto found = opcodes(code.assembly);
  for (const auto &[opcode, count] : found) {
    for (const char *part : {".ftz", ".approx", ".sat.f"})
      EXPECT_THAT(opcode, Not(HasSubstr(part)));
    for (const char *start : {"atom", "red.", "call", "ex2", "lg2", "mad.f", "mad.rn"})
      EXPECT_THAT(opcode, Not(StartsWith(start)));
    // What names no rounding, ptxas may fuse.
    for (const char *start : {"add.", "sub.", "mul.", "div.", "fma.", "sqrt.", "rcp."})
      if (opcode.starts_with(start) && isFloat(opcode))
        EXPECT_THAT(opcode, StartsWith(start + std::string("rn.")));
  }
  fusedOf(kernel).expect(countOpcodes(found, "fma"));
}

// AMD divides and takes roots by sequences with fused steps: none where a contract has neither, and
// elsewhere as many as those take, however long the row.
void checkAmdgcn(const CompiledKernel &code, const std::string &kernel) {
  for (const char *key : {"vgpr_spill_count", "sgpr_spill_count", "private_segment_fixed_size"})
    EXPECT_THAT(code.assembly, HasSubstr("    ." + std::string(key) + ": 0\n"));
  const auto found = opcodes(code.assembly);
  for (const auto &[opcode, count] : found)
    for (const char *part : {"atomic", "swappc", "setpc", "v_exp_", "v_log_", "scratch_", "ds_add",
                             "ds_max", "ds_min", "v_mad_f", "v_mac_f", "v_mad_mix"})
      EXPECT_THAT(opcode, Not(HasSubstr(part)));
  const int fused = countOpcodes(found, "fma");
  if (kernel.starts_with("row_sum") || kernel.starts_with("centre") ||
      kernel.starts_with("column_sum") || kernel.starts_with("gradients") ||
      kernel.find("_dw_") != std::string::npos)
    EXPECT_EQ(fused, 0);
  if (kernel.starts_with("rms_norm"))
    EXPECT_LE(fused, 18 + fusedOf(kernel).row); // two divisions and a root (docs/amdgcn.md)
}

void checkObject(const CompiledKernel &code, const Target &target, const std::string &kernel) {
  if (code.object.empty()) { // PTX only: this machine has no ptxas
    EXPECT_EQ(target.kind, Target::Kind::Cuda);
    EXPECT_THAT(code.note, HasSubstr("ptxas"));
    return;
  }
  ElfFile elf = readElf(code.object);
  EXPECT_EQ(elf.error, "");
  if (target.kind == Target::Kind::Cuda)
    elf.undefined.erase(".nv.reservedSmem.offset0"); // where the driver's own shared memory begins
  EXPECT_THAT(elf.undefined, IsEmpty());
  EXPECT_TRUE(elf.defined.contains(kernel));
  if (!target.isGpu())
    return;
  EXPECT_EQ(code.spillBytes, 0);
  EXPECT_GT(code.registers, 0);
  EXPECT_FALSE(elf.sections.contains(".nv.local." + kernel)); // memory of a thread's own
}

class Outputs : public ::testing::TestWithParam<Case> {};

TEST_P(Outputs, AreWhole) {
  const auto &[file, kernel, target] = GetParam();
  const Module &m = module(file);
  ASSERT_TRUE(m.package) << m.diagnostics.renderAll();
  dsl::Diagnostics diagnostics(m.sources);
  const auto program = m.package->instantiate(kernel, diagnostics);
  ASSERT_TRUE(program) << diagnostics.renderAll();
  const auto code = compiler::compile(*program, *target, Emit::Llvm, diagnostics);
  ASSERT_TRUE(code) << diagnostics.renderAll();

  checkNames(code->text);
  checkNames(code->assembly);
  checkIr(code->text, kernel);
  checkObject(*code, *target, kernel);
  // One fused operation of a GPU's code is one of the contract; the CPU's are vectors, and rests.
  if (target->isGpu())
    fusedOf(kernel).expect(countLines(code->text, "call float @llvm.fma.f32(") +
                           countLines(code->text, "call double @llvm.fma.f64("));
  switch (target->kind) {
  case Target::Kind::Cpu:
    return checkX86(*code, kernel);
  case Target::Kind::Cuda:
    return checkPtx(*code, kernel);
  case Target::Kind::Rocm:
    return checkAmdgcn(*code, kernel);
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, Outputs, ::testing::ValuesIn(cases()), caseName);

TEST(Cpu, ComputesEightFloatsAtOnce) {
  const Module &m = module("contracts/nn/norm.ordo");
  ASSERT_TRUE(m.package) << m.diagnostics.renderAll();
  dsl::Diagnostics diagnostics(m.sources);
  const auto program = m.package->instantiate("rms_norm_bf16_3584", diagnostics);
  ASSERT_TRUE(program) << diagnostics.renderAll();
  const auto code =
      compiler::compile(*program, *compiler::findTarget("cpu"), Emit::Asm, diagnostics);
  ASSERT_TRUE(code) << diagnostics.renderAll();
  EXPECT_THAT(code->assembly, ContainsRegex("vmulps\t[^\n]*%ymm"));
  EXPECT_THAT(code->assembly, ContainsRegex("vaddps\t[^\n]*%ymm"));
}

} // namespace
} // namespace ordo
