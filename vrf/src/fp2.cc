#include "fp2.h"

namespace optiks::vrf {

Fp2 fp2_invert(Fp2 a) { return fp2_mul_fp(fp2_conj(a), fp_invert(fp2_norm(a))); }

void fp2_invert_many(Fp2* elements, Fp2* scratch, std::size_t n) {
  if (n == 0) {
    return;
  }
  scratch[0] = elements[0];
  for (std::size_t i = 1; i < n; ++i) {
    scratch[i] = fp2_mul(scratch[i - 1], elements[i]);
  }
  Fp2 inverse = fp2_invert(scratch[n - 1]);
  for (std::size_t i = n - 1; i > 0; --i) {
    const Fp2 next = fp2_mul(inverse, elements[i]);
    elements[i] = fp2_mul(inverse, scratch[i - 1]);
    inverse = next;
  }
  elements[0] = inverse;
}

// Computes the root by the complex method. Let m = m0 + m1 i, let e be a root of norm(m) in GF(p), h = (m0 + e)/2 and
// t = h*delta. Then
//   root(m/delta) = (h r, m1 r / 2)    if t is a square,     r = t^((p-3)/4), t r^2 =  1
//   root(m/delta) = (m1 r / 2, -h r)   if t is not a square,                  t r^2 = -1
// because h (m0 - e)/2 = -m1^2/4.
//
// m is a square in GF(p^2) exactly if its norm is a square in GF(p). delta, an element of GF(p), is always a square in
// GF(p^2). norm(Z) = 5 is not a square in GF(p), so one of norm(m) and 5 norm(m) has a root. Let f = norm(m)^((p+1)/4).
// In the first case f is a root of norm(m). In the second case f^2 = -norm(m), and f g is a root of 5 norm(m), for
// g = 5^((p+1)/4) with g^2 = -5.
SqrtRatio fp2_sqrt_ratio(Fp2 m, Fp delta) {
  const Fp norm = fp2_norm(m);
  const Fp f = fp_sqr_n(norm, 125);
  const u64 is_square = fp_equal(fp_sqr(f), norm);
  const u64 mask = base::ct_mask(is_square);
  m = fp2_select(mask, m, fp2_mul(m, kZ));
  const Fp e = fp_select(mask, f, fp_mul(f, kRootOfMinusFive));

  // h is 0 only if m1 = 0 and e = -m0. The other root of the norm then gives h = m0.
  Fp h = fp_half(fp_add(m.re, e));
  h = fp_select(base::ct_mask(fp_is_zero(h)), m.re, h);

  const Fp t = fp_mul(h, delta);
  const Fp r = fp_pow_p_minus_3_over_4(t);
  const Fp rr = fp_sqr(r);
  const u64 t_is_square = base::ct_mask(fp_equal(fp_mul(t, rr), kFpOne));
  const Fp hr = fp_mul(h, r);
  const Fp m1r = fp_half(fp_mul(m.im, r));
  // 1/delta = h/t = +-h r^2.
  const Fp hrr = fp_mul(h, rr);
  return {is_square,
          {fp_select(t_is_square, hr, m1r), fp_select(t_is_square, m1r, fp_neg(hr))},
          fp_select(t_is_square, hrr, fp_neg(hrr))};
}

}  // namespace optiks::vrf
