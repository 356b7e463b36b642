#include "compiler/verify/proof/trees.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace ordo::verify {
namespace {

constexpr std::size_t kMostLevels = 20; // between a root and where two values part
constexpr std::size_t kFirstLevels = 8; // shown of a longer way, before those at its end
constexpr std::size_t kWidest = 60;     // of a column

const char *infix(Kind kind) {
  switch (kind) {
  case Kind::FAdd:
    return " + ";
  case Kind::FMul:
    return " * ";
  case Kind::FDiv:
    return " / ";
  case Kind::BitAnd:
    return " & ";
  case Kind::BitOr:
    return " | ";
  case Kind::BitXor:
    return " ^ ";
  case Kind::FEq:
    return " == ";
  case Kind::FLt:
    return " < ";
  case Kind::FLe:
    return " <= ";
  default:
    return nullptr;
  }
}

std::string roundingSuffix(std::uint64_t payload) {
  switch (static_cast<Round>(payload)) {
  case Round::NearestEven:
    return "";
  case Round::TowardZero:
    return ".rz";
  case Round::Up:
    return ".ru";
  case Round::Down:
    return ".rd";
  case Round::NearestAway:
    return ".rna";
  }
  return "";
}

std::string constantText(const Node &n) {
  if (n.sort.format == dsl::DType::F32)
    return fmt::format("{}", std::bit_cast<float>(static_cast<std::uint32_t>(n.payload)));
  if (n.sort.format == dsl::DType::F64)
    return fmt::format("{}", std::bit_cast<double>(n.payload));
  if (n.sort.isFloat())
    return fmt::format("{}.of_bits({:#x})", dsl::name(n.sort.format), n.payload);
  return n.payload < 1024 ? std::to_string(n.payload) : fmt::format("{:#x}", n.payload);
}

/// Characters, not bytes.
std::size_t lengthOf(const std::string &text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string shortened(const std::string &text, std::size_t most) {
  if (lengthOf(text) <= most)
    return text;
  std::size_t at = 0, length = 0;
  for (; length + 1 < most; ++length)
    for (++at; at < text.size() && (text[at] & 0xc0) == 0x80;)
      ++at;
  return text.substr(0, at) + "…";
}

} // namespace

/// One value in one line.
class Trees::Line {
public:
  Line(Trees &trees, TextLimits limits)
      : trees_(trees), pool_(trees.terms_.pool()), limits_(limits) {}

  std::string of(NodeId id, int depth) {
    const Node n = pool_.node(id);
    if (n.kind == Kind::Constant)
      return constantText(n);
    if (n.kind == Kind::Symbol)
      return pool_.symbols.at(n.payload);
    if (n.kind == Kind::Input)
      return input(id);
    if (--limits_.nodes < 0 || depth > limits_.depth)
      return "…";
    switch (n.kind) {
    case Kind::Integer:
      return form(id);
    case Kind::AtLeastZero:
      return form(id) + " >= 0";
    case Kind::IsZero:
      return form(id) + " == 0";
    case Kind::FloorDiv:
      return fmt::format("floor(({}) / {})", form(id), pool_.node(pool_.args(id)[0]).payload);
    case Kind::FNeg:
      return "-" + bracketed(pool_.args(id)[0], depth + 1);
    case Kind::Select:
      return fmt::format("if {} then {} else {}", of(pool_.args(id)[0], depth + 1),
                         of(pool_.args(id)[1], depth + 1), of(pool_.args(id)[2], depth + 1));
    default:
      return infix(n.kind) != nullptr ? chain(id, depth)
                                      : fmt::format("{}({})", trees_.head(id), list(id, depth));
    }
  }

private:
  std::string form(NodeId id) {
    return formText(pool_, trees_.terms_.affine(), static_cast<AffineId>(pool_.node(id).payload));
  }

