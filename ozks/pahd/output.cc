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

std::size_t Output::begin_vector(std::size_t octets) {
  const std::size_t begin = size_;
  put_integer(0, octets);
  return begin;
}

void Output::end_vector(std::size_t begin, std::size_t octets) {
  std::uint8_t all[8];
  base::store_be64(all, size_ - begin - octets);
  if (std::any_of(all, all + (8 - octets), [](std::uint8_t octet) { return octet != 0; })) {
    data_error("an answer is longer than its encoding allows");
  }
  if (begin + octets <= capacity_) {
    std::copy_n(all + (8 - octets), octets, out_ + begin);
  }
}

}  // namespace optiks::ozks
