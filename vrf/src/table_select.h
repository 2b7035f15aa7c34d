// Reading an entry of a table at a secret index: every entry is read, under a mask.
#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>

#include "fp.h"

namespace optiks::vrf {

// table_select returns table[index], index < Size. Two words at a time: a 128-bit vector is baseline on every
// 64-bit target.
template <typename Entry, std::size_t Size>
OPTIKS_INLINE Entry table_select(const Entry (&table)[Size], u64 index) {
  static_assert(std::is_trivially_copyable_v<Entry> && sizeof(Entry) % 16 == 0);
  using Vector [[gnu::vector_size(16)]] = u64;
  constexpr std::size_t kNumVectors = sizeof(Entry) / sizeof(Vector);
  Vector sum[kNumVectors] = {};
  for (std::size_t i = 0; i < Size; ++i) {
    const u64 word = base::ct_mask(((i ^ index) - 1) >> 63);  // borrows only when equal
    const Vector mask = {word, word};
    Vector entry[kNumVectors];
    std::memcpy(entry, &table[i], sizeof(entry));
    for (std::size_t j = 0; j < kNumVectors; ++j) {
      sum[j] |= entry[j] & mask;
    }
  }
  Entry out;
  std::memcpy(&out, sum, sizeof(out));
  return out;
}

}  // namespace optiks::vrf
