// Makes the append-only proof of an epoch's step (docs/spec/proofs.md section 5) from the old tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "leaves/leaf_log.h"
#include "trie/insert.h"

namespace optiks::ozks {

// Appends the encoding of one AppendProof to `out`. The proof shows that the step adds `leaves`, with these commitments
// and all with offset 0, to the old tree that insert_leaves() opened for them. The log has the records of the old
// leaves. Throws std::system_error if such a record cannot be read. The proof is the same for any number of workers.
// The caller is the writer's thread, or any thread that holds the old tree.
void make_append_proof(const Nodes& nodes, const LeafLog& log, std::span<const InsertedLeaf> leaves,
                       std::span<const Hash> commitments, const OpenedTree& opened, Workers& workers,
                       std::vector<std::uint8_t>& out);

}  // namespace optiks::ozks
