// Reads an entry of a table at a secret index. The code reads every entry, and selects one with a mask.
#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>

#include "point.h"

namespace optiks::vrf {

// Returns table[index] if `negative` is 0, and the negative of table[index] if `negative` is all ones. Entry is
// CachedPoint or AffinePoint, and index is below Size. The code uses 128-bit vectors, because every 64-bit target has
// them, and because the multiplications before and after need the general registers.
template <typename Entry, std::size_t Size>
OPTIKS_INLINE Entry table_select(const Entry (&table)[Size], u64 index, u64 negative) {
  static_assert(std::is_same_v<Entry, CachedPoint> || std::is_same_v<Entry, AffinePoint>);
  using Vector [[gnu::vector_size(16)]] = u64;  // an element of GF(p)
  using Quarters [[gnu::vector_size(16)]] = std::uint32_t;
  static_assert(sizeof(Vector) == sizeof(Fp) && Size <= 16);
  constexpr std::size_t kNumVectors = sizeof(Entry) / sizeof(Vector);
  const Quarters wanted = Quarters{} + static_cast<std::uint32_t>(index);
  Vector sum[kNumVectors] = {};
  for (std::uint32_t i = 0; i < Size; ++i) {
    const auto mask = reinterpret_cast<Vector>(wanted == Quarters{} + i);
    for (std::size_t j = 0; j < kNumVectors; ++j) {
      Vector element;  // one element, because compilers would store a copy of a whole entry in memory
      std::memcpy(&element, reinterpret_cast<const std::uint8_t*>(&table[i]) + j * sizeof(Vector), sizeof(Vector));
      sum[j] |= element & mask;
    }
  }
  // To negate (y + x, y - x, ..., t), the code exchanges the first two coordinates, and replaces t by p - t.
  static_assert(offsetof(Entry, y_minus_x) == sizeof(Fp2) && offsetof(Entry, t2d) == sizeof(Entry) - sizeof(Fp2));
  const Vector mask = {negative, negative};
  for (std::size_t j = 0; j < 2; ++j) {
    const Vector change = (sum[j] ^ sum[j + 2]) & mask;
    sum[j] ^= change;
    sum[j + 2] ^= change;
    sum[kNumVectors - 2 + j] ^= mask & Vector{low64(kP), high64(kP)};
  }
  Entry out;
  std::memcpy(&out, sum, sizeof(out));
  return out;
}

}  // namespace optiks::vrf
