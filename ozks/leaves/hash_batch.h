// HashBatch: hashes of nodes and commitments (docs/spec/tree.md section 2) that do not depend on each other, many at a
// time.
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
  // Adds a node, whose hash is written to `out` at the latest when run() returns. Until then `out` must stay in place,
  // and must not be the input of another node.
  void add_leaf(base::ByteSpan label, base::ByteSpan commitment, std::uint64_t epoch, verify::Hash& out);
  void add_interior(std::size_t length, base::ByteSpan position, base::ByteSpan left, base::ByteSpan right,
                    verify::Hash& out);
  void add_commitment(base::ByteSpan opening, base::ByteSpan value, verify::Hash& out);
  void run();

 private:
  // The batch is small enough to stay in the first-level cache, and a multiple of every kernel's lanes.
  static constexpr std::size_t kCapacity = 64;

  std::span<std::uint8_t, verify::kNodeBlockLen> next(std::size_t len, verify::Hash& out);

  std::size_t size_ = 0;
  std::array<std::size_t, kCapacity> lens_;
  std::array<verify::Hash*, kCapacity> outs_;
  alignas(64) std::array<std::uint8_t, kCapacity * verify::kNodeBlockLen> blocks_;
};

}  // namespace optiks::ozks
