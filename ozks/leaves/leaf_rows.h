// LeafRow: a stored leaf, in the form in which a directory takes it and returns it; and functions for rows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "leaves/directory_error.h"
#include "leaves/kept_values.h"
#include "leaves/leaf_log.h"

namespace optiks::ozks {

using verify::is_structure;
using verify::kMaxKeyLen;
using verify::kNumStructures;
using verify::kStructures;
using verify::structure_index;

// A stored leaf. The C ABI's optiks_leaf_t has the same layout, so `capi` passes rows on without copying them. The
// attribute allows both types for the same memory.
struct [[gnu::may_alias]] LeafRow {
  // An input index is less than this number.
  static constexpr std::size_t kMaxInputs = std::size_t{1} << 28;
  static constexpr std::uint64_t kNoValue = UINT64_MAX;

  Hash label;
  Hash commitment;
  Tag tag;
  std::array<std::uint8_t, kOpeningLen> opening;  // zero if the value was erased
  std::uint64_t epoch;
  std::uint64_t version;
  std::uint64_t value_offset;  // in the values of the call; kNoValue if the value was erased or left out
  std::uint32_t value_len;
  std::uint32_t structure_and_input;  // read and written only by the functions below

  [[nodiscard]] std::uint8_t structure() const { return static_cast<std::uint8_t>(structure_and_input >> 28); }
  // Returns the index of the input from which the row was prepared.
  [[nodiscard]] std::size_t input() const { return structure_and_input % kMaxInputs; }
  void set_place(std::uint8_t structure, std::size_t input) {
    structure_and_input = static_cast<std::uint32_t>(structure * kMaxInputs + input);
  }
  [[nodiscard]] bool has_value() const { return value_offset != kNoValue; }
};

// True if keys of the structure have versions 1, 2, .... Each version of a key has a leaf. If the log reassigns
// usernames, each version of a username is a user to whom the name led.
[[nodiscard]] inline bool has_versions(std::uint8_t structure, bool reuses_usernames) {
  return verify::has_versions(structure) || (structure == verify::kUsernames && reuses_usernames);
}

// Returns the version of a key's next leaf. `latest` points to the facts of the key's latest leaf, or is null for a new
// key. `has_versions`: the result of has_versions() for the key's structure. Throws DirectoryError for a second leaf of
// a key that has no versions.
[[nodiscard]] std::uint64_t next_version(bool has_versions, const LeafFacts* latest);
// Throws DirectoryError unless `version` equals the result of next_version().
void check_version(bool has_versions, std::uint64_t version, const LeafFacts* latest);

// Counts the leaves of each structure. Throws DirectoryError if a leaf's structure does not exist.
[[nodiscard]] std::array<std::size_t, kNumStructures> count_by_structure(std::span<const LeafRow> leaves);

// Throws DirectoryError unless the rows are sorted by epoch, then structure, then label, without duplicates. Their
// epochs must be greater than `after` and at most `through`.
void check_order(std::span<const LeafRow> rows, std::uint64_t after, std::uint64_t through);

// The largest version that fits into a leaf's record.
inline constexpr std::uint64_t kMaxVersion = 0xffffffff;

// A row of copies for the next period (docs/spec/periods.md section 2) has the version that was copied in the previous
// period. A row with version kNoCopy removes the key's copy. In the next period a copy's leaf has epoch 0 and version
// 1.
inline constexpr std::uint64_t kNoCopy = 0;
inline constexpr std::uint64_t kCopyVersion = 1;
inline constexpr std::uint64_t kCopyEpoch = 0;
// Throws DirectoryError unless each row is a valid row of copies.
void check_copies(std::span<const LeafRow> rows);
// Throws DirectoryError unless all rows are of structures whose secrets are the same in all periods.
void check_know_no_periods(std::span<const LeafRow> rows);

// Returns the facts that the leaf log keeps of a leaf, without the log offset of the previous version's record. Throws
// DirectoryError if the version is too large for a record.
[[nodiscard]] LeafFacts facts_of(const LeafRow& row);
// Returns the facts that the leaf log keeps of a leaf, with the log offset of the previous version's record. `latest`
// points to the facts of the key's latest leaf, whose record is at `latest_offset`; it is null for a new key. Throws
// DirectoryError unless the row has the key's next version.
[[nodiscard]] LeafFacts next_facts(const LeafRow& row, bool has_versions, const LeafFacts* latest,
                                   std::uint64_t latest_offset);

// True if `a` comes before `b` in a prepared epoch, which is sorted by structure, then label.
[[nodiscard]] bool before(const LeafRow& a, const LeafRow& b);

// Writes the rows to `out` in the order of before(). `out` has room for all rows and must not overlap `rows`.
void sort_rows(std::span<const LeafRow> rows, LeafRow* out);

// Returns for each tag the index of the last equal tag before it, or kNoRow if no tag before it is equal. There must be
// fewer than 2^32 tags.
inline constexpr std::uint32_t kNoRow = 0xffffffff;
[[nodiscard]] std::vector<std::uint32_t> earlier_of_same_tag(std::span<const Tag> tags);

// Returns the row's value. The row must have a value, and must have passed check_places().
[[nodiscard]] ByteSpan value_of(const LeafRow& row, ByteSpan values);

// Throws DirectoryError unless each value that the directory keeps lies within `values` and has at most `max_len`
// octets.
void check_places(std::span<const LeafRow> leaves, ByteSpan values, std::uint32_t max_len, KeptValues kept);
// Throws DirectoryError unless each value that the directory keeps opens its commitment. The rows must have passed
// check_places().
void check_commitments(std::span<const LeafRow> leaves, ByteSpan values, KeptValues kept);

}  // namespace optiks::ozks
