// Arithmetic in GF(p), p = 2^127 - 1, with one element in each lane, in three limbs or in five.
#pragma once

#include "lane_fp26.h"
#include "lane_fp43.h"

namespace optiks::vrf::lanes {

template <typename L, unsigned N1, unsigned Room1, unsigned N2, unsigned Room2>
OPTIKS_INLINE LaneWide<L, N1 + N2, Room1 + Room2> fp_add(const LaneWide<L, N1, Room1>& a,
                                                         const LaneWide<L, N2, Room2>& b) {
  return LaneWide<L, N1 + N2, Room1 + Room2>(a.t + b.t);
}
template <typename L, unsigned N1, unsigned Room1, unsigned N2, unsigned Room2>
requires(Room1 >= N2) OPTIKS_INLINE LaneWide<L, N1 - Room2, Room1 - N2> fp_sub(const LaneWide<L, N1, Room1>& a,
                                                                               const LaneWide<L, N2, Room2>& b) {
  return LaneWide<L, N1 - Room2, Room1 - N2>(a.t - b.t);
}

template <typename L, unsigned A, unsigned B>
OPTIKS_INLINE LaneFp<L, 1> fp_mul(const LaneFp<L, A>& a, const LaneFp<L, B>& b) {
  return fp_narrow(fp_mul_wide(a, b));
}
template <typename L, unsigned A>
OPTIKS_INLINE LaneFp<L, 1> fp_sqr(const LaneFp<L, A>& a) {
  return fp_narrow(fp_sqr_wide(a));
}

// Returns a mask that is all ones in the lanes where a = 0.
template <typename L, unsigned B>
OPTIKS_INLINE Words<L> fp_is_zero(const LaneFp<L, B>& a) {
  const Canonical<L> c = fp_canonical(a);
  return L::equal(c.low | c.high, Words<L>{});
}
template <typename L, unsigned A, unsigned B>
OPTIKS_INLINE Words<L> fp_equal(const LaneFp<L, A>& a, const LaneFp<L, B>& b) {
  return fp_is_zero(fp_sub(a, b));
}
}  // namespace optiks::vrf::lanes
