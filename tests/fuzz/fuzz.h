// What every fuzz target shares: its table, and how it says that an answer is wrong.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

namespace ordo::fuzz {

/// Runs on one input; ends the process by `require`, a sanitizer or a limit where something is
/// wrong.
using Target = void (*)(std::string_view input);

void runLexer(std::string_view input);
void runParser(std::string_view input);
void runFormat(std::string_view input);
void runChecker(std::string_view input);
void runEvaluator(std::string_view input);
void runOrders(std::string_view input);
void runNpy(std::string_view input);
void runLock(std::string_view input);
void runManifest(std::string_view input);
void runValue(std::string_view input);

/// What the command line says to us (libFuzzer leaves arguments with two dashes alone).
struct Settings {
  std::string target;    // --target=checker
  std::string contracts; // --contracts=DIR: where modules are found
  std::string scratch;   // --scratch=DIR: an empty folder that the process may fill
};
const Settings &settings();

/// Reports and aborts.
[[noreturn]] void fail(const std::string &what);

template <class... Args>
void require(bool holds, fmt::format_string<Args...> what, Args &&...args) {
  if (!holds)
    fail(fmt::format(what, std::forward<Args>(args)...));
}

/// One to three edits of a text by its tokens; `words` are put in where the text's own tokens are
/// not.
std::string mutateTokens(const std::string &text, const std::vector<std::string> &words,
                         std::size_t limit, unsigned seed);

/// Lines of one text within the other.
std::string spliceLines(const std::string &left, const std::string &right, std::size_t limit,
                        unsigned seed);

} // namespace ordo::fuzz
