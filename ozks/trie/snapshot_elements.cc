#include "trie/snapshot_elements.h"

#include <algorithm>
#include <array>

namespace optiks::ozks {

void ElementWriter::put_interior(std::uint8_t flags, std::uint8_t length, const Hash (&hashes)[2]) const {
  std::array<std::uint8_t, kInteriorElementLen> element{flags, length};
  std::ranges::copy(hashes[1], std::ranges::copy(hashes[0], element.begin() + 2).out);
  put_(element);
}

void ElementWriter::put_leaf(const Hash& label, const std::array<std::uint8_t, 6>& log_offset) const {
  std::array<std::uint8_t, kLeafElementLen> element{};
  std::ranges::copy(log_offset, std::ranges::copy(label, element.begin()).out);
  put_(element);
}

void ElementWriter::put_key(std::uint32_t bits, std::uint32_t leaf) const {
  std::array<std::uint8_t, kKeyElementLen> element{};
  base::store_be32(element.data(), bits);
  base::store_be32(element.data() + 4, leaf);
  put_(element);
}

void ElementWriter::put_moved(const MovedKey& key) const {
  std::array<std::uint8_t, kMovedElementLen> element{key.segment};
  base::store_be32(element.data() + 1, key.bits);
  base::store_be64(element.data() + 5, key.log_offset);
  put_(element);
}

}  // namespace optiks::ozks
