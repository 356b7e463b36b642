// Every change of one token that is still a contract is another contract; and a text that differs
// only in names, layout or the order of declarations is the same one.
#include "dsl/sema/digest.h"
#include "dsl/sema/package.h"
#include "dsl/syntax/lexer.h"
#include "dsl/syntax/parser.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

namespace ordo::dsl {
namespace {

namespace fs = std::filesystem;
using Digests = std::vector<std::string>;

// Each construct that can move a bit, and nothing that no kernel needs.
const std::string kEverything = R"(module everything

let quarter = 16
order runs  = seq(8).from(0.0) | lanes(4, 2) | halves: bf16
order ends  = first(3) | seq(4) | mid.leaf(2)

fn pick(x: f32, n: i32) -> f32 = {
  even = (n & 1) == 0 and not (x < -2.5)
  if even or n >= 7 then max(x, 0.5) else fma(x, abs(x), sqrt(1.25))
}
fn twist(n: u32) -> u32 = (n << 3) ^ (n >> 5) | (n * 9 + 4)

op f<H, bool FLIP, order row, type E>(x: E[T, H], w: f32[H], eps: f32) -> (y: E[T, H], m: f32[T]) {
  require T % 2 == 0, T < 1000
  ss[t]   = (sum[h in H by row where h > 1] f32(x[t, h]) * w[h]) - eps
  hi[t]   = max[h in H] (f32(x[t, h]) / 3.5)
  lo[t]   = min_nan[h in H] (f32(x[t, h]) + 4.5)
  d[t]    = dot[h in H by fma(4) | pairs(2) | pairs] (f32(x[t, h]), w[H - 1 - h])
  m[t]    = if FLIP then hi[t] + lo[t] else hi[t] - floor(lo[t])
  y[t, h] = E(pick(ss[t] + d[t], i32(w[h]) % 5)) where t <= 40
}

op g<N>(z: f32[T], x: f32[2 * T, N], n: u32[N]) -> (y: bf16[T, N], b: u32[N]) {
  y[t, i] = bf16.rz(x[t, i] + z[t] + f32(bf16(x[t + T, i])))
  b[i]    = twist(n[i]) + bits(f32.of_bits(n[i]))
}

kernel one   = f<H = 64, FLIP = true, row = runs, E = bf16>(eps = 1e-3)
kernel two   = f<H = quarter * 2, FLIP = false, row = ends, E = f32>
kernel three = g<N = 24>

profile everything.v1 {
  let wide = 96
  order row = seq(16) | seq
  kernel four = f<H = wide, FLIP = true, row, E = f16>(eps = 2.5)
}
)";

// The rest: words and arrays, f8, casts, stages and starts, and the atoms of matrix units.
const std::string kRest = R"(module rest

let rounds = 3
order units = mma(32).from(0.5) | pairs
order trees = halves(4) | mid(8) | lanes(3).pad(-0.0) | seq: f16

fn mix(a: u32[2], n: u32) -> (lo: u32, hi: u32) = {
  let up(v) = v ^ n
  (c, k) = iterate rounds (c = a, k = n) {
    w = mulhi(c[0], 0xD2511F53)
    next ([c[1] + k, w], k + 0x9E3779B9)
  }
  (up(c[0]), c[1] - k)
}

op words<N>(n: u32[T], m: u64[T], i: i64[T], v: f64[T], q: f16[T, N])
  -> (a: u32[T], b: u64[T], c: i64[T], d: f64[T], e: f8e4m3fn[T], g: f8e5m2[T], h: i32[T], s: f32[T])
{
  (a[t], p[t]) = mix([n[t], 7], 5)
  b[t] = m[t] * 3 + u64(p[t])
  c[t] = min(i[t], 4) - max(i[t] >> 2, -9)
  d[t] = -v[t] + f64(i[t]) * 1.5
  e[t] = f8e4m3fn.sat(f32(v[t]))
  g[t] = f8e5m2.nosat(f32(q[t, 0]))
  r[t] = max_nan[k in N, j in 2] (f32(q[t, k]) + f32(t + j))
  h[t] = count[k in N where k != 3] (q[t, k] > 0.5) + (if r[t] <= 2.0 then 1 else i32(r[t]))
  s[t] = sum[k in N, j in 3 by trees] (f32(q[t, k]) * (if j == 1 then 2.0 else 0.25))
}

op products<K, order red>(x: bf16[T, K], w: bf16[K]) -> (y: f32[T]) {
  y[t] = dot[k in K by red where k < 90] (x[t, k], w[k])
}

kernel w = words<N = 12>

profile rest.v1 {
  target cuda.sm_90a { atom mma = nv.hopper.bf16 }
  target rocm.gfx942 { atom mma = amd.cdna3.bf16 }
  kernel p = products<K = 96, red = units>
}
)";

