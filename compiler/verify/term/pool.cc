#include "compiler/verify/term/pool.h"

#include "compiler/verify/machine/fault.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace ordo::verify {
namespace {

constexpr NodeId kFree = 0xffffffffu;
constexpr std::size_t kMostNodes = 60'000'000, kMostArgs = 0xffffffffu;

constexpr std::string_view kNames[] = {
    "undefined", "constant", "symbol", "input",  "integer", "floor-div", ">= 0",    "== 0",
    "not",       "and",      "or",     "==",     "<",       "<=",        "is_nan",  "eq",
    "lt.u",      "le.u",     "lt.s",   "le.s",   "+",       "*",         "/",       "fma",
    "sqrt",      "-",        "abs",    "min",    "max",     "min_nan",   "max_nan", "min",
    "max",       "cast",     "round",  "from_u", "from_s",  "approx",    "of_bits", "to_u",
    "to_s",      "&",        "|",      "^",      "<<",      ">>",        ">>s",     "mul",
    "mulhi.u",   "mulhi.s",  "min.u",  "min.s",  "max.u",   "max.s",     "div.s",   "rem.s",
    "popc",      "clz",      "brev",   "sext",   "concat",  "extract",   "select",  "carry",
    "borrow",    "fold",     "gcn",
};
static_assert(std::size(kNames) == static_cast<std::size_t>(Kind::Gcn) + 1);

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0xff51afd7ed558ccdu;
  return hash ^ (hash >> 32);
}

std::uint64_t hashOf(Kind kind, Sort sort, std::uint64_t payload, std::span<const NodeId> args) {
  std::uint64_t hash = mixed(static_cast<std::uint64_t>(kind) << 16 |
                                 static_cast<std::uint64_t>(sort.format) << 8 | sort.width,
                             payload);
  for (const NodeId arg : args)
    hash = mixed(hash, arg + 1);
  return hash;
}

} // namespace

std::string_view name(Kind kind) { return kNames[static_cast<std::size_t>(kind)]; }

NodeId Pool::make(Kind kind, Sort sort, std::uint64_t payload, std::span<const NodeId> args) {
  const std::uint64_t hash = hashOf(kind, sort, payload, args);
  if (nodes_.size() * 2 >= table_.size())
    grow();
  const std::size_t mask = table_.size() - 1;
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    const auto [part, id] = table_[at];
    if (id == kFree) {
      if (nodes_.size() >= kMostNodes || args_.size() + args.size() > kMostArgs)
        throw DomainError("the terms grow beyond what is allowed");
      const auto made = static_cast<NodeId>(nodes_.size());
      table_[at] = {static_cast<std::uint32_t>(hash >> 32), made};
      nodes_.push_back({kind, sort, payload, static_cast<std::uint32_t>(args_.size()),
                        static_cast<std::uint32_t>(args.size())});
      args_.insert(args_.end(), args.begin(), args.end());
      return made;
    }
    if (part != static_cast<std::uint32_t>(hash >> 32))
      continue;
    const Node &n = nodes_[id];
    if (n.kind == kind && n.sort == sort && n.payload == payload &&
        std::ranges::equal(this->args(id), args))
      return id;
  }
}

void Pool::grow() {
  table_.assign(std::max<std::size_t>(table_.size() * 2, 1 << 12), {0, kFree});
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    const Node &n = nodes_[id];
    const std::uint64_t hash = hashOf(n.kind, n.sort, n.payload, args(id));
    std::size_t at = hash & (table_.size() - 1);
    while (table_[at].node != kFree)
      at = (at + 1) & (table_.size() - 1);
    table_[at] = {static_cast<std::uint32_t>(hash >> 32), id};
  }
}

namespace {

std::string constantText(const Node &n) {
  if (n.sort.format == dsl::DType::F32)
    return fmt::format("{:a}", std::bit_cast<float>(static_cast<std::uint32_t>(n.payload)));
  if (n.sort.format == dsl::DType::F64)
    return fmt::format("{:a}", std::bit_cast<double>(n.payload));
  return fmt::format("{:#x}", n.payload);
}

struct Printer {
  const Pool &pool;
  const AffinePool &affine;
  int nodes;

