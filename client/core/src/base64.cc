#include "optiks/client/base64.h"

#include <algorithm>

#include "optiks/ozks/verify/text.h"

namespace optiks::client {

std::optional<Bytes> base64_decode(ByteSpan text) {
  const std::optional<std::size_t> length = ozks::verify::base64_decoded_length(text);
  if (!length) {
    return std::nullopt;
  }
  Bytes octets(*length);
  ozks::verify::base64_decode(text, octets);
  return octets;
}

std::string base64_encode(ByteSpan octets) {
  constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((octets.size() + 2) / 3 * 4);
  for (; !octets.empty(); octets = octets.subspan(std::min<std::size_t>(3, octets.size()))) {
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      group = group << 8 | (i < octets.size() ? octets[i] : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      text.push_back(i <= octets.size() ? kAlphabet[group >> (18 - 6 * i) & 63] : '=');
    }
  }
  return text;
}

// Translates the text into the standard alphabet with padding, so that there is only one decoder.
std::optional<Bytes> base64url_decode(ByteSpan text) {
  if (std::ranges::any_of(text, [](std::uint8_t c) { return c == '+' || c == '/' || c == '='; })) {
    return std::nullopt;
  }
  Bytes standard(text.begin(), text.end());
  std::ranges::replace(standard, std::uint8_t{'-'}, std::uint8_t{'+'});
  std::ranges::replace(standard, std::uint8_t{'_'}, std::uint8_t{'/'});
  // A single character after the last group of four gets three '=', which the decoder refuses.
  standard.resize((standard.size() + 3) / 4 * 4, '=');
  return base64_decode(standard);
}

std::string base64url_encode(ByteSpan octets) {
  std::string text = base64_encode(octets);
  std::ranges::replace(text, '+', '-');
  std::ranges::replace(text, '/', '_');
  text.erase(std::min(text.find('='), text.size()));
  return text;
}

}  // namespace optiks::client
