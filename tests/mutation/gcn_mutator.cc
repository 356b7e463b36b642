#include "tests/mutation/gcn_mutator.h"

#include "compiler/verify/gcn/disassemble.h"
#include "tests/unit/compiler/verify/gcn/assemble.h"

#include <array>
#include <gtest/gtest.h>
#include <map>
#include <optional>

namespace ordo::mutation {
namespace {

using verify::gcn::Instruction;
using verify::gcn::Operand;

/// The text of an instruction from its parts.
std::string textOf(const std::string &mnemonic, const std::vector<std::string> &operands,
                   const Instruction &from) {
  std::string text = mnemonic;
  for (std::size_t i = 0; i < operands.size(); ++i)
    text += (i == 0 ? " " : ", ") + operands[i];
  for (const auto &[name, value] : from.modifiers)
    text += " " + name + (value.empty() ? "" : ":" + value);
  return text;
}

std::string suffixed(const std::string &mnemonic, const Instruction &from) {
  return from.encoding.empty() ? mnemonic : mnemonic + "_" + from.encoding;
}

bool isAny(const std::string &text, std::initializer_list<const char *> prefixes) {
  for (const char *prefix : prefixes)
    if (text.starts_with(prefix))
      return true;
  return false;
}

/// One instruction's text, changed by each rule that has something to change.
class Changes {
public:
  explicit Changes(const Instruction &at) : at_(at) {
    for (const Operand &operand : at.operands)
      operands_.push_back(operand.text);
    operands();
    operation();
    relation();
    constant();
    offset();
    nextRegister();
    special();
  }

  struct Change {
    std::string rule, text;
  };
  std::vector<Change> all;

private:
  void add(const char *rule, const std::string &mnemonic,
           const std::vector<std::string> &operands) {
    all.push_back({rule, textOf(suffixed(mnemonic, at_), operands, at_)});
  }

  void operands() {
    if (!isAny(at_.mnemonic, {"v_sub_", "v_subrev_", "v_lshlrev_", "v_lshrrev_", "v_cndmask_",
                              "v_cmp_lt_", "v_cmp_gt_", "v_cmp_le_", "v_cmp_ge_", "v_dual_sub_",
                              "v_dual_lshlrev_", "v_dual_cndmask_", "s_sub_", "s_lshl_b"}) ||
        operands_.size() < 3 || operands_[1] == operands_[2])
      return;
    auto swapped = operands_;
    std::swap(swapped[1], swapped[2]);
    add("operands", at_.mnemonic, swapped);
  }

  void operation() {
    static const std::map<std::string, std::string> kOther = {{"v_add_f32", "v_sub_f32"},
                                                              {"v_sub_f32", "v_add_f32"},
                                                              {"v_mul_f32", "v_add_f32"},
                                                              {"v_max_f32", "v_min_f32"},
                                                              {"v_and_b32", "v_or_b32"},
                                                              {"v_or_b32", "v_and_b32"},
                                                              {"v_xor_b32", "v_or_b32"},
                                                              {"v_add_u32", "v_sub_u32"},
                                                              {"v_add_nc_u32", "v_sub_nc_u32"},
                                                              {"s_add_u32", "s_sub_u32"},
                                                              {"v_lshrrev_b32", "v_lshlrev_b32"},
                                                              {"v_dual_add_f32", "v_dual_sub_f32"},
                                                              {"v_dual_mul_f32", "v_dual_add_f32"},
                                                              {"v_dual_sub_f32", "v_dual_add_f32"}};
    if (const auto it = kOther.find(at_.mnemonic); it != kOther.end())
      add("operation", it->second, operands_);
    if (at_.mnemonic == "v_fmac_f32")
      add("fusion", "v_mul_f32", operands_);
    if (at_.mnemonic == "v_fma_f32" && operands_.size() == 4) {
      auto zero = operands_;
      zero[3] = "0";
      add("fusion", at_.mnemonic, zero);
    }
  }

