// Restores a snapshot's file to a node store. The file has the leaves in the order of their labels. The tag of a leaf's
// key, and the data for the leaf's hash, are in the leaf log. The log may be larger than memory, so it must be read in
// its own order. Therefore the leaves are first sorted by the log offsets of their records, then the records are read,
// and then the store is built as in a bulk load. No hash in the file is trusted: all hashes are recomputed from the
// leaves, and the roots must equal the roots in the header.
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
#include "snapshot/restore_stored.h"
#include "snapshot/tree_elements.h"
#include "stored/store_builder.h"

namespace optiks::ozks {
namespace {

constexpr std::size_t kSortMemory = std::size_t{16} << 20;
// kReadBatch is the number of leaves whose records are read together; kReadPart is the number of records that one
// thread reads at a time.
constexpr std::size_t kReadBatch = 8192;
constexpr std::size_t kReadPart = 256;

[[noreturn]] void contradicted() { data_error("the snapshot contradicts its leaf log"); }

struct LeafByLogOffset {
  std::uint64_t log_offset;
  Hash label;
  std::uint8_t structure;

  bool operator<(const LeafByLogOffset& other) const { return log_offset < other.log_offset; }
};

class StoredRestorer {
 public:
  StoredRestorer(BlockReader& in, const SnapshotHeader& header, Directory& directory, StoredTrees& trees)
      : in_(in),
        header_(header),
        data_(*directory.data()),
        trees_(trees),
        workers_(directory.workers()),
        budget_(header.log_len),
        by_log_offset_(trees.folder(), kSortMemory),
        builder_(trees, data_.reuses_usernames) {}

  void run() {
    for (const std::uint8_t structure : kStructures) {
      const std::size_t at = structure_index(structure) * OPTIKS_STRUCTURE_STATE_LEN;
      const std::uint64_t count = base::load_be64(header_.states.data() + at + verify::kHashLen);
      if (count != 0) {
        structure_ = structure;
        read_tree(in_, header_, count, *this);
      }
    }
    skip_keys();
    in_.finish();
    by_log_offset_.sort();
    read_records();
    build();
    data_.epochs.prepare();
    trees_.commit(header_.epoch, data_.log, workers_);
    data_.epochs.publish(header_.epoch, trees_.state().trees, data_.log.size());
  }

  // These two functions are the visitor of read_tree(). Interior nodes are ignored, because the leaves determine them.
  static NodeId add_interior(NodeId, std::size_t, std::uint8_t, ByteSpan, ByteSpan) { return kNoNode; }
  NodeId add_leaf(NodeId, std::size_t, const Leaf& leaf) {
    by_log_offset_.add({leaf.log_offset(), leaf.label, structure_});
    return kNoNode;
  }

 private:
  // Skips the key table in the file, because the store's keys are made from the leaf log.
  void skip_keys() {
    for (std::size_t segment = 0; segment < kKeySegments; ++segment) {
      while (base::load_be32(in_.take(kKeyElementLen).data() + 4) != kNoLeafNumber) {
      }
    }
    while (base::load_be64(in_.take(kMovedElementLen).data() + 5) != kNoLogOffset) {
    }
  }

  void read_records() {
    std::vector<LeafByLogOffset> leaves;
    std::vector<NewLeaf> hashed(kReadBatch);
    std::vector<LeafFacts> facts(kReadBatch);
    leaves.reserve(kReadBatch);
    for (bool is_more = true; is_more;) {
      leaves.clear();
      for (LeafByLogOffset leaf; leaves.size() < kReadBatch && (is_more = by_log_offset_.next(leaf));) {
        leaves.push_back(leaf);
      }
      workers_.for_each_index((leaves.size() + kReadPart - 1) / kReadPart, [&](std::size_t part) {
        const std::size_t first = part * kReadPart;
        read_part(std::span(leaves).subspan(first, std::min(kReadPart, leaves.size() - first)), hashed.data() + first,
                  facts.data() + first);
      });
      for (std::size_t i = 0; i < leaves.size(); ++i) {
        builder_.add(leaves[i].structure, hashed[i], facts[i]);
      }
    }
  }

  // Reads and hashes the records of some leaves. Several threads call this function, so it only reads members that they
  // share.
  void read_part(std::span<const LeafByLogOffset> leaves, NewLeaf* hashed, LeafFacts* facts) {
    HashBatch hashes;
    LeafRecord record;
    std::array<Hash, kReadPart> opened;  // recomputed commitments, or the records' own if they have no value
    std::size_t num_octets = 0;
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      const LeafByLogOffset& leaf = leaves[i];
      data_.log.read(leaf.log_offset, record);
      num_octets += RecordBudget::length_of(record);
      facts[i] = record.facts();
      // If the link to the previous version is missing, this check reports it; the builder would just add the link.
      if (facts[i].version > 1 && facts[i].previous == kNoLogOffset) {
        contradicted();
      }
      hashed[i] = {leaf.label, {}, leaf.log_offset};
      hashes.add_leaf(leaf.label, facts[i].commitment, facts[i].epoch, hashed[i].hash);
      opened[i] = facts[i].commitment;
      if (record.has_value()) {
        hashes.add_commitment(record.opening(), record.value(), opened[i]);
      }
    }
    budget_.spend(num_octets);
    hashes.run();
    if (!std::ranges::equal(std::span(facts, leaves.size()), std::span(opened).first(leaves.size()), {},
                            &LeafFacts::commitment)) {
      contradicted();
    }
  }

  void build() {
    try {
      builder_.build(data_.log, workers_);
    } catch (const DirectoryError&) {
      contradicted();
    }
    std::array<std::uint8_t, kNumStructures * OPTIKS_STRUCTURE_STATE_LEN> states;
    encode_states(data_.secrets, trees_.staged(), states.data());
    if (states != header_.states) {
      contradicted();
    }
  }

  BlockReader& in_;
  const SnapshotHeader& header_;
  DirectoryData& data_;
  StoredTrees& trees_;
  Workers& workers_;
  RecordBudget budget_;
  ExternalSort<LeafByLogOffset> by_log_offset_;
  StoreBuilder builder_;
  std::uint8_t structure_ = 0;
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
  StoredRestorer(in, header, *directory, trees).run();
  return directory;
}

}  // namespace optiks::ozks
