// Recursive descent, then what holds for the whole.
#include "compiler/verify/signature/launch.h"
#include "compiler/verify/signature/scan.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <set>

namespace ordo::verify {
namespace {

using dsl::Span;

constexpr std::int64_t kLargestNumber = std::int64_t{1} << 40;
constexpr std::int64_t kMostShared = 232448; // of a block of sm_90, opted in
constexpr int kDeepest = 32;

/// Thrown after an error was reported.
struct Stop {};

class Parser {
public:
  Parser(std::uint32_t file, const dsl::SourceManager &sources, dsl::Diagnostics &diagnostics)
      : tokens_(scanLaunch(file, sources, diagnostics)), diagnostics_(diagnostics) {}

  LaunchSignature run() {
    if (diagnostics_.hasErrors())
      throw Stop{};
    do
      argument();
    while (takeMark(","));
    while (takeMark(";"))
      clause();
    if (peek().kind != LaunchToken::Kind::End)
      fail(fmt::format("expected `,`, `;` or the end, found `{}`", peek().text));
    whole();
    return std::move(signature_);
  }

private:
  const LaunchToken &peek() const { return tokens_[next_]; }
  LaunchToken take() { return tokens_[next_ + 1 < tokens_.size() ? next_++ : next_]; }
  bool isMark(std::string_view mark) const {
    return peek().kind == LaunchToken::Kind::Mark && peek().text == mark;
  }
  bool takeMark(std::string_view mark) {
    if (!isMark(mark))
      return false;
    take();
    return true;
  }
  std::string shown() const {
    return peek().kind == LaunchToken::Kind::End ? "the end" : fmt::format("`{}`", peek().text);
  }
  [[noreturn]] void fail(const std::string &message, const std::string &help = "") {
    diagnostics_.error("expected-token", peek().span, message).help = help;
    throw Stop{};
  }
  void expect(std::string_view mark) {
    if (!takeMark(mark))
      fail(fmt::format("expected `{}`, found {}", mark, shown()));
  }
  LaunchToken name(const char *what) {
    if (peek().kind != LaunchToken::Kind::Name)
      fail(fmt::format("expected {}, found {}", what, shown()));
    return take();
  }

  std::int64_t number(std::int64_t least, std::int64_t most) {
    const LaunchToken token = peek();
    if (token.kind != LaunchToken::Kind::Number)
      fail(fmt::format("expected a number, found {}", shown()));
    std::int64_t value = 0;
    const char *const end = token.text.data() + token.text.size();
    const auto [at, error] = std::from_chars(token.text.data(), end, value);
    if (error != std::errc() || at != end || value < least || value > most) {
      diagnostics_.error("bad-number", token.span,
                         fmt::format("expected a whole number from {} to {}", least, most));
      throw Stop{};
    }
    take();
    return value;
  }

  // Arguments.
  void argument() {
    LaunchArgument a;
    const LaunchToken token = name("an argument's name");
    a.name = token.text;
    a.span = token.span;
    if (!names_.insert(a.name).second) {
      diagnostics_.error("duplicate-name", a.span,
                         fmt::format("two arguments are called {}", a.name));
      throw Stop{};
    }
    expect(":");
    a.type = type();
    if (takeMark("[")) {
      a.shape.emplace();
      do
        a.shape->push_back(extent());
      while (takeMark(","));
      expect("]");
      a.isWritten = direction();
    }
    signature_.arguments.push_back(std::move(a));
  }

  dsl::DType type() {
    const LaunchToken token = name("a type");
    const auto found = dsl::dtypeFromName(token.text);
    if (found && dsl::byteSize(*found) != 0)
      return *found;
    diagnostics_.error("unknown-type", token.span, fmt::format("no type is called {}", token.text))
        .help = "f64, f32, f16, bf16, f8e4m3fn, f8e5m2, i32, i64, u32, u64 or bool";
    throw Stop{};
  }

