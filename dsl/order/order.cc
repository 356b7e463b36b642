#include "dsl/order/order.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace ordo::dsl {

namespace {

using Kind = Stage::Kind;

bool sameBits(const std::optional<double> &a, const std::optional<double> &b) {
  if (!a || !b)
    return a.has_value() == b.has_value();
  return std::bit_cast<std::uint64_t>(*a) == std::bit_cast<std::uint64_t>(*b);
}

/// The stage without its suffixes.
std::string headText(const Stage &stage) {
  const auto sized = [&](std::string_view word) {
    return stage.n == 0 ? std::string(word) : fmt::format("{}({})", word, stage.n);
  };
  switch (stage.kind) {
  case Kind::Seq:
    return sized("seq");
  case Kind::Lanes:
    return stage.w == 1 ? fmt::format("lanes({})", stage.n)
                        : fmt::format("lanes({}, {})", stage.n, stage.w);
  case Kind::Pairs:
    return sized("pairs");
  case Kind::Halves:
    return sized("halves");
  case Kind::Mid:
    return stage.leaf == 1 ? sized("mid") : fmt::format("{}.leaf({})", sized("mid"), stage.leaf);
  case Kind::Fma:
    return sized("fma");
  case Kind::Mma:
    return sized("mma");
  case Kind::First:
    return fmt::format("first({})", stage.n);
  }
  return "";
}

bool isFused(Kind kind) { return kind == Kind::Fma || kind == Kind::Mma; }

/// Tree-shaped within a run: no first step that a start could feed.
bool isTree(Kind kind) { return kind == Kind::Pairs || kind == Kind::Halves || kind == Kind::Mid; }

std::optional<std::string> badSize(const Stage &stage) {
  const std::string text = toString(stage);
  const bool needsSize = stage.kind == Kind::Lanes || stage.kind == Kind::First;
  if (needsSize && stage.n < 1)
    return fmt::format("`{}` needs a size of 1 or more", text);
  if (stage.n < 0 || stage.w < 1 || stage.leaf < 1)
    return fmt::format("`{}` has a size below 1", text);
  if (stage.n > kMaxStageSize || stage.w > kMaxStageSize || stage.leaf > kMaxStageSize)
    return fmt::format("`{}` has a size above {}", text, kMaxStageSize);
  if (stage.kind != Kind::Lanes && stage.w != 1)
    return fmt::format("`{}` cannot have a run width; only `lanes(n, w)` has one", text);
  if (stage.kind != Kind::Mid && stage.leaf != 1)
    return fmt::format("`{}` cannot have a leaf; only `mid.leaf(n)` has one", text);
  return std::nullopt;
}

std::optional<std::string> badSuffix(const Stage &stage) {
  const std::string text = toString(stage);
  if (stage.kind == Kind::First && (stage.start || stage.pad || stage.round))
    return fmt::format("`{}` folds nothing that a suffix could change; give it to the next stage",
                       text);
  if (stage.start && isTree(stage.kind))
    return fmt::format(
        "`{}` cannot start from a value: its runs are trees, not chains; give `.from` to a "
        "`seq`, `lanes`, `fma` or `mma` stage",
        text);
  if (stage.pad && isFused(stage.kind))
    return fmt::format(
        "`{}` cannot be padded: it takes products, and which operands would give the pad is "
        "not stated; a short run simply ends",
        text);
  if (stage.pad && stage.kind == Kind::Seq && stage.isTotal())
    return "`seq.pad` has no short run to pad; `seq(n).pad` has";
  const std::int64_t run = stage.n * (stage.kind == Kind::Lanes ? stage.w : 1);
  if (stage.pad && run > kMaxPaddedRun)
    return fmt::format("`{}` pads runs of {}; at most {} can be padded", text, run, kMaxPaddedRun);
  if ((stage.start && std::isnan(*stage.start)) || (stage.pad && std::isnan(*stage.pad)))
    return fmt::format("`{}` starts from or pads with a NaN, which would be its only result", text);
  return std::nullopt;
}

std::optional<std::string> badRounding(const Stage &stage) {
  if (!stage.round)
    return std::nullopt;
  switch (*stage.round) {
  case DType::F64:
  case DType::F32:
  case DType::F16:
  case DType::BF16:
    return std::nullopt;
  default:
    return fmt::format("`{}` rounds to {}; a stage rounds to f64, f32, f16 or bf16",
                       toString(stage), name(*stage.round));
  }
}

/// What the runs of a stage hold: what `first` may shorten. 0: the stage has no runs of values.
std::int64_t runLength(const Stage &stage) {
  if (stage.kind == Kind::Lanes)
    return stage.w;
  return stage.kind == Kind::First || isFused(stage.kind) ? 0 : stage.n;
}

std::optional<std::string> badFirst(const Stage &first, const Stage *next) {
  const std::string text = toString(first);
  if (!next)
    return fmt::format("`{}` shortens the first run of the next stage, and there is none; end with "
                       "a stage with runs and a total one, as in `{} | seq({}) | seq`",
                       text, text, first.n);
  if (runLength(*next) == 0)
    return fmt::format("`{}` shortens the first run of the next stage, and `{}` has no runs of "
                       "values; it goes before `seq(n)`, `pairs(n)`, `halves(n)`, `mid(n)` or "
                       "`lanes(n, w)`",
                       text, toString(*next));
  if (first.n > runLength(*next))
    return fmt::format("`{}` takes more than a run of `{}`, which has {}", text, toString(*next),
                       runLength(*next));
  if (next->kind == Kind::Lanes && next->pad)
    return fmt::format("`{}` before `{}`: whether the pad would fill the short run or the end of "
                       "its lane is not stated",
                       text, toString(*next));
  return std::nullopt;
}

std::optional<std::string> badPlace(const Order &order, std::size_t i) {
  const Stage &stage = order.stages[i];
  const Stage *next = i + 1 < order.stages.size() ? &order.stages[i + 1] : nullptr;
  if (stage.kind == Kind::First)
    return badFirst(stage, next);
  if (isFused(stage.kind) && i != 0)
    return fmt::format("`{}` takes products and can only be the first stage", toString(stage));
  const bool last = i + 1 == order.stages.size();
  if (!last && stage.isTotal())
    return fmt::format(
        "`{}` already leaves one value; `{}` after it has nothing to do; remove it, or give "
        "`{}` a run length",
        toString(stage), toString(order.stages[i + 1]), toString(stage));
  if (last && !stage.isTotal())
    return fmt::format(
        "`{}` does not end in a total stage, so a long enough sequence leaves several values; "
        "end with `| seq`, `| pairs`, `| halves` or `| mid`",
        toString(order));
  return std::nullopt;
}

std::int64_t divideUp(std::int64_t a, std::int64_t b) { return a / b + (a % b != 0); }

} // namespace

