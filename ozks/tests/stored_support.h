// What the tests of stored mode share.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "stored/memory_store.h"
#include "stored/stored_trees.h"
#include "support.h"

namespace optiks::ozks::test {

// A log offset for a label, so that a leaf is seen to keep its own.
[[nodiscard]] inline std::uint64_t locator_of(const Hash& label) { return label[0] + 256U * label[31]; }

// A leaf log of some length, which the trees do not look into.
[[nodiscard]] inline LogState log_of(std::uint64_t len) { return {{}, len}; }

// Who stages without other threads.
inline Workers alone(1);

// Trees in memory; the store is kept to be looked at.
struct Stored {
  explicit Stored(std::uint64_t cache_bytes = std::uint64_t{1} << 20) {
    auto made = std::make_unique<MemoryStore>();
    store = made.get();
    trees = std::make_unique<StoredTrees>(std::move(made), StoreOwner{}, cache_bytes);
  }

  MemoryStore* store;
  std::unique_ptr<StoredTrees> trees;
};

[[nodiscard]] std::vector<NewLeaf> to_stored(std::vector<NaiveLeaf> leaves);

// What a stored tree consists of.
struct Census {
  std::uint64_t pages = 0;
  std::uint64_t leaves = 0;
  std::uint64_t octets = 0;
  std::size_t depth = 0;  // pages above each other
};

// Reads the whole tree, page by page: every hash has to be that of what is below it, up to the root, every leaf one of
// `all`, and their number the tree's count.
Census census(const NodeStore& store, const Tree& tree, const std::vector<NaiveLeaf>& all);

[[nodiscard]] std::uint64_t num_pages(const NodeStore& store);

}  // namespace optiks::ozks::test
