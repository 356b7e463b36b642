// The mutants that are drawn of one kernel: always the same ones, whatever else is run.
#pragma once

#include "tests/mutation/record.h"
#include "tests/oracle/every_kernel.h"

#include <string>
#include <vector>

namespace ordo::mutation {

/// Changes of a few rules, those that few kernels have before others, each brought to its end. One
/// alone where the kernel is not proven, or where its proof is long. Fails the running test for a
/// survivor, and if the kernel does not compile.
std::vector<Record> drawnOf(const oracle::KernelCase &which, const std::string &target);

} // namespace ordo::mutation
