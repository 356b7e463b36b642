#include "dsl/syntax/printer.h"

#include "dsl/syntax/precedence.h"
#include "dsl/syntax/print_expr.h"

#include <algorithm>

namespace ordo::dsl {

namespace {

constexpr std::size_t kColumns = 100;
constexpr std::size_t kIndent = 2;       // of a block
constexpr std::size_t kContinuation = 4; // of a line that goes on

/// A statement or declaration as text: `left`, and `right` that starts with "= ", which neighbours
/// align.
struct Line {
  std::string left;
  std::string right;
};

/// How bad a place each soft break of `text` is: brackets around it count most, then its kind.
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

/// Breaks `text` at soft breaks into lines of at most kColumns where that can be, the later ones
/// indented by `continuation`. Each line ends at the last of the best places within reach.
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

class Printer {
public:
  explicit Printer(const Ast &ast) : ast_(ast), expr_(ast) {}

  std::string run() {
    if (!ast_.module.empty()) {
      commentsBefore(ast_.moduleSpan.begin, 0, false);
      out_ += "module " + ast_.module;
      const std::uint32_t next = ast_.declarations.empty()
                                     ? ast_.moduleSpan.end
                                     : ast_[ast_.declarations.front()].span.begin;
      trailingComment(ast_.declarations.empty() ? UINT32_MAX : next);
      out_ += "\n";
    }
    declarations();
    commentsBefore(UINT32_MAX, 0, false);
    return std::move(out_);
  }

private:
  // --- Comments
  bool hasCommentBefore(std::uint32_t end) const {
    return comment_ < ast_.comments.size() && ast_.comments[comment_].span.begin < end;
  }

  void ownLine(const std::string &text, std::size_t indent, bool blank) {
    if (blank && !out_.empty())
      out_ += "\n";
    out_ += std::string(indent, ' ') + text + "\n";
  }

  /// Comments up to `end`, each on a line of its own. Returns whether there was any.
  bool commentsBefore(std::uint32_t end, std::size_t indent, bool blankFirst) {
    bool any = false;
    for (; hasCommentBefore(end); ++comment_, any = true) {
      const Comment &comment = ast_.comments[comment_];
      ownLine(comment.text, indent,
              (comment.blankBefore && comment.ownLine) || (blankFirst && !any));
    }
    return any;
  }

  /// Comments from within a construct move above it; a `///` among them must not turn into its doc.
  bool commentsWithin(std::uint32_t end, std::size_t indent, bool blankFirst) {
    bool any = false;
    for (; hasCommentBefore(end); ++comment_, any = true) {
      std::string text = ast_.comments[comment_].text;
      if (text.rfind("///", 0) == 0)
        text.erase(0, 1);
      ownLine(text, indent, blankFirst && !any);
    }
    return any;
  }

  /// The comment that ends the current line, when it starts before `bound`.
  void trailingComment(std::uint32_t bound) {
    if (!hasCommentBefore(bound) || ast_.comments[comment_].ownLine)
      return;
    out_ += "  " + ast_.comments[comment_++].text;
  }

  // --- Text of one construct
  Line line(NodeId id) {
    const Node &node = ast_[id];
    const auto value = [&](NodeId kid) {
      return std::string("=") + char(kBreakValue) + expr_.text(kid);
    };
    switch (node.kind) {
    case NodeKind::Define: {
      const std::size_t indices = node.kids.size() - 2;
      std::string left = node.text;
      if (indices > 0)
        left += "[" + expr_.list(node, 0, indices) + "]";
      std::string right = value(node.kids[indices + 1]);
      if (node.kids[indices] != kNoNode)
        right += char(kBreakClause) + ("where " + expr_.text(node.kids[indices]));
      return {left, right};
    }
    case NodeKind::Let:
    case NodeKind::LetDecl:
      return {"let " + node.text, value(node.kids[0])};
    case NodeKind::OrderDecl:
      return {"order " + node.text, value(node.kids[0])};
    case NodeKind::Require:
      return {"require " + expr_.list(node, 0, node.kids.size()), ""};
    case NodeKind::Kernel: {
      std::string right = value(node.kids[0]);
      if (node.a > 0)
        right += "<" + expr_.list(node, 1, 1 + node.a, kAdd) + ">";
      if (node.kids.size() > 1 + node.a)
        right += "(" + expr_.list(node, 1 + node.a, node.kids.size()) + ")";
      return {"kernel " + node.text, right};
    }
    case NodeKind::Use: {
      std::string left = "use " + node.text;
      if (!node.kids.empty())
        left += " (" + expr_.list(node, 0, node.kids.size()) + ")";
      return {left, ""};
    }
    default: // the value of a block
      return {expr_.text(id), ""};
    }
  }

  /// Whether the `=` of the two, neighbours in `ids`, stand in one column.
  bool aligned(NodeId above, NodeId below) const {
    const Node &a = ast_[above], &b = ast_[below];
    const bool kind = a.kind == NodeKind::Define || a.kind == NodeKind::Kernel ||
                      a.kind == NodeKind::OrderDecl || a.kind == NodeKind::LetDecl;
    if (!kind || a.kind != b.kind || b.blankBefore || !b.doc.empty())
      return false;
    // Nor may a comment stand between them, or within the lower one, from where it moves between
    // them. Two are enough to look at: only the first can be the upper line's own.
    const auto first = std::lower_bound(
        ast_.comments.begin(), ast_.comments.end(), a.span.end,
        [](const Comment &comment, std::uint32_t at) { return comment.span.begin < at; });
    return std::none_of(first, ast_.comments.end() - first > 2 ? first + 2 : ast_.comments.end(),
                        [&](const Comment &comment) {
                          const std::uint32_t at = comment.span.begin;
                          return at < b.span.end && (comment.ownLine || at > b.span.begin);
                        });
  }

