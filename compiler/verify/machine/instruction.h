// The instructions of the machine that every reader lowers to, and the kernel that holds them.
//
// HOW A READER LOWERS. A reader (ptx/, gcn/, later sass/) turns one function into a Kernel: virtual
// registers and a flat list of Instructions. One instruction of the source may become several; each
// carries the index of its source line, so that a refusal can name it. What a reader does not know
// it refuses with the line and the opcode; it never drops or guesses an instruction.
//
// - Registers are declared with a width of 1 to 64 bits and hold bits; a float is its bits. A
// 64-bit
//   value that the source keeps in two 32-bit registers is built by Concat into a temporary and
//   split by Extract: the domains recognise both. Temporaries are cheap; make as many as you like.
// - A register is per lane, or `uniform`: one value for the wave (AMDGCN's SGPRs, SCC, VCC and EXEC
//   where they are read as scalars). An instruction whose destinations are all uniform runs once
//   and ignores the guard's lanes; its operands are uniform, but for the operations that cross
//   lanes (Ballot, ReadFirstLane, ReadLane). A uniform operand of a per-lane instruction is
//   broadcast.
// - `guard` is a 1-bit register: where it is 0 (1 with `guardNegated`), the lane does nothing and
//   keeps its registers. PTX's @%p is such a guard. AMDGCN keeps EXEC as a uniform 64-bit register
//   and derives the guard of the vector instructions that follow by LaneBit, once after each write
//   of EXEC; a compare that writes VCC is a per-lane compare, guarded, then a Ballot, which gives 0
//   for lanes that are off, as the hardware does.
// - Floats: one format an instruction (F16, BF16, F32, F64), rounding and flags stated. A packed
//   instruction (f16x2, v_pk_*) is split into its halves. No instruction contracts: Fma is fused,
//   Mul then Add is not.
//
// TWO MODELS OF CONTROL, chosen by Kernel::model.
// - Threads (PTX, SASS; sm_70 and later): each lane has its own program counter. A wave runs the
//   lanes with the smallest program counter that are not waiting, so lanes reconverge where the
//   code's layout lets them; nothing may depend on that (run_order.h tries others). The lanes named
//   by a member mask meet at the instruction that names them (Shuffle, Vote, WarpBarrier); a mask
//   whose lanes can never meet is an error. Lanes that exited count as having met.
// - LockStep (AMDGCN): a wave has one program counter; Branch takes a uniform guard; lanes are
//   switched by guards alone. Memory instructions of a wave are seen by its later ones in order.
//
// Memory waits: a load with a `counter` (AMDGCN) delivers its registers when a Wait says so;
// reading or overwriting them before is an error.
#pragma once

#include "dsl/types/dtype.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ordo::verify {

using RegisterId = std::uint32_t;
inline constexpr RegisterId kNoRegister = 0xffffffffu;
/// The most destinations, and the most operands, of an instruction.
inline constexpr std::size_t kMostOperands = 16;

