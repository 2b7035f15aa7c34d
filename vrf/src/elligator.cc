#include "elligator.h"

namespace optiks::vrf {
namespace {

// A/B, 1/B^2 and B of the Montgomery form, from a = -1 and d: A/B = (d - 1)/2, B = -4/(1 + d).
constexpr Fp2 kC1 = fp2(0x4000000000000072, 0x00000000000000a0, 0x6f2397c2332bf07e, 0x59c10a4478fe0646);
constexpr Fp2 kC2 = fp2(0x8000000000047d1, 0x8000000000006591, 0x4a7567c094ab81a2, 0x4d7d9193f3b1931e);
constexpr Fp2 kB = fp2(0x38f, 0xfffffffffffffaf4, 0x1c857ca409785eb0, 0x55234a8cc3ec97e7);

// RFC 9380 section 4.1, m = 2.
u64 sgn0(Fp2 a) {
  const Fp re = fp_canonical(a.re);
  const Fp im = fp_canonical(a.im);
  return (low64(re.v) & 1) | (fp_is_zero(re) & low64(im.v) & 1);
}

}  // namespace

// With w = 1 + Z u^2, x1 = -c1/w and n = -c1 (c1^2 - c1^2 w + c2 w^2):
//   g(x1) = n/w^3 = (m/delta)/delta^2, with delta = norm(w) in GF(p) and m = n conj(w)^3, as 1/w = conj(w)/delta
//   x2 = -x1 - c1 = (w - 1) x1, g(x2) = Z u^2 g(x1)
// so one square root of m/delta or of Z m/delta serves both cases, and gives 1/delta as well.
Point elligator2(const Fp2& u) {
  constexpr Fp2 kC1Squared = fp2_sqr(kC1);
  const Fp2 w_minus_1 = fp2_mul(kZ, fp2_sqr(u));
  const Fp2 w = fp2_add(w_minus_1, kFp2One);
  const Fp2 conj = fp2_conj(w);
  const Fp2 bracket = fp2_add(fp2_mul(kC2, fp2_sqr(w)), fp2_neg(fp2_mul(kC1Squared, w_minus_1)));
  const Fp2 m = fp2_mul(fp2_mul(fp2_neg(kC1), bracket), fp2_mul(fp2_sqr(conj), conj));
  const SqrtRatio ratio = fp2_sqrt_ratio(m, fp2_norm(w));
  const u64 is_square = base::ct_mask(ratio.is_square);

  const Fp2 x1 = fp2_mul_fp(fp2_mul(fp2_neg(kC1), conj), ratio.delta_inverse);
  const Fp2 x = fp2_select(is_square, x1, fp2_mul(w_minus_1, x1));
  const Fp2 root = fp2_mul_fp(ratio.root, ratio.delta_inverse);
  Fp2 y = fp2_select(is_square, root, fp2_mul(u, root));
  y = fp2_select(base::ct_mask(sgn0(y) ^ ratio.is_square), fp2_neg(y), y);

  const Fp2 s = fp2_mul(x, kB);
  const Fp2 t = fp2_mul(y, kB);
  const Fp2 s_plus_1 = fp2_add(s, kFp2One);
  const Fp2 s_minus_1 = fp2_sub(s, kFp2One);
  // (s/t, (s - 1)/(s + 1)) over the common denominator; T = XY/Z = s (s - 1). A zero m leaves delta_inverse 0, and
  // with it y and t.
  const Fp2 z = fp2_mul(t, s_plus_1);
  const u64 exceptional = base::ct_mask(fp2_is_zero(z));
  return {fp2_select(exceptional, kIdentity.x, fp2_mul(s, s_plus_1)),
          fp2_select(exceptional, kIdentity.y, fp2_mul(s_minus_1, t)), fp2_select(exceptional, kIdentity.z, z),
          fp2_select(exceptional, kIdentity.ta, s), fp2_select(exceptional, kIdentity.tb, s_minus_1)};
}

}  // namespace optiks::vrf
