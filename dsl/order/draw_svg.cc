// The SVG drawing. A page is a headline, one band a stage, and a legend:
//   short orders   one tree of every element across all bands;
//   long orders    in each band a card for every distinct result, with its count.
#include "dsl/order/draw.h"
#include "dsl/order/labels.h"
#include "dsl/order/sketch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace ordo::dsl {

namespace {

using NodeKind = SketchNode::Kind;
using Kind = Stage::Kind;

struct Colour {
  std::string_view ink;  // nodes and the stage's name
  std::string_view tint; // the band
  std::string_view line; // the band's edge, folded subtrees
};

constexpr std::array<Colour, 6> kStageColours{{{"#0f766e", "#f0fdfa", "#99d8cf"},
                                               {"#4338ca", "#eef2ff", "#b4bdf6"},
                                               {"#c2410c", "#fff7ed", "#f6c79b"},
                                               {"#be185d", "#fdf2f8", "#f2b3d1"},
                                               {"#0369a1", "#f0f9ff", "#a5d3ef"},
                                               {"#4d7c0f", "#f7fee7", "#c3df8d"}}};
constexpr std::string_view kInk = "#0f172a";
constexpr std::string_view kSoft = "#64748b";
constexpr std::string_view kEdge = "#94a3b8";

constexpr double kMargin = 28.0;
constexpr double kLabels = 206.0;     // the column that names the stages
constexpr double kPageWidth = 1140.0; // where a row of cards breaks
constexpr double kGap = 16.0;
constexpr double kCardHead = 50.0;

const Colour &colour(std::size_t stage) { return kStageColours[stage % kStageColours.size()]; }

std::string escaped(std::string_view text) {
  std::string result;
  for (char c : text) {
    switch (c) {
    case '&':
      result += "&amp;";
      break;
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    case '"':
      result += "&quot;";
      break;
    default:
      // XML 1.0 has no other control characters.
      result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return result;
}

/// Appends SVG elements.
class Canvas {
public:
  template <class... Args> void raw(fmt::format_string<Args...> format, Args &&...args) {
    fmt::format_to(std::back_inserter(body_), format, std::forward<Args>(args)...);
    body_ += '\n';
  }

  void text(double x, double y, std::string_view style, std::string_view fill,
            std::string_view content) {
    raw(R"(<text x="{:.1f}" y="{:.1f}" class="{}" fill="{}">{}</text>)", x, y, style, fill,
        escaped(content));
  }

  void box(double x, double y, double width, double height, double radius, std::string_view fill,
           std::string_view stroke, bool dashed = false) {
    raw(R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" rx="{:.1f}" fill="{}" stroke="{}"{}/>)",
        x, y, width, height, radius, fill, stroke, dashed ? R"( stroke-dasharray="4 3")" : "");
  }

  std::string document(double width, double height, std::string_view title) const {
    return fmt::format(
        R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0:.0f}" height="{1:.0f}" viewBox="0 0 {0:.0f} {1:.0f}" role="img">
<title>{2}</title>
<style>
text {{ font-family: Inter, 'Helvetica Neue', Helvetica, Arial, 'DejaVu Sans', sans-serif; font-size: 12px }}
.m {{ font-family: 'JetBrains Mono', 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace; font-size: 11px; text-anchor: middle }}
.s {{ font-family: 'JetBrains Mono', 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace; font-size: 14px; font-weight: 600 }}
.h {{ font-family: 'JetBrains Mono', 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace; font-size: 19px; font-weight: 600 }}
.c {{ font-size: 12px; text-anchor: middle }}
.n {{ font-size: 10px; text-anchor: middle }}
.o {{ font-size: 12px; font-weight: 600; text-anchor: middle }}
.b {{ font-size: 12px; font-weight: 600 }}
</style>
<rect width="100%" height="100%" fill="#ffffff"/>
{3}</svg>
)",
        width, height, escaped(title), body_);
  }

private:
  std::string body_;
};

/// Draws one sketch with its top left corner at (x, y).
class SketchPainter {
public:
  SketchPainter(Canvas &canvas, const Sketch &sketch, const DrawOptions &options, double x,
                double y)
      : canvas_(canvas), sketch_(sketch), options_(options), x_(x), y_(y) {}

  void paint(std::string_view resultLabel) {
    for (const SketchNode &node : sketch_.nodes)
      edges(node);
    result(resultLabel);
    for (const SketchNode &node : sketch_.nodes)
      paintNode(node);
  }

private:
  double px(const SketchNode &node) const { return x_ + node.x; }
  double py(const SketchNode &node) const { return y_ + node.y; }

