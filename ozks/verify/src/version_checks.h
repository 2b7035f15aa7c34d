// Checks that lookups, histories and monitoring share: docs/spec/pahd.md sections 3, 4 and 5.
#pragma once

#include <cstdint>
#include <optional>

#include "labels.h"
#include "optiks/ozks/verify/lookup.h"

namespace optiks::ozks::verify {

// A proven version and its T.
struct Previous {
  std::uint64_t version;
  std::uint64_t time;
};

enum class Kind : std::uint8_t { kCommitted, kOpened, kEither };

// Returns the known state for the record's period; state of another period is ignored.
[[nodiscard]] Known known_in(const StructureView& view, const Known& known);

// Section 5 step 1, after which a + 1 does not overflow (a <= e < the size of a log).
Reason check_version_range(const StructureView& view, std::uint64_t a);

// Section 4. `out` is written on kValid.
Reason check_member(const StructureView& view, const Known& known, std::uint64_t version,
                    const std::optional<Previous>& previous, const Member& member, Kind kind, LabelStream& labels,
                    VersionEntry& out);

// The next proof of `labels` must be that of `proof`.
Reason check_absent(const StructureView& view, const NonMember& proof, LabelStream& labels);

}  // namespace optiks::ozks::verify
