#include "directory/key_table.h"

#include <utility>

namespace optiks::ozks {
namespace {

constexpr std::size_t kInitialSlots = 1024;

// Tags are keyed hashes: any of their bits spread evenly.
std::size_t home(const Tag& tag) { return static_cast<std::size_t>(base::load_le64(tag.data())); }

// Slots needed for `size` keys at a load of at most 2/3.
std::size_t slots_for(std::size_t size) {
  std::size_t slots = kInitialSlots;
  while (slots / 3 * 2 < size) {
    slots *= 2;
  }
  return slots;
}

}  // namespace

KeyTable::Table::Table(std::size_t size) : mask(size - 1), slots(size) {
  std::uninitialized_default_construct_n(slots.data(), size);
}

KeyTable::KeyTable() : owner_(std::make_unique<Table>(kInitialSlots)), table_(owner_.get()) {}

KeyTable::Slot& KeyTable::slot_of(const Table& table, const Tag& tag) {
  for (std::size_t i = home(tag);; ++i) {
    Slot& slot = table.slots[i & table.mask];
    if (slot.leaf.load(std::memory_order_relaxed) == kNoNode || slot.tag == tag) {
      return slot;
    }
  }
}

NodeId KeyTable::find(const Tag& tag) const {
  const Table& table = *table_.load(std::memory_order_acquire);
  for (std::size_t i = home(tag);; ++i) {
    const Slot& slot = table.slots[i & table.mask];
    // Loaded once: the writer may fill an empty slot with another key's leaf meanwhile.
    const NodeId leaf = slot.leaf.load(std::memory_order_acquire);
    if (leaf == kNoNode || slot.tag == tag) {
      return leaf;
    }
  }
}

void KeyTable::reserve(std::size_t count, std::uint64_t epoch) {
  const std::size_t needed = slots_for(size_ + count);
  if (needed <= owner_->mask + 1) {
    return;
  }
  auto larger = std::make_unique<Table>(needed);
  for (std::size_t i = 0; i <= owner_->mask; ++i) {
    const Slot& from = owner_->slots[i];
    const NodeId leaf = from.leaf.load(std::memory_order_relaxed);
    if (leaf != kNoNode) {
      Slot& to = slot_of(*larger, from.tag);
      to.tag = from.tag;
      to.leaf.store(leaf, std::memory_order_relaxed);
    }
  }
  retired_.push_back({epoch, nullptr});
  retired_.back().table = std::exchange(owner_, std::move(larger));
  table_.store(owner_.get(), std::memory_order_release);
}

void KeyTable::put(const Tag& tag, NodeId leaf) {
  Slot& slot = slot_of(*owner_, tag);
  if (slot.leaf.load(std::memory_order_relaxed) == kNoNode) {
    slot.tag = tag;
    ++size_;
  }
  slot.leaf.store(leaf, std::memory_order_release);
}

void KeyTable::collect(std::uint64_t oldest) {
  while (!retired_.empty() && retired_.front().epoch <= oldest) {
    retired_.pop_front();
  }
}

std::size_t KeyTable::bytes() const { return (owner_->mask + 1) * sizeof(Slot); }

}  // namespace optiks::ozks
