// A recursive-descent parser of the canonical spelling of orders:
//   order  = stage { "|" stage }
//   stage  = head { ".from(" number ")" | ".pad(" number ")" } [ ":" type ]
//   head   = "seq" [ size ] | "lanes(" n [ "," w ] ")" | "mid" [ size ] [ ".leaf" size ] | …
#include "dsl/order/order.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace ordo::dsl {

namespace {

using Kind = Stage::Kind;

std::optional<Kind> kindNamed(std::string_view word) {
  constexpr std::pair<std::string_view, Kind> kKinds[] = {
      {"seq", Kind::Seq}, {"lanes", Kind::Lanes}, {"pairs", Kind::Pairs}, {"halves", Kind::Halves},
      {"mid", Kind::Mid}, {"fma", Kind::Fma},     {"mma", Kind::Mma},     {"first", Kind::First},
  };
  for (const auto &[name, kind] : kKinds)
    if (name == word)
      return kind;
  return std::nullopt;
}

class Parser {
public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::optional<Order> order() {
    Order result;
    do {
      Stage stage;
      if (!parseStage(stage))
        return std::nullopt;
      result.stages.push_back(stage);
    } while (take('|'));
    if (place_ != text_.size()) {
      fail("expected `|` and a stage, or the end");
      return std::nullopt;
    }
    return result;
  }

  const std::string &error() const { return error_; }

private:
  bool parseStage(Stage &stage) {
    const std::size_t begin = skipSpace();
    const std::string_view spelt = word();
    const std::optional<Kind> kind = kindNamed(spelt);
    if (!kind) {
      place_ = begin;
      return fail("expected a stage: seq, lanes, pairs, halves, mid, fma, mma or first");
    }
    stage.kind = *kind;
    return parseSizes(stage) && parseSuffixes(stage) && parseRounding(stage);
  }

  bool parseSizes(Stage &stage) {
    const bool required = stage.kind == Kind::Lanes || stage.kind == Kind::First;
    if (!take('('))
      return required ? fail("expected `(` and a size") : true;
    if (!parseSize(stage.n))
      return false;
    if (stage.kind == Kind::Lanes && take(',') && !parseSize(stage.w))
      return false;
    return take(')') || fail("expected `)`");
  }

  bool parseSuffixes(Stage &stage) {
    bool leaf = false;
    while (take('.')) {
      const std::size_t begin = skipSpace();
      const std::string_view spelt = word();
      bool fine = false;
      if (spelt == "leaf" && stage.kind == Kind::Mid && !leaf) {
        leaf = true;
        fine = parenthesised([&] { return parseSize(stage.leaf); });
      } else if (spelt == "from" && !stage.start) {
        fine = parenthesised([&] { return parseNumber(stage.start); });
      } else if (spelt == "pad" && !stage.pad) {
        fine = parenthesised([&] { return parseNumber(stage.pad); });
      } else {
        place_ = begin;
        return fail("expected `from`, `pad` or, after `mid`, `leaf`, each at most once");
      }
      if (!fine)
        return false;
    }
    return true;
  }

  bool parseRounding(Stage &stage) {
    if (!take(':'))
      return true;
    const std::size_t begin = skipSpace();
    stage.round = dtypeFromName(word());
    if (stage.round)
      return true;
    place_ = begin;
    return fail("expected a type to round to, such as f32 or bf16");
  }

  template <class Inner> bool parenthesised(Inner inner) {
    if (!take('('))
      return fail("expected `(`");
    return inner() && (take(')') || fail("expected `)`"));
  }

  bool parseSize(std::int64_t &size) {
    skipSpace();
    const char *begin = text_.data() + place_;
    const auto [end, status] = std::from_chars(begin, text_.data() + text_.size(), size);
    if (status != std::errc() || size < 1 || size > kMaxStageSize)
      return fail(fmt::format("expected a size from 1 to {}", kMaxStageSize));
    place_ += static_cast<std::size_t>(end - begin);
    return true;
  }

  bool parseNumber(std::optional<double> &number) {
    skipSpace();
    double value = 0.0;
    const char *begin = text_.data() + place_;
    const auto [end, status] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (status != std::errc())
      return fail("expected a number that a double can hold, such as 0.0, -0.0 or -inf");
    number = value;
    place_ += static_cast<std::size_t>(end - begin);
    return true;
  }

  std::size_t skipSpace() {
    while (place_ < text_.size() && (text_[place_] == ' ' || text_[place_] == '\t' ||
                                     text_[place_] == '\n' || text_[place_] == '\r'))
      ++place_;
    return place_;
  }

  bool take(char expected) {
    skipSpace();
    if (place_ == text_.size() || text_[place_] != expected)
      return false;
    ++place_;
    return true;
  }

  std::string_view word() {
    const std::size_t begin = place_;
    const auto isWord = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
    while (place_ < text_.size() && isWord(text_[place_]))
      ++place_;
    return text_.substr(begin, place_ - begin);
  }

  /// Keeps the first reason; always false.
  bool fail(std::string_view reason) {
    if (error_.empty())
      error_ = fmt::format("column {}: {}", place_ + 1, reason);
    return false;
  }

  std::string_view text_;
  std::size_t place_ = 0;
  std::string error_;
};

} // namespace

std::optional<Order> parseOrder(const std::string &text, std::string *error) {
  Parser parser(text);
  std::optional<Order> order = parser.order();
  if (!order && error)
    *error = parser.error();
  return order;
}

} // namespace ordo::dsl
