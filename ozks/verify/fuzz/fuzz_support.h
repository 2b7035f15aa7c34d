// Helpers of the fuzz targets: a trust anchor, and a verifier that takes its context from the input.
#pragma once

#include <cstdint>

#include "optiks/ozks/verify/answers.h"

namespace optiks::ozks::verify::fuzz {

// Accepts every signature: a fuzzer cannot make a true signature, and the octets after a signature must be fuzzed too.
inline bool accept_any_signature(ByteSpan /*public_key*/, ByteSpan /*message*/, ByteSpan /*signature*/) { return true; }

// Returns a verifier of the log that the answer itself names, whose clock shows the record's own time, so that random
// changes pass the first checks. The anchor's views are static.
Context context_for(ByteSpan record);

// Aborts unless reason is one of docs/spec/reasons.md: every outcome has a name.
void check_reason(Reason reason);

// True if a view lies within the input. Results must never point elsewhere.
bool within(ByteSpan input, ByteSpan view);

}  // namespace optiks::ozks::verify::fuzz
