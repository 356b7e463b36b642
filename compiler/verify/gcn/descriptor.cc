#include "compiler/verify/gcn/descriptor.h"

#include "llvm/Support/AMDHSAKernelDescriptor.h"

#include <fmt/format.h>

namespace ordo::verify::gcn {
namespace {

using namespace llvm::amdhsa;

/// A field of a descriptor's word.
#define FIELD(word, name) (((word) & (name)) >> name##_SHIFT)

void requireModes(std::uint32_t rsrc1) {
  const auto require = [](std::uint32_t have, std::uint32_t want, const char *what) {
    if (have != want)
      throw ReadError(fmt::format("the kernel descriptor {} (mode {})", what, have));
  };
  require(FIELD(rsrc1, COMPUTE_PGM_RSRC1_FLOAT_ROUND_MODE_32), FLOAT_ROUND_MODE_NEAR_EVEN,
          "rounds f32 otherwise than to nearest even");
  require(FIELD(rsrc1, COMPUTE_PGM_RSRC1_FLOAT_ROUND_MODE_16_64), FLOAT_ROUND_MODE_NEAR_EVEN,
          "rounds f16 and f64 otherwise than to nearest even");
  require(FIELD(rsrc1, COMPUTE_PGM_RSRC1_FLOAT_DENORM_MODE_32), FLOAT_DENORM_MODE_FLUSH_NONE,
          "flushes subnormals of f32");
  require(FIELD(rsrc1, COMPUTE_PGM_RSRC1_FLOAT_DENORM_MODE_16_64), FLOAT_DENORM_MODE_FLUSH_NONE,
          "flushes subnormals of f16 and f64");
  require(FIELD(rsrc1, COMPUTE_PGM_RSRC1_GFX9_PLUS_FP16_OVFL), 0, "saturates f16");
  require(FIELD(rsrc1, COMPUTE_PGM_RSRC1_PRIV), 0, "asks for a privileged wave");
  require(FIELD(rsrc1, COMPUTE_PGM_RSRC1_DEBUG_MODE), 0, "starts in debug mode");
}

constexpr std::uint32_t kExceptions =
    COMPUTE_PGM_RSRC2_ENABLE_EXCEPTION_ADDRESS_WATCH | COMPUTE_PGM_RSRC2_ENABLE_EXCEPTION_MEMORY |
    COMPUTE_PGM_RSRC2_ENABLE_EXCEPTION_IEEE_754_FP_INVALID_OPERATION |
    COMPUTE_PGM_RSRC2_ENABLE_EXCEPTION_FP_DENORMAL_SOURCE |
    COMPUTE_PGM_RSRC2_ENABLE_EXCEPTION_IEEE_754_FP_DIVISION_BY_ZERO |
    COMPUTE_PGM_RSRC2_ENABLE_EXCEPTION_IEEE_754_FP_OVERFLOW |
    COMPUTE_PGM_RSRC2_ENABLE_EXCEPTION_IEEE_754_FP_UNDERFLOW |
    COMPUTE_PGM_RSRC2_ENABLE_EXCEPTION_IEEE_754_FP_INEXACT |
    COMPUTE_PGM_RSRC2_ENABLE_EXCEPTION_INT_DIVIDE_BY_ZERO;

/// The SGPRs and VGPRs that the wave starts with.
void readInitialRegisters(std::uint32_t rsrc2, std::uint32_t properties, KernelObject &kernel) {
  if ((properties & KERNEL_CODE_PROPERTY_ENABLE_SGPR_KERNARG_SEGMENT_PTR) == 0)
    throw ReadError("the kernel does not ask for its kernarg pointer");
  if (FIELD(rsrc2, COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_INFO) != 0)
    throw ReadError("the kernel asks for the workgroup info SGPR");
  kernel.userSgprs = FIELD(rsrc2, COMPUTE_PGM_RSRC2_USER_SGPR_COUNT);
  // In this order, before the kernarg pointer; nobody defines what they and the later ones hold.
  const auto registers = [&](std::uint32_t property, std::uint32_t count) {
    return (properties & property) != 0 ? count : 0;
  };
  kernel.kernargSgpr = registers(KERNEL_CODE_PROPERTY_ENABLE_SGPR_PRIVATE_SEGMENT_BUFFER, 4) +
                       registers(KERNEL_CODE_PROPERTY_ENABLE_SGPR_DISPATCH_PTR, 2) +
                       registers(KERNEL_CODE_PROPERTY_ENABLE_SGPR_QUEUE_PTR, 2);
  if (kernel.userSgprs < kernel.kernargSgpr + 2)
    throw ReadError("too few user SGPRs for the kernarg pointer");
  kernel.workgroupId = {FIELD(rsrc2, COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_ID_X) != 0,
                        FIELD(rsrc2, COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_ID_Y) != 0,
                        FIELD(rsrc2, COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_ID_Z) != 0};
  const std::uint32_t dims = FIELD(rsrc2, COMPUTE_PGM_RSRC2_ENABLE_VGPR_WORKITEM_ID);
  if (dims == SYSTEM_VGPR_WORKITEM_ID_UNDEFINED)
    throw ReadError("an undefined number of workitem ids");
  kernel.workitemDims = static_cast<int>(dims) + 1;
}

/// What the wave is given. Granules: LLVM's user guide, "compute_pgm_rsrc1".
void readRegisterCounts(const kernel_descriptor_t &raw, KernelObject &kernel) {
  const std::uint32_t rsrc1 = raw.compute_pgm_rsrc1;
  const std::uint32_t granules = FIELD(rsrc1, COMPUTE_PGM_RSRC1_GRANULATED_WORKITEM_VGPR_COUNT) + 1;
  if (kernel.chip == "gfx1100") {
    kernel.vgprs = granules * (kernel.waveSize == 32 ? 8 : 4);
    kernel.sgprs = 106; // always all of them
    return;
  }
  const std::uint32_t all = granules * 8; // shared between VGPRs and AGPRs
  const std::uint32_t offset =
      (FIELD(raw.compute_pgm_rsrc3, COMPUTE_PGM_RSRC3_GFX90A_ACCUM_OFFSET) + 1) * 4;
  kernel.vgprs = std::min(all, offset);
  kernel.agprs = all - kernel.vgprs;
  const std::uint32_t sgprs =
      (FIELD(rsrc1, COMPUTE_PGM_RSRC1_GRANULATED_WAVEFRONT_SGPR_COUNT) / 2 + 1) * 16;
  // VCC, XNACK_MASK and FLAT_SCRATCH lie at the end; numbered SGPRs end at 102.
  kernel.sgprs = std::min<std::uint32_t>(sgprs, 102);
  if (FIELD(raw.compute_pgm_rsrc3, COMPUTE_PGM_RSRC3_GFX90A_TG_SPLIT) != 0)
    throw ReadError("the workgroup is split over compute units");
}

#undef FIELD

} // namespace

void readDescriptor(const kernel_descriptor_t &raw, KernelObject &kernel) {
  const std::uint32_t properties = raw.kernel_code_properties;
  const bool isWave32 = (properties & KERNEL_CODE_PROPERTY_ENABLE_WAVEFRONT_SIZE32) != 0;
  if (isWave32 && kernel.chip != "gfx1100")
    throw ReadError(fmt::format("wavefronts of 32 on {}", kernel.chip));
  kernel.waveSize = isWave32 ? 32 : 64;
  requireModes(raw.compute_pgm_rsrc1);
  kernel.ieee = (raw.compute_pgm_rsrc1 & COMPUTE_PGM_RSRC1_GFX6_GFX11_ENABLE_IEEE_MODE) != 0;
  kernel.clampsNan = (raw.compute_pgm_rsrc1 & COMPUTE_PGM_RSRC1_GFX6_GFX11_ENABLE_DX10_CLAMP) != 0;
  if ((raw.compute_pgm_rsrc2 & kExceptions) != 0)
    throw ReadError("the kernel descriptor enables exceptions");
  if (raw.private_segment_fixed_size != 0 ||
      (raw.compute_pgm_rsrc2 & COMPUTE_PGM_RSRC2_ENABLE_PRIVATE_SEGMENT) != 0 ||
      (properties & KERNEL_CODE_PROPERTY_USES_DYNAMIC_STACK) != 0)
    throw ReadError(fmt::format("the kernel uses scratch memory ({} bytes a thread), which is not "
                                "modelled",
                                raw.private_segment_fixed_size));
  if (raw.kernarg_preload != 0)
    throw ReadError("kernel arguments are preloaded into SGPRs, which is not modelled");
  readInitialRegisters(raw.compute_pgm_rsrc2, properties, kernel);
  readRegisterCounts(raw, kernel);
  kernel.ldsBytes = raw.group_segment_fixed_size;
  kernel.kernargBytes = raw.kernarg_size;
}

} // namespace ordo::verify::gcn
