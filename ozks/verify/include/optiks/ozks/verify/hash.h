// The hashes of docs/spec/encoding.md section 1 and docs/spec/tree.md section 2, and arithmetic on 256-bit positions.
// All inputs are public, and the functions run in variable time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "optiks/base/bytes.h"
#include "optiks/ozks/verify/facts.h"

namespace optiks::ozks::verify {

using base::ByteSpan;

inline constexpr std::size_t kLabelBits = 8 * kHashLen;

using Hash = std::array<std::uint8_t, kHashLen>;

// H(tag, a, b).
[[nodiscard]] Hash tagged_hash(std::uint8_t tag, ByteSpan a, ByteSpan b = {});

// commitment = H(0x04, opening (16), value).
[[nodiscard]] Hash commitment_hash(ByteSpan opening, ByteSpan value);

// leaf = H(0x01, label (32), commitment (32), epoch).
[[nodiscard]] Hash leaf_hash(ByteSpan label, ByteSpan commitment, std::uint64_t epoch);

// interior = H(0x02, length, prefix (32), left (32), right (32)); length < 256. The prefix is the first `length` bits
// of `position` (32), zero-padded here.
[[nodiscard]] Hash interior_hash(std::size_t length, ByteSpan position, ByteSpan left, ByteSpan right);

// Write the inputs of leaf_hash and interior_hash, for a caller that hashes many at once: the first kLeafInputLen or
// kInteriorInputLen octets of `out`, followed by zeros.
inline constexpr std::size_t kNodeBlockLen = 128;
inline constexpr std::size_t kLeafInputLen = 1 + 2 * kHashLen + 8;
inline constexpr std::size_t kInteriorInputLen = 2 + 3 * kHashLen;
void write_leaf_input(std::span<std::uint8_t, kNodeBlockLen> out, ByteSpan label, ByteSpan commitment,
                      std::uint64_t epoch);
void write_interior_input(std::span<std::uint8_t, kNodeBlockLen> out, std::size_t length, ByteSpan position,
                          ByteSpan left, ByteSpan right);
// Writes the input of commitment_hash: 1 + opening + value octets, which must fit into a block, followed by zeros.
void write_commitment_input(std::span<std::uint8_t, kNodeBlockLen> out, ByteSpan opening, ByteSpan value);
// Computes the hashes of inputs in blocks of kNodeBlockLen octets, several at a time. Input i is the first lens[i]
// octets of the i-th block.
void hash_many(std::span<Hash> out, ByteSpan blocks, std::span<const std::size_t> lens);

// H(0x03), the root of a tree without leaves.
[[nodiscard]] Hash empty_root();

// H(0x06, record).
[[nodiscard]] Hash record_hash(ByteSpan record);

// H(0x07, configuration, log public key).
[[nodiscard]] Hash log_id_hash(ByteSpan configuration, ByteSpan log_public_key);

[[nodiscard]] bool equal(ByteSpan a, ByteSpan b);

// Returns bit i < 256 of a 32-octet string, whose bits are numbered from the most significant bit.
[[nodiscard]] inline bool bit_at(ByteSpan position, std::size_t i) {
  return ((position[i / 8] >> (7 - i % 8)) & 1) != 0;
}

// Returns the first `length` <= 256 bits of a 32-octet string, followed by zero bits.
[[nodiscard]] Hash prefix_of(ByteSpan position, std::size_t length);

// Returns the length of the common prefix of two 32-octet strings, in bits, 0..256.
[[nodiscard]] std::size_t common_prefix_length(ByteSpan a, ByteSpan b);

}  // namespace optiks::ozks::verify