  void edges(const SketchNode &node) {
    for (std::uint32_t id : node.children) {
      const SketchNode &child = sketch_.nodes[id];
      const bool folded = child.kind == NodeKind::Folded;
      const double top = py(child) + (folded ? 34.0 : child.children.empty() ? kTipHeight / 2 : 0);
      const double middle = (top + py(node)) / 2;
      const bool gap = child.kind == NodeKind::Gap;
      canvas_.raw(
          R"(<path d="M{0:.1f} {1:.1f}C{0:.1f} {2:.1f} {3:.1f} {2:.1f} {3:.1f} {4:.1f}" fill="none" stroke="{5}" stroke-width="1.2"{6}/>)",
          px(child), top, middle, px(node), py(node), kEdge,
          gap ? R"( stroke-dasharray="1.5 3.5" stroke-linecap="round")" : "");
    }
  }

  void result(std::string_view label) {
    const SketchNode &root = sketch_.nodes[sketch_.root];
    const double width = characters(label) * 6.7 + 16;
    const double top = y_ + sketch_.height + 2;
    canvas_.raw(R"(<path d="M{0:.1f} {1:.1f}V{2:.1f}" stroke="{3}" stroke-width="1.2"/>)", px(root),
                py(root) + (root.kind == NodeKind::Folded ? 34.0 : 0.0), top, kEdge);
    canvas_.box(px(root) - width / 2, top, width, 22, 11, colour(stageOf(root)).ink, "none");
    canvas_.text(px(root), top + 15, "m", "#ffffff", label);
  }

  std::size_t stageOf(const SketchNode &root) const { return root.stage; }

  void paintNode(const SketchNode &node) {
    switch (node.kind) {
    case NodeKind::Tip:
    case NodeKind::Literal:
      return tip(node);
    case NodeKind::Gap:
      canvas_.text(px(node), py(node) + 1, "o", kSoft, "···");
      return canvas_.text(px(node), py(node) + 12, "n", kSoft, node.label);
    case NodeKind::Folded:
      return folded(node);
    case NodeKind::Merge:
      return merge(node);
    case NodeKind::Fused:
      return fused(node);
    case NodeKind::Round:
      return ring(node, 4.0, "#ffffff");
    }
  }

  void tip(const SketchNode &node) {
    const bool literal = node.kind == NodeKind::Literal;
    const double width = std::max(22.0, characters(node.label) * 6.7 + 10);
    const std::string_view edge =
        literal || node.stage == 0 ? std::string_view("#cbd5e1") : colour(node.stage - 1).line;
    canvas_.box(px(node) - width / 2, py(node) - kTipHeight / 2, width, kTipHeight, 5,
                literal ? "#f1f5f9" : "#ffffff", edge, literal);
    canvas_.text(px(node), py(node) + 4, "m",
                 literal           ? kSoft
                 : node.stage == 0 ? kInk
                                   : colour(node.stage - 1).ink,
                 node.label);
  }

  void folded(const SketchNode &node) {
    const double top = py(node) + 2;
    canvas_.text(px(node), py(node) - 3, "n", kSoft, node.detail);
    canvas_.raw(
        R"(<path d="M{0:.1f} {1:.1f}h46l-23 32z" fill="{2}" stroke="{3}" stroke-linejoin="round"/>)",
        px(node) - 23, top, colour(node.stage).tint, colour(node.stage).line);
    canvas_.text(px(node), top + 12, "n", colour(node.stage).ink, node.label);
    if (node.rounded)
      canvas_.raw(R"(<circle cx="{:.1f}" cy="{:.1f}" r="3.5" fill="#ffffff" stroke="{}"/>)",
                  px(node), top + 32, colour(node.stage).ink);
  }

  void merge(const SketchNode &node) {
    const bool gap = sketch_.nodes[node.children.back()].kind == NodeKind::Gap;
    if (gap) {
      canvas_.raw(
          R"(<circle cx="{:.1f}" cy="{:.1f}" r="8" fill="#ffffff" stroke="{}" stroke-dasharray="2 2.5"/>)",
          px(node), py(node), colour(node.stage).ink);
      return canvas_.text(px(node), py(node) + 4, "o", colour(node.stage).ink, "···");
    }
    if (options_.operation.size() > 1) {
      const double width = characters(options_.operation) * 6.2 + 8;
      canvas_.box(px(node) - width / 2, py(node) - 8, width, 16, 8, colour(node.stage).ink, "none");
      return canvas_.text(px(node), py(node) + 3.5, "n", "#ffffff", options_.operation);
    }
    if (node.rounded)
      ring(node, 10.5, "#ffffff");
    canvas_.raw(R"(<circle cx="{:.1f}" cy="{:.1f}" r="7.5" fill="{}"/>)", px(node), py(node),
                colour(node.stage).ink);
    canvas_.text(px(node), py(node) + 4.2, "o", "#ffffff", options_.operation);
  }

