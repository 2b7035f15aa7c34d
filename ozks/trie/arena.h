// Arena<T>: a growing array of T addressed by 31-bit ids, which never moves.
//
// Thread safety: one writer allocates and frees; readers may read, without synchronisation, every element whose id
// reached them through a release/acquire pair after it was written (a published tree).
// Invariants: 1. an element stays where it is until the arena is destroyed; 2. an id that free() got is not reachable
// from any tree that a reader can still hold (the caller's duty, see versions.h); 3. some free elements form a
// list, and each names as many others as it has room for: whoever allocates many does not wait for the memory of one
// before it learns of the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

#include "trie/pages.h"

namespace optiks::ozks {

template <typename T>
class Arena {
  static_assert(std::is_trivial_v<T> && sizeof(T) >= 2 * sizeof(std::uint32_t));

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
      const std::uint32_t num_named = word(first_free_, kNumNamed);
      if (num_named == 0) {
        return std::exchange(first_free_, word(first_free_, kNext));
      }
      if (num_named == kMaxNamed && word(first_free_, kNext) != kNone) {
        prefetch_to_write(elements_ + word(first_free_, kNext), sizeof(T));
      }
      set_word(first_free_, kNumNamed, num_named - 1);
      return word(first_free_, kNamed + num_named - 1);
    }
    if (end_ == kMaxIds) {
      throw std::bad_alloc();
    }
    pages_.grow((std::size_t{end_} + 1) * sizeof(T));
    return end_++;
  }

  void free(std::uint32_t id) noexcept {
    if (first_free_ != kNone) {
      const std::uint32_t num_named = word(first_free_, kNumNamed);
      if (num_named < kMaxNamed) {
        set_word(first_free_, kNamed + num_named, id);
        set_word(first_free_, kNumNamed, num_named + 1);
        return;
      }
    }
    set_word(id, kNext, first_free_);
    set_word(id, kNumNamed, 0);
    first_free_ = id;
  }

  // Memory in use, with what is free for the next allocations.
  [[nodiscard]] std::size_t bytes() const { return std::size_t{end_} * sizeof(T); }

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;

  // The words of a free element in the list.
  static constexpr std::size_t kNext = 0;
  static constexpr std::size_t kNumNamed = 1;
  static constexpr std::size_t kNamed = 2;  // and on
  static constexpr std::size_t kMaxNamed = sizeof(T) / sizeof(std::uint32_t) - kNamed;

  [[nodiscard]] std::uint32_t word(std::uint32_t id, std::size_t i) const {
    std::uint32_t value;
    std::memcpy(&value, reinterpret_cast<const char*>(elements_ + id) + i * sizeof(value), sizeof(value));
    return value;
  }
  void set_word(std::uint32_t id, std::size_t i, std::uint32_t value) {
    std::memcpy(reinterpret_cast<char*>(elements_ + id) + i * sizeof(value), &value, sizeof(value));
  }

  GrowingPages pages_;
  T* elements_;
  std::uint32_t end_ = 0;
  std::uint32_t first_free_ = kNone;
};

}  // namespace optiks::ozks
