// One libFuzzer binary for every target: --target=NAME.
#include "tests/fuzz/fuzz.h"

#include "dsl/syntax/lexer.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t *data, std::size_t size, std::size_t maxSize);

namespace ordo::fuzz {

namespace {

struct Entry {
  std::string_view name;
  Target run;
  bool isLanguage; // mutated by tokens as well as by bytes
};

constexpr Entry kTargets[] = {
    {"lexer", runLexer, true},
    {"parser", runParser, true},
    {"format", runFormat, true},
    {"checker", runChecker, true},
    {"evaluator", runEvaluator, true},
    {"orders", runOrders, true},
    {"npy", runNpy, false},
    {"lock", runLock, false},
    {"manifest", runManifest, false},
    {"value", runValue, false},
};

Settings chosen;
const Entry *target = nullptr;
std::vector<std::string> words;

bool takeArgument(std::string_view argument, std::string_view name, std::string &value) {
  if (!argument.starts_with(name))
    return false;
  value = std::string(argument.substr(name.size()));
  return true;
}

[[noreturn]] void usage(const std::string &why) {
  std::fprintf(stderr, "fuzz: %s\n", why.c_str());
  std::exit(2);
}

/// The quoted strings of a libFuzzer dictionary, escapes excepted.
std::vector<std::string> readWords(const std::string &path) {
  std::vector<std::string> found;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);)
    if (line.starts_with('"') && line.ends_with('"') && line.find('\\') == std::string::npos)
      found.push_back(line.substr(1, line.size() - 2));
  return found;
}

/// The dictionary's words and those that the lexer knows.
std::vector<std::string> wordsOf(const std::string &dictionary) {
  std::vector<std::string> all = readWords(dictionary);
  for (const auto &known : {dsl::reservedWords(), dsl::contextualWords()})
    all.insert(all.end(), known.begin(), known.end());
  return all;
}

void initialize(int count, char **arguments) {
  std::string dictionary;
  for (int i = 1; i < count; ++i) {
    const std::string_view argument = arguments[i];
    if (!takeArgument(argument, "--target=", chosen.target) &&
        !takeArgument(argument, "--contracts=", chosen.contracts) &&
        !takeArgument(argument, "--scratch=", chosen.scratch))
      takeArgument(argument, "-dict=", dictionary);
  }
  const auto *it = std::ranges::find(kTargets, chosen.target, &Entry::name);
  if (it == std::end(kTargets))
    usage(fmt::format("--target={} is none", chosen.target));
  target = it;
  if (chosen.scratch.empty())
    usage("--scratch=DIR is missing");
  if (target->isLanguage)
    words = wordsOf(dictionary);
}

std::size_t store(const std::string &text, std::uint8_t *data) {
  std::memcpy(data, text.data(), text.size());
  return text.size();
}

} // namespace

const Settings &settings() { return chosen; }

void fail(const std::string &what) {
  std::fprintf(stderr, "fuzz: %s: %s\n", chosen.target.c_str(), what.c_str());
  std::abort();
}

} // namespace ordo::fuzz

extern "C" int LLVMFuzzerInitialize(int *count, char ***arguments) {
  ordo::fuzz::initialize(*count, *arguments);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  ordo::fuzz::target->run({reinterpret_cast<const char *>(data), size});
  return 0;
}

// Three of four times by tokens: random bytes seldom get past the parser.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t *data, std::size_t size,
                                               std::size_t maxSize, unsigned seed) {
  using namespace ordo::fuzz;
  if (!target->isLanguage || seed % 4 == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  const std::string text(reinterpret_cast<const char *>(data), size);
  return store(mutateTokens(text, words, maxSize, seed / 4), data);
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t *left, std::size_t leftSize,
                                                 const std::uint8_t *right, std::size_t rightSize,
                                                 std::uint8_t *out, std::size_t maxSize,
                                                 unsigned seed) {
  using namespace ordo::fuzz;
  const std::string a(reinterpret_cast<const char *>(left), leftSize);
  const std::string b(reinterpret_cast<const char *>(right), rightSize);
  return store(spliceLines(a, b, maxSize, seed), out);
}
