// Arithmetic in GF(p^2), with one element in each lane. The functions have the same names as in fp2.h, so that the
// formulas of the curve are written only once.
#pragma once

#include "fp2.h"
#include "lane_fp.h"

namespace optiks::vrf::lanes {

template <typename L, unsigned B>
struct LaneFp2 {
  LaneFp<L, B> re, im;

  LaneFp2() = default;
  OPTIKS_INLINE LaneFp2(const LaneFp<L, B>& a, const LaneFp<L, B>& b) : re(a), im(b) {}
  template <unsigned Smaller>
  requires(Smaller < B) OPTIKS_INLINE LaneFp2(const LaneFp2<L, Smaller>& a)  // NOLINT(google-explicit-constructor)
      : re(a.re), im(a.im) {}
};

// Returns a constant in every lane.
template <typename L>
OPTIKS_INLINE LaneFp2<L, 1> fp2_broadcast(const Fp2& a) {
  return {fp_broadcast<L>(a.re), fp_broadcast<L>(a.im)};
}

template <typename L, unsigned A, unsigned B>
OPTIKS_INLINE LaneFp2<L, A + B> fp2_add(const LaneFp2<L, A>& a, const LaneFp2<L, B>& b) {
  return {fp_add(a.re, b.re), fp_add(a.im, b.im)};
}
template <typename L, unsigned A, unsigned B>
OPTIKS_INLINE LaneFp2<L, A + B + 1> fp2_sub(const LaneFp2<L, A>& a, const LaneFp2<L, B>& b) {
  return {fp_sub(a.re, b.re), fp_sub(a.im, b.im)};
}
template <typename L, unsigned B>
OPTIKS_INLINE LaneFp2<L, B + 1> fp2_neg(const LaneFp2<L, B>& a) {
  return {fp_neg(a.re), fp_neg(a.im)};
}
template <typename L, unsigned B>
OPTIKS_INLINE LaneFp2<L, 2 * B> fp2_double(const LaneFp2<L, B>& a) {
  return fp2_add(a, a);
}
template <typename L, unsigned B>
OPTIKS_INLINE LaneFp2<L, B + 1> fp2_conj(const LaneFp2<L, B>& a) {
  return {a.re, fp_neg(a.im)};
}

template <typename L, unsigned B>
OPTIKS_INLINE LaneFp2<L, 1> fp2_carry(const LaneFp2<L, B>& a) {
  return {fp_carry(a.re), fp_carry(a.im)};
}

// A product before its carries. fp2_narrow makes the carries, once for a sum or difference of products.
template <typename L, unsigned N, unsigned Room>
struct LaneWide2 {
  LaneWide<L, N, Room> re, im;
};

template <typename L, unsigned N1, unsigned Room1, unsigned N2, unsigned Room2>
OPTIKS_INLINE auto fp2_add(const LaneWide2<L, N1, Room1>& a, const LaneWide2<L, N2, Room2>& b) {
  return LaneWide2<L, N1 + N2, Room1 + Room2>{fp_add(a.re, b.re), fp_add(a.im, b.im)};
}
template <typename L, unsigned N1, unsigned Room1, unsigned N2, unsigned Room2>
OPTIKS_INLINE auto fp2_sub(const LaneWide2<L, N1, Room1>& a, const LaneWide2<L, N2, Room2>& b) {
  return LaneWide2<L, N1 - Room2, Room1 - N2>{fp_sub(a.re, b.re), fp_sub(a.im, b.im)};
}
template <typename L, unsigned N, unsigned Room>
OPTIKS_INLINE LaneFp2<L, 1> fp2_narrow(const LaneWide2<L, N, Room>& a) {
  return {fp_narrow(a.re), fp_narrow(a.im)};
}

// Returns a*b by Karatsuba's method in three limbs, with 63 multiply-adds and 21 other operations. In each column the
// product of the sums is above the sum of the other two products, except for the lower parts that remain after the cuts
// at bit 52. These lower parts are less than Multiple<2>.
template <unsigned Room = 0, ThreeLimbs L, unsigned A, unsigned B>
OPTIKS_INLINE auto fp2_mul_wide(const LaneFp2<L, A>& a, const LaneFp2<L, B>& b) {
  constexpr unsigned kWide = 2 * A * B + 1 + Room;
  const Columns<L> re = multiply(multiple_of_p<L, A * B + Room>(), a.re, b.re);
  const Columns<L> im = multiply(Columns<L>{}, a.im, b.im);
  const Columns<L> cross = multiply(multiple_of_p<L, A * B + 2 * Room + 2>(), fp_add(a.re, a.im), fp_add(b.re, b.im));
  return LaneWide2<L, kWide, Room>{LaneWide<L, kWide, Room>(re - im), LaneWide<L, kWide, Room>(cross - re - im)};
}

// Returns a*a = (re + im)(re - im) + 2 re im i, with 42 multiply-adds and 16 other operations.
template <unsigned Room = 0, ThreeLimbs L, unsigned A>
OPTIKS_INLINE auto fp2_sqr_wide(const LaneFp2<L, A>& a) {
  constexpr unsigned kWide = 2 * A * (2 * A + 1) + Room;
  const Columns<L> re = multiply(multiple_of_p<L, Room>(), fp_add(a.re, a.im), fp_sub(a.re, a.im));
  const Columns<L> im = multiply(multiple_of_p<L, Room>(), fp_add(a.re, a.re), a.im);
  return LaneWide2<L, kWide, Room>{LaneWide<L, kWide, Room>(re), LaneWide<L, kWide, Room>(im)};
}

// Converts an element to the form of a wide product.
template <unsigned Room = 0, typename L, unsigned B>
OPTIKS_INLINE auto fp2_widen(const LaneFp2<L, B>& a) {
  const auto widen = [](const LaneFp<L, B>& x) {
    const Columns<L> t = columns_of(x);
    return LaneWide<L, B + Room, Room>(Room == 0 ? t : t + multiple_of_p<L, Room>());
  };
  return LaneWide2<L, B + Room, Room>{widen(a.re), widen(a.im)};
}

// This function is not inlined, for the reason given in lane_fp43.h.
template <ThreeLimbs L>
[[gnu::noinline]] void fp2_mul_call(LaneFp2<L, 1>& out, const LaneFp2<L, 6>& a, const LaneFp2<L, 6>& b) {
  out = fp2_narrow(fp2_mul_wide(a, b));
}
template <ThreeLimbs L>
[[gnu::noinline]] void fp2_sqr_call(LaneFp2<L, 1>& out, const LaneFp2<L, 4>& a) {
  out = fp2_narrow(fp2_sqr_wide(a));
}

template <ThreeLimbs L, unsigned A, unsigned B>
OPTIKS_INLINE LaneFp2<L, 1> fp2_mul(const LaneFp2<L, A>& a, const LaneFp2<L, B>& b) {
  if constexpr (L::kInline) {
    return fp2_narrow(fp2_mul_wide(a, b));
  } else {
    LaneFp2<L, 1> out;
    fp2_mul_call<L>(out, a, b);
    return out;
  }
}
template <typename L, unsigned B>
OPTIKS_INLINE LaneFp2<L, 1> fp2_mul(const Fp2& constant, const LaneFp2<L, B>& b) {
  return fp2_mul(fp2_broadcast<L>(constant), b);
}
template <typename L, unsigned A>
OPTIKS_INLINE LaneFp2<L, 1> fp2_mul(const LaneFp2<L, A>& a, const Fp2& constant) {
  return fp2_mul(a, fp2_broadcast<L>(constant));
}
template <ThreeLimbs L, unsigned A>
OPTIKS_INLINE LaneFp2<L, 1> fp2_sqr(const LaneFp2<L, A>& a) {
  if constexpr (L::kInline) {
    return fp2_narrow(fp2_sqr_wide(a));
  } else {
    LaneFp2<L, 1> out;
    fp2_sqr_call<L>(out, a);
    return out;
  }
}

template <typename L, unsigned A, unsigned B>
OPTIKS_INLINE LaneFp2<L, 1> fp2_mul_fp(const LaneFp2<L, A>& a, const LaneFp<L, B>& b) {
  return {fp_mul(a.re, b), fp_mul(a.im, b)};
}

// re^2 + im^2.
template <typename L, unsigned A>
OPTIKS_INLINE LaneFp<L, 1> fp2_norm(const LaneFp2<L, A>& a) {
  return fp_narrow(fp_add(fp_sqr_wide(a.re), fp_sqr_wide(a.im)));
}

template <typename L, unsigned A, unsigned B>
OPTIKS_INLINE LaneFp2<L, std::max(A, B)> fp2_select(Words<L> mask, const LaneFp2<L, A>& a, const LaneFp2<L, B>& b) {
  return {fp_select(mask, a.re, b.re), fp_select(mask, a.im, b.im)};
}

// Returns -a in the lanes where `mask` is all ones, and `a` where it is zero.
template <typename L, unsigned B>
OPTIKS_INLINE LaneFp2<L, B + 1> fp2_negated_if(Words<L> mask, const LaneFp2<L, B>& a) {
  return {fp_negated_if(mask, a.re), fp_negated_if(mask, a.im)};
}

template <typename L, unsigned B>
OPTIKS_INLINE Words<L> fp2_is_zero(const LaneFp2<L, B>& a) {
  return fp_is_zero(a.re) & fp_is_zero(a.im);
}
template <typename L, unsigned A, unsigned B>
OPTIKS_INLINE Words<L> fp2_equal(const LaneFp2<L, A>& a, const LaneFp2<L, B>& b) {
  return fp2_is_zero(fp2_sub(a, b));
}

}  // namespace optiks::vrf::lanes
