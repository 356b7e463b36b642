// A kernel of a contract, compiled to PTX, to be proven as it is or altered.
#pragma once

#include "compiler/compile.h"
#include "compiler/verify/proof/prove.h"
#include "tests/oracle/every_kernel.h"

#include <string>

namespace ordo {

class Compiled {
public:
  /// Fails the running test where it does not compile.
  Compiled(const std::string &file, const std::string &kernel);

  const dsl::Program &program() const { return program_; }
  const std::string &ptx() const { return ptx_; }
  const verify::Launch &launch() const { return launch_; }

  /// Of a PTX text; where it does not read, the refusal says so.
  verify::Proof prove(const std::string &ptx, const verify::Launch &launch) const;
  verify::Proof prove(const std::string &ptx) const { return prove(ptx, launch_); }

private:
  dsl::Program program_;
  std::string ptx_;
  verify::Launch launch_;
};

} // namespace ordo
