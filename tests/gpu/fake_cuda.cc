// A stand-in for libcuda.so.1 that runs on the host, so that the checker itself is tested where
// there is no GPU.
//
// Device memory is host memory, streams are ignored, and a module is a text behind the ELF magic:
// the name of a behaviour. The helper kernels are the loops of check_kernels.cu; the kernel under
// test, `fake_norm`, computes y[t, h] = x[t, h] with the lowest bit of w[h] xored in, and
// `fake_fold` y[h] = all x[t, h] xored, well or wrongly as the module's text says.
#include "tests/gpu/pattern.h"

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

using namespace ordo::gpu;

namespace {

struct Module {
  std::string behaviour;
};
struct Function {
  Module *module;
  std::string name;
};

constexpr U64 kColumns = 40;     // of fake_norm
constexpr int kInvalidValue = 1; // CUDA_ERROR_INVALID_VALUE
constexpr int kNotFound = 500;   // CUDA_ERROR_NOT_FOUND
constexpr const char *kElf = "\x7f"
                             "ELF";

std::map<std::string, U64> &calls() {
  static std::map<std::string, U64> counts;
  return counts;
}

template <class T> T argument(void **arguments, int index) {
  T value;
  std::memcpy(&value, arguments[index], sizeof value);
  return value;
}
template <class T> T *pointer(void **arguments, int index) {
  return reinterpret_cast<T *>(argument<U64>(arguments, index));
}

void generate(void **a) {
  const auto source = argument<Source>(a, 1);
  const auto rows = argument<U64>(a, 2);
  const auto arrangement = argument<Arrangement>(a, 3);
  for (U64 row = 0; row < rows; ++row)
    for (U64 column = 0; column < source.columns; ++column)
      storeElement(pointer<void>(a, 0), source.format.bytes, row * source.columns + column,
                   elementBits(source, patternOf(arrangement, row), column));
}

void generateFixed(void **a) {
  const auto source = argument<Source>(a, 1);
  for (U64 i = 0; i < source.columns; ++i)
    storeElement(pointer<void>(a, 0), source.format.bytes, i,
                 elementBits(source, argument<U32>(a, 2), i));
}

void hash(void **a) {
  for (U64 i = 0; i < argument<U64>(a, 2); ++i)
    *pointer<U64>(a, 3) += hashShare(i, loadElement(pointer<void>(a, 0), argument<U32>(a, 1), i));
}

void compare(void **a) {
  const auto format = argument<Format>(a, 2);
  const auto columns = argument<U64>(a, 4);
  auto *result = pointer<Mismatch>(a, 6);
  for (U64 row = 0; row < argument<U64>(a, 3); ++row)
    for (U64 column = 0; column < columns; ++column) {
      const U64 index = row * columns + column;
      const U64 from = patternOf(argument<Arrangement>(a, 5), row) * columns + column;
      if (sameValue(format, loadElement(pointer<void>(a, 0), format.bytes, index),
                    loadElement(pointer<void>(a, 1), format.bytes, from)))
        continue;
      ++result->count;
      if (index < result->first)
        result->first = index;
    }
}

void expectBytes(void **a) {
  for (U64 i = 0; i < argument<U64>(a, 1); ++i)
    if (pointer<unsigned char>(a, 0)[i] != argument<U32>(a, 2))
      ++*pointer<U64>(a, 3);
}

void fakeNorm(const std::string &behaviour, void **a) {
  auto *x = pointer<std::uint16_t>(a, 0);
  const auto *w = pointer<std::uint16_t>(a, 1);
  auto *y = pointer<std::uint16_t>(a, 2);
  const auto rows = argument<U64>(a, 3);
  const auto eps = argument<U32>(a, 4);
  const Format bf16{2, 8, 7};
  for (U64 row = 0; row < rows; ++row)
    for (U64 h = 0; h < kColumns; ++h) {
      const U64 i = row * kColumns + h;
      y[i] = static_cast<std::uint16_t>(x[i] ^ (w[h] & 1) ^ (eps == 0x358637bd ? 0 : 1));
      if (behaviour == "other NaNs" && isNan(bf16, y[i]))
        y[i] = 0xffc1;
      if (behaviour == "loses the sign of zero" && y[i] == 0x8000)
        y[i] = 0;
      if (behaviour == "depends on the batch" && rows > 255 && row == 200 && h == 7)
        y[i] ^= 4;
      if (behaviour == "misses an element" && row == rows - 1 && h == kColumns - 1)
        y[i] = 0xa5a5;
    }
  if (behaviour == "writes past the end")
    y[rows * kColumns + 1] = 0;
  if (behaviour == "changes its input" && rows > 0)
    x[rows * kColumns - 1] ^= 1;
}

void fakeFold(const std::string &behaviour, void **a) {
  const auto rows = argument<U64>(a, 2);
  for (U64 h = 0; h < kColumns; ++h) {
    U32 all = 0;
    for (U64 row = 0; row < rows; ++row)
      if (behaviour != "misses the 65th row" || row != 64)
        all ^= pointer<U32>(a, 0)[row * kColumns + h];
    pointer<U32>(a, 1)[h] = all;
  }
}

} // namespace

