// Verifies statements about one leaf, and judges whether two statements prove that a tree changed in another way than
// by adding leaves (docs/spec/broken-append.md). Any thread may call these functions, which keep no state.
//
// Lifetime: as in codec.h, every result is a view into the octets that were decoded.
#pragma once

#include <cstdint>

#include "optiks/ozks/verify/answers.h"

namespace optiks::ozks::verify {

// A proof that a leaf is present or absent in the tree of one signed record.
struct LeafStatement {
  Head head;
  std::uint8_t structure = 0;  // 1..kNumStructures
  ByteSpan key;                // 1..255 octets
  std::uint64_t version = 0;
  bool present = false;
  Member member;     // set if the leaf is present
  NonMember absent;  // set if the leaf is absent

  static LeafStatement decode(Reader& reader);
};

// The facts that a verified statement shows.
struct ShownLeaf {
  std::uint8_t structure = 0;
  ByteSpan key;
  std::uint64_t version = 0;
  std::uint64_t epoch = 0;  // epoch of the statement's record
  std::uint64_t period = 0;
  ByteSpan vrf_public_key;
  bool present = false;
  // The three members below are set only if the leaf is present.
  Hash commitment{};
  std::uint64_t leaf_epoch = 0;
  std::uint64_t time = 0;  // T
};

// Verifies a statement by docs/spec/broken-append.md section 1. Uses only `anchor` and `ed25519` of the context. Writes
// `out` only if it returns kValid.
Reason verify_statement(const Context& context, ByteSpan octets, ShownLeaf& out);

// Judges two statements by docs/spec/broken-append.md section 2. Returns kLeafContradicts if the two statements
// together are evidence, otherwise another reason. Never returns kValid.
Reason judge_leaves(const Context& context, ByteSpan first, ByteSpan second);

}  // namespace optiks::ozks::verify
