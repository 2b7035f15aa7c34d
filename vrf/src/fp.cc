#include "fp.h"

namespace optiks::vrf {

Fp fp_sqr_n(Fp a, unsigned n) {
  for (unsigned i = 0; i < n; ++i) {
    a = fp_sqr(a);
  }
  return a;
}

// In binary, the exponent after each step consists only of ones. The numbers of ones are an addition chain: 1, 2, 3, 6,
// 12, 24, 48, 96, 120, 123, and at the end 125.
Fp fp_pow_p_minus_3_over_4(Fp a) {
  const Fp e1 = a;
  const Fp e2 = fp_mul(fp_sqr(e1), e1);
  const Fp e3 = fp_mul(fp_sqr(e2), e1);
  const Fp e6 = fp_mul(fp_sqr_n(e3, 3), e3);
  const Fp e12 = fp_mul(fp_sqr_n(e6, 6), e6);
  const Fp e24 = fp_mul(fp_sqr_n(e12, 12), e12);
  const Fp e48 = fp_mul(fp_sqr_n(e24, 24), e24);
  const Fp e96 = fp_mul(fp_sqr_n(e48, 48), e48);
  const Fp e120 = fp_mul(fp_sqr_n(e96, 24), e24);
  const Fp e123 = fp_mul(fp_sqr_n(e120, 3), e3);
  return fp_mul(fp_sqr_n(e123, 2), e2);
}

Fp fp_invert(Fp a) { return fp_mul(fp_sqr_n(fp_pow_p_minus_3_over_4(a), 2), a); }

}  // namespace optiks::vrf
