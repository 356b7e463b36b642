// Formatting moves no bit: every kernel of every contract keeps its digest, whatever the layout
// was.
#include "dsl/sema/digest.h"
#include "dsl/sema/package.h"
#include "dsl/syntax/format.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>

namespace ordo::dsl {
namespace {

namespace fs = std::filesystem;

using Texts = std::map<std::string, std::string>; // path below the root → text

Texts contractsUnder(const std::string &root) {
  Texts texts;
  for (const auto &entry : fs::recursive_directory_iterator(root)) {
    if (entry.path().extension() != ".ordo")
      continue;
    std::ifstream in(entry.path(), std::ios::binary);
    texts[entry.path().lexically_relative(root).generic_string()] = {
        std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  return texts;
}

fs::path write(const Texts &texts, const std::string &name) {
  const fs::path folder = fs::path(::testing::TempDir()) / "format" / name;
  fs::remove_all(folder);
  for (const auto &[path, text] : texts) {
    fs::create_directories((folder / path).parent_path());
    std::ofstream(folder / path, std::ios::binary) << text;
  }
  return folder;
}

/// "nn/norm.ordo kernel" → digest, of every kernel.
Texts digestsUnder(const fs::path &root, const Texts &texts) {
  Texts digests;
  for (const auto &[path, text] : texts) {
    SourceManager sources;
    Diagnostics diagnostics(sources);
    const auto package = Package::load((root / path).string(), {"contracts"}, sources, diagnostics);
    EXPECT_TRUE(package) << diagnostics.renderAll();
    if (!package)
      continue;
    for (const std::string &kernel : package->kernels()) {
      const auto program = package->instantiate(kernel, diagnostics);
      EXPECT_TRUE(program) << diagnostics.renderAll();
      digests[path + " " + kernel] = program ? digest(*program) : "";
    }
  }
  return digests;
}

/// Spaces inside brackets become other spaces, line ends and comments; blank lines go and come.
std::string relaidOut(const std::string &text, std::mt19937 &random) {
  std::string out;
  int depth = 0;
  bool comment = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    comment = c != '\n' && (comment || text.compare(i, 2, "//") == 0);
    if (comment) {
      out += c;
      continue;
    }
    depth += (c == '(' || c == '[') - (c == ')' || c == ']');
    if (c == ' ' && depth > 0) {
      static const char *const kSpaces[] = {" ", "  ", "\n", " // moved\n", "\t"};
      out += kSpaces[random() % 5];
    } else if (c == '\n' && random() % 4 == 0 && depth == 0) {
      out += "  // beside\n";
    } else {
      out += c;
    }
  }
  return out;
}

TEST(Format, KeepsTheDigestOfEveryKernel) {
  std::mt19937 random(5);
  std::size_t kernels = 0;
  for (const std::string root : {"contracts", "tests/contracts"}) {
    const Texts texts = contractsUnder(root);
    ASSERT_FALSE(texts.empty()) << root;
    const Texts before = digestsUnder(root, texts);
    kernels += before.size();
    for (int round = 0; round < 3; ++round) {
      Texts changed, formatted;
      for (const auto &[path, text] : texts) {
        changed[path] = round == 0 ? text : relaidOut(text, random);
        SourceManager sources;
        Diagnostics diagnostics(sources);
        const auto out = format(sources.add(path, changed[path]), sources, diagnostics);
        ASSERT_TRUE(out) << diagnostics.renderAll();
        formatted[path] = *out;
      }
      EXPECT_EQ(digestsUnder(write(changed, "changed"), changed), before);
      EXPECT_EQ(digestsUnder(write(formatted, "formatted"), formatted), before);
    }
  }
  EXPECT_GT(kernels, 20u);
}

/// The contracts people read first are in the layout that `ordo fmt` gives.
TEST(Format, TheContractsAreFormatted) {
  for (const auto &[path, text] : contractsUnder("contracts")) {
    SourceManager sources;
    Diagnostics diagnostics(sources);
    EXPECT_EQ(format(sources.add(path, text), sources, diagnostics), text) << path;
  }
}

} // namespace
} // namespace ordo::dsl
