#include "compiler/target/cuda/ptxas.h"

#include "compiler/target/llvm_backend.h"
#include "compiler/target/scratch.h"

#include "llvm/Support/Program.h"

#include <map>
#include <mutex>

namespace ordo::compiler {

std::optional<std::string> findPtxas() {
  if (auto path = llvm::sys::findProgramByName("ptxas"))
    return *path;
  if (auto path = llvm::sys::findProgramByName("ptxas", {"/usr/local/cuda/bin"}))
    return *path;
  return std::nullopt;
}

// Runs a program with both outputs in one file. True if it exited with 0; `output` holds what it
// said.
static bool runProgram(llvm::ArrayRef<llvm::StringRef> command, const Scratch &scratch,
                       std::string *output) {
  const std::string log = scratch.path("log");
  const std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(""), llvm::StringRef(log),
                                                      llvm::StringRef(log)};
  std::string reason;
  const int status = llvm::sys::ExecuteAndWait(command[0], command, std::nullopt, redirects,
                                               /*SecondsToWait=*/300, /*MemoryLimit=*/0, &reason);
  *output = scratch.read("log").value_or("") + reason;
  return status == 0;
}

static std::string askVersion(const std::string &ptxas, const Scratch &scratch) {
  std::string text;
  if (!runProgram({ptxas, "--version"}, scratch, &text))
    return "ptxas";
  const std::size_t at = text.rfind(" V");
  if (at == std::string::npos)
    return "ptxas";
  return "ptxas" + text.substr(at, text.find_first_of(" \n", at + 1) - at);
}

// Asked once a program: every kernel would get the same answer.
static std::string versionOf(const std::string &ptxas, const Scratch &scratch) {
  static std::mutex oneAtATime;
  static std::map<std::string, std::string> known;
  const std::lock_guard lock(oneAtATime);
  const auto [entry, isNew] = known.try_emplace(ptxas);
  if (isNew)
    entry->second = askVersion(ptxas, scratch);
  return entry->second;
}

std::optional<Cubin> runPtxas(const std::string &ptxas, const std::string &ptx,
                              std::string_view chip, std::string *error) {
  auto scratch = Scratch::create(error);
  if (!scratch || !scratch->write("kernel.ptx", ptx, error))
    return std::nullopt;
  const std::string source = scratch->path("kernel.ptx"), target = scratch->path("kernel.cubin");
  const std::string arch = "-arch=" + std::string(chip);
  // Everything LLVM writes is .rn, which ptxas may not contract; the flag says so once more.
  const llvm::StringRef command[] = {ptxas,          "-v", arch,   "-O3",
                                     "--fmad=false", "-o", target, source};
  std::string log;
  if (!runProgram(command, *scratch, &log)) {
    *error = "ptxas refused the code: " + log;
    return std::nullopt;
  }
  Cubin cubin;
  auto object = scratch->read("kernel.cubin");
  if (!object || object->empty()) {
    *error = "ptxas wrote no cubin: " + log;
    return std::nullopt;
  }
  cubin.object = std::move(*object);
  cubin.version = versionOf(ptxas, *scratch);
  cubin.registers = numberAfter(log, "Used");
  // "0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads"
  cubin.spillBytes = numberAfter(log, "bytes stack frame,");
  // "used 1 barriers, 512 bytes smem"; absent where there is none.
  const std::size_t smem = log.find(" bytes smem");
  const std::size_t comma = log.rfind(',', smem);
  cubin.sharedBytes = smem == std::string::npos || comma == std::string::npos
                          ? 0
                          : numberAfter(log.substr(comma), ",");
  return cubin;
}

} // namespace ordo::compiler
