// Helpers of the fuzz targets: a trust anchor, and a verifier's context that fits the input.
#pragma once

#include <cstdint>

#include "optiks/ozks/verify/answers.h"

namespace optiks::ozks::verify::fuzz {

// Accepts every signature: a fuzzer cannot make a true signature, and the octets after a signature must be fuzzed too.
inline bool accept_any_signature(ByteSpan /*public_key*/, ByteSpan /*message*/, ByteSpan /*signature*/) { return true; }

// Returns a context that accepts the log id and the time in `record`, so that inputs with random changes pass the first
// checks. The views of its anchor are static.
Context context_for(ByteSpan record);

// Aborts unless docs/spec/reasons.md has a name for the reason.
void check_reason(Reason reason);

// True if the view lies within the input, as the views in all results must.
bool within(ByteSpan input, ByteSpan view);

}  // namespace optiks::ozks::verify::fuzz
