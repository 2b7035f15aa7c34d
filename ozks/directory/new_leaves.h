// Makes leaves for the trees from stored rows.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "directory/data.h"
#include "util/parallel.h"

namespace optiks::ozks {

using NewLeaves = std::array<std::vector<NewLeaf>, kNumStructures>;

// Says which code links the records of a key's versions and checks that the versions follow each other: make_leaves()
// for kNow, a BulkLoad for kLater.
enum class Links : std::uint8_t { kNow, kLater };

// Makes the leaves of rows. The rows must be sorted by epoch, then structure, then label. The leaves of each structure
// are returned in the order of the rows. On return the leaves' records are in the leaf log's file, after its previous
// contents. Throws DirectoryError unless each version is the next version of its key, no key occurs twice in an epoch,
// and values open their commitments. After a DirectoryError or std::system_error the log may be longer than before.
// Only the writer thread may call this function.
[[nodiscard]] NewLeaves make_leaves(DirectoryData& data, std::span<const LeafRow> rows, ByteSpan values,
                                    Workers& workers, Links links);

}  // namespace optiks::ozks
