// Modules from strings, loaded from the test's own folder.
#pragma once

#include "dsl/sema/package.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>

namespace ordo::dsl {
inline void PrintTo(Kind kind, std::ostream *out) { *out << kind.name(); }
} // namespace ordo::dsl

namespace ordo::dsl::testing {

/// One load of a package. In a module's text «…» marks the place where an error is expected; the
/// marks are taken out before it is written.
class Loaded {
public:
  using Modules = std::map<std::string, std::string>; // "nn/norm.ordo" → text

  explicit Loaded(const Modules &modules, const std::string &root) : diagnostics(sources) {
    namespace fs = std::filesystem;
    const auto *info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder = fs::path(::testing::TempDir()) / "sema" /
             (std::string(info->test_suite_name()) + "." + info->name());
    fs::remove_all(folder);
    for (const auto &[name, text] : modules) {
      fs::create_directories((folder / name).parent_path());
      std::ofstream(folder / name, std::ios::binary) << unmark(name, text);
    }
    package = Package::load((folder / root).string(), {}, sources, diagnostics);
  }

  /// A single module m.
  explicit Loaded(const std::string &body) : Loaded({{"m.ordo", "module m\n" + body}}, "m.ordo") {}

  /// Nothing when it is refused; reports any error as a test failure when `expectFine`.
  std::optional<Program> kernel(const std::string &name, bool expectFine = true) {
    if (!package) {
      EXPECT_FALSE(expectFine) << diagnostics.renderAll();
      return std::nullopt;
    }
    auto program = package->instantiate(name, diagnostics);
    EXPECT_TRUE(program.has_value() || !expectFine) << diagnostics.renderAll();
    return program;
  }

  /// The only error is of `kind` and stands exactly at the mark.
  void expectError(const std::string &kind) {
    ASSERT_EQ(errors().size(), 1u) << diagnostics.renderAll();
    expectAtMark(errors()[0], kind);
  }

  void expectWarning(const std::string &kind) {
    ASSERT_EQ(diagnostics.all().size(), 1u) << diagnostics.renderAll();
    ASSERT_EQ(diagnostics.all()[0].severity, Diagnostic::Severity::Warning);
    expectAtMark(diagnostics.all()[0], kind);
  }

  void expectAtMark(const Diagnostic &d, const std::string &kind) {
    const std::string all = diagnostics.renderAll();
    EXPECT_EQ(d.kind, kind) << all;
    const std::string file = std::filesystem::path(sources.file(d.span.file).path)
                                 .lexically_relative(folder)
                                 .generic_string();
    EXPECT_EQ(file, markFile_) << all;
    EXPECT_EQ(d.span.begin, markBegin_) << all;
    EXPECT_EQ(d.span.end, markEnd_) << all;
  }

  std::vector<Diagnostic> errors() const {
    std::vector<Diagnostic> errors;
    for (const Diagnostic &d : diagnostics.all())
      if (d.severity == Diagnostic::Severity::Error)
        errors.push_back(d);
    return errors;
  }

  SourceManager sources;
  Diagnostics diagnostics;
  std::unique_ptr<Package> package;
  std::filesystem::path folder;

private:
  std::string unmark(const std::string &name, std::string text) {
    const std::string open = "«", close = "»";
    if (const std::size_t at = text.find(open); at != std::string::npos) {
      text.erase(at, open.size());
      const std::size_t end = text.find(close);
      text.erase(end, close.size());
      markFile_ = name;
      markBegin_ = static_cast<std::uint32_t>(at);
      markEnd_ = static_cast<std::uint32_t>(end);
    }
    return text;
  }

  std::string markFile_;
  std::uint32_t markBegin_ = 0, markEnd_ = 0;
};

/// One text that is refused.
struct ErrorCase {
  const char *name;
  const char *kind;
  std::string text;       // of module m; «…» is the place
  const char *words = ""; // in the message
  const char *help = "";  // in the help
  bool inKernel = false;  // found when kernel k is instantiated
};
inline void PrintTo(const ErrorCase &c, std::ostream *out) { *out << c.name; }
inline std::string caseName(const ::testing::TestParamInfo<ErrorCase> &info) {
  return info.param.name;
}

/// Its only error is of its kind, at its place, in its words.
inline void expectRefused(const ErrorCase &c) {
  Loaded loaded(c.text);
  if (c.inKernel) {
    ASSERT_TRUE(loaded.package) << loaded.diagnostics.renderAll();
    EXPECT_FALSE(loaded.kernel("k", false).has_value());
  } else {
    EXPECT_FALSE(loaded.package);
  }
  loaded.expectError(c.kind);
  if (loaded.errors().empty())
    return;
  const Diagnostic d = loaded.errors()[0];
  EXPECT_NE(d.message.find(c.words), std::string::npos) << d.message;
  EXPECT_NE(d.help.find(c.help), std::string::npos) << d.help;
  EXPECT_NE(d.message.back(), '.');
}

} // namespace ordo::dsl::testing
