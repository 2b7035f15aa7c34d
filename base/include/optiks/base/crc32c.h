// CRC-32C (Castagnoli, reflected polynomial 0x82f63b78; RFC 3720 section 12.1): finds what a disk or a bus damaged, in
// a tenth of the time of a hash. It keeps out no adversary.
#pragma once

#include <cstdint>

#include "optiks/base/bytes.h"

namespace optiks::base {

// crc32c of what `before` is the checksum of, followed by data: crc32c(b, crc32c(a)) is that of a and b together.
[[nodiscard]] std::uint32_t crc32c(ByteSpan data, std::uint32_t before = 0);

// The same without the processor's instruction for it.
[[nodiscard]] std::uint32_t crc32c_portable(ByteSpan data, std::uint32_t before = 0);

// Whether crc32c() uses that instruction here.
[[nodiscard]] bool crc32c_is_accelerated();

}  // namespace optiks::base
