// The verdicts of docs/spec/reasons.md.
#pragma once

#include <cstdint>

#include "optiks/ozks/verify/facts.h"
#include "optiks/vrf/ecvrf.h"

namespace optiks::ozks::verify {

// Returns the name in docs/spec/reasons.md ("member_root"), a string of static lifetime; nullptr if no reason has this
// number.
[[nodiscard]] const char* reason_name(std::int32_t reason);

// The VRF's reasons have the same numbers in the list.
[[nodiscard]] constexpr Reason reason_of(vrf::Reason reason) { return static_cast<Reason>(reason); }

}  // namespace optiks::ozks::verify
