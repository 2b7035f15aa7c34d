// History and monitoring of a key: docs/spec/pahd.md section 6. Any thread, no state.
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
  bool complete = false;  // false: a page, which shows nothing absent; continue from the last entry with `version` as
                          // page_version
};

// Verifies the versions after the known version; `kept` is a consistent state. entries has at least
// versions.members.size() elements; entries and `out` are meaningful only on kValid.
Reason verify_versions(const StructureView& view, ByteSpan key, const Known& kept, const Versions& versions,
                       std::span<VersionEntry> entries, VersionsResult& out);

}  // namespace optiks::ozks::verify
