// The contract's text as a page shows it: numbered lines, what rounds marked, the rest folded.
#pragma once

#include "compiler/driver/audit_html.h"
#include "compiler/driver/audit_html_uses.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace ordo::compiler::driver {

/// Anchors of the rows that the listing's marks lead to, and that the report gives its tables.
std::string reductionAnchor(std::size_t index);
std::string castAnchor(std::size_t index);
std::string constantAnchor(std::size_t index);

/// Operations of a float type whose result rounds: + - * / sqrt fma.
bool roundsResult(const dsl::Expr &expr);

class SourceListing {
public:
  explicit SourceListing(const AuditSubject &subject);

  /// "norm.ordo:21" as a link to that line; empty for no place.
  std::string place(dsl::Span span) const;
  /// All files: HTML.
  std::string text() const;

  /// What the kernel's declaration fixes, in its order: name and text as written. An order given by
  /// name has its meaning after it.
  struct Binding {
    std::string name, value, meaning;
    dsl::Span span;
  };
  std::vector<Binding> bindings() const;
  /// Each condition of the operator's statements of one kind: Require or Assume.
  std::vector<dsl::Span> statements(dsl::NodeKind kind) const;
  /// The `///` comment of the operator.
  std::string documentation() const;

private:
  /// A stretch of one file within `open` and `close`.
  struct Range {
    std::uint32_t begin, end;
    std::string open, close;
  };
  /// What stands where a text was written: an expression that the program holds once may be
  /// written several times in its declaration, and every place is marked.
  using Key = std::tuple<std::uint32_t, std::size_t, std::string_view>; // file, declaration, text
  struct Known {
    std::string style, anchor, title, number;
  };

  void learn(std::map<Key, Known> &known, dsl::Span span, Known fact);
  void learnFacts();
  static bool isUsed(const UsedFile &file, dsl::Span span);
  const UsedFile *fileOf(std::uint32_t id) const;
  const dsl::Node *declaration(dsl::NodeKind kind, std::string_view name,
                               const UsedFile **file = nullptr) const;
  std::string fileText(const UsedFile &file) const;
  std::string pathOf(std::uint32_t file) const;
  std::string shortName(std::uint32_t file) const;
  const Known *knownAt(const UsedFile &file, const dsl::Node &node) const;
  std::vector<Range> marks(const UsedFile &file) const;
  std::vector<Range> ranges(const UsedFile &file) const;
  std::vector<bool> shownLines(const UsedFile &file,
                               const std::vector<std::uint32_t> &starts) const;

  const AuditSubject &subject_;
  std::vector<UsedFile> files_;
  std::map<Key, Known> casts_, operations_, reductions_, constants_;
};

} // namespace ordo::compiler::driver
