// The types of elements of GF(p) side by side; lane_fp43.h and lane_fp26.h define them for three limbs and for five.
//
// Bounds are types: LaneFp<L, B> has limbs up to B times those that a product has. Products have B = 1, sums add their
// bounds, and a factor needs a bound that its limbs allow: a formula whose sums grow too far does not compile. Debug
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

// Columns: sums of products of limbs before they are carried.
template <typename L>
struct Columns;

// LaneWide: an element as columns, between those of Room and of N multiples of p: up to Room may be taken off for
// nothing. What passes 2^64 on the way comes back.
template <typename L, unsigned N, unsigned Room = 0>
struct LaneWide;

// Canonical: the one form of an element, 127 bits below p in two words a lane.
template <typename L>
struct Canonical {
  Words<L> low, high;
};

// TwoWords: an element below 2^128 in two words a lane, not in its one form.
template <typename L>
struct TwoWords {
  Words<L> low, high;
};

}  // namespace optiks::vrf::lanes
