#include "dsl/syntax/printer.h"

#include "dsl/syntax/print_fill.h"
#include "dsl/syntax/print_line.h"

#include <algorithm>

namespace ordo::dsl {

namespace {

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
    declarations(ast_.declarations, 0);
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

  // --- Alignment
  /// Whether the `=` of the two, neighbours in `ids`, stand in one column.
  bool aligned(NodeId above, NodeId below) const {
    const Node &a = ast_[above], &b = ast_[below];
    const bool kind = a.kind == NodeKind::Define || a.kind == NodeKind::Update ||
                      a.kind == NodeKind::Kernel || a.kind == NodeKind::OrderDecl ||
                      a.kind == NodeKind::LetDecl;
    if (!kind || a.kind != b.kind || b.blankBefore || !b.doc.empty())
      return false;
    if (recurrenceIn(ast_, valueOf(a)) != kNoNode || recurrenceIn(ast_, valueOf(b)) != kNoNode)
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

  // --- Blocks
  /// From after its `{` to its `}`, which stands at `indent`.
  void block(NodeId id, std::size_t indent) {
    const Node &block = ast_[id];
    const std::vector<NodeId> &ids = block.kids;
    std::vector<Line> lines;
    for (const NodeId kid : ids)
      lines.push_back(lineOf(ast_, expr_, kid));
    const std::vector<std::size_t> column = columns(ids, lines);
    trailingComment(ids.empty() ? block.span.end : ast_[ids[0]].span.begin);
    out_ += "\n";
    const std::size_t inner = indent + kIndent;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const Node &node = ast_[ids[i]];
      const std::uint32_t next = i + 1 < ids.size() ? ast_[ids[i + 1]].span.begin : block.span.end;
      commentsBefore(node.span.begin, inner, false);
      if (node.blankBefore && i > 0)
        out_ += "\n";
      commentsWithin(headEnd(ids[i]), inner, false);
      statement(ids[i], lines[i], column[i], inner);
      trailingComment(next);
      out_ += "\n";
    }
    commentsBefore(block.span.end, inner, false);
    out_ += std::string(indent, ' ') + "}";
  }

  /// Where the first block in a statement or declaration begins; without one, its end.
  std::uint32_t headEnd(NodeId id) const {
    const Node &node = ast_[id];
    const NodeId value = valueOf(node);
    NodeId holder = recurrenceIn(ast_, value == kNoNode ? id : value);
    if (node.kind == NodeKind::For || node.kind == NodeKind::Op)
      holder = id;
    if (holder == kNoNode)
      return isBlock(node) ? ast_[node.kids.back()].span.begin : node.span.end;
    const Node &holds = ast_[holder];
    const bool merges = holds.kind == NodeKind::Fold; // its block is the last kid but one
    return ast_[merges ? holds.kids[holds.kids.size() - 2] : holds.kids.back()].span.begin;
  }

  void statement(NodeId id, const Line &line, std::size_t column, std::size_t indent) {
    const Node &node = ast_[id];
    const NodeId value = valueOf(node);
    if (node.kind == NodeKind::For) {
      forBlock(node, indent);
    } else if (recurrenceIn(ast_, value) != kNoNode) {
      recurrence(line.left, value, indent);
      const NodeId guard = node.kids[node.kids.size() - 2];
      if (guard != kNoNode)
        out_ += " where " + printNode(ast_, guard);
    } else if (recurrenceIn(ast_, id) != kNoNode) {
      recurrence("", id, indent);
    } else if (node.kind == NodeKind::Next || node.kind == NodeKind::Yield) {
      results(node, line, indent);
    } else {
      write(line, column, indent);
    }
  }

  /// next (a, b) on one line, or each value on lines of its own.
  void results(const Node &node, const Line &line, std::size_t indent) {
    if (indent + line.left.size() <= kColumns) {
      out_ += fill(line.left, indent);
      return;
    }
    out_ += fill(line.left.substr(0, line.left.find('(') + 1), indent);
    for (const NodeId kid : node.kids)
      out_ += "\n" +
              fill(expr_.text(kid) + (kid == node.kids.back() ? ")" : ","), indent + kContinuation);
  }

  void forBlock(const Node &node, std::size_t indent) {
    const std::size_t body = node.kids.size() - 1;
    std::string head = "for " + expr_.list(node, 0, node.a);
    if (node.a < body)
      head += char(kBreakClause) + ("let " + expr_.list(node, node.a, body));
    out_ += fill(head + " {", indent);
    block(node.kids[body], indent);
  }

