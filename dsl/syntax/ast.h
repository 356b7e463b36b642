// The tree of one module, as written. Nodes are uniform and live in an arena, so that printing,
// walking and destroying need no recursion and a new construct is a new kind, not a new class.
#pragma once

#include "dsl/types/span.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ordo::dsl {

using NodeId = std::uint32_t;
inline constexpr NodeId kNoNode = 0xffffffffu;

/// Each kind lists its `text` and its `kids`. Optional kids are kNoNode when absent.
enum class NodeKind : std::uint8_t {
  // Expressions
  Number,   // text: as written ("1.0", "0x1.8p23", "1e-6", "42", "inf")
  BoolLit,  // text: "true" | "false"
  Name,     // text: identifier, possibly qualified: a module's ("nn.norm.rms_norm") or, where its
            // first word is a local value, a part of it ("x.m" in a merge)
  Unary,    // text: "-" "not" "~"; kids: operand
  Binary,   // text: + - * / % & | ^ << >> and or; kids: left, right
  Compare,  // text: operators joined by ',' ("<=,<"); kids: n+1 operands (a <= b < c)
  If,       // kids: condition, then, else
  Call,     // text: callee ("exp", "f32", "bf16.rz", "f32.of_bits"); kids: arguments
  Index,    // kids: base, indices…
  Field,    // `f(x).c`, a part of a tuple: text: its name; kids: base
  ArrayLit, // kids: elements
  Tuple,    // kids: elements
  Block,   // { statements; value }: kids: statements…, then what its owner ends with: a value (Fn),
           // Next (Fold, Merge, Iterate), Next and Yield (scan), nothing (Op, For)
  Reduce,  // text: "sum" "max" "min" "max_nan" "min_nan" "dot" "count"; kids: binders…, order|none,
           // where|none, body (dot: Tuple of two)
  Binder,  // `h in H`: text: variable; kids: extent
  Ranking, // `top[K] e in E where c of (z[e] descending, NaN last, e ascending) at s`,
           // `argmax[e in E where c] of (…)`: text: "top" | "argmax"; kids: count|none, Binder,
           // where|none, RankKey…, slot|none; count and slot are top's
  RankKey, // text: "ascending" "descending" "NaN first" "NaN last"; kids: value (none after NaN,
           // which speaks of the key before it)
  // Recurrences: a whole value after `=`, never an operand
  // `fold[j in N by kv where c] from (…) { … } merge (x, y) { … }`. The names on the left of `=`
  // are
  // the carry's, as many as `from` has, then those of a scan's yields. Indices that all of them
  // share
  // are the recurrence's own; the others stay with the name: of (m[t], a[t, d]) the step sees m and
  // a[d]. A yield has the scan's index among its own.
  Fold,    // text: "fold" | "scan"; kids: binders…, order|none, where|none, starts…, Block,
           // Merge|none; a = number of binders, b = of starts
  Merge,   // `merge (x, y) { … }`: kids: Name, Name, Block
  Iterate, // `iterate 10 (c = ctr, k = key) { … }`: kids: count, Carry…, Block
  Carry,   // `c = ctr`: text: name; kids: start
  Next,    // `next (a, b)`: kids: the carry after the step
  Yield,   // `yield (a, b)`: kids: what a scan's step emits
  // Orders
  OrderPipe, // kids: stages
  OrderName, // text: name of an order; alone where a pipe would be one name (`by row`,
             // `order a = b`), or a stage of a longer pipe (`row | pairs`)
  Stage, // text: "seq" "lanes" "pairs" "halves" "mid" "mid.leaf" "fma" "mma" "first"; kids: size
         // arguments… ("mid.leaf": the run, where it has one, then the leaf)
  StageFrom,  // `.from(e)` wraps a stage: kids: stage, value
  StagePad,   // `.pad(e)`: kids: stage, value
  StageRound, // `stage: T`: text: type name; kids: stage
  // Types
  TensorType, // text: element type name (a dtype or a type parameter); kids: extents… (none for a
              // scalar)
  TupleType,  // a function's result `(f32, f32)` or `(c: f32, s: f32)`: kids: TensorType or Param…
  // Statements
  Define, // `name[i, j] = value where guard`: text: name; kids: Name indices…, guard|none, value
  DefineTuple, // `(m[t], l[t]) = value where guard`: kids: Target…, guard|none, value
  Target,      // `m[t]`: text: name; kids: Name indices…
  Update,      // `name[e, f] := value where guard`: text: name; kids: indices…, guard|none, value
  Let,         // `let name = value`: text: name; kids: value
  LetFn,       // `let s(c) = value`: text: name; kids: Name parameters…, value
  Require,     // kids: conditions…
  Assume,      // kids: Forall, Distinct, Disjoint or condition…
  Forall,   // `forall t, n in B where c: condition`: kids: Name (extent from its use) or Binder…,
            // where|none, condition
  Distinct, // `distinct(slot[n] for n in B where c)`: kids: value, binders…, where|none
  Disjoint, // `disjoint(start[r], len[r] for r in R where c)`: kids: start, length, binders…,
            // where|none
  For,      // `for r in R, i in len[r] let n = start[r] + i { … }`: kids: binders…, Let…, Block;
            // a = number of binders
  // Declarations
  Use,          // text: module path; kids: imported Names… (none: the whole module)
  Param,        // `x: type`, `x: type inout`: text: name; kids: TensorType; a = 1 for inout
  GenericDim,   // `H`            text: name
  GenericBool,  // `bool CENTRED` text: name
  GenericType,  // `type E`       text: name
  GenericOrder, // `order row`    text: name
  Op, // text: name; kids: generics…, params…, results (Param)…, body (Block without value); counts
      // in `a`, `b`, `c`
  Fn, // `fn f(x: f32) -> f32 = e`: text: name; kids: params…, result TensorType or TupleType,
      // value; a = number of params
  View, // `view v<generics>(params)[i, j] -> type = e`: text: name; kids: generics…, params…, Name
        // indices…, TensorType, value; counts in `a`, `b`, `c`
  OrderDecl, // `order row = …`: text: name; kids: OrderPipe or OrderName
  LetDecl,   // top-level `let hidden = 2048`: text: name; kids: value
  Kernel, // `kernel k = op<H = 3584, row = wide>(eps = 1e-6) over ranks(1, 2)`: text: name; kids:
          // callee Name, NamedArg generics…, NamedArg scalars…, Ranks where written; a = number of
          // generics, b = of scalars
  NamedArg, // text: name ("" when positional); kids: value (expression, OrderPipe, or Name)
  Ranks,    // `over ranks(1, 2, 4)`: kids: counts of ranks…
  Profile,  // `profile qwen3_next.v1 { … }`: text: name; kids: ProfileTarget, LetDecl, OrderDecl,
            // Kernel, Forbid… in source order
  ProfileTarget, // `target cuda.sm_90a { atom mma = nv.hopper.bf16 }`: text: target; kids: Atom…
  Atom,          // text: stage ("mma"); kids: Name of the atom
  Forbid,        // `forbid sm_80, gfx90a`: kids: Name…
};

struct Node {
  NodeKind kind = NodeKind::Name;
  Span span;     // the whole construct
  Span nameSpan; // the name or operator in it, for carets
  std::string text;
  std::vector<NodeId> kids;
  std::uint32_t a = 0; // counts, as the kind says
  std::uint32_t b = 0;
  std::uint32_t c = 0;
  std::string doc;          // declarations: the `///` comment above, without its marks
  bool blankBefore = false; // statements, declarations: a blank line stands above (for the printer)
  bool parentheses = false; // expressions: written in parentheses (for the printer)
};

struct Comment {
  Span span;
  std::string text;         // with its marks
  bool ownLine = false;     // nothing else stands on its line
  bool blankBefore = false; // a blank line stands above
};

/// One file.
struct Ast {
  std::uint32_t file = 0;
  std::string module; // "nn.norm"; empty when the file has no module line
  Span moduleSpan;
  std::vector<Node> nodes;
  std::vector<NodeId> declarations; // in source order
  std::vector<Comment> comments;    // for the printer; without those that became a `doc`

  const Node &operator[](NodeId id) const { return nodes[id]; }
  Node &operator[](NodeId id) { return nodes[id]; }
};

} // namespace ordo::dsl
