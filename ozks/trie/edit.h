// Changes a tree's leaves in place. Only for trees that no thread reads: invariant 1 of nodes.h does not yet hold for
// them.
#pragma once

#include "trie/nodes.h"

namespace optiks::ozks {

// Gives the leaf of the label, which is in the tree, this hash.
void replace_leaf(Nodes& nodes, Tree& tree, const Hash& label, const Hash& hash) noexcept;

// Removes the leaf of the label, which is in the tree, and frees its nodes. The result is the tree of the remaining
// leaves.
void remove_leaf(Nodes& nodes, Tree& tree, const Hash& label) noexcept;

}  // namespace optiks::ozks
