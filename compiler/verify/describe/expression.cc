#include "compiler/verify/describe/expression.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace ordo::verify {
namespace {

constexpr std::size_t kMostWasted = 1 << 20; // values of trees that are no reductions
constexpr int kDeepest = 4000;               // of an expression
constexpr std::size_t kMostOperations = 150; // of a value that is shown whole
constexpr std::size_t kShownValues = 12;     // of an order that is not recognised

bool isLeaf(Kind kind) {
  return kind == Kind::Constant || kind == Kind::Symbol || kind == Kind::Input ||
         kind == Kind::Integer || kind == Kind::AtLeastZero || kind == Kind::IsZero;
}

std::string constantText(const Node &n) {
  const auto shown = [](auto value) { // with a point, an exponent or a letter
    const std::string text = fmt::format("{}", value);
    return text.find_first_of(".ein") == std::string::npos ? text + ".0" : text;
  };
  switch (n.sort.format) {
  case dsl::DType::F64:
    return shown(std::bit_cast<double>(n.payload));
  case dsl::DType::F32:
    return shown(std::bit_cast<float>(static_cast<std::uint32_t>(n.payload)));
  case dsl::DType::BF16:
    return shown(std::bit_cast<float>(static_cast<std::uint32_t>(n.payload) << 16));
  default:
    return fmt::format("{:#x}", n.payload);
  }
}

class Writer {
public:
  Writer(Terms &terms, KnownReductions &reductions, OutputTree &tree)
      : terms_(terms), reductions_(reductions), tree_(tree) {}

  void run(NodeId root) {
    count(root, 0);
    if (operations_.size() <= kMostOperations) {
      tree_.value = text(root, nullptr, true);
      return;
    }
    tree_.value = toString(pool(), terms_.affine(), root, 5, 24);
    for (const NodeId node : operations_)
      ++tree_.operations[nameOf(pool().node(node))];
  }

private:
  const Pool &pool() const { return terms_.pool(); }

  /// How often each part is used: what is used twice gets a name.
  void count(NodeId node, int depth) {
    if (depth > kDeepest)
      throw DomainError("an expression this deep is not shown");
    if (++uses_[node] > 1 || isLeaf(pool().node(node).kind))
      return;
    operations_.push_back(node);
    if (const Reduction *reduction = reductions_.at(node)) {
      for (const NodeId part : reduction->first)
        count(part, depth + 1);
      return;
    }
    const std::vector<NodeId> args(pool().args(node).begin(), pool().args(node).end());
    for (const NodeId part : args)
      count(part, depth + 1);
  }

  std::string nameOf(const Node &n) const {
    return n.kind == Kind::Approx ? pool().approximations.at(n.payload) : std::string(name(n.kind));
  }

  /// `within`: the reduction whose value at position 0 holds the node, where another position has
  /// another one.
  std::string text(NodeId node, const Reduction *within, bool isTop = false) {
    if (within != nullptr && !within->moving.contains(node))
      within = nullptr;
    if (const auto it = names_.find(node); it != names_.end() && within == nullptr)
      return it->second;
    const Node n = pool().node(node);
    if (isLeaf(n.kind))
      return leaf(node, n, within);
    if (within != nullptr)
      return operation(node, within);
    if (const Reduction *reduction = reductions_.at(node))
      return named(node, "s", [&](NamedPart &part) { write(*reduction, node, part); });
    const bool isSmall = n.argCount == 1 && isLeaf(pool().node(pool().args(node)[0]).kind);
    if (!isTop && !isSmall && uses_[node] > 1)
      return named(node, "t", [&](NamedPart &part) { part.text = operation(node, nullptr); });
    return operation(node, nullptr);
  }

  template <class Write> std::string named(NodeId node, const char *letter, Write write) {
    const std::string name = fmt::format("{}{}", letter, ++numbers_[letter]);
    names_[node] = name;
    NamedPart part;
    part.name = name;
    const std::size_t at = tree_.parts.size();
    tree_.parts.emplace_back();
    write(part);
    tree_.parts[at] = std::move(part);
    return name;
  }

  void write(const Reduction &reduction, NodeId root, NamedPart &part) {
    for (const NodeId factor : reduction.first)
      part.text += (part.text.empty() ? "" : " * ") + text(factor, &reduction);
    part.reduction = reduction;
    const bool needsOrder =
        reduction.kind == Reduction::Kind::Sum || reduction.kind == Reduction::Kind::Dot;
    if (needsOrder && reduction.stages.empty())
      part.shape = shape(root);
  }

