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

// Blake2bPrefix: the state after what many messages begin with: whole blocks, or a key. Public or secret; the digest
// length is part of it. What follows is never empty.
struct Blake2bPrefix {
  std::array<std::uint64_t, 8> state;
  std::uint64_t num_absorbed;
};

// blake2b_prefix: digest_len in [1, 64], whole_blocks a multiple of 128 octets (none: the empty prefix); anything else
// aborts.
[[nodiscard]] Blake2bPrefix blake2b_prefix(std::size_t digest_len, ByteSpan whole_blocks = {});

// blake2b_key_prefix: digest_len in [1, 64], a key of [1, 64] octets; anything else aborts.
[[nodiscard]] Blake2bPrefix blake2b_key_prefix(std::size_t digest_len, ByteSpan key);

// Blake2b: streaming hash. A copy is an independent hash of the same prefix (the VRF keeps one that has
// absorbed a constant prefix). Erases its state and buffer on destruction. One thread at a time.
class Blake2b {
 public:
  // digest_len in [1, 64], key at most 64 octets (0: unkeyed); anything else aborts.
  explicit Blake2b(std::size_t digest_len, ByteSpan key = {});
  // Goes on after a prefix, of this digest length.
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

// blake2b: one-shot; the digest length is out.size().
void blake2b(MutableByteSpan out, ByteSpan data, ByteSpan key = {});

// blake2b_256_block: unkeyed BLAKE2b-256 of at most one block (128 octets; longer aborts), with no streaming state:
// every node and leaf hash of the tree is one of these.
void blake2b_256_block(std::span<std::uint8_t, 32> out, ByteSpan data);

}  // namespace optiks::base
