// Every error of the lexer and the parser: its place, its kind, its words.
#include "tests/unit/dsl/syntax/testing.h"

#include <gtest/gtest.h>

namespace ordo::dsl {
namespace {

using testing::Parsed;

struct Case {
  std::string text;
  std::string expected; // "line:column kind: message", one a line
};

std::string summary(const Parsed &parsed) {
  std::string out;
  for (const Diagnostic &error : parsed.diagnostics.all()) {
    const LineColumn place = parsed.sources.lineColumn(error.span.file, error.span.begin);
    out += std::to_string(place.line) + ":" + std::to_string(place.column) + " " +
           std::string(error.kind.name()) + ": " + error.message + "\n";
  }
  return out;
}

void check(const Case &item) {
  const Parsed parsed(item.text);
  EXPECT_FALSE(parsed.ok) << item.text;
  EXPECT_EQ(summary(parsed), item.expected + "\n") << item.text;
}

/// The text as the body of an op, whose first line is line 2, indented by two.
std::string inOp(const std::string &body) {
  return "op f(x: f32[T]) -> (y: f32[T]) {\n  " + body + "\n}\n";
}

TEST(Errors, Characters) {
  for (const Case &item : std::vector<Case>{
           {inOp("a = b && c"), "2:9 unexpected-character: `&&` means nothing in Ordo"},
           {inOp("a = b || c"), "2:9 unexpected-character: `||` means nothing in Ordo"},
           {inOp("a = !b"), "2:7 unexpected-character: `!` means nothing in Ordo"},
           {inOp("a = b ? c : d"), "2:9 unexpected-character: `?` means nothing in Ordo"},
           {inOp("a = b ** 2"), "2:9 unexpected-character: `**` means nothing in Ordo"},
           {inOp("a = \"b; c\""), "2:7 unexpected-character: `\"` means nothing in Ordo"},
           {inOp("a = b # c ( d"), "2:9 unexpected-character: `#` means nothing in Ordo"},
           {inOp("a = b; c = d"), "2:8 unexpected-character: `;` means nothing in Ordo"},
           {inOp("a = b @ c"), "2:9 unexpected-character: `@` means nothing in Ordo"},
           {inOp("a = \xC3\x97\xC3\xA9 + 1.0f"),
            "2:7 unexpected-character: `\xC3\x97` means nothing in Ordo\n"
            "2:12 bad-number: `1.0f` is not a number"},
           {inOp(std::string("a = \0 b", 7)),
            "2:7 unexpected-character: a control character stands here"},
           {"/* a */\nlet a = 1\n", "1:1 unexpected-character: `/*` means nothing in Ordo"},
           {"let a = \xFF\xFE\xFD 1\n// \xFF\n", "1:9 invalid-utf8: the file is not UTF-8 here"},
           {"// caf\xE9\n", "1:7 invalid-utf8: the file is not UTF-8 here"},
           {"let a = 1 // \xC0\x80 overlong\n", "1:14 invalid-utf8: the file is not UTF-8 here"},
       })
    check(item);
}

TEST(Errors, Numbers) {
  for (const std::string bad :
       {".5", "1.", "0x", "0x1.8", "1e", "1.0e+", "1.0f", "3x", "1_000", "0b1"})
    check({"let a = " + bad + "\n", "1:9 bad-number: `" + bad + "` is not a number"});
}

TEST(Errors, NumbersOutOfProportion) {
  check({"let a = 1e100000\n",
         "1:9 bad-number: the exponent of `1e100000` is out of every type's range"});
  check({"let a = " + std::string(2000, '9') + "\n",
         "1:9 bad-number: a number of more than 1000 characters"});
  EXPECT_TRUE(Parsed("let a = " + std::string(1000, '9') + "\nlet b = 1e-99999\n").ok);
}

TEST(Errors, ExpectedInStatements) {
  for (const Case &item : std::vector<Case>{
           {inOp("y[t] ="), "2:9 expected-token: expected an expression as the value of `y`, found "
                            "the end of the line"},
           {inOp("y[t] =\n  z = 1.0"), "2:9 expected-token: expected an expression as the value of "
                                       "`y`, found the end of the line"},
           {inOp("y[t] x"), "2:8 expected-token: expected `=` to define `y`, found `x`"},
           {inOp("y[t] = x[t +]"),
            "2:15 expected-token: expected an expression after `+`, found `]`"},
           {inOp("y[t] = x[]"), "2:11 expected-token: expected an index between `[` and `]`"},
           {inOp("y[t] = ()"),
            "2:10 expected-token: expected an expression as the value of `y`, found `()`"},
           {inOp("y[] = x"), "2:4 definition-index: expected an index between `[` and `]`"},
           {inOp("y[0] = x"),
            "2:5 definition-index: the indices of a definition are variables, found `0`"},
           {inOp("y[t + 1] = x"),
            "2:5 definition-index: the indices of a definition are variables, found an "
            "expression"},
           {inOp("y[t] = (x + 1.0\n  z = 1.0"),
            "3:3 expected-token: expected `,` or `)` to end what `(` began, found `z`"},
           {inOp("y[t] = f(x, )"),
            "2:15 expected-token: expected an argument after `,`, found `)`"},
           {inOp("y[t] = f(x, 3 4)"),
            "2:17 expected-token: expected `,` or `)` after an argument of `f`, found `4`"},
           {inOp("y[t] = a b"), "2:12 expected-token: expected the end of the line after the "
                                "definition of `y`, found `b`"},
           {inOp("y[t] = if a then b"),
            "2:21 expected-token: expected `else` to go on with `if`, found the end of the line"},
           {inOp("y[t] = a + if a then b else c"),
            "2:14 expected-token: an `if` needs parentheses as an operand"},
           {inOp("y[t] = a == not b"), "2:15 expected-token: a `not` needs parentheses here"},
           {inOp("y[t] = a where"),
            "2:17 expected-token: expected an expression after `where`, found the end of the line"},
           {inOp("require"), "2:10 expected-token: expected an expression as a condition of "
                             "`require`, found the end of the line"},
           {inOp("a == b"),
            "2:3 expected-token: expected a statement (a definition `y[i] = …`, `let`, "
            "`require`, `assume` or `for`), found `a`"},
           {inOp("y(t) = b"),
            "2:3 expected-token: expected a statement (a definition `y[i] = …`, `let`, "
            "`require`, `assume` or `for`), found `y`"},
           {inOp("let W 3"), "2:9 expected-token: expected `=` to define `W`, found `3`"},
           {inOp("let if = 3"),
            "2:7 reserved-name: expected a name after `let`, and `if` is a reserved word"},
           {inOp("sum = 3.0"),
            "2:3 reserved-name: `sum` is a reduction and cannot be the name of a definition"},
       })
    check(item);
}

TEST(Errors, ExpectedInReductionsAndOrders) {
  for (const Case &item : std::vector<Case>{
           {inOp("y = sum[h of H] x"),
            "2:13 expected-token: expected `in` after the index `h` of `sum`, found `of`"},
           {inOp("y = sum[0 in H] x"),
            "2:11 expected-token: expected an index of `sum`, found `0`"},
           {inOp("y = sum[h in H by] x"),
            "2:20 expected-token: expected an order after `by`, found `]`"},
           {inOp("y = sum[h in H by row pairs] x"), "2:25 expected-token: expected `|`, `where` or "
                                                    "`]` in the brackets of `sum`, found `pairs`"},
           {inOp("y = sum[h in H by rows(8)] x"), "2:21 unknown-stage: `rows` is not a stage"},
           {inOp("y = sum[h in H by seq()] x"),
            "2:24 expected-token: expected a size of `seq` between `(` and `)`"},
           {inOp("y = sum[h in H by seq.start(0.0)] x"),
            "2:25 expected-token: expected `from` or `pad` after a stage and `.`, found `start`"},
           {inOp("y = sum[h in H by mid.leaf(64, 8)] x"),
            "2:21 expected-token: `mid.leaf` takes one size, the largest leaf"},
           {inOp("y = sum[h in H by mid.leaf] x"),
            "2:29 expected-token: expected `(` and the largest leaf after `mid.leaf`, found `]`"},
           {inOp("y = sum[h in H by seq: 3] x"),
            "2:26 expected-token: expected a type after `:`, which the stage rounds to, found `3`"},
           {inOp("y = sum[h in H]"), "2:18 expected-token: expected an expression as the body of "
                                     "`sum`, found the end of the line"},
           {inOp("y = sum(x)"), "2:10 expected-token: expected `[` after `sum`, found `(`"},
           {inOp("y = max + 1"), "2:11 expected-token: expected `[` or `(` after `max`, found `+`"},
           {inOp("y = dot[k in K] x"),
            "2:19 expected-token: expected `(` as the body of `dot`, found `x`"},
           {inOp("y = dot[k in K](x)"), "2:18 expected-token: `dot` takes two operands"},
           {inOp("y = sum[h in H] a + b\n  z = max[h in H] a - b"),
            "2:21 reduction-body: `+` after the body of `sum` needs parentheses to say what it "
            "joins\n"
            "3:21 reduction-body: `-` after the body of `max` needs parentheses to say what it "
            "joins"},
           {inOp("y = count[h in H] a < b and c"),
            "2:27 reduction-body: `and` after the body of `count` needs parentheses to say what it "
            "joins"},
       })
    check(item);
}

TEST(Errors, ExpectedInDeclarations) {
  for (
      const Case &item : std::vector<Case>{
          {"foo\n", "1:1 expected-token: expected a declaration (op, fn, view, order, let, "
                    "kernel, profile or use), found `foo`"},
          {"}\nlet a = 1\n",
           "1:1 expected-token: expected a declaration (op, fn, view, order, let, "
           "kernel, profile or use), found `}`"},
          {"module\nlet a = 1\n", "1:7 expected-token: expected the module's name after `module`, "
                                  "found the end of the line"},
          {"module a b\n",
           "1:10 expected-token: expected the end of the line after the module line, found `b`"},
          {"let a = 1\nmodule m\n", "2:1 module-line: `module` comes once, before everything else"},
          {"use\nlet a = 1\n", "1:4 expected-token: expected the name of a module after `use`, "
                               "found the end of the line"},
          {"use a (b,)\n", "1:10 expected-token: expected a name after `,`, found `)`"},
          {"use a ()\n", "1:7 expected-token: expected a name between `(` and `)`"},
          {"op f<H(x: f32[T]) -> (y: f32[T]) {\n}\n",
           "1:7 expected-token: expected `,` or `>` after a generic of `f`, found `(`"},
          {"op f<order>(x: f32[T]) -> (y: f32[T]) {\n}\n",
           "1:11 expected-token: expected the name of an order in the generics, found `>`"},
          {"op f(x f32[T]) -> (y: f32[T]) {\n}\n",
           "1:8 expected-token: expected `:` and a type after `x`, found `f32`"},
          {"op f(x: f32[]) -> (y: f32[T]) {\n}\n",
           "1:12 expected-token: expected an extent between `[` and `]`"},
          {"op f(x: f32[T]) {\n}\n",
           "1:17 expected-token: expected `->` and the results of `f`, found `{`"},
          {"op f(x: f32[T]) -> () {\n}\n", "1:4 expected-token: op `f` has no result"},
          {"op f(x: f32[T]) -> (y: f32[T])\nlet a = 1\n",
           "1:31 expected-token: expected `{` to begin the body of `f`, found the end of the line"},
          {"op f(x: f32[T]) -> (y: f32[T]) {\n  y[t] = 1.0\nop g(x: f32) -> (y: f32) {\n}\n",
           "3:1 expected-token: expected `}` to end the body of `f`, found `op`"},
          {"op in(x: f32[T]) -> (y: f32[T]) {\n}\n",
           "1:4 reserved-name: expected the name of an op after `op`, and `in` is a reserved word"},
          {"order pairs = halves\n",
           "1:7 reserved-name: `pairs` is a stage and cannot be the name of an order"},
          {"op f<order seq>(x: f32[T]) -> (y: f32[T]) {\n  y[t] = x[t]\n}\n",
           "1:12 reserved-name: `seq` is a stage and cannot be the name of an order"},
          {"fn f(x: f32) = x\n",
           "1:14 expected-token: expected `->` and the type of `f`, found `=`"},
          {"fn f(x: f32) -> f32 x\n",
           "1:21 expected-token: expected `=` before the value of `f`, found `x`"},
          {"fn f(x: f32) -> f32 = {\n  a = x\n}\n",
           "3:1 missing-value: the body of `f` has no value"},
          {"fn f(x: f32) -> f32 = {\n  x\n  y\n}\n",
           "2:4 expected-token: expected `}` after the value of the body of `f`, found the end of "
           "the line"},
          {"order a = 3\n", "1:11 expected-token: expected an order as the order `a`, found `3`"},
          {"order a = sqe(8)\n", "1:11 unknown-stage: `sqe` is not a stage"},
          {"let a 1\n", "1:7 expected-token: expected `=` to define `a`, found `1`"},
          {"kernel a\nkernel b\n",
           "1:9 expected-token: expected `=` after the name of kernel `a`, found the end of the "
           "line\n"
           "2:9 unexpected-end: expected `=` after the name of kernel `b`, and the file ends here"},
          {"kernel a = 3\n",
           "1:12 expected-token: expected the name of an op in kernel `a`, found `3`"},
          {"kernel a = f<H = >\n",
           "1:18 expected-token: expected an expression as the value of `H`, found `>`"},
          {"kernel a = f<H>(1.0)\n",
           "1:17 expected-token: expected the name of a scalar, found `1.0`"},
          {"kernel a = f<H>(eps)\n",
           "1:20 expected-token: expected `=` after the scalar `eps`, found `)`"},
      })
    check(item);
}

TEST(Errors, ExpectedInRecurrences) {
  for (const Case &item : std::vector<Case>{
           {inOp("m = fold[j in N by seq] {\n    next (m)\n  }"),
            "2:27 expected-token: expected `from` and the carry that `fold` starts from, found "
            "`{`"},
           {inOp("m = fold[j in N by seq] from () {\n    next (m)\n  }"),
            "2:32 expected-token: expected a value between `(` and `)`"},
           {inOp("m = fold[j of N] from (0.0) {\n    next (m)\n  }"),
            "2:14 expected-token: expected `in` after the index `j` of `fold`, found `of`"},
           {inOp("m = fold[j in N by seq] from (0.0)"),
            "2:37 expected-token: expected `{` to begin the step of `fold`, found the end of the "
            "line"},
           {inOp("m = fold[j in N by seq] from (0.0) {\n    a = m\n  }"),
            "4:3 missing-value: the step of `fold` does not say what comes `next`"},
           {inOp("m = fold[j in N by seq] from (0.0) {\n    next (m)\n    a = m\n  }"),
            "3:13 expected-token: expected `}` after `next` of the step of `fold`, found the end "
            "of the line"},
           {inOp("m = fold[j in N by seq] from (0.0) {\n    next (m)\n  } merge (x) {\n    next (x)"
                 "\n  }"),
            "4:11 expected-token: `merge` takes two carries"},
           {inOp("m = 1.0 + fold[j in N by seq] from (0.0) {\n    next (m)\n  }\n  n = 1.0 +"),
            "2:13 recurrence-place: `fold` is a whole value, not an operand\n"
            "5:12 expected-token: expected an expression after `+`, found the end of the line"},
           {inOp("m = scan[j in N by seq] from (0.0) {\n    next (m)\n  }"),
            "3:13 expected-token: expected `yield` after `next`, in the step of `scan`, found the "
            "end of the line"},
           {inOp("next (m)"),
            "2:3 expected-token: expected a statement (a definition `y[i] = …`, `let`, `require`, "
            "`assume` or `for`), found `next`"},
           {inOp("m = iterate 10 {\n    next (m)\n  }"),
            "2:18 expected-token: expected `(` and the carry after the steps of `iterate`, found "
            "`{`"},
           {inOp("m = iterate 10 (c) {\n    next (c)\n  }"),
            "2:20 expected-token: expected `=` and where `c` starts, found `)`"},
           {inOp("m = iterate 10 () {\n    next (c)\n  }"),
            "2:18 expected-token: expected a carry between `(` and `)`"},
           // One fault in a step costs one error, and the statements after it are read.
           {inOp("m = fold[j in N by seq] from (0.0) {\n    a = m +\n    b = * 2.0\n    next (a)\n"
                 "  }\n  c = )"),
            "3:12 expected-token: expected an expression after `+`, found the end of the line\n"
            "4:9 expected-token: expected an expression as the value of `b`, found `*`\n"
            "7:7 expected-token: expected an expression as the value of `c`, found `)`"},
       })
    check(item);
}

TEST(Errors, ExpectedInOtherStatements) {
  for (const Case &item : std::vector<Case>{
           {inOp("assume forall r x[r] < 3"),
            "2:19 expected-token: expected `:` and the condition of `forall`, found `x`"},
           {inOp("assume distinct(slot[n])"),
            "2:26 expected-token: expected `for` and what `distinct` runs over, found `)`"},
           {inOp("assume distinct(slot[n] for n)"),
            "2:32 expected-token: expected `in` after the index `n` of `distinct`, found `)`"},
           {inOp("assume disjoint(start[r] for r in R)"),
            "2:28 expected-token: expected `,` and a length in `disjoint`, found `for`"},
           {inOp("for r in R a = 1"), "2:14 expected-token: expected `,`, `let` or `{` after an "
                                      "index of `for`, found `a`"},
           {inOp("for r in R {\n    a[r] = \n  }\n  b = )"),
            "3:11 expected-token: expected an expression as the value of `a`, found the end of the "
            "line\n"
            "5:7 expected-token: expected an expression as the value of `b`, found `)`"},
           {inOp("(a) = f(x)"), "2:3 expected-token: a tuple has two names or more"},
           {inOp("(a, b[0]) = f(x)"),
            "2:9 definition-index: the indices of a definition are variables, found `0`"},
           {inOp("s := a"), "2:3 definition-index: an update names the element that it replaces"},
           {inOp("s[i] := fold[j in N] from (0.0) {\n    next (m)\n  }"),
            "2:11 recurrence-place: `fold` is a whole value, not an operand"},
           {inOp("let s() = 1"), "2:8 expected-token: expected a parameter between `(` and `)`"},
           {inOp("a = argmax[e in E] z[e]"),
            "2:22 expected-token: expected `of` and what `argmax` ranks by, found `z`"},
           {inOp("a = top[K] e in E of (z[e] down) at s"),
            "2:30 expected-token: expected `ascending` or `descending` after a key, found `down`"},
           {inOp("a = top[K] e in E of (z[e] descending, NaN up) at s"),
            "2:46 expected-token: expected `first` or `last` after `NaN`, found `up`"},
           {inOp("a = top[K] e in E of (z[e] descending)"),
            "2:41 expected-token: expected `at` and the place that `top` gives, found the end of "
            "the line"},
       })
    check(item);
}

TEST(Errors, ExpectedInOtherDeclarations) {
  for (const Case &item : std::vector<Case>{
           {"op f(x: f32[T]) -> (y: f32[T] inout) {\n}\n",
            "1:21 inout-result: a result is written, not updated"},
           {"fn f(x: f32 inout) -> f32 = x\n",
            "1:6 inout-result: a function has values, and updates none"},
           {"fn f<H>(x: f32) -> f32 = x\n",
            "1:5 function-generics: a function has no generics, and `f` has"},
           {"fn f(x: f32) -> (f32) = x\n", "1:17 expected-token: a tuple has two types or more"},
           {"let s(c) = 1\n", "1:6 expected-token: `s` is a function, and `let` names a constant"},
           {"view v(p: f32[N], t: i32[R]) -> f32[S] = p[r]\n",
            "1:30 expected-token: expected `[` and the indices of `v`, found `->`"},
           {"view v(p: f32[N])[0] -> f32[S] = p[r]\n",
            "1:19 definition-index: the indices of a definition are variables, found `0`"},
           {"kernel k = f<H = 1> over 2\n",
            "1:26 expected-token: expected `ranks` after `over`, found `2`"},
           {"kernel k = f<H = 1> over ranks()\n",
            "1:31 expected-token: expected a number of ranks between `(` and `)`"},
           {"profile q.v1\nlet a = 1\n", "1:13 expected-token: expected `{` to begin the profile "
                                         "`q.v1`, found the end of the line"},
           {"profile q.v1 {\n  let a = 1\nop g(x: f32) -> (y: f32) {\n}\nlet b = )\n",
            "3:1 expected-token: expected `}` to end the profile `q.v1`, found `op`\n"
            "5:9 expected-token: expected an expression as the value of `b`, found `)`"},
           {"profile q.v1 {\n  kernal k = f\n  let a = )\n}\nlet b = )\n",
            "2:3 expected-token: expected a declaration of a profile (target, let, order, kernel "
            "or "
            "forbid), found `kernal`\n"
            "3:11 expected-token: expected an expression as the value of `a`, found `)`\n"
            "5:9 expected-token: expected an expression as the value of `b`, found `)`"},
           {"profile q.v1 {\n  target cuda.sm_90a { mma = a }\n  forbid sm_80,\n}\n",
            "2:24 expected-token: expected `atom` or `}` in target `cuda.sm_90a`, found `mma`\n"
            "3:16 expected-token: expected the name of a target, found the end of the line"},
           {"profile q.v1 {\n  use a\n}\n", "2:3 expected-token: expected `}` to end the profile "
                                            "`q.v1`, found `use`\n"
                                            "3:1 expected-token: expected a declaration (op, fn, "
                                            "view, order, let, kernel, profile or use), found `}`"},
           {"target cuda.sm_90a { atom mma = a }\n",
            "1:1 expected-token: expected a declaration (op, fn, view, order, let, kernel, profile "
            "or use), found `target`"},
       })
    check(item);
}

TEST(Errors, SeveralARunWithoutCascades) {
  check(
      {"op f(x f32) -> (y: f32) {\n" // the head is wrong, the body is read all the same
       "  a = (1.0\n"
       "  b = 2.0 +\n"
       "  c[t] = 3.0\n"
       "  d = e[\n"
       "}\n"
       "let a = \n"
       "order o = seq |\n"
       "kernel k = f\n",
       "1:8 expected-token: expected `:` and a type after `x`, found `f32`\n"
       "3:3 expected-token: expected `,` or `)` to end what `(` began, found `b`\n"
       "3:12 expected-token: expected an expression after `+`, found the end of the line\n"
       "6:1 expected-token: expected an expression as an index of `e`, found `}`\n"
       "7:8 expected-token: expected an expression as the value of `a`, found the end of the line\n"
       "8:16 expected-token: expected an order after `|`, found the end of the line"});
}

TEST(Errors, StopAtALimit) {
  std::string text;
  for (int i = 0; i < 100; ++i)
    text += "let a = +\n";
  const Parsed parsed(text);
  ASSERT_EQ(parsed.diagnostics.errorCount(), 21u);
  EXPECT_EQ(parsed.diagnostics.all().back().kind, "too-many-errors");
  const Parsed bytes(std::string(100000, '@'));
  EXPECT_EQ(bytes.diagnostics.errorCount(), 21u);
}

TEST(Errors, PointAtTheBracketThatIsOpen) {
  const Parsed parsed("let a = f(1,\n  (2\n");
  EXPECT_EQ(parsed.rendered(),
            "m.ordo:2:5: error: expected `,` or `)` to end what `(` began, and the file ends here "
            "[unexpected-end]\n"
            "    2 |   (2\n"
            "      |     ^\n"
            "m.ordo:2:3: note: `(` opens here\n"
            "    2 |   (2\n"
            "      |   ~\n");
}

} // namespace
} // namespace ordo::dsl
