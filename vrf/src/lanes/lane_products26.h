// Products in GF(p^2) in five limbs. A product has about 200 instructions and is not inlined: a doubling with an
// addition would otherwise exceed the first-level instruction cache.
#pragma once

#include "lane_fp2.h"

namespace optiks::vrf::lanes {

// The largest bounds of the factors of products that are carried immediately. These bounds, and the bounds of the
// columns, are large enough for all formulas.
inline constexpr unsigned kMaxFirst = 3;  // 8*2*3*2^26 < 2^32
inline constexpr unsigned kMaxSecond = 8;
static_assert(2 * kMaxFirst <= Limbs26::kMaxWrapped && 2 * kMaxFirst * kMaxSecond + 1 <= Limbs26::kMaxWide);

// The bias that products add to the columns of re, because these are a difference. If HasRoom, it is also added to the
// columns of im.
struct ColumnBias {
  u64 re, re_top, im, im_top;
};
template <FiveLimbs L, unsigned Re, unsigned Im>
inline constexpr ColumnBias kColumnBias = {Re* kWideMultiple, Re* kWideTopMultiple, Im* kWideMultiple,
                                           Im* kWideTopMultiple};

template <FiveLimbs L>
OPTIKS_INLINE Columns<L> columns_of(u64 limb, u64 top) {
  const Words<L> word = broadcast<L>(limb);
  return {word, word, word, word, broadcast<L>(top)};
}

// Karatsuba's method, with 75 multiplications and 102 other operations, and 5 more operations if HasRoom. No part of a
// product is cut off, so the product of the sums is above the sum of the other two products. The function calls
// use_re(re) before the third product, so that the dependent carries of re run in parallel with this product.
template <bool HasRoom, FiveLimbs L, typename UseRe, typename UseIm>
OPTIKS_INLINE void karatsuba(const Words<L> (&a_re)[5], const Words<L> (&a_im)[5], const Words<L> (&b_re)[5],
                             const Words<L> (&b_im)[5], const ColumnBias& bias, const UseRe& use_re,
                             const UseIm& use_im) {
  const Columns<L> re = multiply_inline<L>(Columns<L>{}, a_re, b_re);
  const Columns<L> im = multiply_inline<L>(Columns<L>{}, a_im, b_im);
  use_re(re - im + columns_of<L>(bias.re, bias.re_top));
  const Columns<L> both = re + im;
  const Words<L> a_sum[5] = {a_re[0] + a_im[0], a_re[1] + a_im[1], a_re[2] + a_im[2], a_re[3] + a_im[3],
                             a_re[4] + a_im[4]};
  const Words<L> b_sum[5] = {b_re[0] + b_im[0], b_re[1] + b_im[1], b_re[2] + b_im[2], b_re[3] + b_im[3],
                             b_re[4] + b_im[4]};
  const Columns<L> cross =
      multiply_inline<L>(HasRoom ? columns_of<L>(bias.im, bias.im_top) : Columns<L>{}, a_sum, b_sum);
  use_im(cross - both);
}

template <bool HasRoom, FiveLimbs L>
[[gnu::noinline]] void fp2_mul_wide_call(Columns<L>& re, Columns<L>& im, const Words<L> (&a_re)[5],
                                         const Words<L> (&a_im)[5], const Words<L> (&b_re)[5],
                                         const Words<L> (&b_im)[5], const ColumnBias& bias) {
  karatsuba<HasRoom, L>(
      a_re, a_im, b_re, b_im, bias, [&](const Columns<L>& columns) { re = columns; },
      [&](const Columns<L>& columns) { im = columns; });
}
// Computes out = a*b. `out` must not be one of the factors.
template <FiveLimbs L>
[[gnu::noinline]] void fp2_mul_call(LaneFp2<L, 1>& out, const Words<L> (&a_re)[5], const Words<L> (&a_im)[5],
                                    const Words<L> (&b_re)[5], const Words<L> (&b_im)[5]) {
  using Wide = LaneWide<L, 2 * kMaxFirst * kMaxSecond + 1>;
  karatsuba<false, L>(
      a_re, a_im, b_re, b_im, kColumnBias<L, kMaxFirst * kMaxSecond, 0>,
      [&](const Columns<L>& columns) { out.re = fp_narrow(Wide(columns)); },
      [&](const Columns<L>& columns) { out.im = fp_narrow(Wide(columns)); });
}

template <unsigned Room = 0, FiveLimbs L, unsigned A, unsigned B>
OPTIKS_INLINE auto fp2_mul_wide(const LaneFp2<L, A>& a, const LaneFp2<L, B>& b) {
  if constexpr (2 * A > Limbs26::kMaxWrapped) {
    return fp2_mul_wide<Room>(b, a);
  } else {
    static_assert(2 * B <= Limbs26::kMaxFactor);
    LaneWide2<L, 2 * A * B + 1 + Room, Room> out;
    fp2_mul_wide_call<Room != 0, L>(out.re.t, out.im.t, a.re.limb, a.im.limb, b.re.limb, b.im.limb,
                                    kColumnBias<L, A * B + Room, Room>);
    out.re.check();
    out.im.check();
    return out;
  }
}
template <FiveLimbs L, unsigned A, unsigned B>
OPTIKS_INLINE LaneFp2<L, 1> fp2_mul(const LaneFp2<L, A>& a, const LaneFp2<L, B>& b) {
  if constexpr (A > kMaxFirst) {
    return fp2_mul(b, a);
  } else {
    static_assert(B <= kMaxSecond);
    LaneFp2<L, 1> out;
    fp2_mul_call<L>(out, a.re.limb, a.im.limb, b.re.limb, b.im.limb);
    return out;
  }
}

// Returns a*a = (re + im)(re - im) + 2 re im i, with 50 multiplications and 68 other operations, and 10 more operations
// for Room.
template <unsigned Room, FiveLimbs L, unsigned A>
OPTIKS_INLINE auto square(const LaneFp2<L, A>& a) {
  constexpr unsigned kWide = 2 * A * (2 * A + 1) + Room;
  const Columns<L> re = multiply(multiple_of_p<L, Room>(), fp_add(a.re, a.im), fp_sub(a.re, a.im));
  const Columns<L> im = multiply(multiple_of_p<L, Room>(), fp_add(a.re, a.re), a.im);
  return LaneWide2<L, kWide, Room>{LaneWide<L, kWide, Room>(re), LaneWide<L, kWide, Room>(im)};
}

template <FiveLimbs L, unsigned N, unsigned Room, unsigned A>
[[gnu::noinline]] void fp2_sqr_wide_call(LaneWide2<L, N, Room>& out, const LaneFp2<L, A>& a) {
  out = square<Room>(a);
}
template <FiveLimbs L, unsigned A>
[[gnu::noinline]] void fp2_sqr_call(LaneFp2<L, 1>& out, const LaneFp2<L, A>& a) {
  out = fp2_narrow(square<0>(a));
}

template <unsigned Room = 0, FiveLimbs L, unsigned A>
OPTIKS_INLINE auto fp2_sqr_wide(const LaneFp2<L, A>& a) {
  LaneWide2<L, 2 * A*(2 * A + 1) + Room, Room> out;
  fp2_sqr_wide_call(out, a);
  return out;
}
template <FiveLimbs L, unsigned A>
OPTIKS_INLINE LaneFp2<L, 1> fp2_sqr(const LaneFp2<L, A>& a) {
  LaneFp2<L, 1> out;
  fp2_sqr_call<L>(out, a);
  return out;
}

}  // namespace optiks::vrf::lanes
