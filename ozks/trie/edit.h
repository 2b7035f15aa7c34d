// Changes a tree's leaves in place. Call these functions only for trees that no thread reads, because they change
// nodes, and invariant 1 of nodes.h forbids this for published trees.
#pragma once

#include "trie/nodes.h"

namespace optiks::ozks {

// Sets the hash of the leaf with this label, and updates the hashes up to the root. The tree must have such a leaf.
void replace_leaf(Nodes& nodes, Tree& tree, const Hash& label, const Hash& hash) noexcept;

// Removes the leaf with this label, and frees the leaf and its parent node. The tree must have such a leaf. The result
// is the tree of the remaining leaves.
void remove_leaf(Nodes& nodes, Tree& tree, const Hash& label) noexcept;

}  // namespace optiks::ozks
