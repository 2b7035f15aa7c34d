#include "scalar_mul.h"

#include "mul_formulas.h"
#include "table_select.h"

namespace optiks::vrf {

MulTable make_mul_table(const Point& point) {
  MulTable table;
  fill_mul_table(table.entries, point, point_to_cached);
  return table;
}

Point scalar_mul(const MulTable& table, const Digits& digits) {
  const auto digit_point = [&](std::size_t i) {
    const u64 index = (digits.index_mask[0][i] & 1) | (digits.index_mask[1][i] & 2) | (digits.index_mask[2][i] & 4);
    return table_select(table.entries, index, digits.sign_mask[i]);
  };
  Point sum = kIdentity;
  point_add(sum, digit_point(kNumDigits - 1));
  for (std::size_t i = kNumDigits - 1; i-- > 0;) {
    point_double_add(sum, digit_point(i));
  }
  return sum;
}

Point scalar_mul(const Point& point, const Scalar& k) {
  const base::Zeroizing<MiniScalars> parts(decompose(k));
  const base::Zeroizing<Digits> digits(recode(*parts));
  return scalar_mul(make_mul_table(point), *digits);
}

}  // namespace optiks::vrf
