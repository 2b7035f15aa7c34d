// The types of elements of GF(p) in lanes; lane_fp43.h and lane_fp26.h define them for three limbs and for five.
//
// Bounds are types: LaneFp<L, B> has limbs up to B times those of a product. Products have B = 1, sums add their
// bounds, and a factor needs a bound that its limbs allow. A formula whose sums grow too large does not compile. Debug
// builds check every limb and every column.
#pragma once

#include "word.h"

namespace optiks::vrf::lanes {

template <typename L>
concept ThreeLimbs = L::Limbs::kNum == 3;
template <typename L>
concept FiveLimbs = L::Limbs::kNum == 5;

template <typename L, unsigned B>
struct LaneFp;

// Sums of products of limbs before they are carried.
template <typename L>
struct Columns;

// An element as columns. Each column is between the columns of Room and of N multiples of p, so a product up to Room
// may be subtracted without further additions. Intermediate sums may wrap at 2^64; the final ones do not.
template <typename L, unsigned N, unsigned Room = 0>
struct LaneWide;

// The canonical form of an element: 127 bits, below p, in two words for each lane.
template <typename L>
struct Canonical {
  Words<L> low, high;
};

// An element below 2^128 in two words for each lane, not in its canonical form.
template <typename L>
struct TwoWords {
  Words<L> low, high;
};

}  // namespace optiks::vrf::lanes
