// CRC-32C (Castagnoli, reflected polynomial 0x82f63b78; RFC 3720 section 12.1). It detects damage by a disk or a bus,
// in a tenth of the time of a hash. It does not stop an adversary.
#pragma once

#include <cstdint>

#include "optiks/base/bytes.h"

namespace optiks::base {

// Returns the checksum of earlier data, whose checksum is `before`, followed by `data`: crc32c(b, crc32c(a)) is that of
// a and b together.
[[nodiscard]] std::uint32_t crc32c(ByteSpan data, std::uint32_t before = 0);

// The same without the processor's CRC instruction.
[[nodiscard]] std::uint32_t crc32c_portable(ByteSpan data, std::uint32_t before = 0);

// True if crc32c() uses that instruction on this machine.
[[nodiscard]] bool crc32c_is_accelerated();

}  // namespace optiks::base
