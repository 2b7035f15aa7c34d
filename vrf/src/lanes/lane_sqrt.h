// Exponentiations in GF(p) and square roots in GF(p^2), for several groups at a time; a group has one element in each
// lane. Each squaring waits for the squaring before it, so one group would leave most of the multiplier idle. Therefore
// K groups are interleaved.
#pragma once

#include "lane_fp2.h"

namespace optiks::vrf::lanes {

// Replaces a[j] by a[j]^(2^n), for K groups.
template <typename L, std::size_t K>
OPTIKS_INLINE void fp_sqr_n(LaneFp<L, 1> (&a)[K], unsigned n) {
  for (unsigned i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < K; ++j) {
      a[j] = fp_sqr(a[j]);
    }
  }
}

template <typename L, std::size_t K>
OPTIKS_INLINE void fp_sqr_n_mul(LaneFp<L, 1> (&a)[K], unsigned n, const LaneFp<L, 1> (&factor)[K]) {
  fp_sqr_n(a, n);
  for (std::size_t j = 0; j < K; ++j) {
    a[j] = fp_mul(a[j], factor[j]);
  }
}

template <typename L, std::size_t K>
OPTIKS_INLINE void copy(LaneFp<L, 1> (&to)[K], const LaneFp<L, 1> (&from)[K]) {
  for (std::size_t j = 0; j < K; ++j) {
    to[j] = from[j];
  }
}

// Computes a^((p - 3)/4) for K groups, with the addition chain of fp.cc.
template <typename L, std::size_t K>
[[gnu::noinline]] void fp_pow_p_minus_3_over_4(LaneFp<L, 1> (&a)[K]) {
  LaneFp<L, 1> e1[K];
  LaneFp<L, 1> e2[K];
  LaneFp<L, 1> e3[K];
  LaneFp<L, 1> e24[K];
  LaneFp<L, 1> e[K];
  copy(e1, a);
  fp_sqr_n_mul(a, 1, e1);
  copy(e2, a);
  fp_sqr_n_mul(a, 1, e1);
  copy(e3, a);
  fp_sqr_n_mul(a, 3, e3);
  copy(e, a);
  fp_sqr_n_mul(a, 6, e);
  copy(e, a);
  fp_sqr_n_mul(a, 12, e);
  copy(e24, a);
  fp_sqr_n_mul(a, 24, e24);
  copy(e, a);
  fp_sqr_n_mul(a, 48, e);
  fp_sqr_n_mul(a, 24, e24);
  fp_sqr_n_mul(a, 3, e3);
  fp_sqr_n_mul(a, 2, e2);
}

template <typename L>
struct LaneSqrtRatio {
  Words<L> is_square;          // all ones where m/delta is a square (0 is a square)
  LaneFp2<L, 2> root;          // a root of m/delta if that is a square, otherwise of Z*m/delta
  LaneFp<L, 2> delta_inverse;  // 1/delta, or 0 where m = 0
};

// Computes fp2_sqrt_ratio of fp2.h for K groups; fp2.cc explains the method. delta must not be 0.
template <typename L, std::size_t K>
[[gnu::noinline]] void fp2_sqrt_ratio(LaneSqrtRatio<L> (&out)[K], const LaneFp2<L, 1> (&m)[K],
                                      const LaneFp<L, 1> (&delta)[K]) {
  LaneFp<L, 1> norm[K];
  LaneFp<L, 1> f[K];
  for (std::size_t j = 0; j < K; ++j) {
    norm[j] = fp2_norm(m[j]);
  }
  copy(f, norm);
  fp_sqr_n(f, 125);
  LaneFp2<L, 1> scaled[K];
  LaneFp<L, 1> h[K];
  LaneFp<L, 1> t[K];
  for (std::size_t j = 0; j < K; ++j) {
    const Words<L> is_square = fp_equal(fp_sqr(f[j]), norm[j]);
    out[j].is_square = is_square;
    scaled[j] = fp2_select(is_square, m[j], fp2_mul(kZ, m[j]));
    const auto e = fp_select(is_square, f[j], fp_mul(f[j], fp_broadcast<L>(kRootOfMinusFive)));
    const auto half = fp_half(fp_carry(fp_add(scaled[j].re, e)));
    h[j] = fp_select(fp_is_zero(half), scaled[j].re, half);
    t[j] = fp_mul(h[j], delta[j]);
  }
  LaneFp<L, 1> r[K];
  copy(r, t);
  fp_pow_p_minus_3_over_4(r);
  for (std::size_t j = 0; j < K; ++j) {
    const auto rr = fp_sqr(r[j]);
    const Words<L> t_is_square = fp_equal(fp_mul(t[j], rr), fp_broadcast<L>(kFpOne));
    const auto hr = fp_mul(h[j], r[j]);
    const auto m1r = fp_half(fp_mul(scaled[j].im, r[j]));
    const auto hrr = fp_mul(h[j], rr);
    out[j].root = {fp_select(t_is_square, hr, m1r), fp_select(t_is_square, m1r, fp_neg(hr))};
    out[j].delta_inverse = fp_select(t_is_square, hrr, fp_neg(hrr));
  }
}

// Returns 1/a for one group. `a` must not be 0.
template <typename L>
OPTIKS_INLINE LaneFp2<L, 1> fp2_invert(const LaneFp2<L, 1>& a) {
  const LaneFp<L, 1> norm = fp2_norm(a);
  LaneFp<L, 1> power[1] = {norm};
  fp_pow_p_minus_3_over_4(power);
  fp_sqr_n(power, 2);
  return fp2_mul_fp(fp2_conj(a), fp_mul(power[0], norm));
}

}  // namespace optiks::vrf::lanes