  void ring(const SketchNode &node, double radius, std::string_view fill) {
    canvas_.raw(
        R"(<circle cx="{:.1f}" cy="{:.1f}" r="{:.1f}" fill="{}" stroke="{}" stroke-width="1.2"/>)",
        px(node), py(node), radius, fill, colour(node.stage).ink);
  }

  void fused(const SketchNode &node) {
    const double width = std::max(44.0, characters(node.label) * 6.7 + 14);
    canvas_.box(px(node) - width / 2, py(node) - 10, width, 20, 6, colour(node.stage).ink, "none");
    canvas_.text(px(node), py(node) + 4, "m", "#ffffff", node.label);
  }

  Canvas &canvas_;
  const Sketch &sketch_;
  const DrawOptions &options_;
  double x_;
  double y_;
};

/// One distinct result: count, where it stands, what it is, and its tree.
struct Card {
  Sketch sketch;
  std::string badge;
  std::string where;
  std::string kind;
  std::string resultLabel;
  std::vector<std::string> notes;
  bool ragged = false;

  double width() const {
    double longest = characters(kind);
    for (const std::string &note : notes)
      longest = std::max(longest, characters(note));
    const double text = std::max(longest * 6.0, characters(badge + where) * 6.4 + 40);
    return std::max(sketch.width, text) + 32;
  }
  double height() const {
    return kCardHead + sketch.height + 40 + static_cast<double>(notes.size()) * 16;
  }
};

class SvgDrawing {
public:
  SvgDrawing(const Tree &tree, const DrawOptions &options)
      : tree_(tree), options_(options), labels_(tree, options), stages_(tree.steps().size()) {}

  std::string draw() {
    const bool whole = isShownWhole(tree_, options_);
    headline();
    if (whole)
      drawWhole();
    else
      drawBands();
    legend();
    return canvas_.document(
        width_ + 2 * kMargin, y_ + kMargin,
        fmt::format("{} over {} elements", toString(tree_.order()), grouped(tree_.length())));
  }

private:
  void headline() {
    y_ = kMargin;
    if (!options_.title.empty()) {
      canvas_.text(kMargin, y_ + 14, "b", kSoft, options_.title);
      y_ += 24;
    }
    std::string spans;
    std::size_t characters = 0;
    for (std::size_t stage = 0; stage < stages_; ++stage) {
      const std::string spelt = toString(tree_.steps()[stage]);
      spans += fmt::format(
          R"({}<tspan fill="{}">{}</tspan>)",
          stage == 0 ? "" : fmt::format(R"(<tspan fill="{}">&#160;|&#160;</tspan>)", kEdge),
          colour(stage).ink, escaped(spelt));
      characters += spelt.size() + 3;
    }
    canvas_.raw(R"(<text x="{:.1f}" y="{:.1f}" class="h">{}</text>)", kMargin, y_ + 20, spans);
    const TreeStats stats = tree_.stats();
    canvas_.raw(
        R"(<text x="{:.1f}" y="{:.1f}" fill="{}"><tspan font-weight="600" fill="{}">{}</tspan> element{} &#160;·&#160; <tspan font-weight="600" fill="{}">{}</tspan> &#160;·&#160; depth <tspan font-weight="600" fill="{}">{}</tspan></text>)",
        kMargin, y_ + 44, kSoft, kInk, grouped(tree_.length()), tree_.length() == 1 ? "" : "s",
        kInk, escaped(labels_.operationCount(stats.adds)), kInk, grouped(stats.depth));
    width_ = std::max(width_, static_cast<double>(characters) * 11.6);
    y_ += 62;
  }

