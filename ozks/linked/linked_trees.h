// LinkedTrees: the four trees of a directory and its key table, in memory.
//
// Thread safety: as TreeStore's.
// Invariants
//   1. Nodes of a staged epoch are reachable only from its own trees; the key table gets its leaves at commit.
//   2. Interior nodes superseded by epoch e are freed when no version before e is pinned. Leaves are never superseded.
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

  [[nodiscard]] std::unique_ptr<BulkLoad> begin_bulk_load() override { return nullptr; }
  [[nodiscard]] bool stage(std::size_t structure, std::span<const NewLeaf> leaves, Workers& workers,
                           const StepProof* proof) override;
  [[nodiscard]] const Trees& staged() const override { return staged_.trees; }
  void commit(std::uint64_t epoch, const LeafLog& log, Workers& workers) override;
  void discard() noexcept override;
  void release(std::uint64_t oldest) noexcept override;
  [[nodiscard]] TreeEditor* editor() override { return this; }

  void save(const LeafLog& log, std::uint64_t epoch, const Trees& trees, const PutElement& put) const override;
  void check(const LeafLog& log, Workers& workers) const override;

  // For code that fills an empty store: gives access to the nodes and keys of the trees that adopt() then receives. No
  // thread reads the store before adopt().
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

  void edit(std::size_t structure, std::span<const NewLeaf> leaves) noexcept override;
  void count_bytes();

  Nodes nodes_;
  KeyTable keys_;
  Trees committed_;
  Staged staged_;
  std::deque<Superseded> superseded_;
  // For statistics, which any thread may read.
  std::atomic<std::uint64_t> tree_bytes_{0};
  std::atomic<std::uint64_t> table_bytes_{0};
};

}  // namespace optiks::ozks
