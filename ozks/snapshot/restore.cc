#include <algorithm>
#include <unordered_map>
#include <utility>

#include "snapshot/save.h"
#include "snapshot/snapshot_header.h"

namespace optiks::ozks {
namespace {

[[noreturn]] void damaged() { data_error("the snapshot contradicts itself"); }

// Reads trees and table into an empty store. What the file says is checked as far as lookups rely on it: the trees'
// shape, and that what is referred to is there.
class Restorer {
 public:
  Restorer(BlockReader& in, const SnapshotHeader& header, Store& store) : in_(in), header_(header), store_(store) {}

  void run() {
    std::array<Tree, kNumStructures> trees;
    for (std::size_t s = 0; s < kNumStructures; ++s) {
      const std::uint8_t* state = header_.states.data() + s * OPTIKS_STRUCTURE_STATE_LEN;
      trees[s].count = base::load_be64(state + verify::kHashLen);
      if (trees[s].count != 0) {
        std::copy_n(state, verify::kHashLen, trees[s].root_hash.begin());
        trees[s].root = read_tree(trees[s].count);
      }
    }
    read_keys();
    in_.finish();
    store_.versions.prepare();
    store_.versions.publish(header_.epoch, trees, header_.log_len);
  }

 private:
  // A node that follows.
  struct Expected {
    NodeId parent;
    std::uint32_t parent_length;
    std::uint8_t side;
    bool is_leaf;
  };

  NodeId read_tree(std::uint64_t count) {
    std::vector<Expected> ahead = {{kNoNode, 0, 0, count == 1}};
    NodeId root = kNoNode;
    const std::uint64_t first_leaf = num_leaves_;
    // Of the leaf that was read last.
    const Hash* label = nullptr;
    // Length of the node whose right child follows it.
    std::uint32_t fork = 0;
    while (!ahead.empty()) {
      const Expected at = ahead.back();
      ahead.pop_back();
      fork = at.side == 1 ? at.parent_length : fork;
      NodeId id = kNoNode;
      if (at.is_leaf) {
        id = read_leaf();
        const Hash& next = store_.nodes.leaf(id).label;
        if (label != nullptr && !(*label < next && verify::common_prefix_length(*label, next) == fork)) {
          damaged();
        }
        label = &next;
      } else {
        const ByteSpan element = in_.take(kInteriorElementLen);
        id = store_.nodes.allocate_interior();
        Interior& node = store_.nodes.new_interior(id);
        node.length = element[1];
        std::copy_n(element.begin() + 2, verify::kHashLen, node.hash[0].begin());
        std::copy_n(element.begin() + 2 + verify::kHashLen, verify::kHashLen, node.hash[1].begin());
        if (element[0] > (kLeftIsLeaf | kRightIsLeaf) || (at.parent != kNoNode && node.length <= at.parent_length)) {
          damaged();
        }
        ahead.push_back({id, node.length, 1, (element[0] & kRightIsLeaf) != 0});
        ahead.push_back({id, node.length, 0, (element[0] & kLeftIsLeaf) != 0});
      }
      if (at.parent == kNoNode) {
        root = id;
      } else {
        store_.nodes.new_interior(at.parent).child[at.side] = id;
      }
    }
    if (num_leaves_ - first_leaf != count) {
      damaged();
    }
    return root;
  }

  NodeId read_leaf() {
    const ByteSpan element = in_.take(kLeafElementLen);
    Leaf leaf;
    std::copy_n(element.begin(), leaf.label.size(), leaf.label.begin());
    std::copy_n(element.begin() + verify::kHashLen, leaf.place.size(), leaf.place.begin());
    if (leaf.log_place() >= header_.log_len) {
      damaged();
    }
    ++num_leaves_;
    return store_.nodes.add_leaf(leaf);
  }

  void read_keys() {
    std::array<std::vector<KeyTable::Slot>, KeyTable::kSegments> slots;
    for (std::vector<KeyTable::Slot>& segment : slots) {
      for (;;) {
        const ByteSpan element = in_.take(kKeyElementLen);
        const std::uint32_t leaf = base::load_be32(element.data() + 4);
        if (leaf == 0xffffffff) {
          break;
        }
        if (leaf >= num_leaves_) {
          damaged();
        }
        segment.push_back({base::load_be32(element.data()), leaf | kLeafBit});
      }
    }
    read_moved(slots);
    for (std::size_t s = 0; s < slots.size(); ++s) {
      store_.keys.fill(s, slots[s]);
      slots[s] = {};
    }
  }

  void read_moved(std::array<std::vector<KeyTable::Slot>, KeyTable::kSegments>& slots) {
    std::unordered_map<std::uint64_t, std::pair<std::uint8_t, std::uint32_t>> moved;
    for (;;) {
      const ByteSpan element = in_.take(kMovedElementLen);
      const std::uint64_t place = base::load_be64(element.data() + 5);
      if (place == kNoPlace) {
        break;
      }
      if (element[0] >= KeyTable::kSegments ||
          !moved.try_emplace(place, element[0], base::load_be32(element.data() + 1)).second) {
        damaged();
      }
    }
    // Leaves were numbered from 0 in an empty store.
    for (std::uint32_t leaf = 0; !moved.empty() && leaf < num_leaves_; ++leaf) {
      const auto at = moved.find(store_.nodes.leaf(leaf | kLeafBit).log_place());
      if (at != moved.end()) {
        slots[at->second.first].push_back({at->second.second, leaf | kLeafBit});
        moved.erase(at);
      }
    }
    if (!moved.empty()) {
      damaged();
    }
  }

  BlockReader& in_;
  const SnapshotHeader& header_;
  Store& store_;
  std::uint32_t num_leaves_ = 0;
};

}  // namespace

std::unique_ptr<Directory> restore_directory(Secrets&& secrets, const optiks_dir_options_t& options, const char* path) {
  if (options.leaf_log_path == nullptr) {
    throw DirectoryError(OPTIKS_E_ARGUMENT, "a snapshot is used with its leaf log");
  }
  BlockReader in(path);
  const SnapshotHeader header = SnapshotHeader::read(in);
  if (header.period != options.period || header.period_first_epoch != options.period_first_epoch) {
    data_error("the snapshot is of another period");
  }
  if (header.keeps_values != (options.without_values == 0)) {
    data_error("the snapshot keeps values where the options say otherwise");
  }
  for (std::size_t s = 0; s < kNumStructures; ++s) {
    const std::uint8_t* key = header.states.data() + s * OPTIKS_STRUCTURE_STATE_LEN + verify::kHashLen + 8;
    if (!std::ranges::equal(secrets.vrf[s].public_key(), ByteSpan(key, OPTIKS_PUBLIC_LEN))) {
      data_error("the snapshot is of other secrets");
    }
  }
  if (tag_check(secrets) != header.tag_check) {
    data_error("the snapshot is of other secrets");
  }
  const LogState log{header.log_identity, header.log_len};
  auto directory = std::make_unique<Directory>(std::move(secrets), options, &log);
  Restorer(in, header, *directory->store()).run();
  directory->count_bytes();
  return directory;
}

}  // namespace optiks::ozks
