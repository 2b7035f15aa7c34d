// Arena<T>: a growing array of T addressed by 31-bit ids, which never moves.
//
// Thread safety: one writer allocates and frees; readers may read, without synchronisation, every element whose id
// reached them through a release/acquire pair after it was written (a published tree).
// Invariants: 1. an element stays where it is until the arena is destroyed; 2. an id that free() got is not reachable
// from any tree that a reader can still hold (the caller's duty, see versions.h); 3. the free elements are a list
// through their own first octets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>

#include "trie/pages.h"

namespace optiks::ozks {

template <typename T>
class Arena {
  static_assert(std::is_trivial_v<T> && sizeof(T) >= sizeof(std::uint32_t));

 public:
  // Ids are below this: the 32nd bit of a NodeId tells leaves from interior nodes, and the largest leaf is not kNoNode.
  static constexpr std::uint32_t kMaxIds = (1U << 31) - 1;

  // std::bad_alloc when the process may not have so many addresses.
  Arena() : pages_(std::size_t{kMaxIds} * sizeof(T)), elements_(static_cast<T*>(pages_.data())) {}

  [[nodiscard]] const T& operator[](std::uint32_t id) const { return elements_[id]; }
  [[nodiscard]] T& operator[](std::uint32_t id) { return elements_[id]; }

  // An id with unspecified contents. std::bad_alloc when memory or ids run out; the arena is then unchanged.
  [[nodiscard]] std::uint32_t allocate() {
    if (first_free_ != kNone) {
      const std::uint32_t id = first_free_;
      std::memcpy(&first_free_, elements_ + id, sizeof(first_free_));
      return id;
    }
    if (end_ == kMaxIds) {
      throw std::bad_alloc();
    }
    pages_.grow((std::size_t{end_} + 1) * sizeof(T));
    return end_++;
  }

  void free(std::uint32_t id) noexcept {
    std::memcpy(static_cast<void*>(elements_ + id), &first_free_, sizeof(first_free_));
    first_free_ = id;
  }

  // Memory in use, with what is free for the next allocations.
  [[nodiscard]] std::size_t bytes() const { return std::size_t{end_} * sizeof(T); }

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;

  GrowingPages pages_;
  T* elements_;
  std::uint32_t end_ = 0;
  std::uint32_t first_free_ = kNone;
};

}  // namespace optiks::ozks
