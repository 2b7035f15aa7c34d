#include <algorithm>
#include <utility>
#include <vector>

#include "linked/linked_trees.h"
#include "snapshot/restore_stored.h"
#include "snapshot/save.h"
#include "snapshot/tree_elements.h"

namespace optiks::ozks {
namespace {

[[noreturn]] void damaged() { data_error("the snapshot contradicts itself"); }

// The visitor of read_tree() that makes a tree in memory from the nodes that it receives.
class TreeMaker {
 public:
  explicit TreeMaker(Nodes& nodes) : nodes_(nodes) {}

  [[nodiscard]] NodeId root() const { return root_; }

  NodeId add_interior(NodeId parent, std::size_t side, std::uint8_t length, ByteSpan left, ByteSpan right) {
    const NodeId id = nodes_.allocate_interior();
    Interior& node = nodes_.new_interior(id);
    node.length = length;
    node.page = {};
    std::ranges::copy(left, node.hash[0].begin());
    std::ranges::copy(right, node.hash[1].begin());
    return link(parent, side, id);
  }
  NodeId add_leaf(NodeId parent, std::size_t side, const Leaf& leaf) {
    return link(parent, side, nodes_.add_leaf(leaf));
  }

 private:
  NodeId link(NodeId parent, std::size_t side, NodeId id) {
    (parent == kNoNode ? root_ : nodes_.new_interior(parent).child[side]) = id;
    return id;
  }

  Nodes& nodes_;
  NodeId root_ = kNoNode;
};

// Reads the trees and the key table of a snapshot's file into an empty store. It makes only the checks that lookups
// need for their safety: the trees must have the right shape, and each leaf or record that the table refers to must
// exist and must have only one key. The file's length bounds the work, whatever the file contains.
class Restorer {
 public:
  Restorer(BlockReader& in, const SnapshotHeader& header, LinkedTrees& store)
      : in_(in), header_(header), store_(store) {}

  void run() {
    Trees trees;
    for (std::size_t s = 0; s < kNumStructures; ++s) {
      const std::uint8_t* state = header_.states.data() + s * OPTIKS_STRUCTURE_STATE_LEN;
      trees[s].count = base::load_be64(state + verify::kHashLen);
      if (trees[s].count != 0) {
        std::copy_n(state, verify::kHashLen, trees[s].root_hash.begin());
        TreeMaker maker(store_.nodes());
        read_tree(in_, header_, trees[s].count, maker);
        trees[s].root = maker.root();
        num_leaves_ += static_cast<std::uint32_t>(trees[s].count);
      }
    }
    read_keys();
    in_.finish();
    store_.adopt(trees);
  }

 private:
  using Slots = std::array<std::vector<KeyTable::Slot>, kKeySegments>;

  void read_keys() {
    Slots slots;
    is_latest_.resize(num_leaves_);
    for (std::vector<KeyTable::Slot>& segment : slots) {
      for (;;) {
        const ByteSpan element = in_.take(kKeyElementLen);
        const std::uint32_t leaf = base::load_be32(element.data() + 4);
        if (leaf == kNoLeafNumber) {
          break;
        }
        segment.push_back({base::load_be32(element.data()), latest(leaf)});
      }
    }
    read_moved(slots);
    for (std::size_t s = 0; s < slots.size(); ++s) {
      if (!store_.keys().fill(s, slots[s])) {
        damaged();
      }
      slots[s] = {};
    }
  }

  // Returns the id of leaf number `leaf`. Throws if another key has this leaf too; so there cannot be more keys than
  // leaves.
  NodeId latest(std::uint32_t leaf) {
    if (leaf >= num_leaves_ || is_latest_[leaf]) {
      damaged();
    }
    is_latest_[leaf] = true;
    return leaf | kLeafBit;
  }

  void read_moved(Slots& slots) {
    std::vector<MovedKey> moved;
    for (;;) {
      const ByteSpan element = in_.take(kMovedElementLen);
      const std::uint64_t log_offset = base::load_be64(element.data() + 5);
      if (log_offset == kNoLogOffset) {
        break;
      }
      if (element[0] >= kKeySegments || moved.size() == num_leaves_) {
        damaged();
      }
      moved.push_back({log_offset, base::load_be32(element.data() + 1), element[0]});
    }
    if (moved.empty()) {
      return;
    }
    std::ranges::sort(moved, {}, &MovedKey::log_offset);
    // The ids of the leaves count up from 0, because the store was empty. If two leaves or two keys refer to the same
    // record, a key remains without a leaf or the same offset occurs twice; both are errors.
    std::size_t num_found = 0;
    for (std::uint32_t leaf = 0; leaf < num_leaves_; ++leaf) {
      const std::uint64_t log_offset = store_.nodes().leaf(leaf | kLeafBit).log_offset();
      const auto at = std::ranges::lower_bound(moved, log_offset, {}, &MovedKey::log_offset);
      if (at != moved.end() && at->log_offset == log_offset) {
        slots[at->segment].push_back({at->bits, latest(leaf)});
        ++num_found;
      }
    }
    if (num_found != moved.size() || std::ranges::adjacent_find(moved, {}, &MovedKey::log_offset) != moved.end()) {
      damaged();
    }
  }

  BlockReader& in_;
  const SnapshotHeader& header_;
  LinkedTrees& store_;
  std::uint32_t num_leaves_ = 0;
  std::vector<bool> is_latest_;  // indexed by the number of the leaf
};

}  // namespace

std::unique_ptr<Directory> restore_directory(Secrets&& secrets, const optiks_dir_options_t& options, const char* path) {
  BlockReader in(path);
  const SnapshotHeader header = SnapshotHeader::read(in);
  header.require_of(secrets, options);
  if (options.node_store_path != nullptr) {
    return restore_stored_directory(in, header, std::move(secrets), options);
  }
  auto trees = std::make_unique<LinkedTrees>();
  Restorer(in, header, *trees).run();
  const LogState log{header.log_identity, header.log_len};
  return std::make_unique<Directory>(
      std::make_shared<DirectoryData>(std::move(secrets), options, std::move(trees), header.epoch, &log),
      options.threads);
}

}  // namespace optiks::ozks
