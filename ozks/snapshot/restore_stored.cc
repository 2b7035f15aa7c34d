// From a snapshot's file to a node store. The file has the leaves in the order of their labels, but neither what they
// hash to nor whose they are, which is in the leaf log; that is read in its own order, as it may be larger than memory.
// So the leaves are sorted three times: by record, back by label for the trees, and by tag for the keys. Nothing that
// the file says is believed but the leaves themselves: every hash is made anew, and the roots have to be the header's.
#include <algorithm>
#include <array>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "directory/open.h"
#include "leaves/hash_batch.h"
#include "leaves/leaf_rows.h"
#include "leaves/record_budget.h"
#include "linked/key_table.h"
#include "snapshot/external_sort.h"
#include "snapshot/restore_stored.h"
#include "snapshot/tree_elements.h"

namespace optiks::ozks {
namespace {

// Of each of the three sorts.
constexpr std::size_t kSortMemory = std::size_t{16} << 20;
// Leaves whose records are read at once, and that one thread reads of them.
constexpr std::size_t kReadAtOnce = 8192;
constexpr std::size_t kReadPart = 256;
// Leaves that are put into a tree at once: as few as bring few pages into memory.
constexpr std::size_t kStageAtOnce = 4096;
// Keys of a transaction.
constexpr std::size_t kKeysAtOnce = std::size_t{1} << 16;

[[noreturn]] void damaged() { data_error("the snapshot contradicts its leaf log"); }

struct LeafByPlace {
  std::uint64_t place;
  std::uint64_t number;  // among all leaves of the file
  Hash label;
  std::uint8_t structure;

  bool operator<(const LeafByPlace& other) const { return place < other.place; }
};

struct LeafByNumber {
  std::uint64_t number;
  Hash label;
  Hash hash;
  std::uint64_t place;

  bool operator<(const LeafByNumber& other) const { return number < other.number; }
};

struct LeafByTag {
  Tag tag;
  std::uint32_t version;
  std::uint8_t structure;
  std::uint64_t place;
  std::uint64_t previous;

  bool operator<(const LeafByTag& other) const { return std::tie(tag, version) < std::tie(other.tag, other.version); }
};

class StoredRestorer {
 public:
  StoredRestorer(BlockReader& in, const SnapshotHeader& header, Directory& directory, StoredTrees& trees,
                 const std::string& folder)
      : in_(in),
        header_(header),
        store_(*directory.store()),
        trees_(trees),
        workers_(directory.workers()),
        budget_(header.log_len),
        by_place_(folder, kSortMemory),
        by_number_(folder, kSortMemory),
        by_tag_(folder, kSortMemory) {}

  void run() {
    for (std::size_t s = 0; s < kNumStructures; ++s) {
      counts_[s] = base::load_be64(header_.states.data() + s * OPTIKS_STRUCTURE_STATE_LEN + verify::kHashLen);
      if (counts_[s] != 0) {
        structure_ = static_cast<std::uint8_t>(s + 1);
        read_tree(in_, header_, counts_[s], *this);
      }
    }
    skip_keys();
    in_.finish();
    by_place_.sort();
    read_records();
    by_number_.sort();
    by_tag_.sort();
    make_trees();
    make_keys();
    store_.log.sync();
    store_.versions.prepare();
    trees_.commit(header_.epoch, {store_.log.identity(), store_.log.size()}, {}, store_.versions.oldest());
    store_.versions.publish(header_.epoch, trees_.state().trees, store_.log.size());
  }

  // As read_tree() has it. What interior nodes there are follows from the leaves.
  static NodeId add_interior(NodeId, std::size_t, std::uint8_t, ByteSpan, ByteSpan) { return kNoNode; }
  NodeId add_leaf(NodeId, std::size_t, const Leaf& leaf) {
    by_place_.add({leaf.log_place(), num_leaves_++, leaf.label, structure_});
    return kNoNode;
  }

 private:
  // The leaf log tells the keys.
  void skip_keys() {
    for (std::size_t segment = 0; segment < KeyTable::kSegments; ++segment) {
      while (base::load_be32(in_.take(kKeyElementLen).data() + 4) != 0xffffffff) {
      }
    }
    while (base::load_be64(in_.take(kMovedElementLen).data() + 5) != kNoPlace) {
    }
  }

  void read_records() {
    std::vector<LeafByPlace> leaves;
    std::vector<LeafByNumber> hashed(kReadAtOnce);
    std::vector<LeafByTag> tagged(kReadAtOnce);
    leaves.reserve(kReadAtOnce);
    for (bool is_more = true; is_more;) {
      leaves.clear();
      for (LeafByPlace leaf; leaves.size() < kReadAtOnce && (is_more = by_place_.next(leaf));) {
        leaves.push_back(leaf);
      }
      workers_.for_each_index((leaves.size() + kReadPart - 1) / kReadPart, [&](std::size_t part) {
        const std::size_t first = part * kReadPart;
        read_part(std::span(leaves).subspan(first, std::min(kReadPart, leaves.size() - first)), hashed.data() + first,
                  tagged.data() + first);
      });
      for (std::size_t i = 0; i < leaves.size(); ++i) {
        by_number_.add(hashed[i]);
        by_tag_.add(tagged[i]);
      }
    }
  }