  std::string leaf(NodeId node, const Node &n, const Reduction *within) {
    const bool moving = within != nullptr;
    const std::string position = !moving               ? ""
                                 : within->stride == 1 ? "k"
                                                       : fmt::format("{}*k", within->stride);
    const auto form = [&](AffineId id) { return formText(pool(), terms_.affine(), id); };
    switch (n.kind) {
    case Kind::Constant:
      return constantText(n);
    case Kind::Input: {
      const std::string at = form(static_cast<AffineId>(pool().node(pool().args(node)[0]).payload));
      return fmt::format("{}[{}]", pool().tensors.at(n.payload),
                         !moving     ? at
                         : at == "0" ? position
                                     : at + " + " + position);
    }
    case Kind::AtLeastZero:
    case Kind::IsZero:
      return fmt::format("{}{} {} 0", form(static_cast<AffineId>(n.payload)),
                         moving ? " - " + position : "", n.kind == Kind::IsZero ? "==" : ">=");
    default:
      return toString(pool(), terms_.affine(), node);
    }
  }

  std::string operation(NodeId node, const Reduction *within) {
    const Node n = pool().node(node);
    const std::vector<NodeId> ids(pool().args(node).begin(), pool().args(node).end());
    if (n.kind == Kind::FAdd && pool().node(ids[1]).kind == Kind::FNeg)
      return difference(ids[0], ids[1], within);
    if (n.kind == Kind::FAdd && pool().node(ids[0]).kind == Kind::FNeg)
      return difference(ids[1], ids[0], within);
    std::vector<std::string> args;
    for (const NodeId id : ids)
      args.push_back(text(id, within));
    const auto list = [&](std::string_view separator) {
      std::string all;
      for (const std::string &arg : args)
        all += (all.empty() ? "" : std::string(separator)) + arg;
      return all;
    };
    switch (n.kind) {
    case Kind::FAdd:
    case Kind::FMul:
    case Kind::FDiv:
    case Kind::FEq:
    case Kind::FLt:
    case Kind::FLe:
      return fmt::format("({})", list(fmt::format(" {} ", name(n.kind))));
    case Kind::FNeg:
      return "-" + args[0];
    case Kind::FConvert:
      return fmt::format("{}{}({})", dsl::name(n.sort.format),
                         n.payload == static_cast<std::uint64_t>(Round::NearestEven)
                             ? ""
                             : fmt::format(".round{}", n.payload),
                         args[0]);
    case Kind::Approx:
      return fmt::format("{}({})", pool().approximations.at(n.payload), list(", "));
    case Kind::Select:
      return fmt::format("(if {} then {} else {})", args[0], args[1], args[2]);
    case Kind::OfBits:
      return pool().node(ids[0]).kind == Kind::Symbol ? args[0] : "of_bits(" + args[0] + ")";
    case Kind::Extract:
      return fmt::format("{}.bits({}, {})", args[0], n.payload, n.sort.width);
    default:
      return fmt::format("{}({})", name(n.kind), list(", "));
    }
  }

  std::string difference(NodeId from, NodeId negated, const Reduction *within) {
    const NodeId what = pool().args(negated)[0];
    return fmt::format("({} - {})", text(from, within), text(what, within));
  }

  /// The smallest part of the tree that holds position 0 and several others, by positions.
  std::string shape(NodeId root) {
    const auto tree = foldTreeAt(terms_, root);
    const Reduction *reduction = reductions_.at(root);
    std::map<Folded, std::int64_t> positions;
    for (const Folded &value : tree->values) {
      const auto motion = motionOf(terms_, reduction->first, value);
      positions[value] = motion->distance.value_or(0) / reduction->stride;
    }
    NodeId at = positions.contains(reduction->first) && tree->users.contains(reduction->first[0])
                    ? reduction->first[0]
                    : userOf(*tree, reduction->first);
    std::string text = byPosition(*tree, positions, at);
    for (std::size_t size = 0; size < kShownValues && tree->users.contains(at); ++size) {
      at = tree->users.at(at).front();
      std::string more = byPosition(*tree, positions, at);
      if (more.size() > 240)
        break;
      text = std::move(more);
    }
    return text;
  }