// Recurrences, rankings, places and promises.
const std::string kData = R"(module data

order split = seq(4) | seq

view turned<type E>(p: E[N, M])[i, j] -> E[M, N] = p[j, i]

op folds<H>(x: f32[T, H], n: i32[T]) -> (m: f32[T], s: f32[T]) {
  assume forall t: 0 <= n[t] <= H
  (m[t], s[t]) = fold[h in n[t] by split where h != 3] from (-inf, 0.0) {
    hi = max(m, x[t, h])
    next (hi, s * (m - hi) + x[t, h])
  } merge (a, b) {
    next (max(a.m, b.m), a.s - b.s)
  }
}

op scans<H>(x: f32[N, H], start: i32[R], len: i32[R], slot: i32[R], c: f32[P, H] inout)
  -> (y: f32[N, H])
{
  assume disjoint(start[r], len[r] for r in R), distinct(slot[r] for r in R)
  assume forall r: 0 <= start[r] and 0 <= len[r] and start[r] + len[r] <= N
  assume forall r: 0 <= slot[r] < P
  (s[r, i], z[r, t]) = scan[t in len[r] by seq] from (c[slot[r], i]) {
    w[j] = s[j] * x[start[r] + t, j]
    next (w[i] + 1.0)
    yield ((sum[j in H by split] w[j]) - 2.0)
  }
  for r in R, t in len[r] let n = start[r] + t {
    y[n, i] = z[r, t] * x[n, i]
  }
  c[slot[r], i] := s[r, i] where len[r] > 0
}

op ranks<E>(z: f32[T, E], k: i32[T, E]) -> (a: i32[T, 2], b: i32[T], y: f32[T]) {
  a[t, s] = top[2] e in E of (z[t, e] descending, NaN last, e ascending) at s
  b[t]    = argmax[e in E where k[t, e] > 1] of (z[t, e] ascending, NaN first, e descending)
  y[t]    = f32(count[u in T, e in E] ((u, e) < (t, b[t]))) + turned(z)[4, t]
}

kernel f = folds<H = 16>
kernel s = scans<H = 12>
kernel r = ranks<E = 10>
)";

