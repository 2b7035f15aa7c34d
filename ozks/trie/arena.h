// Arena<T>: a growing array of T addressed by 31-bit ids, which never moves.
//
// Thread safety: one writer allocates and frees. Readers may read an element without synchronisation if its id reached
// them through a release/acquire pair after it was written (a published tree).
// Invariants
//   1. An element stays in place until the arena is destroyed.
//   2. An id that was passed to free() is not reachable from any tree that a reader can still hold (the caller's duty,
//      see epoch_states.h).
//   3. Some free elements form a stack. Each of them names as many other free elements as it has room for, and links to
//      the element that is kPrefetchDistance below it in the stack. So the memory of the next elements can be
//      prefetched, and a caller that allocates many elements does not wait for this memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <type_traits>
#include <vector>

#include "leaves/prefetch.h"
#include "trie/memory_pages.h"

namespace optiks::ozks {

template <typename T>
class Arena {
  static_assert(std::is_trivial_v<T> && sizeof(T) >= 2 * sizeof(std::uint32_t));

 public:
  // Ids are below this limit: the 32nd bit of a NodeId distinguishes leaves from interior nodes, and the largest leaf
  // is not kNoNode.
  static constexpr std::uint32_t kMaxIds = (1U << 31) - 1;

  // Throws std::bad_alloc if the process may not reserve this range of addresses.
  Arena() : pages_(std::size_t{kMaxIds} * sizeof(T)), elements_(static_cast<T*>(pages_.data())) {}

  [[nodiscard]] const T& operator[](std::uint32_t id) const { return elements_[id]; }
  [[nodiscard]] T& operator[](std::uint32_t id) { return elements_[id]; }

  // Returns an id with unspecified contents. Throws std::bad_alloc if memory or ids run out; the arena is then
  // unchanged.
  [[nodiscard]] std::uint32_t allocate() {
    if (num_stacked_ != 0) {
      const std::uint32_t num_named = word(top(), kNumNamed);
      if (num_named == 0) {
        return pop();
      }
      set_word(top(), kNumNamed, num_named - 1);
      return word(top(), kNamed + num_named - 1);
    }
    if (end_ == kMaxIds) {
      throw std::bad_alloc();
    }
    pages_.grow((std::size_t{end_} + 1) * sizeof(T));
    return end_++;
  }

  // Appends n ids of elements with unspecified contents. If memory or ids run out, `out` has the ids that were
  // allocated before.
  void allocate_many(std::size_t n, std::vector<std::uint32_t>& out) {
    const std::size_t end = out.size() + n;
    out.reserve(end);
    while (out.size() < end) {
      const std::uint32_t num_named = num_stacked_ == 0 ? 0 : word(top(), kNumNamed);
      const std::size_t num_taken = std::min<std::size_t>(num_named, end - out.size());
      if (num_taken == 0) {
        out.push_back(allocate());
        continue;
      }
      const std::size_t left = num_named - num_taken;
      out.resize(out.size() + num_taken);
      std::memcpy(out.data() + out.size() - num_taken, words(top()) + (kNamed + left) * kWordLen, num_taken * kWordLen);
      set_word(top(), kNumNamed, static_cast<std::uint32_t>(left));
    }
  }

  void free(std::uint32_t id) noexcept { free_many({&id, 1}); }

  void free_many(std::span<const std::uint32_t> ids) noexcept {
    while (!ids.empty()) {
      const std::uint32_t num_named = num_stacked_ == 0 ? kMaxNamed : word(top(), kNumNamed);
      const std::size_t num_taken = std::min<std::size_t>(kMaxNamed - num_named, ids.size());
      if (num_taken != 0) {
        std::memcpy(words(top()) + (kNamed + num_named) * kWordLen, ids.data(), num_taken * kWordLen);
        set_word(top(), kNumNamed, static_cast<std::uint32_t>(num_named + num_taken));
        ids = ids.subspan(num_taken);
        continue;
      }
      // Prefetches the next element that will name other free elements.
      if (ids.size() > kPrefetchDistance * (kMaxNamed + 1)) {
        prefetch_to_write(elements_ + ids[kPrefetchDistance * (kMaxNamed + 1)], sizeof(T));
      }
      push(ids.front());
      ids = ids.subspan(1);
    }
  }

  // Frees all elements; ids count up from 0 again.
  void clear() noexcept {
    end_ = 0;
    num_stacked_ = 0;
  }

  // The memory in use, including the free elements.
  [[nodiscard]] std::size_t bytes() const { return std::size_t{end_} * sizeof(T); }

 private:
  static constexpr std::size_t kPrefetchDistance = 8;

  // The words of an element of the stack.
  static constexpr std::size_t kWordLen = sizeof(std::uint32_t);
  static constexpr std::size_t kBelow = 0;  // id of the element that is kPrefetchDistance below
  static constexpr std::size_t kNumNamed = 1;
  static constexpr std::size_t kNamed = 2;  // first of the named ids
  static constexpr std::size_t kMaxNamed = sizeof(T) / kWordLen - kNamed;

  // The id at the top of a stack that is not empty.
  [[nodiscard]] std::uint32_t top() const { return uppermost_[num_stacked_ % kPrefetchDistance]; }
  void push(std::uint32_t id) {
    std::uint32_t& top = uppermost_[++num_stacked_ % kPrefetchDistance];
    set_word(id, kBelow, top);
    set_word(id, kNumNamed, 0);
    top = id;
  }
  std::uint32_t pop() {
    const std::uint32_t id = top();
    std::uint32_t& top = uppermost_[num_stacked_ % kPrefetchDistance];
    if (num_stacked_-- > kPrefetchDistance) {
      top = word(id, kBelow);
      prefetch_to_write(elements_ + top, sizeof(T));
    }
    return id;
  }

  [[nodiscard]] char* words(std::uint32_t id) const { return reinterpret_cast<char*>(elements_ + id); }
  [[nodiscard]] std::uint32_t word(std::uint32_t id, std::size_t i) const {
    std::uint32_t value;
    std::memcpy(&value, words(id) + i * kWordLen, kWordLen);
    return value;
  }
  void set_word(std::uint32_t id, std::size_t i, std::uint32_t value) {
    std::memcpy(words(id) + i * kWordLen, &value, kWordLen);
  }

  GrowingPages pages_;
  T* elements_;
  std::uint32_t end_ = 0;
  std::uint32_t num_stacked_ = 0;
  // The ids at the top of the stack: number d from its bottom (counted from 1) is at d % kPrefetchDistance.
  std::array<std::uint32_t, kPrefetchDistance> uppermost_{};
};

}  // namespace optiks::ozks