  void stageLabel(std::size_t stage, double top) {
    const double x = kMargin + 16;
    canvas_.text(x, top + 26, "s", colour(stage).ink, toString(tree_.steps()[stage]));
    const std::int64_t in = tree_.valueCount(stage);
    const std::int64_t out = tree_.valueCount(stage + 1);
    canvas_.text(
        x, top + 46, "", kSoft,
        fmt::format("{} {}{}", grouped(in), stage == 0 ? "element" : "value", in == 1 ? "" : "s"));
    canvas_.text(x, top + 62, "", kSoft,
                 fmt::format("→ {} value{}", grouped(out), out == 1 ? "" : "s"));
  }

  void drawWhole() {
    const Sketch sketch = sketchWhole(tree_, labels_);
    const double labels = labelWidth();
    width_ = std::max(width_, labels + sketch.width + 2 * kGap);
    double top = 0.0;
    for (std::size_t stage = 0; stage < stages_; ++stage) {
      const bool last = stage + 1 == stages_;
      const double bottom = last ? sketch.height + 50 : sketch.stageBottom[stage] + 10;
      canvas_.box(kMargin, y_ + top, width_, bottom - top, 10, colour(stage).tint,
                  colour(stage).line);
      stageLabel(stage, y_ + top);
      top = bottom;
    }
    const double free = width_ - labels - sketch.width;
    note(sketch);
    SketchPainter(canvas_, sketch, options_, kMargin + labels + free / 2, y_ + 12)
        .paint(labels_.letter(stages_));
    y_ += sketch.height + 62;
  }

  double labelWidth() const {
    std::size_t longest = 14;
    for (const Step &step : tree_.steps())
      longest = std::max(longest, toString(step).size());
    return std::max(kLabels - 30, static_cast<double>(longest) * 8.6 + 40);
  }

  Card cardOf(const Group &group, std::size_t ordinal) {
    Card card;
    card.sketch = sketchGroup(tree_, labels_, group);
    card.badge = fmt::format("× {}", grouped(group.count));
    card.where = group.stage + 1 == stages_ ? "the result" : labels_.where(group);
    card.kind = labels_.kind(group);
    card.resultLabel = labels_.result(group);
    card.ragged = ordinal > 0;
    card.notes = labels_.treeDetails(group);
    if (group.stage > 0)
      card.notes.push_back(fmt::format("{} elements{}", grouped(tree_.shape(group.shape).elements),
                                       group.count == 1 ? "" : " each"));
    if (const std::string ragged = labels_.raggedInputs(group); !ragged.empty())
      card.notes.push_back("ragged: " + ragged);
    return card;
  }

  /// `mid.leaf(n)`: what its leaves look like inside, one card a size.
  void addLeafCards(const Group &group, std::vector<Card> &cards) {
    const Stage &stage = tree_.steps()[group.stage].stage;
    if (stage.kind != Kind::Mid || stage.leaf == 1)
      return;
    for (const auto &[extent, count] : midLeaves(labels_.inputs(group), stage.leaf)) {
      Card card;
      card.sketch = sketchLeaf(tree_, labels_, group.stage, extent);
      card.badge = fmt::format("× {}", grouped(count));
      card.where = "leaves";
      card.kind = fmt::format("left fold of {}{}", extent, stage.round ? ", rounded once" : "");
      card.resultLabel = "leaf";
      cards.push_back(std::move(card));
    }
  }

  void drawBands() {
    std::vector<Band> bands; // first all, since the widest sets the page's width
    for (std::size_t stage = 0; stage < stages_; ++stage)
      bands.push_back(band(stage));
    for (std::size_t stage = 0; stage < stages_; ++stage)
      drawBand(bands[stage], stage);
  }

  /// The cards of one stage, in rows, each row as tall as its tallest card.
  struct Band {
    struct Row {
      std::size_t begin, end;
      double width, height;
    };
    std::vector<Card> cards;
    std::vector<Row> rows;
  };

  Band band(std::size_t stage) {
    Band result;
    for (const Group &group : groupsOf(tree_, stage)) {
      result.cards.push_back(cardOf(group, result.cards.size()));
      addLeafCards(group, result.cards);
    }
    for (std::size_t i = 0; i < result.cards.size(); ++i) {
      const double width = result.cards[i].width() + kGap;
      if (result.rows.empty() || labelWidth() + result.rows.back().width + width > kPageWidth)
        result.rows.push_back({i, i, 0.0, 0.0});
      Band::Row &row = result.rows.back();
      row.end = i + 1;
      row.width += width;
      row.height = std::max(row.height, result.cards[i].height());
      width_ = std::max(width_, labelWidth() + row.width);
    }
    return result;
  }

