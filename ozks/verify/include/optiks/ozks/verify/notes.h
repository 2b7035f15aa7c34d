// Commitments to owner's notes (docs/spec/user-monitor.md section 8). Any thread may call these functions, which keep
// no state.
#pragma once

#include "optiks/base/bytes.h"
#include "optiks/ozks/verify/hash.h"

namespace optiks::ozks::verify {

// Returns the commitment to this note, for a NotedValue. `opening` must have kOpeningLen random octets, which the owner
// keeps.
[[nodiscard]] Hash note_commitment(ByteSpan opening, ByteSpan note);

// Returns true if the value is a NotedValue that commits to this note.
[[nodiscard]] bool is_note_of(ByteSpan value, ByteSpan opening, ByteSpan note);

}  // namespace optiks::ozks::verify