extern "C" {

int cuInit(unsigned) { return 0; }
int cuDriverGetVersion(int *version) { return *version = 13000, 0; }
int cuDeviceGetCount(int *count) { return *count = 1, 0; }
int cuDeviceGet(int *device, int ordinal) { return *device = ordinal, 0; }
int cuDeviceGetName(char *name, int size, int) {
  std::strncpy(name, "no GPU", static_cast<std::size_t>(size));
  return 0;
}
int cuDeviceGetAttribute(int *value, int, int) { return *value = 1, 0; }
int cuDevicePrimaryCtxRetain(void **context, int) { return *context = &calls(), 0; }
int cuDevicePrimaryCtxRelease_v2(int) { return ++calls()["release context"], 0; }
int cuCtxSetCurrent(void *) { return 0; }
int cuCtxSynchronize() { return 0; }
int cuMemGetInfo_v2(std::size_t *free, std::size_t *total) { return *free = *total = 1 << 30, 0; }

int cuMemAlloc_v2(U64 *address, std::size_t bytes) {
  if (bytes == 0)
    return kInvalidValue;
  *address = reinterpret_cast<U64>(std::malloc(bytes));
  ++calls()["allocate"];
  return 0;
}
int cuMemFree_v2(U64 address) {
  std::free(reinterpret_cast<void *>(address));
  ++calls()["free"];
  return 0;
}
int cuMemcpyHtoDAsync_v2(U64 to, const void *from, std::size_t bytes, void *) {
  std::memcpy(reinterpret_cast<void *>(to), from, bytes);
  return 0;
}
int cuMemcpyDtoHAsync_v2(void *to, U64 from, std::size_t bytes, void *) {
  std::memcpy(to, reinterpret_cast<void *>(from), bytes);
  return 0;
}
int cuMemcpyDtoDAsync_v2(U64 to, U64 from, std::size_t bytes, void *) {
  std::memmove(reinterpret_cast<void *>(to), reinterpret_cast<void *>(from), bytes);
  return 0;
}
int cuMemsetD8Async(U64 to, unsigned char byte, std::size_t bytes, void *) {
  std::memset(reinterpret_cast<void *>(to), byte, bytes);
  return 0;
}

int cuModuleLoadDataEx(Module **module, const void *image, unsigned, int *, void **) {
  // A cubin has no terminator of its own; ours is the end of the line.
  const std::string text(static_cast<const char *>(image),
                         std::strcspn(static_cast<const char *>(image), "\n"));
  *module = new Module{text.starts_with(kElf) ? text.substr(4) : "PTX: " + text};
  return 0;
}
int cuModuleUnload(Module *module) {
  delete module;
  ++calls()["unload"];
  return 0;
}
int cuModuleGetFunction(Function **function, Module *module, const char *name) {
  static std::map<std::pair<Module *, std::string>, Function> functions;
  if (std::strcmp(name, "absent") == 0)
    return kNotFound;
  *function = &(functions[{module, name}] = {module, name});
  return 0;
}
int cuFuncGetAttribute(int *value, int attribute, Function *function) {
  const bool spills = function->module->behaviour == "spills";
  *value = attribute == 3 && spills ? 8 : attribute == 4 ? 32 : 0;
  return 0;
}

int cuLaunchKernel(Function *function, unsigned gridX, unsigned gridY, unsigned gridZ,
                   unsigned blockX, unsigned, unsigned, unsigned, void *, void **arguments,
                   void **) {
  if (gridX == 0 || gridY == 0 || gridZ == 0 || blockX == 0)
    return kInvalidValue;
  ++calls()["launch"];
  if (function->name == "ordo_generate")
    generate(arguments);
  else if (function->name == "ordo_generate_fixed")
    generateFixed(arguments);
  else if (function->name == "ordo_hash")
    hash(arguments);
  else if (function->name == "ordo_compare")
    compare(arguments);
  else if (function->name == "ordo_expect_bytes")
    expectBytes(arguments);
  else if (function->name == "fake_norm")
    fakeNorm(function->module->behaviour, arguments);
  else if (function->name == "fake_fold")
    fakeFold(function->module->behaviour, arguments);
  return function->module->behaviour == "faults" ? 700 : 0; // CUDA_ERROR_ILLEGAL_ADDRESS
}

int cuStreamCreate(void **stream, unsigned) { return *stream = &calls(), 0; }
int cuStreamDestroy_v2(void *) { return ++calls()["destroy stream"], 0; }
int cuStreamSynchronize(void *) { return 0; }
int cuStreamBeginCapture_v2(void *, int) { return 0; }
int cuStreamEndCapture(void *, void **graph) { return *graph = &calls(), 0; }
int cuGraphInstantiateWithFlags(void **exec, void *graph, unsigned long long) {
  return *exec = graph, 0;
}
int cuGraphLaunch(void *, void *) { return ++calls()["launch graph"], 0; }
int cuGraphDestroy(void *) { return ++calls()["destroy graph"], 0; }
int cuGraphExecDestroy(void *) { return ++calls()["destroy executable graph"], 0; }
int cuEventCreate(void **event, unsigned) { return *event = &calls(), 0; }
int cuEventDestroy_v2(void *) { return ++calls()["destroy event"], 0; }
int cuEventRecord(void *, void *) { return 0; }
int cuEventSynchronize(void *) { return 0; }
int cuEventElapsedTime(float *milliseconds, void *, void *) { return *milliseconds = 1.5f, 0; }
int cuGetErrorName(int code, const char **name) {
  if (code != kInvalidValue && code != kNotFound && code != 700)
    return kInvalidValue;
  *name = code == kNotFound ? "CUDA_ERROR_NOT_FOUND" : "CUDA_ERROR_INVALID_VALUE";
  return 0;
}
int cuGetErrorString(int code, const char **text) {
  if (code != kInvalidValue && code != kNotFound && code != 700)
    return kInvalidValue;
  *text = code == kNotFound ? "named symbol not found" : "invalid argument";
  return 0;
}

/// For tests: how often something happened.
U64 fakeCudaCalls(const char *what) { return calls()[what]; }
}
