// Makes the append-only proof of an epoch's step (docs/spec/proofs.md section 5) from the old tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "leaves/leaf_log.h"
#include "trie/insert.h"

namespace optiks::ozks {

// Appends the encoding of one AppendProof to `out`. The proof shows that the step adds `leaves`, with these
// commitments, to the old tree; the epoch offset of each leaf is 0. `opened` has the parts of the old tree that
// insert_leaves() opened for these leaves. `log` has the records of the old leaves. Throws std::system_error if a
// record cannot be read. The proof does not depend on the number of workers. The writer thread may call this function,
// and so may any thread that holds a view of the old tree.
void make_append_proof(const Nodes& nodes, const LeafLog& log, std::span<const InsertedLeaf> leaves,
                       std::span<const Hash> commitments, const OpenedTree& opened, Workers& workers,
                       std::vector<std::uint8_t>& out);

}  // namespace optiks::ozks
