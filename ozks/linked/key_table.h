// KeyTable: maps the tag of a key to its latest leaf, in slightly more than nine octets a key. A slot has the leaf's id
// and 32 bits of the tag. If several leaves agree in these bits, the whole tag in the leaf's record tells which leaf is
// the key's.
//
// The table is 64 segments, by the tag's first bits. Each segment is an array with linear probing that grows by a tenth
// when it is nearly full, independent of the other segments. So the average load stays constant, and a growing
// directory never copies (or holds twice) more than a small part of the table.
//
// Thread safety: one writer (except put_some()). Any number of readers use no locks; each reader pins a version
// (epoch_states.h). Invariants
//   1. A slot that is not empty keeps its bits of the tag, and only its leaf is replaced, by the key's next leaf
//      (except by remove()).
//   2. Zero marks an empty slot.
//   3. An outgrown array is kept until no version older than its replacement is pinned.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>

#include "leaves/leaf_log.h"
#include "trie/memory_pages.h"
#include "trie/nodes.h"
#include "trie/parallel.h"

namespace optiks::ozks {

class KeyTable {
 public:
  static constexpr unsigned kSegmentBits = 6;
  static constexpr std::size_t kSegments = std::size_t{1} << kSegmentBits;

  KeyTable() = default;

  // Returns the latest leaf of the key, or kNoNode. The leaf may be newer than the reader's version: the reader then
  // goes back along LeafFacts::previous. is_of_key(leaf) says whether the leaf's whole tag is `tag`.
  template <typename IsOfKey>
  [[nodiscard]] NodeId find(const Tag& tag, IsOfKey is_of_key) const {
    const Address address(tag);
    const Array* array = segments_[address.segment].array.load(std::memory_order_acquire);
    if (array == nullptr) {
      return kNoNode;
    }
    for (std::size_t i = array->home(address.bits);; i = array->after(i)) {
      // The slot is loaded only once, because the writer may fill an empty slot with another key's leaf at the same
      // time.
      const std::uint64_t slot = array->slots[i].load(std::memory_order_acquire);
      if (slot == 0) {
        return kNoNode;
      }
      if (bits_of(slot) == address.bits && is_of_key(leaf_of(slot))) {
        return leaf_of(slot);
      }
    }
  }

  // Prefetches the memory that find() reads first.
  void prefetch(const Tag& tag) const;

  // A key's next leaf, and the leaf that find() returns now (kNoNode for a new key).
  struct Entry {
    Tag tag;
    NodeId leaf;
    NodeId previous;
  };
  // Reserves room for these entries, so that put() cannot fail. Arrays that the call replaces are retired as of
  // `epoch`.
  void reserve(std::span<const Entry> entries, std::uint64_t epoch, Workers& workers);
  void put(const Entry& entry);
  // Removes the key whose leaf is `leaf`, while no thread reads the table. The entries after its slot move up.
  void remove(const Tag& tag, NodeId leaf);
  // Puts the entries whose segment number has this remainder modulo `divisor`. Threads that put different remainders
  // touch different segments.
  void put_some(std::span<const Entry> entries, std::size_t remainder, std::size_t divisor);

  // Frees arrays retired at or before the oldest epoch that is still pinned.
  void collect(std::uint64_t oldest);

  [[nodiscard]] std::size_t bytes() const;

  // The data that the table keeps for a key.
  struct Slot {
    std::uint32_t bits;  // bits of the tag after the bits that select the segment
    NodeId leaf;
  };
  // Calls `see` with each slot of a segment, in its current state, if the slot is not empty.
  template <typename See>
  void for_each(std::size_t segment, See see) const {
    const Array* array = segments_[segment].array.load(std::memory_order_acquire);
    for (std::size_t i = 0; array != nullptr && i < array->slots.size(); ++i) {
      const std::uint64_t slot = array->slots[i].load(std::memory_order_acquire);
      if (slot != 0) {
        see(Slot{bits_of(slot), leaf_of(slot)});
      }
    }
  }
  // Puts all slots of an empty segment. Writer thread only. Returns false, and leaves the segment unchanged, if the
  // slots are closer together than keyed hashes ever make them. The time to fill such a table would grow with the
  // square of its size.
  [[nodiscard]] bool fill(std::size_t segment, std::span<const Slot> slots);

 private:
  // The position of a key. Tags are keyed hashes: any of their bits are evenly distributed.
  struct Address {
    explicit Address(const Tag& tag) {
      const std::uint64_t first = base::load_be64(tag.data());
      segment = static_cast<std::size_t>(first >> (64 - kSegmentBits));
      bits = static_cast<std::uint32_t>(first >> (32 - kSegmentBits));
    }
    std::size_t segment;
    std::uint32_t bits;
  };
  struct Array {
    explicit Array(std::size_t size);
    [[nodiscard]] std::size_t home(std::uint32_t bits) const {
      return static_cast<std::size_t>(std::uint64_t{bits} * slots.size() >> 32);
    }
    [[nodiscard]] std::size_t after(std::size_t i) const { return i + 1 == slots.size() ? 0 : i + 1; }
    PageArray<std::atomic<std::uint64_t>> slots;
  };
  struct Segment {
    std::atomic<const Array*> array{nullptr};
    std::unique_ptr<Array> owner;
    std::size_t num_keys = 0;
  };
  struct Retired {
    std::uint64_t epoch;
    std::unique_ptr<Array> array;
  };

  // A leaf's id is never 0.
  static std::uint64_t slot_of(std::uint32_t bits, NodeId leaf) { return std::uint64_t{bits} << 32 | leaf; }
  static std::uint32_t bits_of(std::uint64_t slot) { return static_cast<std::uint32_t>(slot >> 32); }
  static NodeId leaf_of(std::uint64_t slot) { return static_cast<NodeId>(slot); }
  // The number of slots of a segment with this many keys.
  [[nodiscard]] static std::size_t size_for(std::size_t segment, std::size_t num_keys);
  // Searches from the home of `bits` for the slot with `from`, which must exist, and replaces it with `to`. Returns the
  // number of slots that it passed.
  static std::size_t replace(const Array& array, std::uint32_t bits, std::uint64_t from, std::uint64_t to);
  // Gives the segment an array of this size, and stores the previous array in `outgrown`.
  static void grow(Segment& segment, std::size_t size, std::unique_ptr<Array>& outgrown);

  std::array<Segment, kSegments> segments_;
  std::deque<Retired> retired_;
};

}  // namespace optiks::ozks
