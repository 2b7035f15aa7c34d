// Points side by side: the formulas of curve_formulas.h and mul_formulas.h over GF(p^2) in lanes.
//
// The functions that are too large to repeat are kept out of line: a doubling with an addition fills half of a
// first-level instruction cache of 32 KB.
#pragma once

#include "lane_table.h"
#include "mul_formulas.h"

namespace optiks::vrf::lanes {

template <typename L>
struct LaneField {
  template <unsigned Bound>
  using Bounded = LaneFp2<L, Bound>;
};

// What tables hold.
template <FiveLimbs L>
struct PackedField {
  template <unsigned Bound>
  using Bounded = PackedFp2<L, Bound>;
};
template <typename L>
struct TableFieldOf {
  using Type = LaneField<L>;
};
template <FiveLimbs L>
struct TableFieldOf<L> {
  using Type = PackedField<L>;
};
template <typename L>
using LaneTableField = typename TableFieldOf<L>::Type;

template <typename L>
using LanePoint = BasicPoint<LaneField<L>>;
template <typename L>
using LaneCachedPoint = BasicCachedPoint<LaneField<L>>;
template <typename L>
using LaneSignedPoint = BasicCachedPoint<LaneField<L>, LaneFp2<L, 2>>;
template <typename L>
using LaneAffinePoint = BasicAffinePoint<LaneTableField<L>>;
template <typename L>
using LaneSignedAffinePoint = BasicAffinePoint<LaneTableField<L>, typename LaneTableField<L>::template Bounded<2>>;
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
template <typename L, typename T>
[[gnu::noinline]] void point_double_add(LanePoint<L>& point, const BasicCachedPoint<LaneField<L>, T>& other) {
  double_in_place(point);
  add_in_place(point, other);
}

template <typename L, typename F, typename T>
[[gnu::noinline]] void point_add(BasicPoint<LaneField<L>>& point, const BasicAffinePoint<F, T>& other) {
  add_in_place(point, other);
}

// The affine point as (4x, 4y, 4) with T = 2x*2y.
template <typename L>
[[gnu::noinline]] LanePoint<L> point_of(const LaneSignedAffinePoint<L>& affine) {
  const auto y_plus_x = unpacked(affine.y_plus_x);
  const auto y_minus_x = unpacked(affine.y_minus_x);
  const auto twice_x = fp2_carry(fp2_sub(y_plus_x, y_minus_x));
  const auto twice_y = fp2_carry(fp2_add(y_plus_x, y_minus_x));
  constexpr Fp2 kFour = fp2(0, 4, 0, 0);
  return {fp2_carry(fp2_double(twice_x)), fp2_carry(fp2_double(twice_y)), fp2_broadcast<L>(kFour), twice_x, twice_y};
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
[[gnu::noinline]] Isogenous<LaneField<L>> point_upsilon(const Isogenous<LaneField<L>>& point) {
  return upsilon(point);
}

template <typename L>
[[gnu::noinline]] Isogenous<LaneField<L>> point_chi(const Isogenous<LaneField<L>>& point) {
  return chi(point);
}

template <typename L>
[[gnu::noinline]] LanePoint<L> point_tau_dual(const Isogenous<LaneField<L>>& point) {
  return tau_dual(point);
}

// All ones in the lanes that hold the identity.
template <typename L>
OPTIKS_INLINE Words<L> point_is_identity(const LanePoint<L>& point) {
  return fp2_is_zero(point.x) & fp2_equal(point.y, point.z);
}

// 392*point, right for every point of the curve.
template <typename L>
[[gnu::noinline]] LanePoint<L> point_clear_cofactor(const LanePoint<L>& point) {
  return cofactor_cleared(point);
}

// The entry of each lane's own table at each lane's own index, with each lane's own sign.
template <typename L>
[[gnu::noinline]] LaneSignedPoint<L> select_signed(const LaneCachedPoint<L> (&entries)[8], Words<L> index,
                                                   Words<L> negative) {
  const IndexMasks<L> masks = index_masks<L>(index);
  const auto element = [&](auto LaneCachedPoint<L>::*member) {
    return select_element<L>(
        masks, [&](std::size_t i) -> const auto& { return entries[i].*member; });
  };
  return negated_if(negative,
                    LaneCachedPoint<L>{element(&LaneCachedPoint<L>::y_plus_x), element(&LaneCachedPoint<L>::y_minus_x),
                                       element(&LaneCachedPoint<L>::z2), element(&LaneCachedPoint<L>::t2d)});
}

// LaneAffineChoice: the same of an affine table, to be read in the function that adds it: on its own, the selection
// takes 20 to 50 cycles more.
template <typename L>
struct LaneAffineChoice {
  const LaneAffinePoint<L> (&entries)[8];
  Words<L> index;
  Words<L> negative;
};
template <typename L>
OPTIKS_INLINE LaneSignedAffinePoint<L> chosen(const LaneAffineChoice<L>& choice) {
  const IndexMasks<L> masks = index_masks<L>(choice.index);
  const auto element = [&](auto LaneAffinePoint<L>::*member) {
    return select_element<L>(
        masks, [&](std::size_t i) -> const auto& { return choice.entries[i].*member; });
  };
  return negated_if(choice.negative,
                    LaneAffinePoint<L>{element(&LaneAffinePoint<L>::y_plus_x), element(&LaneAffinePoint<L>::y_minus_x),
                                       element(&LaneAffinePoint<L>::t2d)});
}

template <typename L>
[[gnu::noinline]] void point_add(LanePoint<L>& point, const LaneAffineChoice<L>& choice) {
  add_in_place(point, chosen(choice));
}

template <typename L>
OPTIKS_INLINE void point_double_add(LanePoint<L>& point, const LaneAffineChoice<L>& choice) {
  point_double(point);
  point_add(point, choice);
}

}  // namespace optiks::vrf::lanes
