#include "compiler/verify/machine/concrete.h"

#include <cstring>
#include <fmt/format.h>

namespace ordo::verify {
namespace {

constexpr std::uint64_t kGap = std::uint64_t{1} << 24; // between regions

std::uint64_t masked(std::uint64_t bits, unsigned width) {
  return width >= 64 ? bits : bits & ((std::uint64_t{1} << width) - 1);
}

} // namespace

std::uint64_t Memory::add(std::string name, std::vector<std::byte> bytes, bool isWritable,
                          std::uint64_t alignment) {
  // Aligned to what was asked for and no more, so that a kernel which needs more shows.
  const std::uint64_t base =
      (next_ + 2 * alignment - 1) / (2 * alignment) * (2 * alignment) + alignment;
  next_ = base + bytes.size() + kGap;
  std::vector<std::uint32_t> writers(isWritable ? bytes.size() : 0);
  regions_.push_back({std::move(name), base, std::move(bytes), isWritable, std::move(writers)});
  return base;
}

Region &Memory::find(std::uint64_t address, unsigned bytes, const char *what) {
  const auto holds = [&](const Region &r) {
    return address >= r.base && address - r.base <= r.bytes.size() &&
           bytes <= r.bytes.size() - (address - r.base);
  };
  if (last_ < regions_.size() && holds(regions_[last_]))
    return regions_[last_];
  for (std::size_t k = 0; k < regions_.size(); ++k)
    if (holds(regions_[k])) {
      last_ = k;
      return regions_[k];
    }
  for (const Region &r : regions_)
    if (address + kGap / 2 >= r.base && address < r.base + r.bytes.size() + kGap / 2)
      throw DomainError(fmt::format("{}s {} bytes at byte {} of {}, which has {}", what, bytes,
                                    static_cast<std::int64_t>(address - r.base), r.name,
                                    r.bytes.size()));
  throw DomainError(
      fmt::format("{}s {} bytes at {:#x}, which lies in no argument", what, bytes, address));
}

std::uint64_t Memory::load(std::uint64_t address, unsigned bytes) {
  const Region &r = find(address, bytes, "load");
  if (r.isWritable)
    throw DomainError(fmt::format("loads from {}, which is only written", r.name));
  std::uint64_t bits = 0;
  std::memcpy(&bits, r.bytes.data() + (address - r.base), bytes);
  return bits;
}

void Memory::store(std::uint64_t address, unsigned bytes, std::uint64_t bits,
                   std::uint32_t thread) {
  Region &r = find(address, bytes, "store");
  if (!r.isWritable)
    throw DomainError(fmt::format("stores to {}, which is only read", r.name));
  const std::uint64_t at = address - r.base;
  for (unsigned k = 0; k < bytes; ++k) {
    if (r.writers[at + k] != 0)
      throw DomainError(
          fmt::format("stores byte {} of {}, which was stored before", at + k, r.name));
    r.writers[at + k] = thread + 1;
  }
  std::memcpy(r.bytes.data() + at, &bits, bytes);
}

ConcreteValue ConcreteDomain::special(SpecialRegister which) const {
  switch (which) {
  case SpecialRegister::CtaidX:
  case SpecialRegister::CtaidY:
  case SpecialRegister::CtaidZ:
    return {place_.block[static_cast<int>(which) - static_cast<int>(SpecialRegister::CtaidX)],
            false};
  case SpecialRegister::NctaidX:
  case SpecialRegister::NctaidY:
  case SpecialRegister::NctaidZ:
    return {place_.grid[static_cast<int>(which) - static_cast<int>(SpecialRegister::NctaidX)],
            false};
  default:
    throw DomainError("a special register that is not modelled");
  }
}

void ConcreteDomain::apply(const Instruction &i, const Value *src, Value *dst) const {
  if (i.op == Op::Select) {
    dst[0] = select(src[0], src[1], src[2], i.width);
    return;
  }
  std::array<std::uint64_t, kMostOperands> bits;
  for (std::size_t k = 0; k < i.src.size(); ++k) {
    if (src[k].isUndefined) {
      for (std::size_t d = 0; d < i.dst.size(); ++d)
        dst[d] = {};
      return;
    }
    bits[k] = src[k].bits;
  }
  std::uint64_t second = 0;
  if (i.op >= Op::GcnDivScale && i.op <= Op::GcnMed3)
    dst[0] = {computeGcn(i, bits.data(), &second), false};
  else if (i.op == Op::Approx && approximations_)
    dst[0] = {approximate(i, bits[0], *approximations_), false};
  else
    dst[0] = {isFloatOperation(i.op) ? computeFloat(i, bits.data(), nans_)
                                     : computeInteger(i, bits.data(), &second),
              false};
  if (i.dst.size() > 1)
    dst[1] = {second, false};
}

std::optional<bool> ConcreteDomain::truth(const Value &value, Path) const {
  if (value.isUndefined)
    throw DomainError("a condition that depends on a value nobody defined");
  return (value.bits & 1) != 0;
}

ConcreteValue ConcreteDomain::part(const Value &value, unsigned width, unsigned bit, unsigned) {
  return value.isUndefined ? Value{} : Value{masked(value.bits >> bit, width), false};
}

ConcreteValue ConcreteDomain::concat(std::span<const Value> lowestFirst, unsigned width) {
  Value whole{0, false};
  for (std::size_t k = 0; k < lowestFirst.size(); ++k) {
    if (lowestFirst[k].isUndefined)
      return {};
    whole.bits |= masked(lowestFirst[k].bits, width) << (k * width);
  }
  return whole;
}

ConcreteValue ConcreteDomain::parameter(unsigned offset, unsigned bytes) const {
  if (offset > parameters_.size() || bytes > parameters_.size() - offset)
    throw DomainError(fmt::format("reads {} bytes at {} of the arguments, which have {}", bytes,
                                  offset, parameters_.size()));
  std::uint64_t bits = 0;
  std::memcpy(&bits, parameters_.data() + offset, bytes);
  return {bits, false};
}

std::uint64_t ConcreteDomain::known(const Value &address, const Instruction &i) const {
  if (address.isUndefined)
    throw DomainError("an address that nobody defined");
  const std::uint64_t at = address.bits + static_cast<std::uint64_t>(i.access.offset);
  const std::uint64_t bytes =
      i.access.aligned != 0 ? i.access.aligned : std::uint64_t{i.access.bits} / 8 * i.access.count;
  if (at % bytes != 0)
    throw DomainError(
        fmt::format("an address that is not a multiple of {} bytes: {:#x}", bytes, at));
  return at;
}

void ConcreteDomain::load(const Instruction &i, const Value &address, Path, const Accessor &,
                          Value *dst) {
  const std::uint64_t at = known(address, i);
  const unsigned bytes = i.access.bits / 8u;
  for (unsigned k = 0; k < i.access.count; ++k)
    dst[k] = {memory_.load(at + std::uint64_t{k} * bytes, bytes), false};
}

void ConcreteDomain::store(const Instruction &i, const Value &address, const Value *elements, Path,
                           const Accessor &who) {
  const std::uint64_t at = known(address, i);
  const unsigned bytes = i.access.bits / 8u;
  for (unsigned k = 0; k < i.access.count; ++k) {
    if (elements[k].isUndefined)
      throw DomainError("stores a value that nobody defined");
    memory_.store(at + std::uint64_t{k} * bytes, bytes, elements[k].bits,
                  place_.firstThread + who.thread);
  }
}

std::optional<Fault> emulate(const Kernel &kernel, const LaunchOf &launch, Memory &memory,
                             Approximation approximations) {
  const std::uint32_t threads = launch.block.threads();
  const auto &largest = kernel.largestBlock;
  if (kernel.requiredBlock[0] != 0 && kernel.requiredBlock != launch.block.size)
    return Fault{"the launch's block is not the one that the kernel requires", 0, false, {}, ""};
  if (largest[0] != 0 && threads > largest[0] * largest[1] * largest[2])
    return Fault{"the launch's block is larger than the kernel allows", 0, false, {}, ""};
  const bool isAmd = kernel.model == Model::LockStep;
  const NanStyle nans = isAmd ? NanStyle::Quiet : NanStyle::Canonical;
  const auto within = isAmd ? std::optional(approximations) : std::nullopt;
  std::uint32_t number = 0;
  for (std::uint32_t z = 0; z < launch.grid[2]; ++z)
    for (std::uint32_t y = 0; y < launch.grid[1]; ++y)
      for (std::uint32_t x = 0; x < launch.grid[0]; ++x) {
        ConcreteDomain domain(memory, launch.parameters,
                              {launch.grid, {x, y, z}, number++ * threads}, nans, within);
        Machine<ConcreteDomain> machine(kernel, domain, launch.block, launch.limits, launch.order);
        if (std::optional<Fault> fault = machine.run()) {
          fault->block = fmt::format("({}, {}, {})", x, y, z);
          return fault;
        }
      }
  return std::nullopt;
}

} // namespace ordo::verify
