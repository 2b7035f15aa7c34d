// Checks that lookups, histories and monitoring share: docs/spec/pahd.md sections 3, 4 and 5.
#pragma once

#include <cstdint>
#include <optional>

#include "labels.h"
#include "optiks/ozks/verify/lookup.h"

namespace optiks::ozks::verify {

// A proven version and its time T.
struct Previous {
  std::uint64_t version;
  std::uint64_t time;
};

enum class Kind : std::uint8_t { kCommitted, kOpened, kEither };

// Returns the known state for the record's period; state of another period is ignored.
[[nodiscard]] Known known_in(const StructureView& view, const Known& known);

// Does step 1 of section 5, after which a + 1 does not overflow (a <= e < the size of a log).
Reason check_version_range(const StructureView& view, std::uint64_t a);

// Verifies a member by section 4. `out` is written only on kValid.
Reason check_member(const StructureView& view, const Known& known, std::uint64_t version,
                    const std::optional<Previous>& previous, const Member& member, Kind kind, LabelStream& labels,
                    VersionEntry& out);

// Verifies that a version is absent. The next VRF proof of `labels` must be the one of `proof`.
Reason check_absent(const StructureView& view, const NonMember& proof, LabelStream& labels);

}  // namespace optiks::ozks::verify
