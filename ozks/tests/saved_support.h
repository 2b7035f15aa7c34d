// Helpers of the tests of snapshots on disk.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "directory_support.h"

namespace optiks::ozks::test {

Bytes read_file(const std::string& path);
void write_file(const std::string& path, const Bytes& octets);

// Restores the snapshot with a copy of the leaf log, because the saved directory still writes to the log.
std::int32_t restore(const std::string& snapshot, const std::string& log, DirectoryHandle& out,
                     const std::function<void(optiks_dir_options_t&)>& change = {});

// Returns a snapshot's file (docs/operations/snapshots.md section 1) that has this payload in one block with a correct
// checksum.
Bytes one_block(const Bytes& payload);

// Returns the payload of a file with only one block. The test fails if the file has another form.
Bytes payload_of(const Bytes& file);

// Offsets in a payload, and the lengths of its elements (docs/operations/snapshots.md section 2).
namespace saved {
inline constexpr std::size_t kFormat = 7;
inline constexpr std::size_t kEpoch = 8 + 1 + 8 + 8;
inline constexpr std::size_t kStates = kEpoch + 8 + 16 + 16 + 8;
// Returns the offset of the last octet of a structure's number of leaves.
constexpr std::size_t count_of(std::uint8_t structure) {
  return kStates + verify::structure_index(structure) * OPTIKS_STRUCTURE_STATE_LEN + 32 + 7;
}
inline constexpr std::size_t kTrees = kStates + OPTIKS_STATES_LEN;
inline constexpr std::size_t kInteriorLen = 2 + 2 * 32;
inline constexpr std::size_t kLeafLen = 32 + 6;
// Within a leaf's element: where the log offset of its record begins.
inline constexpr std::size_t kLogOffset = 32;
inline constexpr std::size_t kLogOffsetLen = 6;
inline constexpr std::size_t kKeyLen = 4 + 4;
inline constexpr std::size_t kMovedLen = 1 + 4 + 8;
}  // namespace saved

}  // namespace optiks::ozks::test
