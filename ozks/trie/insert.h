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

  // Where its label leaves the old tree. insert_leaves() writes these, if the old tree is not empty.
  NodeId nearest = kNoNode;  // the old leaf at the end of the label's bits
  std::uint32_t common = 0;  // bits that the label shares with `nearest`; no old leaf shares more
};

// Superseded and created nodes of insert_leaves(), for reclaiming. Superseded nodes are free once no reader holds the
// old tree, created ones once the new tree is discarded.
struct Change {
  std::vector<NodeId> superseded;  // interior
  std::vector<NodeId> created;     // interior
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

// Makes the tree with the leaves added, which is the same for any number of workers. The leaves must be strictly sorted
// by label. Returns false if a label exists already (or occurs twice). Then, and after an exception, `change` lists the
// nodes to free. Every changed node is made and hashed once. `opened`, unless it is null, gets the tokens. Writer only.
[[nodiscard]] bool insert_leaves(Nodes& nodes, const Tree& old, std::span<InsertedLeaf> leaves, Workers& workers,
                                 Tree& out, Change& change, OpenedTree* opened = nullptr);

}  // namespace optiks::ozks
