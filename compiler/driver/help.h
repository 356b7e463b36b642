// The help texts. Written by hand: a newcomer reads them first.
#pragma once

#include <string>

namespace ordo::compiler::driver {

/// `ordo --help`.
std::string mainHelp();
/// `ordo COMMAND --help`.
std::string commandHelp(const std::string &command);

} // namespace ordo::compiler::driver
