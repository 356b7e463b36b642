#include "dsl/eval/npy.h"

#include "dsl/eval/launch.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <new>
#include <stdlib.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace ordo::dsl {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kLongestHeader = 1 << 20; // real ones have about a hundred bytes
constexpr std::size_t kMostAxes = 64;           // as NumPy 2

struct Header {
  std::string descr;
  bool fortranOrder = false;
  std::vector<std::int64_t> shape;
};

/// The header is a Python dict literal with three keys; this reads that and nothing wider.
class HeaderParser {
public:
  explicit HeaderParser(std::string_view text) : rest_(text) {}

  std::optional<Header> parse() {
    Header header;
    bool hasDescr = false, hasOrder = false, hasShape = false;
    if (!take('{'))
      return std::nullopt;
    while (!take('}')) {
      const std::optional<std::string> key = string();
      if (!key || !take(':'))
        return std::nullopt;
      bool read = false;
      if (*key == "descr")
        hasDescr = read = takeDescr(header);
      else if (*key == "fortran_order")
        hasOrder = read = takeBool(header);
      else if (*key == "shape")
        hasShape = read = takeShape(header);
      if (!read || (!take(',') && peek() != '}'))
        return std::nullopt;
    }
    skipSpace();
    if (!rest_.empty() || !hasDescr || !hasOrder || !hasShape)
      return std::nullopt;
    return header;
  }

private:
  void skipSpace() {
    while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_.front())))
      rest_.remove_prefix(1);
  }
  char peek() {
    skipSpace();
    return rest_.empty() ? '\0' : rest_.front();
  }
  bool take(char c) {
    if (peek() != c)
      return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool takeWord(std::string_view word) {
    skipSpace();
    if (!rest_.starts_with(word))
      return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  std::optional<std::string> string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"')
      return std::nullopt;
    rest_.remove_prefix(1);
    const std::size_t end = rest_.find(quote);
    if (end == std::string_view::npos)
      return std::nullopt;
    std::string text(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return text;
  }

  bool takeDescr(Header &header) {
    if (peek() == '[') { // a structured type: kept as text, for the message
      const std::size_t end = rest_.find(']');
      if (end == std::string_view::npos)
        return false;
      header.descr = std::string(rest_.substr(0, std::min<std::size_t>(end + 1, 60)));
      rest_.remove_prefix(end + 1);
      return true;
    }
    const std::optional<std::string> text = string();
    if (text)
      header.descr = *text;
    return text.has_value();
  }

  bool takeBool(Header &header) {
    header.fortranOrder = takeWord("True");
    return header.fortranOrder || takeWord("False");
  }

  bool takeShape(Header &header) {
    if (!take('('))
      return false;
    while (!take(')')) {
      std::int64_t size = 0;
      if (!std::isdigit(static_cast<unsigned char>(peek())))
        return false;
      for (; !rest_.empty() && std::isdigit(static_cast<unsigned char>(rest_.front()));
           rest_.remove_prefix(1))
        if (__builtin_mul_overflow(size, 10, &size) ||
            __builtin_add_overflow(size, rest_.front() - '0', &size))
          return false;
      if (header.shape.size() == kMostAxes)
        return false;
      header.shape.push_back(size);
      if (!take(',') && peek() != ')')
        return false;
    }
    return true;
  }

  std::string_view rest_;
};

/// The first is what is written.
std::vector<std::string_view> descriptors(DType type) {
  switch (type) {
  case DType::F64:
    return {"<f8"};
  case DType::F32:
    return {"<f4"};
  case DType::F16:
    return {"<f2"};
  case DType::BF16:
    return {"<u2", "|V2", "<V2", "V2"};
  case DType::I32:
    return {"<i4"};
  case DType::I64:
    return {"<i8"};
  case DType::U32:
    return {"<u4"};
  case DType::U64:
    return {"<u8"};
  case DType::Bool:
    return {"|b1", "?", "b1", "<b1"};
  default:
    return {"|u1", "u1", "<u1", "|V1", "<V1", "V1"};
  }
}

std::string advice(DType type) {
  if (type == DType::BF16)
    return "save the bits, for example x.view(torch.uint16).numpy(), as <u2 or V2";
  if (isFloat(type) && byteSize(type) == 1)
    return "save the bits, for example x.view(torch.uint8).numpy(), as u1 or V1";
  return fmt::format("save it with descriptor {}", descriptors(type).front());
}

class Reader {
public:
  Reader(const std::string &path, DType wanted, std::string *error)
      : path_(path), wanted_(wanted), error_(error) {}

  std::optional<TensorValue> read() {
    if (!open())
      return std::nullopt;
    const std::optional<std::string> text = headerText();
    if (!text)
      return std::nullopt;
    const std::optional<Header> header = HeaderParser(*text).parse();
    if (!header) {
      fail("its header is not {'descr': …, 'fortran_order': …, 'shape': (…)}");
      return std::nullopt;
    }
    return data(*header);
  }

private:
  bool fail(std::string why) {
    *error_ = fmt::format("{}: {}", path_, why);
    return false;
  }

  bool open() {
    struct stat info{};
    if (::stat(path_.c_str(), &info) != 0)
      return fail(std::strerror(errno));
    if (!S_ISREG(info.st_mode))
      return fail("not a regular file");
    size_ = static_cast<std::uint64_t>(info.st_size);
    file_.open(path_, std::ios::binary);
    return file_ ? true : fail(std::strerror(errno));
  }

  bool take(char *out, std::uint64_t count) {
    if (count > size_ - at_)
      return false;
    file_.read(out, static_cast<std::streamsize>(count));
    at_ += count;
    return static_cast<bool>(file_);
  }

  std::optional<std::string> headerText() {
    std::array<char, 8> start{};
    const bool isWhole = take(start.data(), start.size());
    if (!isWhole || std::string_view(start.data(), 6) != kMagic) {
      fail(size_ == 0 ? "empty; wanted is a .npy file" : "not a .npy file");
      return std::nullopt;
    }
    const int version = static_cast<unsigned char>(start[6]);
    if (version < 1 || version > 3) {
      fail(fmt::format(".npy format {}; 1, 2 and 3 are read", version));
      return std::nullopt;
    }
    std::array<unsigned char, 4> bytes{};
    const std::size_t width = version == 1 ? 2 : 4;
    if (!take(reinterpret_cast<char *>(bytes.data()), width)) {
      fail("truncated in its header");
      return std::nullopt;
    }
    const std::size_t length = bytes[0] | std::size_t{bytes[1]} << 8 | std::size_t{bytes[2]} << 16 |
                               std::size_t{bytes[3]} << 24;
    if (length > kLongestHeader) {
      fail(fmt::format("its header claims {} bytes", length));
      return std::nullopt;
    }
    std::string text(length, '\0');
    if (!take(text.data(), length)) {
      fail("truncated in its header");
      return std::nullopt;
    }
    return text;
  }

  std::optional<TensorValue> data(const Header &header) {
    const std::vector<std::string_view> accepted = descriptors(wanted_);
    if (std::ranges::find(accepted, header.descr) == accepted.end()) {
      fail(fmt::format("has descriptor '{}'; wanted is {}: {}", header.descr, name(wanted_),
                       advice(wanted_)));
      return std::nullopt;
    }
    if (header.fortranOrder && header.shape.size() > 1) {
      fail("in Fortran order; wanted is C order: save numpy.ascontiguousarray(x)");
      return std::nullopt;
    }
    const auto count = elementCount(header.shape, byteSize(wanted_));
    if (!count) {
      fail(fmt::format("its shape {} is too large", shapeText(header.shape)));
      return std::nullopt;
    }
    const std::uint64_t wantedBytes =
        static_cast<std::uint64_t>(*count) * static_cast<std::uint64_t>(byteSize(wanted_));
    if (wantedBytes != size_ - at_) { // before anything of that size is allocated
      fail(fmt::format("{}: shape {} needs {} bytes of data, and there are {}",
                       size_ - at_ < wantedBytes ? "truncated" : "has bytes left over",
                       shapeText(header.shape), wantedBytes, size_ - at_));
      return std::nullopt;
    }
    TensorValue value{wanted_, header.shape, std::vector<std::byte>(wantedBytes)};
    if (!take(reinterpret_cast<char *>(value.data.data()), wantedBytes)) {
      fail("could not be read to its end");
      return std::nullopt;
    }
    if (wanted_ == DType::Bool &&
        std::ranges::any_of(value.data, [](std::byte b) { return b > std::byte{1}; })) {
      fail("has a bool that is neither 0 nor 1");
      return std::nullopt;
    }
    return value;
  }

  const std::string &path_;
  DType wanted_;
  std::string *error_;
  std::ifstream file_;
  std::uint64_t size_ = 0, at_ = 0;
};

/// Magic, version, length and the dict, padded so that the data start at a multiple of 64.
std::string headerOf(const TensorValue &value) {
  std::string shape;
  for (const std::int64_t size : value.shape)
    shape += fmt::format("{}, ", size);
  if (value.shape.size() > 1)
    shape.resize(shape.size() - 2); // only a single axis keeps its comma
  else if (!shape.empty())
    shape.pop_back();
  std::string dict = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}",
                                 descriptors(value.type).front(), shape);
  const std::size_t before = kMagic.size() + 4;
  dict.append(63 - (before + dict.size()) % 64, ' ');
  dict += '\n';
  std::string header(kMagic);
  header +=
      {'\x01', '\x00', static_cast<char>(dict.size() & 0xff), static_cast<char>(dict.size() >> 8)};
  return header + dict;
}

