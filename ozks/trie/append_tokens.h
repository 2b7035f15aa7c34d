// Encodes the tokens of an append-only proof (docs/spec/proofs.md section 5), for the two functions that write such
// proofs: make_append_proof() and merge_append_proofs().
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "optiks/base/bytes.h"
#include "optiks/ozks/verify/codec.h"
#include "optiks/ozks/verify/hash.h"

namespace optiks::ozks {

using verify::AppendProof;
using verify::kAddedLeafLen;

inline constexpr std::uint8_t kInteriorToken = 1;
inline constexpr std::uint8_t kLeafToken = 2;
inline constexpr std::size_t kLeafFactsLen = verify::kHashLen + 8;
inline constexpr std::size_t kLeafTokenLen = 1 + verify::kHashLen + kLeafFactsLen;

inline void put(std::vector<std::uint8_t>& out, base::ByteSpan octets) {
  out.insert(out.end(), octets.begin(), octets.end());
}

// Appends the octets for the length of a vector, and returns the position where the vector's contents begin. When the
// contents are written, finish_vector() takes this position and writes the length.
[[nodiscard]] inline std::size_t begin_vector(std::vector<std::uint8_t>& out, const verify::VectorBounds& bounds) {
  out.insert(out.end(), bounds.length_octets(), 0);
  return out.size();
}
inline void finish_vector(std::vector<std::uint8_t>& out, std::size_t begin, const verify::VectorBounds& bounds) {
  std::uint8_t* at = out.data() + begin;
  std::size_t length = out.size() - begin;
  for (std::size_t i = bounds.length_octets(); i > 0; --i) {
    *--at = static_cast<std::uint8_t>(length);
    length >>= 8;
  }
}

// Appends the token of an opened interior node, whose prefix is the first `length` bits of `position`. The token leaves
// out the first `known` bits, because the node's place in the tree implies them.
inline void put_interior_token(std::vector<std::uint8_t>& out, std::size_t length, base::ByteSpan position,
                               std::size_t known) {
  out.push_back(kInteriorToken);
  out.push_back(static_cast<std::uint8_t>(length));
  for (std::size_t bit = known; bit < length; bit += 8) {
    std::uint8_t octet = 0;
    for (std::size_t i = bit; i < length && i < bit + 8; ++i) {
      octet = static_cast<std::uint8_t>(octet | (verify::bit_at(position, i) ? 0x80U >> (i - bit) : 0U));
    }
    out.push_back(octet);
  }
}

// Appends the token of an opened leaf, but without commitment and epoch. Returns the index in `out` at which
// put_leaf_facts() must write these.
inline std::size_t put_leaf_token(std::vector<std::uint8_t>& out, base::ByteSpan label) {
  out.push_back(kLeafToken);
  put(out, label);
  out.insert(out.end(), kLeafFactsLen, 0);
  return out.size() - kLeafFactsLen;
}
inline void put_leaf_facts(std::uint8_t* out, base::ByteSpan commitment, std::uint64_t epoch) {
  base::store_be64(std::copy(commitment.begin(), commitment.end(), out), epoch);
}

}  // namespace optiks::ozks
