// Directory: the four trees of a log with what a task or a replica keeps per key, and its snapshots; in linked mode,
// where all of that is in memory but single leaves' records. stored/stored_directory.h is the other mode.
//
// Thread safety: one thread at a time is the writer (load, prepare, versions, stage, commit, discard); any number of
// threads take, use and drop snapshots meanwhile (but for load()), without waiting for the writer or for each other;
// one of them may call expect() (its only lock is held while finished labels change hands). Invariants
//  1. A staged epoch is visible to nobody: its nodes are reachable from its own trees only, and the key table learns
//     its leaves at commit, when the trees are published.
//  2. Interior nodes superseded by epoch e are freed once no version before e is pinned (versions.h). Leaves are never
//     superseded.
//  3. A reader at epoch e ignores leaves of later epochs that the key table already names (LeafFacts::previous leads
//     back). Their records were flushed before.
//  4. Everything that can fail in commit() happens before the first change that a reader can see.
//  5. Expected labels are a cache: each is used only for the (structure, key, version) that it was computed for.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "directory/versions.h"
#include "directory/vrf_cache.h"
#include "leaves/directory_error.h"
#include "leaves/leaf_log.h"
#include "leaves/tags.h"
#include "linked/apply.h"
#include "linked/key_table.h"
#include "optiks/base/secret.h"
#include "optiks/ozks/verify/alpha.h"
#include "optiks/types.h"
#include "optiks/vrf/ecvrf.h"
#include "stored/stored_trees.h"
#include "trie/parallel.h"

namespace optiks::ozks {

// ByteStrings: n byte strings in one blob (contract rule 4 of optiks.h).
struct ByteStrings {
  std::size_t size = 0;
  const std::uint8_t* blob = nullptr;
  const std::uint64_t* offsets = nullptr;

  ByteSpan operator[](std::size_t i) const {
    return {blob + offsets[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i])};
  }
};

struct Secrets {
  std::array<vrf::SecretKey, kNumStructures> vrf;
  TagKey tag_key;
};

// A value that tells another tag key, and nothing else of it.
[[nodiscard]] Tag tag_check(const Secrets& secrets);

using verify::Alpha;
using verify::kMaxKeyLen;

// What snapshots share with their directory, and keep when it is gone.
struct Store {
  // `kept`: what is kept of the leaf log at the options' path; null: nothing.
  Store(Secrets&& keys, const optiks_dir_options_t& options, const LogState* kept);

  [[nodiscard]] Tag tag(std::uint8_t structure, ByteSpan key) const;
  // The record of the key's newest leaf; false when there is none. Reads one record.
  [[nodiscard]] bool find_newest(const Tag& key, LeafRecord& out) const;
  // The same in linked mode, with the leaf's id, or kNoNode.
  [[nodiscard]] NodeId newest(const Tag& key, LeafRecord& out) const;
  // The record of the key's latest leaf at the epoch; false when there is none. Reads one record, unless there are
  // newer ones.
  [[nodiscard]] bool latest(const Tag& key, std::uint64_t epoch, LeafRecord& out) const;
  // Asks for the memory that these read, of which the key table's has to be there.
  void prefetch_latest(const Tag& key) const;
  void read(NodeId leaf, LeafRecord& out) const { log.read(nodes.leaf(leaf).log_place(), out); }
  [[nodiscard]] bool is_of_key(NodeId leaf, const Tag& key) const;

  Secrets secrets;
  std::uint64_t period;
  std::uint64_t period_first_epoch;
  std::uint32_t max_value_len;
  bool keeps_values;
  Nodes nodes;
  KeyTable keys;
  VrfCache cache;
  LeafLog log;
  Versions versions;
  std::unique_ptr<StoredTrees> stored;  // stored mode: in place of nodes and keys, which are empty then
  // For statistics, which any thread may ask for.
  std::atomic<std::uint64_t> tree_bytes{0};
  std::atomic<std::uint64_t> table_bytes{0};
  std::atomic<std::uint64_t> log_bytes{0};
};

// encode_states: four StructureState (docs/spec/records.md section 2).
void encode_states(const Store& store, const std::array<Tree, kNumStructures>& trees, std::uint8_t* out);

class Snapshot {
 public:
  explicit Snapshot(std::shared_ptr<Store> store) : store_(std::move(store)), version_(store_->versions.pin()) {}
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;
  ~Snapshot() { Versions::unpin(version_); }

  [[nodiscard]] Store& store() const { return *store_; }
  [[nodiscard]] const Version& version() const { return *version_; }

 private:
  std::shared_ptr<Store> store_;
  Version* version_;
};

class Directory {
 public:
  Directory(Secrets&& secrets, const optiks_dir_options_t& options, const LogState* kept = nullptr);
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  virtual ~Directory();

  [[nodiscard]] const std::shared_ptr<Store>& store() const { return store_; }
  // The threads that its calls share.
  [[nodiscard]] Workers& workers() const { return workers_; }

  virtual void load(std::uint64_t epoch, std::span<const optiks_leaf_t> leaves, ByteSpan values);
  [[nodiscard]] std::uint64_t version_of(std::uint8_t structure, ByteSpan key) const;
  // Computes the labels of the keys' next leaves ahead, as far as the current epoch tells their versions, and keeps
  // them for the next prepare(), with those of earlier calls since the last one.
  void expect(const std::uint8_t* structures, const ByteStrings& keys);
  void prepare(std::uint64_t epoch, const std::uint8_t* structures, const ByteStrings& keys, const ByteStrings& values,
               optiks_leaf_t* out_rows) const;

  // The staged epoch: see optiks.h.
  virtual void stage(std::uint64_t epoch, std::span<const optiks_leaf_t> leaves, ByteSpan values, bool with_proofs);
  [[nodiscard]] virtual const std::array<Tree, kNumStructures>& staged_trees() const { return staged_->trees; }
  [[nodiscard]] virtual ByteSpan staged_proofs() const { return staged_->proofs; }
  virtual void commit();
  virtual void discard() noexcept;
  // Brings the statistics up to date. Writer.
  void count_bytes();

 protected:
  // Tags are keyed hashes: any eight octets of one spread evenly.
  struct TagHash {
    std::size_t operator()(const Tag& tag) const { return static_cast<std::size_t>(base::load_le64(tag.data())); }
  };

 private:
  struct Staged {
    std::uint64_t epoch = 0;
    std::array<Tree, kNumStructures> trees;
    std::array<std::vector<NewLeaf>, kNumStructures> leaves;
    std::vector<KeyTable::Entry> keys;
    Change change;
    std::vector<std::uint8_t> proofs;
    std::uint64_t log_size = 0;  // before this epoch
  };
  struct ExpectedLabel {
    std::uint64_t version = 0;
    std::array<std::uint8_t, vrf::kLabelLen> label{};
  };
  using Expected = std::unordered_map<Tag, ExpectedLabel, TagHash>;
  struct Superseded {
    std::uint64_t epoch;
    std::vector<NodeId> nodes;
  };

  [[nodiscard]] Expected take_expected() const;
  static void make_room(Staged& staged, std::span<const optiks_leaf_t> leaves);
  void add_leaves(Staged& staged, std::span<const optiks_leaf_t> leaves, ByteSpan values);
  [[nodiscard]] std::size_t num_putting() const;
  void collect() noexcept;

  std::shared_ptr<Store> store_;
  mutable Workers workers_;
  std::unique_ptr<Staged> staged_;
  std::deque<Superseded> superseded_;
  mutable std::mutex expected_mutex_;
  mutable Expected expected_;  // a cache
};

}  // namespace optiks::ozks
