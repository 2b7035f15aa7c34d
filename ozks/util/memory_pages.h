// Gets memory directly from the system, for large tables that are read in random order. The memory is on huge pages if
// the system has them. With ordinary pages, a lookup among many keys would spend most of its time in translating
// addresses to pages. The system allocates memory only when it is first touched.
#pragma once

#include <cstddef>
#include <limits>
#include <new>
#include <type_traits>
#include <utility>

namespace optiks::ozks {

// map_pages() returns zeroed memory, which unmap_pages() returns to the system. Throws std::bad_alloc if the system has
// no memory.
[[nodiscard]] void* map_pages(std::size_t bytes);
void unmap_pages(void* pages, std::size_t bytes) noexcept;
// Writes zeros to these octets, so that the system allocates their memory now. The octets must be zero, and no other
// thread may use them at the same time.
void touch_pages(void* pages, std::size_t bytes) noexcept;

// An array of elements whose octets are all zero at first. Such octets must be a valid T, and T must not need a
// destructor. Thread safety: the same as that of a plain array.
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

// An array of zeroed octets that grows without moving. Its addresses are reserved at the start, and the system
// allocates memory when it is first touched. Only full blocks are on huge pages, so that the end of the array uses no
// more memory than it needs.
//
// Thread safety: only one thread may call grow(). Any number of threads may use the memory that earlier calls made
// usable.
class GrowingPages {
 public:
  // Reserves addresses for `capacity` octets. Throws std::bad_alloc if the system does not allow this.
  explicit GrowingPages(std::size_t capacity);
  GrowingPages(const GrowingPages&) = delete;
  GrowingPages& operator=(const GrowingPages&) = delete;
  ~GrowingPages();

  [[nodiscard]] void* data() const { return data_; }
  // Makes the first `bytes` octets usable. `bytes` must be at most the capacity. Throws std::bad_alloc if the system
  // has no memory.
  void grow(std::size_t bytes) {
    while (bytes > usable_) {
      grow_by_block();
    }
  }

 private:
  void grow_by_block();

  std::size_t mapped_;
  char* data_;
  std::size_t usable_ = 0;
};

}  // namespace optiks::ozks
