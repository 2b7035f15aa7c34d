// Adds new leaves to a tree by path copying, which makes the tree of the next epoch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trie/nodes.h"
#include "util/parallel.h"

namespace optiks::ozks {

// A leaf that is in Nodes but not yet in the tree, with its hash (docs/spec/tree.md section 2). In the tree, the leaf's
// parent keeps this hash.
struct InsertedLeaf {
  NodeId id = kNoNode;
  Hash hash{};

  // The two members below say where the leaf's label leaves the old tree. insert_leaves() writes them unless the old
  // tree is empty.
  NodeId nearest = kNoNode;  // the old leaf where a walk along the label's bits ends
  std::uint32_t common = 0;  // number of first bits that the label shares with `nearest`; no old leaf shares more
};

// The nodes that insert_leaves() superseded and created. The caller frees the superseded nodes when no reader holds the
// old tree any more. If it discards the new tree instead, it frees the created nodes.
struct Change {
  std::vector<NodeId> superseded;  // interior nodes
  std::vector<NodeId> created;     // interior nodes
};

// The nodes of the old tree on the paths of the new labels, as tokens of an append-only proof (docs/spec/proofs.md
// section 5). The commitment and epoch of each old leaf are missing, because they are in the leaf's record.
// make_append_proof() (append_proof.h) adds them.
struct OpenedTree {
  // Commitment and epoch of this old leaf must be written to `octets`, beginning at index `at`.
  struct LeftOut {
    std::size_t at;
    NodeId leaf;
  };
  struct Piece {
    std::vector<std::uint8_t> octets;
    std::vector<LeftOut> facts;
  };
  std::vector<Piece> pieces;  // in the order of the tokens in the proof
};

// Adds the leaves to the tree `old` and writes the new tree to `out`. The new tree does not depend on the number of
// workers. The leaves must be sorted by label. Returns false if a label already exists or occurs twice. After a failure
// or an exception, `change` lists the nodes that the caller must free. Each changed node is made and hashed only once.
// If `opened` is not null, it gets the tokens for a proof. Only the writer thread may call this function.
[[nodiscard]] bool insert_leaves(Nodes& nodes, const Tree& old, std::span<InsertedLeaf> leaves, Workers& workers,
                                 Tree& out, Change& change, OpenedTree* opened = nullptr);

}  // namespace optiks::ozks
