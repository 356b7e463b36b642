// Shared by the files that lower AMDGCN, a family of instructions each.
//
// HOW THE WAVE'S STATE IS HELD. SGPRs, VCC, EXEC and M0 are uniform registers of 32 bits, SCC a
// uniform bit, VGPRs per-lane registers of 32 bits; wider operands are concatenated when read and
// taken apart when written. `on_` is EXEC seen lane by lane: it is derived anew after each write of
// EXEC and guards every vector instruction's write, those of temporaries too.
#pragma once

#include "compiler/verify/gcn/object.h"
#include "compiler/verify/gcn/syntax.h"
#include "compiler/verify/machine/instruction.h"

#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ordo::verify::gcn {

/// Thrown where an instruction is not modelled; read() turns it into a ReadFailure.
struct LoweringError {
  std::uint64_t address;
  std::string message;
};

/// How the bits of a source are meant, which decides constants and modifiers.
enum class As : std::uint8_t { Bits, Float };

class Lowering {
public:
  using M = verify::Operand; // the machine's

  Lowering(const KernelObject &object, const std::vector<Instruction> &code);
  Kernel run();

private:
  // lowering.cc: the frame.
  void declareRegisters();
  void initialise();
  void instruction(const Instruction &instruction);
  void dual(const Instruction &first, const Instruction &second);
  void resolveBranches();
  void finishModifiers() const;
  [[noreturn]] void refuse(const std::string &why) const;

  // operands.cc: reading and writing.
  std::size_t count() const { return at_->operands.size(); }
  const Operand &at(std::size_t index) const;
  void operands(std::size_t least, std::size_t most) const;
  void operands(std::size_t exactly) const { operands(exactly, exactly); }
  RegisterId part(const Operand &operand, std::uint32_t index) const;
  M immediate(const Operand &operand, unsigned width, As as) const;
  M raw(const Operand &operand, unsigned width, As as);
  M source(std::size_t index, unsigned width, As as);
  M subDword(M word, std::size_t index, unsigned width);
  M modified(M value, const Operand &operand, unsigned width, As as);
  bool takesHigh(std::size_t index, const char *modifier) const;
  void setScalar(std::size_t index, M value, unsigned width);
  void setVector(std::size_t index, M value, unsigned width);
  void setPair(const Operand &operand, M low, M high);
  void setHalf(const Operand &operand, M value, unsigned width);
  M mask(const Operand &operand);
  M laneOf(const Operand &operand);
  void setMask(const Operand &operand, M bit);
  void setScc(M bit) { assign(scc_, bit); }
  void execChanged();
  const Modifier *modifier(std::string_view name) const;
  bool take(std::string_view name);
  std::string takeValue(std::string_view name);
  std::int64_t takeNumber(std::string_view name, std::int64_t otherwise);

  // lowering.cc: emission. A value is uniform in a scalar instruction, per lane in a vector one.
  verify::Instruction make(Op op, unsigned width) const;
  RegisterId temporary(unsigned width, bool uniform);
  RegisterId temporary(unsigned width) { return temporary(width, isScalar_); }
  verify::Instruction &push(verify::Instruction instruction);
  M emit(Op op, unsigned width, std::vector<M> src);
  M floating(Op op, unsigned width, std::vector<M> src);
  void assign(RegisterId reg, M value);
  void assign(RegisterId reg, M value, RegisterId guard);
  M extract(M value, unsigned width, unsigned bit, unsigned ofWidth);
  M concat(M low, M high, unsigned widthOfEach);
  M zeroExtend(M value, unsigned from, unsigned to);
  M signExtend(M value, unsigned from, unsigned to);
  M isNonZero(M value, unsigned width);
  M undefined(unsigned width);
  /// Whether an instruction before this one in the text writes the register.
  bool isWritten(RegisterId reg) const { return reg < written_.size() && written_[reg]; }

