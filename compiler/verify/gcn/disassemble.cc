#include "compiler/verify/gcn/disassemble.h"

#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

#include <fmt/format.h>
#include <memory>
#include <mutex>

extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUDisassembler();
}

namespace ordo::verify::gcn {
namespace {

constexpr const char *kTriple = "amdgcn-amd-amdhsa";

const llvm::Target *target(std::string &error) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();
  });
  return llvm::TargetRegistry::lookupTarget(kTriple, error);
}

/// SDWA's second word selects parts of registers. LLVM 19 decodes the values that are reserved and
/// then fails to print them.
bool selectsWhatIsReserved(llvm::StringRef opcode, llvm::ArrayRef<std::uint8_t> bytes) {
  if (!opcode.contains("_sdwa") || bytes.size() < 8)
    return false;
  const bool isCompare = opcode.starts_with("V_CMP");
  constexpr unsigned kReservedPart = 7, kReservedRest = 3;
  return (bytes[6] & 7) == kReservedPart || (bytes[7] & 7) == kReservedPart ||
         (!isCompare && ((bytes[5] & 7) == kReservedPart || (bytes[5] >> 3 & 3) == kReservedRest));
}

/// LLVM's MC layer for one chip.
class Decoder {
public:
  Decoder(const llvm::Target &target, const std::string &chip, int waveSize)
      : registers_(target.createMCRegInfo(kTriple)),
        assembly_(target.createMCAsmInfo(*registers_, kTriple, llvm::MCTargetOptions())),
        subtarget_(target.createMCSubtargetInfo(kTriple, chip, features(chip, waveSize))),
        instructions_(target.createMCInstrInfo()),
        context_(llvm::Triple(kTriple), assembly_.get(), registers_.get(), subtarget_.get()),
        disassembler_(target.createMCDisassembler(*subtarget_, context_)),
        printer_(target.createMCInstPrinter(llvm::Triple(kTriple), 0, *assembly_, *instructions_,
                                            *registers_)) {}

  /// The parts of the instruction at `offset`; empty if it is none.
  std::vector<Instruction> decode(const KernelObject &kernel, std::uint64_t offset) const {
    llvm::MCInst inst;
    std::uint64_t size = 0;
    const llvm::ArrayRef<std::uint8_t> bytes(kernel.code.data() + offset,
                                             kernel.code.size() - offset);
    const std::uint64_t address = kernel.address + offset;
    if (disassembler_->getInstruction(inst, size, bytes, address, llvm::nulls()) !=
            llvm::MCDisassembler::Success ||
        size == 0 || selectsWhatIsReserved(instructions_->getName(inst.getOpcode()), bytes))
      return {};
    std::string text;
    llvm::raw_string_ostream stream(text);
    printer_->printInst(&inst, address, "", *subtarget_, stream);
    auto parts = parseInstruction(text);
    if (!parts)
      return {};
    for (Instruction &part : *parts) {
      part.address = address;
      part.bytes = static_cast<std::uint32_t>(size);
      part.opcode = instructions_->getName(inst.getOpcode()).str();
    }
    return std::move(*parts);
  }

private:
  static std::string features(const std::string &chip, int waveSize) {
    if (chip != "gfx1100")
      return "";
    return waveSize == 32 ? "+wavefrontsize32,-wavefrontsize64"
                          : "+wavefrontsize64,-wavefrontsize32";
  }

  std::unique_ptr<llvm::MCRegisterInfo> registers_;
  std::unique_ptr<llvm::MCAsmInfo> assembly_;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget_;
  std::unique_ptr<llvm::MCInstrInfo> instructions_;
  llvm::MCContext context_;
  std::unique_ptr<llvm::MCDisassembler> disassembler_;
  std::unique_ptr<llvm::MCInstPrinter> printer_;
};

} // namespace

std::optional<std::vector<Instruction>> disassemble(const KernelObject &kernel,
                                                    ReadFailure &failure) {
  std::string error;
  const llvm::Target *llvmTarget = target(error);
  if (llvmTarget == nullptr) {
    failure = {0, fmt::format("this LLVM has no AMDGPU disassembler: {}", error)};
    return std::nullopt;
  }
  const Decoder decoder(*llvmTarget, kernel.chip, kernel.waveSize);
  std::vector<Instruction> all;
  for (std::uint64_t offset = 0; offset < kernel.code.size();) {
    std::vector<Instruction> parts = decoder.decode(kernel, offset);
    if (parts.empty()) {
      failure = {kernel.address + offset,
                 fmt::format("no instruction of {} that LLVM decodes", kernel.chip)};
      return std::nullopt;
    }
    offset += parts.front().bytes;
    for (Instruction &part : parts)
      all.push_back(std::move(part));
  }
  return all;
}

} // namespace ordo::verify::gcn