  /// For each of `ids` the column of its `=` within the line, 0 where it has none.
  std::vector<std::size_t> columns(const std::vector<NodeId> &ids, const std::vector<Line> &lines) {
    std::vector<std::size_t> out(ids.size(), 0);
    for (std::size_t first = 0; first < ids.size();) {
      std::size_t end = first + 1, widest = lines[first].left.size();
      for (; end < ids.size() && aligned(ids[end - 1], ids[end]); ++end)
        widest = std::max(widest, lines[end].left.size());
      std::fill(out.begin() + first, out.begin() + end, widest);
      first = end;
    }
    return out;
  }

  void write(const Line &line, std::size_t column, std::size_t indent) {
    std::string text = line.left;
    if (!line.right.empty())
      text += std::string(column - line.left.size() + 1, ' ') + line.right;
    out_ += fill(text, indent);
  }

  // --- Blocks and declarations
  void block(const Node &block) {
    const std::vector<NodeId> &ids = block.kids;
    std::vector<Line> lines;
    for (const NodeId id : ids)
      lines.push_back(line(id));
    const std::vector<std::size_t> column = columns(ids, lines);
    trailingComment(ids.empty() ? block.span.end : ast_[ids[0]].span.begin);
    out_ += "\n";
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const Node &node = ast_[ids[i]];
      const std::uint32_t next = i + 1 < ids.size() ? ast_[ids[i + 1]].span.begin : block.span.end;
      commentsBefore(node.span.begin, kIndent, false);
      if (node.blankBefore && i > 0)
        out_ += "\n";
      commentsWithin(node.span.end, kIndent, false);
      write(lines[i], column[i], kIndent);
      trailingComment(next);
      out_ += "\n";
    }
    commentsBefore(block.span.end, kIndent, false);
    out_ += "}";
  }

  void op(const Node &node) {
    const std::size_t params = node.a, results = params + node.b, body = results + node.c;
    std::string name = "op " + node.text;
    if (node.a > 0)
      name += "<" + expr_.list(node, 0, node.a) + ">";
    const std::string in = expr_.list(node, params, results) + ")";
    const std::string out = "-> (" + expr_.list(node, results, body) + ")";
    const std::string flat = name + "(" + in + " " + out + " {";
    if (flat.size() <= kColumns)
      out_ += fill(flat, 0);
    else
      out_ += fill(name + "(", 0) + "\n" + fill(in, kContinuation, kContinuation) + "\n" +
              fill(out, kIndent) + "\n{";
    block(ast_[node.kids[body]]);
  }

  void fn(const Node &node) {
    const Node &value = ast_[node.kids.back()];
    std::string head = "fn " + node.text + "(" + expr_.list(node, 0, node.a) + ") -> " +
                       expr_.text(node.kids[node.a]) + " =";
    if (value.kind != NodeKind::Block) {
      out_ += fill(head + char(kBreakValue) + expr_.text(node.kids.back()), 0);
      return;
    }
    out_ += fill(head + " {", 0);
    block(value);
  }

  void declarations() {
    const std::vector<NodeId> &ids = ast_.declarations;
    const auto isBody = [](const Node &node) {
      return node.kind == NodeKind::Op || node.kind == NodeKind::Fn;
    };
    std::vector<Line> lines;
    for (const NodeId id : ids)
      lines.push_back(isBody(ast_[id]) ? Line{} : line(id));
    const std::vector<std::size_t> column = columns(ids, lines);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const Node &node = ast_[ids[i]];
      const std::uint32_t next = i + 1 < ids.size() ? ast_[ids[i + 1]].span.begin : UINT32_MAX;
      // A blank line around what has a body and where the kind changes; elsewhere as written.
      const Node *above = i > 0 ? &ast_[ids[i - 1]] : nullptr;
      bool blank = above == nullptr ? !ast_.module.empty()
                                    : isBody(node) || isBody(*above) || above->kind != node.kind;
      blank = !commentsBefore(node.span.begin, 0, blank) && blank;
      blank = blank || node.blankBefore;
      const std::uint32_t head = node.kind == NodeKind::Op || isBlock(node)
                                     ? ast_[node.kids.back()].span.begin
                                     : node.span.end;
      blank = !commentsWithin(head, 0, blank) && blank;
      if (blank && !out_.empty())
        out_ += "\n";
      doc(node.doc);
      if (node.kind == NodeKind::Op)
        op(node);
      else if (node.kind == NodeKind::Fn)
        fn(node);
      else
        write(lines[i], column[i], 0);
      trailingComment(next);
      out_ += "\n";
    }
  }

  bool isBlock(const Node &node) const {
    return node.kind == NodeKind::Fn && ast_[node.kids.back()].kind == NodeKind::Block;
  }

  void doc(const std::string &text) {
    for (std::size_t at = 0; !text.empty() && at <= text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      out_ += end > at ? "/// " + text.substr(at, end - at) + "\n" : "///\n";
      at = end + 1;
    }
  }

  const Ast &ast_;
  ExprPrinter expr_;
  std::string out_;
  std::size_t comment_ = 0;
};

} // namespace

std::string print(const Ast &ast) { return Printer(ast).run(); }

std::string printNode(const Ast &ast, NodeId id) {
  std::string text = ExprPrinter(ast).text(id);
  std::replace_if(text.begin(), text.end(), isSoftBreak, ' ');
  return text;
}

} // namespace ordo::dsl
