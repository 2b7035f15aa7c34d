// Finds where new labels leave a tree, before they are added to the tree.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "trie/insert.h"

namespace optiks::ozks {

// The interior nodes of the old tree that are on the path of a new label and not on the path of the previous label.
class OldPaths {
 public:
  // Follows the labels down the tree on `threads` threads, and writes `nearest` and `common` of each leaf. Returns
  // false if the labels are not sorted, or if a label exists already.
  [[nodiscard]] bool find(const Nodes& nodes, const Tree& old, std::span<InsertedLeaf> leaves, Workers& workers,
                          unsigned threads);

  // Returns the nodes for leaves [first, last), top nodes first.
  [[nodiscard]] std::span<const NodeId> of(std::size_t first, std::size_t last) const {
    return std::span(nodes_).subspan(ends_[first], ends_[last] - ends_[first]);
  }

 private:
  std::vector<NodeId> nodes_;
  std::vector<std::size_t> ends_;  // of leaf i - 1 in nodes_
};

}  // namespace optiks::ozks
