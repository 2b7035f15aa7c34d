// Membership and non-membership of a label under a root: docs/spec/proofs.md sections 2 to 4, from the step after the
// VRF on. Any thread, no state.
#pragma once

#include <cstdint>

#include "optiks/ozks/verify/codec.h"
#include "optiks/ozks/verify/hash.h"
#include "optiks/ozks/verify/reasons.h"

namespace optiks::ozks::verify {

// Verifies a Member. `label` comes from the VRF proof, `root` from an epoch record that a checkpoint covers.
Reason verify_member(ByteSpan label, ByteSpan root, const Member& member);

// Verifies a NonMember. `label` and `root` come from the same sources as for a Member; `count` comes from the same
// record as `root`.
Reason verify_non_member(ByteSpan label, ByteSpan root, std::uint64_t count, const NonMember& proof);

}  // namespace optiks::ozks::verify
