// How the batch kernels cut an element of GF(p), p = 2^127 - 1, into limbs, and how large a limb may become.
//
// Bounds are types (lane_types.h): limb i of an element of bound B is at most B*kBound[i]. docs/vrf-kernels.md has the
// sums behind the numbers.
#pragma once

#include <array>

#include "fp.h"

namespace optiks::vrf::lanes {

// Limbs44: x = (X0 + X1 2^44 + X2 2^88)/2^4 with limbs that are multiples of 2^4: 44, 44 and 39 bits of x, each moved
// up by 4. A product of two limbs is then 2^8 times what it stands for, so that the 52 bits where the multiplier of
// AVX-512 IFMA cuts it are the 44 bits of a limb: the upper part belongs to the next limb, and the lower part is a
// multiple of 2^8.
struct Limbs44 {
  static constexpr std::size_t kNum = 3;
  using TableWord = u64;  // of a limb in a table that the lanes share

  static constexpr unsigned kLimbBits = 44;
  static constexpr unsigned kTopBits = 39;
  static constexpr unsigned kScale = 4;
  static constexpr u64 kLimbMask = (u64{1} << kLimbBits) - 1;
  static constexpr u64 kTopMask = (u64{1} << kTopBits) - 1;
  // 2^132 = 2^5: what leaves the top limb comes back times 32.
  static constexpr unsigned kWrapShift = 3 * kLimbBits - 127;

  static constexpr u64 kSlack = u64{1} << 20;
  static constexpr u64 kLimbBound = (u64{1} << (kLimbBits + kScale)) + kSlack;
  static constexpr u64 kTopBound = (u64{1} << (kTopBits + kScale)) + kSlack;
  // A factor's bound: limbs, and 2^5 X2, stay below 2^52.
  static constexpr unsigned kMaxFactor = 15;
  static constexpr unsigned kMaxWide = 102;  // 40 * 102 * 2^52 < 2^64

  static constexpr std::array<u64, kNum> cut(Fp a) {
    return {(low64(a.v) & kLimbMask) << kScale, (low64(a.v >> kLimbBits) & kLimbMask) << kScale,
            low64(a.v >> (2 * kLimbBits)) << kScale};
  }
};

// Limbs26: x = X0 + X1 2^26 + X2 2^52 + X3 2^78 + X4 2^104, for a multiplier of 32-bit factors.
struct Limbs26 {
  static constexpr std::size_t kNum = 5;
  using TableWord = std::uint32_t;

  static constexpr unsigned kLimbBits = 26;
  static constexpr unsigned kTopBits = 23;
  static constexpr unsigned kScale = 0;
  static constexpr u64 kLimbMask = (u64{1} << kLimbBits) - 1;
  static constexpr u64 kTopMask = (u64{1} << kTopBits) - 1;
  // 2^130 = 2^3: products beyond the top column come back times 8.
  static constexpr unsigned kWrapShift = 5 * kLimbBits - 127;

  static constexpr u64 kSlack = u64{1} << 16;
  static constexpr u64 kLimbBound = (u64{1} << kLimbBits) + kSlack;
  static constexpr u64 kTopBound = (u64{1} << kTopBits) + kSlack;
  // The bounds of two factors, one of which is multiplied by 8: limbs stay below 2^32.
  static constexpr unsigned kMaxFactor = 63;
  static constexpr unsigned kMaxWrapped = 7;

  static constexpr unsigned kMaxWide = 120;  // 32 * 120 * 2^52 + 2^38 < 2^64

  static constexpr std::array<u64, kNum> cut(Fp a) {
    return {low64(a.v) & kLimbMask, low64(a.v >> kLimbBits) & kLimbMask, low64(a.v >> (2 * kLimbBits)) & kLimbMask,
            low64(a.v >> (3 * kLimbBits)) & kLimbMask, low64(a.v >> (4 * kLimbBits))};
  }
};

}  // namespace optiks::vrf::lanes
