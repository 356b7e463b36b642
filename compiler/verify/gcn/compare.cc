// Compares of the vector unit: a bit for each lane, gathered in an SGPR mask or written to EXEC.
#include "compiler/verify/gcn/lowering.h"

namespace ordo::verify::gcn {

bool Lowering::compare(const std::string &op) {
  const bool writesExec = op.starts_with("v_cmpx_");
  if (!writesExec && !op.starts_with("v_cmp_"))
    return false;
  // v_cmp_RELATION_TYPE
  const std::string rest = op.substr(writesExec ? 7 : 6);
  const std::size_t under = rest.find('_');
  if (under == std::string::npos || under + 2 >= rest.size())
    return false;
  const std::string relationName = rest.substr(0, under), digits = rest.substr(under + 2);
  const char type = rest[under + 1];
  const unsigned width = digits == "16" ? 16 : digits == "32" ? 32 : digits == "64" ? 64 : 0;
  if (width == 0 || (type != 'f' && type != 'i' && type != 'u'))
    return false;
  // gfx11's v_cmpx names no destination: it writes EXEC alone.
  const bool hasDestination = !(writesExec && isGfx11_);
  operands(hasDestination ? 3 : 2);
  if (moved_)
    refuse("a compare of lanes that move is not modelled");
  const M bit = relation(relationName, width, type, hasDestination ? 1 : 0);
  take("op_sel");
  if (hasDestination)
    setMask(at(0), bit);
  if (writesExec) {
    Operand exec;
    exec.kind = Operand::Kind::Exec;
    exec.count = object_.waveSize == 64 ? 2 : 1;
    exec.text = "exec";
    setMask(exec, bit);
  }
  return true;
}

Lowering::M Lowering::relation(const std::string &op, unsigned width, char type,
                               std::size_t first) {
  if (op == "class") {
    const M value = source(first, width, As::Float);
    const M classes = source(first + 1, 32, As::Bits);
    return floating(Op::GcnClass, width, {value, classes});
  }
  if (op == "t" || op == "tru")
    return M::imm(1);
  if (op == "f")
    return M::imm(0);
  const bool isFloat = type == 'f';
  const As as = isFloat ? As::Float : As::Bits;
  const M a = source(first, width, as), b = source(first + 1, width, as);
  const auto test = [&](Op each, M x, M y) {
    return isFloat ? floating(each, width, {x, y}) : emit(each, width, {x, y});
  };
  const auto inverted = [&](M bit) { return emit(Op::Not, 1, {bit}); };
  const Op equal = isFloat ? Op::FCmpEq : Op::CmpEq, notEqual = isFloat ? Op::FCmpNe : Op::CmpNe;
  const Op less = isFloat ? Op::FCmpLt : type == 'i' ? Op::CmpLtS : Op::CmpLtU;
  const Op lessEqual = isFloat ? Op::FCmpLe : type == 'i' ? Op::CmpLeS : Op::CmpLeU;
  if (op == "lt")
    return test(less, a, b);
  if (op == "le")
    return test(lessEqual, a, b);
  if (op == "gt")
    return test(less, b, a);
  if (op == "ge")
    return test(lessEqual, b, a);
  if (op == "eq")
    return test(equal, a, b);
  if (op == "ne" || op == "neq")
    return test(notEqual, a, b);
  if (!isFloat)
    refuse("this relation is not modelled");
  if (op == "lg") // less or greater: false with a NaN
    return emit(Op::Or, 1, {test(less, a, b), test(less, b, a)});
  if (op == "nlg")
    return inverted(emit(Op::Or, 1, {test(less, a, b), test(less, b, a)}));
  if (op == "nlt")
    return inverted(test(less, a, b));
  if (op == "nle")
    return inverted(test(lessEqual, a, b));
  if (op == "ngt")
    return inverted(test(less, b, a));
  if (op == "nge")
    return inverted(test(lessEqual, b, a));
  if (op == "u")
    return floating(Op::FIsNan, width, {a, b});
  if (op == "o")
    return inverted(floating(Op::FIsNan, width, {a, b}));
  refuse("this relation is not modelled");
}

} // namespace ordo::verify::gcn
