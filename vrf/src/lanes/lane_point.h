// Points, eight side by side: the formulas of curve_formulas.h and mul_formulas.h over GF(p^2) in lanes.
//
// The functions that are too large to repeat are kept out of line: a doubling with an addition fills half of the
// first-level instruction cache.
#pragma once

#include <type_traits>

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
template <typename L, typename T>
[[gnu::noinline]] void point_double_add(LanePoint<L>& point, const BasicCachedPoint<LaneField<L>, T>& other) {
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
OPTIKS_INLINE Words point_is_identity(const LanePoint<L>& point) {
  return fp2_is_zero(point.x) & fp2_equal(point.y, point.z);
}

// 392*point, right for every point of the curve.
template <typename L>
[[gnu::noinline]] LanePoint<L> point_clear_cofactor(const LanePoint<L>& point) {
  return cofactor_cleared(point);
}

// IndexMasks: the three bits of an index as masks.
struct IndexMasks {
  Words bit[3];
};
OPTIKS_INLINE IndexMasks index_masks(Words index) {
  return {{Words{} - (index & 1), Words{} - ((index >> 1) & 1), Words{} - ((index >> 2) & 1)}};
}

// One word of the entry of eight that the index names: every entry is read, so that no address depends on the index.
template <typename L, typename Entry>
OPTIKS_INLINE Words select_word(const IndexMasks& index, const Entry& entry) {
  const auto pair = [&](std::size_t i) { return L::select(index.bit[0], entry(i + 1), entry(i)); };
  return L::select(index.bit[2], L::select(index.bit[1], pair(6), pair(4)), L::select(index.bit[1], pair(2), pair(0)));
}

// An element of that entry; element(i) is the element of entry i.
template <typename L, typename Element>
OPTIKS_INLINE auto select_element(const IndexMasks& index, const Element& element) {
  std::remove_cvref_t<decltype(element(0))> out;
  for (std::size_t limb = 0; limb < 3; ++limb) {
    out.re.limb[limb] = select_word<L>(index, [&](std::size_t i) { return element(i).re.limb[limb]; });
    out.im.limb[limb] = select_word<L>(index, [&](std::size_t i) { return element(i).im.limb[limb]; });
  }
  return out;
}

// The entry of each lane's own table at each lane's own index, with each lane's own sign.
template <typename L>
[[gnu::noinline]] LaneSignedPoint<L> select_signed(const LaneCachedPoint<L> (&entries)[8], Words index,
                                                   Words negative) {
  const IndexMasks masks = index_masks(index);
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
  Words index;
  Words negative;
};
template <typename L>
OPTIKS_INLINE LaneSignedAffinePoint<L> chosen(const LaneAffineChoice<L>& choice) {
  const IndexMasks masks = index_masks(choice.index);
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
[[gnu::noinline]] void point_double_add(LanePoint<L>& point, const LaneAffineChoice<L>& choice) {
  const auto entry = chosen(choice);
  double_in_place(point);
  add_in_place(point, entry);
}

}  // namespace optiks::vrf::lanes
