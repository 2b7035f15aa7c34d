// Checks entries of the structures `usernames` and `decommissioned` (docs/spec/users.md section 5,
// docs/spec/user-monitor.md section 4).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "optiks/ozks/verify/lookup.h"
#include "optiks/ozks/verify/record.h"
#include "optiks/ozks/verify/users.h"

namespace optiks::ozks::verify {

// True if id `a` comes before id `b` in the order of device ids. In this order a prefix of an id comes before the id.
inline bool is_before(ByteSpan a, ByteSpan b) { return std::ranges::lexicographical_compare(a, b); }

// The VRF public keys in one record. Element structure_index(s) is the key of structure s.
using VrfKeys = std::array<vrf::PublicKey, kNumStructures>;

// Decodes the VRF public keys of a record. Returns kVrfKeyInvalid if a key is invalid.
Reason read_vrf_keys(const EpochRecord& record, VrfKeys& out);

// Does check_entry of docs/spec/users.md section 5 for an entry that shows its key present.
Reason check_present(const StructureView& view, ByteSpan key, const Member& member);

Reason check_absent_entry(const StructureView& view, ByteSpan key, const NonMember& proof);

// Does step 5 of docs/spec/users.md section 5. `has_left`: true if the client knows that the user has left.
Reason check_decommissioned(const StructureView& view, ByteSpan user, bool has_left, const Entry& entry);

}  // namespace optiks::ozks::verify
