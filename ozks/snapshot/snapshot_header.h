// The header of a snapshot's file (docs/operations/snapshots.md section 2).
#pragma once

#include "directory/data.h"
#include "snapshot/block_file.h"

namespace optiks::ozks {

struct SnapshotHeader {
  KeptValues kept_values = KeptValues::kNone;
  std::uint64_t period = 0;
  std::uint64_t period_first_epoch = 0;
  std::uint64_t epoch = 0;
  Tag tag_check{};  // tag_check() of the secrets
  LeafLog::Identity log_identity{};
  std::uint64_t log_len = 0;
  std::array<std::uint8_t, kNumStructures * OPTIKS_STRUCTURE_STATE_LEN> states{};

  void write(BlockWriter& out) const;
  // Reads the header. Throws DirectoryError if the file is not a snapshot, or has another version of the format.
  static SnapshotHeader read(BlockReader& in);
  // Throws DirectoryError unless the snapshot was made with these secrets, and with the period and the configuration
  // that the options have.
  void require_of(const Secrets& secrets, const optiks_dir_options_t& options) const;
};

}  // namespace optiks::ozks
