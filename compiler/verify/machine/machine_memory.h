// Machine: loads, stores and copies. Shared memory is here, the rest is the domain's. Included by
// machine.h.
#pragma once

#include "compiler/verify/machine/machine.h"

namespace ordo::verify {

template <class D> void Machine<D>::memory(Wave &wave, const Instruction &i, const Group &group) {
  if (kernel_.model == Model::LockStep)
    ++wave.epoch; // the wave's accesses are seen in the order of its instructions
  std::array<Value, kMostOperands> dst;
  for (const std::uint32_t s : group) {
    thread_ = accessor(wave, s).thread;
    const bool once = isUniform(i);
    const std::optional<bool> isOn = once ? std::optional(true) : on(wave, i, s);
    if (isOn == false)
      continue;
    const Path path = pathOf(wave, i, s, isOn);
    switch (i.op) {
    case Op::Load:
      load(wave, i, s, path, dst.data());
      write(wave, i, s, isOn, dst.data());
      break;
    case Op::Store:
      store(wave, i, s, path);
      break;
    case Op::CopyAsync:
    case Op::CommitGroup:
    case Op::WaitGroup:
      if (!isOn)
        throw DomainError("an asynchronous copy under a condition that is not decided");
      if (i.op == Op::CopyAsync)
        copyAsync(wave, i, s, path);
      else if (i.op == Op::WaitGroup)
        waitGroups(wave, i, s);
      else {
        CopyGroups &copies = wave.copies[static_cast<std::size_t>(wave.slots[s].lane)];
        copies.committed.push_back(std::move(copies.open));
        copies.open.clear();
      }
      break;
    default:
      throw DomainError(fmt::format(
          "an atomic operation ({}): its order is not declared by any contract", i.what));
    }
    if (once)
      break;
  }
  if (i.access.counter != Counter::None)
    issue(wave, i);
}

/// The address among the arguments, or nothing if the access goes elsewhere.
template <class D>
std::optional<std::uint64_t> Machine<D>::parameterAddress(const Instruction &i,
                                                          const Value &address) {
  const auto offset = static_cast<std::uint64_t>(i.access.offset);
  if (i.access.space == Space::Param)
    return knownNumber(address, "the parameter's address") + offset;
  if (i.access.space != Space::Generic)
    return std::nullopt;
  const std::optional<std::uint64_t> number = domain_.number(address);
  if (!number || *number + offset - kParamWindow >= kParamWindowBytes)
    return std::nullopt;
  return *number + offset - kParamWindow;
}

/// The address in shared memory, or nothing if the access goes elsewhere.
template <class D>
std::optional<std::uint64_t> Machine<D>::sharedAddress(const Instruction &i, const Value &address) {
  if (i.access.space == Space::Global || i.access.space == Space::Constant)
    return std::nullopt;
  if (i.access.space == Space::Shared)
    return knownNumber(address, "the address in shared memory") +
           static_cast<std::uint64_t>(i.access.offset);
  if (i.access.space != Space::Generic)
    throw DomainError("memory of this space is not modelled");
  const std::optional<std::uint64_t> number = domain_.number(address);
  if (!number)
    return std::nullopt;
  const std::uint64_t inside =
      *number + static_cast<std::uint64_t>(i.access.offset) - kSharedWindow;
  return inside < kSharedWindowBytes ? std::optional(inside) : std::nullopt;
}

template <class D>
typename D::Value Machine<D>::sharedLoad(std::uint64_t address, unsigned bytes,
                                         const Accessor &who) {
  using Part = typename SharedMemory<Value>::Part;
  return shared_.load(address, bytes, who, [&](const std::vector<Part> &parts) {
    std::vector<Value> values;
    for (const Part &part : parts)
      values.push_back(part.bytes == 1
                           ? part.value
                           : domain_.part(part.value, 8, part.byte * 8, part.bytes * 8));
    return domain_.concat(values, 8);
  });
}

template <class D>
void Machine<D>::load(Wave &wave, const Instruction &i, std::uint32_t slot, Path path, Value *dst) {
  const Value address = readUnder(wave, i.src[0], slot, 64, path);
  const unsigned bytes = i.access.bits / 8u;
  const std::optional<std::uint64_t> parameter = parameterAddress(i, address);
  if (parameter) {
    const std::uint64_t at = *parameter;
    for (unsigned k = 0; k < i.access.count; ++k)
      dst[k] = domain_.parameter(static_cast<unsigned>(at) + k * bytes, bytes);
    return;
  }
  const std::optional<std::uint64_t> shared = sharedAddress(i, address);
  if (!shared)
    return domain_.load(i, address, path, accessor(wave, slot), dst);
  if (*shared % (std::uint64_t{bytes} * i.access.count) != 0 && i.access.aligned == 0)
    throw DomainError(fmt::format("loads {} bytes of shared memory at {}, which is not a multiple",
                                  bytes * i.access.count, *shared));
  for (unsigned k = 0; k < i.access.count; ++k)
    dst[k] = sharedLoad(*shared + std::uint64_t{k} * bytes, bytes, accessor(wave, slot));
}

template <class D>
void Machine<D>::store(Wave &wave, const Instruction &i, std::uint32_t slot, Path path) {
  const Value address = readUnder(wave, i.src[0], slot, 64, path);
  std::array<Value, kMostOperands> elements;
  for (unsigned k = 0; k < i.access.count; ++k)
    elements[k] = readUnder(wave, i.src[k + 1], slot, i.access.bits, path);
  const std::optional<std::uint64_t> shared = sharedAddress(i, address);
  if (!shared)
    return domain_.store(i, address, elements.data(), path, accessor(wave, slot));
  if constexpr (D::kSymbolic)
    if (!(path == Path{}))
      throw DomainError("a store to shared memory under a condition that is not decided");
  const unsigned bytes = i.access.bits / 8u;
  if (*shared % (std::uint64_t{bytes} * i.access.count) != 0 && i.access.aligned == 0)
    throw DomainError(fmt::format("stores {} bytes of shared memory at {}, which is not a multiple",
                                  bytes * i.access.count, *shared));
  for (unsigned k = 0; k < i.access.count; ++k)
    shared_.store(*shared + std::uint64_t{k} * bytes, bytes, elements[k], accessor(wave, slot));
}

/// Remembered until a wait for its group; till then what it will overwrite cannot be read.
template <class D>
void Machine<D>::copyAsync(Wave &wave, const Instruction &i, std::uint32_t slot, Path path) {
  if constexpr (D::kSymbolic)
    if (!(path == Path{}))
      throw DomainError("an asynchronous copy under a condition that is not decided");
  Copy copy;
  copy.slot = slot;
  copy.shared = knownNumber(read(wave, i.src[0], slot, 64), "the address in shared memory");
  copy.global = read(wave, i.src[1], slot, 64);
  copy.bytes =
      static_cast<unsigned>(knownNumber(read(wave, i.src[2], slot, 32), "the copy's size"));
  copy.read = i.src.size() > 3 ? static_cast<unsigned>(knownNumber(read(wave, i.src[3], slot, 32),
                                                                   "the bytes that are read"))
                               : copy.bytes;
  if ((copy.bytes != 4 && copy.bytes != 8 && copy.bytes != 16) || copy.read > copy.bytes ||
      copy.read % 4 != 0)
    throw DomainError("an asynchronous copy of this size is not modelled");
  shared_.invalidate(copy.shared, copy.bytes, accessor(wave, slot));
  wave.copies[static_cast<std::size_t>(wave.slots[slot].lane)].open.push_back(std::move(copy));
}

template <class D>
void Machine<D>::waitGroups(Wave &wave, const Instruction &i, std::uint32_t slot) {
  const std::uint64_t may = knownNumber(read(wave, i.src[0], slot, 32), "the groups to wait for");
  CopyGroups &copies = wave.copies[static_cast<std::size_t>(wave.slots[slot].lane)];
  Instruction word = i; // a load of four bytes
  word.op = Op::Load;
  word.access = {};
  word.access.space = Space::Global;
  while (copies.committed.size() > may) {
    for (const Copy &copy : copies.committed.front())
      for (unsigned at = 0; at < copy.bytes; at += 4) {
        Value value = domain_.constant(32, 0);
        word.access.offset = at;
        if (at < copy.read)
          domain_.load(word, copy.global, wave.slots[slot].path, accessor(wave, slot), &value);
        shared_.store(copy.shared + at, 4, value, accessor(wave, slot));
      }
    copies.committed.erase(copies.committed.begin());
  }
}

} // namespace ordo::verify
