// The endomorphisms phi = tau_dual . upsilon . tau and psi = tau_dual . chi . tau of FourQ (eprint 2015/565 section 4
// and appendix A), for one point and for several points in lanes (curve_formulas.h). On points of order N, and on no
// other points, they act as multiplications by fixed scalars. Never apply them to a point that is not known to be in
// the subgroup.
#pragma once

#include "curve_formulas.h"

namespace optiks::vrf {

// The constants of the isogenies tau and tau_dual, and of the maps between the two: upsilon (for phi) and chi (for
// psi).
inline constexpr Fp2 kCTau = fp2(0x1964de2c3afad20c, 0x74dcd57cebce74c3, 0xc, 0x0000000000000012);
inline constexpr Fp2 kCTauDual = fp2(0x4aa740eb23058652, 0x9ecaa6d9decdf034, 0x7ffffffffffffff4, 0x0000000000000011);
inline constexpr Fp2 kCPhi0 = fp2(0x5, 0xfffffffffffffff7, 0x2553a0759182c329, 0x4f65536cef66f81a);
inline constexpr Fp2 kCPhi1 = fp2(0x5, 0x0000000000000007, 0x62c8caa0c50c62cf, 0x334d90e9e28296f9);
inline constexpr Fp2 kCPhi2 = fp2(0xf, 0x0000000000000015, 0x78df262b6c9b5c98, 0x2c2cb7154f1df391);
inline constexpr Fp2 kCPhi3 = fp2(0x2, 0x0000000000000003, 0x5084c6491d76342a, 0x92440457a7962ea4);
inline constexpr Fp2 kCPhi4 = fp2(0x3, 0x0000000000000003, 0x12440457a7962ea4, 0xa1098c923aec6855);
inline constexpr Fp2 kCPhi5 = fp2(0xa, 0x000000000000000f, 0x459195418a18c59e, 0x669b21d3c5052df3);
inline constexpr Fp2 kCPhi6 = fp2(0x12, 0x0000000000000018, 0xb232a8314318b3c, 0xcd3643a78a0a5be7);
inline constexpr Fp2 kCPhi7 = fp2(0x18, 0x0000000000000023, 0x3963bc1c99e2ea1a, 0x66c183035f48781a);
inline constexpr Fp2 kCPhi8 = fp2(0xaa, 0x00000000000000f0, 0x1f529f860316cbe5, 0x44e251582b5d0ef0);
inline constexpr Fp2 kCPhi9 = fp2(0x870, 0x0000000000000bef, 0xfd52e9cfe00375b, 0x014d3e48976e2505);
inline constexpr Fp2 kCPsi1 = fp2(0x2af99e9a83d54a02, 0xedf07f4767e346ef, 0xde, 0x000000000000013a);
inline constexpr Fp2 kCPsi2 = fp2(0xe4, 0x0000000000000143, 0x21b8d07b99a81f03, 0x4c7deb770e03f372);
inline constexpr Fp2 kCPsi3 = fp2(0x6, 0x0000000000000009, 0x4cb26f161d7d6906, 0x3a6e6abe75e73a61);
inline constexpr Fp2 kCPsi4 = fp2(0x7ffffffffffffff9, 0xfffffffffffffff6, 0x334d90e9e28296f9, 0xc59195418a18c59e);

// A point of the isogenous curve, in projective coordinates.
template <typename F>
struct Isogenous {
  typename F::template Bounded<2> x, y, z;
};

// 5M + 3S.
template <typename F>
OPTIKS_INLINE Isogenous<F> tau(const BasicPoint<F>& p) {
  const auto a = fp2_sqr(p.x);
  const auto b = fp2_sqr(p.y);
  const auto c = fp2_add(a, b);
  const auto d = fp2_sub(a, b);
  const auto x = fp2_mul(fp2_mul(kCTau, fp2_mul(p.x, p.y)), d);
  const auto y = fp2_neg(fp2_mul(fp2_add(fp2_double(fp2_sqr(p.z)), d), c));
  return {x, y, fp2_mul(c, d)};
}

// 5M + 3S.
template <typename F>
OPTIKS_INLINE BasicPoint<F> tau_dual(const Isogenous<F>& p) {
  const auto a = fp2_sqr(p.x);
  const auto b = fp2_sqr(p.y);
  const auto c = fp2_add(a, b);
  const auto ta = fp2_sub(b, a);
  const auto d = fp2_sub(fp2_double(fp2_sqr(p.z)), ta);
  const auto tb = fp2_mul(kCTauDual, fp2_mul(p.x, p.y));
  return {fp2_mul(c, tb), fp2_mul(d, ta), fp2_mul(c, d), ta, tb};
}

// 21M + 5S.
template <typename F>
OPTIKS_INLINE Isogenous<F> upsilon(const Isogenous<F>& p) {
  const auto a = fp2_mul(kCPhi0, fp2_mul(p.x, p.y));
  const auto b = fp2_mul(p.y, p.z);
  const auto c = fp2_sqr(p.y);
  const auto d = fp2_sqr(p.z);
  const auto f = fp2_sqr(d);
  const auto g = fp2_sqr(b);
  const auto h = fp2_sqr(c);
  const auto i = fp2_mul(kCPhi1, b);
  const auto j = fp2_add(c, fp2_mul(kCPhi2, d));
  const auto k = fp2_add(fp2_add(fp2_mul(kCPhi8, g), h), fp2_mul(kCPhi9, f));
  const auto l = fp2_add(c, fp2_mul(kCPhi4, d));
  const auto m = fp2_mul(kCPhi3, b);
  const auto n = fp2_mul(fp2_add(l, m), fp2_sub(l, m));
  const auto x = fp2_mul(fp2_mul(a, k), fp2_mul(fp2_add(i, j), fp2_sub(i, j)));
  const auto y = fp2_mul(fp2_mul(kCPhi5, fp2_mul(d, n)), fp2_add(fp2_add(h, fp2_mul(kCPhi6, g)), fp2_mul(kCPhi7, f)));
  return {fp2_conj(x), fp2_conj(y), fp2_conj(fp2_mul(fp2_mul(b, k), n))};
}

// 8M + 2S.
template <typename F>
OPTIKS_INLINE Isogenous<F> chi(const Isogenous<F>& p) {
  const auto a = fp2_conj(p.x);
  const auto b = fp2_conj(p.y);
  const auto c = fp2_sqr(fp2_conj(p.z));
  const auto d = fp2_sqr(a);
  const auto g = fp2_mul(b, fp2_add(d, fp2_mul(kCPsi2, c)));
  const auto h = fp2_neg(fp2_add(d, fp2_mul(kCPsi4, c)));
  const auto x = fp2_mul(fp2_mul(kCPsi1, fp2_mul(a, c)), h);
  const auto y = fp2_mul(g, fp2_add(d, fp2_mul(kCPsi3, c)));
  return {x, y, fp2_mul(g, h)};
}

// The steps of the endomorphisms for one point, as functions that are not inlined.
[[nodiscard]] Isogenous<SingleField> point_tau(const BasicPoint<SingleField>& point);
[[nodiscard]] Isogenous<SingleField> point_upsilon(const Isogenous<SingleField>& point);
[[nodiscard]] Isogenous<SingleField> point_chi(const Isogenous<SingleField>& point);
[[nodiscard]] BasicPoint<SingleField> point_tau_dual(const Isogenous<SingleField>& point);

// These functions return phi and psi of a point from its image under tau, which phi and psi share.
[[nodiscard]] inline BasicPoint<SingleField> phi_of_tau(const Isogenous<SingleField>& point) {
  return point_tau_dual(point_upsilon(point));
}
[[nodiscard]] inline BasicPoint<SingleField> psi_of_tau(const Isogenous<SingleField>& point) {
  return point_tau_dual(point_chi(point));
}

}  // namespace optiks::vrf
