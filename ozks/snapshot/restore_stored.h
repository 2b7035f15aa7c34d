// A snapshot's file made into a node store.
#pragma once

#include <memory>

#include "directory/directory.h"
#include "snapshot/snapshot_header.h"

namespace optiks::ozks {

// restore_stored_directory makes the directory of a snapshot, whose header was read and is of these secrets and
// options, in the options' node store, which has none, and checks all that TreeStore::check does, but the table of
// keys, which it makes from the leaf log: what it gives is what the header's states and the leaf log say, or
// DirectoryError (OPTIKS_E_DATA) or std::system_error. Three passes over the leaves, in memory that does not grow with
// them (some 150 MB); the node store's folder has 170 octets a leaf meanwhile, in files without names. After an
// exception or a crash the node store and its folder are of no use.
[[nodiscard]] std::unique_ptr<Directory> restore_stored_directory(BlockReader& in, const SnapshotHeader& header,
                                                                  Secrets&& secrets,
                                                                  const optiks_dir_options_t& options);

}  // namespace optiks::ozks
