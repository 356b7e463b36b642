#include "dsl/syntax/print_fill.h"

#include "dsl/syntax/print_expr.h"

#include <vector>

namespace ordo::dsl {

namespace {

/// How bad a place each soft break of `text` is.
std::vector<int> penalties(const std::string &text) {
  std::vector<int> out(text.size(), 0);
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i], before = i > 0 ? text[i - 1] : ' ';
    // `<` of generics follows its name; the operator stands between spaces.
    const bool operation = before == ' ' || before == '-' || before == '<' || before == '>';
    if (c == '(' || c == '[' || (c == '<' && !operation))
      ++depth;
    else if (c == ')' || c == ']' || (c == '>' && !operation))
      --depth;
    else if (isSoftBreak(c))
      out[i] = depth * kBreakValue + c;
  }
  return out;
}

} // namespace

std::string fill(const std::string &text, std::size_t indent, std::size_t continuation) {
  const std::vector<int> penalty = penalties(text);
  std::string out;
  for (std::size_t at = 0, margin = indent;; margin = continuation) {
    const std::size_t fits = at + (kColumns - margin); // the line may end here
    std::size_t best = text.size();
    if (text.size() > fits)
      for (std::size_t i = at; i < text.size() && (i <= fits || best == text.size()); ++i)
        if (isSoftBreak(text[i]) && (best == text.size() || penalty[i] <= penalty[best]))
          best = i;
    out += std::string(margin, ' ');
    for (std::size_t i = at; i < best; ++i)
      out += isSoftBreak(text[i]) ? ' ' : text[i];
    if (best == text.size())
      return out;
    out += '\n';
    at = best + 1;
  }
}

std::string fill(const std::string &text, std::size_t indent) {
  return fill(text, indent, indent + kContinuation);
}

} // namespace ordo::dsl
