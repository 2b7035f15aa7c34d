// Output: writes an answer to a buffer.
//
// Thread safety: one thread at a time may use an object.
#pragma once

#include <cstddef>
#include <cstdint>

#include "optiks/base/bytes.h"
#include "optiks/ozks/verify/codec.h"

namespace optiks::ozks {

using base::ByteSpan;

// Writes to the caller's buffer. Octets that do not fit are counted and dropped. So one pass writes the answer or, if
// the buffer is too small, computes the needed length.
class Output {
 public:
  Output(std::uint8_t* out, std::size_t capacity) : out_(out), capacity_(capacity) {}

  void put(ByteSpan octets);
  // Writes `value` as a big-endian integer of `octets` octets.
  void put_integer(std::uint64_t value, std::size_t octets);
  // Discards all octets after the first `size` octets.
  void truncate(std::size_t size) { size_ = size; }
  // begin_vector() reserves the octets for the length of a vector, and returns their position. The caller then writes
  // the contents. end_vector() takes the position and writes the length there. Throws DirectoryError if the length is
  // greater than `bounds.high`.
  [[nodiscard]] std::size_t begin_vector(const verify::VectorBounds& bounds);
  void end_vector(std::size_t begin, const verify::VectorBounds& bounds);

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool fits() const { return size_ <= capacity_; }

 private:
  std::uint8_t* out_;
  std::size_t capacity_;
  std::size_t size_ = 0;
};

}  // namespace optiks::ozks