  void relation() {
    static const std::array<std::pair<const char *, const char *>, 8> kOther = {{{"_lt_", "_le_"},
                                                                                 {"_le_", "_lt_"},
                                                                                 {"_gt_", "_ge_"},
                                                                                 {"_ge_", "_gt_"},
                                                                                 {"_eq_", "_lg_"},
                                                                                 {"_lg_", "_eq_"},
                                                                                 {"_ne_", "_eq_"},
                                                                                 {"_o_", "_u_"}}};
    if (!isAny(at_.mnemonic, {"v_cmp_", "v_cmpx_", "s_cmp_"}))
      return;
    for (const auto &[from, to] : kOther) {
      const std::size_t place = at_.mnemonic.find(from);
      if (place == std::string::npos)
        continue;
      std::string other = at_.mnemonic;
      const bool isInteger = other.find("_f") == std::string::npos;
      other.replace(place, std::string(from).size(),
                    isInteger && std::string(to) == "_lg_" && other[0] == 'v' ? "_ne_" : to);
      return add("relation", other, operands_);
    }
  }

  void constant() {
    if (isAny(at_.mnemonic, {"s_cbranch", "s_branch", "s_nop", "s_load", "s_delay", "s_waitcnt",
                             "s_clause", "s_set_inst", "ds_", "global_"}))
      return;
    for (std::size_t i = 0; i < operands_.size(); ++i)
      if (at_.operands[i].kind == Operand::Kind::Integer) {
        auto larger = operands_;
        larger[i] = std::to_string(at_.operands[i].integer + 1);
        add(at_.mnemonic == "v_xor_b32" ? "lanes" : "constant", at_.mnemonic, larger);
      }
  }

  void offset() {
    if (!isAny(at_.mnemonic, {"ds_", "global_"}))
      return;
    Instruction moved = at_;
    bool has = false;
    for (auto &[name, value] : moved.modifiers)
      if (name.starts_with("offset") && value.find('(') == std::string::npos) {
        value = std::to_string(std::stol(value) + (name == "offset" ? 4 : 1));
        has = true;
        break;
      }
    if (!has)
      moved.modifiers.push_back(
          {at_.mnemonic.find("2") == std::string::npos || at_.mnemonic.starts_with("global")
               ? "offset"
               : "offset0",
           "4"});
    all.push_back({"offset", textOf(suffixed(at_.mnemonic, at_), operands_, moved)});
  }

  void nextRegister() {
    if (!isAny(at_.mnemonic, {"v_add_f32", "v_mul_f32", "v_fmac_f32", "v_fma_f32", "v_cndmask_b32",
                              "v_add3_u32", "ds_bpermute"}) ||
        operands_.size() < 3 || at_.operands[2].kind != Operand::Kind::Vgpr ||
        at_.operands[2].count != 1 || operands_[2].front() != 'v')
      return;
    auto other = operands_;
    other[2] = "v" + std::to_string(at_.operands[2].first + 1);
    add("register", at_.mnemonic, other);
  }

  void special() {
    if (at_.mnemonic == "s_barrier")
      all.push_back({"barrier", "s_nop 0"});
    if (at_.mnemonic == "s_waitcnt")
      all.push_back({"wait", "s_nop 0"});
    if (at_.mnemonic == "s_and_saveexec_b64" || at_.mnemonic == "s_and_saveexec_b32") {
      const bool isWide = at_.mnemonic.ends_with("64");
      all.push_back({"bound", (isWide ? "s_mov_b64 " : "s_mov_b32 ") + operands_[0] +
                                  (isWide ? ", exec" : ", exec_lo")});
    }
    if (at_.mnemonic == "global_store_dword" || at_.mnemonic == "global_store_b32")
      add("atomic", at_.mnemonic.ends_with("dword") ? "global_atomic_add" : "global_atomic_add_u32",
          operands_);
  }

  const Instruction &at_;
  std::vector<std::string> operands_;
};

class Mutator {
public:
  Mutator(const std::string &object, verify::gcn::KernelObject kernel)
      : object_(object), kernel_(std::move(kernel)),
        start_(object.find(std::string(kernel_.code.begin(), kernel_.code.end()))) {}

