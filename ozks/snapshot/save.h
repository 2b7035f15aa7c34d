// Saves and restores snapshots: files with a directory's state at an epoch, from which the directory can be made again
// without the database.
#pragma once

#include <memory>

#include "directory/directory.h"

namespace optiks::ozks {

// Writes a snapshot of the view to a file (docs/operations/snapshots.md). Even after a crash the path has its previous
// file or the whole new file. The function writes the leaf log to disk before the new file. Any thread may call this
// function, even while the writer works, but only one thread at a time for a path. In linked mode, uses four octets of
// memory for each leaf; in stored mode, a bounded amount of memory. Throws DirectoryError (OPTIKS_E_STATE) if the leaf
// log's file has no name, and std::system_error if a file cannot be written, or if the node store is damaged.
void save_snapshot(const View& view, const char* path);

// Makes the directory of a snapshot's file, with the leaf log that belongs to the snapshot. The directory then
// continues this leaf log. The file does not prove that its trees are the log's, so the caller must compare the
// directory's states with the signed record of the epoch. Throws DirectoryError (OPTIKS_E_DATA) if the file is damaged,
// or if its format version, secrets, period or configuration differ from the options'. Throws std::system_error if the
// file or its leaf log cannot be read. The function shortens the leaf log's file to the part that belongs to the
// snapshot. If the options name a node store, the directory is made in it (restore_stored.h).
[[nodiscard]] std::unique_ptr<Directory> restore_directory(Secrets&& secrets, const optiks_dir_options_t& options,
                                                           const char* path);

}  // namespace optiks::ozks
