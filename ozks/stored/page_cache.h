// PageCache: recently read pages, bounded by bytes. Pages never change and ids are never used twice, so a cached page
// is never out of date. Pages in use replace the pages of superseded trees.
//
// Thread safety: any thread. A shard's lock is held for a search or a replacement in memory, never while the store is
// read. Replacement is by second chance.
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
  // `bytes`: the maximum memory, without pages that readers hold. If it is too little for a page, nothing is cached.
  explicit PageCache(std::uint64_t bytes) : shard_bytes_(bytes / kNumShards) {}

  // Returns the page, or an empty one.
  [[nodiscard]] Page find(PageId id);
  void put(PageId id, const Page& page);
  // True if the page is cached. The call does not mark the page as used.
  [[nodiscard]] bool holds(PageId id);

  [[nodiscard]] std::uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t hits() const { return hits_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t misses() const { return misses_.load(std::memory_order_relaxed); }
  // Counts the hits and misses of several searches at once; the caller of find() reports them.
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
    std::unordered_map<PageId, std::size_t> index_of;  // index in `entries` for each cached page
    std::vector<Entry> entries;
    std::vector<std::size_t> unused;  // indexes in `entries` that have no page
    std::size_t hand = 0;
    std::uint64_t bytes = 0;
  };

  // Page ids count up, and the pages of one epoch are used alike. So pages with neighbouring ids are put into different
  // shards.
  [[nodiscard]] Shard& shard_of(PageId id) { return shards_[id % kNumShards]; }
  void make_room(Shard& shard, std::uint64_t bytes);

  std::uint64_t shard_bytes_;
  std::array<Shard, kNumShards> shards_;
  std::atomic<std::uint64_t> bytes_{0};
  std::atomic<std::uint64_t> hits_{0};
  std::atomic<std::uint64_t> misses_{0};
};

}  // namespace optiks::ozks
