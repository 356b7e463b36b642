// The metadata note: MessagePack, LLVM's "Code Object V5 Metadata".
#pragma once

#include "compiler/verify/gcn/object.h"

#include <string_view>

namespace ordo::verify::gcn {

/// Fills in the arguments and the block's size, and checks what the descriptor says as well.
/// Throws ReadError.
void readMetadata(std::string_view note, KernelObject &kernel);

} // namespace ordo::verify::gcn
