#include "vrf_cache.h"

namespace optiks::ozks {

VrfCache::VrfCache(std::uint64_t bytes)
    : num_sets_(static_cast<std::size_t>(bytes / sizeof(Set))),
      sets_(num_sets_ == 0 ? nullptr : std::make_unique<Set[]>(num_sets_)) {}

bool VrfCache::find(const Tag& input, Proven& out) {
  if (num_sets_ != 0) {
    const std::lock_guard lock(lock_of(input));
    for (Entry& entry : set_of(input).entries) {
      if (entry.state != kEmpty && entry.input == input) {
        entry.state = kUsed;
        out = entry.proven;
        hits_.fetch_add(1, std::memory_order_relaxed);
        return true;
      }
    }
  }
  misses_.fetch_add(1, std::memory_order_relaxed);
  return false;
}

void VrfCache::put(const Tag& input, const Proven& proven) {
  if (num_sets_ == 0) {
    return;
  }
  const std::lock_guard lock(lock_of(input));
  Set& set = set_of(input);
  Entry* victim = nullptr;
  for (Entry& entry : set.entries) {
    if (entry.state == kEmpty || entry.input == input) {
      victim = &entry;
      break;
    }
    if (victim == nullptr && entry.state == kIdle) {
      victim = &entry;
    }
  }
  if (victim == nullptr) {
    // All were used since the last sweep: each gets its second chance, the first goes.
    for (Entry& entry : set.entries) {
      entry.state = kIdle;
    }
    victim = &set.entries[0];
  }
  *victim = {input, proven, kIdle};
}

}  // namespace optiks::ozks
