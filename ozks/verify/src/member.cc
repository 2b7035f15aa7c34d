#include "optiks/ozks/verify/member.h"

#include <algorithm>
#include <bit>

namespace optiks::ozks::verify {
namespace {

std::size_t num_ancestors(const Path& path) {
  std::size_t count = 0;
  for (const std::uint8_t octet : path.mask) {
    count += static_cast<std::size_t>(std::popcount(octet));
  }
  return count;
}

bool path_length_agrees(const Path& path) { return path.siblings.size() == kHashLen * num_ancestors(path); }

// Returns one more than the prefix length of the deepest ancestor, or 0 if the path has no ancestors.
std::size_t depth_end(const Path& path) {
  for (std::size_t i = kLabelBits; i > 0; --i) {
    if (bit_at(path.mask, i - 1)) {
      return i;
    }
  }
  return 0;
}

// Computes the root by docs/spec/proofs.md section 2. path_length_agrees() must have accepted the path.
Hash fold(Hash hash, ByteSpan position, const Path& path) {
  ByteSpan siblings = path.siblings;
  for (std::size_t i = depth_end(path); i-- > 0;) {
    if (!bit_at(path.mask, i)) {
      continue;
    }
    const ByteSpan sibling = siblings.first(kHashLen);
    siblings = siblings.subspan(kHashLen);
    hash = bit_at(position, i) ? interior_hash(i, position, sibling, hash) : interior_hash(i, position, hash, sibling);
  }
  return hash;
}

}  // namespace

Reason verify_member(ByteSpan label, ByteSpan root, const Member& member) {
  Hash opened;
  ByteSpan commitment = member.commitment;
  if (member.opened) {
    opened = commitment_hash(member.opening, member.value);
    commitment = opened;
  }
  if (!path_length_agrees(member.path)) {
    return Reason::kPathLength;
  }
  const Hash leaf = leaf_hash(label, commitment, member.epoch);
  return equal(fold(leaf, label, member.path), root) ? Reason::kValid : Reason::kMemberRoot;
}

Reason verify_non_member(ByteSpan label, ByteSpan root, std::uint64_t count, const NonMember& proof) {
  if (proof.node == NodeKind::kEmpty) {
    return count == 0 && equal(root, empty_root()) ? Reason::kValid : Reason::kAbsentEmpty;
  }
  const bool interior = proof.node == NodeKind::kInterior;
  if (interior && !equal(prefix_of(proof.position, proof.length), proof.position)) {
    return Reason::kAbsentPadding;
  }
  const std::size_t common = std::min(proof.length, common_prefix_length(label, proof.position));
  if (common >= proof.length) {
    return Reason::kAbsentCovers;
  }
  if (depth_end(proof.path) > common) {
    return Reason::kAbsentDepth;
  }
  if (!path_length_agrees(proof.path)) {
    return Reason::kPathLength;
  }
  const Hash node = interior ? interior_hash(proof.length, proof.position, proof.left, proof.right)
                             : leaf_hash(proof.position, proof.commitment, proof.epoch);
  return equal(fold(node, proof.position, proof.path), root) ? Reason::kValid : Reason::kAbsentRoot;
}

}  // namespace optiks::ozks::verify
