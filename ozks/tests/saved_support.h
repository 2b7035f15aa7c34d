// Helpers of the tests of snapshots on disk.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "directory_support.h"

namespace optiks::ozks::test {

Bytes read_file(const std::string& path);
void write_file(const std::string& path, const Bytes& octets);

// Restores with a copy of the log, which the saved directory continues to write.
std::int32_t restore(const std::string& snapshot, const std::string& log, DirectoryHandle& out,
                     const std::function<void(optiks_dir_options_t&)>& change = {});

// Returns a file in the form of section 1 of docs/operations/snapshots.md, with one block and its correct checksum.
Bytes one_block(const Bytes& payload);

// Returns the payload of a file of one block; the test fails if the file has another form.
Bytes payload_of(const Bytes& file);

// Offsets in a payload, and the lengths of its elements (docs/operations/snapshots.md section 2).
namespace saved {
inline constexpr std::size_t kFormat = 7;
inline constexpr std::size_t kEpoch = 8 + 1 + 8 + 8;
inline constexpr std::size_t kStates = kEpoch + 8 + 16 + 16 + 8;
// The offset of the last octet of a structure's count.
constexpr std::size_t count_of(std::uint8_t structure) {
  return kStates + (structure - std::size_t{1}) * OPTIKS_STRUCTURE_STATE_LEN + 32 + 7;
}
inline constexpr std::size_t kTrees = kStates + OPTIKS_STATES_LEN;
inline constexpr std::size_t kInteriorLen = 2 + 2 * 32;
inline constexpr std::size_t kLeafLen = 32 + 6;
// The offset of the log offset of its record, within a leaf.
inline constexpr std::size_t kLogOffset = 32;
inline constexpr std::size_t kLogOffsetLen = 6;
inline constexpr std::size_t kKeyLen = 4 + 4;
inline constexpr std::size_t kMovedLen = 1 + 4 + 8;
}  // namespace saved

}  // namespace optiks::ozks::test
