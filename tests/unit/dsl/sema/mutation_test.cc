// Every change of one token that is still a contract is another contract.
#include "dsl/syntax/lexer.h"
#include "dsl/syntax/parser.h"
#include "tests/unit/dsl/sema/mutated_contracts.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>

namespace ordo::dsl {
namespace {

struct Mutation {
  std::string construct;
  std::uint32_t begin, end;
  std::string text;
};

// The word or mark → what kind of construct it is, what takes its place.
const std::multimap<std::string, std::pair<std::string, std::string>> kSwaps = {
    {"f32", {"type", "f64"}},
    {"f32", {"type", "bf16"}},
    {"bf16", {"type", "f16"}},
    {"f16", {"type", "bf16"}},
    {"i32", {"type", "u32"}},
    {"u32", {"type", "i32"}},
    {"sum", {"reduction", "max"}},
    {"max", {"function", "min"}},
    {"min", {"function", "max"}},
    {"max", {"reduction", "max_nan"}},
    {"min_nan", {"reduction", "min"}},
    {"seq", {"stage", "pairs"}},
    {"pairs", {"stage", "halves"}},
    {"halves", {"stage", "pairs"}},
    {"lanes", {"stage", "seq"}},
    {"fma", {"stage", "seq"}},
    {"mid", {"stage", "pairs"}},
    {"from", {"start", "pad"}},
    {"sqrt", {"function", "abs"}},
    {"abs", {"function", "sqrt"}},
    {"floor", {"function", "abs"}},
    {"rz", {"rounding", ""}},
    {"true", {"choice", "false"}},
    {"false", {"choice", "true"}},
    {"and", {"operator", "or"}},
    {"or", {"operator", "and"}},
    {"not", {"operator", ""}},
    {"+", {"operator", "-"}},
    {"-", {"operator", "+"}},
    {"*", {"operator", "+"}},
    {"/", {"operator", "*"}},
    {"%", {"operator", "+"}},
    {"&", {"operator", "^"}},
    {"^", {"operator", "&"}},
    {"|", {"operator", "&"}},
    {"<<", {"operator", ">>"}},
    {">>", {"operator", "<<"}},
    {"==", {"operator", "!="}},
    {"<", {"operator", "<="}},
    {"<=", {"operator", "<"}},
    {">", {"operator", ">="}},
    {">=", {"operator", ">"}},
    {"!=", {"operator", "=="}},
    {"mulhi", {"function", "max"}},
    {"i64", {"type", "u64"}},
    {"u64", {"type", "i64"}},
    {"f64", {"type", "f32"}},
    {"f8e5m2", {"type", "f8e4m3fn"}},
    {"f8e4m3fn", {"type", "f8e5m2"}},
    {"f8e4m3fn", {"type", "f8e4m3fnuz"}},
    {"sat", {"rounding", "nosat"}},
    {"nosat", {"rounding", "sat"}},
    {"max_nan", {"reduction", "max"}},
    {"dot", {"reduction", "sum"}},
    {"ascending", {"ranking", "descending"}},
    {"descending", {"ranking", "ascending"}},
    {"pad", {"start", "from"}},
    {"mma", {"stage", "fma"}},
    {"hopper", {"atom", "ampere"}},
    {"cdna3", {"atom", "cdna2"}}};

std::string otherNumber(const std::string &text) {
  if (text.find_first_not_of("0123456789") == std::string::npos && text.size() < 10)
    return std::to_string(std::stol(text) + 1);
  if (text.starts_with("0x") && text.find_first_of(".p") == std::string::npos)
    return text == "0x3" ? "0x5" : "0x3";
  return text == "0.625" ? "0.75" : "0.625";
}

/// What mutates the tokens of `text` outside `module`, `use` and, where `requires_` is false,
/// `require` lines.
std::vector<Mutation> mutationsOf(const std::string &text, bool requires_) {
  SourceManager sources;
  Diagnostics diagnostics(sources);
  const Lexed lexed = lex(sources.add("m", text), sources, diagnostics);
  std::vector<Mutation> mutations;
  Tok line = Tok::End;
  for (std::size_t i = 0; i + 1 < lexed.tokens.size(); ++i) {
    const Token &token = lexed.tokens[i];
    if (token.newlineBefore || i == 0)
      line = token.kind;
    if (line == Tok::Module || line == Tok::Use || (line == Tok::Require && !requires_))
      continue;
    const std::string word = text.substr(token.begin, token.end - token.begin);
    const auto add = [&](const std::string &construct, const std::string &with) {
      mutations.push_back(
          {line == Tok::Require ? "require" : construct, token.begin, token.end, with});
    };
    if (token.kind == Tok::Number)
      add("number", otherNumber(word));
    const auto [first, last] = kSwaps.equal_range(word);
    for (auto swap = first; swap != last; ++swap)
      add(swap->second.first, swap->second.second);
    if ((word == "bf16" || word == "f16") && lexed.tokens[i + 1].kind == Tok::LeftParen)
      add("rounding", word + ".rz");
    if (word == "rz") // with the dot before it
      mutations.back().begin = lexed.tokens[i - 1].begin;
  }
  return mutations;
}

/// How many mutations of each construct were contracts; fails where one left every digest alone.
std::map<std::string, int> mutateAll(const Contracts &contracts, const std::string &path,
                                     const std::vector<std::string> &roots, bool requires_) {
  const std::string text = contracts.read(path);
  std::vector<Digests> before;
  for (const std::string &root : roots) {
    std::string why;
    const auto digests = contracts.digests(root, &why);
    EXPECT_TRUE(digests) << why;
    before.push_back(digests.value_or(Digests{}));
  }
  std::map<std::string, int> counts;
  for (const Mutation &mutation : mutationsOf(text, requires_)) {
    std::string changed = text;
    changed.replace(mutation.begin, mutation.end - mutation.begin, mutation.text);
    contracts.write(path, changed);
    bool isContract = true, differs = false;
    for (std::size_t i = 0; i < roots.size(); ++i) {
      const auto after = contracts.digests(roots[i]);
      isContract = isContract && after;
      differs = differs || after != before[i];
    }
    counts[mutation.construct] += isContract;
    const std::size_t line = text.rfind('\n', mutation.begin) + 1;
    EXPECT_TRUE(differs) << path << ": column " << mutation.begin - line + 1 << " made `"
                         << mutation.text << "` in\n"
                         << text.substr(line, text.find('\n', mutation.begin) - line);
  }
  contracts.write(path, text);
  return counts;
}

TEST(Mutation, EveryConstructMovesTheDigest) {
  const Contracts contracts("everything");
  const auto counts = mutateAll(contracts, "everything.ordo", {"everything.ordo"}, true);
  const std::map<std::string, int> least = {{"number", 30},  {"operator", 20}, {"type", 2},
                                            {"stage", 6},    {"reduction", 2}, {"function", 4},
                                            {"rounding", 2}, {"choice", 3},    {"require", 4}};
  for (const auto &[construct, count] : least)
    EXPECT_GE(counts.contains(construct) ? counts.at(construct) : 0, count) << construct;
}

TEST(Mutation, SoDoesEveryConstructOfTheRest) {
  const Contracts contracts("rest");
  const auto counts = mutateAll(contracts, "rest.ordo", {"rest.ordo"}, true);
  const std::map<std::string, int> least = {{"number", 30}, {"operator", 15}, {"type", 4},
                                            {"stage", 3},   {"reduction", 1}, {"function", 3},
                                            {"start", 1},   {"rounding", 2},  {"atom", 2}};
  for (const auto &[construct, count] : least)
    EXPECT_GE(counts.contains(construct) ? counts.at(construct) : 0, count) << construct;
}

TEST(Mutation, SoDoRecurrencesAndPromises) {
  const Contracts contracts("data");
  const auto counts = mutateAll(contracts, "data.ordo", {"data.ordo"}, true);
  const std::map<std::string, int> least = {
      {"number", 12}, {"operator", 8}, {"stage", 1}, {"function", 1}, {"ranking", 3}};
  for (const auto &[construct, count] : least)
    EXPECT_GE(counts.contains(construct) ? counts.at(construct) : 0, count) << construct;
}

TEST(Mutation, SoDoTheProjectsContracts) {
  const Contracts contracts("contracts");
  const std::vector<std::string> operators = {"nn/norm.ordo", "nn/softmax.ordo",
                                              "nn/log_sum_exp.ordo"};
  for (const std::string &path : operators)
    mutateAll(contracts, path, {path}, false);
  const auto counts = mutateAll(contracts, "math/f32.ordo", {"apply.ordo"}, false);
  EXPECT_GE(counts.at("number"), 40);
}

TEST(Mutation, AndThoseOfTheTests) {
  const Contracts contracts("tests");
  for (const std::string path : {"apply.ordo", "chains.ordo", "odd_widths.ordo"})
    mutateAll(contracts, path, {path}, false);
}

// Construct by construct, where a token alone does not do it.
void eachMoves(const Contracts &contracts, const std::string &path,
               const std::vector<std::pair<std::string, std::string>> &changes) {
  const std::string original = contracts.read(path);
  const auto before = contracts.digests(path);
  ASSERT_TRUE(before);
  for (const auto &[from, to] : changes) {
    std::string text = original;
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    contracts.write(path, text.replace(at, from.size(), to));
    std::string why;
    const auto after = contracts.digests(path, &why);
    ASSERT_TRUE(after) << from << " → " << to << "\n" << why;
    EXPECT_NE(before, after) << from << " → " << to;
  }
}

TEST(Mutation, LargerChangesMoveIt) {
  eachMoves(Contracts("larger"), "everything.ordo",
            {
                {".from(0.0)", ""},
                {".from(0.0)", ".from(-0.0)"},
                {"halves: bf16", "halves"},
                {"first(3) | ", ""},
                {"lanes(4, 2)", "lanes(4)"},
                {"mid.leaf(2)", "mid"},
                {"fma(4) | ", ""},
                {" where h > 1", ""},
                {" where t <= 40", ""},
                {"require T % 2 == 0, T < 1000", ""},
                {", T < 1000", ""},
                {"T < 1000", "T < 1000, T > 2"},
                {"(eps = 1e-3)", ""},
                {"ss[t] + d[t]", "d[t] + ss[t]"},
                {"x[t + T, i]", "x[t, i]"},
                {"f32(bf16(x[t + T, i]))", "x[t + T, i]"},
                {"x: f32[2 * T, N], n: u32[N]", "n: u32[N], x: f32[2 * T, N]"},
                {"max(x, 0.5)", "max_nan(x, 0.5)"},
                {"fma(x, abs(x), sqrt(1.25))", "x * abs(x) + sqrt(1.25)"},
            });
}

TEST(Mutation, SoDoLargerOnesOfRecurrences) {
  eachMoves(Contracts("larger_data"), "data.ordo",
            {
                {"seq(4) | seq", "seq"},
                {"seq(4) | seq", "lanes(4) | seq"},
                {" where h != 3", ""},
                {"(-inf, 0.0)", "(-inf, -0.0)"},
                {"next (hi, s * (m - hi) + x[t, h])", "next (m, s * (m - hi) + x[t, h])"},
                {"next (max(a.m, b.m), a.s - b.s)", "next (max(b.m, a.m), a.s - b.s)"},
                {"a.s - b.s", "b.s - a.s"},
                {"w[i] + 1.0", "s[i] + 1.0"},
                {"(sum[j in H by split] w[j]) - 2.0", "w[0] - 2.0"},
                {"0 <= n[t] <= H", "0 <= n[t] < H"},
                {", distinct(slot[r] for r in R)", ", distinct(slot[r] for r in R where r > 0)"},
                {"where len[r] > 0", "where len[r] > 1"},
                {"x[n, i]", "x[n, 0]"},
                {"p[j, i]", "p[j, 0]"},
                {"e ascending) at s", "e descending) at s"},
                {"z[t, e] descending, NaN last", "z[t, e] descending, NaN first"},
                {"z[t, e] ascending, NaN first, e descending", "e descending"},
                {" where k[t, e] > 1", ""},
                {"((u, e) < (t, b[t]))", "((u, e) <= (t, b[t]))"},
                {"((u, e) < (t, b[t]))", "((e, u) < (t, b[t]))"},
            });
}

TEST(Mutation, SoDoLargerOnesOfTheRest) {
  eachMoves(Contracts("larger_rest"), "rest.ordo",
            {
                {"mma(32).from(0.5) | pairs", "mma.from(0.5)"},
                {".from(0.5)", ""},
                {".from(0.5)", ".from(-0.5)"},
                {".from(0.5)", ".from(0.5): bf16"},
                {"mma(32).from(0.5)", "fma(32).from(0.5)"},
                {"halves(4) | ", ""},
                {".pad(-0.0)", ""},
                {"seq: f16", "seq"},
                {" where k < 90", ""},
                {" where k != 3", ""},
                {"c[0], 0xD2511F53", "c[1], 0xD2511F53"},
                {"next ([c[1] + k, w]", "next ([w, c[1] + k]"},
                {"(up(c[0]), c[1] - k)", "(c[0], c[1] - k)"},
                {"mix([n[t], 7], 5)", "mix([7, n[t]], 5)"},
                {"-v[t]", "v[t]"},
                {"k in N, j in 3", "j in 3, k in N"},
                {"i64[T], v: f64[T]", "i64[T + 1], v: f64[T]"},
                {"  target rocm.gfx942 { atom mma = amd.cdna3.bf16 }\n", ""},
                {"amd.cdna3.bf16", "amd.cdna2.bf16_1k"},
                {"nv.hopper.bf16", "nv.blackwell.bf16"}, // one arithmetic, another name
            });
}

} // namespace
} // namespace ordo::dsl
