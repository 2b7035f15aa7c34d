// Points, eight side by side: the formulas of curve_formulas.h and mul_formulas.h over GF(p^2) in lanes.
//
// The functions that are too large to repeat are kept out of line: a doubling with an addition fills half of the
// first-level instruction cache.
#pragma once

#include "lane_fp2.h"
#include "mul_formulas.h"

namespace optiks::vrf::lanes {

template <typename L>
struct LaneField {
  template <unsigned Bound>
  using Bounded = LaneFp2<L, Bound>;
};

template <typename L>
using LanePoint = BasicPoint<LaneField<L>>;
template <typename L>
using LaneCachedPoint = BasicCachedPoint<LaneField<L>>;
template <typename L>
using LaneSignedPoint = BasicCachedPoint<LaneField<L>, LaneFp2<L, 2>>;
template <typename L>
using LaneAffinePoint = BasicAffinePoint<LaneField<L>>;
template <typename L>
using LaneSignedAffinePoint = BasicAffinePoint<LaneField<L>, LaneFp2<L, 2>>;
template <typename L>
using LaneMulTable = BasicMulTable<LaneField<L>>;

template <typename L>
OPTIKS_INLINE LanePoint<L> lane_identity() {
  const auto zero = fp2_broadcast<L>(kFp2Zero);
  const auto one = fp2_broadcast<L>(kFp2One);
  return {zero, one, one, zero, one};
}

template <typename L>
[[gnu::noinline]] void point_double(LanePoint<L>& point) {
  double_in_place(point);
}

template <typename L, typename T>
[[gnu::noinline]] void point_add(LanePoint<L>& point, const BasicCachedPoint<LaneField<L>, T>& other) {
  add_in_place(point, other);
}

// point = 2*point + other, faster than one after the other: the product T = ta*tb of the addition runs beside those of
// the doubling.
template <typename L, typename Other>
[[gnu::noinline]] void point_double_add(LanePoint<L>& point, const Other& other) {
  double_in_place(point);
  add_in_place(point, other);
}

template <typename L, typename T>
[[gnu::noinline]] void point_add(LanePoint<L>& point, const BasicAffinePoint<LaneField<L>, T>& other) {
  add_in_place(point, other);
}

template <typename L>
[[gnu::noinline]] LaneCachedPoint<L> point_to_cached(const LanePoint<L>& point) {
  return cached(point);
}

template <typename L>
[[gnu::noinline]] Isogenous<LaneField<L>> point_tau(const LanePoint<L>& point) {
  return tau(point);
}

template <typename L>
[[gnu::noinline]] LanePoint<L> phi_of_tau(const Isogenous<LaneField<L>>& point) {
  return tau_dual(upsilon(point));
}

template <typename L>
[[gnu::noinline]] LanePoint<L> psi_of_tau(const Isogenous<LaneField<L>>& point) {
  return tau_dual(chi(point));
}

// All ones in the lanes that hold the identity.
template <typename L>
OPTIKS_INLINE Words point_is_identity(const LanePoint<L>& point) {
  return fp2_is_zero(point.x) & fp2_equal(point.y, point.z);
}

// 392*point, right for every point of the curve.
template <typename L>
[[gnu::noinline]] LanePoint<L> point_clear_cofactor(const LanePoint<L>& point) {
  return cofactor_cleared(point);
}

// merge adds entry to sum where mask is all ones; the sum starts as zeros. Every entry of a table passes through it, so
// that no address depends on the index.
template <typename L, unsigned B>
OPTIKS_INLINE void merge(LaneFp2<L, B>& sum, Words mask, const LaneFp2<L, B>& entry) {
  for (std::size_t i = 0; i < 3; ++i) {
    sum.re.limb[i] = L::merge(sum.re.limb[i], mask, entry.re.limb[i]);
    sum.im.limb[i] = L::merge(sum.im.limb[i], mask, entry.im.limb[i]);
  }
}

// The entry of each lane's own table at each lane's own index, with each lane's own sign.
template <typename L, std::size_t Size>
[[gnu::noinline]] LaneSignedPoint<L> select_signed(const LaneCachedPoint<L> (&entries)[Size], Words index,
                                                   Words negative) {
  LaneCachedPoint<L> sum{};
  for (u64 i = 0; i < Size; ++i) {
    const Words mask = L::equal(index, broadcast(i));
    merge(sum.y_plus_x, mask, entries[i].y_plus_x);
    merge(sum.y_minus_x, mask, entries[i].y_minus_x);
    merge(sum.z2, mask, entries[i].z2);
    merge(sum.t2d, mask, entries[i].t2d);
  }
  return negated_if(negative, sum);
}
template <typename L, std::size_t Size>
[[gnu::noinline]] LaneSignedAffinePoint<L> select_signed(const LaneAffinePoint<L> (&entries)[Size], Words index,
                                                         Words negative) {
  LaneAffinePoint<L> sum{};
  for (u64 i = 0; i < Size; ++i) {
    const Words mask = L::equal(index, broadcast(i));
    merge(sum.y_plus_x, mask, entries[i].y_plus_x);
    merge(sum.y_minus_x, mask, entries[i].y_minus_x);
    merge(sum.t2d, mask, entries[i].t2d);
  }
  return negated_if(negative, sum);
}

}  // namespace optiks::vrf::lanes
