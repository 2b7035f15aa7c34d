#include <algorithm>
#include <array>
#include <vector>

#include "linked/elements.h"
#include "linked/linked_trees.h"

namespace optiks::ozks {
namespace {

constexpr std::uint32_t kUnseen = 0xffffffff;

// Writes the trees and the key table of a snapshot. Leaves get new numbers, in the order in which they are written.
class Saver {
 public:
  Saver(const Nodes& nodes, const KeyTable& keys, const LeafLog& log, std::uint64_t epoch,
        const TreeStore::PutElement& put)
      : nodes_(nodes), keys_(keys), log_(log), epoch_(epoch), put_(put) {}

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
    std::array<std::uint8_t, kInteriorElementLen> element{};
    while (!ahead.empty()) {
      const NodeId id = ahead.back();
      ahead.pop_back();
      if (Nodes::is_leaf(id)) {
        write_leaf(id);
        continue;
      }
      const Interior& node = nodes_.interior(id);
      element[0] = static_cast<std::uint8_t>((Nodes::is_leaf(node.child[0]) ? kLeftIsLeaf : 0) |
                                             (Nodes::is_leaf(node.child[1]) ? kRightIsLeaf : 0));
      element[1] = node.length;
      std::ranges::copy(node.hash[1], std::ranges::copy(node.hash[0], element.begin() + 2).out);
      put_(element);
      ahead.push_back(node.child[1]);
      ahead.push_back(node.child[0]);
      nodes_.prefetch_node(node.child[1]);
      nodes_.prefetch_node(node.child[0]);
    }
  }

  void write_leaf(NodeId id) {
    const std::size_t index = id & ~kLeafBit;
    if (index >= numbers_.size()) {
      numbers_.resize(index + index / 8 + 1024, kUnseen);
    }
    numbers_[index] = num_leaves_++;
    const Leaf& leaf = nodes_.leaf(id);
    std::array<std::uint8_t, kLeafElementLen> element{};
    std::ranges::copy(leaf.offset, std::ranges::copy(leaf.label, element.begin()).out);
    put_(element);
  }

  // Writes the key table as it is now, which may be newer than the snapshot's epoch. If a key got a leaf after that
  // epoch, the key's earlier leaf is found in the leaf log.
  void write_keys() {
    std::array<std::uint8_t, kKeyElementLen> element{};
    std::vector<std::array<std::uint8_t, kMovedElementLen>> moved;
    for (std::size_t segment = 0; segment < KeyTable::kSegments; ++segment) {
      keys_.for_each(segment, [&](const KeyTable::Slot& slot) {
        const std::size_t index = slot.leaf & ~kLeafBit;
        base::store_be32(element.data(), slot.bits);
        if (index < numbers_.size() && numbers_[index] != kUnseen) {
          base::store_be32(element.data() + 4, numbers_[index]);
          put_(element);
          return;
        }
        const std::uint64_t log_offset = offset_then(slot.leaf);
        if (log_offset != kNoLogOffset) {
          auto& of_key = moved.emplace_back();
          of_key[0] = static_cast<std::uint8_t>(segment);
          base::store_be32(of_key.data() + 1, slot.bits);
          base::store_be64(of_key.data() + 5, log_offset);
        }
      });
      base::store_be32(element.data() + 4, kUnseen);
      put_(element);
    }
    for (const auto& of_key : moved) {
      put_(of_key);
    }
    std::array<std::uint8_t, kMovedElementLen> end{};
    base::store_be64(end.data() + 5, kNoLogOffset);
    put_(end);
  }

  // Returns the log offset of the leaf that was the key's latest leaf at the snapshot's epoch, or kNoLogOffset if the
  // key had no leaf. `newer` is a leaf that the key got after this epoch.
  [[nodiscard]] std::uint64_t offset_then(NodeId newer) const {
    std::uint64_t log_offset = nodes_.leaf(newer).log_offset();
    LeafFacts facts;
    do {
      log_.read_facts(log_offset, facts);
      if (facts.epoch <= epoch_) {
        return log_offset;
      }
      log_offset = facts.previous;
    } while (log_offset != kNoLogOffset);
    return kNoLogOffset;
  }

  const Nodes& nodes_;
  const KeyTable& keys_;
  const LeafLog& log_;
  std::uint64_t epoch_;
  const TreeStore::PutElement& put_;
  std::uint32_t num_leaves_ = 0;
  std::vector<std::uint32_t> numbers_;  // new numbers of the leaves, indexed by leaf id
};

}  // namespace

void LinkedTrees::save(const LeafLog& log, std::uint64_t epoch, const Trees& trees, const PutElement& put) const {
  Saver(nodes_, keys_, log, epoch, put).run(trees);
}

}  // namespace optiks::ozks
