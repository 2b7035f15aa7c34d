// Helpers for the tests of stored mode.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "memory_store.h"
#include "stored/stored_trees.h"
#include "support.h"

namespace optiks::ozks::test {

// Returns the log offset that tests give to the leaf with this label, so that they can check that a leaf keeps its log
// offset.
[[nodiscard]] inline std::uint64_t locator_of(const Hash& label) { return label[0] + 256U * label[31]; }

// Returns the state of a leaf log with this length. No such log exists, because these trees do not read the log.
[[nodiscard]] inline LogState log_of(std::uint64_t len) { return {{}, len}; }

// Workers that do all work on the caller's thread.
inline Workers alone(1);

// Stored trees whose store is in memory, so that tests can inspect it.
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

// The size of a stored tree.
struct Census {
  std::uint64_t pages = 0;
  std::uint64_t leaves = 0;
  std::uint64_t octets = 0;
  std::size_t depth = 0;  // maximum number of pages on a path
};

// Reads the whole tree, page by page, and returns its size. Checks that each hash, up to the root, is the hash of its
// subtree. Checks that each leaf is in `all`, and that the number of leaves is the tree's count.
Census census(const NodeStore& store, const Tree& tree, const std::vector<NaiveLeaf>& all);

[[nodiscard]] std::uint64_t num_pages(const NodeStore& store);

}  // namespace optiks::ozks::test
