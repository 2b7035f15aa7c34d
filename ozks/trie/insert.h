// Makes the next tree: adds new leaves to a tree by path copying.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trie/nodes.h"
#include "trie/parallel.h"

namespace optiks::ozks {

// A leaf that was added to Nodes, with its hash (docs/spec/tree.md section 2), which its parent keeps.
struct InsertedLeaf {
  NodeId id = kNoNode;
  Hash hash{};

  // The place where the leaf's label leaves the old tree. If the old tree is not empty, insert_leaves() writes both
  // members.
  NodeId nearest = kNoNode;  // the old leaf at the end of the label's bits
  std::uint32_t common = 0;  // number of bits that the label shares with `nearest`; no old leaf shares more
};

// Superseded and created nodes of insert_leaves(), for reclaiming. The caller frees superseded nodes when no reader
// holds the old tree any more, or created nodes when it discards the new tree.
struct Change {
  std::vector<NodeId> superseded;  // interior nodes
  std::vector<NodeId> created;     // interior nodes
};

// The old tree along the paths of the new labels, as tokens of an append-only proof (docs/spec/proofs.md section 5). It
// omits the facts of old leaves, which are in their records: append_proof.h adds them.
struct OpenedTree {
  // Commitment and epoch go to octets[at].
  struct LeftOut {
    std::size_t at;
    NodeId leaf;
  };
  struct Piece {
    std::vector<std::uint8_t> octets;
    std::vector<LeftOut> facts;
  };
  std::vector<Piece> pieces;  // in the order of the proof
};

// Makes the tree with the leaves added. The tree is the same for any number of workers. The leaves must be strictly
// sorted by label. Returns false if a label exists already (or occurs twice). Then, and after an exception, `change`
// lists the nodes to free. Every changed node is made and hashed once. `opened`, unless it is null, gets the tokens.
// Writer only.
[[nodiscard]] bool insert_leaves(Nodes& nodes, const Tree& old, std::span<InsertedLeaf> leaves, Workers& workers,
                                 Tree& out, Change& change, OpenedTree* opened = nullptr);

}  // namespace optiks::ozks
