// The elements after the header of a snapshot's file. Linked mode writes and reads them for its trees and its key table
// (docs/operations/snapshots.md section 2).
#pragma once

#include <cstddef>
#include <cstdint>

#include "trie/nodes.h"

namespace optiks::ozks {

// The two kinds of elements of a tree: interior nodes and leaves.
inline constexpr std::size_t kInteriorElementLen = 2 + 2 * verify::kHashLen;
inline constexpr std::size_t kLeafElementLen = sizeof(Leaf);
inline constexpr std::uint8_t kLeftIsLeaf = 1;
inline constexpr std::uint8_t kRightIsLeaf = 2;

// The two kinds of elements of the key table. The usual element identifies the key's leaf by its number. The other is
// for a key that got a leaf after the snapshot's epoch; it identifies the key's earlier leaf by the log offset of its
// record.
inline constexpr std::size_t kKeyElementLen = 8;
inline constexpr std::size_t kMovedElementLen = 13;

}  // namespace optiks::ozks
