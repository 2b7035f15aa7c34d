// What a snapshot's file begins with (docs/operations/snapshots.md section 2).
#pragma once

#include "directory/directory.h"
#include "snapshot/block_file.h"

namespace optiks::ozks {

struct SnapshotHeader {
  bool keeps_values = false;
  std::uint64_t period = 0;
  std::uint64_t period_first_epoch = 0;
  std::uint64_t epoch = 0;
  Tag tag_check{};  // tag_check() of the secrets
  LeafLog::Identity log_identity{};
  std::uint64_t log_len = 0;
  std::array<std::uint8_t, kNumStructures * OPTIKS_STRUCTURE_STATE_LEN> states{};

  void write(BlockWriter& out) const;
  // DirectoryError for a file that is none, or of another version of the format.
  static SnapshotHeader read(BlockReader& in);
  // DirectoryError unless the snapshot is of these secrets, and of the options' period and configuration.
  void require_of(const Secrets& secrets, const optiks_dir_options_t& options) const;
};

// A tree's elements.
inline constexpr std::size_t kInteriorElementLen = 2 + 2 * verify::kHashLen;
inline constexpr std::size_t kLeafElementLen = sizeof(Leaf);
inline constexpr std::uint8_t kLeftIsLeaf = 1;
inline constexpr std::uint8_t kRightIsLeaf = 2;

// The table's: one of a key, and one of a key that was updated meanwhile, whose leaf is known by its record.
inline constexpr std::size_t kKeyElementLen = 8;
inline constexpr std::size_t kMovedElementLen = 13;

}  // namespace optiks::ozks
