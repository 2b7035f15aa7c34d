#include <vector>

#include "linked/linked_trees.h"
#include "trie/snapshot_elements.h"

namespace optiks::ozks {
namespace {

// Writes the trees and the key table of a snapshot. Leaves get new numbers, in the order in which they are written.
class Saver {
 public:
  Saver(const Nodes& nodes, const KeyTable& keys, const LeafLog& log, std::uint64_t epoch,
        const TreeStore::PutElement& put)
      : nodes_(nodes), keys_(keys), log_(log), epoch_(epoch), out_(put) {}

  void run(const Trees& trees) {
    for (const Tree& tree : trees) {
      if (tree.count != 0) {
        write_tree(root_of(tree));
      }
    }
    write_keys();
  }

 private:
  // Writes the nodes of the tree in preorder. Each interior node has marks that tell which of its children are leaves.
  // So a reader can rebuild the tree from the order of the nodes and these marks.
  void write_tree(NodeId root) {
    std::vector<NodeId> ahead = {root};
    while (!ahead.empty()) {
      const NodeId id = ahead.back();
      ahead.pop_back();
      if (Nodes::is_leaf(id)) {
        write_leaf(id);
        continue;
      }
      const Interior& node = nodes_.interior(id);
      out_.put_interior(static_cast<std::uint8_t>((Nodes::is_leaf(node.child[0]) ? kLeftIsLeaf : 0) |
                                                  (Nodes::is_leaf(node.child[1]) ? kRightIsLeaf : 0)),
                        node.length, node.hash);
      ahead.push_back(node.child[1]);
      ahead.push_back(node.child[0]);
      nodes_.prefetch_node(node.child[1]);
      nodes_.prefetch_node(node.child[0]);
    }
  }

  void write_leaf(NodeId id) {
    const std::size_t index = id & ~kLeafBit;
    if (index >= numbers_.size()) {
      numbers_.resize(index + index / 8 + 1024, kNoLeafNumber);
    }
    numbers_[index] = num_leaves_++;
    const Leaf& leaf = nodes_.leaf(id);
    out_.put_leaf(leaf.label, leaf.offset);
  }

  // Writes the key table as it is now, which may be newer than the snapshot's epoch. If a key got a leaf after that
  // epoch, the key's earlier leaf is found in the leaf log.
  void write_keys() {
    std::vector<MovedKey> moved;
    for (std::size_t segment = 0; segment < KeyTable::kSegments; ++segment) {
      keys_.for_each(segment, [&](const KeyTable::Slot& slot) {
        const std::size_t index = slot.leaf & ~kLeafBit;
        if (index < numbers_.size() && numbers_[index] != kNoLeafNumber) {
          out_.put_key(slot.bits, numbers_[index]);
          return;
        }
        const std::uint64_t log_offset = log_.latest_at(nodes_.leaf(slot.leaf).log_offset(), epoch_);
        if (log_offset != kNoLogOffset) {
          moved.push_back({log_offset, slot.bits, static_cast<std::uint8_t>(segment)});
        }
      });
      out_.end_segment();
    }
    for (const MovedKey& key : moved) {
      out_.put_moved(key);
    }
    out_.end();
  }

  const Nodes& nodes_;
  const KeyTable& keys_;
  const LeafLog& log_;
  std::uint64_t epoch_;
  ElementWriter out_;
  std::uint32_t num_leaves_ = 0;
  std::vector<std::uint32_t> numbers_;  // new numbers of the leaves, indexed by leaf id
};

}  // namespace

void LinkedTrees::save(const LeafLog& log, std::uint64_t epoch, const Trees& trees, const PutElement& put) const {
  Saver(nodes_, keys_, log, epoch, put).run(trees);
}

}  // namespace optiks::ozks
