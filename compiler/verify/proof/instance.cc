#include "compiler/verify/proof/instance.h"

#include <algorithm>

namespace ordo::verify {
namespace {

constexpr int kDeepest = 64; // of integer arithmetic; data is not followed

Wide floorDivided(Wide a, Wide b) { return a / b - (a % b != 0 && (a % b < 0) != (b < 0)); }

} // namespace

void Instance::set(NodeId symbol, Wide value) {
  symbols_[symbol] = value;
  known_.clear();
}

std::optional<Wide> Instance::ofForm(AffineId id) { return form(id, 0); }

std::optional<Wide> Instance::form(AffineId id, int depth) {
  const Affine &f = terms_.affine().form(id);
  Wide sum = f.constant;
  for (const auto &[atom, factor] : f.terms) {
    const auto of = ofNode(atom, depth + 1);
    if (!of)
      return std::nullopt;
    sum += *of * factor;
  }
  return sum;
}

std::optional<Wide> Instance::ofNode(NodeId node, int depth) {
  if (depth > kDeepest)
    return std::nullopt;
  if (const auto it = known_.find(node); it != known_.end())
    return it->second;
  const auto result = computed(node, depth);
  known_[node] = result;
  return result;
}

std::optional<Wide> Instance::computed(NodeId id, int depth) {
  const Node &n = terms_.pool().node(id);
  const auto args = terms_.pool().args(id);
  switch (n.kind) {
  case Kind::Constant:
    return n.sort.isFloat() ? std::nullopt : std::optional(Wide{n.payload});
  case Kind::Symbol: {
    const auto it = symbols_.find(id);
    return it == symbols_.end() ? std::nullopt : std::optional(it->second);
  }
  case Kind::Integer: {
    const auto v = form(static_cast<AffineId>(n.payload), depth);
    const Wide modulus = Wide{1} << n.sort.width;
    return v ? std::optional((*v % modulus + modulus) % modulus) : std::nullopt;
  }
  case Kind::FloorDiv: {
    const auto v = form(static_cast<AffineId>(n.payload), depth);
    return v ? std::optional(floorDivided(*v, terms_.pool().node(args[0]).payload)) : std::nullopt;
  }
  case Kind::MinU:
  case Kind::MaxU: {
    const auto a = ofNode(args[0], depth + 1), b = ofNode(args[1], depth + 1);
    if (!a || !b)
      return std::nullopt;
    return n.kind == Kind::MinU ? std::min(*a, *b) : std::max(*a, *b);
  }
  default:
    return logic(id, depth);
  }
}

std::optional<Wide> Instance::logic(NodeId id, int depth) {
  const Node &n = terms_.pool().node(id);
  const auto args = terms_.pool().args(id);
  switch (n.kind) {
  case Kind::AtLeastZero:
  case Kind::IsZero: {
    const auto v = form(static_cast<AffineId>(n.payload), depth);
    if (!v)
      return std::nullopt;
    return Wide{n.kind == Kind::IsZero ? *v == 0 : *v >= 0};
  }
  case Kind::Not: {
    const auto v = ofNode(args[0], depth + 1);
    return v ? std::optional(Wide{*v == 0}) : std::nullopt;
  }
  case Kind::And:
  case Kind::Or: {
    // One operand may decide where another depends on data.
    const Wide decides = n.kind == Kind::Or;
    bool isKnown = true;
    for (const NodeId arg : args) {
      const auto v = ofNode(arg, depth + 1);
      if (v && *v == decides)
        return decides;
      isKnown = isKnown && v;
    }
    return isKnown ? std::optional(1 - decides) : std::nullopt;
  }
  default:
    return std::nullopt;
  }
}

} // namespace ordo::verify
