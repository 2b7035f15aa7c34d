// Computes the hashes of docs/spec/encoding.md section 1 and docs/spec/tree.md section 2, and has functions on
// positions of 256 bits. All inputs are public, so the functions run in variable time.
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

// Returns H(0x04, opening (16), value), the commitment to a value.
[[nodiscard]] Hash commitment_hash(ByteSpan opening, ByteSpan value);

// Returns H(0x01, label (32), commitment (32), epoch), the hash of a leaf.
[[nodiscard]] Hash leaf_hash(ByteSpan label, ByteSpan commitment, std::uint64_t epoch);

// Returns H(0x02, length, prefix (32), left (32), right (32)), the hash of an interior node. `length` must be less than
// 256. The function makes the prefix from the first `length` bits of `position` (32) and zero bits.
[[nodiscard]] Hash interior_hash(std::size_t length, ByteSpan position, ByteSpan left, ByteSpan right);

// These functions write the inputs of leaf_hash() and interior_hash(), for callers that hash many nodes at once. An
// input is the first kLeafInputLen or kInteriorInputLen octets of `out`; zeros follow it.
inline constexpr std::size_t kNodeBlockLen = 128;
inline constexpr std::size_t kLeafInputLen = 1 + 2 * kHashLen + 8;
inline constexpr std::size_t kInteriorInputLen = 2 + 3 * kHashLen;
void write_leaf_input(std::span<std::uint8_t, kNodeBlockLen> out, ByteSpan label, ByteSpan commitment,
                      std::uint64_t epoch);
void write_interior_input(std::span<std::uint8_t, kNodeBlockLen> out, std::size_t length, ByteSpan position,
                          ByteSpan left, ByteSpan right);
// Writes the input of commitment_hash(), followed by zeros. The input has one octet more than `opening` and `value`
// together, and must fit into a block.
void write_commitment_input(std::span<std::uint8_t, kNodeBlockLen> out, ByteSpan opening, ByteSpan value);
// Computes the hashes of inputs in blocks of kNodeBlockLen octets, several at a time. Input `i` is the first `lens[i]`
// octets of block `i`.
void hash_many(std::span<Hash> out, ByteSpan blocks, std::span<const std::size_t> lens);

// Returns H(0x03), the root of a tree without leaves.
[[nodiscard]] Hash empty_root();

// H(0x06, record).
[[nodiscard]] Hash record_hash(ByteSpan record);

// Returns H(0x07, configuration, log public key), the log id.
[[nodiscard]] Hash log_id_hash(ByteSpan configuration, ByteSpan log_public_key);

[[nodiscard]] bool equal(ByteSpan a, ByteSpan b);

// Returns bit `i` of a string of 32 octets. `i` must be less than 256; bit 0 is the most significant bit of the first
// octet.
[[nodiscard]] inline bool bit_at(ByteSpan position, std::size_t i) {
  return ((position[i / 8] >> (7 - i % 8)) & 1) != 0;
}

// Returns the first `length` bits of a string of 32 octets, followed by zero bits. `length` must be at most 256.
[[nodiscard]] Hash prefix_of(ByteSpan position, std::size_t length);

// Returns the length of the common prefix of two strings of 32 octets, in bits: 0 to 256.
[[nodiscard]] std::size_t common_prefix_length(ByteSpan a, ByteSpan b);

}  // namespace optiks::ozks::verify
