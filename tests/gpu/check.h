// Runs one built kernel on the device and compares every bit with what the evaluator expects.
#pragma once

#include "tests/gpu/bundle.h"
#include "tests/gpu/case_file.h"
#include "tests/gpu/helpers.h"

#include <string>
#include <vector>

namespace ordo::gpu {

struct CheckOptions {
  U64 tensorLimit = U64{4} << 30; // bytes of the largest tensor
  bool quick = false;             // few launches, for a memory checker
};

/// What one case came to.
struct CheckReport {
  std::string kernel;
  std::string set;
  std::vector<std::string> failures; // the first few, in words
  U64 failed = 0;                    // checks that failed; 0: all is well
  U64 launches = 0;
  U64 rows = 0;     // compared
  U64 elements = 0; // compared
  U64 largestRows = 0;
  int registers = 0;
  int localBytes = 0; // of a thread: spills and stack
  int sharedBytes = 0;
};

/// The launches of a case with rows, whose longest row takes `rowBytes` bytes: no row at all, every
/// pattern alone, every pattern first and last among strangers, then more and more rows up to
/// 65,536 or the limit on a tensor.
std::vector<Trial> trialsFor(U64 rowBytes, const CheckOptions &options);

/// How a manifest's arguments differ from those of the case; empty: they do not.
std::string argumentsDiffer(const BundleKernel &kernel, const Case &work);

/// Runs `work` on `kernel`. What is wrong with the kernel, its manifest or its bits goes to the
/// report; a status that is not ok means that the device can no longer be used.
runtime::cuda::Status checkCase(const Helpers &helpers, const BundleKernel &kernel,
                                const Case &work, const CheckOptions &options, CheckReport &report);

} // namespace ordo::gpu
