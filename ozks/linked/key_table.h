// KeyTable: maps the tag of a key to the key's latest leaf. It uses slightly more than nine octets for each key. A slot
// has the leaf's id and 32 bits of the tag. If the tags of several keys agree in these bits, the whole tag in a leaf's
// record shows to which key the leaf belongs.
//
// The tag's first bits select one of 64 segments. Each segment is an array with linear probing, which grows by a tenth
// when it is nearly full. Segments grow independently of each other. So the average load stays constant, and while a
// directory grows, only a small part of the table is copied, or kept twice, at a time.
//
// Thread safety: only one thread, the writer, changes the table; put_some() may run on several threads. Any number of
// threads read without locks; each reader pins an epoch's state (epoch_states.h).
// Invariants
//   1. A slot that is not empty keeps its bits of the tag; only its leaf is replaced, by the key's next leaf. remove()
//      is the exception.
//   2. Zero marks an empty slot.
//   3. When a larger array has replaced an array, the old array is kept until no reader pins a state from before the
//      replacement.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>

#include "leaves/leaf_log.h"
#include "trie/nodes.h"
#include "trie/snapshot_elements.h"
#include "util/memory_pages.h"
#include "util/parallel.h"

namespace optiks::ozks {

class KeyTable {
 public:
  static constexpr std::size_t kSegments = kKeySegments;

  KeyTable() = default;

  // Returns the latest leaf of the key, or kNoNode. The leaf may be newer than the reader's epoch; the reader then
  // follows LeafFacts::previous to an earlier leaf. `is_of_key(leaf)` returns true if the whole tag of the leaf is
  // `tag`.
  template <typename IsOfKey>
  [[nodiscard]] NodeId find(const Tag& tag, IsOfKey is_of_key) const {
    const KeyAddress address(tag);
    const Array* array = segments_[address.segment].array.load(std::memory_order_acquire);
    if (array == nullptr) {
      return kNoNode;
    }
    for (std::size_t i = array->home(address.bits);; i = array->after(i)) {
      // The code loads the slot only once, because the writer may put another key's leaf into an empty slot at the same
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

  // The next leaf of a key, and the key's previous leaf, which find() returns until put(). For a new key, `previous` is
  // kNoNode.
  struct Entry {
    Tag tag;
    NodeId leaf;
    NodeId previous;
  };
  // Reserves room for these entries, so that put() cannot fail. Arrays that the call replaces are kept for readers of
  // states before `epoch`.
  void reserve(std::span<const Entry> entries, std::uint64_t epoch, Workers& workers);
  void put(const Entry& entry);
  // Removes the key with this tag, whose leaf is `leaf`. No thread may read the table at the same time. Entries in the
  // following slots move up.
  void remove(const Tag& tag, NodeId leaf);
  // Puts the entries whose segment number has this remainder modulo `divisor`. Threads that put different remainders
  // touch different segments.
  void put_some(std::span<const Entry> entries, std::size_t remainder, std::size_t divisor);

  // Frees replaced arrays that no reader uses any more. `oldest` is the oldest epoch that a reader may still pin.
  void collect(std::uint64_t oldest);

  [[nodiscard]] std::size_t bytes() const;

  // The entry of one key in the table.
  struct Slot {
    std::uint32_t bits;  // bits of the tag after the bits that select the segment
    NodeId leaf;
  };
  // Calls `see` with each slot of the segment that is not empty when it is read.
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
  // Puts all slots into an empty segment. Only the writer thread may call this function. Returns false, and leaves the
  // segment unchanged, if the bits of the slots are clustered, as they never are in a table of real tags. The time to
  // fill a table with clustered bits would grow with the square of its size.
  [[nodiscard]] bool fill(std::size_t segment, std::span<const Slot> slots);

 private:
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

  // Returns a slot, which is never 0, because a leaf's id is never 0.
  static std::uint64_t slot_of(std::uint32_t bits, NodeId leaf) { return std::uint64_t{bits} << 32 | leaf; }
  static std::uint32_t bits_of(std::uint64_t slot) { return static_cast<std::uint32_t>(slot >> 32); }
  static NodeId leaf_of(std::uint64_t slot) { return static_cast<NodeId>(slot); }
  // Returns the number of slots that the segment needs for `num_keys` keys.
  [[nodiscard]] static std::size_t size_for(std::size_t segment, std::size_t num_keys);
  // Starts at the home of `bits`, searches for the slot whose content is `from`, and sets it to `to`. Such a slot must
  // exist. Returns the number of slots that the search passed.
  static std::size_t replace(const Array& array, std::uint32_t bits, std::uint64_t from, std::uint64_t to);
  // Gives the segment an array of this size, and stores the previous array in `outgrown`.
  static void grow(Segment& segment, std::size_t size, std::unique_ptr<Array>& outgrown);

  std::array<Segment, kSegments> segments_;
  std::deque<Retired> retired_;
};

}  // namespace optiks::ozks
