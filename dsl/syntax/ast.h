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
  Name,     // text: identifier, possibly qualified ("nn.norm.rms_norm")
  Unary,    // text: "-" "not" "~"; kids: operand
  Binary,   // text: + - * / % & | ^ << >> and or; kids: left, right
  Compare,  // text: operators joined by ',' ("<=,<"); kids: n+1 operands (a <= b < c)
  If,       // kids: condition, then, else
  Call,     // text: callee ("exp", "f32", "bf16.rz", "f32.of_bits"); kids: arguments
  Index,    // kids: base, indices…
  ArrayLit, // kids: elements
  Tuple,    // kids: elements
  Block,    // { statements; value }: kids: statements…, value
  Reduce, // text: "sum" "max" "min" "max_nan" "min_nan" "dot" "count"; kids: binders…, order|none,
          // where|none, body (dot: Tuple of two)
  Binder, // `h in H`: text: variable; kids: extent
  // Orders
  OrderPipe, // kids: stages
  OrderName, // text: name of an order; alone where a pipe would be one name (`by row`,
             // `order a = b`), or a stage of a longer pipe (`row | pairs`)
  Stage, // text: "seq" "lanes" "pairs" "halves" "mid" "mid.leaf" "fma" "mma" "first"; kids: size
         // arguments…
  StageFrom,  // `.from(e)` wraps a stage: kids: stage, value
  StagePad,   // `.pad(e)`: kids: stage, value
  StageRound, // `stage: T`: text: type name; kids: stage
  // Types
  TensorType, // text: element type name (a dtype or a type parameter); kids: extents… (none for a
              // scalar)
  // Statements
  Define,  // `name[i, j] = value where guard`: text: name; kids: Name indices…, guard|none, value
  Let,     // `let name = value`: text: name; kids: value
  Require, // kids: conditions…
  // Declarations
  Use,          // text: module path; kids: imported Names… (none: the whole module)
  Param,        // `x: type`: text: name; kids: TensorType
  GenericDim,   // `H`            text: name
  GenericBool,  // `bool CENTRED` text: name
  GenericType,  // `type E`       text: name
  GenericOrder, // `order row`    text: name
  Op, // text: name; kids: generics…, params…, results (Param)…, body (Block without value); counts
      // in `a`, `b`, `c`
  Fn, // `fn f(x: f32) -> f32 = e`: text: name; kids: params…, result TensorType, value; a = number
      // of params
  OrderDecl, // `order row = …`: text: name; kids: OrderPipe or OrderName
  LetDecl,   // top-level `let hidden = 2048`: text: name; kids: value
  Kernel,    // `kernel k = op<H = 3584, row = wide>(eps = 1e-6)`: text: name; kids: callee Name,
             // NamedArg generics…, NamedArg scalars…; a = number of generics
  NamedArg,  // text: name ("" when positional); kids: value (expression, OrderPipe, or Name)
};

struct Node {
  NodeKind kind = NodeKind::Name;
  Span span;     // the whole construct
  Span nameSpan; // the name or operator in it, for carets
  std::string text;
  std::vector<NodeId> kids;
  std::uint32_t a = 0;      // Op: number of generics; Fn: of params; Kernel: of generics
  std::uint32_t b = 0;      // Op: number of params
  std::uint32_t c = 0;      // Op: number of results
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