  void drawBand(const Band &band, std::size_t stage) {
    double height = kGap;
    for (const Band::Row &row : band.rows)
      height += row.height + kGap;
    canvas_.box(kMargin, y_, width_, height, 12, colour(stage).tint, colour(stage).line);
    stageLabel(stage, y_);
    double top = y_ + kGap;
    for (const Band::Row &row : band.rows) {
      double x = kMargin + labelWidth();
      for (std::size_t i = row.begin; i < row.end; ++i) {
        drawCard(band.cards[i], stage, x, top, row.height);
        x += band.cards[i].width() + kGap;
      }
      top += row.height + kGap;
    }
    y_ += height + 12;
  }

  void drawCard(const Card &card, std::size_t stage, double x, double y, double height) {
    const double width = card.width();
    canvas_.box(x, y, width, height, 9, "#ffffff", card.ragged ? colour(stage).line : "#e2e8f0",
                card.ragged);
    canvas_.text(x + 14, y + 21, "b", colour(stage).ink, card.badge);
    canvas_.text(x + 14 + characters(card.badge) * 7.4 + 8, y + 21, "", kSoft, card.where);
    canvas_.text(x + 14, y + 38, "", kInk, card.kind);
    note(card.sketch);
    SketchPainter(canvas_, card.sketch, options_, x + (width - card.sketch.width) / 2,
                  y + kCardHead)
        .paint(card.resultLabel);
    double line = y + kCardHead + card.sketch.height + 42;
    for (const std::string &note : card.notes) {
      canvas_.text(x + 14, line, "", kSoft, note);
      line += 16;
    }
  }

  /// Explains the marks that this drawing uses.
  void legend() {
    double x = kMargin + 4;
    const double y = y_ + 12;
    const auto entry = [&](double mark, std::string_view text) {
      canvas_.text(x + mark + 8, y + 4, "", kSoft, text);
      x += mark + 8 + characters(text) * 6.4 + 18;
    };
    canvas_.raw(R"(<circle cx="{:.1f}" cy="{:.1f}" r="6" fill="{}"/>)", x + 6, y, kSoft);
    entry(12,
          options_.operation == "+" ? "one addition, rounded once" : "one " + options_.operation);
    if (marks_.round) {
      canvas_.raw(
          R"(<circle cx="{0:.1f}" cy="{1:.1f}" r="5" fill="{2}"/><circle cx="{0:.1f}" cy="{1:.1f}" r="8" fill="none" stroke="{2}"/>)",
          x + 8, y, kSoft);
      entry(16, "rounded to the stage's type");
    }
    if (marks_.folded) {
      canvas_.raw(R"(<path d="M{:.1f} {:.1f}h16l-8 12z" fill="#ffffff" stroke="{}"/>)", x, y - 6,
                  kSoft);
      entry(16, "a subtree of so many values");
    }
    if (marks_.gap) {
      canvas_.raw(
          R"(<circle cx="{:.1f}" cy="{:.1f}" r="7" fill="#ffffff" stroke="{}" stroke-dasharray="2 2.5"/>)",
          x + 8, y, kSoft);
      entry(16, "steps left out");
    }
    if (marks_.literal) {
      canvas_.box(x, y - 7, 22, 14, 4, "#f1f5f9", "#94a3b8", true);
      entry(22, "a start or a pad");
    }
    width_ = std::max(width_, x - kMargin);
    y_ += 24;
  }

  void note(const Sketch &sketch) {
    for (const SketchNode &node : sketch.nodes) {
      marks_.round |= node.rounded;
      marks_.folded |= node.kind == NodeKind::Folded;
      marks_.gap |= node.kind == NodeKind::Gap;
      marks_.literal |= node.kind == NodeKind::Literal;
    }
  }

  struct {
    bool round = false, folded = false, gap = false, literal = false;
  } marks_;
  const Tree &tree_;
  const DrawOptions &options_;
  Labels labels_;
  std::size_t stages_;
  Canvas canvas_;
  double width_ = 420.0;
  double y_ = 0.0;
};

std::string refusal(std::string_view reason) {
  Canvas canvas;
  canvas.text(kMargin, 34, "", "#b91c1c", reason);
  return canvas.document(characters(reason) * 6.6 + 2 * kMargin, 56, "not drawn");
}

} // namespace

std::string drawSvg(const Order &order, std::int64_t length, const DrawOptions &options) {
  std::string error;
  const std::optional<Tree> tree = Tree::make(order, length, &error);
  return tree ? SvgDrawing(*tree, options).draw() : refusal(error);
}

} // namespace ordo::dsl
