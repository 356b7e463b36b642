// Terms: an operation done again, on other operands.
#include "compiler/verify/term/terms.h"

namespace ordo::verify {

NodeId Terms::onFloats(const Node &n, std::span<const NodeId> args) {
  const dsl::DType format = n.sort.format;
  const auto bits = [&](std::size_t k) { return constantOrNode(args[k]); };
  switch (n.kind) {
  case Kind::FAdd:
    return fadd(format, args[0], args[1]);
  case Kind::FMul:
    return fmul(format, args[0], args[1]);
  case Kind::FDiv:
    return fdiv(format, args[0], args[1]);
  case Kind::FFma:
    return ffma(format, args[0], args[1], args[2]);
  case Kind::FSqrt:
    return fsqrt(format, args[0]);
  case Kind::FNeg:
    return fneg(args[0]);
  case Kind::FAbs:
    return fabs(args[0]);
  case Kind::FMin:
  case Kind::FMax:
  case Kind::FMinNan:
  case Kind::FMaxNan:
    return fminmax(n.kind, args[0], args[1]);
  case Kind::FMinSet:
  case Kind::FMaxSet: {
    NodeId all = args[0];
    for (const NodeId arg : args.subspan(1))
      all = fminmax(n.kind == Kind::FMinSet ? Kind::FMin : Kind::FMax, all, arg);
    return settled(all);
  }
  case Kind::FConvert:
    return fconvert(format, args[0], static_cast<Round>(n.payload));
  case Kind::FRoundInt:
    return froundInt(args[0], static_cast<Round>(n.payload));
  case Kind::UToF:
  case Kind::SToF:
    return fromInteger(format, bits(0), pool_.node(args[0]).sort.width, n.kind == Kind::SToF);
  case Kind::OfBits:
    return asFloat(format, bits(0));
  case Kind::Select: // a constant arm is a float's
    return asFloat(format, select(bits(0), Term::of(args[1]), Term::of(args[2]), n.sort.width));
  default:
    return pool_.make(n.kind, n.sort, n.payload, args);
  }
}

} // namespace ordo::verify
