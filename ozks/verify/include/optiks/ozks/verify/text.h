// The lexical rules of notes and origins: UTF-8, Unicode spaces, canonical base64, decimals. Each value has one
// spelling.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "optiks/base/bytes.h"

namespace optiks::ozks::verify {

using base::ByteSpan;

// Removes one character from the front of text, which is not empty. Returns nothing if text does not begin with a
// character in UTF-8.
[[nodiscard]] std::optional<char32_t> take_character(ByteSpan& text);

// True if text is well-formed by RFC 3629 (no overlong forms, no surrogates, nothing above U+10FFFF).
[[nodiscard]] bool is_utf8(ByteSpan text);

// True if a character has Unicode's White_Space property. text must be UTF-8.
[[nodiscard]] bool has_white_space(ByteSpan text);

// True if a character has Unicode's general category Cc (U+0000 to U+001F, U+007F to U+009F). text must be UTF-8.
[[nodiscard]] bool has_control_character(ByteSpan text);

// Returns the decoded length of canonical standard base64 (RFC 4648 section 4: padding, zero unused bits), or nothing
// if text is not canonical.
[[nodiscard]] std::optional<std::size_t> base64_decoded_length(ByteSpan text);

// Decodes text that base64_decoded_length accepts; writes the first out.size() octets. out.size() must not exceed the
// length that base64_decoded_length returned.
void base64_decode(ByteSpan text, base::MutableByteSpan out);

// Parses ASCII digits without leading zero, below 2^64.
[[nodiscard]] std::optional<std::uint64_t> parse_decimal(ByteSpan text);

}  // namespace optiks::ozks::verify