  std::string input(NodeId id) {
    const std::uint64_t tensor = pool_.node(id).payload;
    const Node number = pool_.node(pool_.args(id)[0]);
    AffinePool &affine = trees_.terms_.affine();
    const AffineId element = number.kind == Kind::Constant
                                 ? affine.constant(static_cast<std::int64_t>(number.payload))
                                 : static_cast<AffineId>(number.payload);
    for (const Argument &array : trees_.signature_.arguments)
      if (array.kind == Argument::Kind::Array && array.tensor == tensor)
        return trees_.element(array, element);
    return fmt::format("tensor {}[{}]", tensor, formText(pool_, affine, element));
  }

  std::string list(NodeId id, int depth) {
    const std::vector<NodeId> args(pool_.args(id).begin(), pool_.args(id).end());
    std::string text;
    for (std::size_t k = 0; k < args.size(); ++k) {
      if (k == limits_.chain && args.size() > k + 1)
        return text + fmt::format(", … {} more", args.size() - k);
      text += (k == 0 ? "" : ", ") + of(args[k], depth + 1);
    }
    return text;
  }

  std::string bracketed(NodeId id, int depth) {
    const std::string text = of(id, depth);
    return infix(pool_.node(id).kind) != nullptr || pool_.node(id).kind == Kind::Select
               ? "(" + text + ")"
               : text;
  }

  /// a + b + c is (a + b) + c.
  std::string chain(NodeId id, int depth) {
    const Node n = pool_.node(id);
    std::vector<NodeId> right; // outermost first
    NodeId first = id;
    while (pool_.node(first).kind == n.kind && pool_.node(first).sort == n.sort &&
           pool_.args(first).size() == 2) {
      const auto args = pool_.args(first);
      const bool isSwapped = pool_.node(args[1]).kind == n.kind &&
                             pool_.node(args[0]).kind != n.kind && n.kind != Kind::FDiv;
      right.push_back(args[isSwapped ? 0 : 1]);
      first = args[isSwapped ? 1 : 0];
    }
    if (right.empty()) // bits of several operands
      return fmt::format("{}({})", trees_.head(id), list(id, depth));
    std::string text = bracketed(first, depth + 1);
    for (std::size_t k = right.size(); k-- > 0;) {
      if (right.size() > limits_.chain && k + limits_.chain - 1 == right.size()) {
        text += fmt::format("{}… {} more", infix(n.kind), k);
        k = 1;
        continue;
      }
      text += infix(n.kind) + bracketed(right[k], depth + 1);
    }
    return text;
  }

