// The page of one kernel, section by section.

#include "compiler/driver/audit_html.h"

#include "compiler/driver/audit_html_page.h"
#include "compiler/driver/audit_html_parts.h"
#include "compiler/driver/audit_html_source.h"
#include "compiler/driver/manifest.h"
#include "compiler/driver/text.h"
#include "dsl/sema/digest.h"
#include "dsl/sema/print.h"

#include <algorithm>
#include <fmt/core.h>
#include <map>
#include <sstream>
#include <utility>

namespace ordo::compiler::driver {

namespace {

using Rows = std::vector<std::vector<std::string>>;

class AuditPage {
public:
  AuditPage(const AuditSubject &subject, std::optional<std::int64_t> asked)
      : subject_(subject), program_(subject.program), facts_(subject.facts), asked_(asked),
        source_(subject) {}

  std::string document() {
    HtmlSections sections;
    sections.add("arguments", "Arguments", arguments());
    sections.add("requirements", "Requirements and assumptions", requirements());
    sections.add("reductions", "Reductions", reductions());
    sections.add("casts", "Casts", casts());
    sections.add("constants", "Constants", constants());
    sections.add("operations", "Operations that round", operations());
    sections.add("program", "Program", program());
    sections.add("source", "Contract", source_.text());
    sections.add("digest", "What the digest covers", digest());
    return htmlDocument(program_.kernel + " · Ordo audit",
                        header() + sections.contents() + sections.text() + footerHtml());
  }

private:
  std::string header() const {
    std::string text = fmt::format("<header>\n<p class=\"eyebrow\">Ordo audit</p>\n<h1>{}</h1>\n",
                                   htmlText(program_.kernel));
    text += documentation();
    text +=
        fmt::format("<dl class=\"card\">\n<dt>Contract digest</dt><dd class=\"digest\">{}</dd>\n"
                    "<dt>Operator</dt><dd>{}</dd>\n<dt>Module</dt><dd>{} in {}</dd>\n",
                    htmlText(digestText(facts_)), htmlCode(operatorName(program_)),
                    htmlCode(subject_.contract.module()), htmlCode(subject_.contract.path()));
    return text + atoms() + bindings() + "</dl>\n" + figures() + "</header>\n";
  }

  /// The matrix unit, or each one that it may be.
  std::string atoms() const {
    if (facts_.atom)
      return fmt::format("<dt>Matrix unit</dt><dd>{}</dd>\n", htmlText(atomText(*facts_.atom)));
    std::string text;
    for (const ResolutionFact &each : facts_.resolutions)
      text +=
          fmt::format("<dt>Digest for {}</dt><dd><span class=\"digest\">{}</span><br>{}</dd>\n",
                      htmlText(each.target), htmlText(each.digest), htmlText(atomText(*each.atom)));
    return text;
  }

  /// A blank line parts paragraphs.
  std::string documentation() const {
    std::string text;
    std::string paragraph;
    const auto flush = [&] {
      if (!paragraph.empty())
        text += fmt::format("<p class=\"doc\">{}</p>\n", htmlText(paragraph));
      paragraph.clear();
    };
    std::istringstream lines(source_.documentation());
    for (std::string line; std::getline(lines, line);) {
      if (line.find_first_not_of(" \t\r") == std::string::npos)
        flush();
      else
        paragraph += line + "\n";
    }
    flush();
    return text;
  }

  std::string bindings() const {
    std::string text;
    for (const SourceListing::Binding &binding : source_.bindings()) {
      const std::string name = binding.name.empty() ? "" : binding.name + " = ";
      text += fmt::format("{}<span class=\"mono\">{}</span>", text.empty() ? "" : ", ",
                          htmlText(name + binding.value));
      if (!binding.meaning.empty())
        text += fmt::format(" <span class=\"soft\">({})</span>", htmlText(binding.meaning));
    }
    return text.empty() ? "" : fmt::format("<dt>Fixed</dt><dd>{}</dd>\n", text);
  }

