// Verifies proofs of the log of epoch records (docs/spec/board.md section 1). RFC 6962 section 2.1 defines the hashes,
// and RFC 9162 sections 2.1.3.2 and 2.1.4.2 define the verification.
#pragma once

#include <cstdint>

#include "optiks/ozks/verify/hash.h"

namespace optiks::ozks::verify {

// SHA-256(0x00 || entry).
[[nodiscard]] Hash log_leaf_hash(ByteSpan entry);
// Returns SHA-256(0x01 || left || right), the hash of an interior node of the log.
[[nodiscard]] Hash log_node_hash(ByteSpan left, ByteSpan right);

// Verifies an inclusion proof. `proof` consists of hashes of 32 octets, one after another; the first is the sibling of
// the leaf.
[[nodiscard]] bool verify_inclusion(std::uint64_t index, std::uint64_t size, ByteSpan leaf_hash, ByteSpan root,
                                    ByteSpan proof);

// Verifies a consistency proof: the log with `old_size` entries is a prefix of the log with `new_size` entries.
// `new_size` must be at least `old_size`. If the sizes are equal, the roots must be equal and the proof empty. If
// `old_size` is 0, the old root must be that of the empty tree and the proof empty.
[[nodiscard]] bool verify_consistency(std::uint64_t old_size, std::uint64_t new_size, ByteSpan old_root,
                                      ByteSpan new_root, ByteSpan proof);

}  // namespace optiks::ozks::verify
