// KeyTable: tag of a key -> its latest leaf.
//
// Thread safety: one writer; readers without locks, each holding a pinned version (versions.h).
// Invariants: 1. a slot's tag is written before its leaf id is stored (release) and never changes; 2. leaf id kNoNode
// marks an empty slot; 3. a table that was outgrown is kept until no version older than its replacement is pinned.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>

#include "trie/pages.h"
#include "trie/tree.h"

namespace optiks::ozks {

using Tag = std::array<std::uint8_t, 16>;

class KeyTable {
 public:
  KeyTable();

  // The latest leaf of the key, or kNoNode. Newer than the reader's version, perhaps: the reader goes back along
  // Leaf::previous.
  [[nodiscard]] NodeId find(const Tag& tag) const;

  // Room for `count` new keys, so that put() cannot fail. A table that this replaces is retired as of `epoch`.
  void reserve(std::size_t count, std::uint64_t epoch);
  void put(const Tag& tag, NodeId leaf);

  // Frees tables retired at or before the oldest epoch that is still pinned.
  void collect(std::uint64_t oldest);

  [[nodiscard]] std::size_t bytes() const;

 private:
  struct Slot {
    Tag tag;
    std::atomic<NodeId> leaf{kNoNode};
  };
  struct Table {
    explicit Table(std::size_t size);
    std::size_t mask;
    PageArray<Slot> slots;
  };
  struct Retired {
    std::uint64_t epoch;
    std::unique_ptr<Table> table;
  };

  // The key's slot, or the empty one that is to become it. Writer.
  [[nodiscard]] static Slot& slot_of(const Table& table, const Tag& tag);

  std::unique_ptr<Table> owner_;
  std::atomic<const Table*> table_;
  std::size_t size_ = 0;
  std::deque<Retired> retired_;
};

}  // namespace optiks::ozks
