// StoredTrees: the four trees of a directory and its key table in a node store: what Nodes and KeyTable are to linked
// mode.
//
// Thread safety: one writer stages and commits; any number of threads walk trees and find keys meanwhile. A reader
// holds a pinned version (versions.h) of the trees that it walks.
// Invariants
//  1. The store holds one epoch whole: pages of a staged epoch may be written ahead, but nothing leads to them, and
//     commit() is one transaction. What a crash leaves of an epoch that was not committed is removed at the next start
//     or commit.
//  2. Pages that epoch e superseded are removed once no version before e is pinned; until then the store lists them, so
//     that they are removed after a restart as well.
//  3. A page id is used once while the process runs, whatever became of the epoch that it was taken for.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "stored/store_state.h"
#include "stored/tree_update.h"

namespace optiks::ozks {

class StoredTrees {
 public:
  struct Key {
    Tag tag;
    std::uint64_t locator;  // of its latest leaf
  };

  // What the store holds, or nothing yet. std::system_error when it is damaged, of another owner, or cannot be used.
  StoredTrees(std::unique_ptr<NodeStore> store, const StoreOwner& owner, std::uint64_t cache_bytes);

  // The epoch that is committed, for the writer.
  [[nodiscard]] const StoreState& state() const { return state_; }

  void walk_many(const Tree& tree, std::span<const ByteSpan> labels, StoredWalk* out) const {
    walk_stored(cached_, tree, labels, out);
  }
  // Latest leaf of a key: newer than the reader's version, perhaps. False for a key that is not there.
  [[nodiscard]] bool find(const Tag& tag, std::uint64_t& locator) const;

  // Adds leaves, sorted by label, to the next epoch's tree of a structure (0..3). False when one is there already or
  // twice; the epoch can only be discarded then, as after an exception.
  [[nodiscard]] bool stage(std::size_t structure, std::span<const StoredLeaf> leaves);
  [[nodiscard]] const std::array<Tree, kNumStructures>& staged() const { return staged_; }
  // Writes keys ahead of the first commit of all: there are more than memory holds. A store that has some without an
  // epoch is refused when it is opened.
  void put_keys_ahead(std::span<const Key> keys);
  // Makes what was staged the store's epoch, with the keys' latest leaves, which the leaf log has on the disk.
  // `oldest`: the oldest epoch that is pinned. After an exception the store has the epoch before; the staged one can be
  // committed again or discarded.
  void commit(std::uint64_t epoch, const LogState& log, std::vector<Key> keys, std::uint64_t oldest);
  void discard() noexcept;

  [[nodiscard]] std::uint64_t bytes() const { return store_->bytes(); }
  [[nodiscard]] const PageCache& cache() const { return cache_; }

 private:
  // What the staged trees are read from: pages that are not written yet, and the store.
  class StagedPages;

  [[nodiscard]] bool stage_at_once(std::size_t structure, std::span<const StoredLeaf> leaves);
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

  std::array<Tree, kNumStructures> staged_;
  PageId first_staged_;                                      // pages from here on are the staged epoch's
  std::unordered_map<PageId, TreeUpdate::NewPage> pending_;  // not written yet
  std::uint64_t pending_bytes_ = 0;
  std::vector<PageId> superseded_;  // of earlier epochs
  std::vector<PageId> dropped_;     // of the staged epoch: written ahead, and not wanted any more
};

}  // namespace optiks::ozks
