// Changes AMDGCN assembly as LLVM prints it, one instruction or one pair of them at a time.
#pragma once

#include "tests/mutation/change.h"

#include <string>
#include <vector>

namespace ordo::mutation {

/// The rules that can have mutants in AMDGCN.
std::vector<std::string> gcnRules();

/// `text`: one kernel, its descriptor's directives included. Some changes do not assemble on every
/// chip: they are no mutants.
std::vector<Change> gcnChanges(const std::string &text);

} // namespace ordo::mutation
