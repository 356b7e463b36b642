#include "dsl/order/difference.h"

#include "dsl/order/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ordo::dsl {

namespace {

using Id = Expressions::Id;
using Kind = Expressions::Kind;
using Node = Expressions::Node;

constexpr std::size_t kWholeElements = 8; // an expression with more is summed up
constexpr double kWholeText = 44;         // so is one with more characters
constexpr std::size_t kWholePath = 8;     // a longer way down is shown by its two ends

/// Both expressions at one length, in one table.
struct Pair {
  Expressions expressions;
  Id a = 0;
  Id b = 0;

  Pair(const Order &first, const Order &second, std::int64_t length) {
    expressions.reset(length);
    a = expressions.fold(stepsOf(first)).front();
    b = expressions.fold(stepsOf(second)).front();
  }
};

std::vector<Id> operandsOf(const Node &node) {
  switch (node.kind) {
  case Kind::Element:
  case Kind::Literal:
    return {};
  case Kind::Round:
    return {node.left};
  default:
    return {node.left, node.right};
  }
}

bool sameOperation(const Node &a, const Node &b) { return a.kind == b.kind && a.type == b.type; }

/// Down while one operand alone differs.
std::vector<std::uint8_t> pathOf(const Pair &pair) {
  std::vector<std::uint8_t> path;
  Id a = pair.a;
  Id b = pair.b;
  while (sameOperation(pair.expressions.node(a), pair.expressions.node(b))) {
    const std::vector<Id> left = operandsOf(pair.expressions.node(a));
    const std::vector<Id> right = operandsOf(pair.expressions.node(b));
    std::vector<std::uint8_t> differing;
    for (std::size_t i = 0; i < left.size(); ++i)
      if (left[i] != right[i])
        differing.push_back(static_cast<std::uint8_t>(i));
    if (differing.size() != 1)
      break;
    path.push_back(differing.front());
    a = left[differing.front()];
    b = right[differing.front()];
  }
  return path;
}

class DifferenceDrawing {
public:
  DifferenceDrawing(const Order &a, const Order &b, const Difference &difference,
                    const DrawOptions &options)
      : a_(a), b_(b), pair_(a, b, difference.comparison.length), difference_(difference),
        options_(options) {
    const Stage::Kind first = a.stages.front().kind;
    const bool products = first == Stage::Kind::Fma || first == Stage::Kind::Mma;
    letter_ = products && options.element == "v" ? "p" : options.element;
  }

  std::string draw() {
    const Comparison &comparison = difference_.comparison;
    Rows rows{{toString(a_), toString(b_)}, {"", ""}};
    for (const auto &row : below(pair_.a, pair_.b, 0))
      rows.push_back(row);
    std::size_t width = 0;
    for (const auto &[left, right] : rows)
      width = std::max(width, static_cast<std::size_t>(characters(left)));
    std::string text =
        fmt::format("{} at {} element{}\n\n", comparison.isFirst ? "first part" : "part",
                    grouped(comparison.length), comparison.length == 1 ? "" : "s");
    for (const auto &[left, right] : rows) {
      const auto used = static_cast<std::size_t>(characters(left));
      std::string line = fmt::format("{}{}   {}", left, std::string(width - used, ' '), right);
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + '\n';
    }
    return text;
  }

private:
  using Rows = std::vector<std::pair<std::string, std::string>>;

  /// What hangs below a node's line: branches before the first line, bars before the others.
  static void hang(Rows &rows, const Rows &operand, bool isLast) {
    for (std::size_t i = 0; i < operand.size(); ++i) {
      const std::string before = i == 0 ? (isLast ? "└─ " : "├─ ") : (isLast ? "   " : "│  ");
      const auto &[left, right] = operand[i];
      rows.emplace_back(left.empty() ? "" : before + left, right.empty() ? "" : before + right);
    }
  }

  /// From the node that `depth` steps of the path lead to, down to where the expressions part.
  /// Recurses over the levels that are shown.
  Rows below(Id a, Id b, std::size_t depth) const {
    const std::vector<std::uint8_t> &path = difference_.path;
    if (depth == path.size())
      return parted(a, b);
    if (path.size() > kWholePath && depth == 2) {
      const std::size_t skipped = path.size() - 5;
      for (; depth < 2 + skipped; ++depth) {
        a = operandsOf(pair_.expressions.node(a))[path[depth]];
        b = operandsOf(pair_.expressions.node(b))[path[depth]];
      }
      const std::string text =
          fmt::format("⋮ {} operations", grouped(static_cast<std::int64_t>(skipped)));
      Rows rows{{text, text}};
      hang(rows, below(a, b, depth), true);
      return rows;
    }
    const std::vector<Id> left = operandsOf(pair_.expressions.node(a));
    const std::vector<Id> right = operandsOf(pair_.expressions.node(b));
    Rows rows{{operation(a), operation(b)}};
    for (std::size_t i = 0; i < left.size(); ++i)
      hang(rows,
           i == path[depth] ? below(left[i], right[i], depth + 1)
                            : Rows{{summary(left[i]), "alike"}},
           i + 1 == left.size());
    return rows;
  }

