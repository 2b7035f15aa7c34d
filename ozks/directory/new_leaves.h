// Makes leaves for the trees from stored rows.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "directory/data.h"
#include "trie/parallel.h"

namespace optiks::ozks {

using NewLeaves = std::array<std::vector<NewLeaf>, kNumStructures>;

// When the records of a key's versions are linked and their versions compared: kNow by make_leaves(), kLater by a
// BulkLoad.
enum class Links : std::uint8_t { kNow, kLater };

// Returns the leaves of rows. The leaves of each structure are in the order of the rows. The rows are in the order of
// their epochs and within an epoch sorted by structure and label. On return the leaves' records are in the leaf log's
// file, after its previous contents. Throws DirectoryError unless each version is the next version of its key, no key
// occurs twice in an epoch, and values open their commitments. After a DirectoryError or std::system_error the log may
// be longer than before. Writer thread only.
[[nodiscard]] NewLeaves make_leaves(DirectoryData& data, std::span<const optiks_leaf_t> rows, ByteSpan values,
                                    Workers& workers, Links links);

}  // namespace optiks::ozks