enum class Op : std::uint8_t {
  // Bits. `width` is the operands' and the result's unless stated. Amounts of shifts are taken from
  // the whole operand; an amount of `width` or more gives 0 (ShrS: the sign everywhere), as PTX has
  // it. An ISA that masks amounts lowers to And and a shift.
  Mov,
  Add,
  Sub,
  Mul, // low half
  MulHiU,
  MulHiS,
  DivU, // a zero divisor is an error
  DivS, // truncates
  RemU,
  RemS,
  MinU,
  MinS,
  MaxU,
  MaxS,
  NegI,
  AbsI,
  And,
  Or,
  Xor,
  Not,
  Shl,
  ShrU,
  ShrS,
  Popc, // result 32 bits
  Clz,  // result 32 bits; of 0: width
  Brev,
  AddCarry,   // dst: sum, carry out (1 bit); src: a, b, carry in (1 bit)
  SubBorrow,  // dst: a - b - borrow in, borrow out
  ZeroExtend, // from `fromWidth` to `width`
  SignExtend,
  Extract,    // `width` bits from bit `bit` of the source, which is `fromWidth` wide
  Concat,     // src: lowest part first, each `fromWidth` wide; `width` is the sum
  BitField,   // src: value, position, length (each its low 8 bits); zero-extends; PTX bfe.u
  BitFieldS,  // sign-extends; PTX bfe.s
  BitInsert,  // src: field, base, position, length; PTX bfi
  FunnelLeft, // src: low, high, amount 0 … 32 (already clamped or wrapped); PTX shf.l
  FunnelRight,
  BytePermute, // src: a, b, selector; PTX prmt in its default mode
  Select,      // src: condition (1 bit), then, else
  // Comparisons: `width` is the operands', the result has 1 bit.
  CmpEq,
  CmpNe,
  CmpLtU,
  CmpLeU,
  CmpLtS,
  CmpLeS,
  // Floats, in `format`, result rounded once by `rounding`.
  FAdd,
  FSub,
  FMul,
  FDiv,
  FFma,
  FSqrt,
  FRcp, // 1/x correctly rounded
  FNeg, // of the sign bit
  FAbs,
  FMin, // drop a NaN, order -0 below +0
  FMax,
  FMinNan, // keep it
  FMaxNan,
  FCmpEq, // false with a NaN, but for FCmpNe; result 1 bit. An unordered form is the Not of its
          // opposite
  FCmpNe,
  FCmpLt,
  FCmpLe,
  FIsNan,   // either operand; one or two
  FConvert, // from `from` to `format`
  FToU,     // from `from` to an integer of `width`; saturates, NaN gives 0 (PTX cvt)
  FToS,
  UToF, // from an integer of `width` to `format`
  SToF,
  FRoundInt, // to an integral value by `rounding`
  Approx,    // an approximation by hardware, named by `what`: no domain computes it unless it has
             // its documented rule
  // AMDGCN's steps of division and square root; src as in the ISA's manual.
  GcnDivScale, // dst: scaled, flag (1 bit)
  GcnDivFmas,  // src: a, b, c, flag
  GcnDivFixup,
  GcnLdexp,
  GcnFrexpMant,
  GcnFrexpExp,
  GcnClass, // src: value, mask; result 1 bit
  GcnFract,
  GcnMed3,
  // Memory, by `access`. Load: dst: `count` elements of `access.bits`; src: address.
  // Store: src: address, elements.
  Load,
  Store,
  Atomic, // dst: the old value, where it is wanted; src: address, operand (, compare's new value)
  CopyAsync, // src: shared address, global address, bytes; completes at a wait for its group
  CommitGroup,
  WaitGroup, // src: how many groups may be outstanding
  Prefetch,  // no effect
  Fence,     // `what`: the scope, as written
  Wait,      // AMDGCN: src: how many loads of `access.counter` may be outstanding
  Pending,   // AMDGCN: dst, written just before, are what one access of `access.counter` delivers:
             // for accesses that are lowered to several instructions, and exchanges through LDS
  // Control.
  Branch, // to `target`
  Exit,
  Trap,        // an error where a lane reaches it
  Barrier,     // of the block: src: its number (0 in AMDGCN); all threads of the block take part
  WarpBarrier, // src: member mask
  // Across lanes.
  Shuffle, // dst: value (, 1 bit: the source was in range); src: value, b, c, member mask; PTX's
           // shfl.sync by `shuffle`
  Vote,    // dst: 1 bit, or the mask for Ballot; src: predicate, member mask; by `vote`
  Match,
  Reduce,  // redux.sync: src: value, member mask; `what` names the operation
  Ballot,  // LockStep: dst: uniform mask; src: 1 bit per lane; bits of lanes that are off are 0
  LaneBit, // dst: 1 bit per lane; src: uniform mask
  ReadFirstLane, // dst: uniform; src: per lane; of the lowest lane that is on, lane 0 if none is
  ReadLane,      // dst: uniform; src: per lane, uniform lane number
  WriteLane,     // dst: per lane, one lane of it changes; src: uniform value, uniform lane number
  LaneMove,    // dst[lane] = src[lanes[lane]]; -1: keeps dst, -2: zero. The source lane must be on
               // (guard) unless `what` is "inactive"; AMDGCN: DPP, ds_swizzle
  LanePermute, // dst[lane] = src[(index[lane] / 4) mod lanes]; src: index, value; ds_bpermute
  Special,     // dst: `special`
};

enum class Round : std::uint8_t { NearestEven, TowardZero, Up, Down, NearestAway };

enum class Space : std::uint8_t { Generic, Global, Shared, Constant, Param, Local };

/// AMDGCN's outstanding loads: vmcnt, lgkmcnt, vscnt (gfx10+).
enum class Counter : std::uint8_t { None, Vector, Scalar, Store };

enum class SpecialRegister : std::uint8_t {
  TidX,
  TidY,
  TidZ,
  NtidX,
  NtidY,
  NtidZ,
  CtaidX,
  CtaidY,
  CtaidZ,
  NctaidX,
  NctaidY,
  NctaidZ,
  LaneId,
  WarpId,
  LaneMaskLt,
  LaneMaskLe,
  LaneMaskGt,
  LaneMaskGe,
  LaneMaskEq,
  LiveLanes, // LockStep, uniform, 64 bits: the lanes that are threads of the block; EXEC's first
             // value
  ParamBase, // 64 bits: the address of the first argument's byte in Space::Param (AMDGCN: kernarg
             // segment)
};

