// docs/orders.md stays true: its spellings parse, and each drawing marked
//   <!-- order: ORDER @ LENGTH -->
//   <!-- difference: ORDER @ ORDER -->
// and followed by a text block or a picture is what the library draws.
//   bazel run //tests/unit/dsl/order:docs_test
// rewrites the drawings; review the difference as code.
#include "dsl/order/difference.h"
#include "dsl/order/draw.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace ordo::dsl {
namespace {

const std::string kPage = "docs/orders.md";
const std::string kMark = "<!-- order: ";
const std::string kDifferenceMark = "<!-- difference: ";

std::string folder() {
  const char *workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  return workspace ? std::string(workspace) + "/" : "";
}

bool blessing() { return !folder().empty(); }

std::string contents(const std::string &path) {
  std::ifstream file(folder() + path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void write(const std::string &path, const std::string &text) {
  std::ofstream(folder() + path, std::ios::binary) << text;
}

Order parsed(const std::string &text) {
  std::string error;
  const auto order = parseOrder(text, &error);
  EXPECT_TRUE(order) << text << ": " << error;
  return order.value_or(Order{});
}

struct Drawing {
  Order order;
  std::int64_t length = 0;
};

Drawing marked(const std::string &line) {
  const std::size_t at = line.rfind(" @ ");
  return {parsed(line.substr(kMark.size(), at - kMark.size())), std::atoll(line.c_str() + at + 3)};
}

std::string drawnDifference(const std::string &line) {
  const std::size_t at = line.rfind(" @ ");
  const Order a = parsed(line.substr(kDifferenceMark.size(), at - kDifferenceMark.size()));
  const Order b = parsed(line.substr(at + 3, line.rfind(" -->") - at - 3));
  return drawDifference(a, b, firstDifference(a, b));
}

/// The page with every marked text block as it is drawn today; pictures are handed to `picture`.
template <class Picture> std::string redrawn(const std::string &page, Picture picture) {
  std::istringstream lines(page);
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    result += line + "\n";
    const bool isDifference = line.starts_with(kDifferenceMark);
    if (!line.starts_with(kMark) && !isDifference)
      continue;
    const Drawing drawing = isDifference ? Drawing{} : marked(line);
    std::string next;
    std::getline(lines, next);
    result += next + "\n";
    if (!next.starts_with("```")) {
      const std::size_t at = next.find("](") + 2;
      picture("docs/" + next.substr(at, next.rfind(')') - at), drawing);
      continue;
    }
    while (std::getline(lines, next) && !next.starts_with("```")) {
    }
    result += isDifference ? drawnDifference(line) : drawText(drawing.order, drawing.length);
    result += next + "\n";
  }
  return result;
}

TEST(OrdersPage, DrawingsAreCurrent) {
  const std::string page = contents(kPage);
  int pictures = 0;
  const std::string today = redrawn(page, [&](const std::string &path, const Drawing &drawing) {
    ++pictures;
    const std::string svg = drawSvg(drawing.order, drawing.length);
    if (blessing())
      write(path, svg);
    EXPECT_EQ(contents(path), svg) << path;
  });
  if (blessing())
    write(kPage, today);
  EXPECT_EQ(contents(kPage), today);
  EXPECT_EQ(pictures, 2);
}

TEST(OrdersPage, SpellingsInTablesParse) {
  std::istringstream lines(contents(kPage));
  int spellings = 0;
  bool hasOthers = false; // tables of rules, whose sizes are letters, and of atoms
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("## "))
      hasOthers = line == "## Normal forms" || line == "## Matrix units";
    if (hasOthers || !line.starts_with("| `"))
      continue;
    std::size_t end = 2;
    while ((end = line.find(" | ", end)) != std::string::npos && line[end - 1] == '\\')
      ++end;
    std::istringstream cell(line.substr(0, end));
    std::string text;
    std::getline(cell, text, '`');
    while (std::getline(cell, text, '`')) {
      std::erase(text, '\\');
      std::string error;
      EXPECT_TRUE(parseOrder(text, &error)) << text << ": " << error;
      ++spellings;
      std::getline(cell, text, '`'); // what stands between two spellings
    }
  }
  EXPECT_EQ(spellings, 26);
}

} // namespace
} // namespace ordo::dsl
