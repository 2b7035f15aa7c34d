// Verifies that a label is, or is not, in the tree with a given root (docs/spec/proofs.md sections 2 to 4). The caller
// has already verified the VRF proof. Any thread may call these functions, which keep no state.
#pragma once

#include <cstdint>

#include "optiks/ozks/verify/codec.h"
#include "optiks/ozks/verify/hash.h"
#include "optiks/ozks/verify/reasons.h"

namespace optiks::ozks::verify {

// Verifies a Member. `label` must come from the verified VRF proof, and `root` from an epoch record that a checkpoint
// covers.
Reason verify_member(ByteSpan label, ByteSpan root, const Member& member);

// Verifies a NonMember. `label` and `root` must have the same sources as for verify_member(), and `count` must come
// from the same record as `root`.
Reason verify_non_member(ByteSpan label, ByteSpan root, std::uint64_t count, const NonMember& proof);

}  // namespace optiks::ozks::verify
