// Proofs of the log of epoch records: docs/spec/board.md section 1 (RFC 6962 section 2.1; verification as RFC 9162
// sections 2.1.3.2 and 2.1.4.2).
#pragma once

#include <cstdint>

#include "optiks/ozks/verify/hash.h"

namespace optiks::ozks::verify {

// SHA-256(0x00 || entry).
[[nodiscard]] Hash log_leaf_hash(ByteSpan entry);
// SHA-256(0x01 || left || right).
[[nodiscard]] Hash log_node_hash(ByteSpan left, ByteSpan right);

// Verifies an inclusion proof. `proof` consists of 32-octet hashes, one after another, with the sibling of the leaf
// first.
[[nodiscard]] bool verify_inclusion(std::uint64_t index, std::uint64_t size, ByteSpan leaf_hash, ByteSpan root,
                                    ByteSpan proof);

// Verifies that the tree of old_size is a prefix of the tree of new_size >= old_size. Equal sizes need equal roots and
// an empty proof; old_size 0 needs the root of the empty tree and an empty proof.
[[nodiscard]] bool verify_consistency(std::uint64_t old_size, std::uint64_t new_size, ByteSpan old_root,
                                      ByteSpan new_root, ByteSpan proof);

}  // namespace optiks::ozks::verify
