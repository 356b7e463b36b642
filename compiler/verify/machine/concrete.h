// Concrete bits: the machine as an emulator.
#pragma once

#include "compiler/verify/machine/gcn_steps.h"
#include "compiler/verify/machine/machine.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ordo::verify {

struct ConcreteValue {
  std::uint64_t bits = 0;
  bool isUndefined = true; // never written, or computed from what was not

  bool operator==(const ConcreteValue &) const = default;
};

/// What an operation on floats gives for a NaN.
enum class NanStyle : std::uint8_t {
  Canonical, // NVIDIA: f32 0x7fffffff, f16 and bf16 0x7fff; f64 as the host has it
  Quiet,     // AMD: the operand's, made quiet
};

/// One array in the device's memory.
struct Region {
  std::string name;
  std::uint64_t base = 0; // device address
  std::vector<std::byte> bytes;
  bool isWritable = false;
  std::vector<std::uint32_t> writers; // by byte: the thread of the launch that wrote it, plus 1
};

/// The device's memory during one launch. Each byte of a writable region may be written once, and
/// not read: outputs overlap nothing and no contract updates in place yet.
class Memory {
public:
  /// Places the bytes at an address that is a multiple of `alignment` and far from the others.
  std::uint64_t add(std::string name, std::vector<std::byte> bytes, bool isWritable,
                    std::uint64_t alignment);
  std::uint64_t load(std::uint64_t address, unsigned bytes);
  void store(std::uint64_t address, unsigned bytes, std::uint64_t bits, std::uint32_t thread);
  Region &region(std::size_t index) { return regions_[index]; }
  const std::vector<Region> &regions() const { return regions_; }

private:
  Region &find(std::uint64_t address, unsigned bytes, const char *what);

  std::vector<Region> regions_;
  std::size_t last_ = 0;
  std::uint64_t next_ = 0x0000'0100'0000'0000u;
};

/// The values of one block.
class ConcreteDomain {
public:
  using Value = ConcreteValue;
  struct Path {
    bool operator==(const Path &) const = default;
  };
  static constexpr bool kSymbolic = false;

  struct Place {
    std::array<std::uint32_t, 3> grid = {1, 1, 1}, block = {0, 0, 0};
    std::uint32_t firstThread = 0; // of the block, in the launch
  };

  /// `approximations`: how AMDGCN's are computed; nothing where they have no documented error.
  ConcreteDomain(Memory &memory, std::span<const std::byte> parameters, Place place, NanStyle nans,
                 std::optional<Approximation> approximations)
      : memory_(memory), parameters_(parameters), place_(place), nans_(nans),
        approximations_(approximations) {}

  static Value constant(unsigned, std::uint64_t bits) { return {bits, false}; }
  Value special(SpecialRegister which) const;
  void apply(const Instruction &i, const Value *src, Value *dst) const;
  std::optional<bool> truth(const Value &value, Path) const;
  static std::optional<std::uint64_t> number(const Value &value) {
    return value.isUndefined ? std::nullopt : std::optional(value.bits);
  }
  static Value select(const Value &condition, const Value &a, const Value &b, unsigned) {
    return condition.isUndefined ? Value{} : (condition.bits & 1) != 0 ? a : b;
  }
  static Path extend(Path path, const Value &, bool) { return path; }
  static Value part(const Value &value, unsigned width, unsigned bit, unsigned ofWidth);
  static Value concat(std::span<const Value> lowestFirst, unsigned width);
  Value parameter(unsigned offset, unsigned bytes) const;
  void load(const Instruction &i, const Value &address, Path, const Accessor &, Value *dst);
  void store(const Instruction &i, const Value &address, const Value *elements, Path,
             const Accessor &who);
  static bool isUndefined(const Value &value) { return value.isUndefined; }

private:
  std::uint64_t known(const Value &address, const Instruction &i) const;

  Memory &memory_;
  std::span<const std::byte> parameters_;
  Place place_;
  NanStyle nans_;
  std::optional<Approximation> approximations_;
};

/// An operation from Mov to GcnMed3 on bits; the second result goes to `second`. Throws DomainError
/// where it has no value: a zero divisor, an approximation, a rounding that is not modelled.
std::uint64_t computeInteger(const Instruction &i, const std::uint64_t *src, std::uint64_t *second);
std::uint64_t computeFloat(const Instruction &i, const std::uint64_t *src, NanStyle nans);
bool isFloatOperation(Op op);

struct LaunchOf {
  std::array<std::uint32_t, 3> grid = {1, 1, 1};
  BlockShape block;
  std::vector<std::byte> parameters; // as Kernel::parameters lays them out
  MachineLimits limits;              // of each block
  RunOrder order;                    // in each block
};

/// Runs every block in turn, or says what stopped one. `approximations`: of AMDGCN.
std::optional<Fault> emulate(const Kernel &kernel, const LaunchOf &launch, Memory &memory,
                             Approximation approximations = Approximation::Nearest);

} // namespace ordo::verify
