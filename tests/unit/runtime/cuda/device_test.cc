#include "runtime/cuda/device.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <vector>

namespace ordo::runtime::cuda {
namespace {

std::string fakeLibrary() {
  return std::string(std::getenv("TEST_SRCDIR")) + "/ordo/tests/gpu/libfake_cuda.so";
}

TEST(Driver, SaysThatTheLibraryIsMissing) {
  Status status;
  EXPECT_FALSE(Driver::open(status, "/absent/libcuda.so.1"));
  EXPECT_EQ(status.code, Status::kNoDriver);
  EXPECT_NE(status.message.find("/absent/libcuda.so.1"), std::string::npos) << status.message;
  EXPECT_NE(status.message.find("NVIDIA GPU and driver"), std::string::npos) << status.message;
}

TEST(Driver, SaysWhatALibraryLacks) {
  Status status;
  EXPECT_FALSE(Driver::open(status, "libc.so.6"));
  EXPECT_EQ(status.code, Status::kNoDriver);
  EXPECT_NE(status.message.find("libc.so.6 lacks cuInit, "), std::string::npos) << status.message;
}

class DeviceTest : public ::testing::Test {
protected:
  void SetUp() override {
    Status status;
    driver_ = Driver::open(status, fakeLibrary());
    ASSERT_TRUE(driver_) << status.message;
    context_ = Context::open(*driver_, 0, status);
    ASSERT_TRUE(context_) << status.message;
    ASSERT_TRUE(context_->stream(stream_).ok());
  }
  std::optional<Driver> driver_;
  std::optional<Context> context_;
  Stream stream_;
};

TEST_F(DeviceTest, RefusesADeviceThatIsNotThere) {
  Status status;
  EXPECT_FALSE(Context::open(*driver_, 1, status));
  EXPECT_EQ(status.message, "there is no CUDA device 1: the driver sees 1");
  EXPECT_FALSE(Context::open(*driver_, -1, status));
}

TEST_F(DeviceTest, SpellsErrorsOut) {
  EXPECT_TRUE(driver_->status(0, "cuInit").ok());
  EXPECT_EQ(driver_->status(1, "cuMemAlloc").message,
            "cuMemAlloc: CUDA_ERROR_INVALID_VALUE (1): invalid argument");
  EXPECT_EQ(driver_->status(12345, "cuInit").message, "cuInit: unknown error (12345)");
}

TEST_F(DeviceTest, MovesMemory) {
  Buffer a;
  Buffer b;
  ASSERT_TRUE(context_->allocate(8, a).ok());
  ASSERT_TRUE(context_->allocate(8, b).ok());
  const std::vector<char> sent = {'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'};
  std::vector<char> back(8);
  EXPECT_TRUE(context_->toDevice(a.get(), sent, stream_).ok());
  EXPECT_TRUE(context_->fill(a.get() + 2, 'x', 3, stream_).ok());
  EXPECT_TRUE(context_->copy(b.get(), a.get(), 8, stream_).ok());
  EXPECT_TRUE(context_->toHost(back, b.get(), stream_).ok());
  EXPECT_TRUE(context_->synchronize(stream_).ok());
  EXPECT_EQ(std::string(back.begin(), back.end()), "abxxxfgh");
  Buffer none;
  EXPECT_TRUE(context_->allocate(0, none).ok());
  EXPECT_EQ(none.get(), 0u);
}

TEST_F(DeviceTest, GivesBackWhatItTook) {
  Buffer kept;
  ASSERT_TRUE(context_->allocate(8, kept).ok());
  const DevicePtr address = kept.get();
  Buffer moved = std::move(kept);
  EXPECT_EQ(moved.get(), address);
  EXPECT_EQ(kept.get(), 0u); // NOLINT(bugprone-use-after-move): that is the point
  ASSERT_TRUE(context_->allocate(8, moved).ok());
}

TEST_F(DeviceTest, TakesPtxOnlyWhenAllowed) {
  const std::string ptx = ".version 8.5\n";
  Module module;
  const Status refused = context_->load(ptx, Code::MachineOnly, module);
  EXPECT_EQ(refused.code, Status::kBadRequest);
  EXPECT_NE(refused.message.find("not a cubin"), std::string::npos) << refused.message;
  EXPECT_EQ(module.get(), nullptr);
  EXPECT_TRUE(context_->load(ptx, Code::AllowPtx, module).ok());
  EXPECT_NE(module.get(), nullptr);
  FunctionHandle function = nullptr;
  EXPECT_EQ(context_->function(module, "absent", function).message,
            "cuModuleGetFunction: CUDA_ERROR_NOT_FOUND (500): named symbol not found "
            "(symbol absent)");
}

TEST_F(DeviceTest, ChecksALaunchBeforeTheDriverDoes) {
  Module module;
  FunctionHandle function = nullptr;
  ASSERT_TRUE(context_->load(std::string("text"), Code::AllowPtx, module).ok());
  ASSERT_TRUE(context_->function(module, "anything", function).ok());
  const auto launch = [&](LaunchShape shape) {
    return context_->launch(function, shape, {}, stream_);
  };
  EXPECT_TRUE(launch({{4, 1, 1}, {128, 1, 1}, 0}).ok());
  EXPECT_TRUE(launch({{0, 1, 1}, {128, 1, 1}, 0}).ok())
      << "the fake driver refuses it, as the real one";
  EXPECT_EQ(launch({{-1, 1, 1}, {128, 1, 1}, 0}).code, Status::kBadRequest);
  EXPECT_EQ(launch({{std::int64_t{1} << 31, 1, 1}, {128, 1, 1}, 0}).code, Status::kBadRequest);
  EXPECT_EQ(launch({{1, 65536, 1}, {128, 1, 1}, 0}).code, Status::kBadRequest);
  EXPECT_EQ(launch({{1, 1, 1}, {0, 1, 1}, 0}).code, Status::kBadRequest);
  EXPECT_EQ(launch({{1, 1, 1}, {128, 1, 1}, -1}).code, Status::kBadRequest);
}

TEST_F(DeviceTest, RecordsAndTimes) {
  Graph graph;
  Event start;
  Event end;
  float milliseconds = 0;
  EXPECT_TRUE(context_->beginCapture(stream_).ok());
  EXPECT_TRUE(context_->endCapture(stream_, graph).ok());
  ASSERT_TRUE(context_->event(start).ok());
  ASSERT_TRUE(context_->event(end).ok());
  EXPECT_TRUE(context_->record(start, stream_).ok());
  EXPECT_TRUE(context_->launch(graph, stream_).ok());
  EXPECT_TRUE(context_->record(end, stream_).ok());
  EXPECT_TRUE(context_->elapsed(start, end, milliseconds).ok());
  EXPECT_EQ(milliseconds, 1.5f);
}

} // namespace
} // namespace ordo::runtime::cuda
