// From a snapshot's file to a node data. The file has the leaves in the order of their labels, but neither what they
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
constexpr std::size_t kReadBatch = 8192;
constexpr std::size_t kReadPart = 256;
// Leaves that are put into a tree at once: as few as bring few pages into memory.
constexpr std::size_t kStageBatch = 4096;
// Keys of a transaction.
constexpr std::size_t kKeyBatch = std::size_t{1} << 16;

[[noreturn]] void damaged() { data_error("the snapshot contradicts its leaf log"); }

struct LeafByLogOffset {
  std::uint64_t log_offset;
  std::uint64_t number;  // among all leaves of the file
  Hash label;
  std::uint8_t structure;

  bool operator<(const LeafByLogOffset& other) const { return log_offset < other.log_offset; }
};

struct LeafByNumber {
  std::uint64_t number;
  Hash label;
  Hash hash;
  std::uint64_t log_offset;

  bool operator<(const LeafByNumber& other) const { return number < other.number; }
};

struct LeafByTag {
  Tag tag;
  std::uint32_t version;
  std::uint8_t structure;
  std::uint64_t log_offset;
  std::uint64_t previous;

  bool operator<(const LeafByTag& other) const { return std::tie(tag, version) < std::tie(other.tag, other.version); }
};

class StoredRestorer {
 public:
  StoredRestorer(BlockReader& in, const SnapshotHeader& header, Directory& directory, StoredTrees& trees,
                 const std::string& folder)
      : in_(in),
        header_(header),
        data_(*directory.data()),
        trees_(trees),
        workers_(directory.workers()),
        budget_(header.log_len),
        by_log_offset_(folder, kSortMemory),
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
    by_log_offset_.sort();
    read_records();
    by_number_.sort();
    by_tag_.sort();
    make_trees();
    make_keys();
    data_.log.sync();
    data_.epochs.prepare();
    trees_.commit(header_.epoch, {data_.log.identity(), data_.log.size()}, {}, data_.epochs.oldest());
    data_.epochs.publish(header_.epoch, trees_.state().trees, data_.log.size());
  }

  // As read_tree() has it. What interior nodes there are follows from the leaves.
  static NodeId add_interior(NodeId, std::size_t, std::uint8_t, ByteSpan, ByteSpan) { return kNoNode; }
  NodeId add_leaf(NodeId, std::size_t, const Leaf& leaf) {
    by_log_offset_.add({leaf.log_offset(), num_leaves_++, leaf.label, structure_});
    return kNoNode;
  }

 private:
  // The leaf log tells the keys.
  void skip_keys() {
    for (std::size_t segment = 0; segment < KeyTable::kSegments; ++segment) {
      while (base::load_be32(in_.take(kKeyElementLen).data() + 4) != 0xffffffff) {
      }
    }
    while (base::load_be64(in_.take(kMovedElementLen).data() + 5) != kNoLogOffset) {
    }
  }

  void read_records() {
    std::vector<LeafByLogOffset> leaves;
    std::vector<LeafByNumber> hashed(kReadBatch);
    std::vector<LeafByTag> tagged(kReadBatch);
    leaves.reserve(kReadBatch);
    for (bool is_more = true; is_more;) {
      leaves.clear();
      for (LeafByLogOffset leaf; leaves.size() < kReadBatch && (is_more = by_log_offset_.next(leaf));) {
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
  void read_part(std::span<const LeafByLogOffset> leaves, LeafByNumber* hashed, LeafByTag* tagged) {
    HashBatch hashes;
    LeafRecord record;
    std::array<Hash, kReadPart> commitments;  // in the records
    std::array<Hash, kReadPart> opened;       // of their values, or the same
    std::size_t num_octets = 0;
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      const LeafByLogOffset& leaf = leaves[i];
      data_.log.read(leaf.log_offset, record);
      num_octets += RecordBudget::length_of(record);
      const LeafFacts& facts = record.facts();
      hashed[i] = {leaf.number, leaf.label, {}, leaf.log_offset};
      hashes.add_leaf(leaf.label, facts.commitment, facts.epoch, hashed[i].hash);
      tagged[i] = {facts.tag, facts.version, leaf.structure, leaf.log_offset, facts.previous};
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
    leaves.reserve(kStageBatch);
    for (std::size_t s = 0; s < kNumStructures; ++s) {
      for (std::uint64_t left = counts_[s]; left != 0; left -= leaves.size()) {
        leaves.clear();
        LeafByNumber next;
        while (leaves.size() < std::min<std::uint64_t>(kStageBatch, left) && by_number_.next(next)) {
          leaves.push_back({next.label, next.hash, next.log_offset});
        }
        if (!trees_.stage(s, leaves, workers_)) {
          damaged();
        }
      }
    }
    std::array<std::uint8_t, kNumStructures * OPTIKS_STRUCTURE_STATE_LEN> states;
    encode_states(data_.secrets, trees_.staged(), states.data());
    if (states != header_.states) {
      damaged();
    }
  }

  // A key's versions begin with 1 and follow each other; a key of an oZKS has one leaf, of version 0.
  void make_keys() {
    std::vector<StoredTrees::Key> keys;
    keys.reserve(kKeyBatch);
    LeafByTag before{};
    LeafByTag leaf;
    for (bool is_first = true; by_tag_.next(leaf); is_first = false, before = leaf) {
      const bool is_same = !is_first && leaf.tag == before.tag;
      const bool follows =
          is_same ? verify::has_versions(leaf.structure) && leaf.structure == before.structure &&
                        leaf.version == before.version + std::uint64_t{1} && leaf.previous == before.log_offset &&
                        leaf.previous < leaf.log_offset
                  : leaf.version == (verify::has_versions(leaf.structure) ? 1 : 0) && leaf.previous == kNoLogOffset;
      if (!follows) {
        damaged();
      }
      if (is_same) {
        keys.back().log_offset = leaf.log_offset;
        continue;
      }
      if (keys.size() == kKeyBatch) {
        trees_.put_keys_ahead(keys);
        keys.clear();
      }
      keys.push_back({leaf.tag, leaf.log_offset});
    }
    trees_.put_keys_ahead(keys);
  }

  BlockReader& in_;
  const SnapshotHeader& header_;
  DirectoryData& data_;
  StoredTrees& trees_;
  Workers& workers_;
  RecordBudget budget_;
  ExternalSort<LeafByLogOffset> by_log_offset_;
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
      std::make_shared<DirectoryData>(std::move(secrets), options, std::move(owned), 0, &log), options.threads);
  StoredRestorer(in, header, *directory, trees, options.node_store_path).run();
  return directory;
}

}  // namespace optiks::ozks
