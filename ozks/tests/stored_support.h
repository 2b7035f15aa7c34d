// Helpers of the tests of stored mode.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "stored/memory_store.h"
#include "stored/stored_trees.h"
#include "support.h"

namespace optiks::ozks::test {

// Returns a log offset for a label, to check that a leaf keeps its own.
[[nodiscard]] inline std::uint64_t locator_of(const Hash& label) { return label[0] + 256U * label[31]; }

// A leaf log of some length, which the trees do not read.
[[nodiscard]] inline LogState log_of(std::uint64_t len) { return {{}, len}; }

// Workers without other threads.
inline Workers alone(1);

// Trees with a store in memory, which tests can inspect.
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

// Counts of a stored tree.
struct Census {
  std::uint64_t pages = 0;
  std::uint64_t leaves = 0;
  std::uint64_t octets = 0;
  std::size_t depth = 0;  // the number of levels of pages
};

// Reads the whole tree, page by page. Every hash must be the hash of the subtree below it, up to the root. Every leaf
// must be in `all`, and the number of leaves must be the tree's count.
Census census(const NodeStore& store, const Tree& tree, const std::vector<NaiveLeaf>& all);

[[nodiscard]] std::uint64_t num_pages(const NodeStore& store);

}  // namespace optiks::ozks::test
