// Stored leaves as the C ABI has them (optiks_leaf_t).
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

// The version of a key's next leaf, from the facts of its latest, or null; of a PAHD, or of an oZKS: DirectoryError for
// a second one there.
[[nodiscard]] std::uint64_t next_version(bool has_versions, const LeafFacts* latest);
// DirectoryError unless the version is that. Usernames have versions or have none, as the key's first leaf has it.
void check_version(std::uint8_t structure, std::uint64_t version, const LeafFacts* latest);

// Leaves of each structure. DirectoryError for one of no structure.
[[nodiscard]] std::array<std::size_t, kNumStructures> count_by_structure(std::span<const optiks_leaf_t> leaves);

// DirectoryError unless the rows are sorted by epoch, structure and label, without any twice, and their epochs are
// behind `after` and none is behind `through`.
void check_order(std::span<const optiks_leaf_t> rows, std::uint64_t after, std::uint64_t through);

// The largest that a leaf's record has room for.
inline constexpr std::uint64_t kMaxVersion = 0xffffffff;

// A row of the next period (docs/spec/periods.md section 2): its version is the one that was copied, and of kNoCopy
// takes the key out again. Copies have leaf epoch 0 and are version 1 of the period.
inline constexpr std::uint64_t kNoCopy = 0;
inline constexpr std::uint64_t kCopyVersion = 1;
inline constexpr std::uint64_t kCopyEpoch = 0;
// DirectoryError unless each row is such a one.
void check_copies(std::span<const optiks_leaf_t> rows);
// DirectoryError unless all are of structures that live as long as the log.
void check_know_no_periods(std::span<const optiks_leaf_t> rows);

// What the leaf log keeps of a leaf, but for the record of the version before. DirectoryError when the version is too
// large for a record.
[[nodiscard]] LeafFacts facts_of(const optiks_leaf_t& row);
// The same with that, when the key's latest leaf has these facts, or null, and this log offset. DirectoryError unless
// the version follows.
[[nodiscard]] LeafFacts next_facts(const optiks_leaf_t& row, const LeafFacts* latest, std::uint64_t latest_offset);

// Of a prepared epoch: by structure, then label.
[[nodiscard]] bool before(const optiks_leaf_t& a, const optiks_leaf_t& b);

// Writes the rows in that order to `out`, which has room for them all and is elsewhere.
void sort_rows(std::span<const optiks_leaf_t> rows, optiks_leaf_t* out);

// For each of the tags, fewer than 2^32, the index of the last one before it that is the same, or kNoRow.
inline constexpr std::uint32_t kNoRow = 0xffffffff;
[[nodiscard]] std::vector<std::uint32_t> earlier_of_same_tag(std::span<const Tag> tags);

inline bool has_value(const optiks_leaf_t& row) { return row.value_offset != UINT64_MAX; }

// The row's value, when check_places() passed and it has one.
[[nodiscard]] ByteSpan value_of(const optiks_leaf_t& row, ByteSpan values);

// DirectoryError unless each value that is kept is there and no longer than max_len.
void check_places(std::span<const optiks_leaf_t> leaves, ByteSpan values, std::uint32_t max_len, KeptValues kept);
// DirectoryError unless each value that is kept, whose bounds were checked, opens its commitment.
void check_commitments(std::span<const optiks_leaf_t> leaves, ByteSpan values, KeptValues kept);

}  // namespace optiks::ozks
