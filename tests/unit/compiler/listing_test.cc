// The readers that outputs_test judges by.
#include "tests/unit/compiler/listing.h"

#include <fstream>
#include <gmock/gmock.h>
#include <sstream>

namespace ordo {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;

std::string self() {
  std::ostringstream out;
  out << std::ifstream("/proc/self/exe", std::ios::binary).rdbuf();
  return out.str();
}

TEST(Elf, ReadsWhatIsDefinedAndWhatIsNot) {
  const ElfFile elf = readElf(self());
  EXPECT_EQ(elf.error, "");
  EXPECT_TRUE(elf.undefined.contains("strnlen") || elf.undefined.contains("memcpy"));
  EXPECT_TRUE(elf.defined.contains("main"));
  EXPECT_TRUE(elf.sections.contains(".text"));
}

TEST(Elf, RefusesWhatItCannotRead) {
  EXPECT_THAT(readElf("").error, Not(IsEmpty()));
  EXPECT_THAT(readElf(std::string(200, 'x')).error, Not(IsEmpty()));
  const std::string whole = self();
  EXPECT_THAT(readElf(whole.substr(0, whole.size() / 2)).error, Not(IsEmpty()));
}

TEST(Opcodes, OfPtx) {
  const auto counts = opcodes(".visible .entry f(\n"
                              "$L__BB0_1:\n"
                              "\tfma.rn.f32 \t%f1, %f2, %f3, %f4;\n"
                              "\t@%p1 bra \t$L__BB0_1;\n"
                              "\t{ // callseq 0\n"
                              "\tmax.f32 %f1, %f2, %f3;\n"
                              "\tret;\n"
                              "}\n");
  EXPECT_THAT(counts, ElementsAre(Pair("bra", 1), Pair("fma.rn.f32", 1), Pair("max.f32", 1),
                                  Pair("ret", 1)));
  EXPECT_EQ(countOpcodes(counts, ".f32"), 2);
}

TEST(Opcodes, OfAmdgcnAndX86) {
  EXPECT_THAT(
      opcodes("\tv_dual_mul_f32 v1, v2, v3 :: v_dual_fmac_f32 v4, v5, v6\n; %bb.0:\n"
              "\ts_endpgm\n"),
      ElementsAre(Pair("s_endpgm", 1), Pair("v_dual_fmac_f32", 1), Pair("v_dual_mul_f32", 1)));
  EXPECT_THAT(
      opcodes("\t.text\nf:                 # @f\n# %bb.0:\n\tvaddps\t%ymm0, %ymm1, %ymm2\n"),
      ElementsAre(Pair("vaddps", 1)));
}

TEST(Words, StandAlone) {
  EXPECT_TRUE(containsWord("fmul contract float", "contract"));
  EXPECT_FALSE(containsWord("call fastcc void @contract_1", "contract"));
  EXPECT_FALSE(containsWord("call fastcc void @f", "fast"));
}

TEST(Ir, CallsAndDefinitions) {
  const char *ir = "define internal fastcc void @k.body(ptr %0) #1 {\n"
                   "  %2 = tail call float @llvm.fma.f32(float %1, float %1, float %1)\n"
                   "  %3 = call float @expf(float %2)\n"
                   "  %4 = call float asm \"max.f32 $0, $1, $2;\", \"=f,f,f\"(float %2, float %3)\n"
                   "  call void %5()\n"
                   "}\n"
                   "declare float @expf(float) ; a call in a comment\n";
  EXPECT_THAT(irCallees(ir), ElementsAre("", "expf", "llvm.fma.f32"));
  EXPECT_THAT(irDefinitions(ir), ElementsAre("k.body"));
}

} // namespace
} // namespace ordo
