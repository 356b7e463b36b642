// An order at one length as something to look at: text for a terminal, SVG for a page.
//
// Both fold repetition: every distinct shape is shown once with its count, so a row of 152,064
// values takes a dozen lines and milliseconds. Short sequences are shown whole as well.
#pragma once

#include "dsl/order/tree.h"

#include <string>

namespace ordo::dsl {

struct DrawOptions {
  /// `+`, or the name of a two-argument operation such as `max`.
  std::string operation = "+";
  /// Names the elements: v[0], v[1], …; each stage's results get a letter of their own.
  std::string element = "v";
  /// Above the drawing; empty: none.
  std::string title;
  /// Up to this length the text also has the whole expression, and the SVG shows every element.
  std::int64_t wholeLength = 16;
};

/// Several lines of UTF-8, each ended by a newline. For a malformed order, or a length outside
/// [1, Tree::kMaxLength], one line that says what is wrong.
std::string drawText(const Order &order, std::int64_t length, const DrawOptions &options = {});

/// One self-contained SVG document (no scripts, no external fonts or images), sized in CSS pixels.
/// For what cannot be drawn, an SVG that says what is wrong.
std::string drawSvg(const Order &order, std::int64_t length, const DrawOptions &options = {});

} // namespace ordo::dsl