/// The shortest decimal that reads back as the same double; always with a point, exponent or
/// letter, so that it reads as a floating literal.
std::string literalText(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos)
    text += ".0";
  return text;
}

bool Stage::operator==(const Stage &other) const {
  return kind == other.kind && n == other.n && w == other.w && leaf == other.leaf &&
         round == other.round && sameBits(start, other.start) && sameBits(pad, other.pad);
}

std::string toString(const Stage &stage) {
  std::string text = headText(stage);
  if (stage.start)
    text += fmt::format(".from({})", literalText(*stage.start));
  if (stage.pad)
    text += fmt::format(".pad({})", literalText(*stage.pad));
  if (stage.round)
    text += fmt::format(": {}", name(*stage.round));
  return text;
}

std::string toString(const Order &order) {
  std::string text;
  for (const Stage &stage : order.stages) {
    if (!text.empty())
      text += " | ";
    text += toString(stage);
  }
  return text;
}

std::optional<std::string> malformed(const Order &order) {
  if (order.empty())
    return "an order has at least one stage; the plainest is `seq`";
  for (std::size_t i = 0; i < order.stages.size(); ++i) {
    const Stage &stage = order.stages[i];
    for (auto reason : {badSize(stage), badSuffix(stage), badRounding(stage), badPlace(order, i)})
      if (reason)
        return reason;
  }
  return std::nullopt;
}

std::int64_t Step::missing() const { return first == 0 ? 0 : runLength(stage) - first; }

std::vector<Step> stepsOf(const Order &order) {
  std::vector<Step> steps;
  std::int64_t first = 0;
  for (const Stage &stage : order.stages) {
    if (stage.kind == Kind::First) {
      first = stage.n;
      continue;
    }
    steps.push_back({stage, std::exchange(first, 0)});
  }
  return steps;
}

std::string toString(const Step &step) {
  return step.first == 0 ? toString(step.stage)
                         : fmt::format("first({}) | {}", step.first, toString(step.stage));
}

std::int64_t resultLength(const Step &step, std::int64_t length) {
  return length <= 0 ? 0 : resultLength(step.stage, length + step.missing());
}

std::int64_t resultLength(const Stage &stage, std::int64_t length) {
  if (length <= 0)
    return 0;
  if (stage.isTotal())
    return 1;
  switch (stage.kind) {
  case Kind::Lanes:
    return stage.pad ? stage.n : std::min(stage.n, divideUp(length, stage.w));
  case Kind::First:
    return length;
  default:
    return divideUp(length, stage.n);
  }
}

} // namespace ordo::dsl
