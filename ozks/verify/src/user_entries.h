// Entries of usernames and decommissioned: docs/spec/users.md section 5, docs/spec/user-monitor.md section 4.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "optiks/ozks/verify/lookup.h"
#include "optiks/ozks/verify/record.h"
#include "optiks/ozks/verify/users.h"

namespace optiks::ozks::verify {

// The order of device ids: a prefix of an id comes before the id.
inline bool is_before(ByteSpan a, ByteSpan b) { return std::ranges::lexicographical_compare(a, b); }

// The VRF keys of the structures of one record; the key of structure s is element s - 1.
using VrfKeys = std::array<vrf::PublicKey, kNumStructures>;

// Returns kVrfKeyInvalid if a key is invalid.
Reason read_vrf_keys(const EpochRecord& record, VrfKeys& out);

// Returns a view that points into the record's octets and at `keys`.
StructureView structure_view(const EpochRecord& record, std::uint8_t structure, const VrfKeys& keys,
                             const Configuration& configuration);

// Does check_entry of section 5, for an entry that is present.
Reason check_present(const StructureView& view, ByteSpan key, const Member& member);

Reason check_absent_entry(const StructureView& view, ByteSpan key, const NonMember& proof);

// Does step 5 of section 5. has_left: whether the user is known to have left.
Reason check_decommissioned(const StructureView& view, ByteSpan user, bool has_left, const Entry& entry);

}  // namespace optiks::ozks::verify
