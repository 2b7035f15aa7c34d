// Stored leaves as the C ABI has them (optiks_leaf_t).
#pragma once

#include <cstdint>
#include <span>

#include "optiks.h"
#include "trie/leaf_log.h"

namespace optiks::ozks {

inline std::uint8_t structure_of(const optiks_leaf_t& row) {
  return static_cast<std::uint8_t>(row.structure_and_input >> 28);
}

[[nodiscard]] Tag tag_of(const optiks_leaf_t& row);

// Of a prepared epoch: by structure, then label.
[[nodiscard]] bool before(const optiks_leaf_t& a, const optiks_leaf_t& b);

inline bool has_value(const optiks_leaf_t& row) { return row.value_offset != UINT64_MAX; }

// The row's value, when check_values() passed and it has one.
[[nodiscard]] ByteSpan value_of(const optiks_leaf_t& row, ByteSpan values);

// DirectoryError unless each value is there, no longer than max_len, and opens its commitment.
void check_values(std::span<const optiks_leaf_t> leaves, ByteSpan values, std::uint32_t max_len);

}  // namespace optiks::ozks
