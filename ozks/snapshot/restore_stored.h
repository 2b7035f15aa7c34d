// Restores a snapshot's file to a node store (stored mode).
#pragma once

#include <memory>

#include "directory/directory.h"
#include "snapshot/snapshot_header.h"

namespace optiks::ozks {

// Makes the directory of a snapshot in the node store that the options name, which must be empty. The caller has read
// the snapshot's header and checked that it matches these secrets and options. Makes all checks of TreeStore::check()
// except those of the key table, which the function makes from the leaf log. Throws DirectoryError (OPTIKS_E_DATA) or
// std::system_error unless the result agrees with the header's states and the leaf log. The function makes three passes
// over the leaves, and uses about 150 MB of memory for any number of leaves. While the function runs, files without
// names in the node store's folder use 170 octets of disk for each leaf. After an exception or a crash the node store
// and its folder are unusable.
[[nodiscard]] std::unique_ptr<Directory> restore_stored_directory(BlockReader& in, const SnapshotHeader& header,
                                                                  Secrets&& secrets,
                                                                  const optiks_dir_options_t& options);

}  // namespace optiks::ozks