  /// The operation that folds the value: a fused step with it, or what takes its product.
  NodeId userOf(const FoldTree &tree, const Folded &value) {
    for (const NodeId node : tree.inside) {
      const auto args = pool().args(node);
      if (value.size() == 2 && pool().node(node).kind == Kind::FFma && args[0] == value[0] &&
          args[1] == value[1])
        return node;
    }
    return value.size() == 2 ? terms_.fmul(tree.format, value[0], value[1]) : value[0];
  }

  std::string byPosition(const FoldTree &tree, const std::map<Folded, std::int64_t> &positions,
                         NodeId node) {
    const Node n = pool().node(node);
    const std::vector<NodeId> args(pool().args(node).begin(), pool().args(node).end());
    const auto value = [&](const Folded &folded) {
      const auto it = positions.find(folded);
      return it == positions.end() ? std::string("?") : fmt::format("v[{}]", it->second);
    };
    if (!tree.inside.contains(node)) {
      if (n.kind == Kind::Constant)
        return constantText(n);
      return n.kind == Kind::FMul && positions.contains(args) ? value(args) : value({node});
    }
    if (n.kind == Kind::FFma)
      return fmt::format("fused({}, {})", byPosition(tree, positions, args[2]),
                         value({args[0], args[1]}));
    return fmt::format("({} + {})", byPosition(tree, positions, args[0]),
                       byPosition(tree, positions, args[1]));
  }

  Terms &terms_;
  KnownReductions &reductions_;
  OutputTree &tree_;
  std::map<NodeId, int> uses_;
  std::vector<NodeId> operations_;
  std::map<NodeId, std::string> names_;
  std::map<std::string, int> numbers_;
};

} // namespace

const Reduction *KnownReductions::at(NodeId node) {
  const auto it = found_.find(node);
  if (it != found_.end())
    return it->second ? &*it->second : nullptr;
  std::optional<Reduction> &found = found_[node];
  if (wasted_ > kMostWasted)
    return nullptr;
  std::optional<FoldTree> tree = foldTreeAt(terms_, node);
  if (!tree)
    return nullptr;
  const std::size_t values = tree->values.size();
  found = reductionOf(terms_, std::move(*tree));
  wasted_ += found ? 0 : values;
  return found ? &*found : nullptr;
}

void writeValue(Terms &terms, KnownReductions &reductions, NodeId root, OutputTree &tree) {
  Writer(terms, reductions, tree).run(root);
}

std::uint32_t Shapes::of(NodeId node, int depth) {
  if (depth > kDeepest)
    throw DomainError("an expression this deep is not shown");
  if (const auto it = known_.find(node); it != known_.end())
    return it->second;
  const Node n = terms_.pool().node(node);
  std::vector<std::uint64_t> key = {static_cast<std::uint64_t>(n.kind),
                                    static_cast<std::uint64_t>(n.sort.format), n.sort.width};
  std::vector<NodeId> parts;
  if (const Reduction *reduction = reductions_.at(node)) {
    std::string order = std::to_string(reduction->length);
    for (const std::string &stage : reduction->stages)
      order += " | " + stage;
    key.push_back(orders_.emplace(order, orders_.size()).first->second);
    parts = reduction->first;
  } else if (n.kind == Kind::Input) {
    key.push_back(n.payload);
  } else if (n.kind != Kind::Integer && n.kind != Kind::AtLeastZero && n.kind != Kind::IsZero) {
    key.push_back(n.payload);
    parts.assign(terms_.pool().args(node).begin(), terms_.pool().args(node).end());
  }
  std::vector<std::uint64_t> shapes;
  for (const NodeId part : parts)
    shapes.push_back(of(part, depth + 1));
  const bool commutes = n.kind == Kind::FAdd || n.kind == Kind::FMul || n.kind == Kind::FMax ||
                        n.kind == Kind::FMin || n.kind == Kind::FFma;
  if ((commutes || reductions_.at(node) != nullptr) && shapes.size() >= 2)
    std::sort(shapes.begin(), shapes.begin() + 2);
  key.insert(key.end(), shapes.begin(), shapes.end());
  const std::uint32_t number =
      numbers_.emplace(key, static_cast<std::uint32_t>(numbers_.size())).first->second;
  known_[node] = number;
  return number;
}

} // namespace ordo::verify
