// Two kernels in two columns. Every part is a list of entries on either side; entries are compared
// by what they mean and shown as they are written, so that a renamed argument is no difference.

#include "compiler/driver/audit_align.h"
#include "compiler/driver/audit_html.h"
#include "compiler/driver/audit_html_page.h"
#include "compiler/driver/audit_html_parts.h"
#include "compiler/driver/audit_html_trees.h"
#include "compiler/driver/manifest.h"
#include "compiler/driver/text.h"
#include "dsl/sema/digest.h"
#include "dsl/sema/print.h"

#include <algorithm>
#include <fmt/core.h>
#include <sstream>
#include <utility>

namespace ordo::compiler::driver {

namespace {

struct Entry {
  std::string key;   // what is compared
  std::string shown; // HTML
};
using Entries = std::vector<Entry>;

Entries argumentEntries(const AuditSubject &subject) {
  Entries entries;
  for (const dsl::Tensor &tensor : subject.program.tensors) {
    const std::string role = roleText(tensor);
    const std::string type = tensorText(subject.program, tensor);
    entries.push_back(
        {role + " " + type, role + " " + htmlCode(fmt::format("{}: {}", tensor.name, type))});
  }
  for (const dsl::Scalar &scalar : subject.program.scalars)
    entries.push_back(
        {fmt::format("scalar {}", dsl::name(scalar.type)),
         "scalar " + htmlCode(fmt::format("{}: {}", scalar.name, dsl::name(scalar.type)))});
  return entries;
}

Entries requirementEntries(const AuditSubject &subject) {
  Entries entries;
  for (const dsl::LaunchRequire &require : subject.program.requires_)
    entries.push_back({dsl::printExpr(subject.program, require.condition), htmlCode(require.text)});
  return entries;
}

std::string orderText(const ReductionFact &reduction) {
  return reduction.order == nullptr ? "" : dsl::toString(*reduction.order);
}

Entries reductionEntries(const AuditSubject &subject) {
  Entries entries;
  for (const ReductionFact &reduction : subject.facts.reductions) {
    const std::string length = reduction.length ? std::to_string(*reduction.length) : "free";
    entries.push_back({fmt::format("{} {} {} {} {}", reduction.operation, length, reduction.type,
                                   reduction.isMasked, orderText(reduction)),
                       ""});
  }
  return entries;
}

Entries castEntries(const AuditSubject &subject) {
  Entries entries;
  for (const CastFact &cast : subject.facts.casts)
    entries.push_back({fmt::format("{} to {}, {}", cast.from, cast.to, cast.rounding),
                       fmt::format("{} to {} {}<br>{}", htmlCode(cast.from), htmlCode(cast.to),
                                   roundingHtml(cast), htmlCode(cast.place.source))});
  return entries;
}

Entries constantEntries(const AuditSubject &subject) {
  Entries entries;
  for (const ConstantFact &constant : subject.facts.constants)
    entries.push_back(
        {constant.type + " " + constant.bits,
         fmt::format("{} {} = {}<br>{}", htmlCode(constant.type), htmlCode(constant.value),
                     htmlCode(exactText(constant)), htmlCode(constant.bits))});
  return entries;
}

Entries lineEntries(const std::string &text, bool isHeadLeftOut) {
  Entries entries;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (!isHeadLeftOut || !entries.empty() || !line.starts_with("kernel "))
      entries.push_back({line, htmlCode(line)});
  return entries;
}

std::vector<std::string> keys(const Entries &entries) {
  std::vector<std::string> keys;
  for (const Entry &entry : entries)
    keys.push_back(entry.key);
  return keys;
}

std::string plain(std::string_view key) {
  constexpr std::size_t kWidth = 100;
  const std::size_t start = std::min(key.find_first_not_of(' '), key.size());
  return key.size() - start <= kWidth ? std::string(key.substr(start))
                                      : std::string(key.substr(start, kWidth)) + "…";
}

class DiffPage {
public:
  DiffPage(const AuditSubject &left, const AuditSubject &right, std::optional<std::int64_t> asked)
      : left_(left), right_(right), asked_(asked),
        isEqual_(left.facts.digest == right.facts.digest) {}

  std::string document() {
    // Sections come first: they find the first difference, which the top of the page names.
    addPart("arguments", "Arguments", argumentEntries(left_), argumentEntries(right_));
    addPart("requirements", "Requirements at launch", requirementEntries(left_),
            requirementEntries(right_));
    addReductions();
    addPart("casts", "Casts", castEntries(left_), castEntries(right_));
    addPart("constants", "Constants", constantEntries(left_), constantEntries(right_));
    addPart("program", "Program", lineEntries(dsl::printProgram(left_.program), true),
            lineEntries(dsl::printProgram(right_.program), true));
    addCanonicalForm();
    const std::string title = fmt::format("{} and {}", left_.program.kernel, right_.program.kernel);
    return htmlDocument(title + " · Ordo audit",
                        header() + verdict() + summary() + sections_.text() + footerHtml());
  }

private:
  std::string header() const {
    return fmt::format("<header>\n<p class=\"eyebrow\">Ordo audit · two kernels compared</p>\n"
                       "<div class=\"columns\">\n{}{}</div>\n</header>\n",
                       subjectHtml(left_), subjectHtml(right_));
  }

