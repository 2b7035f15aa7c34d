// Verifies the history and the monitoring of a key (docs/spec/pahd.md section 6). Any thread may call the function,
// which keeps no state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "optiks/ozks/verify/lookup.h"

namespace optiks::ozks::verify {

struct VersionsResult {
  std::uint64_t version = 0;  // a
  std::uint64_t from = 0;
  std::size_t num_entries = 0;
  bool complete = false;  // false for a page, which proves no version absent; the client then asks again from
                          // the last entry, with `version` as page_version
};

// Verifies the versions of a key after the client's known version. `kept` must be a consistent state. `entries` must
// have at least `versions.members.size()` elements. `entries` and `out` are meaningful only if the function returns
// kValid.
Reason verify_versions(const StructureView& view, ByteSpan key, const Known& kept, const Versions& versions,
                       std::span<VersionEntry> entries, VersionsResult& out);

}  // namespace optiks::ozks::verify
