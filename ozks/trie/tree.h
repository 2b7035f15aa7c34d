// Tree: a tree (docs/spec/tree.md) as linked mode and stored mode both represent it.
#pragma once

#include <array>
#include <cstdint>

#include "leaves/leaf_rows.h"
#include "optiks/base/bytes.h"
#include "optiks/ozks/verify/hash.h"

namespace optiks::ozks {

using base::ByteSpan;
using verify::Hash;

// One state of the tree of one structure, which never changes.
struct Tree {
  std::uint64_t root = 0;  // the id that the store uses for the root; not used in an empty tree
  Hash root_hash = verify::empty_root();
  std::uint64_t count = 0;  // number of leaves
};

// The trees of the structures 1 to 4, in this order.
using Trees = std::array<Tree, kNumStructures>;

}  // namespace optiks::ozks
