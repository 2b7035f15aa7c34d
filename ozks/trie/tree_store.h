// TreeStore: where a directory has the nodes of its trees and the table of its keys: in memory (linked/linked_trees.h)
// or on disk (stored/stored_trees.h). Roots, paths and answers are the same.
//
// Thread safety: one thread at a time is the writer (begin_bulk_load, stage, staged, commit, discard, release, check,
// and what editor() is for);
// any number of threads call the others meanwhile. Who walks a tree has pinned its version (directory/epoch_states.h).
// Invariants
//  1. A node reachable from a committed tree never changes while a version that has the tree is pinned.
//  2. What is staged is visible to nobody until commit(), and discard() leaves no trace of it.
//  3. Of commit(), all that can fail happens before the first change that a reader can see.
//  4. The table of keys may name a leaf that is newer than a reader's version: LeafFacts::previous leads back from its
//     record, which is in the leaf log before.
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

// NewLeaf: a leaf for the next tree, with what the table of keys is to know of it.
struct NewLeaf {
  Hash label;
  Hash hash;                              // docs/spec/tree.md section 2
  std::uint64_t log_offset;               // of its record in the leaf log
  Tag tag{};                              // of its key
  std::uint64_t replaces = kNoLogOffset;  // the table's leaf of the key; kNoLogOffset: none
  bool is_newest = false;                 // the table is to have it for the key
};

// StepProof: the append-only proof of a structure's step.
struct StepProof {
  const LeafLog& log;                 // has the old leaves' records
  std::span<const Hash> commitments;  // of the new leaves
  std::vector<std::uint8_t>& out;     // receives the encoding of an AppendProof at its end
};

// TreeStats: octets and counts; what a store does not have is 0.
struct TreeStats {
  std::uint64_t tree_bytes = 0;  // in memory
  std::uint64_t key_table_bytes = 0;
  std::uint64_t disk_bytes = 0;
  std::uint64_t cache_hits = 0;
  std::uint64_t cache_misses = 0;
};

// BulkLoad: the first leaves of a store, of any number and in any order, of which trees and key table are made at once.
//
// Thread safety: the store's writer.
class BulkLoad {
 public:
  BulkLoad() = default;
  BulkLoad(const BulkLoad&) = delete;
  BulkLoad& operator=(const BulkLoad&) = delete;
  virtual ~BulkLoad() = default;

  // Takes a leaf of a structure (1..4), of which label, hash and log offset are read, with the facts of its record. The
  // record may name none before: build() sees to it.
  virtual void add(std::uint8_t structure, const NewLeaf& leaf, const LeafFacts& facts) = 0;
  // Stages the trees and the keys. DirectoryError when a label is there twice, or a key's versions do not begin and
  // follow each other as they do, in the order of their records; the store is of no use then. Once.
  virtual void build(LeafLog& log, Workers& workers) = 0;
};

// TreeEditor: changes of committed trees where they stand, while nobody reads them nor the keys, and nothing is staged.
//
// Thread safety: the store's writer.
class TreeEditor {
 public:
  TreeEditor() = default;
  TreeEditor(const TreeEditor&) = delete;
  TreeEditor& operator=(const TreeEditor&) = delete;
  virtual ~TreeEditor() = default;

  // Each leaf is of a key of the structure (0..3) whose newest one has the same label, and its record at `replaces`: it
  // takes that one's place, or, with kNoLogOffset as `log_offset`, key and leaf go.
  virtual void edit(std::size_t structure, std::span<const NewLeaf> leaves) noexcept = 0;
};

class TreeStore {
 public:
  // Takes the next element of a snapshot's file.
  using PutElement = std::function<void(ByteSpan)>;

  TreeStore() = default;
  TreeStore(const TreeStore&) = delete;
  TreeStore& operator=(const TreeStore&) = delete;
  virtual ~TreeStore() = default;

  // Follows the bits of at most Paths::kMax labels from the tree's root; out.paths[i] is that of the i-th. What a proof
  // reads of them is on its way into the processor's cache afterwards.
  virtual void walk_many(const Tree& tree, std::span<const ByteSpan> labels, Paths& out) const = 0;
  // Reads the record of the key's newest leaf and gives its log offset; kNoLogOffset when the key has none.
  [[nodiscard]] virtual std::uint64_t find_newest(const LeafLog& log, const Tag& key, LeafRecord& out) const = 0;
  // Asks for the memory that find_newest() will read for these keys.
  virtual void prefetch_newest(const LeafLog& log, std::span<const Tag> keys) const = 0;
  [[nodiscard]] virtual TreeStats stats() const = 0;

  // A bulk load of a store that has no epoch yet; null where adding leaves batch by batch is as fast.
  [[nodiscard]] virtual std::unique_ptr<BulkLoad> begin_bulk_load() = 0;
  // Adds leaves, sorted by label, to the next epoch's tree of a structure (0..3). False when a label is there already
  // or twice; then, and when it throws, the epoch can only be discarded. `proof` may be null.
  [[nodiscard]] virtual bool stage(std::size_t structure, std::span<const NewLeaf> leaves, Workers& workers,
                                   const StepProof* proof) = 0;
  // The next epoch's trees; those of the last commit while none is staged.
  [[nodiscard]] virtual const Trees& staged() const = 0;
  // Makes what was staged the store's epoch. The log has all records of its leaves in its file. After an exception the
  // store has the epoch before; the staged one can be committed again or discarded.
  virtual void commit(std::uint64_t epoch, const LeafLog& log, Workers& workers) = 0;
  virtual void discard() noexcept = 0;
  // No version of an epoch before `oldest` is pinned, or will be: what such versions alone refer to is free.
  virtual void release(std::uint64_t oldest) noexcept = 0;

  // Null when the store is on disk itself.
  [[nodiscard]] virtual TreeEditor* editor() = 0;

  // Writes the trees of an epoch, and the keys that they have, as elements of a snapshot's file
  // (docs/operations/snapshots.md section 2). DirectoryError (OPTIKS_E_STATE) when the store is on disk itself.
  virtual void save(const LeafLog& log, std::uint64_t epoch, const Trees& trees, const PutElement& put) const = 0;
  // Reads every record of the leaf log and computes every hash of the committed trees again: they are then those of the
  // trees' roots, records are whole, values open their commitments, the versions of a key follow each other and the
  // table of keys has the latest of each. DirectoryError (OPTIKS_E_DATA) or std::system_error otherwise;
  // OPTIKS_E_STATE when the store is on disk itself. That a tag is the one of a label's key only the key's name tells:
  // an answer from a wrong one is refused by its reader.
  virtual void check(const LeafLog& log, Workers& workers) const = 0;
};

}  // namespace optiks::ozks