  bool direction() {
    if (peek().kind == LaunchToken::Kind::Name && (peek().text == "in" || peek().text == "out"))
      return take().text == "out";
    if (peek().text == "inout")
      fail("arrays that a kernel both reads and writes are not modelled",
           "an array is `in` (only read) or `out` (only written)");
    fail(fmt::format("expected `in` or `out`, found {}", shown()),
         "say whether the kernel reads the array or writes it");
  }

  // Extents.
  Extent extent() {
    const Span begin = peek().span;
    Extent e = sum(0);
    if (takeMark("/"))
      e.divisor = number(1, kLargestNumber);
    if (e.isConstant()) {
      if (e.constant < 0) {
        diagnostics_.error("bad-extent", begin, fmt::format("an extent of {}", e.constant));
        throw Stop{};
      }
      e = {{}, e.constant / e.divisor, 1};
    }
    return e;
  }

  Extent sum(int depth) {
    Extent total = product(depth);
    while (isMark("+") || isMark("-")) {
      const bool isMinus = take().text == "-";
      total = combined(total, product(depth), isMinus ? -1 : 1);
    }
    return total;
  }

  Extent product(int depth) {
    const Span begin = peek().span;
    Extent total = factor(depth);
    while (takeMark("*")) {
      const Extent other = factor(depth);
      if (!total.isConstant() && !other.isConstant()) {
        diagnostics_.error("bad-extent", begin, "a product of two sizes").help =
            "give the array one more dimension: x: f32[T, C]";
        throw Stop{};
      }
      const Extent &sizes = total.isConstant() ? other : total;
      total = combined({}, sizes, (total.isConstant() ? total : other).constant);
    }
    return total;
  }

  Extent factor(int depth) {
    if (depth > kDeepest)
      fail("parentheses nested too deep");
    if (takeMark("(")) {
      Extent inner = sum(depth + 1);
      expect(")");
      return inner;
    }
    if (peek().kind == LaunchToken::Kind::Number)
      return {{}, number(0, kLargestNumber), 1};
    const LaunchToken token = name("a number or the name of a size");
    used_.emplace(token.text, token.span);
    return {{{token.text, 1}}, 0, 1};
  }

  /// a + b * by.
  Extent combined(Extent a, const Extent &b, std::int64_t by) {
    const auto add = [&](std::int64_t &to, std::int64_t value) {
      const __int128 sum = static_cast<__int128>(to) + static_cast<__int128>(value) * by;
      if (sum > kLargestNumber || sum < -kLargestNumber) {
        diagnostics_.error("bad-extent", peek().span, "a number beyond 2^40");
        throw Stop{};
      }
      to = static_cast<std::int64_t>(sum);
    };
    add(a.constant, b.constant);
    for (const auto &[name, factor] : b.factors) {
      add(a.factors[name], factor);
      if (a.factors[name] == 0)
        a.factors.erase(name);
    }
    return a;
  }

  // Clauses.
  void clause() {
    const LaunchToken word = name("`grid`, `block`, `shared`, `align` or a size's bound");
    if (isMark("<=") || isMark(">="))
      return bound(word);
    if (!given_.insert(word.text).second) {
      diagnostics_.error("duplicate-name", word.span, fmt::format("`{}` stands twice", word.text));
      throw Stop{};
    }
    if (word.text == "grid")
      axes([&](std::size_t axis) { signature_.grid[axis] = blocks(); });
    else if (word.text == "block")
      axes([&](std::size_t axis) {
        signature_.block[axis] = static_cast<std::uint32_t>(number(1, axis == 2 ? 64 : 1024));
      });
    else if (word.text == "shared")
      signature_.sharedBytes = static_cast<std::uint64_t>(number(0, kMostShared));
    else if (word.text == "align")
      alignment();
    else
      unknownClause(word);
  }

  [[noreturn]] void unknownClause(const LaunchToken &word) {
    const std::string near = dsl::didYouMean(word.text, {"grid", "block", "shared", "align"});
    diagnostics_
        .error("expected-token", word.span,
               "expected `grid`, `block`, `shared`, `align` or a size's bound")
        .help = near.empty() ? fmt::format("a bound is written {} <= 65536", word.text)
                             : fmt::format("did you mean `{}`?", near);
    throw Stop{};
  }

