// PageArray<T>: a zeroed array straight from the system, for tables that are large and read at random. On huge pages
// where the system gives them: with ordinary ones, most of the time of a lookup among many keys goes into finding
// pages. Memory is used when it is first touched.
//
// Thread safety: that of a plain array.
#pragma once

#include <cstddef>
#include <limits>
#include <new>
#include <type_traits>
#include <utility>

namespace optiks::ozks {

// std::bad_alloc when the system has no memory.
[[nodiscard]] void* map_pages(std::size_t bytes);
void unmap_pages(void* pages, std::size_t bytes) noexcept;

// T: zero octets are a valid T, and there is nothing to destroy.
template <typename T>
class PageArray {
  static_assert(std::is_trivially_destructible_v<T>);

 public:
  PageArray() = default;
  explicit PageArray(std::size_t size) : size_(size) {
    if (size > std::numeric_limits<std::size_t>::max() / sizeof(T)) {
      throw std::bad_alloc();
    }
    data_ = size == 0 ? nullptr : static_cast<T*>(map_pages(size * sizeof(T)));
  }
  PageArray(PageArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  PageArray& operator=(PageArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  PageArray(const PageArray&) = delete;
  PageArray& operator=(const PageArray&) = delete;
  ~PageArray() {
    if (data_ != nullptr) {
      unmap_pages(data_, size_ * sizeof(T));
    }
  }

  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] T& operator[](std::size_t i) const { return data_[i]; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

// Asks for the cache lines of an object that will be read soon.
inline void prefetch(const void* object, std::size_t bytes) {
  constexpr std::size_t kLineLen = 64;
  const auto* octets = static_cast<const char*>(object);
  for (std::size_t i = 0; i < bytes; i += kLineLen) {
    __builtin_prefetch(octets + i);
  }
  __builtin_prefetch(octets + bytes - 1);
}

}  // namespace optiks::ozks
