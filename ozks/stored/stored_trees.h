// StoredTrees: the four trees of a directory and its key table in a node store on disk, with a bounded cache of pages
// in memory. A store that is opened again continues from its last commit. StoredTrees makes no append-only proofs,
// because only the update-task needs them, and it does not use stored mode.
//
// Thread safety: the rules of TreeStore (trie/tree_store.h).
// Invariants
//   1. The store holds exactly one complete epoch. Pages of a staged epoch may be written early, but nothing refers to
//      them, and commit() is one transaction. If a crash leaves pages of an epoch that was not committed, the next
//      start or commit removes them.
//   2. Pages that epoch e superseded are removed once no reader pins an epoch before e. Until then the store has a list
//      of these pages, so that they are removed even after a restart.
//   3. While the process runs, each page id is used only once, whether or not the epoch of the page was committed.
//   4. All records of the leaf log to which the store refers were on disk before the store's transaction.
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
    std::uint64_t log_offset;  // log offset of the key's newest record
  };

  // Takes over the store with its contents; the store may be empty. Throws std::system_error if the store is damaged,
  // belongs to another owner, or cannot be used.
  StoredTrees(std::unique_ptr<NodeStore> store, const StoreOwner& owner, std::uint64_t cache_bytes);

  // Returns the state of the committed epoch. Only the writer may call this function.
  [[nodiscard]] const StoreState& state() const { return state_; }

  void walk_many(const Tree& tree, std::span<const ByteSpan> labels, Paths& out) const override {
    walk_stored(cached_, tree, labels, out);
  }
  [[nodiscard]] std::uint64_t find_newest(const LeafLog& log, const Tag& key, LeafRecord& out) const override;
  void prefetch_newest(const LeafLog& /*log*/, std::span<const Tag> /*keys*/) const override {}
  [[nodiscard]] TreeStats stats() const override;
  void limit_cache(std::uint64_t bytes) override { cache_.limit(bytes); }

  [[nodiscard]] std::unique_ptr<BulkLoad> begin_bulk_load(bool reuses_usernames) override;

  // Throws DirectoryError (OPTIKS_E_STATE) if `proof` is not null, because stored mode makes no proofs.
  [[nodiscard]] bool stage(std::uint8_t structure, std::span<const NewLeaf> leaves, Workers& workers,
                           const StepProof* proof) override;
  [[nodiscard]] const Trees& staged() const override { return staged_; }
  void commit(std::uint64_t epoch, const LeafLog& log, Workers& workers) override;
  void discard() noexcept override;
  void start_period() noexcept override { starts_period_ = true; }
  void release(std::uint64_t oldest) noexcept override { oldest_ = oldest; }
  [[nodiscard]] TreeEditor* editor() override { return nullptr; }
  [[nodiscard]] std::unique_ptr<BulkCopies> begin_copies() override;

  void save(const LeafLog& log, std::uint64_t epoch, const Trees& trees, const PutElement& put) const override;
  void check(const LeafLog& log, bool reuses_usernames, Workers& workers) const override;

  // The functions from here to commit() are for code that fills a store. find() returns the log offset of the record of
  // a key's newest leaf, or kNoLogOffset if the key has no leaf.
  [[nodiscard]] std::uint64_t find(const Tag& tag) const;

  // Adds leaves to the staged tree as the first stage() does, but does not stage their keys.
  [[nodiscard]] bool stage(std::uint8_t structure, std::span<const NewLeaf> leaves, Workers& workers);
  // Writes keys before the store's first commit, or before its period begins, because not all keys fit into memory. If
  // the process ends before this commit, opening the store fails, because it has keys or pages but no epoch, or because
  // its period has not begun. Throws DirectoryError if one of the keys has a leaf already.
  void put_keys_ahead(std::span<const Key> keys);
  // Makes the staged epoch the store's epoch. `keys`: the keys with new leaves, whose records must be on disk.
  // `oldest`: the oldest epoch that a reader may use. After an exception the store has the previous epoch; the caller
  // may commit the staged epoch again or discard it.
  void commit(std::uint64_t epoch, const LogState& log, std::vector<Key> keys, std::uint64_t oldest);

  [[nodiscard]] const PageCache& cache() const { return cache_; }
  // Returns the folder for scratch files.
  [[nodiscard]] std::string folder() const { return store_->folder(); }

 private:
  // Reads pages of the staged trees, either from the pages that were not written yet or from the store.
  class StagedPages;

  [[nodiscard]] bool stage_at_once(std::uint8_t structure, std::span<const NewLeaf> leaves, Workers& workers);
  void remove_abandoned(NodeStore::Transaction& transaction, PageId end) const;
  void remove_garbage(NodeStore::Transaction& transaction, std::uint64_t oldest) const;
  void write_ahead();
  void put_pages(NodeStore::Transaction& transaction) const;
  void cache_successors();

  std::unique_ptr<NodeStore> store_;
  PageCache cache_;
  CachedPages cached_;
  StoreState state_;
  PageId next_page_;  // first page id that the process has not used
  Nodes nodes_;       // memory that one TreeUpdate after another uses

  std::uint64_t oldest_ = 0;  // oldest pinned epoch
  Trees staged_;
  bool starts_period_ = false;  // true if the staged epoch begins the period
  std::vector<Key> staged_keys_;
  PageId first_staged_;                                      // pages with this id or a greater id are staged
  std::unordered_map<PageId, TreeUpdate::NewPage> pending_;  // new pages that were not written yet
  std::uint64_t pending_bytes_ = 0;
  std::vector<PageId> superseded_;  // pages of earlier epochs that the staged epoch supersedes
  std::vector<PageId> dropped_;     // written pages of the staged epoch that are no longer needed
};

}  // namespace optiks::ozks
