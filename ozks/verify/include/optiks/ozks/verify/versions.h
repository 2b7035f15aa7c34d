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
  bool complete = false;  // false: a page; nothing is shown, go on from the last entry with `version` as page_version
};

// verify_versions checks the versions after the known one, a consistent state. entries has at least
// versions.members.size() elements; it and `out` are meaningful on kValid only.
Reason verify_versions(const StructureView& view, ByteSpan key, const Known& kept, const Versions& versions,
                       std::span<VersionEntry> entries, VersionsResult& out);

}  // namespace optiks::ozks::verify
