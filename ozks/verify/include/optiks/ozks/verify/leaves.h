// Statements about one leaf, and whether two of them show that a tree did not only grow: docs/spec/broken-append.md.
// Any thread, no state.
//
// Lifetime: as in codec.h, everything is a view into the octets that were decoded.
#pragma once

#include <cstdint>

#include "optiks/ozks/verify/answers.h"

namespace optiks::ozks::verify {

// LeafStatement: one leaf, shown present or absent in the tree of one signed record.
struct LeafStatement {
  Head head;
  std::uint8_t structure = 0;  // 1..kNumStructures
  ByteSpan key;                // 1..255 octets
  std::uint64_t version = 0;
  bool present = false;
  Member member;     // when present
  NonMember absent;  // when not

  static LeafStatement decode(Reader& reader);
};

// ShownLeaf: what a statement that verifies says.
struct ShownLeaf {
  std::uint8_t structure = 0;
  ByteSpan key;
  std::uint64_t version = 0;
  std::uint64_t epoch = 0;  // of the record
  std::uint64_t period = 0;
  ByteSpan vrf_public_key;
  bool present = false;
  // When present:
  Hash commitment{};
  std::uint64_t leaf_epoch = 0;
  std::uint64_t time = 0;  // T
};

// verify_statement: section 1. Of the context only the anchor and Ed25519 count. `out` is written on kValid only.
Reason verify_statement(const Context& context, ByteSpan octets, ShownLeaf& out);

// judge_leaves: section 2, kLeafContradicts where the two are evidence; never kValid.
Reason judge_leaves(const Context& context, ByteSpan first, ByteSpan second);

}  // namespace optiks::ozks::verify
