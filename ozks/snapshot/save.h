// Snapshots on disk: a directory's state at an epoch, from which a directory is made again without the database.
#pragma once

#include <memory>

#include "directory/directory.h"

namespace optiks::ozks {

// save_snapshot writes the file (docs/operations/snapshots.md); its place then has what it had before, or all of it, on
// the disk. The leaf log is on the disk before. Any thread, beside the writer; one at a time for a path. Four octets a
// leaf of memory meanwhile. DirectoryError (OPTIKS_E_STATE) when the leaf log's file has no name; std::system_error.
void save_snapshot(const View& view, const char* path);

// restore_directory makes the directory of a snapshot's file, with the leaf log that belongs to it, which it goes on
// with. What the file says of the trees is not proven: the caller compares their states with the epoch's signed record.
// DirectoryError (OPTIKS_E_DATA) when the file is damaged, of another version of the format, or of other secrets,
// another period or another configuration than the options'; std::system_error when it, or its leaf log, cannot be
// read. The leaf log's file may be shortened to what belongs to the snapshot. With a node store in the options it is
// made there (restore_stored.h).
[[nodiscard]] std::unique_ptr<Directory> restore_directory(Secrets&& secrets, const optiks_dir_options_t& options,
                                                           const char* path);

}  // namespace optiks::ozks
