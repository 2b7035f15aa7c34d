// Merges the append-only proofs (docs/spec/proofs.md section 5) of consecutive steps into the proof of the whole range.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "optiks/base/bytes.h"

namespace optiks::ozks {

// The append-only proof of one structure for one step.
struct AppendPart {
  base::ByteSpan leaves;    // AddedLeaf structures whose epoch offset is 0
  base::ByteSpan opened;    // tokens
  std::uint64_t count = 0;  // number of leaves of the structure before the step
};

// Appends the encoding of the AppendProof of the whole range to `out`. The range begins after epoch a; `parts[i]` is
// the proof of the step to epoch a + 1 + i. There may be at most 256 parts. The result equals, octet for octet, the
// proof that could be made from the tree of epoch a. Returns false if the parts are malformed or contradict each other.
// The parts may have any octets, because they come from files.
[[nodiscard]] bool merge_append_proofs(std::span<const AppendPart> parts, std::vector<std::uint8_t>& out);

}  // namespace optiks::ozks
