// Defines how the batch kernels split an element of GF(p), p = 2^127 - 1, into limbs, and how large a limb may become.
//
// Bounds are types (lane_types.h): limb i of an element of bound B is at most B*kBound[i]. docs/vrf-kernels.md has the
// sums behind the numbers.
#pragma once

#include <array>

#include "fp.h"

namespace optiks::vrf::lanes {

// An element is x = X0 + X1 2^43 + X2 2^85, with limbs of 43, 42 and 42 bits, because a third of 127 bits is 42.3. A
// carry from the top limb is added to the lowest limb unchanged. Products of two upper limbs wrap with a factor of 2 or
// 1. AVX-512 IFMA splits a product at bit 52. A multiplication by 2^9 or 2^10 moves its upper part, 34 bits, to the
// next limb.
struct Limbs43 {
  static constexpr std::size_t kNum = 3;

  static constexpr std::array<unsigned, kNum> kPosition = {0, 43, 85};
  static constexpr std::array<unsigned, kNum> kBits = {43, 42, 42};
  static constexpr std::array<u64, kNum> kMask = {(u64{1} << 43) - 1, (u64{1} << 42) - 1, (u64{1} << 42) - 1};

  static constexpr u64 kSlack = u64{1} << 20;
  static constexpr std::array<u64, kNum> kBound = {kMask[0] + 1 + kSlack, kMask[1] + 1 + kSlack, kMask[2] + 1 + kSlack};
  // With this bound, limbs stay below 2^52, and so do the doubled limbs whose products wrap.
  static constexpr unsigned kMaxBound = 255;
  // The largest product of the bounds of two factors. With this maximum, the sum of the upper parts of column 2 is
  // below 2^42, so 2^10 times the sum is below 2^52.
  static constexpr unsigned kMaxProduct = 170;
  static constexpr unsigned kMaxWide = 255;  // 255 * 2^54 < 2^64, and the carry from a column is below the slack

  static constexpr std::array<u64, kNum> cut(Fp a) {
    return {low64(a.v) & kMask[0], low64(a.v >> kPosition[1]) & kMask[1], low64(a.v >> kPosition[2])};
  }

  // The words of an element in a table that the lanes share.
  using TableWord = u64;
  static constexpr std::size_t kNumTableWords = 2;
  static constexpr std::array<u64, kNumTableWords> table_words(Fp a) { return {low64(a.v), high64(a.v)}; }
};

// An element is x = X0 + X1 2^26 + X2 2^52 + X3 2^78 + X4 2^104, for a multiplier of 32-bit factors.
struct Limbs26 {
  static constexpr std::size_t kNum = 5;

  static constexpr std::array<unsigned, kNum> kPosition = {0, 26, 52, 78, 104};
  static constexpr unsigned kLimbBits = 26;
  static constexpr unsigned kTopBits = 23;
  static constexpr u64 kLimbMask = (u64{1} << kLimbBits) - 1;
  static constexpr u64 kTopMask = (u64{1} << kTopBits) - 1;
  // 2^130 = 2^3: products beyond the top column wrap with a factor of 8.
  static constexpr unsigned kWrapShift = 5 * kLimbBits - 127;

  static constexpr u64 kSlack = u64{1} << 16;
  static constexpr u64 kLimbBound = (u64{1} << kLimbBits) + kSlack;
  static constexpr u64 kTopBound = (u64{1} << kTopBits) + kSlack;
  static constexpr std::array<u64, kNum> kBound = {kLimbBound, kLimbBound, kLimbBound, kLimbBound, kTopBound};
  // The largest bounds of the two factors of a product. kMaxWrapped is the bound of the factor whose limbs are
  // multiplied by 8. With these bounds, limbs stay below 2^32.
  static constexpr unsigned kMaxFactor = 63;
  static constexpr unsigned kMaxWrapped = 7;

  static constexpr unsigned kMaxWide = 120;  // 32 * 120 * 2^52 + 2^38 < 2^64

  static constexpr std::array<u64, kNum> cut(Fp a) {
    return {low64(a.v) & kLimbMask, low64(a.v >> kLimbBits) & kLimbMask, low64(a.v >> (2 * kLimbBits)) & kLimbMask,
            low64(a.v >> (3 * kLimbBits)) & kLimbMask, low64(a.v >> (4 * kLimbBits))};
  }

  using TableWord = std::uint32_t;
  static constexpr std::size_t kNumTableWords = kNum;
  static constexpr std::array<u64, kNumTableWords> table_words(Fp a) { return cut(a); }
};

}  // namespace optiks::vrf::lanes
