// Of what a snapshot's file consists behind its header: trees in memory, element by element
// (docs/operations/snapshots.md section 2).
#pragma once

#include <cstddef>
#include <cstdint>

#include "trie/nodes.h"

namespace optiks::ozks {

// A tree's elements.
inline constexpr std::size_t kInteriorElementLen = 2 + 2 * verify::kHashLen;
inline constexpr std::size_t kLeafElementLen = sizeof(Leaf);
inline constexpr std::uint8_t kLeftIsLeaf = 1;
inline constexpr std::uint8_t kRightIsLeaf = 2;

// The table's: one of a key, and one of a key that was updated meanwhile, whose leaf is known by its record.
inline constexpr std::size_t kKeyElementLen = 8;
inline constexpr std::size_t kMovedElementLen = 13;

}  // namespace optiks::ozks
