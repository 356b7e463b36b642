// The text drawing:
//   1. a headline with the order, the length, additions and depth;
//   2. per stage, how many values go in and come out, and each distinct result once with its count;
//   3. for short sequences, the whole expression.
#include "dsl/order/draw.h"
#include "dsl/order/fold.h"
#include "dsl/order/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace ordo::dsl {

namespace {

using Kind = Stage::Kind;
using Lines = std::vector<std::string>;

constexpr std::int64_t kWholeChain = 6; // longest chain written out

std::string plural(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", grouped(count), noun, count == 1 ? "" : "s");
}

/// ((a[r] + a[r+128]) + a[r+256]) + …
std::string chainText(const Labels &labels, const Group &group) {
  const std::int64_t size = labels.inputs(group);
  std::string text = labels.input(group, 0);
  const std::int64_t shown = size <= kWholeChain ? size : 3;
  for (std::int64_t p = 1; p < shown; ++p)
    text = labels.apply(text, labels.input(group, p));
  if (shown < size)
    text = labels.apply(labels.apply(text, "…"), labels.input(group, size - 1));
  return text;
}

std::string withoutOuterParentheses(const std::string &text) {
  return text.starts_with('(') ? text.substr(1, text.size() - 2) : text;
}

/// `b[0 … 127]`, with what stands for the whole of a run.
std::string spanText(const Labels &labels, const Group &group) {
  const std::int64_t size = labels.inputs(group);
  if (size == 1)
    return labels.input(group, 0);
  return fmt::format("{} … {}", labels.input(group, 0), labels.input(group, size - 1));
}

Lines fusedLines(const Labels &labels, const Group &group, const Stage &stage) {
  const bool fma = stage.kind == Kind::Fma;
  const std::string start = stage.start ? literalText(*stage.start) : fma ? "-0.0" : "+0.0";
  return {fmt::format("{}({})", fma ? "fma" : "mma", spanText(labels, group)),
          fmt::format("{} in turn, from {}",
                      fma ? "acc ← fma(x, y, acc)" : "acc ← atom(acc, next products)", start)};
}

/// How one group's value comes about; the first line completes `a[r] = …`.
Lines formula(const Labels &labels, const Group &group, const Stage &stage) {
  const std::int64_t size = labels.inputs(group);
  if (stage.kind == Kind::Fma || stage.kind == Kind::Mma)
    return fusedLines(labels, group, stage);
  if (size <= 2 || stage.kind == Kind::Seq || stage.kind == Kind::Lanes)
    return {withoutOuterParentheses(chainText(labels, group))};
  Lines lines{fmt::format("{}({})", toString(Stage{stage.kind, 0, 1, stage.leaf, {}, {}, {}}),
                          spanText(labels, group))};
  const Lines details = labels.treeDetails(group);
  lines.insert(lines.end(), details.begin(), details.end());
  return lines;
}

class TextDrawing {
public:
  TextDrawing(const Tree &tree, const DrawOptions &options)
      : tree_(tree), options_(options), labels_(tree, options) {}

  std::string draw() {
    if (!options_.title.empty())
      line("{}", options_.title);
    const TreeStats stats = tree_.stats();
    line("{}   {}, {}, depth {}", toString(tree_.order()), plural(tree_.length(), "element"),
         labels_.operationCount(stats.adds), grouped(stats.depth));
    for (std::size_t stage = 0; stage < tree_.steps().size(); ++stage)
      drawStage(stage);
    if (isShownWhole(tree_, options_))
      drawExpression();
    return std::move(text_);
  }

private:
  template <class... Args> void line(fmt::format_string<Args...> format, Args &&...args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_ += '\n';
  }

  void drawStage(std::size_t stage) {
    const bool last = stage + 1 == tree_.steps().size();
    line("│");
    line("{}─ {}   {} {} → {}", last ? "└" : "├", toString(tree_.steps()[stage]),
         plural(tree_.valueCount(stage), stage == 0 ? "element" : "value"), labels_.letter(stage),
         last ? fmt::format("the result {}", labels_.letter(stage + 1))
              : fmt::format("{} {}", plural(tree_.valueCount(stage + 1), "value"),
                            labels_.letter(stage + 1)));
    const std::string_view bar = last ? " " : "│";
    for (const Group &group : groupsOf(tree_, stage))
      drawGroup(group, bar);
  }

  void drawGroup(const Group &group, std::string_view bar) {
    const Lines lines = formula(labels_, group, tree_.steps()[group.stage].stage);
    line("{}    {} × {} = {}", bar, grouped(group.count), labels_.result(group), lines.front());
    for (std::size_t i = 1; i < lines.size(); ++i)
      line("{}        {}", bar, lines[i]);
    std::string note = labels_.kind(group);
    if (const std::string where = labels_.where(group); !where.empty())
      note = fmt::format("{}; {}", where, note);
    if (group.stage > 0)
      note += fmt::format("; {}", plural(tree_.shape(group.shape).elements, "element"));
    line("{}        {}", bar, note);
    if (const std::string ragged = labels_.raggedInputs(group); !ragged.empty())
      line("{}        ragged: {}", bar, ragged);
  }

  /// Fused runs are written as `fma[p0 p1 …]`, with `fma: bf16[…]` where every step rounds and
  /// `fma[1.5; …]` where a start is written; the other stages as the operations they do.
  void drawExpression() {
    Order rest = tree_.order();
    std::vector<std::string> values;
    for (std::int64_t i = 0; i < tree_.length(); ++i)
      values.push_back(fmt::format("{}{}", labels_.letter(0), i));
    const Stage first = rest.stages.front();
    if (first.kind == Kind::Fma || first.kind == Kind::Mma) {
      values = fusedRuns(first, values);
      rest.stages.erase(rest.stages.begin());
    }
    struct Ops {
      const Labels &labels;
      std::string add(const std::string &a, const std::string &b) const {
        return labels.apply(a, b);
      }
      std::string round(const std::string &a, DType type) const {
        return fmt::format("{}({})", name(type), withoutOuterParentheses(a));
      }
      std::string literal(double value) const { return literalText(value); }
    };
    const auto whole = fold(rest, std::move(values), Ops{labels_});
    line("");
    line("{} = {}", labels_.letter(tree_.steps().size()),
         withoutOuterParentheses(whole.value_or("")));
  }

  static std::vector<std::string> fusedRuns(const Stage &stage,
                                            const std::vector<std::string> &products) {
    const std::size_t n = stage.n == 0 ? products.size() : static_cast<std::size_t>(stage.n);
    std::vector<std::string> runs;
    for (std::size_t begin = 0; begin < products.size(); begin += n) {
      const auto end = products.begin() + std::min(begin + n, products.size());
      const Stage total{stage.kind, 0, 1, 1, stage.round, {}, {}};
      runs.push_back(fmt::format("{}[{}{}]", toString(total),
                                 stage.start ? literalText(*stage.start) + "; " : "",
                                 fmt::join(products.begin() + begin, end, " ")));
    }
    return runs;
  }

  const Tree &tree_;
  const DrawOptions &options_;
  Labels labels_;
  std::string text_;
};

} // namespace

std::string drawText(const Order &order, std::int64_t length, const DrawOptions &options) {
  std::string error;
  const std::optional<Tree> tree = Tree::make(order, length, &error);
  return tree ? TextDrawing(*tree, options).draw() : error + '\n';
}

} // namespace ordo::dsl
