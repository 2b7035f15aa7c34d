// BLAKE2b (RFC 7693), portable. The memory access pattern and the time depend on lengths only.
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

// The state after a common beginning of many messages: whole blocks, or a key. The state may be public or secret, and
// includes the digest length. At least one octet must follow the prefix.
struct Blake2bPrefix {
  std::array<std::uint64_t, 8> state;
  std::uint64_t num_absorbed;
};

// Returns the prefix of whole_blocks. digest_len is in [1, 64], and whole_blocks is a multiple of 128 octets (empty:
// the empty prefix); anything else aborts.
[[nodiscard]] Blake2bPrefix blake2b_prefix(std::size_t digest_len, ByteSpan whole_blocks = {});

// Returns the prefix of a key. digest_len is in [1, 64], and the key has 1 to 64 octets; anything else aborts.
[[nodiscard]] Blake2bPrefix blake2b_key_prefix(std::size_t digest_len, ByteSpan key);

// A streaming hash. A copy is an independent hash of the same prefix (the VRF keeps a hash that has absorbed a constant
// prefix). The destructor erases state and buffer. One thread at a time.
class Blake2b {
 public:
  // digest_len is in [1, 64], and the key has at most 64 octets (empty: unkeyed); anything else aborts.
  explicit Blake2b(std::size_t digest_len, ByteSpan key = {});
  // Continues after a prefix, whose digest length is digest_len.
  Blake2b(std::size_t digest_len, const Blake2bPrefix& prefix);
  Blake2b(const Blake2b&) = default;
  Blake2b& operator=(const Blake2b&) = default;
  ~Blake2b();

  Blake2b& update(ByteSpan data);

  // Writes exactly digest_len octets; out must have that length. The object must not be used afterwards.
  void finish(MutableByteSpan out);

 private:
  std::array<std::uint64_t, 8> state_;
  std::uint64_t num_absorbed_ = 0;  // octets compressed so far; 2^64 - 1 is beyond any input here
  std::array<std::uint8_t, kBlake2bBlockLen> buffer_{};
  std::size_t buffer_len_ = 0;  // a full buffer is compressed only when more data arrives
  std::size_t digest_len_;
};

// Hashes data at once; the digest length is out.size().
void blake2b(MutableByteSpan out, ByteSpan data, ByteSpan key = {});

// Unkeyed BLAKE2b-256 of at most one block (128 octets; longer data aborts), without streaming state. Each node and
// leaf hash of a tree is one call of this function.
void blake2b_256_block(std::span<std::uint8_t, 32> out, ByteSpan data);

}  // namespace optiks::base