  static std::string subjectHtml(const AuditSubject &subject) {
    return fmt::format("<div><h2 class=\"mono\">{}</h2>\n<dl class=\"card\"><dt>Contract digest"
                       "</dt><dd class=\"digest\">{}</dd><dt>Operator</dt><dd>{}</dd><dt>File</dt>"
                       "<dd>{}</dd></dl></div>\n",
                       htmlText(subject.program.kernel), htmlText(digestText(subject.facts)),
                       htmlCode(operatorName(subject.program)), htmlCode(subject.contract.path()));
  }

  std::string verdict() const {
    std::string text =
        fmt::format("<div class=\"verdict {}\" role=\"note\">\n", isEqual_ ? "same" : "differs");
    text += isEqual_ ? "<p><strong>The digests are equal: the two kernels give the same "
                       "bits.</strong></p>\n"
                     : "<p><strong>The contracts differ.</strong> Digests settle only that they "
                       "are not the same contract, not that some bits come out different.</p>\n";
    if (!first_.empty())
      text += fmt::format("<p>First difference: <a href=\"#first\">{}</a></p>\n", first_);
    return text + "</div>\n";
  }

  std::string summary() const {
    return "<section id=\"compared\">\n<h2>What was compared</h2>\n" +
           htmlTable({"#Part", "#Verdict", "First difference in it"}, summary_) + "</section>\n";
  }

  void addPart(std::string_view id, std::string_view title, const Entries &left,
               const Entries &right) {
    const std::vector<AlignedRow> rows = aligned(keys(left), keys(right));
    std::string text = fmt::format(
        "<table class=\"pair\">\n<thead><tr><th scope=\"col\">{}</th><th scope=\"col\">{}</th></tr>"
        "</thead>\n<tbody>\n",
        htmlText(left_.program.kernel), htmlText(right_.program.kernel));
    std::string found;
    for (const AlignedRow &row : rows) {
      std::string mark;
      if (!row.isSame && found.empty()) {
        found = fmt::format("{} against {}",
                            row.left ? htmlCode(plain(left[*row.left].key)) : "nothing",
                            row.right ? htmlCode(plain(right[*row.right].key)) : "nothing");
        mark = firstMark(title, found);
      }
      const auto cell = [&](const Entries &entries, std::optional<std::size_t> index) {
        return index ? fmt::format("<td>{}{}</td>", std::exchange(mark, ""), entries[*index].shown)
                     : fmt::format("<td class=\"absent\">{}nothing</td>", std::exchange(mark, ""));
      };
      text += fmt::format("<tr{}>{}", rowClass(row.isSame), cell(left, row.left));
      text += cell(right, row.right) + "</tr>\n";
    }
    text += "</tbody></table>\n";
    note(id, title, found);
    sections_.add(id, title, rows.empty() ? "<p>None on either side.</p>\n" : text);
  }

  std::string rowClass(bool isSame) const {
    return isSame ? "" : isEqual_ ? " class=\"names\"" : " class=\"differs\"";
  }

  /// The label at a difference that is the page's first; nothing elsewhere, and nothing between
  /// kernels of equal digest, which differ in names alone.
  std::string firstMark(std::string_view title, const std::string &what) {
    if (isEqual_ || !first_.empty())
      return "";
    first_ = fmt::format("{}: {}", htmlText(title), what);
    return "<span class=\"first\" id=\"first\">first difference</span>";
  }

  void note(std::string_view id, std::string_view title, const std::string &found) {
    const std::string pill = found.empty() ? "<span class=\"pill same\">equal</span>"
                             : isEqual_    ? "<span class=\"pill\">differs in names</span>"
                                           : "<span class=\"pill differs\">differs</span>";
    summary_.push_back({htmlLink(id, htmlText(title)), pill, found});
  }

  void addReductions() {
    const std::vector<AlignedRow> rows =
        aligned(keys(reductionEntries(left_)), keys(reductionEntries(right_)));
    std::string text = rows.empty() ? "<p>None on either side.</p>\n" : "";
    std::string found;
    for (const AlignedRow &row : rows) {
      const ReductionFact *left = row.left ? &left_.facts.reductions[*row.left] : nullptr;
      const ReductionFact *right = row.right ? &right_.facts.reductions[*row.right] : nullptr;
      TreeVerdict verdict;
      if (left != nullptr && right != nullptr)
        verdict = comparedTrees(*left, *right, asked_);
      std::string mark;
      if (!row.isSame && found.empty()) {
        found = reductionDifference(left, right);
        mark = firstMark("Reductions", found);
        if (!verdict.words.empty())
          found += "; " + verdict.words;
      }
      text += reductionPair(row, left, right, verdict, mark);
    }
    note("reductions", "Reductions", found);
    sections_.add("reductions", "Reductions", text);
  }

