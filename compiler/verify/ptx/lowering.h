// Shared by the files that lower PTX, a family of instructions each.
#pragma once

#include "compiler/verify/machine/instruction.h"
#include "compiler/verify/ptx/read.h"
#include "compiler/verify/ptx/syntax.h"

#include <fmt/format.h>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ordo::verify::ptx {

/// What a type suffix says.
struct Type {
  enum class Kind : std::uint8_t { Bits, Unsigned, Signed, Float, Predicate };
  Kind kind = Kind::Bits;
  std::uint8_t width = 32;             // of the whole, packed ones too
  dsl::DType format = dsl::DType::F32; // floats
  bool isPacked = false;               // two halves: f16x2, bf16x2

  bool isFloat() const { return kind == Kind::Float; }
  bool isSigned() const { return kind == Kind::Signed; }
};
std::optional<Type> typeOf(std::string_view word);

/// The low `width` bits.
inline std::uint64_t mask(std::uint64_t bits, std::uint8_t width) {
  return width >= 64 ? bits : bits & ((std::uint64_t{1} << width) - 1);
}

/// Lowers the body of one entry. Methods of a family sit in lower_FAMILY.cc; each returns false if
/// the opcode is not of its family, and throws ReadError if it is but is not modelled.
class Lowering {
public:
  Lowering(const Module &module, const Entry &entry);
  Kernel run();

private:
  // read.cc: declarations, names and operands.
  void variables();
  void parameters();
  void place(const Declaration &declaration);
  void placeAtLaunch(const Declaration &declaration);
  void declareRegisters(const Declaration &declaration);
  void statement(const Statement &statement);
  void instruction();
  void resolveLabels();
  RegisterId find(const std::string &name) const;

  [[noreturn]] void refuse(const std::string &why) const;
  [[noreturn]] void refuseWord(const std::string &word) const;

  // The words of the opcode, taken one by one; what is left in the end is refused.
  bool take(std::string_view word);
  Type takeType();
  std::optional<Round> takeRounding();
  void floatFlags(Instruction &i);
  void operands(std::size_t count) const;
  void operands(std::size_t least, std::size_t most) const;
  const Operand &at(std::size_t index) const { return statement_->operands[index]; }

  RegisterId temporary(std::uint8_t width);
  std::uint8_t widthOf(RegisterId reg) const { return kernel_.registers[reg].width; }
  Instruction make(Op op, std::uint8_t width) const;
  Instruction &emit(Instruction instruction);
  Instruction &emit(Op op, std::uint8_t width, RegisterId dst, std::vector<verify::Operand> src);
  /// The operand as `width` bits: a register of that width, or of a wider one its low bits.
  verify::Operand value(const Operand &operand, std::uint8_t width);
  verify::Operand value(std::size_t index, std::uint8_t width) { return value(at(index), width); }
  verify::Operand predicate(const Operand &operand);
  /// The register that `operand` names, to be written with `width` bits: where it is wider, the
  /// value is extended after the instruction (finishDestinations).
  RegisterId destination(const Operand &operand, std::uint8_t width, bool isSigned = false);
  RegisterId destination(std::size_t index, std::uint8_t width, bool isSigned = false) {
    return destination(at(index), width, isSigned);
  }
  RegisterId extended(verify::Operand operand, std::uint8_t from, std::uint8_t to, bool isSigned);
  std::pair<verify::Operand, verify::Operand> halves(verify::Operand packed);
  void finishDestinations();

  // lower_integer.cc
  bool integer(const std::string &op);
  void addSub(Op op);
  void carryChain(Op op, bool takesCarry);
  void multiply(bool adds);
  void multiplyCarry();
  void binaryInteger(Op op, const Type &type);
  void shift(bool isLeft);
  void funnel();
  void bitField(bool inserts);
  void logic(Op op);
  void threeInputLogic();
  // lower_float.cc
  bool floating(const std::string &op);
  void floatOperation(Op op, std::size_t sources, const Type &type, Instruction pattern);
  void arithmetic(Op op, std::size_t sources);
  void divide(Op op, std::size_t sources);
  void minMax(Op op);
  void signOperation(Op op);
  void approximation(std::size_t sources);
  // lower_convert.cc
  bool conversion(const std::string &op);
  void convert();
  void convertPacked(const Type &to, const Type &from, const Instruction &pattern);
  void convertIntegers(const Type &to, const Type &from);
  void moveValue();
  void moveVector(std::uint8_t width);
  void toGeneric();
  void compare(bool toPredicate);
  RegisterId comparison(const std::string &relation, const Type &type);
  void select();
  // lower_memory.cc
  bool memory(const std::string &op);
  void loadStore(bool isLoad);
  Space takeSpace(bool mayBeParam);
  void takeCacheHints(Access &access);
  verify::Operand address(const Operand &operand, Space space, std::int64_t &offset);
  void atomic(bool returns);
  void copyAsync();
  // lower_control.cc
  bool control(const std::string &op);
  void branch();
  void barrier();
  void shuffle();
  void vote();
  void reduce();
  void fence();

  struct Pending { // an extension after the instruction
    RegisterId from, to;
    bool isSigned;
  };

  const Module &module_;
  const Entry &entry_;
  Kernel kernel_;
  const Statement *statement_ = nullptr;
  std::vector<std::string> words_;
  RegisterId guard_ = kNoRegister;
  bool mayBeWider_ = false; // cvt, ld and st take registers wider than their type
  std::vector<Pending> pending_;
  std::vector<std::map<std::string, RegisterId>> scopes_;
  struct Variable {
    Space space;
    std::uint64_t address;
  };
  const Variable *variable(const std::string &name) const;
  void addVariable(const Declaration &declaration, Variable variable);
  std::map<std::string, Variable> variables_;
  std::map<std::string, std::string> unmodelled_; // variables, and why: refused where they are used
  std::map<std::string, std::uint32_t> labels_;
  struct Jump {
    std::size_t instruction;
    std::string label;
    std::uint32_t line;
  };
  std::vector<Jump> jumps_;
  RegisterId carry_ = kNoRegister;
};

} // namespace ordo::verify::ptx
