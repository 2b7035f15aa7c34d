// Reads and writes files at offsets. Each function completes the whole request or throws.
//
// Thread safety: any thread may read or write octets that no other thread writes at the same time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "optiks/base/bytes.h"

namespace optiks::ozks {

[[noreturn]] void fail_io(int error, const char* what);

// Makes a file without a name in the folder and returns its descriptor. Only this user may open the file, which
// disappears when it is closed. `what` is the text of the std::system_error that this function and the next two
// functions throw.
[[nodiscard]] int make_unnamed_file(const std::string& folder, const char* what);

// Reads at least `least` octets and at most `out.size()` octets, and returns how many it read. The exception has the
// code ENODATA if the file ends before `least` octets.
std::size_t read_at(int file, base::MutableByteSpan out, std::size_t least, std::uint64_t offset, const char* what);

void write_at(int file, base::ByteSpan octets, std::uint64_t offset, const char* what);

}  // namespace optiks::ozks