  std::vector<Mutant> run(const std::vector<Instruction> &code) {
    for (std::size_t i = 0; i < code.size(); ++i) {
      const bool isSecond = i > 0 && code[i - 1].pairsWithNext;
      for (const auto &[rule, text] : Changes(code[i]).all) {
        std::string whole = text, before = code[i].text;
        if (code[i].pairsWithNext) {
          whole += " :: " + code[i + 1].text;
          before += " :: " + code[i + 1].text;
        } else if (isSecond) {
          whole = code[i - 1].text + " :: " + whole;
          before = code[i - 1].text + " :: " + before;
        }
        replace(rule, code[i], before, whole);
      }
      if (i + 1 < code.size())
        reorder(code[i], code[i + 1]);
    }
    modes();
    return std::move(all_);
  }

private:
  void replace(const std::string &rule, const Instruction &at, const std::string &before,
               const std::string &after) {
    const auto bytes = verify::gcn::tryAssemble(kernel_.chip, kernel_.waveSize, after);
    const std::size_t place = start_ + (at.address - kernel_.address);
    const std::string text(bytes.begin(), bytes.end());
    if (bytes.size() != at.bytes || object_.compare(place, text.size(), text) == 0)
      return;
    Mutant mutant{rule, at.address, before, after, object_};
    mutant.object.replace(place, text.size(), text);
    all_.push_back(std::move(mutant));
  }

  /// d = a + b; e = d + c becomes d = a + c; e = d + b.
  void reorder(const Instruction &first, const Instruction &second) {
    if (first.mnemonic != "v_add_f32" || second.mnemonic != "v_add_f32" ||
        first.operands.size() != 3 || second.operands.size() != 3)
      return;
    const std::string &d = first.operands[0].text;
    const std::size_t sum = second.operands[1].text == d ? 1 : 2;
    if (second.operands[sum].text != d || second.operands[3 - sum].text == d)
      return;
    const std::string b = first.operands[2].text, c = second.operands[3 - sum].text;
    const auto one = verify::gcn::tryAssemble(
        kernel_.chip, kernel_.waveSize,
        textOf(suffixed(first.mnemonic, first), {d, first.operands[1].text, c}, first) + "\n" +
            textOf(suffixed(second.mnemonic, second), {second.operands[0].text, b, d}, second));
    if (one.size() != first.bytes + second.bytes)
      return;
    Mutant mutant{"order", first.address, first.text + "; " + second.text, "the other addend first",
                  object_};
    mutant.object.replace(start_ + (first.address - kernel_.address), one.size(),
                          std::string(one.begin(), one.end()));
    if (mutant.object != object_)
      all_.push_back(std::move(mutant));
  }

  /// compute_pgm_rsrc1 lies at byte 48 of the descriptor: bits 12 to 15 round, 16 to 19 keep
  /// subnormals.
  void modes() {
    std::size_t place = std::string::npos;
    for (std::size_t at = 0; at + 64 <= object_.size(); at += 64) {
      std::uint32_t words[16];
      object_.copy(reinterpret_cast<char *>(words), 64, at);
      if (words[0] == kernel_.ldsBytes && words[2] == kernel_.kernargBytes && words[1] == 0 &&
          (words[12] >> 16 & 15) == 15 && words[12] != 0)
        place = at;
    }
    ASSERT_NE(place, std::string::npos) << "the kernel's descriptor";
    for (int bit = 12; bit < 20; ++bit) {
      Mutant mutant{"mode", 0, "", "mode bit " + std::to_string(bit), object_};
      char &byte = mutant.object[place + 48 + static_cast<std::size_t>(bit / 8)];
      byte = static_cast<char>(byte ^ (1 << bit % 8));
      all_.push_back(std::move(mutant));
    }
  }

  const std::string &object_;
  verify::gcn::KernelObject kernel_;
  std::size_t start_;
  std::vector<Mutant> all_;
};

} // namespace

std::vector<std::string> rules() {
  return {"operands", "operation", "fusion", "relation", "constant", "offset", "register",
          "lanes",    "bound",     "wait",   "barrier",  "atomic",   "order",  "mode"};
}

std::vector<Mutant> mutants(const std::string &object, const std::string &kernel) {
  verify::gcn::ReadFailure failure;
  auto read = verify::gcn::readObject(object, kernel, failure);
  const auto code = read ? verify::gcn::disassemble(*read, failure) : std::nullopt;
  if (!code) {
    ADD_FAILURE() << failure.message;
    return {};
  }
  return Mutator(object, std::move(*read)).run(*code);
}

} // namespace ordo::mutation