  template <class Take> void axes(Take take) {
    std::size_t axis = 0;
    do {
      if (axis == 3)
        fail("a grid and a block have three dimensions at most");
      take(axis++);
    } while (takeMark(","));
  }

  Extent blocks() {
    const Span span = peek().span;
    Extent e = extent();
    if (e == Extent{}) {
      diagnostics_.error("bad-extent", span, "a grid without a block");
      throw Stop{};
    }
    return e;
  }

  void alignment() {
    const Span span = peek().span;
    const std::int64_t bytes = number(1, 1024);
    if ((bytes & (bytes - 1)) != 0) {
      diagnostics_.error("bad-number", span, "an alignment is a power of two");
      throw Stop{};
    }
    signature_.alignment = static_cast<unsigned>(bytes);
  }

  void bound(const LaunchToken &size) {
    const bool isHigh = take().text == "<=";
    const std::int64_t value = number(0, kLargestNumber);
    bounds_.push_back({size, isHigh, value});
  }

  // What holds for the whole.
  void whole() {
    for (const char *word : {"grid", "block"})
      if (!given_.contains(word))
        fail(fmt::format("no {} is given", word), "end with `; grid T; block 256`");
    std::set<std::string> known; // sizes that an array or the kernel has
    for (const LaunchArgument &a : signature_.arguments) {
      if (a.shape)
        for (const Extent &e : *a.shape)
          for (const auto &[name, factor] : e.factors)
            known.insert(name);
      else if (dsl::isInteger(a.type))
        known.insert(a.name);
    }
    for (const auto &[name, span] : used_)
      size(name, span, known);
    for (const Bound &b : bounds_)
      apply(b, known);
    for (const auto &[name, size] : signature_.sizes)
      if (size.low > size.high)
        fail(fmt::format("no {} lies between {} and {}", name, size.low, size.high));
    if (signature_.block[0] * signature_.block[1] * signature_.block[2] > 1024)
      fail("a block has 1,024 threads at most");
    if (std::ranges::none_of(signature_.arguments,
                             [](const LaunchArgument &a) { return a.shape && a.isWritten; }))
      fail("no array is written", "mark what the kernel writes: y: f32[T] out");
  }

  void size(const std::string &name, Span span, const std::set<std::string> &known) {
    const auto argument = std::ranges::find(signature_.arguments, name, &LaunchArgument::name);
    if (argument != signature_.arguments.end() &&
        (argument->shape || !dsl::isInteger(argument->type))) {
      diagnostics_.error("bad-extent", span, fmt::format("{} is no integer", name));
      throw Stop{};
    }
    if (!known.contains(name))
      unknown(name, span, known);
    signature_.sizes.emplace(name, LaunchSize{});
  }

  [[noreturn]] void unknown(const std::string &name, Span span,
                            const std::set<std::string> &known) {
    const std::string near = dsl::didYouMean(name, {known.begin(), known.end()});
    diagnostics_
        .error("unknown-name", span,
               fmt::format("{} is neither an argument nor an array's extent", name))
        .help = near.empty() ? "" : fmt::format("did you mean {}?", near);
    throw Stop{};
  }

  struct Bound {
    LaunchToken size;
    bool isHigh;
    std::int64_t value;
  };
  void apply(const Bound &b, const std::set<std::string> &known) {
    size(b.size.text, b.size.span, known);
    LaunchSize &size = signature_.sizes[b.size.text];
    (b.isHigh ? size.high : size.low) = b.value;
  }

  std::vector<LaunchToken> tokens_;
  std::size_t next_ = 0;
  dsl::Diagnostics &diagnostics_;
  LaunchSignature signature_;
  std::set<std::string> names_, given_;
  std::map<std::string, Span> used_;
  std::vector<Bound> bounds_;
};

} // namespace

std::optional<LaunchSignature> parseLaunch(std::uint32_t file, const dsl::SourceManager &sources,
                                           dsl::Diagnostics &diagnostics) {
  try {
    return Parser(file, sources, diagnostics).run();
  } catch (const Stop &) {
    return std::nullopt;
  }
}

} // namespace ordo::verify
