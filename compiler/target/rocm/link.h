// Makes AMD's loadable code object out of a relocatable one.
#pragma once

#include <optional>
#include <string>

namespace ordo::compiler {

/// Links one relocatable ELF file into a shared one (.hsaco). Undefined symbols are errors.
std::optional<std::string> linkCodeObject(const std::string &object, std::string *error);

} // namespace ordo::compiler
