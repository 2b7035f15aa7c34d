// The check of a directory that was restored from another machine's snapshot.
#pragma once

#include "directory/directory.h"

namespace optiks::ozks {

// check_directory reads every record of the leaf log and computes every hash of the trees again: they are then those of
// the directory's states, records are whole, values open their commitments, the versions of a key follow each other and
// the table of keys has the latest of each. That a tag is the one of a label's key only the key's name tells: an answer
// from a wrong one is refused by its reader. DirectoryError (OPTIKS_E_DATA) or std::system_error otherwise. Linked mode
// only. The writer's thread, with the workers; eight octets a leaf of memory meanwhile.
void check_directory(const Store& store, Workers& workers);

}  // namespace optiks::ozks
