#include "scalar_mul.h"

#include "endomorphism.h"
#include "table_select.h"

namespace optiks::vrf {
namespace {

CachedPoint negate_if(u64 mask, const CachedPoint& point) {
  return {fp2_select(mask, point.y_minus_x, point.y_plus_x), fp2_select(mask, point.y_plus_x, point.y_minus_x),
          point.z2, fp2_select(mask, fp2_neg(point.t2d), point.t2d)};
}

}  // namespace

MulTable make_mul_table(const Point& point) {
  const Point phi = point_phi(point);
  const CachedPoint phi_cached = point_to_cached(phi);
  const CachedPoint psi_cached = point_to_cached(point_psi(point));
  const CachedPoint psi_phi_cached = point_to_cached(point_psi(phi));
  const CachedPoint* const addends[3] = {&phi_cached, &psi_cached, &psi_phi_cached};
  Point sums[8];
  sums[0] = point;
  MulTable table;
  table.entries[0] = point_to_cached(point);
  for (std::size_t i = 1; i < 8; ++i) {
    const std::size_t top = i >= 4 ? 2 : i >= 2 ? 1 : 0;
    sums[i] = sums[i - (std::size_t{1} << top)];
    point_add(sums[i], *addends[top]);
    table.entries[i] = point_to_cached(sums[i]);
  }
  return table;
}

Point scalar_mul(const MulTable& table, const Digits& digits) {
  Point sum = kIdentity;
  point_add(sum, table_select(table.entries, digits.index[kNumDigits - 1]));
  for (std::size_t i = kNumDigits - 1; i-- > 0;) {
    point_double(sum);
    point_add(sum, negate_if(digits.sign_mask[i], table_select(table.entries, digits.index[i])));
  }
  return sum;
}

Point scalar_mul(const Point& point, const Scalar& k) {
  const base::Zeroizing<MiniScalars> parts(decompose(k));
  const base::Zeroizing<Digits> digits(recode(*parts));
  return scalar_mul(make_mul_table(point), *digits);
}

}  // namespace optiks::vrf
