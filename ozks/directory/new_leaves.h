// Makes leaves for the trees from stored rows.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "directory/data.h"
#include "trie/parallel.h"

namespace optiks::ozks {

using NewLeaves = std::array<std::vector<NewLeaf>, kNumStructures>;

// When the records of a key's versions are linked and their versions compared. kLater: by a BulkLoad.
enum class Links : std::uint8_t { kNow, kLater };

// Returns the leaves of rows, those of each structure in the rows' order. The rows are in the order of their epochs and
// within an epoch sorted by structure and label. On return the leaves' records are in the leaf log's file, after its
// previous contents. Throws DirectoryError unless versions follow those in the trees, no key occurs twice in an epoch,
// and values open their commitments. After that, and after std::system_error, the log may be longer than before.
// Writer.
[[nodiscard]] NewLeaves make_leaves(DirectoryData& data, std::span<const optiks_leaf_t> rows, ByteSpan values,
                                    Workers& workers, Links links);

}  // namespace optiks::ozks
