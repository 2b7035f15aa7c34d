// LinkedTrees: the four trees of a directory and its key table, in memory.
//
// Thread safety: the rules of TreeStore (trie/tree_store.h).
// Invariants
//   1. Nodes of a staged epoch are reachable only from the trees of that epoch. The key table gets the epoch's leaves
//      at commit.
//   2. Interior nodes that epoch e superseded are freed when no reader pins an epoch before e. Leaves are never
//      superseded.
#pragma once

#include <atomic>
#include <deque>
#include <vector>

#include "linked/key_table.h"
#include "trie/insert.h"
#include "trie/nodes.h"
#include "trie/tree_store.h"

namespace optiks::ozks {

class LinkedTrees final : public TreeStore, private TreeEditor {
 public:
  LinkedTrees() = default;

  void walk_many(const Tree& tree, std::span<const ByteSpan> labels, Paths& out) const override {
    nodes_.walk_many(tree, labels, out);
  }
  [[nodiscard]] std::uint64_t find_newest(const LeafLog& log, const Tag& key, LeafRecord& out) const override;
  void prefetch_newest(const LeafLog& log, std::span<const Tag> keys) const override;
  [[nodiscard]] TreeStats stats() const override;
  void limit_cache(std::uint64_t /*bytes*/) override {}

  [[nodiscard]] std::unique_ptr<BulkLoad> begin_bulk_load(bool /*reuses_usernames*/) override { return nullptr; }
  [[nodiscard]] bool stage(std::uint8_t structure, std::span<const NewLeaf> leaves, Workers& workers,
                           const StepProof* proof) override;
  [[nodiscard]] const Trees& staged() const override { return staged_.trees; }
  void commit(std::uint64_t epoch, const LeafLog& log, Workers& workers) override;
  void discard() noexcept override;
  void start_period() noexcept override {}
  void release(std::uint64_t oldest) noexcept override;
  [[nodiscard]] TreeEditor* editor() override { return this; }
  [[nodiscard]] std::unique_ptr<BulkCopies> begin_copies() override { return nullptr; }

  void save(const LeafLog& log, std::uint64_t epoch, const Trees& trees, const PutElement& put) const override;
  void check(const LeafLog& log, bool reuses_usernames, Workers& workers) const override;

  // These functions are for code that fills an empty store with nodes and keys. The code then passes the trees to
  // adopt(). No thread may read the store before adopt().
  [[nodiscard]] Nodes& nodes() { return nodes_; }
  [[nodiscard]] const Nodes& nodes() const { return nodes_; }
  [[nodiscard]] KeyTable& keys() { return keys_; }
  void adopt(const Trees& trees);

 private:
  struct Staged {
    Trees trees;
    std::vector<NodeId> leaves;
    std::vector<KeyTable::Entry> keys;
    Change change;
  };
  struct Superseded {
    std::uint64_t epoch;
    std::vector<NodeId> nodes;
  };

  void edit(std::uint8_t structure, std::span<const NewLeaf> leaves) noexcept override;
  void count_bytes();

  Nodes nodes_;
  KeyTable keys_;
  Trees committed_;
  Staged staged_;
  std::deque<Superseded> superseded_;
  // The sizes for stats(), which any thread may call.
  std::atomic<std::uint64_t> tree_bytes_{0};
  std::atomic<std::uint64_t> table_bytes_{0};
};

}  // namespace optiks::ozks
