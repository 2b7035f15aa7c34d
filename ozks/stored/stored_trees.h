// StoredTrees: the four trees of a directory and its key table in a node store on disk, with a bounded cache of pages
// in memory. A store that is opened again continues from its last commit. StoredTrees makes no append-only proofs: only
// update-task makes them.
//
// Thread safety: as TreeStore's.
// Invariants
//   1. The store holds exactly one complete epoch. Pages of a staged epoch may be written early, but nothing refers to
//      them, and commit() is one transaction. The next start or commit removes what a crash leaves of an epoch that was
//      not committed.
//   2. Pages that epoch e superseded are removed once no version before e is pinned. Until then the store lists them,
//      so that they are removed after a restart as well.
//   3. A page id is used once while the process runs, whether or not its epoch was committed.
//   4. Everything in the leaf log that the store refers to was on disk before the store's transaction.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "stored/store_state.h"
#include "stored/tree_update.h"

namespace optiks::ozks {

class StoredTrees final : public TreeStore {
 public:
  struct Key {
    Tag tag;
    std::uint64_t log_offset;  // log offset of the record of the key's newest leaf
  };

  // Takes over the contents of the store, which may be empty. Throws std::system_error if it is damaged, belongs to
  // another owner, or cannot be used.
  StoredTrees(std::unique_ptr<NodeStore> store, const StoreOwner& owner, std::uint64_t cache_bytes);

  // The committed epoch, for the writer.
  [[nodiscard]] const StoreState& state() const { return state_; }

  void walk_many(const Tree& tree, std::span<const ByteSpan> labels, Paths& out) const override {
    walk_stored(cached_, tree, labels, out);
  }
  [[nodiscard]] std::uint64_t find_newest(const LeafLog& log, const Tag& key, LeafRecord& out) const override;
  void prefetch_newest(const LeafLog& /*log*/, std::span<const Tag> /*keys*/) const override {}
  [[nodiscard]] TreeStats stats() const override;

  [[nodiscard]] std::unique_ptr<BulkLoad> begin_bulk_load() override;

  // Throws DirectoryError (OPTIKS_E_STATE) if a proof is wanted.
  [[nodiscard]] bool stage(std::size_t structure, std::span<const NewLeaf> leaves, Workers& workers,
                           const StepProof* proof) override;
  [[nodiscard]] const Trees& staged() const override { return staged_; }
  void commit(std::uint64_t epoch, const LeafLog& log, Workers& workers) override;
  void discard() noexcept override;
  void release(std::uint64_t oldest) noexcept override { oldest_ = oldest; }
  [[nodiscard]] TreeEditor* editor() override { return nullptr; }

  void save(const LeafLog& log, std::uint64_t epoch, const Trees& trees, const PutElement& put) const override;
  void check(const LeafLog& log, Workers& workers) const override;

  // The following functions are parts of those above, for code that fills a store. find() returns the log offset of the
  // record of a key's newest leaf, or kNoLogOffset.
  [[nodiscard]] std::uint64_t find(const Tag& tag) const;

  // Stages leaves as the stage() above does, without their keys.
  [[nodiscard]] bool stage(std::size_t structure, std::span<const NewLeaf> leaves, Workers& workers);
  // Writes keys before the very first commit, because there are more than fit into memory. A store that has keys or
  // pages without an epoch is refused when it is opened.
  void put_keys_ahead(std::span<const Key> keys);
  // Makes the staged epoch the store's epoch, with the keys' newest leaves, which are in the leaf log on disk.
  // `oldest`: the oldest pinned epoch. After an exception the store has the previous epoch; the staged one can be
  // committed again or discarded.
  void commit(std::uint64_t epoch, const LogState& log, std::vector<Key> keys, std::uint64_t oldest);

  [[nodiscard]] const PageCache& cache() const { return cache_; }
  // The folder for scratch files.
  [[nodiscard]] std::string folder() const { return store_->folder(); }

 private:
  // Reads the staged trees: from pages that are not written yet, and from the store.
  class StagedPages;

  [[nodiscard]] bool stage_at_once(std::size_t structure, std::span<const NewLeaf> leaves, Workers& workers);
  void remove_abandoned(NodeStore::Transaction& transaction, PageId end) const;
  void remove_garbage(NodeStore::Transaction& transaction, std::uint64_t oldest) const;
  void write_ahead();
  void put_pages(NodeStore::Transaction& transaction) const;
  static void put_keys(NodeStore::Transaction& transaction, std::span<const Key> keys);
  void cache_successors();

  std::unique_ptr<NodeStore> store_;
  PageCache cache_;
  CachedPages cached_;
  StoreState state_;
  PageId next_page_;  // first unused page id of the process
  Nodes nodes_;       // reused by one TreeUpdate after another

  std::uint64_t oldest_ = 0;  // oldest pinned epoch
  Trees staged_;
  std::vector<Key> staged_keys_;
  PageId first_staged_;                                      // pages from here on are the staged epoch's
  std::unordered_map<PageId, TreeUpdate::NewPage> pending_;  // pages that are not written yet
  std::uint64_t pending_bytes_ = 0;
  std::vector<PageId> superseded_;  // superseded pages of earlier epochs
  std::vector<PageId> dropped_;     // pages of the staged epoch that were written early and are no longer needed
};

}  // namespace optiks::ozks
