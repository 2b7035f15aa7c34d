// What both modes' trees are (docs/spec/tree.md).
#pragma once

#include <array>
#include <cstdint>

#include "leaves/leaf_rows.h"
#include "optiks/base/bytes.h"
#include "optiks/ozks/verify/hash.h"

namespace optiks::ozks {

using base::ByteSpan;
using verify::Hash;

// Tree: one immutable state of one structure.
struct Tree {
  std::uint64_t root = 0;  // as its store names nodes; nothing in an empty tree
  Hash root_hash = verify::empty_root();
  std::uint64_t count = 0;  // of leaves
};

// Those of structures 1..4.
using Trees = std::array<Tree, kNumStructures>;

}  // namespace optiks::ozks
