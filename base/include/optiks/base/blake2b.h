// BLAKE2b (RFC 7693) in portable C++. The memory access pattern and the time depend only on the lengths of the inputs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "optiks/base/bytes.h"

namespace optiks::base {

inline constexpr std::size_t kBlake2bBlockLen = 128;
inline constexpr std::size_t kBlake2bMaxDigestLen = 64;
inline constexpr std::size_t kBlake2bMaxKeyLen = 64;

// The state of the hash after a prefix that many messages share: whole blocks, or a key. The state may be public or
// secret, and includes the digest length. At least one octet of the message must follow the prefix.
struct Blake2bPrefix {
  std::array<std::uint64_t, 8> state;
  std::uint64_t num_absorbed;
};

// Returns the state after the octets of `whole_blocks`. The length of `whole_blocks` must be a multiple of 128 octets
// and may be 0. `digest_len` must be in [1, 64]. Other lengths abort.
[[nodiscard]] Blake2bPrefix blake2b_prefix(std::size_t digest_len, ByteSpan whole_blocks = {});

// Returns the state after `key`, which must have 1 to 64 octets. `digest_len` must be in [1, 64]. Other lengths abort.
[[nodiscard]] Blake2bPrefix blake2b_key_prefix(std::size_t digest_len, ByteSpan key);

// A streaming hash. A copy continues independently from the octets absorbed so far: the VRF keeps and copies a hash
// that has absorbed a constant prefix. The destructor erases state and buffer. Only one thread at a time may use an
// object.
class Blake2b {
 public:
  // `digest_len` must be in [1, 64], and `key` may have at most 64 octets. An empty key gives the unkeyed hash. Other
  // lengths abort.
  explicit Blake2b(std::size_t digest_len, ByteSpan key = {});
  // Starts from the state of `prefix`, which must have been made for the same digest length.
  Blake2b(std::size_t digest_len, const Blake2bPrefix& prefix);
  Blake2b(const Blake2b&) = default;
  Blake2b& operator=(const Blake2b&) = default;
  ~Blake2b();

  Blake2b& update(ByteSpan data);

  // Writes exactly digest_len octets; `out` must have that length. The object must not be used afterwards.
  void finish(MutableByteSpan out);

 private:
  std::array<std::uint64_t, 8> state_;
  std::uint64_t num_absorbed_ = 0;  // octets compressed so far; no input reaches 2^64 - 1
  std::array<std::uint8_t, kBlake2bBlockLen> buffer_{};
  std::size_t buffer_len_ = 0;  // a full buffer is compressed only when more data arrives
  std::size_t digest_len_;
};

// Hashes `data` in one call; the digest length is `out.size()`.
void blake2b(MutableByteSpan out, ByteSpan data, ByteSpan key = {});

// Computes the unkeyed BLAKE2b-256 hash of at most one block, without streaming state. Data of more than 128 octets
// aborts. Each hash of a tree's node or leaf is one call of this function.
void blake2b_256_block(std::span<std::uint8_t, 32> out, ByteSpan data);

}  // namespace optiks::base
