#include "directory/leaf_rows.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "directory/directory_error.h"
#include "trie/hash_batch.h"

namespace optiks::ozks {

Tag tag_of(const optiks_leaf_t& row) {
  Tag tag;
  std::ranges::copy(row.tag, tag.begin());
  return tag;
}

bool before(const optiks_leaf_t& a, const optiks_leaf_t& b) {
  return std::make_pair(structure_of(a), std::memcmp(a.label, b.label, verify::kHashLen)) <
         std::make_pair(structure_of(b), 0);
}

ByteSpan value_of(const optiks_leaf_t& row, ByteSpan values) {
  return values.subspan(static_cast<std::size_t>(row.value_offset), row.value_len);
}

void check_values(std::span<const optiks_leaf_t> leaves, ByteSpan values, std::uint32_t max_len) {
  HashBatch hashes;
  std::array<Hash, 64> commitments;
  for (std::size_t first = 0; first < leaves.size(); first += commitments.size()) {
    const auto rows = leaves.subspan(first, std::min(commitments.size(), leaves.size() - first));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const optiks_leaf_t& row = rows[i];
      if (!has_value(row)) {
        continue;
      }
      if (row.value_offset > values.size() || row.value_len > values.size() - row.value_offset ||
          row.value_len > max_len) {
        data_error("a value lies outside the values, or is longer than the configuration allows");
      }
      hashes.add_commitment(row.opening, value_of(row, values), commitments[i]);
    }
    hashes.run();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (has_value(rows[i]) && !std::ranges::equal(rows[i].commitment, commitments[i])) {
        data_error("a value does not open its commitment");
      }
    }
  }
}

}  // namespace optiks::ozks
