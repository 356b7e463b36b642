// One block of a kernel, run for all inputs, sizes and blocks.
#pragma once

#include "compiler/verify/symbolic/summary.h"

namespace ordo::verify {

/// One summary a case: where a wave branches on sizes or the block's number, both cases are run.
/// The conditions of a case are those of its path 0; together the cases leave nothing out. A fault
/// in any of them is the only summary.
///
/// `signature.arguments` are the kernel's, in its order. Loads lie inside arrays that are only
/// read, stores inside arrays that are only written; shared memory has no race, barriers are
/// reached by all. Addresses do not wrap if every array lies below 2^62.
///
/// `ofLongLoops`: a loop whose steps are known, and many, is shown by induction where that succeeds
/// (Summary::hasLongLoops), else run out like a short one.
std::vector<Summary> run(const Kernel &kernel, Terms &terms, const Signature &signature,
                         MachineLimits limits = {}, bool ofLongLoops = false);

} // namespace ordo::verify
