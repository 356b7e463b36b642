// What stops an execution or a proof: a message and where.
#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace ordo::verify {

struct Fault {
  std::string message;
  std::uint32_t line = 0; // an index into Kernel::lines
  bool hasThread = false;
  std::array<std::uint32_t, 3> thread = {0, 0, 0};
  std::string block; // "(3, 0, 0)", or the symbolic one
};

/// Thrown by domains; the machine adds the place.
struct DomainError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

} // namespace ordo::verify
