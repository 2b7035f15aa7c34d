// Reads a tree of a snapshot (docs/operations/snapshots.md section 2), and passes its nodes to a visitor.
#pragma once

#include <algorithm>
#include <vector>

#include "leaves/directory_error.h"
#include "snapshot/snapshot_header.h"
#include "trie/snapshot_elements.h"

namespace optiks::ozks {

// Reads the elements of one structure's tree, which has `count` leaves. Checks that the labels increase and that the
// tree has the shape that they imply. Throws DirectoryError (OPTIKS_E_DATA) otherwise. `visitor` receives each node
// after its parent, and leaves in the order of their labels:
//   NodeId add_interior(NodeId parent, std::size_t side, std::uint8_t length, ByteSpan left_hash, ByteSpan right_hash)
//   NodeId add_leaf(NodeId parent, std::size_t side, const Leaf& leaf)
// where `parent` is the visitor's result for the parent, or kNoNode for the root.
template <typename Visitor>
void read_tree(BlockReader& in, const SnapshotHeader& header, std::uint64_t count, Visitor& visitor) {
  const auto require = [](bool holds) {
    if (!holds) {
      data_error("the snapshot contradicts itself");
    }
  };
  // A node whose element was not read yet.
  struct Expected {
    NodeId parent;
    int parent_length;  // -1 if the node is the root
    std::uint8_t side;
    bool is_leaf;
  };
  std::vector<Expected> ahead = {{kNoNode, -1, 0, count == 1}};
  std::uint64_t num_leaves = 0;
  Leaf last{};
  // The prefix length of the interior node at which the next leaf's path leaves the path of the previous leaf.
  std::size_t fork = 0;
  while (!ahead.empty()) {
    const Expected at = ahead.back();
    ahead.pop_back();
    if (at.side == 1) {
      fork = static_cast<std::size_t>(at.parent_length);
    }
    if (at.is_leaf) {
      const ByteSpan element = in.take(kLeafElementLen);
      Leaf leaf;
      std::copy_n(element.begin(), leaf.label.size(), leaf.label.begin());
      std::copy_n(element.begin() + verify::kHashLen, leaf.offset.size(), leaf.offset.begin());
      require(leaf.log_offset() < header.log_len && num_leaves < count &&
              (num_leaves == 0 ||
               (last.label < leaf.label && verify::common_prefix_length(last.label, leaf.label) == fork)));
      ++num_leaves;
      last = leaf;
      visitor.add_leaf(at.parent, at.side, leaf);
    } else {
      const ByteSpan element = in.take(kInteriorElementLen);
      const std::uint8_t flags = element[0];
      const std::uint8_t length = element[1];
      require(flags <= (kLeftIsLeaf | kRightIsLeaf) && length > at.parent_length);
      const NodeId id = visitor.add_interior(at.parent, at.side, length, element.subspan(2, verify::kHashLen),
                                             element.subspan(2 + verify::kHashLen, verify::kHashLen));
      ahead.push_back({id, length, 1, (flags & kRightIsLeaf) != 0});
      ahead.push_back({id, length, 0, (flags & kLeftIsLeaf) != 0});
    }
  }
  require(num_leaves == count);
}

}  // namespace optiks::ozks
