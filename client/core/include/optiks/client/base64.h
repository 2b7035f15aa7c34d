// Base64 (RFC 4648). Decoding is strict, so that each string of octets has exactly one text: no white space, no other
// characters, and unused bits that are zero.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "optiks/client/octets.h"

namespace optiks::client {

// The standard alphabet with padding, for keys, roots and signatures (docs/spec/board.md section 2).
[[nodiscard]] std::optional<Bytes> base64_decode(ByteSpan text);
[[nodiscard]] std::string base64_encode(ByteSpan octets);

// The alphabet for URLs without padding, for everything in JSON and in queries (docs/spec/rest.md section 1).
[[nodiscard]] std::optional<Bytes> base64url_decode(ByteSpan text);
[[nodiscard]] std::string base64url_encode(ByteSpan octets);

}  // namespace optiks::client
