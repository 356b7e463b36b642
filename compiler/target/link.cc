#include "compiler/target/link.h"

#include "compiler/target/scratch.h"

#include "lld/Common/Driver.h"

#include <mutex>

LLD_HAS_DRIVER(elf)

namespace ordo::compiler {

std::optional<std::string> linkShared(const std::string &object, std::string *error) {
  auto scratch = Scratch::create(error);
  if (!scratch || !scratch->write("kernel.o", object, error))
    return std::nullopt;
  const std::string from = scratch->path("kernel.o"), to = scratch->path("kernel.so");
  // One thread: the work is a millisecond, and the result may not depend on how many there are.
  const char *arguments[] = {"ld.lld",     "-shared", "--no-undefined", "--threads=1",
                             from.c_str(), "-o",      to.c_str()};
  std::string said;
  llvm::raw_string_ostream out(said);
  static std::mutex oneAtATime;
  const std::lock_guard lock(oneAtATime);
  const lld::Result result = lld::lldMain(arguments, out, out, {{lld::Gnu, &lld::elf::link}});
  auto linked = scratch->read("kernel.so");
  if (result.retCode == 0 && linked && !linked->empty())
    return linked;
  *error = "lld refused the object: " + said;
  return std::nullopt;
}

} // namespace ordo::compiler
