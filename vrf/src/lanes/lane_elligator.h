// Elligator 2 for K groups of elements. A group has one element in each lane. elligator.cc explains the steps.
#pragma once

#include "elligator.h"
#include "lane_point.h"
#include "lane_sqrt.h"

namespace optiks::vrf::lanes {

// Returns sgn0 of RFC 9380 section 4.1, as a mask.
template <typename L, unsigned B>
OPTIKS_INLINE Words<L> sgn0(const LaneFp2<L, B>& a) {
  const Canonical<L> re = fp_canonical(a.re);
  const Canonical<L> im = fp_canonical(a.im);
  const Words<L> re_is_zero = L::equal(re.low | re.high, Words<L>{});
  return Words<L>{} - ((re.low & 1) | (re_is_zero & im.low & 1));
}

// Maps the elements u to points of the curve, which in general are outside the subgroup.
template <typename L, std::size_t K>
[[gnu::noinline]] void elligator2(LanePoint<L> (&out)[K], const LaneFp2<L, 1> (&u)[K]) {
  constexpr Fp2 kMinusC1 = fp2_neg(kElligatorC1);
  constexpr Fp2 kMinusC1Squared = fp2_neg(fp2_sqr(kElligatorC1));
  LaneFp2<L, 1> w_minus_1[K];
  LaneFp2<L, 2> w[K];
  LaneFp2<L, 1> m[K];
  LaneFp<L, 1> delta[K];
  for (std::size_t j = 0; j < K; ++j) {
    w_minus_1[j] = fp2_mul(kZ, fp2_sqr(u[j]));
    w[j] = fp2_add(w_minus_1[j], fp2_broadcast<L>(kFp2One));
    const auto conj = fp2_conj(w[j]);
    const auto bracket = fp2_add(fp2_mul(kElligatorC2, fp2_sqr(w[j])), fp2_mul(kMinusC1Squared, w_minus_1[j]));
    m[j] = fp2_mul(fp2_mul(kMinusC1, bracket), fp2_mul(fp2_sqr(conj), conj));
    delta[j] = fp2_norm(w[j]);
  }
  LaneSqrtRatio<L> ratio[K];
  fp2_sqrt_ratio(ratio, m, delta);
  for (std::size_t j = 0; j < K; ++j) {
    const Words<L> is_square = ratio[j].is_square;
    const auto& delta_inverse = ratio[j].delta_inverse;
    const auto x1 = fp2_mul_fp(fp2_mul(kMinusC1, fp2_conj(w[j])), delta_inverse);
    const auto x = fp2_select(is_square, x1, fp2_mul(w_minus_1[j], x1));
    const auto root = fp2_mul_fp(ratio[j].root, delta_inverse);
    const auto root_of_gx = fp2_select(is_square, root, fp2_mul(u[j], root));
    const auto y = fp2_select(sgn0(root_of_gx) ^ is_square, fp2_neg(root_of_gx), root_of_gx);

    const auto one = fp2_broadcast<L>(kFp2One);
    const auto s = fp2_mul(kElligatorB, x);
    const auto t = fp2_mul(kElligatorB, y);
    const auto s_plus_1 = fp2_add(s, one);
    const auto s_minus_1 = fp2_sub(s, one);
    const auto z = fp2_mul(t, s_plus_1);
    const Words<L> exceptional = fp2_is_zero(z);
    const LanePoint<L> identity = lane_identity<L>();
    out[j] = {fp2_select(exceptional, identity.x, fp2_mul(s, s_plus_1)),
              fp2_select(exceptional, identity.y, fp2_mul(s_minus_1, t)), fp2_select(exceptional, identity.z, z),
              // T = s (s - 1). ta and tb are exchanged here, because tb must have the smaller bound.
              fp2_select(exceptional, identity.ta, s_minus_1), fp2_select(exceptional, identity.tb, s)};
  }
}

}  // namespace optiks::vrf::lanes
