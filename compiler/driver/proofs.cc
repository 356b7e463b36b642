#include "compiler/driver/proofs.h"

#include "compiler/driver/options.h"
#include "compiler/verify/gcn/read.h"
#include "compiler/verify/ptx/read.h"

#include <chrono>
#include <exception>
#include <fmt/core.h>

namespace ordo::compiler::driver {

namespace {

struct Code {
  std::optional<verify::Kernel> kernel;
  std::string error;
};

Code readCode(const Provable &of) {
  const bool isPtx = of.target->kind == Target::Kind::Cuda;
  const auto file = of.files.find(isPtx ? "ptx" : "hsaco");
  if (file == of.files.end())
    return {std::nullopt, "there is no code to read"};
  if (isPtx) {
    verify::ptx::ReadFailure failure;
    auto kernel = verify::ptx::read(file->second, of.program->kernel, failure);
    return {std::move(kernel),
            fmt::format("line {} of the PTX: {}", failure.line, failure.message)};
  }
  verify::gcn::ReadFailure failure;
  auto kernel = verify::gcn::read(file->second, of.program->kernel, failure);
  return {std::move(kernel),
          fmt::format("the code object at 0x{:x}: {}", failure.address, failure.message)};
}

verify::certificate::Certificate certificateOf(const Provable &of, const verify::Proof &proof) {
  using namespace verify::certificate;
  Certificate certificate;
  certificate.subject = {
      of.program->kernel, std::string(of.target->name), of.digest, of.recipe, {}};
  for (const char *role : {"ptx", "cubin", "hsaco"})
    if (const auto it = of.files.find(role); it != of.files.end())
      certificate.subject.code.insert(*it);
  certificate.level = levelOf(*of.target);
  certificate.claims = claims();
  certificate.assumptions = proof.assumptions;
  certificate.axioms = proof.axioms;
  certificate.laws = laws();
  if (of.target->kind == Target::Kind::Cuda)
    certificate.trusted = {of.ptxas.empty() ? "the assembler of the PTX" : "ptxas " + of.ptxas};
  else // docs/amdgcn.md, What is trusted
    certificate.trusted = {
        "LLVM's disassembler",
        "LLVM's wait states between dependent instructions (s_nop, s_delay_alu, s_waitcnt_depctr)",
        "the HSA runtime: the state that a wave starts in, unaligned access to global memory"};
  certificate.verifier = kVersion;
  return certificate;
}

} // namespace

std::string notProvable(const Target &target) {
  return target.isGpu() ? "" : "x86-64 is tested against the evaluator, not proven";
}

std::string levelOf(const Target &target) {
  return target.kind == Target::Kind::Cuda ? "ptx" : "gcn";
}

Proven proofOf(const Provable &of) {
  const auto start = std::chrono::steady_clock::now();
  Proven proven;
  try {
    Code code = readCode(of);
    if (code.kernel)
      proven.proof = verify::prove(*of.program, *code.kernel, of.launch);
    else
      proven.proof.refusal = verify::Refusal{code.error, "", std::nullopt, ""};
  } catch (const std::bad_alloc &) {
    proven.proof.refusal = verify::Refusal{"the proof needs more memory than there is", "", {}, ""};
  }
  if (proven.proof.isProven())
    proven.certificate = verify::certificate::toText(certificateOf(of, proven.proof));
  proven.milliseconds =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return proven;
}

std::string refusalText(const Contract &contract, const verify::Refusal &refusal) {
  std::string text = fmt::format("  {}\n", refusal.message);
  if (!refusal.where.empty())
    text += fmt::format("  at {}\n", refusal.where);
  if (refusal.span)
    if (const std::string place = contract.place(*refusal.span); !place.empty())
      text += fmt::format("  of {}\n", place);
  std::string line;
  for (const char c : refusal.trees) {
    line += c;
    if (c == '\n') {
      text += "  " + line;
      line.clear();
    }
  }
  return text;
}

} // namespace ordo::compiler::driver
