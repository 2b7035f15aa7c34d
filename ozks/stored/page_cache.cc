#include "stored/page_cache.h"

#include <algorithm>

namespace optiks::ozks {
namespace {

// The estimated memory of a cached page in addition to its octets: its entry, its slot in the map, and the overhead of
// heap allocations.
constexpr std::uint64_t kEntryBytes = 160;

std::uint64_t cost_of(const Page& page) { return page.octets().size() + kEntryBytes; }

}  // namespace

void PageCache::limit(std::uint64_t bytes) {
  shard_bytes_ = std::min(shard_bytes_.load(), bytes / kNumShards);
  for (Shard& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    make_room(shard, 0);
  }
}

Page PageCache::find(PageId id) {
  Shard& shard = shard_of(id);
  const std::lock_guard lock(shard.mutex);
  const auto found = shard.index_of.find(id);
  if (found == shard.index_of.end()) {
    return {};
  }
  Entry& entry = shard.entries[found->second];
  entry.used = true;
  return entry.page;
}

bool PageCache::holds(PageId id) {
  Shard& shard = shard_of(id);
  const std::lock_guard lock(shard.mutex);
  return shard.index_of.contains(id);
}

void PageCache::put(PageId id, const Page& page) {
  const std::uint64_t cost = cost_of(page);
  if (cost > shard_bytes_) {
    return;
  }
  Shard& shard = shard_of(id);
  const std::lock_guard lock(shard.mutex);
  if (shard.index_of.contains(id)) {
    return;
  }
  make_room(shard, cost);
  if (shard.unused.empty()) {
    shard.entries.emplace_back();
    // The list of unused entries must have room for all entries, so that make_room() cannot fail halfway.
    shard.unused.reserve(shard.entries.capacity());
    shard.unused.push_back(shard.entries.size() - 1);
  }
  shard.index_of.emplace(id, shard.unused.back());
  // The new entry is not marked as used, so a page that is read only once is replaced before a page that is read again.
  shard.entries[shard.unused.back()] = {id, page, false};
  shard.unused.pop_back();
  shard.bytes += cost;
  bytes_.fetch_add(cost, std::memory_order_relaxed);
}

void PageCache::make_room(Shard& shard, std::uint64_t bytes) {
  while (shard.bytes + bytes > shard_bytes_) {
    Entry& entry = shard.entries[shard.hand];
    if (entry.page && !entry.used) {
      const std::uint64_t freed = cost_of(entry.page);
      shard.index_of.erase(entry.id);
      shard.unused.push_back(shard.hand);
      entry = {};
      shard.bytes -= freed;
      bytes_.fetch_sub(freed, std::memory_order_relaxed);
    }
    entry.used = false;
    shard.hand = (shard.hand + 1) % shard.entries.size();
  }
}

}  // namespace optiks::ozks
