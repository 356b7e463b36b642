// Output that appears whole or not at all.
#pragma once

#include <string>
#include <vector>

namespace ordo::compiler::driver {

/// `path`: where it goes; within a bundle relative to its folder.
struct OutputFile {
  std::string path;
  std::string bytes;
};

/// Throws misuse when `path` cannot be written as a file. Asked before long work, so that nobody
/// waits for a message that was true from the start.
void requireWritableFile(const std::string &path);
/// The same for a folder that exists or may be created, parents included.
void requireWritableFolder(const std::string &path);

/// Writes all files or none: each goes to a temporary neighbour first, then all are renamed. A
/// device or a pipe (/dev/stdout) is written directly. Throws misuse with the system's reason.
void writeFiles(const std::vector<OutputFile> &files);

/// The bundle's index, always the last file to appear in its folder.
inline constexpr const char *kManifestName = "manifest.json";

/// Puts a bundle into `folder`, created when absent. A new folder appears in one rename. In one
/// that exists, the old manifest goes first and the new one comes last, so that at no moment a
/// manifest describes other files; files that only the old manifest named are removed (`stale`),
/// everything else in the folder stays. Until all files lie in a temporary folder beside their
/// places, nothing existing is touched.
void writeBundle(const std::string &folder, const std::vector<OutputFile> &files,
                 const std::string &manifest, const std::vector<std::string> &stale);

/// SHA-256 as 64 lower-case hexadecimal digits.
std::string sha256(const std::string &bytes);

/// A private folder under TMPDIR (or /tmp) that is removed with what it holds. Throws misuse when
/// there is no room for one.
class TemporaryFolder {
public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  const std::string &path() const { return path_; }

private:
  std::string path_;
};

} // namespace ordo::compiler::driver
