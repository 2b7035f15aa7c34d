// Opens a directory, in memory or in a node store on disk. The options select one of these modes.
#pragma once

#include <memory>

#include "directory/directory.h"
#include "stored/stored_trees.h"

namespace optiks::ozks {

// Makes an empty directory or, if the options name a node store that has a directory, continues that directory.
// Continuing needs no history from the database. Throws std::system_error if the node store or the leaf log is damaged,
// is in use, or cannot be opened. Also throws it if the store belongs to another StoreOwner.
[[nodiscard]] std::unique_ptr<Directory> open_directory(Secrets&& secrets, const optiks_dir_options_t& options);

// Returns the trees of the node store that the options name; a new store has empty trees. Throws the same exceptions as
// open_directory().
[[nodiscard]] std::unique_ptr<StoredTrees> open_stored_trees(const Secrets& secrets,
                                                             const optiks_dir_options_t& options);

}  // namespace optiks::ozks
