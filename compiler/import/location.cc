#include "compiler/import/import.h"

using namespace mlir;

namespace ordo::compiler {

// MLIR has no byte ranges; a file-line-column triple carries file, begin and end.
static constexpr StringLiteral kPrefix = "contract:";

Location toLocation(MLIRContext &context, dsl::Span span) {
  if (span.end == 0)
    return UnknownLoc::get(&context);
  return FileLineColLoc::get(&context, (kPrefix + Twine(span.file)).str(), span.begin, span.end);
}

std::optional<dsl::Span> toSpan(Location location) {
  std::optional<dsl::Span> found;
  location->walk([&](Location at) {
    const auto place = dyn_cast<FileLineColLoc>(at);
    unsigned file = 0;
    StringRef name = place ? place.getFilename().getValue() : StringRef();
    if (!name.consume_front(kPrefix) || name.getAsInteger(10, file))
      return WalkResult::advance();
    found = dsl::Span{file, place.getLine(), place.getColumn()};
    return WalkResult::interrupt();
  });
  return found;
}

} // namespace ordo::compiler
