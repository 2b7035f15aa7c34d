#include "optiks/ozks/verify/hash.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "optiks/base/blake2b_many.h"
#include "optiks/base/check.h"

namespace optiks::ozks::verify {
namespace {

Hash hash_of_block(std::span<const std::uint8_t, kNodeBlockLen> block, std::size_t len) {
  Hash out;
  base::blake2b_256_block(out, block.first(len));
  return out;
}

}  // namespace

Hash tagged_hash(std::uint8_t tag, ByteSpan a, ByteSpan b) {
  Hash out;
  base::Blake2b hash(kHashLen);
  hash.update({&tag, 1}).update(a).update(b).finish(out);
  return out;
}

Hash commitment_hash(ByteSpan opening, ByteSpan value) { return tagged_hash(kTagCommitment, opening, value); }

void write_leaf_input(std::span<std::uint8_t, kNodeBlockLen> out, ByteSpan label, ByteSpan commitment,
                      std::uint64_t epoch) {
  OPTIKS_DCHECK(label.size() == kHashLen && commitment.size() == kHashLen);
  std::uint8_t* at = out.data();
  *at++ = kTagLeaf;
  std::memcpy(at, label.data(), kHashLen);
  std::memcpy(at + kHashLen, commitment.data(), kHashLen);
  base::store_be64(at + 2 * kHashLen, epoch);
  std::memset(out.data() + kLeafInputLen, 0, kNodeBlockLen - kLeafInputLen);
}

void write_interior_input(std::span<std::uint8_t, kNodeBlockLen> out, std::size_t length, ByteSpan position,
                          ByteSpan left, ByteSpan right) {
  OPTIKS_DCHECK(length < kLabelBits && left.size() == kHashLen && right.size() == kHashLen);
  std::uint8_t* at = out.data();
  *at++ = kTagInterior;
  *at++ = static_cast<std::uint8_t>(length);
  const Hash prefix = prefix_of(position, length);
  std::memcpy(at, prefix.data(), kHashLen);
  std::memcpy(at + kHashLen, left.data(), kHashLen);
  std::memcpy(at + 2 * kHashLen, right.data(), kHashLen);
  std::memset(out.data() + kInteriorInputLen, 0, kNodeBlockLen - kInteriorInputLen);
}

void write_commitment_input(std::span<std::uint8_t, kNodeBlockLen> out, ByteSpan opening, ByteSpan value) {
  const std::size_t len = 1 + opening.size() + value.size();
  OPTIKS_DCHECK(len <= kNodeBlockLen);
  out[0] = kTagCommitment;
  std::ranges::copy(opening, out.begin() + 1);
  std::ranges::copy(value, out.begin() + 1 + static_cast<std::ptrdiff_t>(opening.size()));
  std::memset(out.data() + len, 0, kNodeBlockLen - len);
}

void hash_many(std::span<Hash> out, ByteSpan blocks, std::span<const std::size_t> lens) {
  static const base::Blake2bPrefix kPrefix = base::blake2b_prefix(kHashLen);
  base::blake2b_many({out.data()->data(), out.size() * kHashLen}, kHashLen, kPrefix, blocks, kNodeBlockLen, lens);
}

Hash leaf_hash(ByteSpan label, ByteSpan commitment, std::uint64_t epoch) {
  std::array<std::uint8_t, kNodeBlockLen> block;
  write_leaf_input(block, label, commitment, epoch);
  return hash_of_block(block, kLeafInputLen);
}

Hash interior_hash(std::size_t length, ByteSpan position, ByteSpan left, ByteSpan right) {
  std::array<std::uint8_t, kNodeBlockLen> block;
  write_interior_input(block, length, position, left, right);
  return hash_of_block(block, kInteriorInputLen);
}

Hash empty_root() {
  Hash out;
  base::blake2b_256_block(out, {&kTagEmpty, 1});
  return out;
}

Hash record_hash(ByteSpan record) { return tagged_hash(kTagRecord, record); }

Hash log_id_hash(ByteSpan configuration, ByteSpan log_public_key) {
  return tagged_hash(kTagLogId, configuration, log_public_key);
}

bool equal(ByteSpan a, ByteSpan b) { return std::ranges::equal(a, b); }

Hash prefix_of(ByteSpan position, std::size_t length) {
  Hash out;
  for (std::size_t begin = 0; begin < kLabelBits; begin += 64) {
    const std::size_t kept = length <= begin ? 0 : std::min<std::size_t>(length - begin, 64);
    const std::uint64_t mask = kept == 0 ? 0 : ~std::uint64_t{0} << (64 - kept);
    base::store_be64(out.data() + begin / 8, base::load_be64(position.data() + begin / 8) & mask);
  }
  return out;
}

std::size_t common_prefix_length(ByteSpan a, ByteSpan b) {
  for (std::size_t begin = 0; begin < kLabelBits; begin += 64) {
    const std::uint64_t difference = base::load_be64(a.data() + begin / 8) ^ base::load_be64(b.data() + begin / 8);
    if (difference != 0) {
      return begin + static_cast<std::size_t>(std::countl_zero(difference));
    }
  }
  return kLabelBits;
}

}  // namespace optiks::ozks::verify
