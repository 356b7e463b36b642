// .npy files byte by byte: what is read, what is refused and how, what is left behind.
#include "dsl/eval/npy.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <unistd.h>

namespace ordo::dsl {
namespace {

namespace fs = std::filesystem;

class Npy : public testing::Test {
protected:
  void SetUp() override {
    const char *base = std::getenv("TEST_TMPDIR");
    folder_ = fs::path(base ? base : fs::temp_directory_path().string()) /
              ("npy_" + std::to_string(::getpid()) +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string &name = "a.npy") const { return (folder_ / name).string(); }
  void put(const std::string &bytes) {
    std::ofstream(path(), std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  std::string get() {
    std::ifstream file(path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string errorOf(const std::string &bytes, DType wanted = DType::F32) {
    put(bytes);
    std::string error;
    const auto value = readNpy(path(), wanted, &error);
    EXPECT_FALSE(value.has_value());
    EXPECT_TRUE(error.starts_with(path() + ": ")) << error;
    return error.substr(std::min(error.size(), path().size() + 2));
  }

  fs::path folder_;
};

std::string file(const std::string &dict, const std::string &data, int version = 1) {
  std::string out = "\x93NUMPY";
  out += static_cast<char>(version);
  out += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    out += static_cast<char>(dict.size() >> 8 * i & 0xff);
  return out + dict + data;
}
std::string dict(const std::string &descr, const std::string &shape, const char *order = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}
std::string bytes(std::initializer_list<float> values) {
  std::string out(values.size() * 4, '\0');
  std::memcpy(out.data(), values.begin(), out.size());
  return out;
}

TEST_F(Npy, ReadsEveryVersionAndDescriptor) {
  std::string error;
  for (const int version : {1, 2, 3}) {
    put(file(dict("<f4", "(2, 1)"), bytes({1.5f, -2.0f}), version));
    const auto v = readNpy(path(), DType::F32, &error);
    ASSERT_TRUE(v) << error;
    EXPECT_EQ(v->shape, (std::vector<std::int64_t>{2, 1}));
    float first;
    std::memcpy(&first, v->data.data(), 4);
    EXPECT_EQ(first, 1.5f);
  }
  const std::tuple<const char *, DType, int> cases[] = {
      {"<f8", DType::F64, 8},  {"<f2", DType::F16, 2},      {"<i4", DType::I32, 4},
      {"<i8", DType::I64, 8},  {"<u4", DType::U32, 4},      {"<u8", DType::U64, 8},
      {"|b1", DType::Bool, 1}, {"<u2", DType::BF16, 2},     {"|V2", DType::BF16, 2},
      {"<V2", DType::BF16, 2}, {"|u1", DType::F8E4M3FN, 1}, {"|V1", DType::F8E5M2FNUZ, 1}};
  for (const auto &[descr, type, size] : cases) {
    put(file(dict(descr, "(3,)"), std::string(static_cast<std::size_t>(3 * size), '\1')));
    const auto v = readNpy(path(), type, &error);
    ASSERT_TRUE(v) << descr << " " << error;
    EXPECT_EQ(v->data.size(), static_cast<std::size_t>(3 * size));
  }
}

TEST_F(Npy, RoundTripsAndWritesWhatNumpyWrites) {
  std::string error;
  for (const std::vector<std::int64_t> &shape :
       {std::vector<std::int64_t>{}, {5}, {0, 4}, {2, 3, 4}}) {
    std::size_t count = 1;
    for (const std::int64_t s : shape)
      count *= static_cast<std::size_t>(s);
    TensorValue v{DType::BF16, shape, std::vector<std::byte>(count * 2)};
    for (std::size_t i = 0; i < v.data.size(); ++i)
      v.data[i] = static_cast<std::byte>(i * 7);
    ASSERT_TRUE(writeNpy(path(), v, &error)) << error;
    const auto back = readNpy(path(), DType::BF16, &error);
    ASSERT_TRUE(back) << error;
    EXPECT_EQ(back->shape, shape);
    EXPECT_EQ(back->data, v.data);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
  }
  TensorValue v{DType::F32, {1}, std::vector<std::byte>(4)};
  ASSERT_TRUE(writeNpy(path(), v, &error));
  // numpy.save of zeros(1, float32), as NumPy 1.26 writes it.
  std::string expected(
      "\x93NUMPY\x01\x00\x76\x00{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", 67);
  expected.resize(127, ' ');
  expected += '\n';
  expected.append(4, '\0');
  EXPECT_EQ(get(), expected);
}

TEST_F(Npy, RefusesEachWithItsReason) {
  const std::string good = bytes({1, 2});
  EXPECT_EQ(errorOf(""), "empty; wanted is a .npy file");
  EXPECT_EQ(errorOf("PK\3\4 a zip file"), "not a .npy file");
  EXPECT_EQ(errorOf(file(dict("<f4", "(2,)"), good, 9)), ".npy format 9; 1, 2 and 3 are read");
  EXPECT_EQ(errorOf(file(dict("<f8", "(1,)"), good)),
            "has descriptor '<f8'; wanted is f32: save it with descriptor <f4");
  EXPECT_EQ(errorOf(file(dict(">f4", "(2,)"), good)),
            "has descriptor '>f4'; wanted is f32: save it with descriptor <f4");
  EXPECT_EQ(errorOf(file(dict("<f4", "(2,)"), good), DType::BF16),
            "has descriptor '<f4'; wanted is bf16: save the bits, for example "
            "x.view(torch.uint16).numpy(), as <u2 or V2");
  EXPECT_EQ(errorOf(file(dict("|i1", "(8,)"), good), DType::F8E5M2),
            "has descriptor '|i1'; wanted is f8e5m2: save the bits, for example "
            "x.view(torch.uint8).numpy(), as u1 or V1");
  EXPECT_EQ(errorOf(file("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}", good)),
            "has descriptor '[('a', '<f4')]'; wanted is f32: save it with descriptor <f4");
  EXPECT_EQ(errorOf(file(dict("<f4", "(1, 2)", "True"), good)),
            "in Fortran order; wanted is C order: save numpy.ascontiguousarray(x)");
  EXPECT_EQ(errorOf(file(dict("<f4", "(3,)"), good)),
            "truncated: shape [3] needs 12 bytes of data, and there are 8");
  EXPECT_EQ(errorOf(file(dict("<f4", "(1,)"), good)),
            "has bytes left over: shape [1] needs 4 bytes of data, and there are 8");
  EXPECT_EQ(errorOf(file(dict("<f4", "(4294967296, 4294967296)"), good)),
            "its shape [4294967296, 4294967296] is too large");
  EXPECT_EQ(errorOf(file(dict("<f4", "(1000000000000,)"), good)),
            "truncated: shape [1000000000000] needs 4000000000000 bytes of data, and there are 8");
  EXPECT_EQ(errorOf(file(dict("|b1", "(2,)"), std::string("\1\2", 2)), DType::Bool),
            "has a bool that is neither 0 nor 1");
  EXPECT_EQ(errorOf(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12)),
            "its header claims 4294967295 bytes");
  const std::string malformed = "its header is not {'descr': …, 'fortran_order': …, 'shape': (…)}";
  for (const char *text :
       {"", "{", "{}", "[]", "{'descr': '<f4'}",
        "{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': 2}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} trailing",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'more': 1}",
        "{'descr: '<f4', 'fortran_order': False, 'shape': (2,)}"})
    EXPECT_EQ(errorOf(file(text, good)), malformed) << text;
}

TEST_F(Npy, MissingFilesAndFoldersThatCannotBeWritten) {
  std::string error;
  EXPECT_FALSE(readNpy(path("none.npy"), DType::F32, &error));
  EXPECT_EQ(error, path("none.npy") + ": No such file or directory");
  EXPECT_FALSE(readNpy(folder_.string(), DType::F32, &error));
  EXPECT_EQ(error, folder_.string() + ": not a regular file");
  const TensorValue v{DType::F32, {0}, {}};
  EXPECT_FALSE(writeNpy(path("none/a.npy"), v, &error));
  EXPECT_EQ(error, path("none/a.npy") + ": cannot be written: No such file or directory");
  // A folder is in the way: nothing else stays behind.
  fs::create_directories(folder_ / "b.npy" / "c");
  EXPECT_FALSE(writeNpy(path("b.npy"), v, &error));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
}

// Every prefix and many single-byte changes: a value or an error, never a crash.
TEST_F(Npy, SurvivesTruncationAndCorruption) {
  const std::string whole = file(dict("<f4", "(2, 2)"), bytes({1, 2, 3, 4}));
  for (std::size_t length = 0; length < whole.size(); ++length)
    errorOf(whole.substr(0, length));
  std::mt19937 random(1);
  for (int i = 0; i < 800; ++i) {
    std::string changed = whole;
    for (int k = 0; k < 1 + i % 3; ++k)
      changed[random() % changed.size()] = static_cast<char>(random());
    put(changed);
    std::string error;
    const auto value = readNpy(path(), DType::F32, &error);
    EXPECT_EQ(value.has_value(), error.empty()) << error;
    if (value)
      EXPECT_EQ(value->data.size(), 16u);
  }
}

} // namespace
} // namespace ordo::dsl
