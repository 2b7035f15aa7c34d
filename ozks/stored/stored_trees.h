// StoredTrees: the four trees of a directory and its table of keys in a node store on disk, with a bounded cache of
// pages in memory. It goes on where it was committed last. It makes no append-only proofs, which are the update-task's.
//
// Thread safety: as TreeStore's.
// Invariants
//  1. The store holds one epoch whole: pages of a staged epoch may be written ahead, but nothing leads to them, and
//     commit() is one transaction. What a crash leaves of an epoch that was not committed is removed at the next start
//     or commit.
//  2. Pages that epoch e superseded are removed once no version before e is pinned; until then the store lists them, so
//     that they are removed after a restart as well.
//  3. A page id is used once while the process runs, whatever became of the epoch that it was taken for.
//  4. What the store names of the leaf log was on the disk before the store's transaction.
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
    std::uint64_t log_offset;  // of its newest leaf's record
  };

  // What the store holds, or nothing yet. std::system_error when it is damaged, of another owner, or cannot be used.
  StoredTrees(std::unique_ptr<NodeStore> store, const StoreOwner& owner, std::uint64_t cache_bytes);

  // The epoch that is committed, for the writer.
  [[nodiscard]] const StoreState& state() const { return state_; }

  void walk_many(const Tree& tree, std::span<const ByteSpan> labels, Paths& out) const override {
    walk_stored(cached_, tree, labels, out);
  }
  [[nodiscard]] std::uint64_t find_newest(const LeafLog& log, const Tag& key, LeafRecord& out) const override;
  void prefetch_newest(const LeafLog& /*log*/, std::span<const Tag> /*keys*/) const override {}
  [[nodiscard]] TreeStats stats() const override;

  [[nodiscard]] std::unique_ptr<BulkLoad> begin_bulk_load() override;

  // DirectoryError (OPTIKS_E_STATE) when a proof is wanted.
  [[nodiscard]] bool stage(std::size_t structure, std::span<const NewLeaf> leaves, Workers& workers,
                           const StepProof* proof) override;
  [[nodiscard]] const Trees& staged() const override { return staged_; }
  void commit(std::uint64_t epoch, const LeafLog& log, Workers& workers) override;
  void discard() noexcept override;
  void release(std::uint64_t oldest) noexcept override { oldest_ = oldest; }
  [[nodiscard]] TreeEditor* editor() override { return nullptr; }

  void save(const LeafLog& log, std::uint64_t epoch, const Trees& trees, const PutElement& put) const override;
  void check(const LeafLog& log, Workers& workers) const override;

  // What follows is what these are made of, for who fills a store. Place of the newest leaf's record of a key, or
  // kNoLogOffset.
  [[nodiscard]] std::uint64_t find(const Tag& tag) const;

  // As stage(), without keys.
  [[nodiscard]] bool stage(std::size_t structure, std::span<const NewLeaf> leaves, Workers& workers);
  // Writes keys ahead of the first commit of all: there are more than memory holds. A store that has keys or pages
  // without an epoch is refused when it is opened.
  void put_keys_ahead(std::span<const Key> keys);
  // Makes what was staged the store's epoch, with the keys' newest leaves, which the leaf log has on the disk.
  // `oldest`: the oldest epoch that is pinned. After an exception the store has the epoch before; the staged one can be
  // committed again or discarded.
  void commit(std::uint64_t epoch, const LogState& log, std::vector<Key> keys, std::uint64_t oldest);

  [[nodiscard]] const PageCache& cache() const { return cache_; }
  // For scratch files.
  [[nodiscard]] std::string folder() const { return store_->folder(); }

 private:
  // What the staged trees are read from: pages that are not written yet, and the store.
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
  PageId next_page_;  // of the process
  Nodes nodes_;       // for one TreeUpdate after the other

  std::uint64_t oldest_ = 0;  // that is pinned
  Trees staged_;
  std::vector<Key> staged_keys_;
  PageId first_staged_;                                      // pages from here on are the staged epoch's
  std::unordered_map<PageId, TreeUpdate::NewPage> pending_;  // not written yet
  std::uint64_t pending_bytes_ = 0;
  std::vector<PageId> superseded_;  // of earlier epochs
  std::vector<PageId> dropped_;     // of the staged epoch: written ahead, and not wanted any more
};

}  // namespace optiks::ozks
