#include "linked/key_table.h"

#include <numeric>
#include <utility>
#include <vector>

#include "optiks/base/check.h"
#include "util/prefetch.h"

namespace optiks::ozks {
namespace {

// The number of slots in a page of memory. The first array of a segment has about one page.
constexpr std::size_t kPageSlots = 512;

// The number of octets that prefetch() prefetches. Most searches end within these octets.
constexpr std::size_t kPrefetchedSlotsLen = 192;

// The maximum for the number of slots that a key passes on average when a whole segment is filled. At the highest load
// the expected average is 5.5. A much higher average shows that somebody chose the bits of the keys so that the keys
// collide. The maximum also bounds one search: N keys pass at most kMaxPassed * N slots together, so no run of used
// slots is longer than about sqrt(2 * kMaxPassed * N).
constexpr std::size_t kMaxPassed = 64;

// True if the load exceeds 11/12. At this load the average distance to an empty slot is already about 70 slots, and it
// grows fast.
bool is_too_full(std::size_t num_keys, std::size_t size) { return num_keys > size - size / 12; }

}  // namespace

// Writes to each page of the array before a thread reads it. The system maps a page that is read first to the shared
// zero page. When the page is written later, the system replaces this mapping and interrupts all threads of the
// process, including readers.
KeyTable::Array::Array(std::size_t size) : slots(size) {
  for (std::size_t i = 0; i < size; i += kPageSlots) {
    slots[i].store(0, std::memory_order_relaxed);
  }
}

// Each segment has its own sequence of sizes, in which each size is a tenth larger than the one before. The sequences
// begin with different sizes, so that the segments do not all grow at the same time.
std::size_t KeyTable::size_for(std::size_t segment, std::size_t num_keys) {
  std::size_t size = kPageSlots - kPageSlots / 10 * segment / kSegments;
  while (is_too_full(num_keys, size)) {
    size += size / 10;
  }
  // A partly used last page costs as much as a full page, so the size is rounded up to whole pages.
  return (size + kPageSlots - 1) / kPageSlots * kPageSlots;
}

void KeyTable::prefetch(const Tag& tag) const {
  const KeyAddress address(tag);
  const Array* array = segments_[address.segment].array.load(std::memory_order_acquire);
  if (array != nullptr) {
    // A search begins at the home of the bits, and a search for an absent key continues to the next empty slot.
    optiks::ozks::prefetch(array->slots.data() + array->home(address.bits), kPrefetchedSlotsLen);
  }
}

std::size_t KeyTable::replace(const Array& array, std::uint32_t bits, std::uint64_t from, std::uint64_t to) {
  std::size_t passed = 0;
  std::size_t i = array.home(bits);
  for (; array.slots[i].load(std::memory_order_relaxed) != from; ++passed) {
    i = array.after(i);
  }
  array.slots[i].store(to, std::memory_order_release);
  return passed;
}

void KeyTable::reserve(std::span<const Entry> entries, std::uint64_t epoch, Workers& workers) {
  std::array<std::size_t, kSegments> added{};
  for (const Entry& entry : entries) {
    added[KeyAddress(entry.tag).segment] += entry.previous == kNoNode ? 1 : 0;
  }
  struct Growth {
    Segment* segment;
    std::size_t size;
    std::unique_ptr<Array>* outgrown;
  };
  std::vector<Growth> growths;
  for (std::size_t s = 0; s < kSegments; ++s) {
    Segment& segment = segments_[s];
    const std::size_t num_keys = segment.num_keys + added[s];
    if (num_keys != 0 && (segment.owner == nullptr || is_too_full(num_keys, segment.owner->slots.size()))) {
      // All allocations that may fail come before the first change of a segment.
      growths.push_back({&segment, size_for(s, num_keys), &retired_.emplace_back(Retired{epoch, nullptr}).array});
    }
  }
  workers.for_each_index(growths.size(),
                         [&](std::size_t i) { grow(*growths[i].segment, growths[i].size, *growths[i].outgrown); });
}

void KeyTable::grow(Segment& segment, std::size_t size, std::unique_ptr<Array>& outgrown) {
  auto larger = std::make_unique<Array>(size);
  if (segment.owner != nullptr) {
    const auto& slots = segment.owner->slots;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const std::uint64_t slot = slots[i].load(std::memory_order_relaxed);
      if (slot != 0) {
        replace(*larger, bits_of(slot), 0, slot);
      }
    }
  }
  outgrown = std::exchange(segment.owner, std::move(larger));
  segment.array.store(segment.owner.get(), std::memory_order_release);
}

