#include "dsl/syntax/format.h"

#include "dsl/syntax/parser.h"
#include "dsl/syntax/printer.h"

#include <algorithm>

namespace ordo::dsl {

namespace {

// The height of a tree is limited, so this may recurse.
bool same(const Ast &left, NodeId leftId, const Ast &right, NodeId rightId) {
  if (leftId == kNoNode || rightId == kNoNode)
    return leftId == rightId;
  const Node &a = left[leftId], &b = right[rightId];
  if (a.kind != b.kind || a.text != b.text || a.doc != b.doc || a.a != b.a || a.b != b.b ||
      a.c != b.c)
    return false;
  return std::equal(a.kids.begin(), a.kids.end(), b.kids.begin(), b.kids.end(),
                    [&](NodeId x, NodeId y) { return same(left, x, right, y); });
}

} // namespace

bool sameTree(const Ast &left, const Ast &right) {
  return left.module == right.module &&
         std::equal(left.declarations.begin(), left.declarations.end(), right.declarations.begin(),
                    right.declarations.end(),
                    [&](NodeId x, NodeId y) { return same(left, x, right, y); });
}

std::optional<std::string> format(std::uint32_t file, SourceManager &sources,
                                  Diagnostics &diagnostics) {
  Ast ast;
  if (!parse(file, sources, diagnostics, ast))
    return std::nullopt;
  std::string text = print(ast);
  Ast again;
  Diagnostics silent(sources);
  const std::uint32_t printed = sources.add(sources.file(file).path, text);
  if (parse(printed, sources, silent, again) && sameTree(ast, again) &&
      ast.comments.size() == again.comments.size() && print(again) == text)
    return text;
  diagnostics
      .error("format-fault", {file, 0, 0},
             "formatting would change this file, so it stays as it is")
      .help = "this is a fault of the formatter: please report it with the file";
  return std::nullopt;
}

} // namespace ordo::dsl
