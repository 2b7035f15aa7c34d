// What files that are read and written at offsets share: calls of the system that do all that was asked, or throw.
//
// Thread safety: any threads, for offsets that nobody writes meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "optiks/base/bytes.h"

namespace optiks::ozks {

[[noreturn]] void fail_io(int error, const char* what);

// Makes a file in the folder for this user alone, gone when it is closed. All throw std::system_error with `what`.
[[nodiscard]] int make_unnamed_file(const std::string& folder, const char* what);

// Reads at least `least` octets and at most out.size(); gives how many. ENODATA: there are fewer.
std::size_t read_at(int file, base::MutableByteSpan out, std::size_t least, std::uint64_t offset, const char* what);

void write_at(int file, base::ByteSpan octets, std::uint64_t offset, const char* what);

}  // namespace optiks::ozks
