// Stored rows made into leaves for the trees.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "directory/data.h"
#include "trie/parallel.h"

namespace optiks::ozks {

using NewLeaves = std::array<std::vector<NewLeaf>, kNumStructures>;

// Links: when the records of a key's versions name each other, and versions are compared. Later: by a BulkLoad.
enum class Links : std::uint8_t { kNow, kLater };

// make_leaves gives the leaves of rows, which are in the order of their epochs and within an epoch sorted by structure
// and label: those of each structure in the rows' order. Their records are in the leaf log's file afterwards, behind
// what it had. DirectoryError unless versions follow those that the trees have, no key is twice in an epoch, and values
// open their commitments; the log is as long as it was or longer then, as after std::system_error. Writer.
[[nodiscard]] NewLeaves make_leaves(DirectoryData& data, std::span<const optiks_leaf_t> rows, ByteSpan values,
                                    Workers& workers, Links links);

}  // namespace optiks::ozks
