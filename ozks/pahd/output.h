// Output: the buffer for an answer.
//
// Thread safety: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "optiks/base/bytes.h"

namespace optiks::ozks {

using base::ByteSpan;

// A caller's buffer. Octets that do not fit are counted and dropped, so one pass gives the answer or its length.
class Output {
 public:
  Output(std::uint8_t* out, std::size_t capacity) : out_(out), capacity_(capacity) {}

  void put(ByteSpan octets);
  // Writes a big-endian integer of `octets` octets.
  void put_integer(std::uint64_t value, std::size_t octets);
  // Discards everything from `size` on.
  void truncate(std::size_t size) { size_ = size; }
  // Begins a vector, whose contents follow. begin_vector returns a position, which end_vector takes to write the length
  // in `octets` octets. Throws DirectoryError if the length does not fit.
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