  // Each returns false if the mnemonic is not of its family.
  bool scalar(const std::string &op);        // scalar.cc
  bool scalarCompare(const std::string &op); // scalar.cc
  bool control(const std::string &op);       // control.cc
  bool integer(const std::string &op);       // integer.cc
  bool bitwise(const std::string &op);       // integer.cc
  bool arithmetic(const std::string &op);    // floats.cc
  bool conversion(const std::string &op);    // convert.cc
  bool compare(const std::string &op);       // compare.cc
  bool packed(const std::string &op);        // packed.cc
  bool lanes(const std::string &op);         // lanes.cc
  bool memory(const std::string &op);        // memory.cc

  // scalar.cc
  void scalarLogic(Op op, unsigned width, bool invertsSecond, bool invertsResult);
  void scalarAdd(Op op, bool takesCarry, bool isSigned);
  void scalarShift(Op op, unsigned width);
  void saveExec(Op op, unsigned width, int inverted, bool invertsResult);
  // control.cc
  void branch(M condition, bool negated);
  std::uint64_t branchTarget(const Instruction &instruction) const;
  void waitFor(std::string_view text);
  // integer.cc
  void addCarry(Op op, bool takesCarry, bool isReversed);
  void permuteBytes();
  M firstBit(M value, unsigned width, bool fromBottom, bool isSigned);
  void multiplyAdd(bool isSigned);
  // floats.cc
  void divScale(unsigned width);
  void minMax(Op op, unsigned width);
  M minMaxOf(Op op, unsigned width, M a, M b);
  bool isQuieted(M value) const;
  void finishFloat(M value, unsigned width);
  // compare.cc
  M relation(const std::string &op, unsigned width, char type, std::size_t first);
  // lanes.cc
  void beginDataParallel(std::size_t firstSource);
  void swizzle();
  void permuteLanes();
  std::vector<std::int8_t> dataParallelTable();
  // memory.cc
  bool scalarLoad(const std::string &op);
  bool globalAccess(const std::string &op);
  bool sharedAccess(const std::string &op);
  void access(Space space, unsigned bits, bool isLoad, M address, std::int64_t offset,
              const Operand &data, Counter counter, bool isSigned, int half);
  void pending(Space space, Counter counter, std::vector<RegisterId> registers);
  void pairAccess(bool isLoad, unsigned bits, unsigned stride);

  const KernelObject &object_;
  const std::vector<Instruction> &code_;
  Kernel kernel_;
  bool isGfx11_;
  const Instruction *at_ = nullptr;
  std::uint32_t line_ = 0;
  bool isScalar_ = false;
  std::vector<bool> taken_;            // modifiers, by index
  RegisterId guard_ = kNoRegister;     // of vector writes: on_, or on_ and what DPP leaves
  std::optional<std::size_t> moved_;   // the source that DPP moves
  std::vector<std::int8_t> table_;     // how
  std::optional<RegisterId> redirect_; // VOPD: where the first one's result waits

  std::vector<bool> written_; // by register, as far as `seen_` in the code
  std::size_t seen_ = 0;
  std::vector<RegisterId> vgprs_, sgprs_;
  RegisterId vcc_[2] = {}, exec_[2] = {}, m0_ = 0, scc_ = 0, on_ = 0;
  std::map<std::pair<unsigned, bool>, std::vector<RegisterId>> pool_; // temporaries
  std::map<std::pair<unsigned, bool>, std::size_t> used_;             // by this instruction
  std::map<std::pair<unsigned, bool>, RegisterId> undefined_;
  std::map<std::uint64_t, std::uint32_t> starts_; // address to instruction
  std::set<std::uint64_t> entries_;               // addresses that a branch names
  std::size_t lastEntry_ = 0;                     // the instruction of the last one passed
  struct Jump {
    std::size_t instruction;
    std::uint64_t target, from;
  };
  std::vector<Jump> jumps_;
};

} // namespace ordo::verify::gcn
