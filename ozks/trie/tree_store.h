// TreeStore: stores the nodes of a directory's trees and the directory's key table. LinkedTrees keeps them in memory
// (linked/linked_trees.h), and StoredTrees keeps them on disk (stored/stored_trees.h). Roots, paths and answers are the
// same with both.
//
// Thread safety: only one thread at a time, the writer, may call begin_bulk_load, stage, staged, commit, discard,
// release and check, and use the result of editor(). Any number of threads may call the other functions at the same
// time. A thread that walks a tree must have pinned an epoch's state that has the tree (directory/epoch_states.h).
// Invariants
//   1. A node of a committed tree never changes while a reader pins a state that has the tree.
//   2. No reader sees staged changes until commit(). discard() undoes them completely.
//   3. In commit(), all steps that can fail come before the first change that a reader can see.
//   4. The key table may name a leaf that is newer than a reader's epoch. From such a leaf's record,
//      LeafFacts::previous leads back to earlier leaves. The record was written to the leaf log before the key table
//      named the leaf.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "leaves/leaf_log.h"
#include "trie/path.h"
#include "trie/tree.h"
#include "util/parallel.h"

namespace optiks::ozks {

// A leaf to add to the next tree, with the data that the key table needs.
struct NewLeaf {
  Hash label;
  Hash hash;                 // the leaf's hash (docs/spec/tree.md section 2)
  std::uint64_t log_offset;  // offset of the leaf's record in the leaf log
  Tag tag{};                 // tag of the leaf's key.
  // Log offset of the leaf that the key table now has for the key; kNoLogOffset if the key is new.
  std::uint64_t replaces = kNoLogOffset;
  bool is_newest = false;  // true if the key table must name this leaf
};

// The data that stage() needs to make the append-only proof of a structure's step.
struct StepProof {
  const LeafLog& log;                 // log with the old leaves' records
  std::span<const Hash> commitments;  // commitments of the new leaves
  std::vector<std::uint8_t>& out;     // stage() appends the encoding of the AppendProof to it
};

// Sizes and counts of a store. A member that does not apply to the store is 0.
struct TreeStats {
  std::uint64_t tree_bytes = 0;  // in memory
  std::uint64_t key_table_bytes = 0;
  std::uint64_t disk_bytes = 0;
  std::uint64_t cache_hits = 0;
  std::uint64_t cache_misses = 0;
};

// Takes the first leaves of an empty store, in any number and any order. build() then makes the trees and the key table
// from all these leaves together.
//
// Thread safety: only the store's writer may use the object.
class BulkLoad {
 public:
  BulkLoad() = default;
  BulkLoad(const BulkLoad&) = delete;
  BulkLoad& operator=(const BulkLoad&) = delete;
  virtual ~BulkLoad() = default;

  // Adds a leaf of a structure (1..4). The call uses the label, hash and log offset of `leaf`, and the facts of its
  // record. The record may lack the link to the previous record of its key, because build() adds the link.
  virtual void add(std::uint8_t structure, const NewLeaf& leaf, const LeafFacts& facts) = 0;
  // Stages the trees and the keys. Throws DirectoryError if a label occurs twice. Also throws it if, in the order of
  // the records, the versions of a key do not begin with the right number or do not increase by one. After an exception
  // the store is unusable. Call this function only once.
  virtual void build(LeafLog& log, Workers& workers) = 0;
};

// Takes the copies with which a period begins (docs/spec/periods.md section 10), in any number of calls and in any
// order of labels. build() then makes the trees of `devices` and `keys`, and their keys. If a label has several rows,
// the last one is in force.
//
// Thread safety: only the store's writer may use the object.
class BulkCopies {
 public:
  BulkCopies() = default;
  BulkCopies(const BulkCopies&) = delete;
  BulkCopies& operator=(const BulkCopies&) = delete;
  virtual ~BulkCopies() = default;

  // Adds a copy, which is a leaf of a structure (1..4). The call uses the label, hash, tag and log offset of `leaf`.
  virtual void add(std::uint8_t structure, const NewLeaf& leaf) = 0;
  // Removes the copy of a key, if it has one. `log_size`: the length of the leaf log. Copies whose records begin there
  // or later count as later rows.
  virtual void remove(std::uint8_t structure, const Hash& label, const Tag& tag, std::uint64_t log_size) = 0;
  // Appends to `out` the log offsets of all copies with this label.
  virtual void find(std::uint8_t structure, ByteSpan label, std::vector<std::uint64_t>& out) const = 0;
  // Stages the trees and the keys. Erases in the leaf log the values of copies that are not in force. Throws
  // DirectoryError if two keys have one label, or a key has two labels. After an exception the store is unusable. Call
  // this function only once.
  virtual void build(LeafLog& log, Workers& workers) = 0;
};

// Changes committed trees in place. At that time no thread may read the trees or the keys, and no epoch may be staged.
//
// Thread safety: only the store's writer may use the object.
class TreeEditor {
 public:
  TreeEditor() = default;
  TreeEditor(const TreeEditor&) = delete;
  TreeEditor& operator=(const TreeEditor&) = delete;
  virtual ~TreeEditor() = default;

