#include "compiler/verify/symbolic/domain.h"

#include <algorithm>
#include <fmt/format.h>

namespace ordo::verify {

TermDomain::TermDomain(Terms &terms, const Signature &signature, const Kernel &kernel,
                       const std::vector<Condition> &world, Summary &summary)
    : terms_(terms), signature_(signature), kernel_(kernel), summary_(summary), expansions_(terms) {
  summary_.paths.emplace_back();
  given_.emplace_back();
  for (const Condition &condition : world) {
    summary_.paths[0].push_back(condition);
    note(0, condition);
  }
  for (std::uint32_t k = 0; k < signature.arguments.size(); ++k) {
    const Argument &argument = signature.arguments[k];
    bases_.push_back(argument.value);
    if (argument.kind == Argument::Kind::Array)
      byBase_[argument.value.node()] = k;
  }
}

Term TermDomain::constant(unsigned width, std::uint64_t bits) {
  return Term::constant(width >= 64 ? bits : bits & ((std::uint64_t{1} << width) - 1));
}

Term TermDomain::special(SpecialRegister which) const {
  const auto axis = [&](SpecialRegister first) {
    return static_cast<std::size_t>(which) - static_cast<std::size_t>(first);
  };
  switch (which) {
  case SpecialRegister::CtaidX:
  case SpecialRegister::CtaidY:
  case SpecialRegister::CtaidZ:
    return signature_.blockIndex[axis(SpecialRegister::CtaidX)];
  case SpecialRegister::NctaidX:
  case SpecialRegister::NctaidY:
  case SpecialRegister::NctaidZ:
    return signature_.gridSize[axis(SpecialRegister::NctaidX)];
  default:
    throw DomainError("a special register that is not modelled");
  }
}

void TermDomain::apply(const Instruction &i, const Value *src, Value *dst) {
  if (splits_ && i.op == Op::Select && src[0].isNode() && isOfSizes(src[0])) {
    const auto holds = truth(src[0], {});
    dst[0] = holds == false ? src[2] : holds == true ? src[1] : Term{};
    return;
  }
  const auto step = kernel_.model == Model::LockStep ? expansions_.recognised(i, src)
                                                     : expansions_.recognisedAnywhere(i, src);
  if (step) {
    dst[0] = *step;
    summary_.expansions.insert(expansions_.used().begin(), expansions_.used().end());
    return;
  }
  terms_.apply(i, src, dst);
}

/// What a condition says of integers.
void TermDomain::note(std::uint32_t path, const Condition &condition) {
  const Node n = terms_.pool().node(condition.node);
  AffinePool &affine = terms_.affine();
  const auto form = static_cast<AffineId>(n.payload);
  switch (n.kind) {
  case Kind::AtLeastZero:
    given_[path].push_back(condition.holds ? form : affine.plus(affine.scale(form, -1), -1));
    return;
  case Kind::IsZero:
    if (condition.holds) {
      given_[path].push_back(form);
      given_[path].push_back(affine.scale(form, -1));
    }
    return;
  case Kind::Not:
    return note(path, {terms_.pool().args(condition.node)[0], !condition.holds});
  case Kind::And:
    if (condition.holds)
      for (const NodeId part :
           {terms_.pool().args(condition.node)[0], terms_.pool().args(condition.node)[1]}) {
        summary_.paths[path].push_back({part, true});
        note(path, {part, true});
      }
    return;
  default:
    return;
  }
}

TermDomain::Path TermDomain::extend(Path path, const Value &condition, bool holds) {
  if (!condition.isNode())
    return path;
  const std::uint64_t key = std::uint64_t{path.id} << 33 | std::uint64_t{condition.node()} << 1 |
                            static_cast<std::uint64_t>(holds);
  const auto [it, isNew] =
      extended_.emplace(key, static_cast<std::uint32_t>(summary_.paths.size()));
  if (isNew) {
    const std::vector<Condition> before = summary_.paths[path.id];
    const std::vector<AffineId> given = given_[path.id];
    summary_.paths.push_back(before);
    given_.push_back(given);
    summary_.paths.back().push_back({condition.node(), holds});
    note(it->second, {condition.node(), holds});
  }
  return {it->second};
}

std::optional<bool> TermDomain::truth(const Value &value, Path path) {
  if (value.isUndefined())
    throw DomainError("a condition that depends on a value nobody defined");
  if (value.isConstant())
    return (value.bits & 1) != 0;
  const NodeId id = value.node();
  const Node n = terms_.pool().node(id);
  if (n.kind == Kind::Not) {
    const auto inner = truth(Term::of(terms_.pool().args(id)[0]), path);
    return inner ? std::optional(!*inner) : std::nullopt;
  }
  for (const Condition &condition : summary_.paths[path.id])
    if (condition.node == id)
      return condition.holds;
  AffinePool &affine = terms_.affine();
  const auto form = static_cast<AffineId>(n.payload);
  if (n.kind == Kind::AtLeastZero || n.kind == Kind::IsZero) {
    const AffineId negative = affine.plus(affine.scale(form, -1), -1);
    if (n.kind == Kind::AtLeastZero && holdsAtLeast(form, path.id))
      return true;
    if (holdsAtLeast(negative, path.id))
      return false;
    if (n.kind == Kind::IsZero && holdsAtLeast(affine.plus(form, -1), path.id))
      return false;
  }
  if (splits_ && !isGuessing_ && isOfSizes(value))
    undecided(value);
  return std::nullopt;
}

Term TermDomain::under(Value value, Path path) {
  while (value.isNode()) {
    const Node n = terms_.pool().node(value.node());
    if (n.kind == Kind::Integer || n.kind == Kind::MinU || n.kind == Kind::MaxU ||
        n.kind == Kind::FloorDiv)
      return settledUnder(value.node(), path.id);
    if (n.kind != Kind::Select && n.kind != Kind::And && n.kind != Kind::Not)
      break;
    const std::vector<NodeId> args(terms_.pool().args(value.node()).begin(),
                                   terms_.pool().args(value.node()).end());
    if (n.kind == Kind::Not)
      return terms_.notBit(under(Term::of(args[0]), path));
    if (n.kind == Kind::And) {
      const auto first = truth(Term::of(args[0]), path), second = truth(Term::of(args[1]), path);
      if (first == false || second == false)
        return Term::constant(0);
      if (!first && !second)
        break;
      value = first ? (second ? Term::constant(1) : Term::of(args[1])) : Term::of(args[0]);
      continue;
    }
    const auto holds = truth(Term::of(args[0]), path);
    if (!holds) {
      const auto either = sameOnPath(value.node(), path.id);
      if (!either)
        break;
      value = *either;
      continue;
    }
    value = terms_.valueOf(args[*holds ? 1 : 2]);
  }
  return value;
}

/// The arm of a choice of numbers that is right on the path whatever is chosen: where the other is
/// chosen, they are equal.
std::optional<Term> TermDomain::sameOnPath(NodeId choice, std::uint32_t path) {
  const Pool &pool = terms_.pool();
  const std::vector<NodeId> args(pool.args(choice).begin(), pool.args(choice).end());
  const Node condition = pool.node(args[0]);
  const auto isNumber = [&](NodeId arm) {
    return pool.node(arm).kind == Kind::Integer || pool.node(arm).kind == Kind::FloorDiv ||
           pool.node(arm).kind == Kind::Constant;
  };
  if (given_[path].empty() || condition.kind != Kind::AtLeastZero ||
      pool.node(choice).sort.isFloat() || !isNumber(args[1]) || !isNumber(args[2]))
    return std::nullopt;
  const std::uint64_t key = std::uint64_t{path} << 32 | choice;
  if (const auto it = same_.find(key); it != same_.end())
    return it->second;
  AffinePool &affine = terms_.affine();
  const unsigned width = pool.node(choice).sort.width;
  const AffineId difference = affine.sub(terms_.modular(terms_.valueOf(args[1]), width),
                                         terms_.modular(terms_.valueOf(args[2]), width));
  const auto form = static_cast<AffineId>(condition.payload);
  std::optional<Term> result;
  for (const bool holds : {false, true}) {
    std::vector<AffineId> given = given_[path];
    given.push_back(holds ? form : affine.plus(affine.scale(form, -1), -1));
    if (!result && terms_.facts().holds(difference, given) &&
        terms_.facts().holds(affine.scale(difference, -1), given))
      result = terms_.valueOf(args[holds ? 2 : 1]);
  }
  same_[key] = result;
  return result;
}

/// A number with the minima and maxima that the path decides, those inside quotients too.
Term TermDomain::settledUnder(NodeId number, std::uint32_t path) {
  if (given_[path].empty())
    return Term::of(number);
  const std::uint64_t key = std::uint64_t{path} << 32 | number;
  if (const auto it = settled_.find(key); it != settled_.end())
    return it->second;
  const unsigned width = terms_.pool().node(number).sort.width;
  const Term result =
      terms_.integer(settledForm(terms_.modular(Term::of(number), width), path), width);
  settled_[key] = result;
  return result;
}

/// Equal on the path.
AffineId TermDomain::settledForm(AffineId form, std::uint32_t path) {
  AffinePool &affine = terms_.affine();
  const Affine before = affine.form(form);
  for (const auto &[atom, factor] : before.terms) {
    const Node n = terms_.pool().node(atom);
    std::optional<AffineId> now;
    if (n.kind == Kind::FloorDiv) {
      const auto inner = static_cast<AffineId>(n.payload);
      const AffineId settled = settledForm(inner, path);
      if (settled != inner)
        now = terms_.quotient(
            settled,
            static_cast<std::int64_t>(terms_.pool().node(terms_.pool().args(atom)[0]).payload));
    } else if (n.kind == Kind::MinU || n.kind == Kind::MaxU) {
      const auto side = [&](std::size_t k) {
        return terms_.exact(terms_.valueOf(terms_.pool().args(atom)[k]), n.sort.width);
      };
      const AffineId x = side(0), y = side(1), difference = affine.sub(y, x);
      const bool isLess = holdsAtLeast(difference, path);
      if (isLess || holdsAtLeast(affine.scale(difference, -1), path))
        now = isLess == (n.kind == Kind::MinU) ? x : y;
    }
    if (now)
      form = affine.combine(form, 1, affine.sub(*now, affine.atom(atom)), factor);
  }
  return form;
}

bool TermDomain::holdsAtLeast(AffineId form, std::uint32_t path) {
  return terms_.facts().holds(form, given_[path]);
}

/// The condition without its negations.
NodeId TermDomain::positive(NodeId condition) const {
  while (terms_.pool().node(condition).kind == Kind::Not)
    condition = terms_.pool().args(condition)[0];
  return condition;
}

bool TermDomain::isOfSizes(const Value &condition) const {
  if (!condition.isNode())
    return false;
  const Kind kind = terms_.pool().node(positive(condition.node())).kind;
  return kind == Kind::AtLeastZero || kind == Kind::IsZero;
}

void TermDomain::undecided(const Value &condition) const {
  if (!isOfSizes(condition))
    throw DomainError("a branch of the wave on data");
  for (const NodeId counter : counters_)
    if (terms_.mentions(condition.node(), counter))
      throw DomainError("a branch that steps of a loop take differently");
  throw Undecided{{positive(condition.node()), true}};
}

Term TermDomain::concat(std::span<const Value> lowestFirst, unsigned width) {
  const std::vector<unsigned> widths(lowestFirst.size(), width);
  return terms_.concat(lowestFirst, widths);
}

Term TermDomain::parameter(unsigned offset, unsigned bytes) {
  for (std::size_t k = 0; k < kernel_.parameters.size() && k < bases_.size(); ++k) {
    const Parameter &p = kernel_.parameters[k];
    if (offset < p.offset || offset + bytes > p.offset + p.bytes)
      continue;
    return terms_.extract(bases_[k], (offset - p.offset) * 8, bytes * 8, p.bytes * 8);
  }
  throw DomainError(
      fmt::format("reads {} bytes at {} of the arguments, which is no argument", bytes, offset));
}

/// The array and the element of an address: one base, once, and a multiple of the element.
TermDomain::Place TermDomain::place(const Instruction &i, const Value &address, Path,
                                    const char *what) {
  if (address.isUndefined())
    throw DomainError(fmt::format("{} at an address that nobody defined", what));
  AffinePool &affine = terms_.affine();
  const AffineId at = affine.plus(terms_.modular(address, 64), i.access.offset);
  const Affine form = affine.form(at);
  std::optional<std::uint32_t> argument;
  AffineId offset = at;
  for (const auto &[atom, factor] : form.terms)
    if (const auto it = byBase_.find(atom); it != byBase_.end()) {
      if (argument || factor != 1)
        throw DomainError(fmt::format("{} at an address of several arrays", what));
      argument = it->second;
      offset = affine.sub(at, affine.atom(atom));
    }
  if (!argument)
    throw DomainError(fmt::format("{} at {}, which is in no argument", what,
                                  formText(terms_.pool(), affine, at)));
  const Argument &array = signature_.arguments[*argument];
  const unsigned access = i.access.bits / 8u * i.access.count;
  const unsigned aligned = i.access.aligned != 0 ? i.access.aligned : access;
  if (aligned > signature_.alignment ||
      affine.constantOf(affine.split(offset, aligned).second) != 0)
    throw DomainError(
        fmt::format("{} {} bytes at byte {} of {}, which need not be a multiple of {}", what,
                    access, formText(terms_.pool(), affine, offset), array.name, aligned));
  const auto bytes = static_cast<unsigned>(dsl::byteSize(array.type));
  const auto [element, rest] = affine.split(offset, bytes);
  const auto skip = affine.constantOf(rest);
  if (!skip)
    throw DomainError(fmt::format("{} at byte {} of {}, which need not be an element", what,
                                  formText(terms_.pool(), affine, offset), array.name));
  return {*argument, element, static_cast<unsigned>(*skip), bytes};
}

/// Elements at.element … + count - 1 lie in the array. What was shown for one offset of a form
/// holds between; so a longer reach is tried first.
void TermDomain::requireInside(const Place &at, std::int64_t count, Path path, const char *what) {
  AffinePool &affine = terms_.affine();
  const Argument &array = signature_.arguments[at.argument];
  const std::int64_t constant = affine.form(at.element).constant;
  const AffineId linear = affine.plus(at.element, -constant);
  Inside &known = inside_[{at.argument, linear, path.id}];
  const std::int64_t first = constant, last = constant + count - 1;
  if (known.any && first >= known.low && last <= known.high)
    return;
  const auto isAtLeastZero = [&](std::int64_t offset) {
    return holdsAtLeast(affine.plus(linear, offset), path.id);
  };
  const auto isBelow = [&](std::int64_t offset) {
    return holdsAtLeast(affine.plus(affine.sub(array.elements, linear), -1 - offset), path.id);
  };
  if (!known.any || first < known.low) {
    if (!isAtLeastZero(first))
      throw DomainError(fmt::format("{} element {} of {}, which need not be at least 0", what,
                                    formText(terms_.pool(), affine, at.element), array.name));
    known.low = known.any ? std::min(known.low, first) : first;
  }
  if (!known.any || last > known.high) {
    std::int64_t reach = last;
    for (std::int64_t step = std::int64_t{1} << 20; step >= 16 && reach == last; step /= 8)
      if (isBelow(last + step))
        reach = last + step;
    if (reach == last && !isBelow(last))
      throw DomainError(
          fmt::format("{} element {} of {}, which need not be below {}", what,
                      formText(terms_.pool(), affine, affine.plus(at.element, count - 1)),
                      array.name, formText(terms_.pool(), affine, array.elements)));
    known.high = known.any ? std::max(known.high, reach) : reach;
  }
  known.any = true;
}

/// `bits` bits, `bit` bits after the place's first element begins.
Term TermDomain::loadBits(const Place &at, unsigned bit, unsigned bits) {
  const Argument &array = signature_.arguments[at.argument];
  const unsigned size = at.bytes * 8;
  std::vector<Term> parts;
  std::vector<unsigned> widths;
  for (unsigned from = bit; from < bit + bits;) {
    const unsigned inside = from % size, width = std::min(size - inside, bit + bits - from);
    const Term element =
        terms_.input(array.tensor, array.type, terms_.affine().plus(at.element, from / size));
    parts.push_back(terms_.extract(element, inside, width, size));
    widths.push_back(width);
    from += width;
  }
  return terms_.concat(parts, widths);
}

void TermDomain::load(const Instruction &i, const Value &address, Path path, const Accessor &,
                      Value *dst) {
  if (isGuessing_) {
    for (unsigned k = 0; k < i.access.count; ++k)
      dst[k] = unknown(i.access.bits);
    return;
  }
  const Place at = place(i, address, path, "loads");
  const Argument &array = signature_.arguments[at.argument];
  if (!array.isRead || array.isWritten)
    throw DomainError(
        fmt::format("loads from {}, which is {}", array.name,
                    array.isRead ? "replaced in place: that is not modelled" : "only written"));
  const unsigned bits = i.access.bits, count = i.access.count;
  const unsigned last = at.skip * 8 + bits * count - 1;
  requireInside(at, last / (at.bytes * 8) + 1, path, "loads");
  for (unsigned k = 0; k < count; ++k)
    dst[k] = loadBits(at, at.skip * 8 + k * bits, bits);
}

/// The steps that a store in them is made at, each number of each.
std::uint32_t TermDomain::storeSteps(std::uint32_t path) {
  std::vector<StoreStep> steps;
  for (const OpenStep &open : steps_) {
    const auto count = terms_.affine().constantOf(open.count);
    if (!count)
      throw DomainError("a store in a loop whose number of steps is not known is not modelled");
    for (const Condition &condition : summary_.paths[path])
      if (terms_.mentions(condition.node, open.step))
        throw DomainError("a store that some steps of a loop make and others do not");
    steps.push_back({open.step, *count});
  }
  auto &all = summary_.storeSteps;
  const auto at = static_cast<std::uint32_t>(std::ranges::find(all, steps) - all.begin());
  if (at == all.size())
    all.push_back(std::move(steps));
  return at;
}

void TermDomain::store(const Instruction &i, const Value &address, const Value *elements, Path path,
                       const Accessor &who) {
  if (isGuessing_)
    return;
  const std::uint32_t steps = storeSteps(path.id);
  const Place at = place(i, address, path, "stores");
  const Argument &array = signature_.arguments[at.argument];
  if (!array.isWritten || array.isRead)
    throw DomainError(
        fmt::format("stores to {}, which is {}", array.name,
                    array.isWritten ? "replaced in place: that is not modelled" : "only read"));
  const unsigned bits = i.access.bits, total = bits * i.access.count, size = at.bytes * 8;
  if (at.skip != 0 || total % size != 0)
    throw DomainError(fmt::format("stores a part of an element of {}", array.name));
  std::vector<Term> parts(elements, elements + i.access.count);
  const std::vector<unsigned> widths(parts.size(), bits);
  const std::int64_t count = total / size;
  requireInside(at, count, path, "stores");
  for (std::int64_t k = 0; k < count; ++k) {
    const unsigned bit = static_cast<unsigned>(k) * size;
    Term value = bits >= size ? terms_.extract(parts[bit / bits], bit % bits, size, bits)
                              : terms_.concat({parts.data() + bit / bits, size / bits},
                                              {widths.data(), size / bits});
    if (value.isUndefined())
      throw DomainError(fmt::format("stores to {} what nobody defined", array.name));
    value = Term::of(terms_.asElement(array.type, value));
    summary_.stores.push_back({at.argument, terms_.affine().plus(at.element, k), value, path.id,
                               who.thread, i.line, steps});
  }
}

} // namespace ordo::verify
