// The types of elements of GF(p) in lanes. lane_fp43.h defines them for three limbs, and lane_fp26.h for five.
//
// Bounds are part of the types: the limbs of LaneFp<L, B> are up to B times as large as the limbs of a product.
// Products have B = 1, the bound of a sum is the sum of the bounds, and the bound of a factor has a maximum that
// depends on the limbs. A formula whose sums grow too large does not compile. Debug builds check every limb and every
// column.
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

// An element as columns. Each column is between the columns of multiple_of_p for Room and for N, so products whose
// bounds sum to at most Room can be subtracted without adding a multiple of p. Intermediate sums may wrap at 2^64, but
// final sums do not.
template <typename L, unsigned N, unsigned Room = 0>
struct LaneWide;

// The canonical form of an element: below p, in 127 bits, as two words for each lane.
template <typename L>
struct Canonical {
  Words<L> low, high;
};

// An element as two words for each lane. Its value is below 2^128, but not always in the canonical form.
template <typename L>
struct TwoWords {
  Words<L> low, high;
};

}  // namespace optiks::vrf::lanes
