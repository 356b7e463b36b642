// Declarations, names and operands; the families of instructions sit in lower_*.cc.
#include "compiler/verify/ptx/read.h"

#include "compiler/verify/ptx/lowering.h"

#include <algorithm>
#include <fmt/format.h>

namespace ordo::verify::ptx {
namespace {

constexpr std::uint64_t kMostRegisters = 1 << 20;

std::optional<SpecialRegister> specialOf(std::string_view name) {
  static const std::map<std::string_view, SpecialRegister> kSpecials = {
      {"%tid.x", SpecialRegister::TidX},
      {"%tid.y", SpecialRegister::TidY},
      {"%tid.z", SpecialRegister::TidZ},
      {"%ntid.x", SpecialRegister::NtidX},
      {"%ntid.y", SpecialRegister::NtidY},
      {"%ntid.z", SpecialRegister::NtidZ},
      {"%ctaid.x", SpecialRegister::CtaidX},
      {"%ctaid.y", SpecialRegister::CtaidY},
      {"%ctaid.z", SpecialRegister::CtaidZ},
      {"%nctaid.x", SpecialRegister::NctaidX},
      {"%nctaid.y", SpecialRegister::NctaidY},
      {"%nctaid.z", SpecialRegister::NctaidZ},
      {"%laneid", SpecialRegister::LaneId},
      {"%lanemask_lt", SpecialRegister::LaneMaskLt},
      {"%lanemask_le", SpecialRegister::LaneMaskLe},
      {"%lanemask_gt", SpecialRegister::LaneMaskGt},
      {"%lanemask_ge", SpecialRegister::LaneMaskGe},
      {"%lanemask_eq", SpecialRegister::LaneMaskEq},
  };
  const auto it = kSpecials.find(name);
  return it == kSpecials.end() ? std::nullopt : std::optional(it->second);
}

constexpr const char *kNoCalls =
    "functions besides the kernel are not modelled: compile with everything inlined";

std::string whyUnmodelled(std::string_view space) {
  if (space == "local")
    return "a thread's own memory, which is not modelled: keep it in registers";
  if (space == "param")
    return fmt::format("for a call; {}", kNoCalls);
  return "which the host may change: pass it as an argument";
}

} // namespace

std::optional<Type> typeOf(std::string_view word) {
  using Kind = Type::Kind;
  using dsl::DType;
  static const std::map<std::string_view, Type> kTypes = {
      {"pred", {Kind::Predicate, 1}},
      {"b8", {Kind::Bits, 8}},
      {"b16", {Kind::Bits, 16}},
      {"b32", {Kind::Bits, 32}},
      {"b64", {Kind::Bits, 64}},
      {"u8", {Kind::Unsigned, 8}},
      {"u16", {Kind::Unsigned, 16}},
      {"u32", {Kind::Unsigned, 32}},
      {"u64", {Kind::Unsigned, 64}},
      {"s8", {Kind::Signed, 8}},
      {"s16", {Kind::Signed, 16}},
      {"s32", {Kind::Signed, 32}},
      {"s64", {Kind::Signed, 64}},
      {"f16", {Kind::Float, 16, DType::F16}},
      {"bf16", {Kind::Float, 16, DType::BF16}},
      {"f32", {Kind::Float, 32, DType::F32}},
      {"f64", {Kind::Float, 64, DType::F64}},
      {"f16x2", {Kind::Float, 32, DType::F16, true}},
      {"bf16x2", {Kind::Float, 32, DType::BF16, true}},
  };
  const auto it = kTypes.find(word);
  return it == kTypes.end() ? std::nullopt : std::optional(it->second);
}

Lowering::Lowering(const Module &module, const Entry &entry) : module_(module), entry_(entry) {
  kernel_.name = entry.name;
  kernel_.target = module.target;
  const auto fill = [](std::array<std::uint32_t, 3> &to, const std::vector<std::uint32_t> &from) {
    if (from.empty())
      return;
    to = {1, 1, 1};
    std::copy_n(from.begin(), std::min<std::size_t>(from.size(), 3), to.begin());
  };
  fill(kernel_.requiredBlock, entry.reqntid);
  fill(kernel_.largestBlock, entry.maxntid);
  for (std::uint32_t number = 1; number <= module.lines.size(); ++number)
    kernel_.lines.push_back({number, module.lines[number - 1]});
}

Kernel Lowering::run() {
  if (module_.addressSize != 64)
    throw ReadError(entry_.line, "addresses of 32 bits are not modelled");
  if (entry_.hasCluster)
    throw ReadError(entry_.line, "clusters of blocks are not modelled");
  scopes_.emplace_back();
  parameters();
  variables();
  for (const Statement &s : entry_.body)
    statement(s);
  // Falling off the end is `ret`.
  kernel_.code.push_back(make(Op::Exit, 32));
  kernel_.code.back().guard = kNoRegister;
  resolveLabels();
  if (const std::string why = malformed(kernel_); !why.empty())
    throw ReadError(entry_.line, "the reader made code that is not well formed: " + why);
  return std::move(kernel_);
}

void Lowering::parameters() {
  std::uint32_t offset = 0;
  for (const Declaration &p : entry_.parameters) {
    const std::optional<Type> type = typeOf(p.type);
    if (!type || type->width < 8)
      throw ReadError(p.line, fmt::format("a parameter of type `.{}` is not modelled", p.type));
    const std::uint32_t element = type->width / 8u;
    const std::uint32_t bytes =
        element * static_cast<std::uint32_t>(std::max<std::int64_t>(p.count, 1));
    const std::uint32_t align = std::max(p.alignment, element);
    if ((align & (align - 1)) != 0 || bytes > (1u << 16))
      throw ReadError(p.line, "a parameter with this size or alignment is not modelled");
    offset = (offset + align - 1) / align * align;
    kernel_.parameters.push_back({p.name, offset, bytes, p.alignment});
    addVariable(p, {Space::Param, offset});
    offset += bytes;
  }
}

/// What the kernel declares itself comes first, then what the launch gives, at one address.
void Lowering::variables() {
  std::vector<const Declaration *> all;
  for (const Declaration &v : module_.variables)
    all.push_back(&v);
  for (const Statement &s : entry_.body)
    if (s.kind == Statement::Kind::Declaration && s.declaration.space != "reg")
      all.push_back(&s.declaration);
  const auto isAtLaunch = [](const Declaration *v) { return v->isExtern && v->count == 0; };
  for (const Declaration *v : all)
    if (!isAtLaunch(v))
      place(*v);
  std::uint64_t alignment = 1;
  for (const Declaration *v : all)
    if (isAtLaunch(v))
      alignment = std::max<std::uint64_t>(alignment, v->alignment);
  kernel_.sharedBytes = (kernel_.sharedBytes + alignment - 1) / alignment * alignment;
  for (const Declaration *v : all)
    if (isAtLaunch(v))
      placeAtLaunch(*v);
}

void Lowering::addVariable(const Declaration &v, Variable variable) {
  if (!variables_.emplace(v.name, variable).second)
    throw ReadError(v.line, fmt::format("`{}` is declared twice", v.name));
}

/// Nothing if `name` is no variable.
const Lowering::Variable *Lowering::variable(const std::string &name) const {
  if (const auto it = unmodelled_.find(name); it != unmodelled_.end())
    refuse(it->second);
  const auto it = variables_.find(name);
  return it == variables_.end() ? nullptr : &it->second;
}

void Lowering::placeAtLaunch(const Declaration &v) {
  if (v.space != "shared")
    throw ReadError(v.line, fmt::format("`{}` in `.{}` has no size", v.name, v.space));
  if (v.alignment > 1024 || (v.alignment & (v.alignment - 1)) != 0)
    throw ReadError(v.line, "a variable with this alignment is not modelled");
  kernel_.shared.push_back({v.name, kernel_.sharedBytes, 0});
  addVariable(v, {Space::Shared, kernel_.sharedBytes});
}

void Lowering::place(const Declaration &v) {
  const std::optional<Type> type = typeOf(v.type);
  if (!type || type->width < 8)
    throw ReadError(v.line, fmt::format("a variable of type `.{}` is not modelled", v.type));
  if (v.space != "shared") {
    // Headers bring many that a kernel never touches.
    unmodelled_[v.name] =
        fmt::format("`{}` lies in `.{}`, {}", v.name, v.space, whyUnmodelled(v.space));
    return;
  }
  if (v.hasInitialiser || v.count == 0)
    throw ReadError(v.line, "a variable in shared memory without a size, or with a value");
  const std::uint64_t element = type->width / 8u;
  const std::uint64_t align = std::max<std::uint64_t>(v.alignment, element);
  if ((align & (align - 1)) != 0 || v.count > 1 << 20)
    throw ReadError(v.line, "a variable with this size or alignment is not modelled");
  const std::uint64_t address = (kernel_.sharedBytes + align - 1) / align * align;
  const std::uint64_t bytes =
      element * static_cast<std::uint64_t>(std::max<std::int64_t>(v.count, 1));
  kernel_.shared.push_back({v.name, address, bytes});
  addVariable(v, {Space::Shared, address});
  kernel_.sharedBytes = address + bytes;
}

void Lowering::declareRegisters(const Declaration &d) {
  const std::optional<Type> type = typeOf(d.type);
  if (!type)
    throw ReadError(d.line, fmt::format("registers of type `.{}` are not modelled", d.type));
  const std::int64_t count = d.isNumbered ? d.count : 1;
  if (kernel_.registers.size() + static_cast<std::uint64_t>(count) > kMostRegisters)
    throw ReadError(d.line, "too many registers");
  for (std::int64_t k = 0; k < count; ++k) {
    const std::string name = d.isNumbered ? fmt::format("{}{}", d.name, k) : d.name;
    scopes_.back()[name] = static_cast<RegisterId>(kernel_.registers.size());
    kernel_.registers.push_back({name, type->width, false});
  }
}

void Lowering::statement(const Statement &s) {
  statement_ = &s;
  switch (s.kind) {
  case Statement::Kind::Open:
    scopes_.emplace_back();
    return;
  case Statement::Kind::Close:
    scopes_.pop_back();
    return;
  case Statement::Kind::Label:
    if (!labels_.emplace(s.label, static_cast<std::uint32_t>(kernel_.code.size())).second)
      throw ReadError(s.line, fmt::format("the label `{}` stands twice", s.label));
    return;
  case Statement::Kind::Declaration:
    if (s.declaration.space == "reg")
      declareRegisters(s.declaration);
    return; // the others have their places already
  case Statement::Kind::Instruction:
    return instruction();
  }
}

void Lowering::instruction() {
  guard_ = statement_->guard.empty() ? kNoRegister : find(statement_->guard);
  if (guard_ != kNoRegister && widthOf(guard_) != 1)
    refuse(fmt::format("the guard `{}` is not a predicate", statement_->guard));
  words_.assign(statement_->words.begin() + 1, statement_->words.end());
  pending_.clear();
  const std::string &op = statement_->words.front();
  mayBeWider_ = op == "cvt" || op == "ld" || op == "ldu" || op == "st";
  if (!conversion(op) && !floating(op) && !integer(op) && !memory(op) && !control(op))
    refuse(op == "call" ? kNoCalls : "is not modelled");
  if (!words_.empty())
    refuseWord(words_.front());
  finishDestinations();
}

void Lowering::finishDestinations() {
  for (const Pending &p : pending_) {
    Instruction i = make(p.isSigned ? Op::SignExtend : Op::ZeroExtend, widthOf(p.to));
    i.fromWidth = widthOf(p.from);
    i.dst = {p.to};
    i.src = {verify::Operand::of(p.from)};
    emit(std::move(i));
  }
  pending_.clear();
}

void Lowering::resolveLabels() {
  for (const Jump &jump : jumps_) {
    const auto it = labels_.find(jump.label);
    if (it == labels_.end())
      throw ReadError(jump.line, fmt::format("the label `{}` is not there", jump.label));
    kernel_.code[jump.instruction].target = it->second;
  }
}

RegisterId Lowering::find(const std::string &name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
    if (const auto it = scope->find(name); it != scope->end())
      return it->second;
  refuse(fmt::format("`{}` is not a register that was declared, nor a special one that is modelled",
                     name));
}

void Lowering::refuse(const std::string &why) const {
  throw ReadError(statement_->line, fmt::format("`{}`: {}", statement_->opcode, why));
}

void Lowering::refuseWord(const std::string &word) const {
  refuse(fmt::format("`.{}` is not modelled here", word));
}

bool Lowering::take(std::string_view word) {
  const auto it = std::ranges::find(words_, word);
  if (it == words_.end())
    return false;
  words_.erase(it);
  return true;
}

/// The last word.
Type Lowering::takeType() {
  if (words_.empty())
    refuse("has no type");
  const std::optional<Type> type = typeOf(words_.back());
  if (!type)
    refuseWord(words_.back());
  words_.pop_back();
  return *type;
}

std::optional<Round> Lowering::takeRounding() {
  static constexpr std::pair<std::string_view, Round> kRoundings[] = {{"rn", Round::NearestEven},
                                                                      {"rz", Round::TowardZero},
                                                                      {"rp", Round::Up},
                                                                      {"rm", Round::Down},
                                                                      {"rna", Round::NearestAway}};
  for (const auto &[word, rounding] : kRoundings)
    if (take(word))
      return rounding;
  return std::nullopt;
}

void Lowering::floatFlags(Instruction &i) {
  i.flushes = take("ftz");
  i.saturates = take("sat");
}

void Lowering::operands(std::size_t count) const { operands(count, count); }

void Lowering::operands(std::size_t least, std::size_t most) const {
  const std::size_t count = statement_->operands.size();
  if (count < least || count > most)
    refuse(fmt::format("{} operands", count));
}

RegisterId Lowering::temporary(std::uint8_t width) {
  if (kernel_.registers.size() >= kMostRegisters)
    refuse("too many registers");
  kernel_.registers.push_back({"", width, false});
  return static_cast<RegisterId>(kernel_.registers.size() - 1);
}

Instruction Lowering::make(Op op, std::uint8_t width) const {
  Instruction i;
  i.op = op;
  i.width = width;
  i.guard = guard_;
  i.guardNegated = statement_ != nullptr && statement_->guardNegated;
  i.line = statement_ == nullptr || statement_->line == 0 ? 0 : statement_->line - 1;
  return i;
}

Instruction &Lowering::emit(Instruction instruction) {
  kernel_.code.push_back(std::move(instruction));
  return kernel_.code.back();
}

Instruction &Lowering::emit(Op op, std::uint8_t width, RegisterId dst,
                            std::vector<verify::Operand> src) {
  Instruction i = make(op, width);
  if (dst != kNoRegister)
    i.dst = {dst};
  i.src = std::move(src);
  return emit(std::move(i));
}

verify::Operand Lowering::value(const Operand &operand, std::uint8_t width) {
  switch (operand.kind) {
  case Operand::Kind::Integer:
    return verify::Operand::imm(mask(operand.bits, width));
  case Operand::Kind::Float:
    if (operand.width != width)
      refuse(fmt::format("a literal of {} bits where {} are wanted", operand.width, width));
    return verify::Operand::imm(operand.bits);
  case Operand::Kind::Name:
    break;
  default:
    refuse("an operand of this kind is not modelled here");
  }
  if (operand.negated)
    refuse("a negated operand is not modelled here");
  if (const auto special = specialOf(operand.name)) {
    const RegisterId full = temporary(32);
    emit(Op::Special, 32, full, {}).special = *special;
    if (width == 32)
      return verify::Operand::of(full);
    if (width > 32)
      return verify::Operand::of(extended(verify::Operand::of(full), 32, width, false));
    const RegisterId low = temporary(width);
    emit(Op::Extract, width, low, {verify::Operand::of(full)}).fromWidth = 32;
    return verify::Operand::of(low);
  }
  const RegisterId reg = find(operand.name);
  if (widthOf(reg) == width)
    return verify::Operand::of(reg);
  if (widthOf(reg) < width || width < 8 || !mayBeWider_)
    refuse(fmt::format("`{}` has {} bits where {} are wanted", operand.name, widthOf(reg), width));
  const RegisterId low = temporary(width);
  emit(Op::Extract, width, low, {verify::Operand::of(reg)}).fromWidth = widthOf(reg);
  return verify::Operand::of(low);
}

/// A predicate, `!` included.
verify::Operand Lowering::predicate(const Operand &operand) {
  if (operand.kind == Operand::Kind::Integer)
    return verify::Operand::imm(operand.bits != 0);
  if (operand.kind != Operand::Kind::Name)
    refuse("a predicate is wanted");
  const RegisterId reg = find(operand.name);
  if (widthOf(reg) != 1)
    refuse(fmt::format("`{}` is not a predicate", operand.name));
  if (!operand.negated)
    return verify::Operand::of(reg);
  const RegisterId negated = temporary(1);
  emit(Op::Not, 1, negated, {verify::Operand::of(reg)});
  return verify::Operand::of(negated);
}

RegisterId Lowering::destination(const Operand &operand, std::uint8_t width, bool isSigned) {
  if (operand.kind == Operand::Kind::Sink)
    return temporary(width);
  if (operand.kind != Operand::Kind::Name || operand.negated)
    refuse("the destination is not a register");
  const RegisterId reg = find(operand.name);
  if (widthOf(reg) == width)
    return reg;
  if (widthOf(reg) < width || width < 8 || !mayBeWider_)
    refuse(fmt::format("`{}` has {} bits where {} are written", operand.name, widthOf(reg), width));
  const RegisterId narrow = temporary(width);
  pending_.push_back({narrow, reg, isSigned});
  return narrow;
}

RegisterId Lowering::extended(verify::Operand operand, std::uint8_t from, std::uint8_t to,
                              bool isSigned) {
  const RegisterId wide = temporary(to);
  emit(isSigned ? Op::SignExtend : Op::ZeroExtend, to, wide, {operand}).fromWidth = from;
  return wide;
}

std::pair<verify::Operand, verify::Operand> Lowering::halves(verify::Operand packed) {
  if (!packed.isRegister())
    return {verify::Operand::imm(packed.bits & 0xffff), verify::Operand::imm(packed.bits >> 16)};
  const RegisterId low = temporary(16), high = temporary(16);
  emit(Op::Extract, 16, low, {packed}).fromWidth = 32;
  Instruction &i = emit(Op::Extract, 16, high, {packed});
  i.fromWidth = 32;
  i.bit = 16;
  return {verify::Operand::of(low), verify::Operand::of(high)};
}

std::optional<std::vector<std::string>> entries(std::string_view text, ReadFailure &failure) {
  try {
    std::vector<std::string> names;
    for (const Entry &entry : parse(text).entries)
      names.push_back(entry.name);
    return names;
  } catch (const ReadError &error) {
    failure = {error.line, error.what()};
    return std::nullopt;
  }
}

std::optional<Kernel> read(std::string_view text, std::string_view name, ReadFailure &failure) {
  try {
    const Module module = parse(text);
    if (name.empty() && module.entries.size() != 1) {
      failure = {0, fmt::format("{} entries, and none was named", module.entries.size())};
      return std::nullopt;
    }
    for (const Entry &entry : module.entries)
      if (name.empty() || entry.name == name)
        return Lowering(module, entry).run();
    failure = {0, fmt::format("no entry `{}`", name)};
  } catch (const ReadError &error) {
    failure = {error.line, error.what()};
  }
  return std::nullopt;
}

} // namespace ordo::verify::ptx
