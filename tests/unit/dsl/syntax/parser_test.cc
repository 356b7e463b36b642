#include "dsl/syntax/parser.h"
#include "dsl/syntax/printer.h"
#include "tests/unit/dsl/syntax/testing.h"

#include <gtest/gtest.h>

namespace ordo::dsl {
namespace {

using testing::Parsed;

/// The expression with every operation in brackets: an oracle that shares nothing with the printer.
std::string grouped(const Ast &ast, NodeId id) {
  if (id == kNoNode)
    return "_";
  const Node &node = ast[id];
  const auto kid = [&](std::size_t i) { return grouped(ast, node.kids[i]); };
  std::string list;
  for (std::size_t i = 0; i < node.kids.size(); ++i)
    list += (i == 0 ? "" : " ") + kid(i);
  switch (node.kind) {
  case NodeKind::Binary:
    return "(" + kid(0) + " " + node.text + " " + kid(1) + ")";
  case NodeKind::Unary:
    return "(" + node.text + " " + kid(0) + ")";
  case NodeKind::Compare:
    return "(" + node.text + ": " + list + ")";
  case NodeKind::If:
    return "(if " + list + ")";
  case NodeKind::Call:
    return node.text + "(" + list + ")";
  case NodeKind::Index:
    return "(at " + list + ")";
  case NodeKind::Tuple:
    return "<" + list + ">";
  case NodeKind::ArrayLit:
    return "[" + list + "]";
  case NodeKind::Reduce:
    return "{" + node.text + " " + list + "}";
  case NodeKind::Binder:
    return node.text + ":" + kid(0);
  case NodeKind::OrderPipe:
    return "|" + list + "|";
  case NodeKind::StageFrom:
    return "from{" + list + "}";
  case NodeKind::StagePad:
    return "pad{" + list + "}";
  case NodeKind::StageRound:
    return "round{" + list + " " + node.text + "}";
  case NodeKind::Stage:
    return node.kids.empty() ? node.text : node.text + "{" + list + "}";
  case NodeKind::OrderName:
    return "order:" + node.text;
  default:
    return node.text;
  }
}

std::string expression(const std::string &text) {
  const Parsed parsed("let v = " + text + "\n");
  return parsed.ok ? grouped(parsed.ast, parsed.declaration(0).kids[0]) : parsed.rendered();
}

TEST(Parser, Precedence) {
  EXPECT_EQ(expression("a or b and c"), "(a or (b and c))");
  EXPECT_EQ(expression("not a and not b == c"), "((not a) and (not (==: b c)))");
  EXPECT_EQ(expression("a == b | c"), "(==: a (b | c))");
  EXPECT_EQ(expression("a | b ^ c & d << e + f * g"), "(a | (b ^ (c & (d << (e + (f * g))))))");
  EXPECT_EQ(expression("a * b + c"), "((a * b) + c)");
  EXPECT_EQ(expression("a - b - c"), "((a - b) - c)");
  EXPECT_EQ(expression("a / b * c % d"), "(((a / b) * c) % d)");
  EXPECT_EQ(expression("a - (b - c)"), "(a - (b - c))");
  EXPECT_EQ(expression("-a * b"), "((- a) * b)");
  EXPECT_EQ(expression("-a[i]"), "(- (at a i))");
  EXPECT_EQ(expression("a - -~b"), "(a - (- (~ b)))");
  EXPECT_EQ(expression("a >> 1 >> b"), "((a >> 1) >> b)");
  EXPECT_EQ(expression("not not a"), "(not (not a))");
}

TEST(Parser, ComparisonsChain) {
  EXPECT_EQ(expression("0.0 <= a + 1.0 < b"), "(<=,<: 0.0 (a + 1.0) b)");
  EXPECT_EQ(expression("a < b and c != d"), "((<: a b) and (!=: c d))");
  EXPECT_EQ(expression("(a < b) == c"), "(==: (<: a b) c)");
}

TEST(Parser, PostfixAndAtoms) {
  EXPECT_EQ(expression("f(x, g())[i, j][0]"), "(at (at f(x g()) i j) 0)");
  EXPECT_EQ(expression("bf16.rz(f32.of_bits(0x7fc00000))"), "bf16.rz(f32.of_bits(0x7fc00000))");
  EXPECT_EQ(expression("if a then -inf else if b then true else 0x1.8p-3"),
            "(if a (- inf) (if b true 0x1.8p-3))");
  EXPECT_EQ(expression("if a then b else c + d"), "(if a b (c + d))");
  EXPECT_EQ(expression("(if a then b else c) + d"), "((if a b c) + d)");
  EXPECT_EQ(expression("[a, (b, c)]"), "[a <b c>]");
  EXPECT_EQ(expression("max(a, 1e-6) + min_nan(b, 2)"), "(max(a 1e-6) + min_nan(b 2))");
}

TEST(Parser, ReductionsTakeAProduct) {
  EXPECT_EQ(expression("sum[h in H by row] a * b / c"), "{sum h:H order:row _ ((a * b) / c)}");
  EXPECT_EQ(expression("sum[h in H by row] -a * b"), "{sum h:H order:row _ ((- a) * b)}");
  EXPECT_EQ(expression("(sum[h in H by row] a) + b"), "({sum h:H order:row _ a} + b)");
  EXPECT_EQ(expression("sum[h in H by row] (a + b)"), "{sum h:H order:row _ (a + b)}");
  EXPECT_EQ(expression("a - sum[h in H by row] b * c"), "(a - {sum h:H order:row _ (b * c)})");
  EXPECT_EQ(expression("max[i in A + 1, j in B where i < j] m[i, j]"),
            "{max i:(A + 1) j:B _ (<: i j) (at m i j)}");
  EXPECT_EQ(expression("sum[i in N by seq] sum[j in M by seq] a"),
            "{sum i:N |seq| _ {sum j:M |seq| _ a}}");
  // dot ends at its parenthesis, count takes a comparison or a parenthesis.
  EXPECT_EQ(expression("dot[k in K by fma](x, y) * s + t"), "(({dot k:K |fma| _ <x y>} * s) + t)");
  EXPECT_EQ(expression("count[u in T] key[u] < k"), "{count u:T _ _ (<: (at key u) k)}");
  EXPECT_EQ(expression("n + count[u in T] (a < b and c) + 1"),
            "((n + {count u:T _ _ ((<: a b) and c)}) + 1)");
}

TEST(Parser, Orders) {
  const auto order = [](const std::string &text) {
    return expression("sum[h in H by " + text + "] x");
  };
  const auto wanted = [](const std::string &text) { return "{sum h:H " + text + " _ x}"; };
  EXPECT_EQ(order("seq(8) | lanes(H / 8, 2) | halves"), wanted("|seq{8} lanes{(H / 8) 2} halves|"));
  EXPECT_EQ(order("row"), wanted("order:row"));
  EXPECT_EQ(order("nn.norm.row"), wanted("order:nn.norm.row"));
  EXPECT_EQ(order("row | pairs"), wanted("|order:row pairs|"));
  EXPECT_EQ(order("mid.leaf(32): bf16"), wanted("|round{mid.leaf{32} bf16}|"));
  EXPECT_EQ(order("mid(64).leaf(8) | seq"), wanted("|mid.leaf{64 8} seq|"));
  EXPECT_EQ(order("seq.from(-0.0).pad(1.0): f16 | mid"),
            wanted("|round{pad{from{seq (- 0.0)} 1.0} f16} mid|"));
}

TEST(Parser, LinesEndStatements) {
  const Parsed parsed("op f(x: f32[T]) -> (y: f32[T]) {\n"
                      "  a = x[0] +\n" // needs more
                      "    x[1]\n"
                      "    * x[2]\n" // can only continue
                      "  b = (a\n"
                      "    - x[3]\n" // inside parentheses
                      "    )\n"
                      "  c[t] = if b < a\n"
                      "    then b\n"
                      "    else a\n"
                      "    where t < 3\n"
                      "  require a < 1.0,\n"
                      "    b < 2.0\n"
                      "  y[t] =\n"
                      "    x[t]\n"
                      "}\n");
  ASSERT_TRUE(parsed.ok) << parsed.rendered();
  const Node &body = parsed.ast[parsed.declaration(0).kids.back()];
  std::vector<std::string> statements;
  for (const NodeId id : body.kids)
    statements.push_back(grouped(parsed.ast, parsed.ast[id].kids.back()));
  EXPECT_EQ(statements,
            (std::vector<std::string>{"((at x 0) + ((at x 1) * (at x 2)))", "(a - (at x 3))",
                                      "(if (<: b a) b a)", "(<: b 2.0)", "(at x t)"}));
}

TEST(Parser, ALineThatBeginsWithMinusOrABracketIsNew) {
  const Parsed parsed("fn f(x: f32) -> f32 = {\n  a = x\n  -a\n}\n"
                      "fn g(x: f32) -> f32 = {\n  a = x\n  (a)\n}\n");
  ASSERT_TRUE(parsed.ok) << parsed.rendered();
  for (const std::size_t i : {0, 1}) {
    const Node &body = parsed.ast[parsed.declaration(i).kids.back()];
    ASSERT_EQ(body.kids.size(), 2u);
    EXPECT_EQ(parsed.ast[body.kids[0]].kind, NodeKind::Define);
    EXPECT_EQ(grouped(parsed.ast, body.kids[1]), i == 0 ? "(- a)" : "a");
  }
}

TEST(Parser, ReadsEveryDeclaration) {
  const Parsed parsed{std::string(testing::kSample)};
  ASSERT_TRUE(parsed.ok) << parsed.rendered();
  const Ast &ast = parsed.ast;
  EXPECT_EQ(ast.module, "nn.sample");
  std::vector<NodeKind> kinds;
  for (const NodeId id : ast.declarations)
    kinds.push_back(ast[id].kind);
  using enum NodeKind;
  EXPECT_EQ(kinds, (std::vector<NodeKind>{Use, Use, LetDecl, LetDecl, Op, Op, Fn, Fn, OrderDecl,
                                          OrderDecl, Kernel, Kernel, Kernel}));

  const Node &op = parsed.declaration(4);
  EXPECT_EQ(op.text, "rms_norm");
  EXPECT_EQ(op.doc, "RMSNorm rounded once, at the store.\n\n"
                    "With CENTRED the stored weight is an offset from one.");
  ASSERT_EQ(op.a, 4u);
  ASSERT_EQ(op.b, 3u);
  ASSERT_EQ(op.c, 1u);
  ASSERT_EQ(op.kids.size(), 9u);
  EXPECT_EQ(ast[op.kids[0]].kind, GenericDim);
  EXPECT_EQ(ast[op.kids[1]].kind, GenericBool);
  EXPECT_EQ(ast[op.kids[2]].kind, GenericOrder);
  EXPECT_EQ(ast[op.kids[3]].kind, GenericType);
  EXPECT_EQ(ast[op.kids[6]].text, "eps");
  EXPECT_EQ(ast[ast[op.kids[6]].kids[0]].kids.size(), 0u); // a scalar
  EXPECT_EQ(ast[ast[op.kids[4]].kids[0]].kids.size(), 2u); // E[T, H]
  EXPECT_EQ(ast[op.kids[8]].kids.size(), 6u);

  const Node &kernel = parsed.declaration(10);
  EXPECT_EQ(kernel.a, 4u);
  ASSERT_EQ(kernel.kids.size(), 6u);
  EXPECT_EQ(ast[kernel.kids[3]].text, "row");
  EXPECT_EQ(ast[ast[kernel.kids[3]].kids[0]].kind, Name);
  EXPECT_EQ(ast[ast[parsed.declaration(11).kids[2]].kids[0]].kind, OrderPipe);
  EXPECT_EQ(ast[parsed.declaration(12).kids[1]].text, ""); // positional
  EXPECT_EQ(ast.comments.size(), 6u);                      // without the docs
}

TEST(Parser, SpansCoverWhatIsWritten) {
  const std::string text = "let v = (a + b) * f(x)[i]\n";
  const Parsed parsed(text);
  ASSERT_TRUE(parsed.ok);
  const auto written = [&](Span span) { return std::string(parsed.sources.text(span)); };
  const Node &let = parsed.declaration(0);
  const Node &product = parsed.ast[let.kids[0]];
  EXPECT_EQ(written(let.span), "let v = (a + b) * f(x)[i]");
  EXPECT_EQ(written(let.nameSpan), "v");
  EXPECT_EQ(written(product.span), "(a + b) * f(x)[i]");
  EXPECT_EQ(written(product.nameSpan), "*");
  EXPECT_EQ(written(parsed.ast[product.kids[0]].span), "(a + b)");
  EXPECT_EQ(written(parsed.ast[product.kids[1]].span), "f(x)[i]");
}

TEST(Parser, WordsOfReductionsAndContextAreNames) {
  // These mean something elsewhere; here they name values.
  EXPECT_EQ(expression("top[t] + first + view + target + type + scan"),
            "((((((at top t) + first) + view) + target) + type) + scan)");
}

TEST(Parser, AByteOrderMarkAndOtherLineEndsAreFine) {
  const Parsed parsed("\xEF\xBB\xBFmodule m\r\nlet a = 1\r\n\r\nlet b = 2");
  EXPECT_TRUE(parsed.ok) << parsed.rendered();
  EXPECT_EQ(parsed.ast.declarations.size(), 2u);
}

} // namespace
} // namespace ordo::dsl