std::string readFile(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// A folder with the modules of the project and one of a test's own.
class Contracts {
public:
  explicit Contracts(const std::string &name)
      : root_(fs::path(::testing::TempDir()) / "mutation" / name) {
    fs::remove_all(root_);
    fs::create_directories(root_);
    fs::copy("contracts", root_, fs::copy_options::recursive);
    for (const auto &entry : fs::recursive_directory_iterator(root_))
      fs::permissions(entry.path(), fs::perms::owner_all, fs::perm_options::add);
    for (const auto &entry : fs::directory_iterator("tests/contracts"))
      if (entry.path().extension() == ".ordo")
        write(entry.path().filename().string(), readFile(entry.path().string()));
    write("everything.ordo", kEverything);
    write("rest.ordo", kRest);
    write("data.ordo", kData);
  }

  void write(const std::string &path, const std::string &text) const {
    fs::remove(root_ / path);
    std::ofstream(root_ / path, std::ios::binary) << text;
  }
  std::string read(const std::string &path) const { return readFile((root_ / path).string()); }

  /// Of every kernel of `path`, in source order, for every target of its profile; nothing when
  /// anything is refused.
  std::optional<Digests> digests(const std::string &path, std::string *why = nullptr) const {
    SourceManager sources;
    Diagnostics diagnostics(sources);
    const auto package = Package::load((root_ / path).string(), {}, sources, diagnostics);
    Digests all;
    if (package)
      for (const std::string &kernel : package->kernels())
        for (const std::string &target : targetsOf(*package, package->kernel(kernel)->profile))
          if (const auto program = package->instantiate(kernel, diagnostics, target))
            all.push_back(digest(*program));
    if (why)
      *why = diagnostics.renderAll();
    if (!package || diagnostics.hasErrors())
      return std::nullopt;
    return all;
  }

private:
  /// Of the profile; one without a name where there are none.
  static std::vector<std::string> targetsOf(const Package &package, const std::string &name) {
    std::vector<std::string> targets;
    for (const ProfileInfo &profile : package.profiles())
      if (profile.name == name)
        for (const ProfileInfo::Target &each : profile.targets)
          targets.push_back(each.target.name);
    return targets.empty() ? std::vector<std::string>{""} : targets;
  }

  fs::path root_;
};

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

/// `text` with every name of its own spelt otherwise.
std::string renamed(const std::string &text) {
  std::set<std::string> kept = {"f32", "f64",   "f16",   "bf16",     "i32",     "u32",     "bool",
                                "exp", "log",   "rsqrt", "sqrt",     "abs",     "max",     "min",
                                "fma", "floor", "bits",  "seq",      "pairs",   "halves",  "lanes",
                                "mid", "first", "sum",   "dot",      "max_nan", "min_nan", "i64",
                                "u64", "mulhi", "mma",   "f8e4m3fn", "f8e5m2"};
  for (const std::string_view word : contextualWords())
    kept.emplace(word);
  SourceManager sources;
  Diagnostics diagnostics(sources);
  const Lexed lexed = lex(sources.add("m", text), sources, diagnostics);
  std::string out;
  std::uint32_t copied = 0;
  std::set<std::string> merged;
  Tok line = Tok::End;
  for (std::size_t i = 0; i + 1 < lexed.tokens.size(); ++i) {
    const Token &token = lexed.tokens[i];
    if (token.newlineBefore || i == 0)
      line = token.kind;
    const auto wordAt = [&](std::size_t at) {
      return text.substr(lexed.tokens[at].begin, lexed.tokens[at].end - lexed.tokens[at].begin);
    };
    const std::string word = wordAt(i);
    if (i > 1 && wordAt(i - 2) == "merge")
      merged = {word, wordAt(i + 2)};
    // Of the parts of a word with dots, those of a merge's carries are the author's own.
    const bool isBefore = lexed.tokens[i + 1].kind == Tok::Dot && !merged.contains(word);
    const bool isAfter =
        i > 1 && lexed.tokens[i - 1].kind == Tok::Dot && !merged.contains(wordAt(i - 2));
    const bool isDotted = isBefore || isAfter;
    if (token.kind != Tok::Name || line == Tok::Module || line == Tok::Use || isDotted ||
        kept.contains(word))
      continue;
    out += text.substr(copied, token.end - copied) + "_q";
    copied = token.end;
  }
  return out + text.substr(copied);
}

/// `text` with a comment on every line, wider gaps and blank lines.
std::string reformatted(const std::string &text) {
  std::string out;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    for (const char c : text.substr(at, end - at))
      out += c == ' ' ? "   " : std::string(1, c);
    out += "  // sum[h in H by seq] 1.0\n\n";
    at = end + 1;
  }
  return out;
}

/// The declarations in reverse, those of a profile too.
std::string reversed(const std::string &text) {
  SourceManager sources;
  Diagnostics diagnostics(sources);
  const std::uint32_t file = sources.add("m", text);
  Ast ast;
  EXPECT_TRUE(parse(file, sources, diagnostics, ast)) << diagnostics.renderAll();
  const auto textOf = [&](NodeId id) { return std::string(sources.text(ast[id].span)) + "\n"; };
  std::string head = "module " + ast.module + "\n", rest;
  for (NodeId id : ast.declarations) {
    const Node &n = ast[id];
    if (n.kind == NodeKind::Use) {
      head += textOf(id);
      continue;
    }
    std::string one = textOf(id);
    if (n.kind == NodeKind::Profile) {
      std::string members;
      for (NodeId kid : n.kids)
        members.insert(0, textOf(kid));
      one = "profile " + n.text + " {\n" + members + "}\n";
    }
    rest.insert(0, one);
  }
  return head + rest;
}

TEST(Mutation, NamesLayoutAndOrderOfDeclarationsMoveNothing) {
  const Contracts contracts("same");
  for (const std::string path : {"everything.ordo", "rest.ordo", "data.ordo", "nn/norm.ordo",
                                 "nn/softmax.ordo", "nn/log_sum_exp.ordo"}) {
    const std::string text = contracts.read(path);
    auto before = contracts.digests(path);
    ASSERT_TRUE(before);
    ASSERT_FALSE(before->empty());
    const auto same = [&](const std::string &changed, bool keepsTurn) {
      EXPECT_NE(changed, text);
      contracts.write(path, changed);
      std::string why;
      auto after = contracts.digests(path, &why);
      ASSERT_TRUE(after) << path << "\n" << why << changed;
      Digests expected = *before;
      if (!keepsTurn) {
        std::ranges::sort(expected);
        std::ranges::sort(*after);
      }
      EXPECT_EQ(expected, *after) << changed;
    };
    same(renamed(text), true);
    same(reformatted(text), true);
    same(reversed(text), false);
    contracts.write(path, text);
  }
}

} // namespace
} // namespace ordo::dsl