void KeyTable::put(const Entry& entry) {
  const KeyAddress address(entry.tag);
  Segment& segment = segments_[address.segment];
  const bool is_new = entry.previous == kNoNode;
  replace(*segment.owner, address.bits, is_new ? 0 : slot_of(address.bits, entry.previous),
          slot_of(address.bits, entry.leaf));
  segment.num_keys += is_new ? 1 : 0;
}

void KeyTable::remove(const Tag& tag, NodeId leaf) {
  const KeyAddress address(tag);
  Segment& segment = segments_[address.segment];
  const Array& array = *segment.owner;
  std::size_t hole = array.home(address.bits);
  while (array.slots[hole].load(std::memory_order_relaxed) != slot_of(address.bits, leaf)) {
    hole = array.after(hole);
  }
  for (std::size_t i = array.after(hole);; i = array.after(i)) {
    const std::uint64_t slot = array.slots[i].load(std::memory_order_relaxed);
    if (slot == 0) {
      break;
    }
    // An entry moves into the hole, unless its home is after the hole: a search for the entry would then not find it.
    const std::size_t home = array.home(bits_of(slot));
    const bool begins_behind = hole < i ? hole < home && home <= i : hole < home || home <= i;
    if (!begins_behind) {
      array.slots[hole].store(slot, std::memory_order_relaxed);
      hole = i;
    }
  }
  array.slots[hole].store(0, std::memory_order_relaxed);
  --segment.num_keys;
}

void KeyTable::put_some(std::span<const Entry> entries, std::size_t remainder, std::size_t divisor) {
  // The number of entries between the entry that is prefetched and the entry that is put.
  constexpr std::size_t kPrefetchDistance = 16;
  const auto is_ours = [&](const Entry& entry) { return KeyAddress(entry.tag).segment % divisor == remainder; };
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (i + kPrefetchDistance < entries.size() && is_ours(entries[i + kPrefetchDistance])) {
      prefetch(entries[i + kPrefetchDistance].tag);
    }
    if (is_ours(entries[i])) {
      put(entries[i]);
    }
  }
}

bool KeyTable::fill(std::size_t segment, std::span<const Slot> slots) {
  Segment& filled = segments_[segment];
  OPTIKS_CHECK(filled.owner == nullptr);
  if (slots.empty()) {
    return true;
  }
  auto array = std::make_unique<Array>(size_for(segment, slots.size()));
  // The keys together may pass kMaxPassed slots for each key, and one page of slots more, because the average for each
  // key varies more if there are few keys.
  std::size_t left = kMaxPassed * slots.size() + kPageSlots;
  for (const Slot& slot : slots) {
    const std::size_t passed = replace(*array, slot.bits, 0, slot_of(slot.bits, slot.leaf));
    if (passed > left) {
      return false;
    }
    left -= passed;
  }
  filled.owner = std::move(array);
  filled.num_keys = slots.size();
  filled.array.store(filled.owner.get(), std::memory_order_release);
  return true;
}

void KeyTable::collect(std::uint64_t oldest) {
  while (!retired_.empty() && retired_.front().epoch <= oldest) {
    retired_.pop_front();
  }
}

std::size_t KeyTable::bytes() const {
  return std::transform_reduce(segments_.begin(), segments_.end(), std::size_t{0}, std::plus<>(), [](const Segment& s) {
    return s.owner == nullptr ? 0 : s.owner->slots.size() * sizeof(std::uint64_t);
  });
}

}  // namespace optiks::ozks
