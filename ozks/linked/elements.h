// Elements of a snapshot's file after its header: trees in memory, element by element (docs/operations/snapshots.md
// section 2).
#pragma once

#include <cstddef>
#include <cstdint>

#include "trie/nodes.h"

namespace optiks::ozks {

// The elements of a tree.
inline constexpr std::size_t kInteriorElementLen = 2 + 2 * verify::kHashLen;
inline constexpr std::size_t kLeafElementLen = sizeof(Leaf);
inline constexpr std::uint8_t kLeftIsLeaf = 1;
inline constexpr std::uint8_t kRightIsLeaf = 2;

// The two elements of the key table: for a key; and for a key that got a leaf after the snapshot's epoch, whose earlier
// leaf is identified by its record.
inline constexpr std::size_t kKeyElementLen = 8;
inline constexpr std::size_t kMovedElementLen = 13;

}  // namespace optiks::ozks
