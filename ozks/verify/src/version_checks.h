// What lookups, histories and monitoring check alike: docs/spec/pahd.md sections 3, 4 and 5.
#pragma once

#include <cstdint>
#include <optional>

#include "labels.h"
#include "optiks/ozks/verify/lookup.h"

namespace optiks::ozks::verify {

// Previous: a proven version and its T.
struct Previous {
  std::uint64_t version;
  std::uint64_t time;
};

enum class Kind : std::uint8_t { kCommitted, kOpened, kEither };

// known_in: the known state for the record's period; nothing of another period counts.
[[nodiscard]] Known known_in(const StructureView& view, const Known& known);

// check_version_range: section 5 step 1, after which a + 1 does not overflow (a <= e < the size of a log).
Reason check_version_range(const StructureView& view, std::uint64_t a);

// check_member: section 4. `out` is written on kValid.
Reason check_member(const StructureView& view, const Known& known, std::uint64_t version,
                    const std::optional<Previous>& previous, const Member& member, Kind kind, LabelStream& labels,
                    VersionEntry& out);

// check_absent: the next proof of `labels` is that of `proof`.
Reason check_absent(const StructureView& view, const NonMember& proof, LabelStream& labels);

}  // namespace optiks::ozks::verify
