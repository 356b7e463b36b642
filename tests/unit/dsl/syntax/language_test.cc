// The larger constructs: how each is read, and that its canonical text is what one writes.
#include "dsl/syntax/lexer.h"
#include "dsl/syntax/printer.h"
#include "tests/unit/dsl/syntax/testing.h"

#include <gtest/gtest.h>

#include <set>

namespace ordo::dsl {
namespace {

using testing::Parsed;

std::string inOp(const std::string &body) {
  return "op f(x: f32[T]) -> (y: f32[T]) {\n" + body + "}\n";
}

std::string inFn(const std::string &body) { return "fn f(x: f32) -> f32 = {\n" + body + "}\n"; }

/// The canonical text reads, and prints as itself.
void expectCanonical(const std::string &text) {
  const Parsed parsed(text);
  ASSERT_TRUE(parsed.ok) << parsed.rendered();
  EXPECT_EQ(print(parsed.ast), text);
}

/// Reads, prints as `text`, and keeps its tree.
void expectPrints(const std::string &written, const std::string &text) {
  const Parsed parsed(written);
  ASSERT_TRUE(parsed.ok) << parsed.rendered();
  EXPECT_EQ(print(parsed.ast), text);
  const Parsed again(text);
  ASSERT_TRUE(again.ok) << again.rendered();
  EXPECT_EQ(again.tree(), parsed.tree());
  EXPECT_EQ(print(again.ast), text);
}

/// The statement of an op's body, the i-th.
const Node &statement(const Parsed &parsed, std::size_t i) {
  const Node &body = parsed.ast[parsed.declaration(0).kids.back()];
  return parsed.ast[body.kids.at(i)];
}

std::string shown(const Parsed &parsed, NodeId id) {
  return id == kNoNode ? "_" : printNode(parsed.ast, id);
}

std::vector<std::string> shownKids(const Parsed &parsed, const Node &node) {
  std::vector<std::string> out;
  for (const NodeId id : node.kids)
    out.push_back(shown(parsed, id));
  return out;
}
using Strings = std::vector<std::string>;

TEST(Language, FoldWithEveryClause) {
  const Parsed parsed(
      inOp("  (m[t], a[t, d]) = fold[j in N, i in len[t] by kv where j < 3] from (-inf, 0.0) {\n"
           "    let s(c) = j * B + c\n"
           "    hi = max(m, x[s(0)])\n"
           "    next (hi, a[d] + hi)\n"
           "  }\n"
           "  merge (p, q) {\n"
           "    next (max(p.m, q.m), p.a[d] + q.a[d])\n"
           "  } where t > 0\n"));
  ASSERT_TRUE(parsed.ok) << parsed.rendered();
  const Ast &ast = parsed.ast;
  const Node &define = statement(parsed, 0);
  EXPECT_EQ(define.kind, NodeKind::DefineTuple);
  ASSERT_EQ(define.kids.size(), 4u);
  EXPECT_EQ(ast[define.kids[0]].kind, NodeKind::Target);
  EXPECT_EQ(shown(parsed, define.kids[1]), "a[t, d]");
  EXPECT_EQ(shown(parsed, define.kids[2]), "t > 0");
  const Node &fold = ast[define.kids[3]];
  EXPECT_EQ(fold.kind, NodeKind::Fold);
  EXPECT_EQ(fold.text, "fold");
  EXPECT_EQ(fold.a, 2u);
  EXPECT_EQ(fold.b, 2u);
  ASSERT_EQ(fold.kids.size(), 8u);
  EXPECT_EQ(shown(parsed, fold.kids[1]), "i in len[t]");
  EXPECT_EQ(shown(parsed, fold.kids[2]), "kv");
  EXPECT_EQ(shown(parsed, fold.kids[3]), "j < 3");
  EXPECT_EQ(shown(parsed, fold.kids[4]), "-inf");
  const Node &step = ast[fold.kids[6]];
  ASSERT_EQ(step.kids.size(), 3u);
  EXPECT_EQ(ast[step.kids[0]].kind, NodeKind::LetFn);
  EXPECT_EQ(ast[step.kids[2]].kind, NodeKind::Next);
  EXPECT_EQ(shownKids(parsed, ast[step.kids[2]]), (Strings{"hi", "a[d] + hi"}));
  const Node &merge = ast[fold.kids[7]];
  EXPECT_EQ(merge.kind, NodeKind::Merge);
  EXPECT_EQ(shown(parsed, merge.kids[1]), "q");
  EXPECT_EQ(shown(parsed, fold.kids[7]).empty(), true); // no expression: only its block prints
}

TEST(Language, FoldInItsLayout) {
  expectPrints(inOp("  m[t] = fold [j in N by seq] // one\n"
                    "    from(0.0)\n"
                    "  {\n"
                    "  // two\n"
                    "    next(m + x[j]) // three\n"
                    "  // four\n"
                    "  } // five\n"
                    "  merge(p,q) { next(p.m+q.m) } // six\n"
                    "  b[t] = m[t]\n"),
               inOp("  // one\n"
                    "  m[t] = fold[j in N by seq] from (0.0) {\n"
                    "    // two\n"
                    "    next (m + x[j])  // three\n"
                    "    // four\n"
                    "  } merge (p, q) {  // five\n"
                    "    next (p.m + q.m)\n"
                    "  }  // six\n"
                    "  b[t] = m[t]\n"));
}

TEST(Language, AFoldTooWideForItsLineGoesBelow) {
  const std::string wide(40, 'w');
  expectPrints(inOp("  m[t] = fold[j in N by seq where " + wide + " < j] from (" + wide +
                    ") {\n next(" + wide + " + " + wide + ", " + wide + ", a)}\n"),
               inOp("  m[t] =\n"
                    "    fold[j in N by seq where " +
                    wide +
                    " < j]\n"
                    "        from (" +
                    wide +
                    ") {\n"
                    "      next (\n"
                    "          " +
                    wide + " + " + wide +
                    ",\n"
                    "          " +
                    wide +
                    ",\n"
                    "          a)\n"
                    "    }\n"));
}

TEST(Language, ScanYields) {
  const Parsed parsed(inOp("  (s[d], y[d, t]) = scan[t in len[0] by seq] from (0.0) {\n"
                           "    u = s + x[t]\n"
                           "    next (u)\n"
                           "    yield (bf16(u))\n"
                           "  }\n"));
  ASSERT_TRUE(parsed.ok) << parsed.rendered();
  const Node &scan = parsed.ast[statement(parsed, 0).kids.back()];
  EXPECT_EQ(scan.text, "scan");
  EXPECT_EQ(scan.kids.back(), kNoNode); // no merge
  const Node &step = parsed.ast[scan.kids[scan.kids.size() - 2]];
  ASSERT_EQ(step.kids.size(), 3u);
  EXPECT_EQ(parsed.ast[step.kids[1]].kind, NodeKind::Next);
  EXPECT_EQ(parsed.ast[step.kids[2]].kind, NodeKind::Yield);
  EXPECT_EQ(print(parsed.ast), inOp("  (s[d], y[d, t]) = scan[t in len[0] by seq] from (0.0) {\n"
                                    "    u = s + x[t]\n"
                                    "    next (u)\n"
                                    "    yield (bf16(u))\n"
                                    "  }\n"));
}

TEST(Language, IterateAndItsParts) {
  const Parsed parsed("fn f(x: u32[2], n: u32) -> u32[2] = iterate 10 (c = x, k = n) {\n"
                      "  next ([c[1], c[0]], k + 1)\n"
                      "}.c\n");
  ASSERT_TRUE(parsed.ok) << parsed.rendered();
  const Node &fn = parsed.declaration(0);
  ASSERT_EQ(fn.a, 2u);
  EXPECT_EQ(shown(parsed, parsed.ast[fn.kids[0]].kids[0]), "u32[2]");
  const Node &field = parsed.ast[fn.kids.back()];
  EXPECT_EQ(field.kind, NodeKind::Field);
  EXPECT_EQ(field.text, "c");
  const Node &iterate = parsed.ast[field.kids[0]];
  EXPECT_EQ(iterate.kind, NodeKind::Iterate);
  ASSERT_EQ(iterate.kids.size(), 4u);
  EXPECT_EQ(parsed.ast[iterate.kids[1]].kind, NodeKind::Carry);
  EXPECT_EQ(shown(parsed, iterate.kids[2]), "k = n");
  for (const std::string steps : {"ROUNDS", "(2 * N)", "(inf)", "m.n"})
    expectCanonical(inFn("  (c, k) = iterate " + steps +
                         " (c = x, k = 0) {\n"
                         "    d = c * 2.0\n"
                         "    next (d, k + 1)\n"
                         "  }\n"
                         "  iterate 3 (e = c) {\n"
                         "    next (e * e)\n"
                         "  }\n"));
  // The words mean this only where they are followed so.
  expectCanonical(inFn("  a = iterate(x) + iterate + fold[x] + scan\n  a\n"));
}

TEST(Language, TuplesAndTheirParts) {
  expectCanonical("fn f(x: f32) -> (f32, f32) = (x, -x)\n");
  expectCanonical("fn f(x: f32) -> (cos: f32, sin: f32[2]) = (x, [x, -x])\n");
  expectCanonical(inFn("  (c, s) = f(x)\n  f(x).c + (a, b).c[0] - x[0].c + (1.0).c + p.c\n"));
  const Parsed parsed(inFn("  f(x).c[1]\n"));
  const Node &index = statement(parsed, 0);
  EXPECT_EQ(index.kind, NodeKind::Index);
  EXPECT_EQ(parsed.ast[index.kids[0]].kind, NodeKind::Field);
}

TEST(Language, Assumptions) {
  const Parsed parsed(inOp("  assume forall t, n in B where n > 0: x[t] <= n < 3, lo < hi\n"
                           "  assume distinct(slot[n] for n in B, m in C where slot[n] > 0)\n"
                           "  assume disjoint(start[r], len[r] for r in R)\n"));
  ASSERT_TRUE(parsed.ok) << parsed.rendered();
  const Node &first = statement(parsed, 0);
  EXPECT_EQ(first.kind, NodeKind::Assume);
  ASSERT_EQ(first.kids.size(), 2u);
  const Node &forall = parsed.ast[first.kids[0]];
  EXPECT_EQ(forall.kind, NodeKind::Forall);
  EXPECT_EQ(shownKids(parsed, forall), (Strings{"t", "n in B", "n > 0", "x[t] <= n < 3"}));
  EXPECT_EQ(parsed.ast[forall.kids[0]].kind, NodeKind::Name);
  EXPECT_EQ(parsed.ast[forall.kids[1]].kind, NodeKind::Binder);
  EXPECT_EQ(shownKids(parsed, parsed.ast[statement(parsed, 1).kids[0]]),
            (Strings{"slot[n]", "n in B", "m in C", "slot[n] > 0"}));
  EXPECT_EQ(shownKids(parsed, parsed.ast[statement(parsed, 2).kids[0]]),
            (Strings{"start[r]", "len[r]", "r in R", "_"}));
  EXPECT_EQ(print(parsed.ast),
            inOp("  assume forall t, n in B where n > 0: x[t] <= n < 3, lo < hi\n"
                 "  assume distinct(slot[n] for n in B, m in C where slot[n] > 0)\n"
                 "  assume disjoint(start[r], len[r] for r in R)\n"));
}

TEST(Language, UpdatesInPlace) {
  const Parsed parsed("op f(s: f32[P, K] inout, slot: i32[B]) -> (y: f32[B]) {\n"
                      "  s[slot[n], k] := s[slot[n], k] * 2.0 where slot[n] > 0\n"
                      "}\n");
  ASSERT_TRUE(parsed.ok) << parsed.rendered();
  EXPECT_EQ(parsed.ast[parsed.declaration(0).kids[0]].a, 1u);
  EXPECT_EQ(parsed.ast[parsed.declaration(0).kids[1]].a, 0u);
  const Node &update = statement(parsed, 0);
  EXPECT_EQ(update.kind, NodeKind::Update);
  EXPECT_EQ(shownKids(parsed, update),
            (Strings{"slot[n]", "k", "slot[n] > 0", "s[slot[n], k] * 2.0"}));
  expectCanonical("op f(s: f32[P, K] inout, slot: i32[B]) -> (y: f32[B]) {\n"
                  "  s[slot[n], k] := 2.0 where slot[n] > 0\n"
                  "  s[0, k]       := 1.0\n"
                  "  y[n] = 3.0\n"
                  "}\n");
}

TEST(Language, ForBlocks) {
  const Parsed parsed(inOp("  for r in R, i in len[r] let n = start[r] + i, m = 2 * n {\n"
                           "    // within\n"
                           "    y[n] = x[m]  // beside\n"
                           "\n"
                           "    for c in C {\n"
                           "      z[n, c] = 1.0\n"
                           "    }\n"
                           "  }\n"));
  ASSERT_TRUE(parsed.ok) << parsed.rendered();
  const Node &block = statement(parsed, 0);
  EXPECT_EQ(block.kind, NodeKind::For);
  EXPECT_EQ(block.a, 2u);
  ASSERT_EQ(block.kids.size(), 5u);
  EXPECT_EQ(shown(parsed, block.kids[1]), "i in len[r]");
  EXPECT_EQ(parsed.ast[block.kids[3]].kind, NodeKind::Let);
  EXPECT_EQ(parsed.ast[block.kids[4]].kids.size(), 2u);
  EXPECT_EQ(print(parsed.ast), parsed.sources.file(0).text);
}

TEST(Language, Rankings) {
  const std::string text =
      inOp("  e[t, s] = top[K] e in E where l[e] of (z[e] descending, NaN last, e ascending) at s\n"
           "  b[t]    = argmax[e in E where l[e]] of (z[e] descending, NaN first)\n"
           "  top[t]  = top[t] + 1\n");
  const Parsed parsed(text);
  ASSERT_TRUE(parsed.ok) << parsed.rendered();
  EXPECT_EQ(print(parsed.ast), text);
  const Node &top = parsed.ast[statement(parsed, 0).kids.back()];
  EXPECT_EQ(top.kind, NodeKind::Ranking);
  EXPECT_EQ(shownKids(parsed, top),
            (Strings{"K", "e in E", "l[e]", "z[e] descending", "NaN last", "e ascending", "s"}));
  EXPECT_EQ(parsed.ast[top.kids[4]].text, "NaN last");
  EXPECT_TRUE(parsed.ast[top.kids[4]].kids.empty());
  const Node &best = parsed.ast[statement(parsed, 1).kids.back()];
  EXPECT_EQ(shownKids(parsed, best),
            (Strings{"_", "e in E", "l[e]", "z[e] descending", "NaN first", "_"}));
  EXPECT_EQ(parsed.ast[statement(parsed, 2).kids.back()].kind, NodeKind::Binary);
  expectCanonical(
      inOp("  e = (top[K] e in E of (z[e] ascending) at s)[0] + z[argmax[e in E] of (z[e] "
           "ascending)]\n"));
}

TEST(Language, Views) {
  const std::string text =
      "view v<P, type E>(pool: E[N, P], table: i32[R, C])[r, s] -> E[R, C * P] ="
      " pool[table[r, s / P], s % P]\n";
  const Parsed parsed(text);
  ASSERT_TRUE(parsed.ok) << parsed.rendered();
  const Node &view = parsed.declaration(0);
  EXPECT_EQ(view.kind, NodeKind::View);
  EXPECT_EQ(view.a, 2u);
  EXPECT_EQ(view.b, 2u);
  EXPECT_EQ(view.c, 2u);
  EXPECT_EQ(shownKids(parsed, view),
            (Strings{"P", "type E", "pool: E[N, P]", "table: i32[R, C]", "r", "s", "E[R, C * P]",
                     "pool[table[r, s / P], s % P]"}));
  expectPrints(text, "view v<P, type E>(pool: E[N, P], table: i32[R, C])[r, s] -> E[R, C * P] =\n"
                     "    pool[table[r, s / P], s % P]\n");
}

TEST(Language, Profiles) {
  expectPrints("module p\n"
               "use a\n"
               "/// For one model.\n"
               "profile q.v1 { // head\n"
               "\n"
               "  target cuda.sm_90a { atom mma = nv.hopper.bf16\n atom fma = x } // one\n"
               "  target cpu.x86_64_v3\n"
               "\n"
               "  // two\n"
               "  let a = 1, bb = 2\n"
               "  /// The rows.\n"
               "  order row = seq(8)|halves\n"
               "  kernel k=f<H = a, row>(eps = 1e-6) over ranks( 1,2 )\n"
               "  kernel long = f<H = bb, row>\n"
               "\n"
               "  forbid sm_80,gfx90a // three\n"
               "  // four\n"
               "} // five\n"
               "// six\n",
               "module p\n"
               "\n"
               "use a\n"
               "\n"
               "/// For one model.\n"
               "profile q.v1 {  // head\n"
               "  target cuda.sm_90a { atom mma = nv.hopper.bf16, atom fma = x }  // one\n"
               "  target cpu.x86_64_v3\n"
               "\n"
               "  // two\n"
               "  let a  = 1\n"
               "  let bb = 2\n"
               "  /// The rows.\n"
               "  order row = seq(8) | halves\n"
               "  kernel k    = f<H = a, row>(eps = 1e-6) over ranks(1, 2)\n"
               "  kernel long = f<H = bb, row>\n"
               "\n"
               "  forbid sm_80, gfx90a  // three\n"
               "  // four\n"
               "}  // five\n"
               "// six\n");
}

TEST(Language, ProfileMembers) {
  const Parsed parsed("profile q.v1 {\n"
                      "  target cuda.sm_90a { atom mma = nv.hopper.bf16 }\n"
                      "  /// Doc.\n"
                      "  kernel k = f<H = 1>(eps = 1e-6, b = 2.0) over ranks(1, 2, 4)\n"
                      "  forbid sm_80, rocm.gfx90a\n"
                      "}\n");
  ASSERT_TRUE(parsed.ok) << parsed.rendered();
  const Node &profile = parsed.declaration(0);
  EXPECT_EQ(profile.text, "q.v1");
  ASSERT_EQ(profile.kids.size(), 3u);
  const Node &target = parsed.ast[profile.kids[0]];
  EXPECT_EQ(target.text, "cuda.sm_90a");
  EXPECT_EQ(shownKids(parsed, target), (Strings{"atom mma = nv.hopper.bf16"}));
  const Node &kernel = parsed.ast[profile.kids[1]];
  EXPECT_EQ(kernel.doc, "Doc.");
  EXPECT_EQ(kernel.a, 1u);
  EXPECT_EQ(kernel.b, 2u);
  ASSERT_EQ(kernel.kids.size(), 5u);
  EXPECT_EQ(parsed.ast[kernel.kids[4]].kind, NodeKind::Ranks);
  EXPECT_EQ(shownKids(parsed, parsed.ast[kernel.kids[4]]), (Strings{"1", "2", "4"}));
  EXPECT_EQ(shownKids(parsed, parsed.ast[profile.kids[2]]), (Strings{"sm_80", "rocm.gfx90a"}));
}

/// Words that mean something where the grammar has them are names elsewhere, but for reductions.
TEST(Language, ContextualWordsAreNames) {
  const std::set<std::string_view> reductions = {"sum",     "max",   "min", "max_nan",
                                                 "min_nan", "count", "dot"};
  for (const std::string_view word : contextualWords())
    if (!reductions.contains(word)) {
      expectCanonical("let a = " + std::string(word) + " + 1\n");
      expectCanonical(inOp("  " + std::string(word) + "[t] = x[t]\n"));
    }
}

TEST(Language, LocalFunctions) {
  const Parsed parsed(inOp("  let W = 3, s(c, d) = c * W + d\n  y[t] = x[s(t, 0)]\n"));
  ASSERT_TRUE(parsed.ok) << parsed.rendered();
  EXPECT_EQ(statement(parsed, 0).kind, NodeKind::Let);
  const Node &local = statement(parsed, 1);
  EXPECT_EQ(local.kind, NodeKind::LetFn);
  EXPECT_EQ(local.text, "s");
  EXPECT_EQ(shownKids(parsed, local), (Strings{"c", "d", "c * W + d"}));
}

} // namespace
} // namespace ordo::dsl