bool writeAll(int file, const char *data, std::size_t size) {
  while (size > 0) {
    const ssize_t written = ::write(file, data, std::min<std::size_t>(size, 1 << 30));
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    data += written;
    size -= static_cast<std::size_t>(written);
  }
  return true;
}

} // namespace

std::optional<TensorValue> readNpy(const std::string &path, DType wanted, std::string *error) {
  if (wanted == DType::Index) {
    *error = path + ": an index has no form in memory";
    return std::nullopt;
  }
  try {
    return Reader(path, wanted, error).read();
  } catch (const std::bad_alloc &) {
    *error = path + ": not enough memory";
    return std::nullopt;
  }
}

std::string npyBytes(const TensorValue &value) {
  std::string bytes = headerOf(value);
  bytes.append(reinterpret_cast<const char *>(value.data.data()), value.data.size());
  return bytes;
}

bool writeNpy(const std::string &path, const TensorValue &value, std::string *error) {
  std::string temporary = path + ".XXXXXX";
  const int file = ::mkstemp(temporary.data());
  if (file < 0) {
    *error = fmt::format("{}: cannot be written: {}", path, std::strerror(errno));
    return false;
  }
  // mkstemp keeps others out; a result is an ordinary file.
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::fchmod(file, 0666 & ~mask);
  const std::string header = headerOf(value);
  bool fine = writeAll(file, header.data(), header.size()) &&
              writeAll(file, reinterpret_cast<const char *>(value.data.data()), value.data.size());
  int reason = errno;
  if (::close(file) != 0 && fine) {
    fine = false;
    reason = errno;
  }
  if (fine && ::rename(temporary.c_str(), path.c_str()) != 0) {
    fine = false;
    reason = errno;
  }
  if (fine)
    return true;
  ::unlink(temporary.c_str());
  *error = fmt::format("{}: cannot be written: {}", path, std::strerror(reason));
  return false;
}

} // namespace ordo::dsl
