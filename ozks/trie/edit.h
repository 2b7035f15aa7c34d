// Changes a tree's leaves in place. Call these functions only for trees that no thread reads: invariant 1 of nodes.h
// does not yet hold for such trees.
#pragma once

#include "trie/nodes.h"

namespace optiks::ozks {

// Gives the leaf with the label this hash. The tree must have such a leaf.
void replace_leaf(Nodes& nodes, Tree& tree, const Hash& label, const Hash& hash) noexcept;

// Removes the leaf with the label, which the tree must have, and frees the nodes that the leaf needed. The result is
// the tree of the remaining leaves.
void remove_leaf(Nodes& nodes, Tree& tree, const Hash& label) noexcept;

}  // namespace optiks::ozks
