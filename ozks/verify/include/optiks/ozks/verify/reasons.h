// The verdicts of docs/spec/reasons.md.
#pragma once

#include <cstdint>

#include "optiks/ozks/verify/facts.h"
#include "optiks/vrf/ecvrf.h"

namespace optiks::ozks::verify {

// reason_name: the name of docs/spec/reasons.md ("member_root"), a string of static lifetime; nullptr for a number that
// is no reason.
[[nodiscard]] const char* reason_name(std::int32_t reason);

// reason_of: the VRF's reasons have the numbers of the list.
[[nodiscard]] constexpr Reason reason_of(vrf::Reason reason) { return static_cast<Reason>(reason); }

}  // namespace optiks::ozks::verify