  // One object's members that threads share are read alone.
  void read_part(std::span<const LeafByPlace> leaves, LeafByNumber* hashed, LeafByTag* tagged) {
    HashBatch hashes;
    LeafRecord record;
    std::array<Hash, kReadPart> commitments;  // in the records
    std::array<Hash, kReadPart> opened;       // of their values, or the same
    std::size_t num_octets = 0;
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      const LeafByPlace& leaf = leaves[i];
      store_.log.read(leaf.place, record);
      num_octets += RecordBudget::length_of(record);
      const LeafFacts& facts = record.facts();
      hashed[i] = {leaf.number, leaf.label, {}, leaf.place};
      hashes.add_leaf(leaf.label, facts.commitment, facts.epoch, hashed[i].hash);
      tagged[i] = {facts.tag, facts.version, leaf.structure, leaf.place, facts.previous};
      commitments[i] = facts.commitment;
      opened[i] = facts.commitment;
      if (record.has_value()) {
        hashes.add_commitment(record.opening(), record.value(), opened[i]);
      }
    }
    budget_.spend(num_octets);
    hashes.run();
    if (!std::equal(commitments.begin(), commitments.begin() + static_cast<std::ptrdiff_t>(leaves.size()),
                    opened.begin())) {
      damaged();
    }
  }

  void make_trees() {
    std::vector<NewLeaf> leaves;
    leaves.reserve(kStageAtOnce);
    for (std::size_t s = 0; s < kNumStructures; ++s) {
      for (std::uint64_t left = counts_[s]; left != 0; left -= leaves.size()) {
        leaves.clear();
        LeafByNumber next;
        while (leaves.size() < std::min<std::uint64_t>(kStageAtOnce, left) && by_number_.next(next)) {
          leaves.push_back({next.label, next.hash, next.place});
        }
        if (!trees_.stage(s, leaves)) {
          damaged();
        }
      }
    }
    std::array<std::uint8_t, kNumStructures * OPTIKS_STRUCTURE_STATE_LEN> states;
    encode_states(store_.secrets, trees_.staged(), states.data());
    if (states != header_.states) {
      damaged();
    }
  }

  // A key's versions begin with 1 and follow each other; a key of an oZKS has one leaf, of version 0.
  void make_keys() {
    std::vector<StoredTrees::Key> keys;
    keys.reserve(kKeysAtOnce);
    LeafByTag before{};
    LeafByTag leaf;
    for (bool is_first = true; by_tag_.next(leaf); is_first = false, before = leaf) {
      const bool is_same = !is_first && leaf.tag == before.tag;
      const bool follows =
          is_same ? verify::has_versions(leaf.structure) && leaf.structure == before.structure &&
                        leaf.version == before.version + std::uint64_t{1} && leaf.previous == before.place &&
                        leaf.previous < leaf.place
                  : leaf.version == (verify::has_versions(leaf.structure) ? 1 : 0) && leaf.previous == kNoPlace;
      if (!follows) {
        damaged();
      }
      if (is_same) {
        keys.back().place = leaf.place;
        continue;
      }
      if (keys.size() == kKeysAtOnce) {
        trees_.put_keys_ahead(keys);
        keys.clear();
      }
      keys.push_back({leaf.tag, leaf.place});
    }
    trees_.put_keys_ahead(keys);
  }

  BlockReader& in_;
  const SnapshotHeader& header_;
  Store& store_;
  StoredTrees& trees_;
  Workers& workers_;
  RecordBudget budget_;
  ExternalSort<LeafByPlace> by_place_;
  ExternalSort<LeafByNumber> by_number_;
  ExternalSort<LeafByTag> by_tag_;
  std::array<std::uint64_t, kNumStructures> counts_{};
  std::uint8_t structure_ = 0;
  std::uint64_t num_leaves_ = 0;
};

}  // namespace

std::unique_ptr<Directory> restore_stored_directory(BlockReader& in, const SnapshotHeader& header, Secrets&& secrets,
                                                    const optiks_dir_options_t& options) {
  std::unique_ptr<StoredTrees> owned = open_stored_trees(secrets, options);
  StoredTrees& trees = *owned;
  if (trees.state().epoch != 0) {
    throw DirectoryError(OPTIKS_E_STATE, "the node store has a directory already");
  }
  const LogState log{header.log_identity, header.log_len};
  auto directory = std::make_unique<Directory>(
      std::make_shared<Store>(std::move(secrets), options, std::move(owned), 0, &log), options.threads);
  StoredRestorer(in, header, *directory, trees, options.node_store_path).run();
  return directory;
}

}  // namespace optiks::ozks
