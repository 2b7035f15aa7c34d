// The next tree: new leaves added to a tree by path copying.
#pragma once

#include <span>
#include <vector>

#include "trie/tree.h"

namespace optiks::ozks {

// NewLeaf: a leaf that Nodes::add_leaf() took in, with its hash (docs/spec/tree.md section 2), which its parent keeps.
struct NewLeaf {
  NodeId id;
  Hash hash;
};

// Change: superseded and created nodes of apply(), for reclaiming: superseded ones are free once no reader holds the
// old tree, created ones once the new tree is discarded.
struct Change {
  std::vector<NodeId> superseded;  // interior
  std::vector<NodeId> created;     // interior
};

// apply gives the tree with the leaves added. They are sorted by label, strictly. A label that is there already (or
// twice) gives false, with `change` telling what to free. Every changed node is made and hashed once. Writer only.
[[nodiscard]] bool apply(Nodes& nodes, const Tree& old, std::span<const NewLeaf> leaves, Tree& out, Change& change);

}  // namespace optiks::ozks
