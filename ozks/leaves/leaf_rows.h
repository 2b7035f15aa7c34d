// Functions for rows: stored leaves in the form of the C ABI (optiks_leaf_t).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "leaves/directory_error.h"
#include "leaves/kept_values.h"
#include "leaves/leaf_log.h"
#include "optiks/types.h"

namespace optiks::ozks {

using verify::kMaxKeyLen;
using verify::kNumStructures;

inline std::uint8_t structure_of(const optiks_leaf_t& row) {
  return static_cast<std::uint8_t>(row.structure_and_input >> 28);
}

[[nodiscard]] Tag tag_of(const optiks_leaf_t& row);

// Returns the version of a key's next leaf. `latest` points to the facts of the key's latest leaf, or is null for a new
// key. `has_versions` is true for a PAHD and false for an oZKS. Throws DirectoryError for a second leaf of a key in an
// oZKS.
[[nodiscard]] std::uint64_t next_version(bool has_versions, const LeafFacts* latest);
// Throws DirectoryError unless `version` equals the result of next_version(). The first leaf of a username determines
// whether the username has versions.
void check_version(std::uint8_t structure, std::uint64_t version, const LeafFacts* latest);

// Counts the leaves of each structure. Throws DirectoryError if a leaf's structure does not exist.
[[nodiscard]] std::array<std::size_t, kNumStructures> count_by_structure(std::span<const optiks_leaf_t> leaves);

// Throws DirectoryError unless the rows are sorted by epoch, then structure, then label, without duplicates. Their
// epochs must be greater than `after` and at most `through`.
void check_order(std::span<const optiks_leaf_t> rows, std::uint64_t after, std::uint64_t through);

// The largest version that fits into a leaf's record.
inline constexpr std::uint64_t kMaxVersion = 0xffffffff;

// A row of copies for the next period (docs/spec/periods.md section 2) has the version that was copied in the previous
// period. A row with version kNoCopy removes the key's copy. In the next period a copy's leaf has epoch 0 and version
// 1.
inline constexpr std::uint64_t kNoCopy = 0;
inline constexpr std::uint64_t kCopyVersion = 1;
inline constexpr std::uint64_t kCopyEpoch = 0;
// Throws DirectoryError unless each row is a valid row of copies.
void check_copies(std::span<const optiks_leaf_t> rows);
// Throws DirectoryError unless all rows are of structures whose secrets are the same in all periods.
void check_know_no_periods(std::span<const optiks_leaf_t> rows);

// Returns the facts that the leaf log keeps of a leaf, without the log offset of the previous version's record. Throws
// DirectoryError if the version is too large for a record.
[[nodiscard]] LeafFacts facts_of(const optiks_leaf_t& row);
// Returns the facts that the leaf log keeps of a leaf, with the log offset of the previous version's record. `latest`
// points to the facts of the key's latest leaf, whose record is at `latest_offset`; it is null for a new key. Throws
// DirectoryError unless the row has the key's next version.
[[nodiscard]] LeafFacts next_facts(const optiks_leaf_t& row, const LeafFacts* latest, std::uint64_t latest_offset);

// True if `a` comes before `b` in a prepared epoch, which is sorted by structure, then label.
[[nodiscard]] bool before(const optiks_leaf_t& a, const optiks_leaf_t& b);

// Writes the rows to `out` in the order of before(). `out` has room for all rows and must not overlap `rows`.
void sort_rows(std::span<const optiks_leaf_t> rows, optiks_leaf_t* out);

// Returns for each tag the index of the last equal tag before it, or kNoRow if no tag before it is equal. There must be
// fewer than 2^32 tags.
inline constexpr std::uint32_t kNoRow = 0xffffffff;
[[nodiscard]] std::vector<std::uint32_t> earlier_of_same_tag(std::span<const Tag> tags);

inline bool has_value(const optiks_leaf_t& row) { return row.value_offset != UINT64_MAX; }

// Returns the row's value. The row must have a value, and must have passed check_places().
[[nodiscard]] ByteSpan value_of(const optiks_leaf_t& row, ByteSpan values);

// Throws DirectoryError unless each value that the directory keeps lies within `values` and has at most `max_len`
// octets.
void check_places(std::span<const optiks_leaf_t> leaves, ByteSpan values, std::uint32_t max_len, KeptValues kept);
// Throws DirectoryError unless each value that the directory keeps opens its commitment. The rows must have passed
// check_places().
void check_commitments(std::span<const optiks_leaf_t> leaves, ByteSpan values, KeptValues kept);

}  // namespace optiks::ozks
