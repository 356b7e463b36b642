#include "runtime/cpu/library.h"

#include <array>
#include <bit>
#include <dlfcn.h>
#include <utility>

namespace ordo::runtime {

namespace {

// The System V calling convention for x86-64 hands out registers by class, whatever the order in
// which the classes come: the first six words in general registers, the first eight floating-point
// numbers in vector registers, and what remains, in order, in eight bytes each on the stack. So
// every signature can be called through one type that has six words, eight doubles and some stack
// words: a callee does not see registers and stack words that it has no parameters for.
struct Frame {
  std::array<std::uint64_t, 6> words = {};
  std::array<double, 8> floats = {};
  std::array<std::uint64_t, kMaxArguments> stack = {};
  std::size_t stackWords = 0;
};

Frame place(std::span<const Argument> arguments) {
  Frame frame;
  std::size_t words = 0;
  std::size_t floats = 0;
  for (const Argument &argument : arguments) {
    if (argument.kind == Argument::Kind::Word && words < frame.words.size())
      frame.words[words++] = argument.bits;
    else if (argument.kind == Argument::Kind::Float && floats < frame.floats.size())
      frame.floats[floats++] = std::bit_cast<double>(argument.bits);
    else
      frame.stack[frame.stackWords++] = argument.bits;
  }
  return frame;
}

template <std::size_t... Stack>
void callThrough(void *function, const Frame &frame, std::index_sequence<Stack...>) {
  using Word = std::uint64_t;
  using Function = void (*)(Word, Word, Word, Word, Word, Word, double, double, double, double,
                            double, double, double, double, decltype((void)Stack, Word{})...);
  const auto &[a, b, c, d, e, f] = frame.words;
  const auto &x = frame.floats;
  reinterpret_cast<Function>(function)(a, b, c, d, e, f, x[0], x[1], x[2], x[3], x[4], x[5], x[6],
                                       x[7], frame.stack[Stack]...);
}

std::string loaderError() {
  const char *text = ::dlerror();
  return text != nullptr ? text : "unknown error of the dynamic loader";
}

} // namespace

std::string whyNoCpuKernels() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("x86-64-v3"))
    return "this processor lacks AVX2, BMI2 or another part of x86-64-v3";
  return "";
#else
  return "this is not an x86-64 machine";
#endif
}

std::unique_ptr<Library> Library::open(const std::string &path, std::string &error) {
  void *handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    error = loaderError();
    return nullptr;
  }
  return std::unique_ptr<Library>(new Library(handle));
}

Library::~Library() { ::dlclose(handle_); }

bool Library::call(const std::string &symbol, std::span<const Argument> arguments,
                   std::string &error) {
  if (error = whyNoCpuKernels(); !error.empty())
    return false;
  if (arguments.size() > kMaxArguments) {
    error = std::to_string(arguments.size()) + " arguments, and a call takes at most " +
            std::to_string(kMaxArguments);
    return false;
  }
  void *function = ::dlsym(handle_, symbol.c_str());
  if (function == nullptr) {
    error = loaderError();
    return false;
  }
  const Frame frame = place(arguments);
  if (frame.stackWords == 0)
    callThrough(function, frame, std::make_index_sequence<0>());
  else
    callThrough(function, frame, std::make_index_sequence<kMaxArguments>());
  return true;
}

} // namespace ordo::runtime
