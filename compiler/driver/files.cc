#include "compiler/driver/files.h"

#include "compiler/driver/failure.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/core.h>
#include <openssl/sha.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ordo::compiler::driver {

namespace fs = std::filesystem;

namespace {

Failure cannotWrite(const std::string &path, int error) {
  return misuse(fmt::format("cannot write {}: {}", path, std::strerror(error)));
}

/// The folder that `path` lies in, "." for a bare name.
std::string parentOf(const std::string &path) {
  const std::string parent = fs::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

/// Writes all of `bytes` and closes; returns 0 or an errno. A full disk may show only at the close.
int writeAndClose(int file, const std::string &bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = ::write(file, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0) {
      const int error = errno;
      ::close(file);
      return error;
    }
    done += static_cast<std::size_t>(count);
  }
  return ::close(file) == 0 ? 0 : errno;
}

/// Creates or truncates `path`; returns 0 or an errno.
int writeWhole(const std::string &path, const std::string &bytes) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  return file < 0 ? errno : writeAndClose(file, bytes);
}

bool isSpecial(const std::string &path) {
  struct stat info = {};
  return ::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

/// A symbolic link stays one: the file it leads to is replaced.
std::string resolved(const std::string &path) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  return error ? path : real.string();
}

/// Removes what it still holds: what a failed run has put down.
class Cleanup {
public:
  ~Cleanup() {
    std::error_code ignored;
    for (auto path = paths_.rbegin(); path != paths_.rend(); ++path)
      fs::remove_all(*path, ignored);
  }
  void add(std::string path) { paths_.push_back(std::move(path)); }
  void done() { paths_.clear(); }

private:
  std::vector<std::string> paths_;
};

/// Creates `folder` and its missing parents; the topmost created one is handed to `cleanup`.
void createFolders(const std::string &folder, Cleanup &cleanup) {
  std::string missing;
  std::error_code error;
  for (fs::path path = folder; !path.empty() && !fs::exists(path, error);
       path = path.parent_path()) {
    missing = path.string();
    if (path == path.parent_path())
      break;
  }
  if (missing.empty())
    return;
  fs::create_directories(folder, error);
  if (error)
    throw cannotWrite(folder, error.value());
  cleanup.add(missing);
}

/// A fresh folder named PREFIX.XXXXXX with the permissions that mkdir would give.
std::string makeStaging(const std::string &prefix, const std::string &folder) {
  std::string path = prefix + ".XXXXXX";
  if (::mkdtemp(path.data()) == nullptr)
    throw cannotWrite(folder, errno);
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::chmod(path.c_str(), 0777 & ~mask);
  return path;
}

void renameOrThrow(const std::string &from, const std::string &to) {
  if (::rename(from.c_str(), to.c_str()) != 0)
    throw cannotWrite(to, errno);
}

} // namespace

void requireWritableFile(const std::string &path) {
  struct stat info = {};
  if (::stat(path.c_str(), &info) == 0) {
    if (S_ISDIR(info.st_mode))
      throw misuse(fmt::format("cannot write {}: it is a folder", path));
    if (::access(path.c_str(), W_OK) != 0)
      throw cannotWrite(path, errno);
    if (!S_ISREG(info.st_mode))
      return;
  }
  const std::string parent = parentOf(resolved(path));
  if (::stat(parent.c_str(), &info) != 0)
    throw cannotWrite(path, errno);
  if (!S_ISDIR(info.st_mode))
    throw cannotWrite(path, ENOTDIR);
  if (::access(parent.c_str(), W_OK | X_OK) != 0)
    throw cannotWrite(path, errno);
}

void requireWritableFolder(const std::string &path) {
  std::error_code error;
  fs::path existing = fs::path(path);
  while (!existing.empty() && !fs::exists(existing, error) && existing != existing.parent_path())
    existing = existing.parent_path();
  if (existing.empty())
    existing = ".";
  if (!fs::is_directory(existing, error))
    throw misuse(fmt::format("cannot write {}: {} is not a folder", path, existing.string()));
  if (::access(existing.c_str(), W_OK | X_OK) != 0)
    throw cannotWrite(path, errno);
}

void writeFiles(const std::vector<OutputFile> &files) {
  Cleanup cleanup;
  std::vector<std::pair<std::string, std::string>> renames;
  for (const OutputFile &file : files) {
    if (isSpecial(file.path))
      continue;
    const std::string target = resolved(file.path);
    std::string temporary = target + ".XXXXXX";
    const int handle = ::mkstemp(temporary.data());
    if (handle < 0)
      throw cannotWrite(file.path, errno);
    cleanup.add(temporary);
    const mode_t mask = ::umask(0);
    ::umask(mask);
    struct stat before = {}; // a file that is replaced keeps its permissions
    const bool replaces = ::stat(target.c_str(), &before) == 0;
    ::fchmod(handle, replaces ? before.st_mode & 07777 : 0666 & ~mask);
    if (const int error = writeAndClose(handle, file.bytes))
      throw cannotWrite(file.path, error);
    renames.emplace_back(temporary, target);
  }
  for (const OutputFile &file : files)
    if (isSpecial(file.path))
      if (const int error = writeWhole(file.path, file.bytes))
        throw cannotWrite(file.path, error);
  for (const auto &[from, to] : renames)
    renameOrThrow(from, to);
  cleanup.done();
}

void writeBundle(const std::string &folder, const std::vector<OutputFile> &files,
                 const std::string &manifest, const std::vector<std::string> &stale) {
  // "out/" names the same folder as "out", but has another parent.
  fs::path clean = fs::path(folder).lexically_normal();
  if (!clean.has_filename())
    clean = clean.parent_path();
  const std::string target = clean.string();
  std::error_code error;
  const bool exists = fs::exists(target, error);

  // 1. Everything into a temporary folder on the same file system.
  Cleanup cleanup;
  createFolders(parentOf(target), cleanup);
  const std::string staging = makeStaging(exists ? target + "/.ordo" : target, folder);
  cleanup.add(staging);
  std::vector<OutputFile> all = files;
  all.push_back({kManifestName, manifest});
  for (const OutputFile &file : all)
    if (const int code = writeWhole(staging + "/" + file.path, file.bytes))
      throw cannotWrite(folder + "/" + file.path, code);

  // 2. A new folder appears at once.
  if (!exists) {
    renameOrThrow(staging, target);
    cleanup.done();
    return;
  }

  // 3. An existing one: check what a rename could meet, then exchange the files, manifest last.
  for (const OutputFile &file : all)
    if (fs::is_directory(target + "/" + file.path, error))
      throw cannotWrite(folder + "/" + file.path, EISDIR);
  fs::remove(target + "/" + kManifestName, error);
  for (const OutputFile &file : all)
    renameOrThrow(staging + "/" + file.path, target + "/" + file.path);
  for (const std::string &name : stale)
    fs::remove(target + "/" + name, error);
}

std::string sha256(const std::string &bytes) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest = {};
  SHA256(reinterpret_cast<const unsigned char *>(bytes.data()), bytes.size(), digest.data());
  std::string text;
  for (const unsigned char byte : digest)
    text += fmt::format("{:02x}", byte);
  return text;
}

TemporaryFolder::TemporaryFolder() {
  const char *base = std::getenv("TMPDIR");
  path_ = fmt::format("{}/ordo.XXXXXX", base != nullptr && *base != '\0' ? base : "/tmp");
  if (::mkdtemp(path_.data()) == nullptr)
    throw misuse(
        fmt::format("cannot create a temporary folder {}: {}", path_, std::strerror(errno)),
        "set TMPDIR to a folder with room");
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

} // namespace ordo::compiler::driver
