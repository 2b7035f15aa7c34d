// The elements after the header of a snapshot's file (docs/operations/snapshots.md section 2). Each tree store writes
// them for its trees and its keys.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trie/nodes.h"
#include "trie/tree_store.h"

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
// Takes the place of a leaf's number in the element that ends a segment of the key table.
inline constexpr std::uint32_t kNoLeafNumber = 0xffffffff;

// The position of a key in a key table. It uses only bits of the tag, which are evenly distributed because tags are
// keyed hashes.
inline constexpr unsigned kKeySegmentBits = 6;
inline constexpr std::size_t kKeySegments = std::size_t{1} << kKeySegmentBits;
struct KeyAddress {
  explicit KeyAddress(const Tag& tag) {
    const std::uint64_t first = base::load_be64(tag.data());
    segment = static_cast<std::uint8_t>(first >> (64 - kKeySegmentBits));
    bits = static_cast<std::uint32_t>(first >> (32 - kKeySegmentBits));
  }
  std::uint8_t segment;
  std::uint32_t bits;  // bits of the tag after the bits that select the segment
};

// A key that got a leaf after the snapshot's epoch.
struct MovedKey {
  std::uint64_t log_offset;  // of the record of the key's latest leaf at the snapshot's epoch
  std::uint32_t bits;
  std::uint8_t segment;
};

// Encodes elements, and passes each of them to `put`, which must outlive the object.
//
// Thread safety: one thread at a time; each thread uses its own object.
class ElementWriter {
 public:
  explicit ElementWriter(const TreeStore::PutElement& put) : put_(put) {}

  // Writes an interior node. `flags`: a combination of kLeftIsLeaf and kRightIsLeaf. `hashes`: the hashes of the two
  // children.
  void put_interior(std::uint8_t flags, std::uint8_t length, const Hash (&hashes)[2]) const;
  void put_leaf(const Hash& label, const std::array<std::uint8_t, 6>& log_offset) const;
  // Writes a key of the current segment, whose latest leaf has this number.
  void put_key(std::uint32_t bits, std::uint32_t leaf) const;
  // Ends the current segment. The first call ends segment 0.
  void end_segment() const { put_key(0, kNoLeafNumber); }
  void put_moved(const MovedKey& key) const;
  // Ends the moved keys, and with them the elements of the file.
  void end() const { put_moved({kNoLogOffset, 0, 0}); }

 private:
  const TreeStore::PutElement& put_;
};

}  // namespace optiks::ozks
