// The checks that the verification of lookups, histories and monitoring share (docs/spec/pahd.md sections 3, 4 and 5).
#pragma once

#include <cstdint>
#include <optional>

#include "labels.h"
#include "optiks/ozks/verify/lookup.h"

namespace optiks::ozks::verify {

// A version that a client or an answer has proven, and its time T.
struct Previous {
  std::uint64_t version;
  std::uint64_t time;
};

enum class Kind : std::uint8_t { kCommitted, kOpened, kEither };

// Returns the client's known state if it is of the record's period; otherwise returns a state without a version.
[[nodiscard]] Known known_in(const StructureView& view, const Known& known);

// Does step 1 of docs/spec/pahd.md section 5. Afterwards a + 1 cannot overflow, because a is bounded by the record's
// epoch, which is less than the size of the log.
Reason check_version_range(const StructureView& view, std::uint64_t a);

// Verifies a Member by docs/spec/pahd.md section 4. Writes `out` only if it returns kValid.
Reason check_member(const StructureView& view, const Known& known, std::uint64_t version,
                    const std::optional<Previous>& previous, const Member& member, Kind kind, LabelStream& labels,
                    VersionEntry& out);

// Verifies that a version is absent. The next VRF proof in `labels` must be that of `proof`.
Reason check_absent(const StructureView& view, const NonMember& proof, LabelStream& labels);

}  // namespace optiks::ozks::verify
