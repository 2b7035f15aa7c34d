#include "optiks/client/display_text.h"

#include <optional>

#include "optiks/client/octets.h"
#include "optiks/ozks/verify/text.h"

namespace optiks::client {
namespace {

void append_escape(char32_t unit, std::string& out) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  out.append("\\u");
  for (int shift = 12; shift >= 0; shift -= 4) {
    out.push_back(kDigits[unit >> shift & 15]);
  }
}

}  // namespace

std::string escape_for_display(std::string_view text, std::size_t max_len) {
  constexpr char32_t kReplacement = 0xFFFD;
  std::string shown;
  ByteSpan rest = octets_of(text);
  while (!rest.empty()) {
    if (shown.size() >= max_len) {
      return shown.append("...");
    }
    const std::optional<char32_t> character = ozks::verify::take_character(rest);
    if (!character) {
      rest = rest.subspan(1);
    }
    const char32_t c = character.value_or(kReplacement);
    if (c >= 0x20 && c <= 0x7E) {
      shown.push_back(static_cast<char>(c));
    } else if (c < 0x10000) {
      append_escape(c, shown);
    } else {
      append_escape(0xD800 + ((c - 0x10000) >> 10), shown);
      append_escape(0xDC00 + ((c - 0x10000) & 0x3FF), shown);
    }
  }
  return shown;
}

}  // namespace optiks::client
