#include "dsl/syntax/printer.h"

#include "tests/unit/dsl/syntax/testing.h"

#include <gtest/gtest.h>

#include <random>

namespace ordo::dsl {
namespace {

using testing::Parsed;

std::string printed(const std::string &text) {
  const Parsed parsed(text);
  return parsed.ok ? print(parsed.ast) : parsed.rendered();
}

/// Printing keeps the tree and the comments, and is a fixed point.
void checkRoundTrip(const std::string &text) {
  const Parsed first(text);
  ASSERT_TRUE(first.ok) << first.rendered();
  const std::string once = print(first.ast);
  const Parsed second(once);
  ASSERT_TRUE(second.ok) << second.rendered() << once;
  EXPECT_EQ(first.tree(), second.tree()) << once;
  EXPECT_EQ(print(second.ast), once);
  EXPECT_EQ(first.ast.comments.size(), second.ast.comments.size()) << once;
}

TEST(Printer, RoundTripsTheSamples) {
  checkRoundTrip(std::string(testing::kSample));
  checkRoundTrip(std::string(testing::kLarger));
}

/// A comment after any one token costs nothing but its place.
TEST(Printer, KeepsACommentAnywhere) {
  for (const std::string_view sample : {testing::kSample, testing::kLarger}) {
    const std::string text(sample);
    int read = 0;
    for (std::size_t i = 1; i < text.size(); ++i) {
      const std::size_t line = text.rfind('\n', i) + 1;
      const bool inComment = text.find("//", line) < i;
      if (text[i] != ' ' || inComment)
        continue;
      const std::string changed = text.substr(0, i) + " // here\n" + text.substr(i);
      if (!Parsed(changed).ok) // the line's end ends a statement here
        continue;
      ++read;
      checkRoundTrip(changed);
      if (HasFailure())
        return;
    }
    EXPECT_GT(read, 100);
  }
}

TEST(Printer, LaysOutCanonically) {
  EXPECT_EQ(printed("  // top\n"
                    "module   m\n"
                    "use a,b (c,d)\n"
                    "let x=1,  yy =2\n"
                    "\n\n\n"
                    "/// Doc.\n"
                    "op f< H,order r >( x:f32[ T,H ] )->( y:f32[T] ){ // head\n"
                    "  y[t]=((x[t,0]+(1.0*2.0)))*3.0  where(t<3)// one\n"
                    "  // two\n"
                    "  long[ t ]=- ( - x[t,1])\n"
                    "\n"
                    "  z = sum [h in H by r]x[0,h]\n"
                    "  // last\n"
                    "}\n"
                    "order r=seq( 8 )|halves\n"
                    "order rr=pairs\n"
                    "kernel k=f<H=3,r>( )"),
            "// top\n"
            "module m\n"
            "\n"
            "use a\n"
            "use b (c, d)\n"
            "\n"
            "let x  = 1\n"
            "let yy = 2\n"
            "\n"
            "/// Doc.\n"
            "op f<H, order r>(x: f32[T, H]) -> (y: f32[T]) {  // head\n"
            "  y[t] = (x[t, 0] + 1.0 * 2.0) * 3.0 where t < 3  // one\n"
            "  // two\n"
            "  long[t] = -(-x[t, 1])\n"
            "\n"
            "  z = sum[h in H by r] x[0, h]\n"
            "  // last\n"
            "}\n"
            "\n"
            "order r  = seq(8) | halves\n"
            "order rr = pairs\n"
            "\n"
            "kernel k = f<H = 3, r>\n");
}

TEST(Printer, BreaksLongLinesWhereTheyMayBreak) {
  const std::string name(40, 'a');
  const std::string text = "op f<H, K, order row>(" + name +
                           ": bf16[T, H, K], x: bf16[T, H], w: bf16[H]) -> (y: f32[T]) {\n" +
                           "  y[t] = if " + name + "[t, 0, 0] < 1.0 then " + name +
                           "[t, 1, 1] * 2.0 else " + name + "[t, 2, 2] + f(" + name +
                           "[t, 3, 3], " + name + "[t, 4, 4], w[0])\n}\n";
  checkRoundTrip(text);
  const std::string out = printed(text);
  for (std::size_t at = 0; at < out.size();) {
    const std::size_t end = out.find('\n', at);
    EXPECT_LE(end - at, 100u) << out;
    at = end + 1;
  }
  EXPECT_EQ(out.substr(0, out.find('(') + 1), "op f<H, K, order row>(");
  EXPECT_NE(out.find("\n  -> (y: f32[T])\n{\n"), std::string::npos) << out;
}

TEST(Printer, KeepsParenthesesThatMatterOnly) {
  const auto value = [](const std::string &text) {
    const std::string out = printed("let v = " + text + "\n");
    return out.substr(8, out.size() - 9);
  };
  for (const std::string same :
       {"a - (b - c)", "(a + b) * c", "-(-a)", "(if a then b else c) + 1",
        "(sum[h in H by r] a) + b", "sum[h in H by r] (a + b)", "a - (sum[h in H by r] b)",
        "(sum[h in H by r] a) * b", "not (a and b)", "(not a) == b", "dot[k in K by r](x, y) * s",
        "count[u in T] (a < b) + 1", "(a < b) == c", "a < b <= c", "(max[h in H] a)[0]",
        "(a + b)[0]", "a & b | c ^ d << 1", "(a | b) & c",
        "sum[i in N by r] sum[j in M by r] a * b", "sum[i in N by r] (if a then b else c)",
        "a / (b * c)", "~(a + b)", "-a * b", "a - -b",
        // Not needed, but they say what rounds first.
        "(f - p) + square", "(a - b) - c", "((a + b) + c) + d", "a + b + c", "(a * b) * c",
        "(a / b) * c * d", "(a and b) and c"})
    EXPECT_EQ(value(same), same);
  EXPECT_EQ(value("((a)) + ((b * c))"), "a + b * c");
  EXPECT_EQ(value("(a < b) and (c or (d))"), "a < b and (c or d)");
  EXPECT_EQ(value("count[u in T] a < b"), "count[u in T] (a < b)");
  EXPECT_EQ(value("((a - b)) - c"), "(a - b) - c");
  EXPECT_EQ(value("(a * b) + c"), "a * b + c");
}

TEST(Printer, KeepsCommentsInOddPlaces) {
  checkRoundTrip("/// not a doc of the module\nmodule m // one\n// two\n\n// three\n");
  checkRoundTrip("let a = // one\n  1 + // two\n  2 // three\n// four\nlet b = 2\n");
  checkRoundTrip(
      "op f( // one\n  x: f32[T] // two\n) -> (y: f32[T])\n// three\n{ // four\n  // five\n"
      "  y[t] = x[t] // six\n    where // seven\n    t < 3\n  // eight\n} // nine\n");
  checkRoundTrip(
      "fn f(x: f32) -> f32 = { // one\n  // two\n  a = x\n\n  // three\n  a // four\n}\n");
  checkRoundTrip("/// a\n\n/// b\n// c\nlet a = 1\n\n///\n/// d\n///\nlet b = 2\n///\nlet c = 3\n");
  checkRoundTrip("use a, // one\n  b // two\nlet c = 1, // three\n  d = 2 // four\n");
  checkRoundTrip("// only a comment");
  checkRoundTrip("");
}

TEST(Printer, ANodeAlone) {
  const Parsed parsed("let v = sum[h in H by seq(8) | halves where h < 3] f(x[h], 1.0) * -y\n");
  ASSERT_TRUE(parsed.ok);
  EXPECT_EQ(printNode(parsed.ast, parsed.declaration(0).kids[0]),
            "sum[h in H by seq(8) | halves where h < 3] f(x[h], 1.0) * -y");
}

/// A random expression that the grammar allows, with parentheses in random places.
std::string randomExpression(std::mt19937 &random, int depth) {
  const auto sub = [&] { return randomExpression(random, depth - 1); };
  const auto pick = [&](std::initializer_list<const char *> items) {
    return std::string(*(items.begin() + random() % items.size()));
  };
  if (depth == 0)
    return pick({"a", "x[i]", "1.0", "f(b, 2)", "-inf", "true", "c.d"});
  switch (random() % 9) {
  case 0:
    return "(" + sub() + ")";
  case 1:
    return pick({"-", "~"}) + "(" + sub() + ")";
  case 2:
    return "(not " + sub() + ")";
  case 3:
    return "(if " + sub() + " then " + sub() + " else " + sub() + ")";
  case 4:
    return pick({"(sum[i in ", "(max[i in ", "count[i in "}) + sub() + " by seq(" + sub() +
           ") | row where " + sub() + "] (" + sub() + pick({")", ")"}) + ")";
  case 5:
    return "dot[i in " + sub() + "](" + sub() + ", " + sub() + ")";
  case 6:
    return "(" + sub() + ")[" + sub() + ", " + sub() + "]";
  default:
    return "(" + sub() + ") " +
           pick(
               {"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "<", "==", ">=", "and", "or"}) +
           " (" + sub() + ")";
  }
}

TEST(Printer, RoundTripsRandomExpressions) {
  std::mt19937 random(7);
  int read = 0;
  for (int i = 0; i < 2000; ++i) {
    const std::string text = "let v = " + randomExpression(random, 1 + i % 5) + "\n";
    if (!Parsed(text).ok) // `count[…] (a))` and the like
      continue;
    ++read;
    checkRoundTrip(text);
    if (HasFailure())
      return;
  }
  EXPECT_GT(read, 1000);
}

} // namespace
} // namespace ordo::dsl
