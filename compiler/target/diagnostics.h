// MLIR's diagnostics as text.
#pragma once

#include "mlir/IR/Diagnostics.h"

#include <string>

namespace ordo::compiler {

/// Collects the errors of its lifetime, one a line, each behind its location ("file:line:column:
/// "). Diagnostics of other severities go on to the handler below.
class DiagnosticText {
public:
  explicit DiagnosticText(mlir::MLIRContext *context);

  /// The errors so far; `otherwise` where something failed without saying why.
  std::string take(std::string_view otherwise);

private:
  std::string text_;
  mlir::ScopedDiagnosticHandler handler_;
};

} // namespace ordo::compiler
