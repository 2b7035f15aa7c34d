// Reads and writes files at offsets: calls of the system that complete the whole request, or throw.
//
// Thread safety: any threads, for offsets that no thread writes at the same time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "optiks/base/bytes.h"

namespace optiks::ozks {

[[noreturn]] void fail_io(int error, const char* what);

// Makes a file in the folder for this user alone, which disappears when it is closed. All functions here throw
// std::system_error with `what`.
[[nodiscard]] int make_unnamed_file(const std::string& folder, const char* what);

// Reads at least `least` octets and at most out.size(); returns the number. The exception has ENODATA if the file has
// fewer than `least` octets.
std::size_t read_at(int file, base::MutableByteSpan out, std::size_t least, std::uint64_t offset, const char* what);

void write_at(int file, base::ByteSpan octets, std::uint64_t offset, const char* what);

}  // namespace optiks::ozks
