// What both modes' trees are (docs/spec/tree.md).
#pragma once

#include <cstdint>

#include "optiks/base/bytes.h"
#include "optiks/ozks/verify/hash.h"

namespace optiks::ozks {

using base::ByteSpan;
using verify::Hash;

// NodeId: an interior node's id, or a leaf's with the top bit set.
using NodeId = std::uint32_t;
inline constexpr NodeId kLeafBit = 1U << 31;
inline constexpr NodeId kNoNode = 0xffffffff;

// Tree: one immutable state of one structure.
struct Tree {
  NodeId root = kNoNode;
  Hash root_hash = verify::empty_root();
  std::uint64_t count = 0;
  std::uint64_t root_page = 0;  // in stored mode, in place of `root`: a PageId (stored/page.h), 0 in an empty tree
};

// Step: one sibling on a walk from the root, for a proof.
struct Step {
  std::uint32_t length;  // of the ancestor's prefix
  NodeId node;           // the ancestor
  const Hash* sibling;
};

}  // namespace optiks::ozks
