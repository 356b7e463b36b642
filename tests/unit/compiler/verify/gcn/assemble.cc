#include "tests/unit/compiler/verify/gcn/assemble.h"

#include "compiler/target/link.h"

#include "llvm/MC/MCAsmBackend.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCObjectWriter.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUAsmParser();
}

namespace ordo::verify::gcn {
namespace {

constexpr const char *kTriple = "amdgcn-amd-amdhsa";

const llvm::Target &target() {
  static const llvm::Target *const found = [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmParser();
    std::string error;
    return llvm::TargetRegistry::lookupTarget(kTriple, error);
  }();
  return *found;
}

std::string features(const std::string &chip, int waveSize) {
  if (chip != "gfx1100")
    return "";
  return waveSize == 32 ? "+wavefrontsize32,-wavefrontsize64" : "+wavefrontsize64,-wavefrontsize32";
}

std::string arguments(const TestKernel &kernel) {
  std::string text;
  for (std::uint32_t i = 0; i < kernel.pointers; ++i)
    text += fmt::format("      - .address_space: global\n        .offset: {}\n        .size: 8\n"
                        "        .value_kind: global_buffer\n",
                        8 * i);
  return text;
}

} // namespace

std::string kernelText(const TestKernel &kernel) {
  const bool isGfx11 = kernel.chip == "gfx1100";
  const std::string metadata =
      !kernel.metadata.empty()
          ? kernel.metadata
          : fmt::format("amdhsa.kernels:\n  - .args:\n{}    .group_segment_fixed_size: {}\n"
                        "    .kernarg_segment_align: 8\n    .kernarg_segment_size: {}\n"
                        "    .max_flat_workgroup_size: {}\n    .name: k\n"
                        "    .private_segment_fixed_size: 0\n    .sgpr_count: 32\n"
                        "    .symbol: k.kd\n    .vgpr_count: 32\n    .wavefront_size: {}\n"
                        "amdhsa.target: amdgcn-amd-amdhsa--{}\namdhsa.version: [1, 2]\n",
                        arguments(kernel), kernel.ldsBytes, 8 * kernel.pointers, kernel.block,
                        isGfx11 ? 32 : 64, kernel.chip);
  return fmt::format(".amdgcn_target \"amdgcn-amd-amdhsa--{0}\"\n.amdhsa_code_object_version 5\n"
                     ".text\n.globl k\n.p2align 8\n.type k,@function\nk:\n{1}\n  s_endpgm\n"
                     ".Lend:\n.size k, .Lend-k\n.rodata\n.p2align 6\n.amdhsa_kernel k\n"
                     "  .amdhsa_group_segment_fixed_size {2}\n  .amdhsa_kernarg_size {3}\n"
                     "  .amdhsa_user_sgpr_count {4}\n  .amdhsa_user_sgpr_kernarg_segment_ptr 1\n"
                     "  .amdhsa_system_sgpr_workgroup_id_x 1\n  .amdhsa_next_free_vgpr 64\n"
                     "  .amdhsa_next_free_sgpr 64\n  .amdhsa_float_denorm_mode_32 {8}\n"
                     "  .amdhsa_float_denorm_mode_16_64 {9}\n{5}{6}.end_amdhsa_kernel\n"
                     ".amdgpu_metadata\n---\n{7}...\n.end_amdgpu_metadata\n",
                     kernel.chip, kernel.body, kernel.ldsBytes, 8 * kernel.pointers,
                     kernel.userSgprs != 0 ? kernel.userSgprs
                     : isGfx11             ? 15
                                           : 2,
                     isGfx11 ? "" : "  .amdhsa_accum_offset 64\n", kernel.directives, metadata,
                     kernel.denormals32, kernel.denormals64);
}

std::string assemble(const std::string &chip, int waveSize, const std::string &text,
                     std::string &messages) {
  const llvm::Triple triple(kTriple);
  llvm::SourceMgr sources;
  sources.setDiagHandler(
      [](const llvm::SMDiagnostic &message, void *out) {
        *static_cast<std::string *>(out) += message.getMessage().str() + "\n";
      },
      &messages);
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, "test"), {});
  llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCRegisterInfo> registers(target().createMCRegInfo(kTriple));
  std::unique_ptr<llvm::MCAsmInfo> assembly(target().createMCAsmInfo(*registers, kTriple, options));
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget(
      target().createMCSubtargetInfo(kTriple, chip, features(chip, waveSize)));
  std::unique_ptr<llvm::MCInstrInfo> instructions(target().createMCInstrInfo());
  llvm::MCContext context(triple, assembly.get(), registers.get(), subtarget.get(), &sources);
  std::unique_ptr<llvm::MCObjectFileInfo> file(target().createMCObjectFileInfo(context, true));
  context.setObjectFileInfo(file.get());
  llvm::SmallString<4096> bytes;
  llvm::raw_svector_ostream out(bytes);
  std::unique_ptr<llvm::MCAsmBackend> backend(
      target().createMCAsmBackend(*subtarget, *registers, options));
  std::unique_ptr<llvm::MCObjectWriter> writer = backend->createObjectWriter(out);
  std::unique_ptr<llvm::MCCodeEmitter> emitter(
      target().createMCCodeEmitter(*instructions, context));
  std::unique_ptr<llvm::MCStreamer> streamer(target().createMCObjectStreamer(
      triple, context, std::move(backend), std::move(writer), std::move(emitter), *subtarget));
  std::unique_ptr<llvm::MCAsmParser> parser(
      llvm::createMCAsmParser(sources, context, *streamer, *assembly));
  std::unique_ptr<llvm::MCTargetAsmParser> targetParser(
      target().createMCAsmParser(*subtarget, *parser, *instructions, options));
  parser->setTargetParser(*targetParser);
  return parser->Run(false) ? "" : bytes.str().str();
}

std::string assembleKernel(const TestKernel &kernel) {
  std::string messages;
  const std::string text = kernel.text.empty() ? kernelText(kernel) : kernel.text;
  const std::string object =
      assemble(kernel.chip, kernel.chip == "gfx1100" ? 32 : 64, text, messages);
  if (object.empty()) {
    ADD_FAILURE() << messages << text;
    return "";
  }
  std::string error;
  const auto linked = compiler::linkShared(object, &error);
  if (!linked) {
    ADD_FAILURE() << error;
    return "";
  }
  return *linked;
}

namespace {

/// The content of the section that is executable.
std::vector<std::uint8_t> codeOf(const std::string &object) {
  auto file = llvm::object::ELFFile<llvm::object::ELF64LE>::create(object);
  if (!file) {
    llvm::consumeError(file.takeError());
    return {};
  }
  for (const auto &section : llvm::cantFail(file->sections()))
    if ((section.sh_flags & llvm::ELF::SHF_EXECINSTR) != 0) {
      const auto bytes = llvm::cantFail(file->getSectionContents(section));
      return {bytes.begin(), bytes.end()};
    }
  return {};
}

} // namespace

std::vector<std::uint8_t> assembleInstruction(const std::string &chip, int waveSize,
                                              const std::string &text) {
  std::string messages;
  const std::string object = assemble(chip, waveSize, ".text\n  " + text + "\n", messages);
  if (object.empty())
    ADD_FAILURE() << messages << text;
  return codeOf(object);
}

std::vector<std::uint8_t> tryAssemble(const std::string &chip, int waveSize,
                                      const std::string &text) {
  std::string messages;
  return codeOf(assemble(chip, waveSize, ".text\n  " + text + "\n", messages));
}

} // namespace ordo::verify::gcn
