#include "compiler/target/diagnostics.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace ordo::compiler {

static void append(std::string &text, Diagnostic &diagnostic) {
  llvm::raw_string_ostream out(text);
  if (!text.empty())
    out << "\n";
  if (auto place = dyn_cast<FileLineColLoc>(diagnostic.getLocation()))
    out << place.getFilename().getValue() << ":" << place.getLine() << ":" << place.getColumn()
        << ": ";
  out << diagnostic;
}

DiagnosticText::DiagnosticText(MLIRContext *context)
    : handler_(context, [this](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
          return failure();
        append(text_, diagnostic);
        return success();
      }) {}

std::string DiagnosticText::take(std::string_view otherwise) {
  if (text_.empty())
    return std::string(otherwise);
  return std::exchange(text_, {});
}

} // namespace ordo::compiler