  Rows parted(Id a, Id b) const {
    const std::vector<Id> left = operandsOf(pair_.expressions.node(a));
    const std::vector<Id> right = operandsOf(pair_.expressions.node(b));
    Rows rows{{(left.empty() ? summary(a) : operation(a)) + "   ◂",
               (right.empty() ? summary(b) : operation(b)) + "   ◂"}};
    const std::size_t most = std::max(left.size(), right.size());
    for (std::size_t i = 0; i < most; ++i) {
      const auto side = [&](const std::vector<Id> &operands) {
        if (i >= operands.size())
          return std::string();
        return (i + 1 == operands.size() ? "└─ " : "├─ ") + summary(operands[i]);
      };
      rows.emplace_back(side(left), side(right));
    }
    return rows;
  }

  std::string operation(Id id) const {
    const Node &node = pair_.expressions.node(id);
    switch (node.kind) {
    case Kind::Merge:
      return options_.operation;
    case Kind::Round:
      return std::string(name(node.type));
    case Kind::Fma:
      return "fma";
    default:
      return "mma";
    }
  }

  /// The elements below a node, in the order in which they stand.
  std::vector<std::int64_t> elementsBelow(Id id) const {
    std::vector<std::int64_t> elements;
    std::vector<Id> pending{id};
    while (!pending.empty()) {
      const Node &node = pair_.expressions.node(pending.back());
      pending.pop_back();
      if (node.kind == Kind::Element)
        elements.push_back(node.left);
      const std::vector<Id> operands = operandsOf(node);
      pending.insert(pending.end(), operands.rbegin(), operands.rend());
    }
    return elements;
  }

  std::string element(std::int64_t index) const { return fmt::format("{}{}", letter_, index); }

  std::string summary(Id id) const {
    const std::vector<std::int64_t> elements = elementsBelow(id);
    if (elements.size() <= kWholeElements && shallow(id)) {
      const std::string text = whole(id);
      const bool bare = text.starts_with('(') && text.ends_with(')');
      if (characters(text) <= kWholeText)
        return bare ? text.substr(1, text.size() - 2) : text;
    }
    if (elements.empty())
      return "starts and pads alone";
    const bool consecutive =
        std::ranges::adjacent_find(
            elements, [](std::int64_t x, std::int64_t y) { return y != x + 1; }) == elements.end();
    std::string text = element(elements.front());
    for (std::size_t i = 1; i < std::min<std::size_t>(3, elements.size()) && !consecutive; ++i)
      text += " " + element(elements[i]);
    return fmt::format("{} … {} ({} elements)", text, element(elements.back()),
                       grouped(static_cast<std::int64_t>(elements.size())));
  }

  /// Pads and starts can make a small expression long.
  bool shallow(Id id) const {
    std::vector<Id> pending{id};
    std::size_t seen = 0;
    for (; !pending.empty() && seen <= 4 * kWholeElements; ++seen) {
      const Id next = pending.back();
      pending.pop_back();
      const std::vector<Id> operands = operandsOf(pair_.expressions.node(next));
      pending.insert(pending.end(), operands.begin(), operands.end());
    }
    return seen <= 4 * kWholeElements;
  }

  /// Small expressions only: recursive.
  std::string whole(Id id) const {
    const Node &node = pair_.expressions.node(id);
    switch (node.kind) {
    case Kind::Element:
      return element(node.left);
    case Kind::Literal:
      return literalText(pair_.expressions.literalValue(id));
    case Kind::Merge: {
      const std::string &op = options_.operation;
      const bool word = !op.empty() && std::isalpha(static_cast<unsigned char>(op[0])) != 0;
      return fmt::format(fmt::runtime(word ? "{1}({0}, {2})" : "({0} {1} {2})"), whole(node.left),
                         op, whole(node.right));
    }
    case Kind::Round:
      return fmt::format("{}({})", name(node.type), summary(node.left));
    default:
      return fmt::format("{}({}, {})", operation(id), whole(node.left), whole(node.right));
    }
  }

  const Order &a_;
  const Order &b_;
  Pair pair_;
  const Difference &difference_;
  const DrawOptions &options_;
  std::string letter_;
};

} // namespace

Difference firstDifference(const Order &a, const Order &b, const Lengths &lengths,
                           const Facts &facts, std::int64_t work) {
  Difference difference;
  difference.comparison = compare(a, b, lengths, facts, work);
  if (difference.comparison.verdict == Verdict::Different)
    difference.path = pathOf(Pair(a, b, difference.comparison.length));
  return difference;
}

std::string drawDifference(const Order &a, const Order &b, const Difference &difference,
                           const DrawOptions &options) {
  const Comparison &comparison = difference.comparison;
  switch (comparison.verdict) {
  case Verdict::Equal:
    return "equal\n";
  case Verdict::Unknown:
    return fmt::format("unknown: alike at every length up to {} compared, and not proven alike "
                       "beyond\n",
                       grouped(comparison.compared));
  case Verdict::Different:
    break;
  }
  return DifferenceDrawing(a, b, difference, options).draw();
}

} // namespace ordo::dsl