enum class ShuffleMode : std::uint8_t { Up, Down, Butterfly, Index };
enum class VoteMode : std::uint8_t { All, Any, Uniform, Ballot };

/// A register, or an immediate if `reg` is kNoRegister.
struct Operand {
  RegisterId reg = kNoRegister;
  std::uint64_t bits = 0;

  bool isRegister() const { return reg != kNoRegister; }
  static Operand of(RegisterId reg) { return {reg, 0}; }
  static Operand imm(std::uint64_t bits) { return {kNoRegister, bits}; }
};

struct Access {
  Space space = Space::Generic;
  std::uint8_t bits = 32;   // of one element
  std::uint8_t count = 1;   // elements, consecutive in memory
  std::uint8_t aligned = 0; // bytes that the address must be a multiple of; 0: bits / 8 * count
  std::int64_t offset = 0;  // added to the address, in bytes
  bool readOnly = false;    // ld.global.nc, s_load: the memory does not change during the launch
  bool isVolatile = false;
  Counter counter = Counter::None;
};

struct Instruction {
  Op op = Op::Mov;
  std::uint8_t width = 32;
  std::uint8_t fromWidth = 0;
  std::uint8_t bit = 0; // Extract
  dsl::DType format = dsl::DType::F32;
  dsl::DType from = dsl::DType::F32;
  Round rounding = Round::NearestEven;
  bool flushes = false;   // .ftz: subnormal inputs and results become zeros of their sign
  bool saturates = false; // .sat: clamped to [0, 1], NaN gives +0
  bool mayContract =
      false; // PTX without .rn: the assembler may fuse this product or sum with another
  bool guardNegated = false;
  ShuffleMode shuffle = ShuffleMode::Butterfly;
  VoteMode vote = VoteMode::All;
  SpecialRegister special = SpecialRegister::TidX;
  Access access;
  RegisterId guard = kNoRegister;
  std::uint32_t target = 0; // Branch: an index into Kernel::code
  std::uint32_t line = 0;   // an index into Kernel::lines
  std::vector<RegisterId> dst;
  std::vector<Operand> src;
  std::vector<std::int8_t> lanes; // LaneMove
  std::string what;               // Approx, Reduce, Atomic, Fence: which one
};

struct Register {
  std::string name; // as in the source; temporaries may leave it empty
  std::uint8_t width = 32;
  bool uniform = false;
};

enum class Model : std::uint8_t { Threads, LockStep };

/// A line of the source: for PTX a line of the text, for AMDGCN an instruction of the disassembly.
struct SourceLine {
  std::uint32_t number = 0; // PTX: line; AMDGCN: byte offset in .text
  std::string text;
};

/// A variable in shared (LDS) memory, placed by the reader; or the whole static allocation.
struct SharedVariable {
  std::string name;
  std::uint64_t address = 0; // in Space::Shared
  std::uint64_t bytes = 0;   // 0: as many as the launch gives
};

/// One argument in the parameter space.
struct Parameter {
  std::string name;
  std::uint32_t offset = 0; // bytes
  std::uint32_t bytes = 0;
  std::uint32_t alignment = 0; // that the reader found declared; 0: none
};

struct Kernel {
  std::string name;
  std::string target; // "sm_90a", "gfx942"
  Model model = Model::Threads;
  int waveSize = 32;
  std::array<std::uint32_t, 3> requiredBlock = {0, 0, 0}; // .reqntid, 0: not stated
  std::array<std::uint32_t, 3> largestBlock = {0, 0,
                                               0}; // .maxntid (its product counts), 0: not stated
  std::vector<Register> registers;
  std::vector<Instruction> code;
  std::vector<SourceLine> lines;
  std::vector<Parameter> parameters;
  std::vector<SharedVariable> shared;
  std::uint64_t sharedBytes = 0; // its own; what is given at launch follows
  std::uint64_t localBytes = 0;  // of one thread
};

/// "mul.hi", …: for messages.
std::string_view name(Op op);

/// Why the kernel is not well formed (a register out of range, a width that does not fit, a branch
/// outside, a per-lane operand of a uniform instruction), or empty. Readers' output is checked
/// once, so that the machine need not.
std::string malformed(const Kernel &kernel);

} // namespace ordo::verify
