// The editor's grammar: its patterns compile, its words are the lexer's, and what it colours in the
// sketches is what the lexer sees.
#include "dsl/syntax/lexer.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace ordo::dsl {
namespace {

using Words = std::set<std::string>;

struct Pattern {
  std::regex match;
  std::string name;                  // scope of the whole, or "" where captures have them
  std::vector<std::string> captures; // scopes of groups 1, 2, …
};

nlohmann::json grammar() {
  std::ifstream in("docs/editor/ordo.tmLanguage.json");
  return nlohmann::json::parse(in);
}

void addPatterns(const nlohmann::json &root, const nlohmann::json &list,
                 std::vector<Pattern> &out) {
  for (const nlohmann::json &item : list) {
    if (item.contains("include")) {
      const std::string name = item["include"].get<std::string>().substr(1);
      addPatterns(root, root["repository"][name]["patterns"], out);
      continue;
    }
    Pattern pattern{std::regex(item["match"].get<std::string>()), item.value("name", ""), {}};
    if (item.contains("captures"))
      for (std::size_t i = 1; i <= item["captures"].size(); ++i)
        pattern.captures.push_back(item["captures"][std::to_string(i)]["name"]);
    out.push_back(std::move(pattern));
  }
}

/// What a TextMate engine does with one line when there are only `match` patterns: the earliest
/// match wins, among those the first pattern. A scope for each byte.
std::vector<std::string> scopesOf(const std::vector<Pattern> &patterns, const std::string &line) {
  std::vector<std::string> scopes(line.size());
  for (std::size_t at = 0; at < line.size();) {
    std::smatch best;
    const Pattern *from = nullptr;
    for (const Pattern &pattern : patterns) {
      std::smatch found;
      const auto flags =
          at > 0 ? std::regex_constants::match_prev_avail : std::regex_constants::match_default;
      if (std::regex_search(line.begin() + static_cast<std::ptrdiff_t>(at), line.end(), found,
                            pattern.match, flags) &&
          found.length() > 0 && (from == nullptr || found.position() < best.position())) {
        best = found;
        from = &pattern;
      }
    }
    if (from == nullptr)
      break;
    const auto colour = [&](std::size_t group, const std::string &scope) {
      const std::size_t begin = at + static_cast<std::size_t>(best.position(group));
      std::fill_n(scopes.begin() + static_cast<std::ptrdiff_t>(begin), best.length(group), scope);
    };
    colour(0, from->name);
    for (std::size_t i = 0; i < from->captures.size(); ++i)
      colour(i + 1, from->captures[i]);
    at += static_cast<std::size_t>(best.position() + best.length());
  }
  return scopes;
}

/// The words in groups that hold nothing else.
Words wordsIn(const std::string &entry) {
  Words words;
  const std::regex group(R"(\(\?:([A-Za-z_]+(?:\|[A-Za-z_]+)*)\))"), word("[A-Za-z_]+");
  const nlohmann::json json = grammar();
  for (const nlohmann::json &pattern : json["repository"][entry]["patterns"]) {
    const std::string match = pattern["match"];
    for (std::sregex_iterator it(match.begin(), match.end(), group), end; it != end; ++it) {
      const std::string list = (*it)[1];
      for (std::sregex_iterator w(list.begin(), list.end(), word); w != end; ++w)
        EXPECT_TRUE(words.insert(w->str()).second) << w->str() << " stands twice";
    }
  }
  return words;
}

TEST(Grammar, ReservedWordsAreTheLexers) {
  const auto words = reservedWords();
  EXPECT_EQ(wordsIn("reserved"), Words(words.begin(), words.end()));
}

TEST(Grammar, ContextualWordsAreTheParsers) {
  const auto words = contextualWords();
  EXPECT_EQ(wordsIn("contextual"), Words(words.begin(), words.end()));
}

std::string expectedScope(Tok kind) {
  const std::string_view text = spelling(kind);
  if (kind == Tok::Number)
    return "constant.numeric";
  if (kind == Tok::True || kind == Tok::False || kind == Tok::Inf)
    return "constant.language";
  return !text.empty() && text[0] >= 'a' && text[0] <= 'z' ? "keyword." : "";
}

TEST(Grammar, ColoursWhatTheLexerSees) {
  std::vector<Pattern> patterns;
  const nlohmann::json json = grammar();
  addPatterns(json, json["patterns"], patterns);
  ASSERT_GT(patterns.size(), 15u);
  int words = 0, comments = 0;
  for (const auto &entry : std::filesystem::directory_iterator("tests/sketches")) {
    if (entry.path().extension() != ".ordo")
      continue;
    std::ifstream in(entry.path(), std::ios::binary);
    SourceManager sources;
    Diagnostics diagnostics(sources);
    const std::uint32_t file =
        sources.add(entry.path().string(),
                    {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()});
    const Lexed lexed = lex(file, sources, diagnostics);
    const std::string &text = sources.file(file).text;
    std::vector<std::string> scopes;
    for (std::size_t at = 0; at < text.size(); ++at) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const auto line = scopesOf(patterns, text.substr(at, end - at));
      scopes.insert(scopes.end(), line.begin(), line.end());
      scopes.emplace_back(); // the line's end
      at = end;
    }
    const auto expect = [&](Span span, const std::string &prefix) {
      for (std::uint32_t at = span.begin; at < span.end; ++at)
        ASSERT_TRUE(scopes[at].starts_with(prefix))
            << sources.text(span) << " has " << scopes[at] << ", wanted " << prefix << " in "
            << sources.line(file, at);
    };
    for (const Token &token : lexed.tokens) {
      const Span span{file, token.begin, token.end};
      const std::string scope = expectedScope(token.kind);
      expect(span, scope);
      words += !scope.empty();
      if (token.kind == Tok::Name && token.end > token.begin) {
        ASSERT_FALSE(scopes[token.begin].empty()) << sources.text(span);
        ASSERT_FALSE(scopes[token.begin].starts_with("comment")) << sources.text(span);
      }
    }
    for (const Comment &comment : lexed.comments) {
      expect(comment.span, comment.text.starts_with("///") ? "comment.line.documentation"
                                                           : "comment.line.double-slash");
      ++comments;
    }
  }
  EXPECT_GT(words, 300);
  EXPECT_GT(comments, 30);
}

