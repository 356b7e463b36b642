// What the compiled code computes on this CPU, against the evaluator's table, bit for bit.
#include "compiler/target/codegen.h"
#include "compiler/target/link.h"
#include "dsl/eval/numeric.h"
#include "tests/unit/compiler/target/numeric_cases.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <xmmintrin.h>

namespace ordo::compiler {
namespace {

using dsl::DType;

// All cases as one shared library, compiled once.
class Library {
public:
  static Library &get() {
    static Library library;
    return library;
  }

  using Function = void (*)(const void *, const void *, const void *, void *, std::int64_t);
  Function find(const std::string &name) const {
    return handle_ ? reinterpret_cast<Function>(dlsym(handle_, name.c_str())) : nullptr;
  }
  const std::string &error() const { return error_; }

private:
  Library() {
    mlir::DialectRegistry registry;
    registerCodegenDialects(registry);
    mlir::MLIRContext context(registry);
    auto module = mlir::parseSourceString<mlir::ModuleOp>(cpuModule(numericCases()), &context);
    const Target &target = *findTarget("cpu");
    if (!module || !lowerToLlvmDialect(*module, target, &error_))
      return;
    const auto code = emit(*module, target, &error_);
    const auto shared = code ? linkShared(code->object, &error_) : std::nullopt;
    if (!shared)
      return;
    const std::string path = ::testing::TempDir() + "/numerics.so";
    std::ofstream(path, std::ios::binary) << *shared;
    handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle_)
      error_ = dlerror();
  }

  void *handle_ = nullptr;
  std::string error_;
};

std::vector<std::byte> inMemory(DType type, const std::vector<std::uint64_t> &bits) {
  std::vector<std::byte> bytes(bits.size() * dsl::elementSize(type));
  for (std::size_t i = 0; i < bits.size(); ++i)
    dsl::storeBits(type, bytes.data() + i * dsl::elementSize(type), bits[i]);
  return bytes;
}

class Numerics : public ::testing::TestWithParam<NumericCase> {};

TEST_P(Numerics, AgreesWithTheEvaluator) {
  const NumericCase &c = GetParam();
  const auto function = Library::get().find(c.name());
  ASSERT_TRUE(function) << Library::get().error();
  const Operands operands = operandsFor(c);
  const std::size_t count = operands[0].size(), size = dsl::elementSize(c.type);
  std::array<std::vector<std::byte>, 3> in;
  for (int k = 0; k < 3; ++k)
    in[k] = inMemory(c.argType, operands[k]);
  std::vector<std::byte> out(count * size);

  // The caller flushes subnormals and rounds down: a kernel must neither care nor leave traces.
  const unsigned before = _mm_getcsr();
  const unsigned hostile = 0x1f80 | 0x8040 | 0x2000;
  _mm_setcsr(hostile);
  function(in[0].data(), in[1].data(), in[2].data(), out.data(), static_cast<std::int64_t>(count));
  const unsigned after = _mm_getcsr();
  _mm_setcsr(before);
  EXPECT_EQ(after & ~0x3fu, hostile);

  int wrong = 0;
  for (std::size_t i = 0; i < count && wrong < 5; ++i) {
    const std::uint64_t args[] = {operands[0][i], operands[1][i], operands[2][i]};
    const auto expected =
        dsl::evaluate(c.op, c.type, c.argType, std::span(args, c.arity()), c.rounding);
    ASSERT_TRUE(expected) << "the evaluator does not know " << c.name();
    const auto got = dsl::canonical(c.type, dsl::loadBits(c.type, out.data() + i * size));
    if (got == dsl::canonical(c.type, *expected))
      continue;
    ++wrong;
    ADD_FAILURE() << std::hex << c.name() << " of 0x" << args[0] << ", 0x" << args[1] << ", 0x"
                  << args[2] << " gives 0x" << got << ", not 0x" << *expected;
  }
}

INSTANTIATE_TEST_SUITE_P(Cpu, Numerics, ::testing::ValuesIn(numericCases()),
                         [](const auto &info) { return info.param.name(); });

// The mistake that a round trip through f32 makes: bf16 fma(3, 87, 2^-40) is 0x4383.
TEST(Fma, RoundsOnceInBf16) {
  const auto function = Library::get().find("fma_bf16");
  ASSERT_TRUE(function) << Library::get().error();
  const std::uint16_t a = 0x4040, b = 0x42ae, c = 0x2b80;
  std::uint16_t out = 0;
  function(&a, &b, &c, &out, 1);
  EXPECT_EQ(out, 0x4383);
}

} // namespace
} // namespace ordo::compiler
