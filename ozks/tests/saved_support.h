// What tests of snapshots on disk share.
#pragma once

#include <functional>
#include <string>

#include "directory_support.h"

namespace optiks::ozks::test {

Bytes read_file(const std::string& path);
void write_file(const std::string& path, const Bytes& octets);

// Restores with a copy of the log, which the saved directory goes on writing.
std::int32_t restore(const std::string& snapshot, const std::string& log, DirectoryHandle& out,
                     const std::function<void(optiks_dir_options_t&)>& change = {});

// A file as section 1 of docs/operations/snapshots.md has it, with one block and its right checksum.
Bytes one_block(const Bytes& payload);

}  // namespace optiks::ozks::test
