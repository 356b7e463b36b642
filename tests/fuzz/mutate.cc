// Edits that keep most of a text a text of the language.
#include "tests/fuzz/fuzz.h"

#include <algorithm>
#include <cctype>
#include <random>

namespace ordo::fuzz {

namespace {

/// Sizes, extents and literals where arithmetic tends to go wrong.
constexpr std::string_view kNumbers[] = {
    "0",
    "1",
    "2",
    "3",
    "7",
    "8",
    "64",
    "255",
    "1000",
    "4096",
    "65536",
    "1048576",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "1099511627776",
    "4611686018427387904",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "340282366920938463463374607431768211456",
    "0.0",
    "0.5",
    "1.0",
    "1e-6",
    "3.4028235e38",
    "3.4028236e38",
    "1.4e-45",
    "7e-46",
    "1e308",
    "1e309",
    "5e-324",
    "2e-324",
    "1e999999999",
    "1e-999999999",
    "1e99999999999999999999",
    "0x1p-149",
    "0x1p-1074",
    "0x1p1023",
    "0x1.fffffffffffffffffp0",
    "0x0",
    "0xff",
    "0xffffffff",
    "0xffffffffffffffff",
    "0x7fc00000",
    "inf",
};

bool isWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// Words and numbers, runs of blanks, comments, single marks.
std::vector<std::string> tokensOf(const std::string &text) {
  std::vector<std::string> tokens;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    if (text.compare(i, 2, "//") == 0)
      end = std::min(text.find('\n', i), text.size());
    else if (isWord(text[i]))
      while (end < text.size() &&
             (isWord(text[end]) || (text[end] == '.' && std::isdigit(text[i] & 0x7f))))
        ++end;
    else if (text[i] == ' ')
      while (end < text.size() && text[end] == ' ')
        ++end;
    tokens.push_back(text.substr(i, end - i));
    i = end;
  }
  return tokens;
}

class Mutator {
public:
  Mutator(std::vector<std::string> tokens, const std::vector<std::string> &words, unsigned seed)
      : tokens_(std::move(tokens)), words_(words), random_(seed) {}

  void edit() {
    if (tokens_.empty()) {
      tokens_.push_back(fresh());
      return;
    }
    switch (below(8)) {
    case 0:
      tokens_.erase(place(solid()));
      break;
    case 1:
      tokens_.insert(place(solid()), fresh());
      break;
    case 2:
      std::swap(tokens_[solid()], tokens_[solid()]);
      break;
    case 3:
    case 4:
      tokens_[solid()] = fresh();
      break;
    case 5:
      changeNumber();
      break;
    case 6:
      eraseLines();
      break;
    default:
      repeatLines();
      break;
    }
  }

  std::string text() const {
    std::string all;
    for (const std::string &token : tokens_)
      all += token;
    return all;
  }

private:
  std::size_t below(std::size_t n) { return random_() % n; }
  std::vector<std::string>::iterator place(std::size_t at) {
    return tokens_.begin() + static_cast<std::ptrdiff_t>(at);
  }

  /// The index of a token, mostly of one that is no blank and no comment.
  std::size_t solid() {
    std::size_t at = below(tokens_.size());
    for (int tries = 0;
         tries < 4 && (std::isspace(tokens_[at][0] & 0x7f) || tokens_[at].starts_with("//"));
         ++tries)
      at = below(tokens_.size());
    return at;
  }

  std::string fresh() {
    switch (below(4)) {
    case 0:
      return std::string(kNumbers[below(std::size(kNumbers))]);
    case 1:
      if (!words_.empty())
        return words_[below(words_.size())];
      [[fallthrough]];
    default:
      return tokens_.empty() ? "x" : tokens_[solid()];
    }
  }

  void changeNumber() {
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < tokens_.size(); ++i)
      if (std::isdigit(tokens_[i][0] & 0x7f))
        numbers.push_back(i);
    if (!numbers.empty())
      tokens_[numbers[below(numbers.size())]] =
          below(3) == 0 ? std::to_string(below(70)) : kNumbers[below(std::size(kNumbers))];
  }

  /// [begin, end): one to four whole lines.
  std::pair<std::size_t, std::size_t> lines() {
    std::size_t begin = below(tokens_.size());
    while (begin > 0 && tokens_[begin - 1] != "\n")
      --begin;
    std::size_t end = begin;
    for (std::size_t count = 1 + below(4); count > 0 && end < tokens_.size(); --count) {
      while (end < tokens_.size() && tokens_[end] != "\n")
        ++end;
      end = std::min(end + 1, tokens_.size());
    }
    return {begin, end};
  }

  void eraseLines() {
    const auto [begin, end] = lines();
    tokens_.erase(place(begin), place(end));
  }

  void repeatLines() {
    const auto [begin, end] = lines();
    const std::vector<std::string> copy(place(begin), place(end));
    const std::size_t to = below(2) ? end : lines().first;
    tokens_.insert(place(to), copy.begin(), copy.end());
  }

  std::vector<std::string> tokens_;
  const std::vector<std::string> &words_;
  std::mt19937 random_;
};

std::vector<std::string> linesOf(const std::string &text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    lines.push_back(text.substr(at, end - at));
    at = end;
  }
  return lines;
}

} // namespace

std::string mutateTokens(const std::string &text, const std::vector<std::string> &words,
                         std::size_t limit, unsigned seed) {
  Mutator mutator(tokensOf(text), words, seed);
  for (unsigned edits = 1 + seed % 3; edits > 0; --edits)
    mutator.edit();
  return mutator.text().substr(0, limit);
}

std::string spliceLines(const std::string &left, const std::string &right, std::size_t limit,
                        unsigned seed) {
  const std::vector<std::string> from = linesOf(right);
  std::vector<std::string> to = linesOf(left);
  std::mt19937 random(seed);
  if (!from.empty()) {
    const std::size_t begin = random() % from.size();
    const std::size_t end = std::min<std::size_t>(from.size(), begin + 1 + random() % 12);
    const auto at = to.begin() + static_cast<std::ptrdiff_t>(random() % (to.size() + 1));
    to.insert(at, from.begin() + static_cast<std::ptrdiff_t>(begin),
              from.begin() + static_cast<std::ptrdiff_t>(end));
  }
  std::string all;
  for (const std::string &line : to)
    all += line;
  return all.substr(0, limit);
}

} // namespace ordo::fuzz
