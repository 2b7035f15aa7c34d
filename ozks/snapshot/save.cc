#include "snapshot/save.h"

#include <algorithm>
#include <unordered_map>

#include "snapshot/snapshot_header.h"

namespace optiks::ozks {
namespace {

constexpr std::uint32_t kUnseen = 0xffffffff;

// Writes one snapshot. Nodes are numbered anew, in the order in which they are written.
class Saver {
 public:
  Saver(const Snapshot& snapshot, BlockWriter& out)
      : store_(snapshot.store()), version_(snapshot.version()), out_(out) {}

  void run() {
    write_header();
    for (const Tree& tree : version_.trees) {
      if (tree.root != kNoNode) {
        write_tree(tree);
      }
    }
    write_keys();
  }

 private:
  void write_header() {
    SnapshotHeader header;
    header.keeps_values = store_.keeps_values;
    header.period = store_.period;
    header.period_first_epoch = store_.period_first_epoch;
    header.epoch = version_.epoch;
    header.tag_check = tag_check(store_.secrets);
    header.log_identity = store_.log.identity();
    header.log_len = version_.log_len;
    encode_states(store_, version_.trees, header.states.data());
    header.write(out_);
  }

  // In preorder, so that the tree follows from who is a leaf.
  void write_tree(const Tree& tree) {
    std::vector<NodeId> ahead = {tree.root};
    std::array<std::uint8_t, kInteriorElementLen> element{};
    while (!ahead.empty()) {
      const NodeId id = ahead.back();
      ahead.pop_back();
      if (Nodes::is_leaf(id)) {
        write_leaf(id);
        continue;
      }
      const Interior& node = store_.nodes.interior(id);
      element[0] = static_cast<std::uint8_t>((Nodes::is_leaf(node.child[0]) ? kLeftIsLeaf : 0) |
                                             (Nodes::is_leaf(node.child[1]) ? kRightIsLeaf : 0));
      element[1] = static_cast<std::uint8_t>(node.length);
      std::ranges::copy(node.hash[1], std::ranges::copy(node.hash[0], element.begin() + 2).out);
      out_.put(element);
      ahead.push_back(node.child[1]);
      ahead.push_back(node.child[0]);
      store_.nodes.prefetch_node(node.child[1]);
      store_.nodes.prefetch_node(node.child[0]);
    }
  }

  void write_leaf(NodeId id) {
    const std::size_t index = id & ~kLeafBit;
    if (index >= numbers_.size()) {
      numbers_.resize(index + index / 8 + 1024, kUnseen);
    }
    numbers_[index] = num_leaves_++;
    const Leaf& leaf = store_.nodes.leaf(id);
    std::array<std::uint8_t, kLeafElementLen> element{};
    std::ranges::copy(leaf.place, std::ranges::copy(leaf.label, element.begin()).out);
    out_.put(element);
  }

  // The table is that of now: of keys that got a leaf since, the leaf before that is found in the log.
  void write_keys() {
    std::array<std::uint8_t, kKeyElementLen> element{};
    std::vector<std::array<std::uint8_t, kMovedElementLen>> moved;
    for (std::size_t segment = 0; segment < KeyTable::kSegments; ++segment) {
      store_.keys.for_each(segment, [&](const KeyTable::Slot& slot) {
        const std::size_t index = slot.leaf & ~kLeafBit;
        base::store_be32(element.data(), slot.bits);
        if (index < numbers_.size() && numbers_[index] != kUnseen) {
          base::store_be32(element.data() + 4, numbers_[index]);
          out_.put(element);
          return;
        }
        const std::uint64_t place = place_then(slot.leaf);
        if (place != kNoPlace) {
          auto& of_key = moved.emplace_back();
          of_key[0] = static_cast<std::uint8_t>(segment);
          base::store_be32(of_key.data() + 1, slot.bits);
          base::store_be64(of_key.data() + 5, place);
        }
      });
      base::store_be32(element.data() + 4, kUnseen);
      out_.put(element);
    }
    for (const auto& of_key : moved) {
      out_.put(of_key);
    }
    std::array<std::uint8_t, kMovedElementLen> end{};
    base::store_be64(end.data() + 5, kNoPlace);
    out_.put(end);
  }

  // The record that the key's leaf had at the snapshot's epoch.
  [[nodiscard]] std::uint64_t place_then(NodeId newer) const {
    std::uint64_t place = store_.nodes.leaf(newer).log_place();
    LeafFacts facts;
    do {
      store_.log.read_facts(place, facts);
      if (facts.epoch <= version_.epoch) {
        return place;
      }
      place = facts.previous;
    } while (place != kNoPlace);
    return kNoPlace;
  }

  const Store& store_;
  const Version& version_;
  BlockWriter& out_;
  std::uint32_t num_leaves_ = 0;
  std::vector<std::uint32_t> numbers_;  // by the leaf's id
};

}  // namespace

void save_snapshot(const Snapshot& snapshot, const char* path) {
  if (snapshot.store().stored != nullptr) {
    throw DirectoryError(OPTIKS_E_STATE, "a directory in stored mode is on the disk already");
  }
  if (!snapshot.store().log.has_name()) {
    throw DirectoryError(OPTIKS_E_STATE, "a directory whose leaf log has no name cannot be saved");
  }
  snapshot.store().log.sync();
  BlockWriter out(path);
  Saver(snapshot, out).run();
  out.finish();
}

}  // namespace optiks::ozks
