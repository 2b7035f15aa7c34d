// Changes of a tree's leaves where they stand. Only for trees that nobody reads: invariant 1 of nodes.h does not hold
// of them yet.
#pragma once

#include "trie/nodes.h"

namespace optiks::ozks {

// replace_leaf: the leaf of the label, which is in the tree, has this hash now.
void replace_leaf(Nodes& nodes, Tree& tree, const Hash& label, const Hash& hash) noexcept;

// remove_leaf takes the leaf of the label out, which is in the tree, and frees its nodes. What is left is the tree that
// the other leaves make.
void remove_leaf(Nodes& nodes, Tree& tree, const Hash& label) noexcept;

}  // namespace optiks::ozks
