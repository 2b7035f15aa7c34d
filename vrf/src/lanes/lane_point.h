// Points in lanes: the formulas of curve_formulas.h and mul_formulas.h over GF(p^2) in lanes.
//
// Large functions are not inlined, because even one doubling with an addition fills half of a first-level instruction
// cache of 32 KB.
#pragma once

#include "lane_table.h"
#include "mul_formulas.h"

namespace optiks::vrf::lanes {

template <typename L>
struct LaneField {
  template <unsigned Bound>
  using Bounded = LaneFp2<L, Bound>;
};

// The field in the form of tables.
template <typename L>
struct PackedField {
  template <unsigned Bound>
  using Bounded = PackedFp2<L, Bound>;
};

template <typename L>
using LanePoint = BasicPoint<LaneField<L>>;
template <typename L>
using LaneCachedPoint = BasicCachedPoint<LaneField<L>>;
template <typename L>
using LaneCachedEntry = BasicCachedPoint<PackedField<L>>;
template <typename L>
using LaneAffineEntry = BasicAffinePoint<PackedField<L>>;

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

template <typename L, typename F, typename T>
[[gnu::noinline]] void point_add(BasicPoint<LaneField<L>>& point, const BasicCachedPoint<F, T>& other) {
  add_in_place(point, other);
}

// Computes point = 2*point + other. This is faster than a separate doubling and addition, because the product T = ta*tb
// of the addition runs in parallel with the products of the doubling.
template <typename L, typename T>
[[gnu::noinline]] void point_double_add(LanePoint<L>& point, const BasicCachedPoint<LaneField<L>, T>& other) {
  double_in_place(point);
  add_in_place(point, other);
}

template <typename L, typename F, typename T>
[[gnu::noinline]] void point_add(BasicPoint<LaneField<L>>& point, const BasicAffinePoint<F, T>& other) {
  add_in_place(point, other);
}

// Returns the affine point as (4x, 4y, 4) with T = 2x*2y, or its negative in the lanes where `negative` is all ones.
template <typename L, typename F, typename T>
[[gnu::noinline]] LanePoint<L> point_of(const BasicAffinePoint<F, T>& affine, Words<L> negative) {
  const auto y_plus_x = unpacked(affine.y_plus_x);
  const auto y_minus_x = unpacked(affine.y_minus_x);
  const auto twice_x = fp2_carry(fp2_negated_if(negative, fp2_carry(fp2_sub(y_plus_x, y_minus_x))));
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

// Returns a mask that is all ones in the lanes that hold the identity.
template <typename L>
OPTIKS_INLINE Words<L> point_is_identity(const LanePoint<L>& point) {
  return fp2_is_zero(point.x) & fp2_equal(point.y, point.z);
}

// Returns 392*point, for every point of the curve.
template <typename L>
[[gnu::noinline]] LanePoint<L> point_clear_cofactor(const LanePoint<L>& point) {
  return cofactor_cleared(point);
}

template <typename L>
OPTIKS_INLINE LaneCachedEntry<L> entry_of(const LanePoint<L>& point) {
  const LaneCachedPoint<L> form = point_to_cached(point);
  return {table_form(form.y_plus_x), table_form(form.y_minus_x), table_form(form.z2), table_form(form.t2d)};
}

// Returns the entry of each lane's table at the lane's index.
template <typename L>
OPTIKS_INLINE LaneCachedEntry<L> select(const LaneCachedEntry<L> (&entries)[8], const IndexMasks<L>& index) {
  const auto element = [&](auto LaneCachedEntry<L>::*member) {
    return select_element<L>(
        index, [&](std::size_t i) -> const auto& { return entries[i].*member; });
  };
  return {element(&LaneCachedEntry<L>::y_plus_x), element(&LaneCachedEntry<L>::y_minus_x),
          element(&LaneCachedEntry<L>::z2), element(&LaneCachedEntry<L>::t2d)};
}
template <typename L>
OPTIKS_INLINE LaneAffineEntry<L> select(const LaneAffineEntry<L> (&entries)[8], const IndexMasks<L>& index) {
  const auto element = [&](auto LaneAffineEntry<L>::*member) {
    return select_element<L>(
        index, [&](std::size_t i) -> const auto& { return entries[i].*member; });
  };
  return {element(&LaneAffineEntry<L>::y_plus_x), element(&LaneAffineEntry<L>::y_minus_x),
          element(&LaneAffineEntry<L>::t2d)};
}

// Returns the entry of each lane's table at the lane's index, with the lane's sign.
template <typename L>
[[gnu::noinline]] auto select_signed(const LaneCachedEntry<L> (&entries)[8], const IndexMasks<L>& index,
                                     Words<L> negative) {
  return negated_if(negative, select<L>(entries, index));
}

// Computes point = point + entries[index], or the negative of this sum in the lanes where `negative` is all ones. This
// function also reads the entry, because a separate selection takes 20 to 50 cycles longer.
template <typename L>
[[gnu::noinline]] void point_add(LanePoint<L>& point, const LaneAffineEntry<L> (&entries)[8],
                                 const IndexMasks<L>& index, Words<L> negative) {
  add_in_place(point, select<L>(entries, index), [&](const auto& e) { return fp2_negated_if(negative, e); });
}

}  // namespace optiks::vrf::lanes