  std::string reductionPair(const AlignedRow &row, const ReductionFact *left,
                            const ReductionFact *right, const TreeVerdict &verdict,
                            const std::string &mark) const {
    const std::optional<std::size_t> stage = firstStage(left, right);
    const auto [leftTree, rightTree] = trees(left, right);
    return fmt::format(
        "<div class=\"reduction\">\n{}<div class=\"columns\">\n{}{}</div>\n{}</div>\n", mark,
        reductionColumn(left, row.left, stage, leftTree),
        reductionColumn(right, row.right, stage, rightTree), verdict.html);
  }

  std::string reductionColumn(const ReductionFact *reduction, std::optional<std::size_t> index,
                              std::optional<std::size_t> stage, const std::string &tree) const {
    if (reduction == nullptr)
      return "<div><p class=\"soft\">No reduction stands against it.</p></div>\n";
    std::string text =
        fmt::format("<div><h3>{}. {}</h3>\n", *index + 1, htmlText(reductionTitle(*reduction)));
    if (reduction->order != nullptr)
      text += stagesHtml(*reduction->order, stage);
    text += treeFigures(*reduction, asked_) + treeHtml(*reduction, asked_);
    return text + (tree.empty() ? "" : fmt::format("<pre>{}</pre>\n", tree)) + "</div>\n";
  }

  /// The first stage in which two orders differ; an order that ends early differs at its end.
  static std::optional<std::size_t> firstStage(const ReductionFact *left,
                                               const ReductionFact *right) {
    if (left == nullptr || right == nullptr || left->order == nullptr || right->order == nullptr)
      return std::nullopt;
    const auto &a = left->order->stages;
    const auto &b = right->order->stages;
    const auto differ = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
    if (differ.first == a.end() && differ.second == b.end())
      return std::nullopt;
    return static_cast<std::size_t>(differ.first - a.begin());
  }

  std::string reductionDifference(const ReductionFact *left, const ReductionFact *right) const {
    const auto named = [](const ReductionFact *reduction) {
      return reduction == nullptr ? "nothing" : htmlCode(reductionTitle(*reduction));
    };
    const std::optional<std::size_t> stage = firstStage(left, right);
    if (!stage || left->operation != right->operation || left->type != right->type)
      return fmt::format("{} against {}", named(left), named(right));
    const auto spelt = [&](const dsl::Order &order) {
      return *stage < order.stages.size() ? htmlCode(dsl::toString(order.stages[*stage]))
                                          : "the end of the order";
    };
    return fmt::format("stage {}, {} against {}", *stage + 1, spelt(*left->order),
                       spelt(*right->order));
  }

  /// Both trees as text (HTML), the first line in which they part marked.
  std::pair<std::string, std::string> trees(const ReductionFact *left,
                                            const ReductionFact *right) const {
    const Entries a = left == nullptr ? Entries() : lineEntries(treeText(*left, asked_), false);
    const Entries b = right == nullptr ? Entries() : lineEntries(treeText(*right, asked_), false);
    const bool isPair = !a.empty() && !b.empty();
    // The first line is the headline, which names the whole order.
    std::size_t part = 1;
    while (isPair && part < std::min(a.size(), b.size()) && a[part].key == b[part].key)
      ++part;
    const auto text = [&](const Entries &lines) {
      std::string out;
      for (std::size_t i = 0; i < lines.size(); ++i)
        out += isPair && i == part ? fmt::format("<mark>{}</mark>\n", htmlText(lines[i].key))
                                   : htmlText(lines[i].key) + "\n";
      return out;
    };
    return {text(a), text(b)};
  }

  /// What is hashed: its first differing line settles where two contracts part, whatever the parts
  /// above show.
  void addCanonicalForm() {
    const Entries left = lineEntries(dsl::canonicalForm(left_.program), false);
    const Entries right = lineEntries(dsl::canonicalForm(right_.program), false);
    const std::size_t shorter = std::min(left.size(), right.size());
    std::size_t line = 0;
    while (line < shorter && left[line].key == right[line].key)
      ++line;
    if (line == left.size() && line == right.size()) {
      note("canonical", "Canonical form", "");
      return sections_.add(
          "canonical", "Canonical form",
          fmt::format("<p>All {} lines that the digest hashes are equal.</p>\n", line));
    }
    const auto spelt = [&](const Entries &lines) {
      return line < lines.size() ? lines[line].shown : "its end";
    };
    const std::string found =
        fmt::format("line {}, {} against {}", line + 1, spelt(left), spelt(right));
    const std::string mark = firstMark("Canonical form", found);
    note("canonical", "Canonical form", found);
    sections_.add("canonical", "Canonical form",
                  fmt::format("<p>{}Of the lines that the digest hashes, {} and {} of them, the "
                              "first {} are equal.</p>\n",
                              mark, left.size(), right.size(), line));
  }

  const AuditSubject &left_;
  const AuditSubject &right_;
  std::optional<std::int64_t> asked_;
  bool isEqual_;
  HtmlSections sections_;
  std::vector<std::vector<std::string>> summary_;
  std::string first_; // HTML; empty until one is found
};

} // namespace

std::string htmlDiff(const AuditSubject &left, const AuditSubject &right,
                     std::optional<std::int64_t> asked) {
  return DiffPage(left, right, asked).document();
}

} // namespace ordo::compiler::driver
