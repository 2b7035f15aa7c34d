#include "elligator.h"

namespace optiks::vrf {
namespace {

// Returns sgn0 of RFC 9380 section 4.1, for m = 2.
u64 sgn0(Fp2 a) {
  const Fp re = fp_canonical(a.re);
  const Fp im = fp_canonical(a.im);
  return (low64(re.v) & 1) | (fp_is_zero(re) & low64(im.v) & 1);
}

}  // namespace

// With w = 1 + Z u^2, x1 = -c1/w and n = -c1 (c1^2 - c1^2 w + c2 w^2):
//   g(x1) = n/w^3 = (m/delta)/delta^2, with delta = norm(w) in GF(p) and m = n conj(w)^3, as 1/w = conj(w)/delta
//   x2 = -x1 - c1 = (w - 1) x1, g(x2) = Z u^2 g(x1)
// So one call of fp2_sqrt_ratio, which gives a root of m/delta or of Z m/delta, serves both cases. It also gives
// 1/delta.
Point elligator2(const Fp2& u) {
  constexpr Fp2 kC1Squared = fp2_sqr(kElligatorC1);
  const Fp2 w_minus_1 = fp2_mul(kZ, fp2_sqr(u));
  const Fp2 w = fp2_add(w_minus_1, kFp2One);
  const Fp2 conj = fp2_conj(w);
  const Fp2 bracket = fp2_add(fp2_mul(kElligatorC2, fp2_sqr(w)), fp2_neg(fp2_mul(kC1Squared, w_minus_1)));
  const Fp2 m = fp2_mul(fp2_mul(fp2_neg(kElligatorC1), bracket), fp2_mul(fp2_sqr(conj), conj));
  const SqrtRatio ratio = fp2_sqrt_ratio(m, fp2_norm(w));
  const u64 is_square = base::ct_mask(ratio.is_square);

  const Fp2 x1 = fp2_mul_fp(fp2_mul(fp2_neg(kElligatorC1), conj), ratio.delta_inverse);
  const Fp2 x = fp2_select(is_square, x1, fp2_mul(w_minus_1, x1));
  const Fp2 root = fp2_mul_fp(ratio.root, ratio.delta_inverse);
  Fp2 y = fp2_select(is_square, root, fp2_mul(u, root));
  y = fp2_select(base::ct_mask(sgn0(y) ^ ratio.is_square), fp2_neg(y), y);

  const Fp2 s = fp2_mul(x, kElligatorB);
  const Fp2 t = fp2_mul(y, kElligatorB);
  const Fp2 s_plus_1 = fp2_add(s, kFp2One);
  const Fp2 s_minus_1 = fp2_sub(s, kFp2One);
  // The result is (s/t, (s - 1)/(s + 1)) over the common denominator, with T = XY/Z = s (s - 1). If m is 0, then
  // delta_inverse is 0, and so are y and t.
  const Fp2 z = fp2_mul(t, s_plus_1);
  const u64 exceptional = base::ct_mask(fp2_is_zero(z));
  return {fp2_select(exceptional, kIdentity.x, fp2_mul(s, s_plus_1)),
          fp2_select(exceptional, kIdentity.y, fp2_mul(s_minus_1, t)), fp2_select(exceptional, kIdentity.z, z),
          fp2_select(exceptional, kIdentity.ta, s), fp2_select(exceptional, kIdentity.tb, s_minus_1)};
}

}  // namespace optiks::vrf
