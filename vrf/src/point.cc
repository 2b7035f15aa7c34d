#include "point.h"

namespace optiks::vrf {
namespace {

constexpr Fp2 kTwoD = fp2_add(kCurveD, kCurveD);

// The half of an addition that the forms share: a = (Y1 - X1)(Y2 - X2), b = (Y1 + X1)(Y2 + X2), c = 2d T1 T2,
// d = 2 Z1 Z2.
OPTIKS_INLINE void finish_addition(Point& out, Fp2 a, Fp2 b, Fp2 c, Fp2 d) {
  const Fp2 e = fp2_sub(b, a);
  const Fp2 f = fp2_sub(d, c);
  const Fp2 g = fp2_add(d, c);
  const Fp2 h = fp2_add(b, a);
  out = {fp2_mul(e, f), fp2_mul(g, h), fp2_mul(f, g), e, h};
}

OPTIKS_INLINE void add_cached(Point& point, const Fp2& y_plus_x, const Fp2& y_minus_x, const Fp2& z2, Fp2 t2d) {
  const Fp2 t = fp2_mul(point.ta, point.tb);
  finish_addition(point, fp2_mul(fp2_sub(point.y, point.x), y_minus_x), fp2_mul(fp2_add(point.y, point.x), y_plus_x),
                  fp2_mul(t, t2d), fp2_mul(point.z, z2));
}

OPTIKS_INLINE void add_affine(Point& point, const Fp2& y_plus_x, const Fp2& y_minus_x, Fp2 t2d) {
  const Fp2 t = fp2_mul(point.ta, point.tb);
  finish_addition(point, fp2_mul(fp2_sub(point.y, point.x), y_minus_x), fp2_mul(fp2_add(point.y, point.x), y_plus_x),
                  fp2_mul(t, t2d), fp2_double(point.z));
}

// The sign of x, in [0, p): bit 126 of x0, or of x1 when x0 = 0.
u64 sign_of(Fp2 x) {
  const Fp re = fp_canonical(x.re);
  const Fp im = fp_canonical(x.im);
  const u64 re_is_zero = base::ct_mask(fp_is_zero(re));
  return (base::ct_select(re_is_zero, high64(im.v), high64(re.v)) >> 62) & 1;
}

}  // namespace

void point_double(Point& point) {
  const Fp2 a = fp2_sqr(point.x);
  const Fp2 b = fp2_sqr(point.y);
  const Fp2 c = fp2_double(fp2_sqr(point.z));
  const Fp2 d = fp2_add(a, b);
  const Fp2 e = fp2_sub(fp2_sqr(fp2_add(point.x, point.y)), d);
  const Fp2 f = fp2_sub(b, a);
  const Fp2 g = fp2_sub(c, f);
  point = {fp2_mul(e, g), fp2_mul(d, f), fp2_mul(f, g), e, d};
}

void point_add(Point& point, const CachedPoint& other) {
  add_cached(point, other.y_plus_x, other.y_minus_x, other.z2, other.t2d);
}

void point_sub(Point& point, const CachedPoint& other) {
  add_cached(point, other.y_minus_x, other.y_plus_x, other.z2, fp2_neg(other.t2d));
}

void point_add(Point& point, const AffinePoint& other) {
  add_affine(point, other.y_plus_x, other.y_minus_x, other.t2d);
}

void point_sub(Point& point, const AffinePoint& other) {
  add_affine(point, other.y_minus_x, other.y_plus_x, fp2_neg(other.t2d));
}

CachedPoint point_to_cached(const Point& point) {
  return {fp2_add(point.y, point.x), fp2_sub(point.y, point.x), fp2_double(point.z),
          fp2_mul(fp2_mul(point.ta, point.tb), kTwoD)};
}

AffinePoint point_to_affine(const Point& point, const Fp2& z_inverse) {
  const Fp2 x = fp2_mul(point.x, z_inverse);
  const Fp2 y = fp2_mul(point.y, z_inverse);
  return {fp2_add(y, x), fp2_sub(y, x), fp2_mul(fp2_mul(x, y), kTwoD)};
}

u64 point_is_identity(const Point& point) { return fp2_is_zero(point.x) & fp2_equal(point.y, point.z); }

// 392 = 2^3 (2^4 (2 + 1) + 1).
Point point_clear_cofactor(const Point& point) {
  const CachedPoint cached = point_to_cached(point);
  Point out = point;
  point_double(out);
  point_add(out, cached);
  for (int i = 0; i < 4; ++i) {
    point_double(out);
  }
  point_add(out, cached);
  for (int i = 0; i < 3; ++i) {
    point_double(out);
  }
  return out;
}

void point_encode(std::span<std::uint8_t, kPointLen> out, const Point& point, const Fp2& z_inverse) {
  fp2_to_bytes(out.data(), fp2_mul(point.y, z_inverse));
  out[31] |= static_cast<std::uint8_t>(sign_of(fp2_mul(point.x, z_inverse)) << 7);
}

// x^2 = (y^2 - 1)/(d y^2 + 1) = (y^2 - 1) conj(v)/norm(v) with v = d y^2 + 1, never 0.
std::optional<Point> point_decode_vartime(std::span<const std::uint8_t, kPointLen> in) {
  const u64 sign = in[31] >> 7;
  Fp2 y = {fp_from_bytes_unchecked(in.data()), fp_from_bytes_unchecked(in.data() + 16)};
  y.im.v &= kP;
  if (y.re.v >= kP || y.im.v >= kP) {  // covers bit 127 of the first half
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