  std::string figures() const {
    const auto rounding = std::count_if(facts_.casts.begin(), facts_.casts.end(),
                                        [](auto &cast) { return cast.rounding != "exact"; });
    const std::string rounded = facts_.casts.empty() ? ""
                                : rounding == 0      ? ", all exact"
                                                     : fmt::format(", {} rounding", rounding);
    const auto figure = [](auto count, std::string_view noun, const std::string &more) {
      return fmt::format("<li><strong>{}</strong>{}{}{}</li>\n", count, noun, count == 1 ? "" : "s",
                         more);
    };
    return "<ul class=\"figures\">\n" + figure(facts_.reductions.size(), "reduction", "") +
           figure(facts_.casts.size(), "cast", rounded) +
           figure(facts_.constants.size(), "constant", "") +
           figure(program_.definitions.size(), "definition", "") + "</ul>\n";
  }

  std::string arguments() const {
    Rows rows;
    for (const dsl::Tensor &tensor : program_.tensors)
      rows.push_back({roleText(tensor), htmlCode(tensor.name),
                      htmlCode(tensorText(program_, tensor)),
                      tensor.shape.size() > 1 ? "row-major" : ""});
    for (const dsl::Scalar &scalar : program_.scalars)
      rows.push_back(
          {"scalar", htmlCode(scalar.name), htmlCode(dsl::name(scalar.type)), "given at launch"});
    for (const dsl::Dim &dim : program_.dims)
      rows.push_back({"free dimension", htmlCode(dim.name), "", "any size at launch"});
    return "<p class=\"soft\">In launch order.</p>\n" +
           htmlTable({"#Role", "#Name", "Type", "Note"}, rows);
  }

  /// A condition that still stands in the program is the launch's to check; the others were over
  /// what the kernel fixes.
  std::string requirements() const {
    Rows rows;
    for (const dsl::LaunchRequire &require : program_.requires_)
      rows.push_back({htmlCode(require.text), "checked at launch", source_.place(require.span)});
    const auto isLeft = [&](std::string_view text) {
      return std::any_of(program_.requires_.begin(), program_.requires_.end(),
                         [&](const auto &require) { return require.text == text; });
    };
    for (const dsl::Span span : source_.statements(dsl::NodeKind::Require))
      if (const std::string_view text = subject_.contract.sources().text(span); !isLeft(text))
        rows.push_back(
            {htmlCode(text), "holds: settled by what the kernel fixes", source_.place(span)});
    return (rows.empty() ? "<p>The operator requires nothing.</p>\n"
                         : htmlTable({"Requirement", "Standing", "#Place"}, rows)) +
           "<h3>Assumptions</h3>\n" + assumptions();
  }

  std::string assumptions() const {
    Rows rows;
    for (const dsl::Span span : source_.statements(dsl::NodeKind::Assume))
      rows.push_back({htmlCode(subject_.contract.sources().text(span)), source_.place(span)});
    return rows.empty() ? "<p>None. Nothing is taken for granted beyond the requirements above.</p>"
                          "\n"
                        : htmlTable({"Taken for granted", "#Place"}, rows);
  }

  std::string reductions() const {
    if (facts_.reductions.empty())
      return "<p>None.</p>\n";
    std::string text;
    for (std::size_t i = 0; i < facts_.reductions.size(); ++i)
      text += reduction(facts_.reductions[i], i);
    return text;
  }

  std::string reduction(const ReductionFact &fact, std::size_t index) const {
    std::string text =
        fmt::format("<div class=\"reduction\" id=\"{}\">\n<h3>{}. {}</h3>\n<p>{} &nbsp; {}</p>\n",
                    reductionAnchor(index), index + 1, htmlText(reductionTitle(fact)),
                    htmlCode(fact.place.source), source_.place(fact.place.span));
    text += treeFigures(fact, asked_) + treeHtml(fact, asked_);
    if (const std::string tree = treeText(fact, asked_); !tree.empty())
      text += fmt::format("<pre>{}</pre>\n", htmlText(tree));
    return text + "</div>\n";
  }

