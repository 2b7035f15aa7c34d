#include "optiks/ozks/verify/text.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace optiks::ozks::verify {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// Returns the six bits that a base64 character encodes, or nullopt for other characters.
std::optional<std::uint32_t> sextet(std::uint8_t c) {
  const std::size_t at = kAlphabet.find(static_cast<char>(c));
  return at == std::string_view::npos ? std::nullopt : std::optional(static_cast<std::uint32_t>(at));
}

// True if the character has Unicode's general category Cc.
bool is_control_character(char32_t c) { return c < 0x20 || (c >= 0x7F && c <= 0x9F); }

// True if `is_asked` returns true for at least one character of the text, or if the text is not UTF-8.
bool has_any(ByteSpan text, bool (*is_asked)(char32_t)) {
  while (!text.empty()) {
    const std::optional<char32_t> c = take_character(text);
    if (!c || is_asked(*c)) {
      return true;
    }
  }
  return false;
}

// True if the character has the property White_Space in Unicode 15 (PropList.txt).
bool is_white_space(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

}  // namespace

std::optional<char32_t> take_character(ByteSpan& text) {
  const std::uint8_t first = text[0];
  std::size_t length = 1;
  char32_t value = first;
  char32_t least = 0;
  if (first >= 0x80) {
    if (first < 0xC0 || first >= 0xF8) {
      return std::nullopt;
    }
    length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    constexpr std::array<char32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
    least = kLeast[length];
    value = first & (0x7FU >> length);
  }
  if (text.size() < length) {
    return std::nullopt;
  }
  for (const std::uint8_t octet : text.subspan(1, length - 1)) {
    if ((octet & 0xC0) != 0x80) {
      return std::nullopt;
    }
    value = value << 6 | (octet & 0x3F);
  }
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < least || value > 0x10FFFF || surrogate) {
    return std::nullopt;
  }
  text = text.subspan(length);
  return value;
}

bool is_utf8(ByteSpan text) {
  while (!text.empty()) {
    if (!take_character(text)) {
      return false;
    }
  }
  return true;
}

bool has_white_space(ByteSpan text) { return has_any(text, is_white_space); }

bool has_control_character(ByteSpan text) { return has_any(text, is_control_character); }

std::optional<std::size_t> base64_decoded_length(ByteSpan text) {
  if (text.size() % 4 != 0) {
    return std::nullopt;
  }
  std::size_t padding = 0;
  while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') {
    ++padding;
  }
  const ByteSpan digits = text.first(text.size() - padding);
  std::uint32_t last = 0;
  for (const std::uint8_t c : digits) {
    const auto bits = sextet(c);
    if (!bits) {
      return std::nullopt;
    }
    last = *bits;
  }
  // One '=' leaves two unused bits in the last digit, and two '=' leave four.
  const std::uint32_t unused = (1U << (2 * padding)) - 1;
  if ((last & unused) != 0) {
    return std::nullopt;
  }
  return text.size() / 4 * 3 - padding;
}

void base64_decode(ByteSpan text, base::MutableByteSpan out) {
  std::uint32_t pending = 0;
  std::size_t num_bits = 0;
  std::size_t written = 0;
  for (const std::uint8_t c : text) {
    if (written == out.size()) {
      return;
    }
    pending = pending << 6 | sextet(c).value_or(0);
    num_bits += 6;
    if (num_bits >= 8) {
      num_bits -= 8;
      out[written++] = static_cast<std::uint8_t>(pending >> num_bits);
    }
  }
}

std::optional<std::uint64_t> parse_decimal(ByteSpan text) {
  if (text.empty() || (text.size() > 1 && text[0] == '0')) {
    return std::nullopt;
  }
  std::uint64_t value = 0;
  for (const std::uint8_t c : text) {
    if (c < '0' || c > '9') {
      return std::nullopt;
    }
    if (__builtin_mul_overflow(value, std::uint64_t{10}, &value) ||
        __builtin_add_overflow(value, std::uint64_t{c} - '0', &value)) {
      return std::nullopt;
    }
  }
  return value;
}

}  // namespace optiks::ozks::verify
