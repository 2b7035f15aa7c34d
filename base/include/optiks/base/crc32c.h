// CRC-32C (Castagnoli, reflected polynomial 0x82f63b78; RFC 3720 section 12.1). The checksum detects damage by a disk
// or a bus, and takes a tenth of the time of a hash. An adversary can forge it.
#pragma once

#include <cstdint>

#include "optiks/base/bytes.h"

namespace optiks::base {

// Returns the checksum of earlier data followed by `data`, where `before` is the checksum of the earlier data. For
// example, `crc32c(b, crc32c(a))` is the checksum of `a` followed by `b`.
[[nodiscard]] std::uint32_t crc32c(ByteSpan data, std::uint32_t before = 0);

// Returns the same checksum as crc32c(), without the processor's CRC instruction.
[[nodiscard]] std::uint32_t crc32c_portable(ByteSpan data, std::uint32_t before = 0);

// Returns true if crc32c() uses the processor's CRC instruction on this machine.
[[nodiscard]] bool crc32c_is_accelerated();

}  // namespace optiks::base
