// HashBatch: computes hashes of nodes and commitments (docs/spec/tree.md section 2), many at a time. No hash of a batch
// may depend on another hash of the batch.
//
// Thread safety: one thread at a time; each thread uses its own object.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "optiks/ozks/verify/hash.h"

namespace optiks::ozks {

class HashBatch {
 public:
  // The add functions add a leaf, an interior node or a commitment to the batch. Its hash is written to `out` when the
  // batch is full or run() returns. Until then `out` must stay in place, and no later node may use it as input.
  void add_leaf(base::ByteSpan label, base::ByteSpan commitment, std::uint64_t epoch, verify::Hash& out);
  void add_interior(std::size_t length, base::ByteSpan position, base::ByteSpan left, base::ByteSpan right,
                    verify::Hash& out);
  void add_commitment(base::ByteSpan opening, base::ByteSpan value, verify::Hash& out);
  void run();

 private:
  // The number of hashes in a batch. The batch fits in the processor's first-level cache, and its size is a multiple of
  // each kernel's number of lanes.
  static constexpr std::size_t kCapacity = 64;

  std::span<std::uint8_t, verify::kNodeBlockLen> next(std::size_t len, verify::Hash& out);

  std::size_t size_ = 0;
  std::array<std::size_t, kCapacity> lens_;
  std::array<verify::Hash*, kCapacity> outs_;
  alignas(64) std::array<std::uint8_t, kCapacity * verify::kNodeBlockLen> blocks_;
};

}  // namespace optiks::ozks
