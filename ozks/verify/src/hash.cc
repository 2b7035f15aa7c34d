#include "optiks/ozks/verify/hash.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "optiks/base/blake2b.h"
#include "optiks/base/check.h"

namespace optiks::ozks::verify {
namespace {

constexpr std::uint8_t kTagLeaf = 0x01;
constexpr std::uint8_t kTagInterior = 0x02;
constexpr std::uint8_t kTagEmpty = 0x03;
constexpr std::uint8_t kTagCommitment = 0x04;
constexpr std::uint8_t kTagRecord = 0x06;
constexpr std::uint8_t kTagLogId = 0x07;

// Block: one BLAKE2b block's input, put together field by field.
class Block {
 public:
  explicit Block(std::uint8_t tag) { octets_[size_++] = tag; }

  Block& add(ByteSpan field) {
    OPTIKS_DCHECK(field.size() <= octets_.size() - size_);
    std::memcpy(octets_.data() + size_, field.data(), field.size());
    size_ += field.size();
    return *this;
  }

  [[nodiscard]] Hash hash() const {
    Hash out;
    base::blake2b_256_block(out, std::span(octets_).first(size_));
    return out;
  }

 private:
  std::array<std::uint8_t, base::kBlake2bBlockLen> octets_{};
  std::size_t size_ = 0;
};

}  // namespace

Hash tagged_hash(std::uint8_t tag, ByteSpan a, ByteSpan b) {
  Hash out;
  base::Blake2b hash(kHashLen);
  hash.update({&tag, 1}).update(a).update(b).finish(out);
  return out;
}

Hash commitment_hash(ByteSpan opening, ByteSpan value) { return tagged_hash(kTagCommitment, opening, value); }

Hash leaf_hash(ByteSpan label, ByteSpan commitment, std::uint64_t epoch) {
  std::array<std::uint8_t, 8> encoded;
  base::store_be64(encoded.data(), epoch);
  return Block(kTagLeaf).add(label).add(commitment).add(encoded).hash();
}

Hash interior_hash(std::size_t length, ByteSpan position, ByteSpan left, ByteSpan right) {
  const std::array<std::uint8_t, 1> encoded = {static_cast<std::uint8_t>(length)};
  return Block(kTagInterior).add(encoded).add(prefix_of(position, length)).add(left).add(right).hash();
}

Hash empty_root() { return Block(kTagEmpty).hash(); }

Hash record_hash(ByteSpan record) { return tagged_hash(kTagRecord, record); }

Hash log_id_hash(ByteSpan configuration, ByteSpan log_public_key) {
  return tagged_hash(kTagLogId, configuration, log_public_key);
}

bool equal(ByteSpan a, ByteSpan b) { return std::ranges::equal(a, b); }

Hash prefix_of(ByteSpan position, std::size_t length) {
  Hash out{};
  const std::size_t whole = length / 8;
  std::memcpy(out.data(), position.data(), whole);
  if (length % 8 != 0) {
    const unsigned mask = 0xFF00U >> (length % 8);
    out[whole] = static_cast<std::uint8_t>(position[whole] & mask);
  }
  return out;
}

std::size_t common_prefix_length(ByteSpan a, ByteSpan b) {
  for (std::size_t i = 0; i < kHashLen; ++i) {
    const std::uint8_t difference = a[i] ^ b[i];
    if (difference != 0) {
      return 8 * i + static_cast<std::size_t>(std::countl_zero(difference));
    }
  }
  return kLabelBits;
}

}  // namespace optiks::ozks::verify
