// What a mutator does to a kernel's code: one change, by one rule.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ordo::mutation {

/// The rules. What a target does not have (rounding of one instruction on AMDGCN, waits in PTX) has
/// no mutants there.
namespace rule {
// Arithmetic.
inline constexpr char kOperands[] = "operands";   // sources exchanged where their order matters
inline constexpr char kCommuted[] = "commuted";   // and where it does not: the bits stay
inline constexpr char kOperation[] = "operation"; // sub for add, min for max, or for and, …
inline constexpr char kFused[] = "fused";         // a product and a sum as one fused multiply-add
inline constexpr char kUnfused[] = "unfused";     // a fused multiply-add as a product and a sum
inline constexpr char kContract[] = "contract";   // without .rn: the assembler may fuse
inline constexpr char kRounding[] = "rounding";   // not to nearest even
inline constexpr char kFlush[] = "flush";         // subnormals become zeros
inline constexpr char kSaturate[] = "saturate";   // clamped to [0, 1]
inline constexpr char kApprox[] = "approx";       // an approximation for the exact operation
inline constexpr char kSign[] = "sign";           // a sign is dropped or turned
inline constexpr char kConstant[] = "constant";   // one larger; of a float, the next
inline constexpr char kRegister[] = "register";   // a source is another register
inline constexpr char kWidth[] = "width";         // signed for unsigned, another format or size
inline constexpr char kNans[] = "nans";           // max and min that keep a NaN
inline constexpr char kIdentity[] = "identity";   // plus a zero, times one: some change -0.0
inline constexpr char kScaled[] = "scaled";       // times 2, times 0.5: exact but at the ends
inline constexpr char kCode[] = "code";           // bf16 rounded by integer code, not always right
inline constexpr char kNarrow[] = "narrow";       // index arithmetic in 32 bits instead of 64
// The shape of a reduction.
inline constexpr char kOrder[] = "order";     // (a + b) + c as (a + c) + b
inline constexpr char kSplit[] = "split";     // (a + b) + c as a + (b + c)
inline constexpr char kRestart[] = "restart"; // a sum starts anew: what it had is lost
// Addresses, bounds and control.
inline constexpr char kOffset[] = "offset";     // an access one element, or one access, further
inline constexpr char kArgument[] = "argument"; // another argument of the kernel
inline constexpr char kThread[] = "thread";     // another of the numbers of thread and block
inline constexpr char kRelation[] = "relation"; // less or equal for less, unequal for equal, …
inline constexpr char kBound[] = "bound";       // a bound is dropped: a branch, a clamp, a select
inline constexpr char kInverted[] = "inverted"; // a guard or a branch by the opposite
// Lanes, order of accesses, stores.
inline constexpr char kLanes[] = "lanes";     // an exchange with another lane
inline constexpr char kSegment[] = "segment"; // an exchange in other segments, by other members
inline constexpr char kExec[] = "exec";       // EXEC: all lanes on, none switched off or back on
inline constexpr char kBarrier[] = "barrier"; // dropped
inline constexpr char kLate[] = "late";       // a barrier one access later, or earlier
inline constexpr char kFence[] = "fence";     // a fence, or a warp's barrier, instead of a block's
inline constexpr char kPart[] = "part";       // a barrier for a part of the threads
inline constexpr char kWait[] = "wait";       // dropped
inline constexpr char kWeakWait[] = "weak wait"; // one access less waited for
inline constexpr char kAtomic[] = "atomic";      // a store that adds or exchanges
inline constexpr char kTwice[] = "twice";        // a store that happens twice
inline constexpr char kLost[] = "lost";          // a store that does not happen
inline constexpr char kMode[] = "mode"; // flushes or rounds otherwise, by the mode register
} // namespace rule

/// A line of the text becomes `text`, which may be several; empty: nothing is left there.
struct Edit {
  std::uint32_t line = 0; // from 0
  std::string text;
};

struct Change {
  std::string rule;
  std::string before, after; // for messages
  std::vector<Edit> edits;
};

std::string changed(std::string_view text, const Change &change);

} // namespace ordo::mutation
