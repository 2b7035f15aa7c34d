// Arena<T>: a growing array of T, whose elements have ids of 31 bits. The array never moves in memory.
//
// Thread safety: only one thread, the writer, allocates and frees elements. Readers read elements without locks. A
// reader must get an element's id through a release/acquire pair that comes after the element was written, as with a
// published tree.
// Invariants
//   1. An element stays in place until the arena is destroyed.
//   2. When an id is passed to free(), no tree that a reader can still hold has this element. The caller makes sure of
//      this (epoch_states.h).
//   3. Some free elements form a stack. Each of them holds the ids of as many other free elements as fit, and a link to
//      the element that is kPrefetchDistance below it in the stack. With this link the memory of the next elements can
//      be prefetched, so that a caller that allocates many elements need not wait for it.
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

#include "util/memory_pages.h"
#include "util/prefetch.h"

namespace optiks::ozks {

template <typename T>
class Arena {
  static_assert(std::is_trivial_v<T> && sizeof(T) >= 2 * sizeof(std::uint32_t));

 public:
  // All ids are less than this limit. So they leave the highest bit of a NodeId free, which distinguishes leaves from
  // interior nodes, and no leaf has the NodeId kNoNode.
  static constexpr std::uint32_t kMaxIds = (1U << 31) - 1;

  // Reserves addresses for kMaxIds elements. Throws std::bad_alloc if the system does not allow this.
  Arena() : pages_(std::size_t{kMaxIds} * sizeof(T)), elements_(static_cast<T*>(pages_.data())) {}

  [[nodiscard]] const T& operator[](std::uint32_t id) const { return elements_[id]; }
  [[nodiscard]] T& operator[](std::uint32_t id) { return elements_[id]; }

  // Returns the id of an element with unspecified contents. Throws std::bad_alloc, and leaves the arena unchanged, if
  // memory or ids run out.
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

  // Appends the ids of `n` elements with unspecified contents to `out`. If memory or ids run out, throws
  // std::bad_alloc; `out` then has the ids that were allocated before the failure.
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
      // Prefetches an element that will be pushed onto the stack soon, because ids will be written into it.
      if (ids.size() > kPrefetchDistance * (kMaxNamed + 1)) {
        prefetch_to_write(elements_ + ids[kPrefetchDistance * (kMaxNamed + 1)], sizeof(T));
      }
      push(ids.front());
      ids = ids.subspan(1);
    }
  }

  // Frees all elements. New ids count up from 0 again.
  void clear() noexcept {
    end_ = 0;
    num_stacked_ = 0;
  }

  // Returns the size of the memory in use in octets, which includes the free elements.
  [[nodiscard]] std::size_t bytes() const { return std::size_t{end_} * sizeof(T); }

 private:
  static constexpr std::size_t kPrefetchDistance = 8;

  // The constants below describe the words of a free element in the stack.
  static constexpr std::size_t kWordLen = sizeof(std::uint32_t);
  static constexpr std::size_t kBelow = 0;  // word 0: id of the element that is kPrefetchDistance below
  static constexpr std::size_t kNumNamed = 1;
  static constexpr std::size_t kNamed = 2;  // word 2 is the first that may hold the id of another free element
  static constexpr std::size_t kMaxNamed = sizeof(T) / kWordLen - kNamed;

  // Returns the id at the top of the stack, which must not be empty.
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
  // The uppermost ids of the stack. The element at height d, counted from 1 at the bottom, has index d %
  // kPrefetchDistance.
  std::array<std::uint32_t, kPrefetchDistance> uppermost_{};
};

}  // namespace optiks::ozks
