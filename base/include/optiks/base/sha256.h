// SHA-256 (FIPS 180-4) in portable C++. The RFC 6962 log uses this hash.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "optiks/base/bytes.h"

namespace optiks::base {

inline constexpr std::size_t kSha256DigestLen = 32;

// A streaming hash. A copy continues independently from the octets absorbed so far. Only one thread at a time may use
// an object.
class Sha256 {
 public:
  Sha256();

  Sha256& update(ByteSpan data);

  // Writes the digest. The object must not be used afterwards.
  void finish(std::span<std::uint8_t, kSha256DigestLen> out);

 private:
  std::array<std::uint32_t, 8> state_;
  std::uint64_t num_octets_ = 0;
  std::array<std::uint8_t, 64> buffer_{};
};

// Hashes `data` in one call.
void sha256(std::span<std::uint8_t, kSha256DigestLen> out, ByteSpan data);

}  // namespace optiks::base
