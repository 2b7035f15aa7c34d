// Snapshots on disk: a directory's state at an epoch, from which a directory is made again without the database.
#pragma once

#include <memory>

#include "directory/directory.h"

namespace optiks::ozks {

// save_snapshot writes the file (docs/operations/snapshots.md); its place then has what it had before, or all of it, on
// the disk. The leaf log is on the disk before. Any thread, beside the writer; one at a time for a path. Four octets a
// leaf of memory meanwhile. DirectoryError (OPTIKS_E_STATE) when the leaf log's file has no name; std::system_error.
void save_snapshot(const Snapshot& snapshot, const char* path);

// restore_directory makes the directory of a snapshot's file, with the leaf log that belongs to it, which it goes on
// with. What the file says of the trees is not proven: the caller compares their states with the epoch's signed record.
// DirectoryError (OPTIKS_E_DATA) when the file is damaged, of another version of the format, or of other secrets,
// another period or another configuration than the options'; std::system_error when it, or its leaf log, cannot be
// read. The leaf log's file may be shortened to what belongs to the snapshot.
[[nodiscard]] std::unique_ptr<Directory> restore_directory(Secrets&& secrets, const optiks_dir_options_t& options,
                                                           const char* path);

// restore_stored_directory makes a directory in stored mode of it instead, in a node store that has none, and checks
// all that check_directory (check.h) does, but the table of keys, which it makes from the leaf log: what it gives is
// what the header's states and the leaf log say, or DirectoryError (OPTIKS_E_DATA) or std::system_error. Three passes
// over the leaves, in memory that does not grow with them (some 150 MB); the node store's folder has 170 octets a leaf
// meanwhile, in files without names. After an exception or a crash the node store and its folder are of no use.
[[nodiscard]] std::unique_ptr<Directory> restore_stored_directory(Secrets&& secrets,
                                                                  const optiks_dir_options_t& options,
                                                                  const char* path);

}  // namespace optiks::ozks
