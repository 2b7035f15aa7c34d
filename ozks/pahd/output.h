// Output: where an answer is written.
//
// Thread safety: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "optiks/base/bytes.h"

namespace optiks::ozks {

using base::ByteSpan;

// Output: a caller's buffer. What does not fit is counted and dropped, so that one pass gives the answer or its length.
class Output {
 public:
  Output(std::uint8_t* out, std::size_t capacity) : out_(out), capacity_(capacity) {}

  void put(ByteSpan octets);
  // Big-endian, in `octets` octets.
  void put_integer(std::uint64_t value, std::size_t octets);
  // Forgets what was put from `size` on.
  void truncate(std::size_t size) { size_ = size; }
  // A vector's contents follow; its length, in `octets` octets, is written by end_vector, which is given what this
  // returned. DirectoryError when it does not fit them.
  [[nodiscard]] std::size_t begin_vector(std::size_t octets);
  void end_vector(std::size_t begin, std::size_t octets);

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool fits() const { return size_ <= capacity_; }

 private:
  std::uint8_t* out_;
  std::size_t capacity_;
  std::size_t size_ = 0;
};

}  // namespace optiks::ozks