  Trees &trees_;
  const Pool &pool_;
  TextLimits limits_;
};

Trees::Trees(Terms &terms, const Signature &signature) : terms_(terms), signature_(signature) {}

std::string Trees::text(NodeId root, TextLimits limits) { return Line(*this, limits).of(root, 0); }

std::vector<AffineId> Trees::indices(const Argument &array, AffineId number) {
  std::vector<AffineId> index(array.shape.size());
  AffineId rest = number;
  for (std::size_t axis = array.shape.size(); axis-- > 0;) {
    if (axis == 0) {
      index[0] = rest;
      break;
    }
    const auto extent = terms_.affine().constantOf(array.shape[axis]);
    if (!extent || *extent < 1)
      return {number};
    const AffineId quotient = terms_.quotient(rest, *extent);
    index[axis] = terms_.affine().combine(rest, 1, quotient, -*extent);
    rest = quotient;
  }
  return index;
}

std::string Trees::element(const Argument &array, AffineId number) {
  std::string text;
  for (const AffineId index : indices(array, number))
    text += (text.empty() ? "" : ", ") + formText(terms_.pool(), terms_.affine(), index);
  return fmt::format("{}[{}]", array.name, text);
}

/// An operation's name, without its operands.
std::string Trees::head(NodeId id) const {
  const Node &n = terms_.pool().node(id);
  switch (n.kind) {
  case Kind::FConvert:
    return std::string(dsl::name(n.sort.format)) + roundingSuffix(n.payload);
  case Kind::UToF:
  case Kind::SToF:
    return std::string(dsl::name(n.sort.format));
  case Kind::FRoundInt:
    return "round" + roundingSuffix(n.payload);
  case Kind::Approx:
    return terms_.pool().approximations.at(n.payload);
  case Kind::Extract:
    return fmt::format("bits {}…{} of ", n.payload, n.payload + n.sort.width - 1);
  case Kind::Fold:
    return fmt::format("fold of {} steps",
                       formText(terms_.pool(), terms_.affine(), static_cast<AffineId>(n.payload)));
  default: {
    const std::string_view sign = infix(n.kind) != nullptr ? infix(n.kind) : name(n.kind);
    return std::string(sign.starts_with(' ') ? sign.substr(1, sign.size() - 2) : sign);
  }
  }
}

bool Trees::looksAlike(NodeId a, NodeId b) const {
  const Node &p = terms_.pool().node(a), &q = terms_.pool().node(b);
  return p.kind == q.kind && p.sort == q.sort && p.payload == q.payload &&
         p.argCount == q.argCount && p.argCount > 0 && p.kind != Kind::Input;
}

/// Operands in pairs; those of a sum or a product as they fit best.
std::vector<std::pair<NodeId, NodeId>> Trees::children(NodeId contract, NodeId code) const {
  const auto p = terms_.pool().args(contract), q = terms_.pool().args(code);
  std::vector<std::pair<NodeId, NodeId>> pairs;
  const Kind kind = terms_.pool().node(contract).kind;
  const bool isCommutative = kind == Kind::FAdd || kind == Kind::FMul;
  const auto fit = [&](std::size_t i, std::size_t j) {
    return p[i] == q[j] ? 2 : looksAlike(p[i], q[j]) ? 1 : 0;
  };
  const bool isSwapped = isCommutative && fit(0, 1) + fit(1, 0) > fit(0, 0) + fit(1, 1);
  for (std::size_t k = 0; k < p.size(); ++k)
    pairs.emplace_back(p[k], q[isSwapped ? 1 - k : k]);
  return pairs;
}

Trees::Row Trees::parted(const std::string &indent, NodeId contract, NodeId code) {
  return {indent + text(contract, {5, 16, 4}), indent + text(code, {5, 16, 4}), Row::Mark::Parts};
}

std::vector<Trees::Row> Trees::sideBySide(NodeId contract, NodeId code) {
  std::vector<std::vector<Row>> levels;
  std::string indent;
  while (contract != code && looksAlike(contract, code)) {
    levels.push_back({{indent + head(contract), indent + head(code)}});
    indent = levels.size() < kMostLevels ? indent + "  " : indent;
    std::optional<std::pair<NodeId, NodeId>> next;
    for (const auto &[a, b] : children(contract, code)) {
      if (a != b && !next) {
        next = {a, b};
        continue;
      }
      const TextLimits limits{3, 8, 3};
      levels.back().push_back({indent + text(a, limits), indent + text(b, limits),
                               a == b ? Row::Mark::Alike : Row::Mark::Differs});
    }
    std::tie(contract, code) = *next;
  }
  std::vector<Row> rows;
  for (std::size_t k = 0; k < levels.size(); ++k) {
    if (levels.size() > kMostLevels && k == kFirstLevels) {
      const std::size_t hidden = levels.size() - kMostLevels;
      const std::string note = fmt::format("… {} more levels of the same shape", hidden);
      rows.push_back({note, note});
      k += hidden;
    }
    rows.insert(rows.end(), levels[k].begin(), levels[k].end());
  }
  rows.push_back(parted(indent, contract, code));
  return rows;
}

std::string columns(const std::vector<Trees::Row> &rows) {
  std::size_t width = 8;
  for (const Trees::Row &row : rows)
    width = std::max(width, std::min(lengthOf(row.contract), kWidest));
  const auto line = [&](const char *mark, const std::string &left, const std::string &right) {
    const std::string shown = shortened(left, kWidest);
    return fmt::format("{} {}{} | {}\n", mark, shown, std::string(width - lengthOf(shown), ' '),
                       shortened(right, kWidest));
  };
  std::string text = line(" ", "contract", "code");
  for (const Trees::Row &row : rows)
    text += line(row.mark == Trees::Row::Mark::Alike ? " " : "≠", row.contract, row.code);
  return text;
}

} // namespace ordo::verify