  std::string form(AffineId id, int depth) {
    const Affine &f = affine.form(id);
    std::string text;
    for (const auto &[atom, factor] : f.terms) {
      const std::string atomText = node(atom, depth - 1);
      if (factor == 1)
        text += (text.empty() ? "" : " + ") + atomText;
      else if (factor < 0)
        text += fmt::format("{}{}*{}", text.empty() ? "-" : " - ", -factor, atomText);
      else
        text += fmt::format("{}{}*{}", text.empty() ? "" : " + ", factor, atomText);
    }
    if (f.constant != 0 || text.empty())
      text += text.empty()     ? std::to_string(f.constant)
              : f.constant > 0 ? fmt::format(" + {}", f.constant)
                               : fmt::format(" - {}", -f.constant);
    return text;
  }

  std::string list(std::span<const NodeId> args, int depth, const char *separator) {
    std::string text;
    for (std::size_t k = 0; k < args.size(); ++k) {
      if (k == 8 && args.size() > 9)
        return text + fmt::format("{}… {} more", separator, args.size() - k);
      text += (k == 0 ? "" : separator) + node(args[k], depth - 1);
    }
    return text;
  }

  std::string node(NodeId id, int depth) {
    const Node &n = pool.node(id);
    if (n.kind == Kind::Constant)
      return constantText(n);
    if (n.kind == Kind::Symbol)
      return pool.symbols.at(n.payload);
    if (--nodes < 0 || depth < 0)
      return "…";
    const auto args = pool.args(id);
    switch (n.kind) {
    case Kind::Undefined:
      return "undefined";
    case Kind::Input:
      return fmt::format("{}[{}]", pool.tensors.at(n.payload), list(args, depth, ", "));
    case Kind::Integer:
      return fmt::format("{}", form(static_cast<AffineId>(n.payload), depth));
    case Kind::FloorDiv:
      return fmt::format("floor(({}) / {})", form(static_cast<AffineId>(n.payload), depth),
                         pool.node(args[0]).payload);
    case Kind::AtLeastZero:
    case Kind::IsZero:
      return fmt::format("({} {})", form(static_cast<AffineId>(n.payload), depth), name(n.kind));
    case Kind::FAdd:
    case Kind::FMul:
    case Kind::FDiv:
    case Kind::FEq:
    case Kind::FLt:
    case Kind::FLe:
    case Kind::BitAnd:
    case Kind::BitOr:
    case Kind::BitXor:
      return fmt::format("({})", list(args, depth, fmt::format(" {} ", name(n.kind)).c_str()));
    case Kind::Fold:
      return fmt::format("fold({} < {}; {}; {} -> {})", node(args[3], depth),
                         form(static_cast<AffineId>(n.payload), depth), node(args[0], depth - 1),
                         node(args[2], depth), node(args[1], depth - 1));
    case Kind::FConvert:
      return fmt::format("{}({})", dsl::name(n.sort.format), node(args[0], depth - 1));
    case Kind::Approx:
      return fmt::format("{}({})", pool.approximations.at(n.payload), list(args, depth, ", "));
    case Kind::Extract:
      return fmt::format("{}.bits({}, {})", node(args[0], depth - 1), n.payload, n.sort.width);
    default:
      return fmt::format("{}({})", name(n.kind), list(args, depth, ", "));
    }
  }
};

} // namespace

std::string toString(const Pool &pool, const AffinePool &affine, NodeId root, int depth,
                     int nodes) {
  return Printer{pool, affine, nodes}.node(root, depth);
}

std::string formText(const Pool &pool, const AffinePool &affine, AffineId form) {
  return Printer{pool, affine, 60}.form(form, 6);
}

} // namespace ordo::verify
