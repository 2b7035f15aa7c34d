#include "optiks/ozks/verify/rfc6962.h"

#include <algorithm>
#include <bit>

#include "optiks/base/sha256.h"

namespace optiks::ozks::verify {
namespace {

Hash sha256_of(std::uint8_t tag, ByteSpan a, ByteSpan b) {
  Hash out;
  base::Sha256 hash;
  hash.update({&tag, 1}).update(a).update(b).finish(out);
  return out;
}

// A position in the tree during the verification of a proof by RFC 9162. `fn` is the index of a node, and `sn` is the
// index of the last node on the same level.
struct Climb {
  std::uint64_t fn, sn;

  // Moves up to the parent, and returns true if the next hash of the proof is the left sibling. Skips levels on which
  // the node has no sibling.
  bool next_is_left() {
    const bool left = (fn & 1) != 0 || fn == sn;
    if (left) {
      while ((fn & 1) == 0 && fn != 0) {
        up();
      }
    }
    up();
    return left;
  }

  void up() {
    fn >>= 1;
    sn >>= 1;
  }
};

}  // namespace

Hash log_leaf_hash(ByteSpan entry) { return sha256_of(0x00, entry, {}); }

Hash log_node_hash(ByteSpan left, ByteSpan right) { return sha256_of(0x01, left, right); }

bool verify_inclusion(std::uint64_t index, std::uint64_t size, ByteSpan leaf_hash, ByteSpan root, ByteSpan proof) {
  if (index >= size || leaf_hash.size() != kHashLen || proof.size() % kHashLen != 0) {
    return false;
  }
  Climb climb{index, size - 1};
  Hash hash{};
  std::copy(leaf_hash.begin(), leaf_hash.end(), hash.begin());
  for (; !proof.empty(); proof = proof.subspan(kHashLen)) {
    if (climb.sn == 0) {
      return false;
    }
    const ByteSpan sibling = proof.first(kHashLen);
    hash = climb.next_is_left() ? log_node_hash(sibling, hash) : log_node_hash(hash, sibling);
  }
  return climb.sn == 0 && equal(hash, root);
}

bool verify_consistency(std::uint64_t old_size, std::uint64_t new_size, ByteSpan old_root, ByteSpan new_root,
                        ByteSpan proof) {
  if (old_size > new_size || old_root.size() != kHashLen || proof.size() % kHashLen != 0) {
    return false;
  }
  if (old_size == 0) {
    Hash empty;
    base::sha256(empty, {});
    return proof.empty() && equal(old_root, empty);
  }
  if (old_size == new_size) {
    return proof.empty() && equal(old_root, new_root);
  }
  if (proof.empty()) {
    return false;
  }
  Climb climb{old_size - 1, new_size - 1};
  while ((climb.fn & 1) != 0) {
    climb.up();
  }
  // If the number of entries in the old tree is a power of two, the old tree is a node of the new tree. The proof then
  // leaves out the hash of this node, which is the old root.
  ByteSpan first = old_root;
  if (!std::has_single_bit(old_size)) {
    first = proof.first(kHashLen);
    proof = proof.subspan(kHashLen);
  }
  Hash in_old{};
  std::copy(first.begin(), first.end(), in_old.begin());
  Hash in_new = in_old;
  for (; !proof.empty(); proof = proof.subspan(kHashLen)) {
    if (climb.sn == 0) {
      return false;
    }
    const ByteSpan sibling = proof.first(kHashLen);
    if (climb.next_is_left()) {
      in_old = log_node_hash(sibling, in_old);
      in_new = log_node_hash(sibling, in_new);
    } else {
      in_new = log_node_hash(in_new, sibling);
    }
  }
  return climb.sn == 0 && equal(in_old, old_root) && equal(in_new, new_root);
}

}  // namespace optiks::ozks::verify
