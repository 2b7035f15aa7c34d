// The formulas of the curve, written once for one point and for several points in lanes.
//
// F names the field: F::Bounded<B> is the element type whose limbs may be B times as large as those of a product. For
// one element (SingleField) every bound is the same type. In the batch kernels (lanes/) the compiler refuses a formula
// whose sums exceed what a multiplication accepts. M and S count multiplications and squarings in GF(p^2).
//
// Sources: Hisil, Wong, Carter, Dawson (ASIACRYPT 2008) in the forms of the FourQ paper (eprint 2015/565) section 3;
// the endomorphisms are those of its section 4.
#pragma once

#include "fp2.h"

namespace optiks::vrf {

struct SingleField {
  template <unsigned Bound>
  using Bounded = Fp2;
};

// A point, with x = X/Z, y = Y/Z and T = ta*tb = XY/Z (the paper's form R1). Z is never 0, because the group law is
// complete.
template <typename F>
struct BasicPoint {
  typename F::template Bounded<1> x, y, z;
  typename F::template Bounded<4> ta;
  typename F::template Bounded<2> tb;
};

// The second operand of an addition, as (Y + X, Y - X, 2Z, 2dT) (the paper's form R2). Negating an operand makes the
// bound of its T larger, so the type of this coordinate is a parameter.
template <typename F, typename T = typename F::template Bounded<1>>
struct BasicCachedPoint {
  typename F::template Bounded<3> y_plus_x, y_minus_x;
  typename F::template Bounded<2> z2;
  T t2d;
};

// A cached point with Z = 1, as (y + x, y - x, 2dxy). Entries of precomputed tables have this form.
template <typename F, typename T = typename F::template Bounded<1>>
struct BasicAffinePoint {
  typename F::template Bounded<3> y_plus_x, y_minus_x;
  T t2d;
};

inline constexpr Fp2 kCurveD = fp2(0xe4, 0x0000000000000142, 0x5e472f846657e0fc, 0xb3821488f1fc0c8d);
inline constexpr Fp2 kTwoD = fp2_add(kCurveD, kCurveD);

// The operations on points work in place. If a function returned a point instead, compilers would copy it in wider
// pieces than it was written in, and the copy would wait for the writes.

// Products that are only added to or subtracted from each other stay wide (fp2.h, lanes/lane_fp2.h). The `Room` of a
// product is at least the sum of the bounds of its subtrahends. A wide square of an element of bound 1 has bound 6; of
// an element of bound 2 it has bound 20. A product of factors of bounds A and B has bound 2AB + 1. The Room is added to
// each of these bounds.

// Computes p = 2*p. Cost: 3M + 4S.
template <typename F>
OPTIKS_INLINE void double_in_place(BasicPoint<F>& p) {
  const auto a = fp2_sqr_wide(p.x);
  const auto b = fp2_sqr_wide<6>(p.y);
  const auto d = fp2_add(a, b);
  const auto f = fp2_sub(b, a);
  p.tb = fp2_narrow(d);
  const auto e = fp2_sub(fp2_sqr_wide<18>(fp2_add(p.x, p.y)), d);
  const auto zz = fp2_sqr_wide<6>(p.z);
  const auto narrow_f = fp2_narrow(f);
  const auto g = fp2_narrow(fp2_sub(fp2_add(zz, zz), f));
  p.ta = fp2_narrow(e);
  // The products are in the order in which their factors become available.
  p.y = fp2_mul(p.tb, narrow_f);
  p.z = fp2_mul(narrow_f, g);
  p.x = fp2_mul(p.ta, g);
}

// The last part of an addition, which is the same for all forms of points. The arguments are a = (X1 - Y1)(Y2 - X2), b
// = (Y1 + X1)(Y2 + X2), c = 2d T1 T2 and d = 2 Z1 Z2. With these signs of `a` and `f`, every difference has its Room in
// a product. In terms of the paper's E, F, G and H, the function computes E, -F, G and -H. So all coordinates and T are
// the negatives of the paper's, and describe the same point. signed_e(E) returns E, or -E for the negative of the sum:
// X and T are multiples of E, while Y and Z do not depend on E.
template <typename F, typename A, typename B, typename C, typename D, typename SignedE>
OPTIKS_INLINE void finish_addition(BasicPoint<F>& p, const A& a, const B& b, const C& c, const D& d,
                                   const SignedE& signed_e) {
  p.ta = signed_e(fp2_narrow(fp2_add(b, a)));
  p.tb = fp2_narrow(fp2_sub(a, b));
  const auto f = fp2_narrow(fp2_sub(c, d));
  const auto g = fp2_narrow(fp2_add(c, d));
  p.x = fp2_mul(p.ta, f);
  p.y = fp2_mul(g, p.tb);
  p.z = fp2_mul(f, g);
}

// A function for `signed_e` that does not change the sign of a sum.
struct SameSign {
  template <typename E>
  OPTIKS_INLINE const E& operator()(const E& e) const {
    return e;
  }
};

// Computes p = p + q. Cost: 8M. G is F, or the field in the form of tables (lanes/lane_table.h).
template <typename F, typename G, typename T>
OPTIKS_INLINE void add_in_place(BasicPoint<F>& p, const BasicCachedPoint<G, T>& q) {
  // The longest chain of dependent products comes first, with other products between its links.
  const auto t = fp2_mul(p.ta, p.tb);
  const auto a = fp2_mul_wide<13>(fp2_sub(p.x, p.y), q.y_minus_x);
  const auto d = fp2_mul_wide(p.z, q.z2);
  const auto c = fp2_mul_wide<5>(t, q.t2d);
  const auto b = fp2_mul_wide(fp2_add(p.y, p.x), q.y_plus_x);
  finish_addition(p, a, b, c, d, SameSign{});
}

// Computes p = p + q, or the negative of the sum if signed_e says so (finish_addition). Cost: 7M.
template <typename F, typename G, typename T, typename SignedE = SameSign>
OPTIKS_INLINE void add_in_place(BasicPoint<F>& p, const BasicAffinePoint<G, T>& q, const SignedE& signed_e = {}) {
  const auto t = fp2_mul(p.ta, p.tb);
  const auto a = fp2_mul_wide<13>(fp2_sub(p.x, p.y), q.y_minus_x);
  const auto c = fp2_mul_wide<2>(t, q.t2d);
  const auto b = fp2_mul_wide(fp2_add(p.y, p.x), q.y_plus_x);
  finish_addition(p, a, b, c, fp2_widen(fp2_double(p.z)), signed_e);
}

// Returns a point in the form of a second operand. Cost: 2M.
template <typename F>
OPTIKS_INLINE BasicCachedPoint<F> cached(const BasicPoint<F>& p) {
  return {fp2_add(p.y, p.x), fp2_sub(p.y, p.x), fp2_double(p.z), fp2_mul(fp2_mul(p.ta, p.tb), kTwoD)};
}

// Returns -q.
template <typename F>
OPTIKS_INLINE BasicCachedPoint<F, typename F::template Bounded<2>> negated(const BasicCachedPoint<F>& q) {
  return {q.y_minus_x, q.y_plus_x, q.z2, fp2_neg(q.t2d)};
}
template <typename F>
OPTIKS_INLINE BasicAffinePoint<F, typename F::template Bounded<2>> negated(const BasicAffinePoint<F>& q) {
  return {q.y_minus_x, q.y_plus_x, fp2_neg(q.t2d)};
}

// Returns -q if `mask` is all ones, and q if `mask` is zero.
template <typename F, typename T, typename Mask>
OPTIKS_INLINE auto negated_if(const Mask& mask, const BasicCachedPoint<F, T>& q) {
  auto t2d = fp2_negated_if(mask, q.t2d);
  return BasicCachedPoint<F, decltype(t2d)>{fp2_select(mask, q.y_minus_x, q.y_plus_x),
                                            fp2_select(mask, q.y_plus_x, q.y_minus_x), q.z2, t2d};
}
template <typename F, typename T, typename Mask>
OPTIKS_INLINE auto negated_if(const Mask& mask, const BasicAffinePoint<F, T>& q) {
  auto t2d = fp2_negated_if(mask, q.t2d);
  return BasicAffinePoint<F, decltype(t2d)>{fp2_select(mask, q.y_minus_x, q.y_plus_x),
                                            fp2_select(mask, q.y_plus_x, q.y_minus_x), t2d};
}

}  // namespace optiks::vrf
