// Reads the answer to GET /v1/cosignatures (docs/spec/cosigners.md sections 1 and 3).
#pragma once

#include <cstddef>
#include <vector>

#include "optiks/client/octets.h"

namespace optiks::client {

// The longest answer. It has room for the notes of as many cosigners as a server may have, and for the escapes of JSON.
inline constexpr std::size_t kMaxCosignaturesLen = std::size_t{256} << 10;
inline constexpr std::size_t kMaxCosignedNotes = 64;

// Returns the notes of an answer, which the caller has to verify. An answer without the expected form, or beyond these
// bounds, has no notes.
[[nodiscard]] std::vector<Bytes> read_cosignatures(ByteSpan answer);

}  // namespace optiks::client
