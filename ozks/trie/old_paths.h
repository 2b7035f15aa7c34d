// Finds where new labels leave a tree, before they are added to the tree.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "trie/insert.h"

namespace optiks::ozks {

// For each new label: the interior nodes of the old tree that are on its path and not on the path of the previous
// label.
class OldPaths {
 public:
  // Walks the paths of the labels in the tree on `threads` threads, and writes `nearest` and `common` of each leaf.
  // Returns false if the labels do not strictly increase, or if a label is already in the tree.
  [[nodiscard]] bool find(const Nodes& nodes, const Tree& old, std::span<InsertedLeaf> leaves, Workers& workers,
                          unsigned threads);

  // Returns the listed nodes of leaves [first, last). The nodes of each leaf are in the order from the root down.
  [[nodiscard]] std::span<const NodeId> of(std::size_t first, std::size_t last) const {
    return std::span(nodes_).subspan(ends_[first], ends_[last] - ends_[first]);
  }

 private:
  std::vector<NodeId> nodes_;
  std::vector<std::size_t> ends_;  // element i: where the nodes of leaf i - 1 end in nodes_
};

}  // namespace optiks::ozks
