// Arithmetic in GF(p^2) = GF(p)[i]/(i^2 + 1), constant time. An element is re + im*i, with re and im in [0, p].
#pragma once

#include "fp.h"

namespace optiks::vrf {

struct Fp2 {
  Fp re, im;
};

// Returns a constant, which is written as in docs/spec/vrf.md: 32 hexadecimal digits for each coordinate, here in two
// halves.
OPTIKS_INLINE constexpr Fp2 fp2(u64 re_high, u64 re_low, u64 im_high, u64 im_low) {
  return {fp(re_high, re_low), fp(im_high, im_low)};
}
inline constexpr Fp2 kFp2Zero = {kFpZero, kFpZero};
inline constexpr Fp2 kFp2One = {kFpOne, kFpZero};

OPTIKS_INLINE constexpr Fp2 fp2_add(Fp2 a, Fp2 b) { return {fp_add(a.re, b.re), fp_add(a.im, b.im)}; }
OPTIKS_INLINE constexpr Fp2 fp2_sub(Fp2 a, Fp2 b) { return {fp_sub(a.re, b.re), fp_sub(a.im, b.im)}; }
OPTIKS_INLINE constexpr Fp2 fp2_neg(Fp2 a) { return {fp_neg(a.re), fp_neg(a.im)}; }
OPTIKS_INLINE constexpr Fp2 fp2_double(Fp2 a) { return fp2_add(a, a); }
OPTIKS_INLINE constexpr Fp2 fp2_conj(Fp2 a) { return {a.re, fp_neg(a.im)}; }

// Returns a*b by schoolbook multiplication. Its sixteen word products were faster in measurements than the twelve of
// Karatsuba's method, whose 256-bit subtractions take more time than the four products that the method saves (GCC 12,
// Zen 5, 2026-11). The minus sign is applied to b.im, as p - b.im, so both sums are at most 2p^2.
OPTIKS_INLINE constexpr Fp2 fp2_mul(Fp2 a, Fp2 b) {
  return {fp_dot(a.re, b.re, a.im, fp_neg(b.im)), fp_dot(a.re, b.im, a.im, b.re)};
}

// Returns a*a = (re + im)(re - im) + 2 re im i.
OPTIKS_INLINE constexpr Fp2 fp2_sqr(Fp2 a) {
  return {fp_mul_sum(a.re, a.im, fp_sub(a.re, a.im)), fp_mul_sum(a.re, a.re, a.im)};
}

// The wide products, which formulas add to each other before use (curve_formulas.h). For single elements they are
// ordinary products.
template <unsigned Room = 0>
OPTIKS_INLINE constexpr Fp2 fp2_mul_wide(Fp2 a, Fp2 b) {
  return fp2_mul(a, b);
}
template <unsigned Room = 0>
OPTIKS_INLINE constexpr Fp2 fp2_sqr_wide(Fp2 a) {
  return fp2_sqr(a);
}
template <unsigned Room = 0>
OPTIKS_INLINE constexpr Fp2 fp2_widen(Fp2 a) {
  return a;
}
OPTIKS_INLINE constexpr Fp2 fp2_narrow(Fp2 a) { return a; }
OPTIKS_INLINE constexpr Fp2 fp2_mul_fp(Fp2 a, Fp b) { return {fp_mul(a.re, b), fp_mul(a.im, b)}; }

// Returns the norm re^2 + im^2, an element of GF(p).
OPTIKS_INLINE constexpr Fp fp2_norm(Fp2 a) { return fp_dot(a.re, a.re, a.im, a.im); }

OPTIKS_INLINE u64 fp2_is_zero(Fp2 a) { return fp_is_zero(a.re) & fp_is_zero(a.im); }
OPTIKS_INLINE u64 fp2_equal(Fp2 a, Fp2 b) { return fp_equal(a.re, b.re) & fp_equal(a.im, b.im); }
OPTIKS_INLINE Fp2 fp2_select(u64 mask, Fp2 a, Fp2 b) {
  return {fp_select(mask, a.re, b.re), fp_select(mask, a.im, b.im)};
}

OPTIKS_INLINE void fp2_to_bytes(std::uint8_t* out, Fp2 a) {
  fp_to_bytes(out, a.re);
  fp_to_bytes(out + 16, a.im);
}

// Returns 1/a, or 0 if `a` is 0.
[[nodiscard]] Fp2 fp2_invert(Fp2 a);

// Replaces each of the n elements by its inverse, with one inversion and 3n multiplications (Montgomery's trick). No
// element may be 0. `scratch` must have room for n elements.
void fp2_invert_many(Fp2* elements, Fp2* scratch, std::size_t n);

// The non-square Z of Elligator 2 (docs/spec/vrf.md section 5).
inline constexpr Fp2 kZ = fp2(0, 2, 0, 1);

// g = 5^((p + 1)/4), a root of -5: fp2_sqrt_ratio needs it, because norm(Z) = 5.
inline constexpr Fp kRootOfMinusFive = fp(0x41bf3e0e8a1ffa7a, 0x0ec5883a935639b0);

struct SqrtRatio {
  u64 is_square;     // 1 if m/delta is a square in GF(p^2) (0 is a square), otherwise 0
  Fp2 root;          // a root of m/delta if that is a square, otherwise of Z*m/delta; either of its two roots
  Fp delta_inverse;  // 1/delta, or 0 if m = 0
};

// Returns a root of m/delta, or of Z*m/delta if m/delta is not a square. delta is an element of GF(p), and not 0. The
// function takes two exponentiations and no inversion.
[[nodiscard]] SqrtRatio fp2_sqrt_ratio(Fp2 m, Fp delta);

}  // namespace optiks::vrf
