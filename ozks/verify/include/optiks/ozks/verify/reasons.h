// The names of the verifier's reasons (docs/spec/reasons.md).
#pragma once

#include <cstdint>

#include "optiks/ozks/verify/facts.h"
#include "optiks/vrf/ecvrf.h"

namespace optiks::ozks::verify {

// Returns the name that docs/spec/reasons.md gives to the reason, for example "member_root". Returns nullptr if no
// reason has this number. The string has static lifetime.
[[nodiscard]] const char* reason_name(std::int32_t reason);

// Converts a reason of the VRF. vrf::Reason and Reason have the same numbers for these reasons.
[[nodiscard]] constexpr Reason reason_of(vrf::Reason reason) { return static_cast<Reason>(reason); }

}  // namespace optiks::ozks::verify
