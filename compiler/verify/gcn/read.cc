#include "compiler/verify/gcn/read.h"
#include "compiler/verify/gcn/disassemble.h"
#include "compiler/verify/gcn/lowering.h"

namespace ordo::verify::gcn {

std::optional<Kernel> read(std::string_view bytes, std::string_view name, ReadFailure &failure) {
  const auto object = readObject(bytes, name, failure);
  const auto code = object ? disassemble(*object, failure) : std::nullopt;
  if (!code)
    return std::nullopt;
  try {
    return Lowering(*object, *code).run();
  } catch (const LoweringError &error) {
    failure = {error.address, error.message};
    return std::nullopt;
  }
}

} // namespace ordo::verify::gcn
