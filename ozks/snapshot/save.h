// Snapshots on disk: a directory's state at an epoch, from which a directory is made again without the database.
#pragma once

#include <memory>

#include "directory/directory.h"

namespace optiks::ozks {

// Writes the file (docs/operations/snapshots.md). On disk the path has its previous file or the whole new file; the
// leaf log is written to disk before the new file. Any thread may call this function, also while the writer works, but
// only one thread at a time for a path. Uses four octets of memory a leaf. Throws DirectoryError (OPTIKS_E_STATE) if
// the leaf log's file has no name, and std::system_error if a file cannot be written.
void save_snapshot(const View& view, const char* path);

// Makes the directory of a snapshot's file, with the leaf log that belongs to the snapshot. The directory then
// continues this leaf log. The file does not prove its trees: the caller compares their states with the epoch's signed
// record. Throws DirectoryError (OPTIKS_E_DATA) if the file is damaged, or if its format version, secrets, period or
// configuration differ from the options'. Throws std::system_error if the file or its leaf log cannot be read. The leaf
// log's file may be shortened to the part that belongs to the snapshot. With a node store in the options, the directory
// is made there (restore_stored.h).
[[nodiscard]] std::unique_ptr<Directory> restore_directory(Secrets&& secrets, const optiks_dir_options_t& options,
                                                           const char* path);

}  // namespace optiks::ozks
