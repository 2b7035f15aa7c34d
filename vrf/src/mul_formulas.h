// Sequences of doublings and additions, for one point and for eight (curve_formulas.h): what point_double, point_add
// and the others cost is theirs to say.
#pragma once

#include "endomorphism.h"
#include "scalar_mul.h"

namespace optiks::vrf {

// The sums of phi(P), psi(P) and psi(phi(P)) on P: three endomorphisms, 7 additions. P has order N or is the identity.
template <typename F>
OPTIKS_INLINE void fill_mul_table(BasicMulTable<F>& table, const BasicPoint<F>& point) {
  const Isogenous<F> isogenous = point_tau(point);
  const BasicPoint<F> phi = phi_of_tau(isogenous);
  const BasicCachedPoint<F> addends[3] = {point_to_cached(phi), point_to_cached(psi_of_tau(isogenous)),
                                          point_to_cached(psi_of_tau(point_tau(phi)))};
  BasicPoint<F> sums[8];
  sums[0] = point;
  table.entries[0] = point_to_cached(point);
  for (std::size_t i = 1; i < 8; ++i) {
    const std::size_t top = i >= 4 ? 2 : i >= 2 ? 1 : 0;
    sums[i] = sums[i - (std::size_t{1} << top)];
    point_add(sums[i], addends[top]);
    table.entries[i] = point_to_cached(sums[i]);
  }
}

// 392*point = 2^3 (2^4 (2 + 1) + 1) point, for every point of the curve: 8 doublings, 2 additions.
template <typename F>
OPTIKS_INLINE BasicPoint<F> cofactor_cleared(const BasicPoint<F>& point) {
  const BasicCachedPoint<F> addend = point_to_cached(point);
  BasicPoint<F> out = point;
  point_double_add(out, addend);
  for (int i = 0; i < 3; ++i) {
    point_double(out);
  }
  point_double_add(out, addend);
  for (int i = 0; i < 3; ++i) {
    point_double(out);
  }
  return out;
}

// 62 doublings, 63 additions. digit_point(i) is the table's point for digit i with its sign, found in time that does
// not depend on the digit.
template <typename F, typename DigitPoint>
OPTIKS_INLINE BasicPoint<F> mul_digits(const BasicPoint<F>& identity, const DigitPoint& digit_point) {
  BasicPoint<F> sum = identity;
  point_add(sum, digit_point(kNumDigits - 1));
  for (std::size_t i = kNumDigits - 1; i-- > 0;) {
    point_double_add(sum, digit_point(i));
  }
  return sum;
}

}  // namespace optiks::vrf
