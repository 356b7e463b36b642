#include "compiler/driver/shared_object.h"

#include "compiler/driver/failure.h"
#include "compiler/driver/files.h"

#include "lld/Common/Driver.h"
#include "llvm/Support/raw_ostream.h"

LLD_HAS_DRIVER(elf)

namespace ordo::compiler::driver {

void linkSharedObject(const std::string &object, const std::string &path) {
  const std::string objectPath = path + ".o";
  writeFiles({{objectPath, object}});
  const char *arguments[] = {"ld.lld", "-shared", objectPath.c_str(), "-o", path.c_str()};
  std::string words;
  llvm::raw_string_ostream out(words);
  const lld::Result result = lld::lldMain(arguments, out, out, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode != 0)
    throw refusal("cannot link the compiled kernel: " + out.str());
}

} // namespace ordo::compiler::driver
