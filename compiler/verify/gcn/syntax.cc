#include "compiler/verify/gcn/syntax.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

namespace ordo::verify::gcn {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
    text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t'))
    text.remove_suffix(1);
  return text;
}

/// Cuts at `separator` where no bracket is open; empty parts of repeated spaces are left out.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t start = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size()) {
      depth += text[i] == '[' || text[i] == '(';
      depth -= text[i] == ']' || text[i] == ')';
    }
    if (i == text.size() || (text[i] == separator && depth == 0)) {
      if (i > start)
        parts.push_back(text.substr(start, i - start));
      start = i + 1;
    }
  }
  return parts;
}

bool parseNumber(std::string_view text, std::int64_t &value) {
  const bool isNegative = !text.empty() && text.front() == '-';
  if (isNegative)
    text.remove_prefix(1);
  const bool isHex = text.starts_with("0x");
  if (isHex)
    text.remove_prefix(2);
  std::uint64_t magnitude = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), magnitude, isHex ? 16 : 10);
  if (text.empty() || error != std::errc() || end != text.data() + text.size())
    return false;
  value = static_cast<std::int64_t>(isNegative ? ~magnitude + 1 : magnitude);
  return true;
}

/// "v12", "v[2:3]", "s4", "s[0:1]".
bool parseNumbered(std::string_view text, Operand &operand) {
  operand.kind = text.front() == 'v' ? Operand::Kind::Vgpr : Operand::Kind::Sgpr;
  text.remove_prefix(1);
  std::int64_t first = 0, last = 0;
  if (text.starts_with("[") && text.ends_with("]")) {
    text = text.substr(1, text.size() - 2);
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos)
      return false;
    if (!parseNumber(text.substr(0, colon), first) || !parseNumber(text.substr(colon + 1), last))
      return false;
  } else {
    if (text.empty() || text.front() == '-' || !parseNumber(text, first))
      return false;
    last = first;
  }
  if (first < 0 || last < first || last > 255)
    return false;
  operand.first = static_cast<std::uint32_t>(first);
  operand.count = static_cast<std::uint32_t>(last - first + 1);
  return true;
}

struct NamedRegister {
  std::string_view name;
  Operand::Kind kind;
  std::uint32_t first, count;
};
constexpr std::array kNamed = {
    NamedRegister{"vcc", Operand::Kind::Vcc, 0, 2},
    NamedRegister{"vcc_lo", Operand::Kind::Vcc, 0, 1},
    NamedRegister{"vcc_hi", Operand::Kind::Vcc, 1, 1},
    NamedRegister{"exec", Operand::Kind::Exec, 0, 2},
    NamedRegister{"exec_lo", Operand::Kind::Exec, 0, 1},
    NamedRegister{"exec_hi", Operand::Kind::Exec, 1, 1},
    NamedRegister{"m0", Operand::Kind::M0, 0, 1},
    NamedRegister{"null", Operand::Kind::Null, 0, 1},
    NamedRegister{"off", Operand::Kind::Off, 0, 1},
};

bool parseFloat(std::string_view text, double &value) {
  if (text.find('.') == std::string_view::npos)
    return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

/// Removes `open` and `close` around the text, if both are there.
bool unwrap(std::string_view &text, std::string_view open, std::string_view close) {
  if (!text.starts_with(open) || !text.ends_with(close) || text.size() < open.size() + close.size())
    return false;
  text = text.substr(open.size(), text.size() - open.size() - close.size());
  return true;
}

Operand parseOperand(std::string_view text) {
  Operand operand;
  operand.text = std::string(text);
  if (parseNumber(text, operand.integer)) {
    operand.kind = Operand::Kind::Integer;
    return operand;
  }
  if (parseFloat(text, operand.number)) {
    operand.kind = Operand::Kind::Float;
    return operand;
  }
  operand.signExtended = unwrap(text, "sext(", ")");
  if (unwrap(text, "neg(", ")")) {
    operand.negated = true;
  } else if (text.starts_with("-")) {
    operand.negated = true;
    text.remove_prefix(1);
  }
  operand.absolute = unwrap(text, "|", "|") || unwrap(text, "abs(", ")");
  for (const NamedRegister &named : kNamed)
    if (text == named.name) {
      operand.kind = named.kind;
      operand.first = named.first;
      operand.count = named.count;
      return operand;
    }
  if (!text.empty() && (text.front() == 'v' || text.front() == 's') && parseNumbered(text, operand))
    return operand;
  if (parseNumber(text, operand.integer))
    operand.kind = Operand::Kind::Integer;
  else if (parseFloat(text, operand.number))
    operand.kind = Operand::Kind::Float;
  else
    operand.kind = Operand::Kind::Word;
  return operand;
}

constexpr std::array<std::string_view, 6> kEncodings = {"_e64_dpp", "_e32", "_e64",
                                                        "_sdwa",    "_dpp", "_dpp8"};

void splitMnemonic(std::string_view word, Instruction &instruction) {
  for (const std::string_view encoding : kEncodings)
    if (word.starts_with("v_") && word.ends_with(encoding)) {
      instruction.encoding = std::string(encoding.substr(1));
      word.remove_suffix(encoding.size());
      break;
    }
  instruction.mnemonic = std::string(word);
}

/// Instructions whose operand is text of its own.
bool hasFreeText(std::string_view mnemonic) {
  return mnemonic.starts_with("s_waitcnt") || mnemonic == "s_delay_alu" ||
         mnemonic.starts_with("s_sendmsg") || mnemonic.starts_with("s_setreg") ||
         mnemonic.starts_with("s_getreg");
}

std::optional<Instruction> parsePart(std::string_view text) {
  Instruction instruction;
  text = trimmed(text);
  instruction.text = std::string(text);
  const std::size_t space = text.find_first_of(" \t");
  splitMnemonic(text.substr(0, space), instruction);
  if (instruction.mnemonic.empty())
    return std::nullopt;
  if (space == std::string_view::npos)
    return instruction;
  const std::string_view rest = trimmed(text.substr(space));
  if (hasFreeText(instruction.mnemonic)) {
    Operand operand;
    operand.text = std::string(rest);
    instruction.operands.push_back(std::move(operand));
    return instruction;
  }
  const std::vector<std::string_view> pieces = split(rest, ',');
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const std::vector<std::string_view> words = split(trimmed(pieces[i]), ' ');
    if (words.empty() || (words.size() > 1 && i + 1 < pieces.size()))
      return std::nullopt;
    instruction.operands.push_back(parseOperand(words.front()));
    for (std::size_t j = 1; j < words.size(); ++j) {
      const std::size_t colon = words[j].find(':');
      const bool hasValue = colon != std::string_view::npos;
      instruction.modifiers.push_back(
          {std::string(words[j].substr(0, colon)),
           hasValue ? std::string(words[j].substr(colon + 1)) : std::string()});
    }
  }
  return instruction;
}

} // namespace

std::optional<std::vector<Instruction>> parseInstruction(std::string_view text) {
  std::vector<Instruction> parts;
  std::size_t start = 0;
  while (true) {
    const std::size_t end = text.find(" :: ", start);
    auto part = parsePart(text.substr(start, end == std::string_view::npos ? end : end - start));
    if (!part)
      return std::nullopt;
    parts.push_back(std::move(*part));
    if (end == std::string_view::npos)
      break;
    start = end + 4;
  }
  if (parts.size() > 2)
    return std::nullopt;
  parts.front().pairsWithNext = parts.size() == 2;
  return parts;
}

} // namespace ordo::verify::gcn
