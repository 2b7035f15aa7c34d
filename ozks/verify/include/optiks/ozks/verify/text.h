// Functions for the lexical rules of notes and origins: UTF-8, Unicode spaces, canonical base64 and decimal numbers.
// Only one spelling of each value is accepted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "optiks/base/bytes.h"

namespace optiks::ozks::verify {

using base::ByteSpan;

// Removes the first character of `text`, which must not be empty, and returns it. Returns nullopt if `text` does not
// begin with a character in UTF-8.
[[nodiscard]] std::optional<char32_t> take_character(ByteSpan& text);

// True if `text` is well-formed UTF-8 by RFC 3629: it has no overlong forms, no surrogates and no characters above
// U+10FFFF.
[[nodiscard]] bool is_utf8(ByteSpan text);

// True if a character of `text` has Unicode's property White_Space. `text` must be UTF-8.
[[nodiscard]] bool has_white_space(ByteSpan text);

// True if a character of `text` has Unicode's general category Cc (U+0000 to U+001F, U+007F to U+009F). `text` must be
// UTF-8.
[[nodiscard]] bool has_control_character(ByteSpan text);

// Returns the decoded length of a base64 text. Returns nullopt unless the text is canonical standard base64 (RFC 4648
// section 4), with padding and with unused bits that are zero.
[[nodiscard]] std::optional<std::size_t> base64_decoded_length(ByteSpan text);

// Decodes the first `out.size()` octets of a text that base64_decoded_length() accepted. `out.size()` must be at most
// the length that it returned.
void base64_decode(ByteSpan text, base::MutableByteSpan out);

// Parses a decimal number of ASCII digits without leading zeros. Returns nullopt for other texts, and for numbers of
// 2^64 or more.
[[nodiscard]] std::optional<std::uint64_t> parse_decimal(ByteSpan text);

}  // namespace optiks::ozks::verify
