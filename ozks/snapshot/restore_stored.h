// Restores a snapshot's file to a node store.
#pragma once

#include <memory>

#include "directory/directory.h"
#include "snapshot/snapshot_header.h"

namespace optiks::ozks {

// Makes the directory of a snapshot in the options' node store, which must be empty. The snapshot's header was read and
// matches these secrets and options. Checks everything that TreeStore::check does, except the key table, which the
// function makes from the leaf log. Throws DirectoryError (OPTIKS_E_DATA) or std::system_error unless the result agrees
// with the header's states and the leaf log. The function makes three passes over the leaves, and uses about 150 MB of
// memory for any number of leaves. The node store's folder temporarily holds 170 more octets a leaf, in files without
// names. After an exception or a crash the node store and its folder are unusable.
[[nodiscard]] std::unique_ptr<Directory> restore_stored_directory(BlockReader& in, const SnapshotHeader& header,
                                                                  Secrets&& secrets,
                                                                  const optiks_dir_options_t& options);

}  // namespace optiks::ozks
