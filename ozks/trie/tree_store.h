// TreeStore: the nodes of a directory's trees and its key table, in memory (linked/linked_trees.h) or on disk
// (stored/stored_trees.h). Roots, paths and answers are the same.
//
// Thread safety: one thread at a time is the writer (begin_bulk_load, stage, staged, commit, discard, release, check,
// and the uses of editor()); any number of threads call the other functions at the same time. A thread that walks a
// tree has pinned its version (directory/epoch_states.h).
// Invariants
//   1. A node reachable from a committed tree never changes while a version that has the tree is pinned.
//   2. No reader sees staged changes until commit(), and discard() leaves no trace of them.
//   3. In commit(), all steps that can fail come before the first change that a reader can see.
//   4. The key table may name a leaf that is newer than a reader's version: LeafFacts::previous leads back from its
//      record, which is written to the leaf log first.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "leaves/leaf_log.h"
#include "trie/parallel.h"
#include "trie/path.h"
#include "trie/tree.h"

namespace optiks::ozks {

// A leaf for the next tree, with the data that the key table needs.
struct NewLeaf {
  Hash label;
  Hash hash;                 // docs/spec/tree.md section 2
  std::uint64_t log_offset;  // offset of its record in the leaf log
  Tag tag{};                 // tag of its key
  // Log offset of the table's current leaf of the key; kNoLogOffset: the key is new.
  std::uint64_t replaces = kNoLogOffset;
  bool is_newest = false;  // whether the table stores this leaf for the key
};

// The append-only proof of a structure's step.
struct StepProof {
  const LeafLog& log;                 // log with the old leaves' records
  std::span<const Hash> commitments;  // commitments of the new leaves
  std::vector<std::uint8_t>& out;     // receives the encoding of an AppendProof at its end
};

// Octets and counts; a value that does not apply to a store is 0.
struct TreeStats {
  std::uint64_t tree_bytes = 0;  // in memory
  std::uint64_t key_table_bytes = 0;
  std::uint64_t disk_bytes = 0;
  std::uint64_t cache_hits = 0;
  std::uint64_t cache_misses = 0;
};

// Takes the first leaves of a store, in any number and any order. Trees and key table are then made from all these
// leaves at once.
//
// Thread safety: the store's writer.
class BulkLoad {
 public:
  BulkLoad() = default;
  BulkLoad(const BulkLoad&) = delete;
  BulkLoad& operator=(const BulkLoad&) = delete;
  virtual ~BulkLoad() = default;

  // Takes a leaf of a structure (1..4): its label, hash and log offset, with the facts of its record. The record may
  // lack the link to the previous record of its key: build() adds the link.
  virtual void add(std::uint8_t structure, const NewLeaf& leaf, const LeafFacts& facts) = 0;
  // Stages the trees and the keys. Throws DirectoryError if a label occurs twice, or if a key's versions do not begin
  // and follow each other correctly in the order of their records. The store is then unusable. Call it once.
  virtual void build(LeafLog& log, Workers& workers) = 0;
};

// Changes committed trees in place, while no thread reads them or the keys, and nothing is staged.
//
// Thread safety: the store's writer.
class TreeEditor {
 public:
  TreeEditor() = default;
  TreeEditor(const TreeEditor&) = delete;
  TreeEditor& operator=(const TreeEditor&) = delete;
  virtual ~TreeEditor() = default;

  // Each given leaf replaces the newest leaf of its key in the structure (0..3). Both leaves have the same label, and
  // `replaces` is the log offset of the replaced leaf's record. If `log_offset` is kNoLogOffset, the call removes the
  // key and its newest leaf instead.
  virtual void edit(std::size_t structure, std::span<const NewLeaf> leaves) noexcept = 0;
};

class TreeStore {
 public:
  // save() calls this function with the next element of a snapshot's file.
  using PutElement = std::function<void(ByteSpan)>;

  TreeStore() = default;
  TreeStore(const TreeStore&) = delete;
  TreeStore& operator=(const TreeStore&) = delete;
  virtual ~TreeStore() = default;

  // Follows the bits of at most Paths::kMax labels from the tree's root; out.paths[i] is the path of the i-th label.
  // The memory that proofs read of these paths is prefetched.
  virtual void walk_many(const Tree& tree, std::span<const ByteSpan> labels, Paths& out) const = 0;
  // Reads the record of the key's newest leaf and returns its log offset; kNoLogOffset if the key has no leaf.
  [[nodiscard]] virtual std::uint64_t find_newest(const LeafLog& log, const Tag& key, LeafRecord& out) const = 0;
  // Prefetches the memory that find_newest() will read for these keys.
  virtual void prefetch_newest(const LeafLog& log, std::span<const Tag> keys) const = 0;
  [[nodiscard]] virtual TreeStats stats() const = 0;

  // Starts a bulk load of a store that has no epoch yet. Returns null if adding leaves batch by batch is as fast.
  [[nodiscard]] virtual std::unique_ptr<BulkLoad> begin_bulk_load() = 0;
  // Adds leaves, sorted by label, to the next epoch's tree of a structure (0..3). Returns false if a label exists
  // already or occurs twice; then, and after an exception, the epoch can only be discarded. `proof` may be null.
  [[nodiscard]] virtual bool stage(std::size_t structure, std::span<const NewLeaf> leaves, Workers& workers,
                                   const StepProof* proof) = 0;
  // Returns the trees of the staged epoch, or the trees of the last commit if no epoch is staged.
  [[nodiscard]] virtual const Trees& staged() const = 0;
  // Makes the staged epoch the store's epoch. The log has all records of its leaves in its file. After an exception the
  // store has the previous epoch; the staged one can be committed again or discarded.
  virtual void commit(std::uint64_t epoch, const LeafLog& log, Workers& workers) = 0;
  virtual void discard() noexcept = 0;
  // Frees everything that only versions of epochs before `oldest` refer to. Such a version is not pinned, and cannot be
  // pinned again.
  virtual void release(std::uint64_t oldest) noexcept = 0;

  // Returns the editor of the store's trees, or null if the store itself is on disk.
  [[nodiscard]] virtual TreeEditor* editor() = 0;

  // Writes the trees of an epoch, and their keys, as elements of a snapshot's file (docs/operations/snapshots.md
  // section 2). Throws DirectoryError (OPTIKS_E_STATE) if the store itself is on disk.
  virtual void save(const LeafLog& log, std::uint64_t epoch, const Trees& trees, const PutElement& put) const = 0;
  // Reads every record of the leaf log and recomputes every hash of the committed trees. On return the hashes lead to
  // the trees' roots, records are whole, and values open their commitments. The versions of each key follow each other,
  // and the key table has the latest of each. Throws DirectoryError (OPTIKS_E_DATA) or std::system_error otherwise;
  // OPTIKS_E_STATE if the store itself is on disk. The check cannot tell whether a tag belongs to the key of a label:
  // that needs the key's name. A verifier refuses an answer made from a wrong tag.
  virtual void check(const LeafLog& log, Workers& workers) const = 0;
};

}  // namespace optiks::ozks
