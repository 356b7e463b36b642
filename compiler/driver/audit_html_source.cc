#include "compiler/driver/audit_html_source.h"

#include "compiler/driver/audit_html_page.h"
#include "compiler/driver/files.h"
#include "dsl/syntax/lexer.h"

#include <algorithm>
#include <fmt/core.h>
#include <optional>
#include <utility>

namespace ordo::compiler::driver {

namespace {

using dsl::NodeKind;
using dsl::Op;

/// Byte offsets at which the lines of `text` start.
std::vector<std::uint32_t> lineStarts(std::string_view text) {
  std::vector<std::uint32_t> starts = {0};
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\n' && i + 1 < text.size())
      starts.push_back(static_cast<std::uint32_t>(i + 1));
  return starts;
}

/// The line, from 0, that holds `offset`.
std::size_t lineOf(const std::vector<std::uint32_t> &starts, std::uint32_t offset) {
  return static_cast<std::size_t>(std::upper_bound(starts.begin(), starts.end(), offset) -
                                  starts.begin()) -
         1;
}

std::string_view lineText(std::string_view text, const std::vector<std::uint32_t> &starts,
                          std::size_t line) {
  const std::size_t end = line + 1 < starts.size() ? starts[line + 1] : text.size();
  std::string_view content = text.substr(starts[line], end - starts[line]);
  while (!content.empty() && (content.back() == '\n' || content.back() == '\r'))
    content.remove_suffix(1);
  return content;
}

bool isBlank(std::string_view line) { return line.find_first_not_of(" \t") == line.npos; }

bool isComment(std::string_view line) {
  const std::size_t at = line.find_first_not_of(" \t");
  return at != line.npos && line.substr(at).starts_with("//");
}

/// "product", … as a sentence about rounding names it.
std::string_view operationNoun(Op op) {
  switch (op) {
  case Op::Add:
    return "sum";
  case Op::Sub:
    return "difference";
  case Op::Mul:
    return "product";
  case Op::Div:
    return "quotient";
  case Op::Sqrt:
    return "square root";
  default:
    return "fused multiply-add";
  }
}

std::string_view tokenStyle(dsl::Tok kind) {
  if (kind == dsl::Tok::Number || kind == dsl::Tok::True || kind == dsl::Tok::False ||
      kind == dsl::Tok::Inf)
    return "literal";
  const std::string_view spelt = dsl::spelling(kind);
  return !spelt.empty() && spelt[0] >= 'a' && spelt[0] <= 'z' ? "word" : "";
}

} // namespace

std::string reductionAnchor(std::size_t index) { return fmt::format("reduction-{}", index + 1); }
std::string castAnchor(std::size_t index) { return fmt::format("cast-{}", index + 1); }
std::string constantAnchor(std::size_t index) { return fmt::format("constant-{}", index + 1); }

bool roundsResult(const dsl::Expr &expr) {
  return dsl::isFloat(expr.type) &&
         (expr.op == Op::Add || expr.op == Op::Sub || expr.op == Op::Mul || expr.op == Op::Div ||
          expr.op == Op::Sqrt || expr.op == Op::Fma);
}

SourceListing::SourceListing(const AuditSubject &subject)
    : subject_(subject), files_(usedFiles(subject.contract, subject.program)) {
  learnFacts();
}

void SourceListing::learn(std::map<Key, Known> &known, dsl::Span span, Known fact) {
  const UsedFile *file = span.end == 0 ? nullptr : fileOf(span.file);
  if (file != nullptr)
    known.emplace(Key{span.file, declarationAt(file->ast, span.begin),
                      subject_.contract.sources().text(span)},
                  std::move(fact));
}

void SourceListing::learnFacts() {
  const AuditFacts &facts = subject_.facts;
  for (std::size_t i = 0; i < facts.reductions.size(); ++i)
    learn(
        reductions_, facts.reductions[i].place.span,
        {"tree", reductionAnchor(i), fmt::format("reduction {}", i + 1), fmt::format("{}", i + 1)});
  for (std::size_t i = 0; i < facts.casts.size(); ++i) {
    const CastFact &cast = facts.casts[i];
    learn(casts_, cast.place.span,
          {cast.rounding == "exact" ? "exact" : "rounds", castAnchor(i),
           fmt::format("cast {}: {} to {}, {}", i + 1, cast.from, cast.to, cast.rounding),
           fmt::format("{}", i + 1)});
  }
  for (std::size_t i = 0; i < facts.constants.size(); ++i) {
    const ConstantFact &constant = facts.constants[i];
    learn(
        constants_, constant.place.span,
        {"literal", constantAnchor(i),
         fmt::format("constant {}: {} {}, {}", i + 1, constant.type, constant.value, constant.bits),
         ""});
  }
  const dsl::Program &program = subject_.program;
  const std::vector<bool> isReached = reachedExprs(program);
  for (dsl::ExprId id = 0; id < program.exprCount(); ++id)
    if (isReached[id] && roundsResult(program.expr(id)))
      learn(operations_, program.span(id),
            {"rounds", "",
             fmt::format("{} {}, rounded once to nearest even", dsl::name(program.expr(id).type),
                         operationNoun(program.expr(id).op)),
             ""});
}

const UsedFile *SourceListing::fileOf(std::uint32_t id) const {
  for (const UsedFile &file : files_)
    if (file.ast.file == id)
      return &file;
  return nullptr;
}

const dsl::Node *SourceListing::declaration(NodeKind kind, std::string_view name,
                                            const UsedFile **where) const {
  for (const UsedFile &file : files_)
    for (const dsl::Node &node : file.ast.nodes) { // a profile's stand within it
      if (node.kind != kind || node.text != name || !isUsed(file, node.span))
        continue;
      if (where != nullptr)
        *where = &file;
      return &node;
    }
  return nullptr;
}

bool SourceListing::isUsed(const UsedFile &file, dsl::Span span) {
  const std::size_t declared = declarationAt(file.ast, span.begin);
  return declared < file.isUsed.size() && file.isUsed[declared];
}

std::string SourceListing::pathOf(std::uint32_t file) const {
  const std::string at = subject_.contract.place({file, 0, 1}); // "path:1:1"
  return at.substr(0, at.rfind(':', at.rfind(':') - 1));
}

std::string SourceListing::shortName(std::uint32_t file) const {
  const auto base = [&](std::uint32_t id) {
    const std::string path = pathOf(id);
    return path.substr(path.rfind('/') + 1);
  };
  const std::string name = base(file);
  for (const UsedFile &other : files_)
    if (other.ast.file != file && base(other.ast.file) == name)
      return pathOf(file); // two files of one name
  return name;
}

std::string SourceListing::place(dsl::Span span) const {
  if (span.end == 0)
    return "";
  const std::uint32_t line = subject_.contract.sources().lineColumn(span.file, span.begin).line;
  const std::string label =
      fmt::format("<span class=\"mono\">{}:{}</span>", htmlText(shortName(span.file)), line);
  return fileOf(span.file) == nullptr ? label
                                      : htmlLink(fmt::format("f{}-{}", span.file, line), label);
}

std::vector<SourceListing::Binding> SourceListing::bindings() const {
  std::vector<Binding> bindings;
  const UsedFile *file = nullptr;
  const dsl::Node *kernel = declaration(NodeKind::Kernel, subject_.program.kernel, &file);
  if (kernel == nullptr)
    return bindings;
  const auto written = [&](dsl::Span span) {
    return std::string(subject_.contract.sources().text(span));
  };
  for (const dsl::NodeId kid : kernel->kids) {
    const dsl::Node &argument = file->ast[kid];
    if (argument.kind != NodeKind::NamedArg || argument.kids.empty())
      continue;
    Binding binding = {argument.text, written(file->ast[argument.kids[0]].span), "", argument.span};
    const UsedFile *home = nullptr;
    const dsl::Node *order = declaration(NodeKind::OrderDecl, binding.value, &home);
    if (order != nullptr && !order->kids.empty())
      binding.meaning = written(home->ast[order->kids[0]].span);
    bindings.push_back(std::move(binding));
  }
  return bindings;
}

std::vector<dsl::Span> SourceListing::statements(NodeKind kind) const {
  std::vector<dsl::Span> spans;
  const UsedFile *file = nullptr;
  const dsl::Node *op = declaration(NodeKind::Op, subject_.program.op, &file);
  if (op == nullptr)
    return spans;
  for (const dsl::Node &node : file->ast.nodes)
    if (node.kind == kind && node.span.begin >= op->span.begin && node.span.end <= op->span.end)
      for (const dsl::NodeId condition : node.kids)
        spans.push_back(file->ast[condition].span);
  return spans;
}

std::string SourceListing::documentation() const {
  const dsl::Node *op = declaration(NodeKind::Op, subject_.program.op);
  return op == nullptr ? "" : op->doc;
}

const SourceListing::Known *SourceListing::knownAt(const UsedFile &file,
                                                   const dsl::Node &node) const {
  if (!isUsed(file, node.span))
    return nullptr;
  const Key key = {node.span.file, declarationAt(file.ast, node.span.begin),
                   subject_.contract.sources().text(node.span)};
  const auto in = [&](const std::map<Key, Known> &known) -> const Known * {
    const auto found = known.find(key);
    return found == known.end() ? nullptr : &found->second;
  };
  switch (node.kind) {
  case NodeKind::Reduce:
  case NodeKind::Ranking:
    return in(reductions_);
  case NodeKind::Binary:
    return in(operations_);
  case NodeKind::Number:
    return in(constants_);
  case NodeKind::Call: { // a cast, a function that rounds, or a cast of a constant
    const Known *known = in(casts_);
    known = known != nullptr ? known : in(operations_);
    return known != nullptr ? known : in(constants_);
  }
  default:
    return nullptr;
  }
}

std::vector<SourceListing::Range> SourceListing::marks(const UsedFile &file) const {
  std::vector<Range> marks;
  for (const dsl::Node &node : file.ast.nodes) {
    const Known *known = knownAt(file, node);
    if (known == nullptr)
      continue;
    const dsl::Span at = node.kind == NodeKind::Number ? node.span : node.nameSpan;
    const std::string style = known->style == "literal" ? "literal" : "mark " + known->style;
    const std::string number =
        known->number.empty() ? "" : fmt::format(" data-mark=\"{}\"", known->number);
    const std::string what =
        fmt::format(" class=\"{}\" title=\"{}\"{}>", style, htmlText(known->title), number);
    if (known->anchor.empty())
      marks.push_back({at.begin, at.end, "<span" + what, "</span>"});
    else
      marks.push_back(
          {at.begin, at.end, fmt::format("<a href=\"#{}\"{}", known->anchor, what), "</a>"});
  }
  return marks;
}

/// Marks, and between them words, literals and comments; in order, none within another.
std::vector<SourceListing::Range> SourceListing::ranges(const UsedFile &file) const {
  std::vector<Range> ranges = marks(file);
  const auto byBegin = [](const Range &a, const Range &b) { return a.begin < b.begin; };
  std::sort(ranges.begin(), ranges.end(), byBegin);
  const std::vector<Range> marked = ranges;
  const auto add = [&](std::uint32_t begin, std::uint32_t end, std::string_view style) {
    const auto next =
        std::upper_bound(marked.begin(), marked.end(), Range{begin, 0, "", ""}, byBegin);
    const bool isWithin = next != marked.begin() && std::prev(next)->end > begin;
    if (!style.empty() && !isWithin && (next == marked.end() || next->begin >= end))
      ranges.push_back({begin, end, fmt::format("<span class=\"{}\">", style), "</span>"});
  };
  dsl::Diagnostics ignored(subject_.contract.sources());
  const dsl::Lexed lexed = dsl::lex(file.ast.file, subject_.contract.sources(), ignored);
  for (const dsl::Token &token : lexed.tokens)
    add(token.begin, token.end, tokenStyle(token.kind));
  for (const dsl::Comment &comment : lexed.comments)
    add(comment.span.begin, comment.span.end, "comment");
  std::sort(ranges.begin(), ranges.end(), byBegin);
  return ranges;
}

/// Lines of what is used, of the comments right above, of the module line and of the imports; blank
/// lines between them.
std::vector<bool> SourceListing::shownLines(const UsedFile &file,
                                            const std::vector<std::uint32_t> &starts) const {
  const std::string_view text = subject_.contract.sources().file(file.ast.file).text;
  std::vector<bool> shown(starts.size(), false);
  const auto show = [&](dsl::Span span) {
    std::size_t first = lineOf(starts, span.begin);
    while (first > 0 && isComment(lineText(text, starts, first - 1)))
      --first;
    for (std::size_t line = first; line <= lineOf(starts, std::max(span.end, 1u) - 1); ++line)
      shown[line] = true;
  };
  if (file.ast.moduleSpan.end != 0)
    show(file.ast.moduleSpan);
  for (std::size_t i = 0; i < file.isUsed.size(); ++i) {
    const dsl::Node &node = file.ast[file.ast.declarations[i]];
    if (file.isUsed[i] || node.kind == NodeKind::Use)
      show(node.span);
  }
  for (std::size_t line = 0; line < shown.size(); ++line) { // a run of blank lines is no secret
    std::size_t end = line;
    while (end < shown.size() && !shown[end] && isBlank(lineText(text, starts, end)))
      ++end;
    if (end > line && (line == 0 || shown[line - 1]) && (end == shown.size() || shown[end]))
      std::fill(shown.begin() + static_cast<std::ptrdiff_t>(line),
                shown.begin() + static_cast<std::ptrdiff_t>(end), true);
  }
  return shown;
}

std::string SourceListing::fileText(const UsedFile &file) const {
  const std::string_view text = subject_.contract.sources().file(file.ast.file).text;
  const std::vector<std::uint32_t> starts = lineStarts(text);
  const std::vector<bool> shown = shownLines(file, starts);
  const std::vector<Range> styled = ranges(file);
  auto range = styled.begin();

  std::string out = "<div class=\"listing\">\n";
  for (std::size_t line = 0; line < starts.size(); ++line) {
    if (!shown[line] && (line == 0 || shown[line - 1])) {
      std::size_t last = line;
      while (last + 1 < starts.size() && !shown[last + 1])
        ++last;
      out += fmt::format("<details><summary>{}–{}, not part of this kernel</summary>\n", line + 1,
                         last + 1);
    }
    const std::string_view content = lineText(text, starts, line);
    const auto end = static_cast<std::uint32_t>(starts[line] + content.size());
    out += fmt::format("<div class=\"row\" id=\"f{0}-{1}\"><a href=\"#f{0}-{1}\">{1}</a><span>",
                       file.ast.file, line + 1);
    std::uint32_t at = starts[line];
    for (; range != styled.end() && range->begin < end; ++range) {
      if (range->begin < at)
        continue;
      const std::uint32_t stop = std::min(range->end, end);
      out += htmlText(text.substr(at, range->begin - at)) + range->open +
             htmlText(text.substr(range->begin, stop - range->begin)) + range->close;
      at = stop;
    }
    out += htmlText(text.substr(at, end - at)) + "</span></div>\n";
    if (!shown[line] && (line + 1 == starts.size() || shown[line + 1]))
      out += "</details>\n";
  }
  return out + "</div>\n";
}

std::string SourceListing::text() const {
  std::string out =
      "<div class=\"key\"><span><span class=\"mark exact\" data-mark=\"1\">f32</span> a cast that "
      "is exact</span> <span><span class=\"mark rounds\" data-mark=\"2\">bf16</span> a cast that "
      "rounds</span> <span><span class=\"mark rounds\">*</span> an operation that rounds once"
      "</span> <span><span class=\"mark tree\" data-mark=\"1\">sum</span> a "
      "reduction</span></div>\n";
  for (const UsedFile &file : files_) {
    const std::string &bytes = subject_.contract.sources().file(file.ast.file).text;
    out += fmt::format("<div class=\"file\"><h3 class=\"mono\">{}</h3><div class=\"soft\">module "
                       "{} · SHA-256 of the file <code>{}</code></div></div>\n{}",
                       htmlText(pathOf(file.ast.file)), htmlText(file.ast.module), sha256(bytes),
                       fileText(file));
  }
  return out;
}

} // namespace ordo::compiler::driver
