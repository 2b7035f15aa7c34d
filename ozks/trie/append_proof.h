// Making append-only proofs (docs/spec/proofs.md section 5): from the old tree when an epoch is made, and merged from
// those of consecutive steps for a range.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trie/apply.h"
#include "trie/leaf_log.h"

namespace optiks::ozks {

// make_append_proof appends the encoding of one AppendProof to `out`: the step by `leaves`, with these commitments, all
// with offset 0, from the old tree that apply() opened for them. The log has the old leaves' records;
// std::system_error when one cannot be read. The proof is the same for any number of workers. Writer's thread, or any
// that holds the old tree.
void make_append_proof(const Nodes& nodes, const LeafLog& log, std::span<const NewLeaf> leaves,
                       std::span<const Hash> commitments, const OpenedTree& opened, Workers& workers,
                       std::vector<std::uint8_t>& out);

// A step's or a range's proof of one structure.
struct AppendPart {
  ByteSpan leaves;          // AddedLeaf structures, 65 octets each, offset 0
  ByteSpan opened;          // tokens
  std::uint64_t count = 0;  // leaves of the structure before the step
};

// merge_append_proofs appends the encoding of the AppendProof of the whole range to `out`; part i is the step to epoch
// a + 1 + i. The result is octet for octet what the tree at the range's start would have given. False when the parts
// contradict each other or are malformed: they are files, and any bytes are allowed. At most 256 parts.
[[nodiscard]] bool merge_append_proofs(std::span<const AppendPart> parts, std::vector<std::uint8_t>& out);

}  // namespace optiks::ozks