  /// `left = fold[…] from (…) { … } merge (x, y) { … }`; where the head does not fit on the line of
  /// `left`, it goes below and the blocks with it.
  void recurrence(const std::string &left, NodeId value, std::size_t indent) {
    const NodeId id = recurrenceIn(ast_, value);
    const Node &node = ast_[id];
    std::string head = recurrenceHead(expr_, ast_, id) + " {";
    if (!left.empty() && indent + left.size() + 3 + head.size() <= kColumns) {
      head = left + " = " + head;
    } else if (!left.empty()) {
      out_ += fill(left + " =", indent) + "\n";
      indent += kIndent;
    }
    out_ += fill(head, indent);
    if (node.kind == NodeKind::Iterate) {
      block(node.kids.back(), indent);
    } else {
      block(node.kids[node.kids.size() - 2], indent);
      if (node.kids.back() != kNoNode) {
        const Node &merge = ast_[node.kids.back()];
        out_ += " merge (" + printNode(ast_, merge.kids[0]) + ", " +
                printNode(ast_, merge.kids[1]) + ") {";
        block(merge.kids[2], indent);
      }
    }
    if (value != id)
      out_ += "." + ast_[value].text;
  }

  // --- Declarations
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
    block(node.kids[body], 0);
  }

  void fn(const Node &node) {
    const NodeId value = node.kids.back();
    const std::string head = "fn " + node.text + "(" + expr_.list(node, 0, node.a) + ") -> " +
                             expr_.text(node.kids[node.a]);
    if (recurrenceIn(ast_, value) != kNoNode) {
      recurrence(head, value, 0);
    } else if (ast_[value].kind == NodeKind::Block) {
      out_ += fill(head + " = {", 0);
      block(value, 0);
    } else {
      out_ += fill(head + " =" + char(kBreakValue) + expr_.text(value), 0);
    }
  }

  void profile(const Node &node) {
    out_ += "profile " + node.text + " {";
    trailingComment(node.kids.empty() ? node.span.end : ast_[node.kids[0]].span.begin);
    out_ += "\n";
    declarations(node.kids, kIndent);
    commentsBefore(node.span.end, kIndent, false);
    out_ += "}";
  }

  /// What stands apart from its neighbours.
  static bool isBody(const Node &node) {
    return node.kind == NodeKind::Op || node.kind == NodeKind::Fn || node.kind == NodeKind::View ||
           node.kind == NodeKind::Profile;
  }

  bool isBlock(const Node &node) const {
    return node.kind == NodeKind::Fn && ast_[node.kids.back()].kind == NodeKind::Block;
  }

  /// A blank line around what has a body and where the kind changes; elsewhere, and within a
  /// profile, as written.
  bool blankAbove(const std::vector<NodeId> &ids, std::size_t i, std::size_t indent) const {
    if (indent > 0)
      return false;
    if (i == 0)
      return !ast_.module.empty();
    const Node &above = ast_[ids[i - 1]], &node = ast_[ids[i]];
    return isBody(node) || isBody(above) || above.kind != node.kind;
  }

  void declarations(const std::vector<NodeId> &ids, std::size_t indent) {
    std::vector<Line> lines;
    for (const NodeId id : ids) {
      const bool multiline = isBody(ast_[id]) && ast_[id].kind != NodeKind::View;
      lines.push_back(multiline ? Line{} : lineOf(ast_, expr_, id));
    }
    const std::vector<std::size_t> column = columns(ids, lines);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const Node &node = ast_[ids[i]];
      const std::uint32_t end = indent > 0 ? profileEnd_ : UINT32_MAX;
      const std::uint32_t next = i + 1 < ids.size() ? ast_[ids[i + 1]].span.begin : end;
      bool blank = blankAbove(ids, i, indent);
      blank = !commentsBefore(node.span.begin, indent, blank) && blank;
      blank = blank || (node.blankBefore && (i > 0 || indent == 0));
      const bool isProfile = node.kind == NodeKind::Profile;
      const std::uint32_t head = isProfile ? node.nameSpan.end : headEnd(ids[i]);
      blank = !commentsWithin(head, indent, blank) && blank;
      if (blank && !out_.empty())
        out_ += "\n";
      doc(node.doc, indent);
      if (node.kind == NodeKind::Op)
        op(node);
      else if (node.kind == NodeKind::Fn)
        fn(node);
      else if (isProfile) {
        profileEnd_ = node.span.end;
        profile(node);
      } else
        write(lines[i], column[i], indent);
      trailingComment(next);
      out_ += "\n";
    }
  }

  void doc(const std::string &text, std::size_t indent) {
    for (std::size_t at = 0; !text.empty() && at <= text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      out_ += std::string(indent, ' ');
      out_ += end > at ? "/// " + text.substr(at, end - at) + "\n" : "///\n";
      at = end + 1;
    }
  }

  const Ast &ast_;
  ExprPrinter expr_;
  std::string out_;
  std::size_t comment_ = 0;
  std::uint32_t profileEnd_ = 0; // of the profile being printed
};

} // namespace

std::string print(const Ast &ast) { return Printer(ast).run(); }

std::string printNode(const Ast &ast, NodeId id) {
  std::string text = ExprPrinter(ast).text(id);
  std::replace_if(text.begin(), text.end(), isSoftBreak, ' ');
  return text;
}

} // namespace ordo::dsl