TEST(Grammar, KnowsWordsByWhereTheyStand) {
  std::vector<Pattern> patterns;
  const nlohmann::json json = grammar();
  addPatterns(json, json["patterns"], patterns);
  const auto scope = [&](const std::string &line, const std::string &word) {
    return scopesOf(patterns, line).at(line.find(word));
  };
  EXPECT_EQ(scope("m = fold[j in N by kv] from (0.0) {", "fold"), "keyword.other.reduction.ordo");
  EXPECT_EQ(scope("m = fold[j in N by kv] from (0.0) {", "from"), "keyword.control.ordo");
  EXPECT_EQ(scope("a = top[K] e in E of (z descending) at s", "top"),
            "keyword.other.reduction.ordo");
  EXPECT_EQ(scope("top[t] = max[i in N] x", "top"), "variable.other.ordo");
  EXPECT_EQ(scope("next = from + over", "next"), "variable.other.ordo");
  EXPECT_EQ(scope("next = from + over", "from"), "variable.other.ordo");
  EXPECT_EQ(scope("y = exp(x)", "exp"), "entity.name.function.call.ordo");
  EXPECT_EQ(scope("x: bf16[T] inout,", "bf16"), "storage.type.ordo");
  EXPECT_EQ(scope("x: bf16[T] inout,", "inout"), "keyword.other.ordo");
  EXPECT_EQ(scope("order row = seq(8) | halves", "halves"), "support.constant.stage.ordo");
  EXPECT_EQ(scope("profile q.v1 {", "q.v1"), "entity.name.function.ordo");
  EXPECT_EQ(scope("informal = 1", "informal"), "variable.other.ordo");
}

} // namespace
} // namespace ordo::dsl
