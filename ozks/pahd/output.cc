#include "pahd/output.h"

#include <algorithm>

#include "leaves/directory_error.h"

namespace optiks::ozks {

void Output::put(ByteSpan octets) {
  if (size_ + octets.size() <= capacity_) {
    std::copy(octets.begin(), octets.end(), out_ + size_);
  }
  size_ += octets.size();
}

void Output::put_integer(std::uint64_t value, std::size_t octets) {
  std::uint8_t all[8];
  base::store_be64(all, value);
  put({all + (8 - octets), octets});
}

std::size_t Output::begin_vector(const verify::VectorBounds& bounds) {
  const std::size_t begin = size_;
  put_integer(0, bounds.length_octets());
  return begin;
}

void Output::end_vector(std::size_t begin, const verify::VectorBounds& bounds) {
  const std::size_t octets = bounds.length_octets();
  const std::size_t length = size_ - begin - octets;
  if (length > bounds.high) {
    data_error("an answer is longer than its encoding allows");
  }
  std::uint8_t all[8];
  base::store_be64(all, length);
  if (begin + octets <= capacity_) {
    std::copy_n(all + (8 - octets), octets, out_ + begin);
  }
}

}  // namespace optiks::ozks
