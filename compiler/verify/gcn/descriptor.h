// The kernel descriptor's 64 bytes, field by field.
#pragma once

#include "compiler/verify/gcn/object.h"

#include <stdexcept>

namespace llvm::amdhsa {
struct kernel_descriptor_t;
} // namespace llvm::amdhsa

namespace ordo::verify::gcn {

/// Thrown inside the reader; its public functions turn it into a ReadFailure.
class ReadError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Fills in what the descriptor says of `kernel`, whose chip is known. Throws ReadError on what
/// readObject refuses.
void readDescriptor(const llvm::amdhsa::kernel_descriptor_t &raw, KernelObject &kernel);

} // namespace ordo::verify::gcn
