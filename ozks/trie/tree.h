// The tree (docs/spec/tree.md) as both modes represent it.
#pragma once

#include <array>
#include <cstdint>

#include "leaves/leaf_rows.h"
#include "optiks/base/bytes.h"
#include "optiks/ozks/verify/hash.h"

namespace optiks::ozks {

using base::ByteSpan;
using verify::Hash;

// One immutable state of one structure.
struct Tree {
  std::uint64_t root = 0;  // the root node in the store's own naming of nodes; unused in an empty tree
  Hash root_hash = verify::empty_root();
  std::uint64_t count = 0;  // number of leaves
};

// The trees of structures 1..4.
using Trees = std::array<Tree, kNumStructures>;

}  // namespace optiks::ozks
