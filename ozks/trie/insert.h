// The next tree: new leaves added to a tree by path copying.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trie/nodes.h"
#include "trie/parallel.h"

namespace optiks::ozks {

// InsertedLeaf: a leaf that Nodes took in, with its hash (docs/spec/tree.md section 2), which its parent keeps.
struct InsertedLeaf {
  NodeId id = kNoNode;
  Hash hash{};

  // Where its label leaves the old tree: written by insert_leaves(), if that is not empty.
  NodeId nearest = kNoNode;  // the old leaf at the end of the label's bits
  std::uint32_t common = 0;  // bits that the label shares with it; with no old leaf more
};

// Change: superseded and created nodes of insert_leaves(), for reclaiming: superseded ones are free once no reader
// holds the old tree, created ones once the new tree is discarded.
struct Change {
  std::vector<NodeId> superseded;  // interior
  std::vector<NodeId> created;     // interior
};

// OpenedTree: the old tree along the paths of the new labels, as tokens of an append-only proof (docs/spec/proofs.md
// section 5), but that the facts of old leaves, which their records have, are left out: append_proof.h adds them.
struct OpenedTree {
  // At octets[at], for commitment and epoch.
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

// insert_leaves gives the tree with the leaves added, the same for any number of workers. They are
// sorted by label, strictly. A label that is there already (or twice) gives false. Then, and when it throws, `change`
// tells what to free. Every changed node is made and hashed once. `opened`, unless it is null, gets the tokens.
// Writer only.
[[nodiscard]] bool insert_leaves(Nodes& nodes, const Tree& old, std::span<InsertedLeaf> leaves, Workers& workers,
                                 Tree& out, Change& change, OpenedTree* opened = nullptr);

}  // namespace optiks::ozks
