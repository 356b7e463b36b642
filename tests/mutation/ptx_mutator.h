// Changes PTX as LLVM prints it, one instruction or one pair of them at a time.
#pragma once

#include "tests/mutation/change.h"

#include <string>
#include <vector>

namespace ordo::mutation {

/// The rules that can have mutants in PTX.
std::vector<std::string> ptxRules();

/// `text`: one kernel.
std::vector<Change> ptxChanges(const std::string &text);

} // namespace ordo::mutation