  // Each of `leaves` replaces the newest leaf of its key in the structure (1..4). Both leaves have the same label, and
  // `replaces` is the log offset of the replaced leaf's record. If `log_offset` is kNoLogOffset, the call removes the
  // key and its newest leaf instead.
  virtual void edit(std::uint8_t structure, std::span<const NewLeaf> leaves) noexcept = 0;
};

class TreeStore {
 public:
  // save() calls this function with each element of a snapshot's file, in order.
  using PutElement = std::function<void(ByteSpan)>;

  TreeStore() = default;
  TreeStore(const TreeStore&) = delete;
  TreeStore& operator=(const TreeStore&) = delete;
  virtual ~TreeStore() = default;

  // Walks the paths of at most Paths::kMax labels from the tree's root. out.paths[i] is the path of label i. Prefetches
  // the memory of these paths that proofs read.
  virtual void walk_many(const Tree& tree, std::span<const ByteSpan> labels, Paths& out) const = 0;
  // Reads the record of the key's newest leaf and returns its log offset. Returns kNoLogOffset if the key has no leaf.
  [[nodiscard]] virtual std::uint64_t find_newest(const LeafLog& log, const Tag& key, LeafRecord& out) const = 0;
  // Prefetches the memory that find_newest() will read for these keys.
  virtual void prefetch_newest(const LeafLog& log, std::span<const Tag> keys) const = 0;
  [[nodiscard]] virtual TreeStats stats() const = 0;
  // Lowers the maximum size of the cache of a store on disk to `bytes`. Does nothing if the store is in memory.
  virtual void limit_cache(std::uint64_t bytes) = 0;

  // Starts a bulk load into a store that has no epoch yet. `reuses_usernames`: true if the log reassigns usernames, so
  // that usernames have versions. Returns null if the store is not empty, or if it needs no bulk load because staging
  // leaves in batches is as fast as a bulk load.
  [[nodiscard]] virtual std::unique_ptr<BulkLoad> begin_bulk_load(bool reuses_usernames) = 0;
  // Adds leaves, which must be sorted by label, to the next epoch's tree of a structure (1..4). Returns false if a
  // label already exists or occurs twice. If the call returns false or throws, the epoch can only be discarded. If
  // `proof` is null, no proof is made.
  [[nodiscard]] virtual bool stage(std::uint8_t structure, std::span<const NewLeaf> leaves, Workers& workers,
                                   const StepProof* proof) = 0;
  // Returns the trees of the staged epoch, or the trees of the last commit if no epoch is staged.
  [[nodiscard]] virtual const Trees& staged() const = 0;
  // Makes the staged epoch the store's epoch. All records of its leaves must be in the leaf log's file. After an
  // exception the store has the previous epoch; the caller may commit the staged epoch again or discard it.
  virtual void commit(std::uint64_t epoch, const LeafLog& log, Workers& workers) = 0;
  virtual void discard() noexcept = 0;
  // Says that the staged epoch begins the store's period. A store on disk then keeps this with the commit; before, it
  // cannot be opened again.
  virtual void start_period() noexcept = 0;
  // Frees the memory or disk that only trees of epochs before `oldest` use. No reader pins such an epoch, or can pin it
  // again.
  virtual void release(std::uint64_t oldest) noexcept = 0;

  // Returns the editor of the store's trees, or null if the store is on disk.
  [[nodiscard]] virtual TreeEditor* editor() = 0;
  // Starts to take copies. Returns null if the store has an editor, or has leaves of `devices` or `keys` already.
  [[nodiscard]] virtual std::unique_ptr<BulkCopies> begin_copies() = 0;

  // Writes the trees of an epoch, and their keys, as elements of a snapshot's file (docs/operations/snapshots.md
  // section 2). Throws std::system_error if the store is on disk and damaged.
  virtual void save(const LeafLog& log, std::uint64_t epoch, const Trees& trees, const PutElement& put) const = 0;
  // Reads every record of the leaf log and recomputes every hash of the committed trees. The check succeeds if all
  // hashes agree with the trees' roots, all records are undamaged, and all values open their commitments. The versions
  // of each key must also increase by one, and the key table must name the latest leaf of each key. Otherwise throws
  // DirectoryError (OPTIKS_E_DATA) or std::system_error. `reuses_usernames`: as for begin_bulk_load(). Throws
  // DirectoryError (OPTIKS_E_STATE) if the store is on disk. The check cannot find out whether a tag belongs to the key
  // of a label, because this needs the key's name. A verifier refuses an answer made from a wrong tag.
  virtual void check(const LeafLog& log, bool reuses_usernames, Workers& workers) const = 0;
};

}  // namespace optiks::ozks
