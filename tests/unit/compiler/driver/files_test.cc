// Output appears whole or not at all.

#include "compiler/driver/files.h"

#include "compiler/driver/failure.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sstream>

namespace ordo::compiler::driver {
namespace {

namespace fs = std::filesystem;

class FilesTest : public testing::Test {
protected:
  std::string path(const std::string &name) const { return folder_.path() + "/" + name; }
  void put(const std::string &name, const std::string &text) const {
    std::ofstream(path(name)) << text;
  }
  std::string get(const std::string &name) const {
    std::ifstream in(path(name));
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  }
  std::set<std::string> names(const std::string &below = "") const {
    std::set<std::string> found;
    for (const auto &entry : fs::directory_iterator(path(below)))
      found.insert(entry.path().filename().string());
    return found;
  }
  using Names = std::set<std::string>;
  TemporaryFolder folder_;
};

/// The message of the misuse that `work` ends in.
template <class Work> std::string misuseOf(Work work) {
  try {
    work();
  } catch (const Failure &failure) {
    EXPECT_EQ(failure.exitCode, kMisuse);
    return failure.message;
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

TEST_F(FilesTest, SeveralFilesReplaceWhatWasThere) {
  put("a", "old");
  writeFiles({{path("a"), "new"}, {path("b"), std::string("with\0zero", 9)}});
  EXPECT_EQ(get("a"), "new");
  EXPECT_EQ(get("b"), std::string("with\0zero", 9));
  EXPECT_EQ(names(), (Names{"a", "b"}));
}

TEST_F(FilesTest, OneThatCannotBeWrittenLeavesAll) {
  put("a", "old");
  const std::string message =
      misuseOf([&] { writeFiles({{path("a"), "new"}, {path("absent/b"), "new"}}); });
  EXPECT_NE(message.find("absent/b: No such file or directory"), std::string::npos) << message;
  EXPECT_EQ(get("a"), "old");
  EXPECT_EQ(names(), Names{"a"});
}

TEST_F(FilesTest, ALinkStaysALink) {
  put("a", "old");
  fs::create_symlink(path("a"), path("link"));
  writeFiles({{path("link"), "new"}});
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(get("a"), "new");
}

TEST_F(FilesTest, ADeviceIsWrittenAndNotReplaced) {
  writeFiles({{"/dev/null", "anything"}});
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  requireWritableFile("/dev/null");
}

TEST_F(FilesTest, WhatCannotBeWrittenIsKnownBefore) {
  put("file", "");
  requireWritableFile(path("file"));
  requireWritableFile(path("new"));
  requireWritableFolder(path("new/and/deeper"));
  EXPECT_NE(misuseOf([&] { requireWritableFile(folder_.path()); }).find("it is a folder"),
            std::string::npos);
  EXPECT_NE(misuseOf([&] { requireWritableFile(path("file/x")); }).find("Not a directory"),
            std::string::npos);
  EXPECT_NE(misuseOf([&] { requireWritableFolder(path("file/x")); }).find("is not a folder"),
            std::string::npos);
  EXPECT_EQ(names(), Names{"file"}); // asking creates nothing
}

TEST_F(FilesTest, ANewBundleWithItsParents) {
  writeBundle(path("deep/out/"), {{"k.o", "code"}}, "index", {});
  EXPECT_EQ(names("deep"), Names{"out"});
  EXPECT_EQ(names("deep/out"), (Names{"k.o", kManifestName}));
  EXPECT_EQ(get("deep/out/k.o"), "code");
  EXPECT_EQ(get("deep/out/manifest.json"), "index");
}

TEST_F(FilesTest, ASecondBundleReplacesTheFirstAndSparesStrangers) {
  writeBundle(path("out"), {{"a.o", "1"}, {"b.o", "1"}}, "first", {});
  put("out/mine.txt", "mine");
  writeBundle(path("out"), {{"a.o", "2"}}, "second", {"b.o"});
  EXPECT_EQ(names("out"), (Names{"a.o", kManifestName, "mine.txt"}));
  EXPECT_EQ(get("out/a.o"), "2");
  EXPECT_EQ(get("out/manifest.json"), "second");
}

TEST_F(FilesTest, ABundleThatFailsLeavesTheOldOne) {
  writeBundle(path("out"), {{"a.o", "1"}}, "first", {});
  fs::create_directory(path("out/b.o"));
  const std::string message =
      misuseOf([&] { writeBundle(path("out"), {{"a.o", "2"}, {"b.o", "2"}}, "second", {"a.o"}); });
  EXPECT_NE(message.find("out/b.o: Is a directory"), std::string::npos) << message;
  EXPECT_EQ(names("out"), (Names{"a.o", "b.o", kManifestName}));
  EXPECT_EQ(get("out/a.o"), "1");
  EXPECT_EQ(get("out/manifest.json"), "first");
}

TEST_F(FilesTest, ANewBundleThatFailsLeavesNothing) {
  misuseOf([&] { writeBundle(path("deep/out"), {{"absent/a.o", "1"}}, "first", {}); });
  EXPECT_EQ(names(), Names{});
}

TEST_F(FilesTest, ATemporaryFolderGoesWithWhatItHolds) {
  std::string name;
  {
    const TemporaryFolder folder;
    name = folder.path();
    std::ofstream(name + "/x") << "x";
    EXPECT_TRUE(fs::exists(name));
  }
  EXPECT_FALSE(fs::exists(name));
}

TEST(Sha256, KnownValues) { // FIPS 180-4's examples
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

} // namespace
} // namespace ordo::compiler::driver
