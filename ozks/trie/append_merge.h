// Merges the append-only proofs (docs/spec/proofs.md section 5) of consecutive steps into the proof of the whole range.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "optiks/base/bytes.h"

namespace optiks::ozks {

// The proof of one structure for a step or a range.
struct AppendPart {
  base::ByteSpan leaves;    // AddedLeaf structures, offset 0
  base::ByteSpan opened;    // tokens
  std::uint64_t count = 0;  // number of leaves of the structure before the step
};

// Appends the encoding of the AppendProof of the whole range to `out`; part i is the step to epoch a + 1 + i. The
// result is octet for octet the proof that the tree at the range's start would give. Returns false if the parts
// contradict each other or are malformed: the parts come from files, so they may have any bytes. At most 256 parts.
[[nodiscard]] bool merge_append_proofs(std::span<const AppendPart> parts, std::vector<std::uint8_t>& out);

}  // namespace optiks::ozks
