#include "point.h"

#include "mul_formulas.h"

namespace optiks::vrf {
namespace {

// Returns the sign of x = x0 + x1 i, whose coordinates are in [0, p): bit 126 of x0, or of x1 if x0 = 0.
u64 sign_of(Fp2 x) {
  const Fp re = fp_canonical(x.re);
  const Fp im = fp_canonical(x.im);
  const u64 re_is_zero = base::ct_mask(fp_is_zero(re));
  return (base::ct_select(re_is_zero, high64(im.v), high64(re.v)) >> 62) & 1;
}

}  // namespace

void point_double(Point& point) { double_in_place(point); }

void point_add(Point& point, const CachedPoint& other) { add_in_place(point, other); }

void point_sub(Point& point, const CachedPoint& other) { add_in_place(point, negated(other)); }

void point_add(Point& point, const AffinePoint& other) { add_in_place(point, other); }

void point_sub(Point& point, const AffinePoint& other) { add_in_place(point, negated(other)); }

CachedPoint point_to_cached(const Point& point) { return cached(point); }

AffinePoint point_to_affine(const Point& point, const Fp2& z_inverse) {
  const Fp2 x = fp2_mul(point.x, z_inverse);
  const Fp2 y = fp2_mul(point.y, z_inverse);
  return {fp2_add(y, x), fp2_sub(y, x), fp2_mul(fp2_mul(x, y), kTwoD)};
}

u64 point_is_identity(const Point& point) { return fp2_is_zero(point.x) & fp2_equal(point.y, point.z); }

Point point_clear_cofactor(const Point& point) { return cofactor_cleared(point); }

void point_encode(std::span<std::uint8_t, kPointLen> out, const Point& point, const Fp2& z_inverse) {
  fp2_to_bytes(out.data(), fp2_mul(point.y, z_inverse));
  out[31] |= static_cast<std::uint8_t>(sign_of(fp2_mul(point.x, z_inverse)) << 7);
}

// The curve gives x^2 = (y^2 - 1)/(d y^2 + 1) = (y^2 - 1) conj(v)/norm(v) with v = d y^2 + 1, which is never 0.
std::optional<Point> point_decode_vartime(std::span<const std::uint8_t, kPointLen> in) {
  const u64 sign = in[31] >> 7;
  Fp2 y = {fp_from_bytes_unchecked(in.data()), fp_from_bytes_unchecked(in.data() + 16)};
  y.im.v &= kP;
  if (y.re.v >= kP || y.im.v >= kP) {  // also refuses strings where bit 127 of the first half is set
    return std::nullopt;
  }
  const Fp2 yy = fp2_sqr(y);
  const Fp2 v = fp2_add(fp2_mul(kCurveD, yy), kFp2One);
  const SqrtRatio ratio = fp2_sqrt_ratio(fp2_mul(fp2_sub(yy, kFp2One), fp2_conj(v)), fp2_norm(v));
  if (ratio.is_square == 0) {
    return std::nullopt;
  }
  Fp2 x = ratio.root;
  if (sign_of(x) != sign) {
    if (fp2_is_zero(x) == 1) {
      return std::nullopt;
    }
    x = fp2_neg(x);
  }
  return Point{x, y, kFp2One, x, y};
}

}  // namespace optiks::vrf
