// SHA-256 (FIPS 180-4), portable: the hash of the RFC 6962 log.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "optiks/base/bytes.h"

namespace optiks::base {

inline constexpr std::size_t kSha256DigestLen = 32;

// A streaming hash. A copy is an independent hash of the same prefix. One thread at a time.
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

// Hashes data at once.
void sha256(std::span<std::uint8_t, kSha256DigestLen> out, ByteSpan data);

}  // namespace optiks::base
