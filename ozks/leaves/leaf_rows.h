// Stored leaves as the C ABI has them (optiks_leaf_t).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "leaves/directory_error.h"
#include "leaves/leaf_log.h"
#include "optiks/types.h"

namespace optiks::ozks {

using verify::kNumStructures;

inline std::uint8_t structure_of(const optiks_leaf_t& row) {
  return static_cast<std::uint8_t>(row.structure_and_input >> 28);
}

[[nodiscard]] Tag tag_of(const optiks_leaf_t& row);

// The version of a key's next leaf, from the facts of its latest, or null. DirectoryError for a second one of an oZKS.
[[nodiscard]] std::uint64_t next_version(std::uint8_t structure, const LeafFacts* latest);

// Leaves of each structure. DirectoryError for one of no structure.
[[nodiscard]] std::array<std::size_t, kNumStructures> count_by_structure(std::span<const optiks_leaf_t> leaves);

// Calls add(leaves of one epoch) for each epoch among the leaves. DirectoryError, when it comes to it, for one that is
// not behind the epoch before, the first not behind `after`, or that is behind `through`.
template <typename Add>
void for_each_epoch(std::span<const optiks_leaf_t> leaves, std::uint64_t after, std::uint64_t through, Add add) {
  for (std::size_t first = 0; first < leaves.size();) {
    const std::uint64_t at = leaves[first].epoch;
    std::size_t last = first;
    while (last < leaves.size() && leaves[last].epoch == at) {
      ++last;
    }
    if (at <= after || at > through) {
      data_error("stored leaves are not in the order of their epochs");
    }
    after = at;
    add(leaves.subspan(first, last - first));
    first = last;
  }
}

// What the leaf log keeps of the i-th leaf of an epoch, whose key's latest leaf has these facts, or null, and this
// place. DirectoryError unless it is behind the leaf before it, and the version follows.
[[nodiscard]] LeafFacts next_facts(std::span<const optiks_leaf_t> leaves, std::size_t i, const LeafFacts* latest,
                                   std::uint64_t latest_place);

// Of a prepared epoch: by structure, then label.
[[nodiscard]] bool before(const optiks_leaf_t& a, const optiks_leaf_t& b);

// Writes the rows in that order to `out`, which has room for them all and is elsewhere.
void sort_rows(std::span<const optiks_leaf_t> rows, optiks_leaf_t* out);

// Whether two of the tags, fewer than 2^32, are the same.
[[nodiscard]] bool has_twice(std::span<const Tag> tags);

inline bool has_value(const optiks_leaf_t& row) { return row.value_offset != UINT64_MAX; }

// The row's value, when check_places() passed and it has one.
[[nodiscard]] ByteSpan value_of(const optiks_leaf_t& row, ByteSpan values);

// DirectoryError unless each value is there and no longer than max_len.
void check_places(std::span<const optiks_leaf_t> leaves, ByteSpan values, std::uint32_t max_len);
// DirectoryError unless each value, whose place was checked, opens its commitment.
void check_commitments(std::span<const optiks_leaf_t> leaves, ByteSpan values);
// Both.
void check_values(std::span<const optiks_leaf_t> leaves, ByteSpan values, std::uint32_t max_len);

}  // namespace optiks::ozks
