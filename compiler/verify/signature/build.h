// A launch's signature as the symbolic machine takes it.
#pragma once

#include "compiler/verify/signature/launch.h"
#include "compiler/verify/symbolic/summary.h"

#include <string>

namespace ordo::verify {

/// Where the signature and the kernel do not fit (arguments that are too many, too few or of
/// another size, a block that the kernel does not take), or empty.
std::string mismatch(const LaunchSignature &launch, const Kernel &kernel);

/// Sizes, blocks and addresses become symbols of `terms`, with what holds of them among its facts;
/// the arrays' names go to its pool, an array's `tensor` being its place among the arrays. The
/// signature must fit the kernel.
Signature signatureOf(const LaunchSignature &launch, const Kernel &kernel, Terms &terms);

} // namespace ordo::verify
