// Where sema reports: the run's diagnostics with the context in which they arise.
#pragma once

#include "dsl/syntax/ast.h"
#include "dsl/syntax/diagnostic.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ordo::dsl {

/// Thrown by a Reporter after its last error, to whoever made it.
struct TooManyErrors {};

class Reporter {
public:
  /// Nobody reads more, and finding names like an unknown one costs what there are names.
  static constexpr std::size_t kErrorLimit = 100;

  Reporter(const SourceManager &sources, Diagnostics &diagnostics)
      : sources_(sources), diagnostics_(diagnostics) {}

  /// The reference is good until the next report.
  Diagnostic &error(Kind kind, Span span, std::string message) {
    if (isMuted_)
      return unheard_ = Diagnostic{};
    if (++errors_ > kErrorLimit) {
      diagnostics_.error("too-many-errors", span,
                         fmt::format("more than {} errors; the rest is not reported", kErrorLimit));
      throw TooManyErrors{};
    }
    Diagnostic &d = diagnostics_.error(kind, span, std::move(message));
    d.labels.insert(d.labels.end(), context_.begin(), context_.end());
    return d;
  }
  Diagnostic &error(Kind kind, Span span, std::string message, Label label) {
    Diagnostic &d = error(kind, span, std::move(message));
    d.labels.insert(d.labels.begin(), std::move(label));
    return d;
  }
  /// Warnings are given once, by the generic check; an instantiation repeats none.
  void warning(Kind kind, Span span, std::string message, std::string help = {}) {
    if (warns_ && !isMuted_)
      diagnostics_.warning(kind, span, std::move(message)).help = std::move(help);
  }

  /// A label added to every later error: "in kernel …".
  void pushContext(Label label) { context_.push_back(std::move(label)); }
  void popContext() { context_.pop_back(); }
  void setWarns(bool warns) { warns_ = warns; }
  bool warns() const { return warns_; }
  /// Nothing is said: it was, or will be, at another time.
  bool isMuted() const { return isMuted_; }
  void setMuted(bool isMuted) { isMuted_ = isMuted; }

  std::string text(Span span) const { return std::string(sources_.text(span)); }
  std::size_t errorCount() const { return diagnostics_.errorCount(); }

private:
  const SourceManager &sources_;
  Diagnostics &diagnostics_;
  std::vector<Label> context_;
  std::size_t errors_ = 0;
  bool warns_ = true;
  bool isMuted_ = false;
  Diagnostic unheard_;
};

/// "did you mean `x`?" or "".
inline std::string suggestion(std::string_view text, const std::vector<std::string> &candidates) {
  const std::string nearest = didYouMean(text, candidates);
  return nearest.empty() ? "" : fmt::format("did you mean `{}`?", nearest);
}

} // namespace ordo::dsl
