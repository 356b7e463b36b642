// The text of a term, folded to a readable length.
#include "dsl/eval/numeric.h"
#include "dsl/term/term.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace ordo::dsl {
namespace {

std::string_view infixSign(Op op) {
  switch (op) {
  case Op::Add:
    return "+";
  case Op::Sub:
    return "-";
  case Op::Mul:
    return "*";
  case Op::Div:
    return "/";
  case Op::Rem:
    return "%";
  case Op::And:
    return "&";
  case Op::Or:
    return "|";
  case Op::Xor:
    return "^";
  case Op::Shl:
    return "<<";
  case Op::Shr:
    return ">>";
  case Op::Eq:
    return "==";
  case Op::Ne:
    return "!=";
  case Op::Lt:
    return "<";
  case Op::Le:
    return "<=";
  case Op::Gt:
    return ">";
  case Op::Ge:
    return ">=";
  default:
    return "";
  }
}

std::string constantText(DType type, std::uint64_t bits) {
  if (isFloat(type)) {
    if (type == DType::F64)
      return fmt::format("{}", std::bit_cast<double>(bits));
    const std::uint64_t single = castBits(type, DType::F32, bits);
    return fmt::format("{}", std::bit_cast<float>(static_cast<std::uint32_t>(single)));
  }
  if (type == DType::Bool)
    return bits != 0 ? "true" : "false";
  if (type == DType::I32)
    return fmt::format("{}", static_cast<std::int32_t>(bits));
  if (type == DType::I64 || type == DType::Index)
    return fmt::format("{}", static_cast<std::int64_t>(bits));
  return fmt::format("{}", bits);
}

/// 152064 as "152,064".
std::string grouped(std::uint64_t value) {
  std::string text = fmt::format("{}", value);
  for (std::size_t at = text.size(); at > 3; at -= 3)
    text.insert(at - 3, ",");
  return text;
}

class Printer {
public:
  Printer(const TermPool &pool, const Program &program, PrintLimits limits)
      : pool_(pool), program_(program), limits_(limits) {}

  // Recursion here is at most limits_.deepest levels: below, text becomes a count, and a chain
  // of one operation is a loop.
  std::string print(TermId id, int depth) {
    const Term &t = pool_.term(id);
    const std::span<const TermId> args = pool_.args(id);
    if (t.op == Op::Const)
      return constantText(t.type, t.payload);
    if (t.op == Op::Scalar)
      return t.payload < program_.scalars.size() ? program_.scalars[t.payload].name : "scalar";
    if (depth >= limits_.deepest || limits_.mostNodes == 0)
      return fmt::format("…{} nodes…", grouped(t.size));
    --limits_.mostNodes;
    if (t.op == Op::Load)
      return fmt::format("{}[{}]",
                         t.payload < program_.tensors.size() ? program_.tensors[t.payload].name
                                                             : "tensor",
                         list(args, depth));
    if (!infixSign(t.op).empty() && args.size() == 2)
      return chain(id, depth);
    if (t.op == Op::Select && args.size() == 3)
      return fmt::format("(if {} then {} else {})", print(args[0], depth + 1),
                         print(args[1], depth + 1), print(args[2], depth + 1));
    return fmt::format("{}({})", functionName(t), list(args, depth));
  }

private:
  static std::string functionName(const Term &t) {
    if (t.op != Op::Cast)
      return std::string(name(t.op));
    const auto rounding = static_cast<Rounding>(t.payload);
    if (rounding == Rounding::Tf32)
      return "tf32";
    return fmt::format("{}{}", name(t.type),
                       rounding == Rounding::TowardZero ? ".rz"
                       : rounding == Rounding::Saturate ? ".sat"
                                                        : "");
  }

  std::string list(std::span<const TermId> args, int depth) {
    std::string text;
    for (const TermId arg : args)
      text += (text.empty() ? "" : ", ") + print(arg, depth + 1);
    return text;
  }

  std::string operand(TermId id, int depth) {
    const bool isFolded = depth + 1 >= limits_.deepest || limits_.mostNodes == 0;
    const std::string text = print(id, depth + 1);
    return infixSign(pool_.term(id).op).empty() || isFolded ? text : "(" + text + ")";
  }

  /// a + b + c, the left spine of one operation, its middle folded when long.
  std::string chain(TermId id, int depth) {
    const Op op = pool_.term(id).op;
    std::vector<TermId> operands;
    for (; pool_.term(id).op == op; id = pool_.args(id)[0])
      operands.push_back(pool_.args(id)[1]);
    operands.push_back(id);
    std::ranges::reverse(operands);
    const std::size_t shown = std::max<std::size_t>(limits_.longestChain, 3);
    std::string text;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (i > 0)
        text += fmt::format(" {} ", infixSign(op));
      if (operands.size() > shown && i == shown - 2) {
        const std::size_t skipped = operands.size() - shown + 1;
        text += fmt::format("…{} more…", grouped(skipped));
        i += skipped - 1;
        continue;
      }
      text += operand(operands[i], depth);
    }
    return text;
  }

  const TermPool &pool_;
  const Program &program_;
  PrintLimits limits_;
};

} // namespace

std::string toString(const TermPool &pool, TermId root, const Program &program,
                     PrintLimits limits) {
  limits.deepest = std::clamp(limits.deepest, 1, 200);
  return Printer(pool, program, limits).print(root, 0);
}

} // namespace ordo::dsl
