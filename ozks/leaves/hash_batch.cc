#include "leaves/hash_batch.h"

namespace optiks::ozks {

void HashBatch::add_leaf(base::ByteSpan label, base::ByteSpan commitment, std::uint64_t epoch, verify::Hash& out) {
  verify::write_leaf_input(next(verify::kLeafInputLen, out), label, commitment, epoch);
}

void HashBatch::add_interior(std::size_t length, base::ByteSpan position, base::ByteSpan left, base::ByteSpan right,
                             verify::Hash& out) {
  verify::write_interior_input(next(verify::kInteriorInputLen, out), length, position, left, right);
}

void HashBatch::add_commitment(base::ByteSpan opening, base::ByteSpan value, verify::Hash& out) {
  const std::size_t len = 1 + opening.size() + value.size();
  if (len <= verify::kNodeBlockLen) {
    verify::write_commitment_input(next(len, out), opening, value);
  } else {
    out = verify::commitment_hash(opening, value);
  }
}

// Returns the buffer for the input of the next hash. The caller writes `len` octets into it; run() writes the hash to
// `out`.
std::span<std::uint8_t, verify::kNodeBlockLen> HashBatch::next(std::size_t len, verify::Hash& out) {
  if (size_ == kCapacity) {
    run();
  }
  lens_[size_] = len;
  outs_[size_] = &out;
  return std::span(blocks_).subspan(verify::kNodeBlockLen * size_++).first<verify::kNodeBlockLen>();
}

void HashBatch::run() {
  std::array<verify::Hash, kCapacity> hashes;
  verify::hash_many(std::span(hashes).first(size_), std::span(blocks_).first(size_ * verify::kNodeBlockLen),
                    std::span(lens_).first(size_));
  for (std::size_t i = 0; i < size_; ++i) {
    *outs_[i] = hashes[i];
  }
  size_ = 0;
}

}  // namespace optiks::ozks
