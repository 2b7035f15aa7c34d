#include "stored/page.h"

#include <algorithm>

#include "optiks/base/crc32c.h"

namespace optiks::ozks {

std::uint32_t page_checksum(PageId id, ByteSpan octets) {
  std::array<std::uint8_t, 8> encoded_id{};
  base::store_be64(encoded_id.data(), id);
  return base::crc32c(octets.subspan(kPageChecksumLen), base::crc32c(encoded_id));
}

bool Page::parse(PageId id, ByteSpan octets, Page& out) {
  if (octets.size() < kPageHeaderLen || octets.size() > kMaxPageLen ||
      page_checksum(id, octets) != base::load_be32(octets.data())) {
    return false;
  }
  auto copy = std::make_shared_for_overwrite<std::uint8_t[]>(octets.size());
  std::copy(octets.begin(), octets.end(), copy.get());
  Page page;
  page.octets_ = std::move(copy);
  page.len_ = octets.size();
  if (!page.is_sound()) {
    return false;
  }
  out = std::move(page);
  return true;
}

bool Page::is_sound() const {
  const std::size_t counts[] = {num_nodes(), num_leaves(), num_refs()};
  if (len_ !=
      kPageHeaderLen + counts[0] * sizeof(PageNode) + counts[1] * sizeof(PageLeaf) + counts[2] * sizeof(PageRef)) {
    return false;
  }
  const auto exists = [&](ChildCode code) { return code >> 6 < 3 && index_of(code) < counts[code >> 6]; };
  for (std::size_t i = 0; i < counts[0]; ++i) {
    for (const ChildCode code : node(i).child) {
      if (!exists(code) || (kind_of(code) == ChildKind::kNode &&
                            (index_of(code) <= i || node(index_of(code)).length <= node(i).length))) {
        return false;
      }
    }
  }
  // The top must be a node or a leaf. If it could be a reference to a page, a page could refer to itself, and a walk
  // would never end.
  return exists(top()) && kind_of(top()) != ChildKind::kPage;
}

}  // namespace optiks::ozks