  std::string casts() const {
    if (facts_.casts.empty())
      return "<p>None.</p>\n";
    Rows rows;
    std::vector<std::string> ids;
    for (std::size_t i = 0; i < facts_.casts.size(); ++i) {
      const CastFact &cast = facts_.casts[i];
      rows.push_back({std::to_string(i + 1), htmlCode(cast.from), htmlCode(cast.to),
                      roundingHtml(cast), htmlCode(cast.place.source),
                      source_.place(cast.place.span)});
      ids.push_back(castAnchor(i));
    }
    return htmlTable({"#", "#From", "#To", "#Rounding", "Written as", "#First place"}, rows, ids);
  }

  std::string constants() const {
    if (facts_.constants.empty())
      return "<p>None.</p>\n";
    Rows rows;
    std::vector<std::string> ids;
    for (std::size_t i = 0; i < facts_.constants.size(); ++i) {
      const ConstantFact &constant = facts_.constants[i];
      rows.push_back({std::to_string(i + 1), htmlCode(constant.type), htmlCode(constant.value),
                      htmlCode(exactText(constant)), htmlCode(constant.bits),
                      htmlCode(constant.place.source), source_.place(constant.place.span)});
      ids.push_back(constantAnchor(i));
    }
    return "<p class=\"soft\">Decimals are the shortest that read back; hexadecimals are exact.</p>"
           "\n" +
           htmlTable(
               {"#", "#Type", "#Decimal", "#Hexadecimal", "#Bits", "Written as", "#First place"},
               rows, ids);
  }

  std::string operations() const {
    std::map<std::pair<dsl::DType, dsl::Op>, std::size_t> counts;
    const std::vector<bool> isReached = reachedExprs(program_);
    for (dsl::ExprId id = 0; id < program_.exprCount(); ++id)
      if (isReached[id] && roundsResult(program_.expr(id)))
        ++counts[{program_.expr(id).type, program_.expr(id).op}];
    if (counts.empty())
      return "<p>None but the reductions' own.</p>\n";
    Rows rows;
    for (const auto &[operation, count] : counts)
      rows.push_back({htmlCode(dsl::name(operation.first)), htmlCode(dsl::name(operation.second)),
                      std::to_string(count)});
    return "<p class=\"soft\">Each rounds its exact result once, to nearest even, in its type. "
           "Counted as the program writes them, for one element of each definition; what a "
           "reduction adds up is in its tree.</p>\n" +
           htmlTable({"#Type", "#Operation", "Count"}, rows);
  }

  std::string program() const {
    Rows rows;
    for (const dsl::Definition &definition : program_.definitions) {
      std::vector<std::string> binders;
      for (const dsl::VarId var : definition.vars)
        binders.push_back(program_.vars[var].name);
      const std::string name = binders.empty()
                                   ? definition.name
                                   : fmt::format("{}[{}]", definition.name, joined(binders));
      rows.push_back({htmlCode(name), htmlCode(dsl::name(program_.expr(definition.value).type)),
                      definition.output == dsl::kNone ? "value" : "output",
                      definition.where == dsl::kNone ? "" : "guarded",
                      source_.place(definition.span)});
    }
    return htmlTable({"#Definition", "#Type", "#Kind", "", "#Place"}, rows) +
           fmt::format("<h3>As resolved, functions inlined</h3>\n<pre>{}</pre>\n",
                       htmlText(dsl::printProgram(program_)));
  }

  std::string digest() const {
    const std::string form = dsl::canonicalForm(program_);
    return fmt::format(
        "<p>The digest is the SHA-256 of the {} bytes below: types and shapes by position, "
        "literals as bits, orders by structure{}. Names, comments and places are not in them. "
        "Equal "
        "digests mean equal bits; the converse is not claimed.</p>\n"
        "<details><summary>The canonical form</summary>\n<pre>{}</pre>\n</details>\n",
        form.size(),
        facts_.digest.empty() ? ", and a last line with the atom's name and version"
        : facts_.atom         ? ", the atom's name and version"
                              : "",
        htmlText(form));
  }

  const AuditSubject &subject_;
  const dsl::Program &program_;
  const AuditFacts &facts_;
  std::optional<std::int64_t> asked_;
  SourceListing source_;
};

} // namespace

std::string htmlAudit(const AuditSubject &subject, std::optional<std::int64_t> asked) {
  return AuditPage(subject, asked).document();
}

} // namespace ordo::compiler::driver
