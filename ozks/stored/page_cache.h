// PageCache: a cache of recently read pages, with a maximum size. Pages never change and a process never uses an id
// twice, so a cached page is never out of date. Pages of superseded trees are not read any more, so other pages replace
// them in the cache.
//
// Thread safety: any thread may call any function. A shard's lock is held only during a search or a replacement in
// memory, and never while the store is read. The second-chance algorithm selects the page to replace.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "stored/page.h"

namespace optiks::ozks {

class PageCache {
 public:
  // `bytes`: the maximum memory. Pages that were replaced but that a reader still holds are not counted. If `bytes` is
  // too small for a page, the page is not cached.
  explicit PageCache(std::uint64_t bytes) : shard_bytes_(bytes / kNumShards) {}

  // Lowers the maximum memory to `bytes`, and removes pages until the cache keeps to it.
  void limit(std::uint64_t bytes);

  // Returns the page, or an empty Page if it is not cached.
  [[nodiscard]] Page find(PageId id);
  void put(PageId id, const Page& page);
  // Returns true if the page is cached. The call does not mark the page as used.
  [[nodiscard]] bool holds(PageId id);

  [[nodiscard]] std::uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t hits() const { return hits_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t misses() const { return misses_.load(std::memory_order_relaxed); }
  // Adds to the counts of hits and misses. find() does not count, so its caller reports the results of its searches
  // here.
  void count(std::size_t hits, std::size_t misses) {
    hits_.fetch_add(hits, std::memory_order_relaxed);
    misses_.fetch_add(misses, std::memory_order_relaxed);
  }

 private:
  static constexpr std::size_t kNumShards = 16;
  struct Entry {
    PageId id = kNoPage;
    Page page;
    bool used = false;
  };
  struct alignas(64) Shard {
    std::mutex mutex;
    std::unordered_map<PageId, std::size_t> index_of;  // for each cached page, its index in `entries`
    std::vector<Entry> entries;
    std::vector<std::size_t> unused;  // indexes of the elements of `entries` that have no page
    std::size_t hand = 0;
    std::uint64_t bytes = 0;
  };

  // Returns the shard of a page. Page ids count up, and the pages of one epoch are read about equally often. So pages
  // with neighbouring ids are in different shards.
  [[nodiscard]] Shard& shard_of(PageId id) { return shards_[id % kNumShards]; }
  void make_room(Shard& shard, std::uint64_t bytes);

  std::atomic<std::uint64_t> shard_bytes_;
  std::array<Shard, kNumShards> shards_;
  std::atomic<std::uint64_t> bytes_{0};
  std::atomic<std::uint64_t> hits_{0};
  std::atomic<std::uint64_t> misses_{0};
};

}  // namespace optiks::ozks
