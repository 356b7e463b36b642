// The lexer, the parser and the printer on any bytes.
#include "dsl/syntax/format.h"
#include "dsl/syntax/lexer.h"
#include "dsl/syntax/parser.h"
#include "dsl/syntax/printer.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/modules.h"

namespace ordo::fuzz {

using namespace ordo::dsl;

namespace {

/// What was reported can be shown, and nothing of it lies outside the text.
void requireSound(const Diagnostics &diagnostics, const SourceManager &sources) {
  for (const Diagnostic &diagnostic : diagnostics.all()) {
    std::vector<Span> spans = {diagnostic.span};
    for (const Label &label : diagnostic.labels)
      spans.push_back(label.span);
    for (const Span span : spans)
      require(span.file < sources.size() && span.begin <= span.end &&
                  span.end <= sources.file(span.file).text.size(),
              "{}: a place outside the text", diagnostic.kind.name());
    require(!diagnostic.message.empty(), "{}: no message", diagnostic.kind.name());
  }
  const std::string text = diagnostics.renderAll();
  require(text.find('\0') == std::string::npos, "a NUL among the diagnostics");
  require(isUtf8(text), "the diagnostics are not UTF-8");
}

} // namespace

void runLexer(std::string_view input) {
  SourceManager sources;
  Diagnostics diagnostics(sources);
  const Lexed lexed = lex(sources.add("m.ordo", std::string(input)), sources, diagnostics);
  require(!lexed.tokens.empty() && lexed.tokens.back().kind == Tok::End, "no End token");
  std::uint32_t at = 0;
  bool hasError = false;
  for (const Token &token : lexed.tokens) {
    require(at <= token.begin && token.begin <= token.end && token.end <= input.size(),
            "token [{}, {}) after {}", token.begin, token.end, at);
    require(token.kind == Tok::End || token.begin < token.end, "an empty token at {}", at);
    if (const auto spelt = spelling(token.kind); !spelt.empty())
      require(input.substr(token.begin, token.end - token.begin) == spelt, "not `{}`", spelt);
    hasError = hasError || token.kind == Tok::Error;
    at = token.end;
  }
  require(!hasError || diagnostics.hasErrors(), "an Error token that nothing explains");
  requireSound(diagnostics, sources);
}

void runParser(std::string_view input) {
  SourceManager sources;
  Diagnostics diagnostics(sources);
  const std::uint32_t file = sources.add("m.ordo", std::string(input));
  Ast ast;
  const bool isFine = parse(file, sources, diagnostics, ast);
  require(isFine != diagnostics.hasErrors(), "parse says {} after {} errors", isFine,
          diagnostics.errorCount());
  requireSound(diagnostics, sources);
  if (!isFine)
    return;
  for (const NodeId id : ast.declarations)
    require(!printNode(ast, id).empty(), "a declaration without text");
  Ast again;
  require(parse(sources.add("again.ordo", print(ast)), sources, diagnostics, again),
          "what print writes does not parse\n{}", diagnostics.renderAll());
  require(sameTree(ast, again), "print changes the tree");
}

// Formatting never fails on what parses, changes nothing the second time, and no digest ever.
void runFormat(std::string_view input) {
  SourceManager sources;
  Diagnostics diagnostics(sources);
  const std::string text(input);
  const auto once = format(sources.add("m.ordo", text), sources, diagnostics);
  requireSound(diagnostics, sources);
  if (!once) {
    for (const Diagnostic &diagnostic : diagnostics.all())
      require(!(diagnostic.kind == "format-fault"), "{}", diagnostics.renderAll());
    require(diagnostics.hasErrors(), "not formatted, and nothing says why");
    return;
  }
  const auto twice = format(sources.add("m.ordo", *once), sources, diagnostics);
  require(twice == once, "formatting again changes\n{}", *once);
  Ast ast;
  parse(sources.add("m.ordo", text), sources, diagnostics, ast);
  if (ast.module.size() > 100)
    return; // no name of a file
  Modules modules;
  const Contract before(modules.writeOne(ast.module, text));
  const Contract after(modules.writeOne(ast.module, *once));
  require(before.kinds() == after.kinds(), "formatting changes what is reported: {}\nnow\n{}",
          before.report(), after.report());
  require(before.digests() == after.digests(), "formatting changes a digest");
}

} // namespace ordo::fuzz
