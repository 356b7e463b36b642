// Errors as the user sees them: place, line, caret, reason, fix.
#pragma once

#include "dsl/syntax/kinds.h"
#include "dsl/syntax/source.h"

#include <string>
#include <vector>

namespace ordo::dsl {

/// A second place that explains the first ("declared here").
struct Label {
  Span span;
  std::string text;
};

struct Diagnostic {
  enum class Severity : std::uint8_t { Error, Warning };
  Severity severity = Severity::Error;
  Kind kind;           // stable: "type-mismatch"
  Span span;           // where the caret goes
  std::string message; // one sentence, no full stop
  std::vector<Label> labels;
  std::string help; // the fix, when there is one
};

/// Collects diagnostics of a run; several errors a run, in order of report.
class Diagnostics {
public:
  explicit Diagnostics(const SourceManager &sources) : sources_(sources) {}

  Diagnostic &error(Kind kind, Span span, std::string message);
  Diagnostic &warning(Kind kind, Span span, std::string message);
  bool hasErrors() const { return errors_ > 0; }
  std::size_t errorCount() const { return errors_; }
  const std::vector<Diagnostic> &all() const { return items_; }

  /// "path:line:column: error: message", the line, a caret under the span, labels, help.
  std::string render(const Diagnostic &diagnostic) const;
  std::string renderAll() const;

private:
  const SourceManager &sources_;
  std::vector<Diagnostic> items_;
  std::size_t errors_ = 0;
};

/// The candidate nearest to `text`, a third of its length away at most, or "". Two neighbours
/// swapped are one edit, as a letter added, dropped or changed is.
std::string didYouMean(std::string_view text, const std::vector<std::string> &candidates);

} // namespace ordo::dsl
