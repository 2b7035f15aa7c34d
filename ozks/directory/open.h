// How a directory comes about: in memory, or in a node store on disk, as its options say.
#pragma once

#include <memory>

#include "directory/directory.h"
#include "stored/stored_trees.h"

namespace optiks::ozks {

// open_directory makes an empty directory, or goes on with the one that the options' node store has, without the
// database's history. std::system_error when store or leaf log is damaged, of another owner, in use, or cannot be
// opened.
[[nodiscard]] std::unique_ptr<Directory> open_directory(Secrets&& secrets, const optiks_dir_options_t& options);

// The trees of the options' node store, or nothing yet. Errors as above.
[[nodiscard]] std::unique_ptr<StoredTrees> open_stored_trees(const Secrets& secrets,
                                                             const optiks_dir_options_t& options);

}  // namespace optiks::ozks
