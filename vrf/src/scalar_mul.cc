#include "scalar_mul.h"

#include "mul_formulas.h"
#include "table_select.h"

namespace optiks::vrf {

MulTable make_mul_table(const Point& point) {
  MulTable table;
  fill_mul_table(table, point);
  return table;
}

Point scalar_mul(const MulTable& table, const Digits& digits) {
  const auto digit_point = [&](std::size_t i) {
    return table_select(table.entries, digits.index[i], digits.sign_mask[i]);
  };
  Point top = kIdentity;
  point_add(top, digit_point(kNumDigits - 1));
  return mul_digits(top, digit_point);
}

Point scalar_mul(const Point& point, const Scalar& k) {
  const base::Zeroizing<MiniScalars> parts(decompose(k));
  const base::Zeroizing<Digits> digits(recode(*parts));
  return scalar_mul(make_mul_table(point), *digits);
}

}  // namespace optiks::vrf
