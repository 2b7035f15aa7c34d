// What the fuzz targets share: a trust anchor, and inputs that are judged on their own octets.
#pragma once

#include <cstdint>

#include "optiks/ozks/verify/answers.h"

namespace optiks::ozks::verify::fuzz {

// Accepts every signature: no fuzzer finds a true one, and what stands behind a signature is to be fuzzed too.
inline bool accept_any_signature(ByteSpan /*public_key*/, ByteSpan /*message*/, ByteSpan /*signature*/) { return true; }

// A verifier of the log that the answer itself names, with a clock that shows the record's own time: random changes
// then get past the first checks. The anchor's views are static.
Context context_for(ByteSpan record);

// Aborts unless reason is one of docs/spec/reasons.md: each outcome has a name.
void check_reason(Reason reason);

// Whether a view lies within the input: results never point elsewhere.
bool within(ByteSpan input, ByteSpan view);

}  // namespace optiks::ozks::verify::fuzz
