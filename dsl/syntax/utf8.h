// Decoding of UTF-8, strict: overlong forms, surrogates and values past U+10FFFF are not
// characters.
#pragma once

#include <cstdint>
#include <string_view>

namespace ordo::dsl {

struct Decoded {
  std::uint32_t codePoint = 0;
  std::uint32_t length = 0; // bytes; 0 where no character starts
};

inline Decoded decodeUtf8(std::string_view text) {
  if (text.empty())
    return {};
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80)
    return {lead, 1};
  const std::uint32_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length)
    return {};
  std::uint32_t value = lead & (0x7Fu >> length);
  for (std::uint32_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80)
      return {};
    value = value << 6 | (byte(i) & 0x3F);
  }
  constexpr std::uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < kSmallest[length] || value > 0x10FFFF || surrogate)
    return {};
  return {value, length};
}

} // namespace ordo::dsl
