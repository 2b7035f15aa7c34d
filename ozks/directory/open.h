// Opens a directory: in memory, or in a node store on disk, as its options say.
#pragma once

#include <memory>

#include "directory/directory.h"
#include "stored/stored_trees.h"

namespace optiks::ozks {

// Makes an empty directory, or continues the directory in the options' node store, which does not need the history from
// the database. Throws std::system_error if the store or the leaf log is damaged, belongs to another owner, is in use,
// or cannot be opened.
[[nodiscard]] std::unique_ptr<Directory> open_directory(Secrets&& secrets, const optiks_dir_options_t& options);

// Returns the trees of the options' node store, or empty trees for a new store. Throws as open_directory does.
[[nodiscard]] std::unique_ptr<StoredTrees> open_stored_trees(const Secrets& secrets,
                                                             const optiks_dir_options_t& options);

}  // namespace optiks::ozks
