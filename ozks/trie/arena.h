// Arena<T>: a growing array of T addressed by 32-bit ids, in chunks that never move.
//
// Thread safety: one writer allocates and frees; readers may read, without synchronisation, every element whose id
// reached them through a release/acquire pair after it was written (a published tree).
// Invariants: 1. an element stays where it is until the arena is destroyed; 2. an id that free() got is not reachable
// from any tree that a reader can still hold (the caller's duty, see versions.h).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

#include "trie/pages.h"

namespace optiks::ozks {

template <typename T>
class Arena {
  static_assert(std::is_trivial_v<T>);

 public:
  static constexpr std::uint32_t kChunkBits = 16;
  static constexpr std::uint32_t kChunkLen = 1U << kChunkBits;
  // Ids stay below 2^31, as the 32nd bit of a NodeId tells leaves from interior nodes; one chunk less keeps the largest
  // leaf apart from kNoNode.
  static constexpr std::uint32_t kMaxChunks = (1U << (31 - kChunkBits)) - 1;

  Arena() : chunks_(std::make_unique<std::array<std::atomic<T*>, kMaxChunks>>()) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  [[nodiscard]] const T& operator[](std::uint32_t id) const {
    return (*chunks_)[id >> kChunkBits].load(std::memory_order_relaxed)[id & (kChunkLen - 1)];
  }
  [[nodiscard]] T& operator[](std::uint32_t id) {
    return (*chunks_)[id >> kChunkBits].load(std::memory_order_relaxed)[id & (kChunkLen - 1)];
  }

  // An id with unspecified contents. std::bad_alloc when memory or ids run out; the arena is then unchanged.
  [[nodiscard]] std::uint32_t allocate() {
    if (!free_.empty()) {
      const std::uint32_t id = free_.back();
      free_.pop_back();
      return id;
    }
    if (end_ == pages_.size() << kChunkBits) {
      if (pages_.size() == kMaxChunks) {
        throw std::bad_alloc();
      }
      free_.reserve((pages_.size() + 1) << kChunkBits);
      pages_.emplace_back(kChunkLen);
      (*chunks_)[pages_.size() - 1].store(pages_.back().data(), std::memory_order_relaxed);
    }
    return end_++;
  }

  // Cannot fail: the free list has room for every id there is.
  void free(std::uint32_t id) noexcept { free_.push_back(id); }

  [[nodiscard]] std::size_t bytes() const { return pages_.size() * kChunkLen * sizeof(T); }

 private:
  // A fixed table, so that a reader never meets one that is being replaced.
  std::unique_ptr<std::array<std::atomic<T*>, kMaxChunks>> chunks_;
  std::vector<PageArray<T>> pages_;
  std::uint32_t end_ = 0;
  std::vector<std::uint32_t> free_;
};

}  // namespace optiks::ozks
