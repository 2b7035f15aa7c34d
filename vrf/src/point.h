// Points of E: -x^2 + y^2 = 1 + d x^2 y^2 (docs/spec/vrf.md section 1), their forms, and the complete group law.
// Constant time except what ends in _vartime. Formulas: Hisil, Wong, Carter, Dawson (ASIACRYPT 2008) in the forms of
// the FourQ paper (eprint 2015/565) section 3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "fp2.h"

namespace optiks::vrf {

inline constexpr Fp2 kCurveD = fp2(0xe4, 0x0000000000000142, 0x5e472f846657e0fc, 0xb3821488f1fc0c8d);
inline constexpr Fp2 kGeneratorX = fp2(0x1a3472237c2fb305, 0x286592ad7b3833aa, 0x1e1f553f2878aa9c, 0x96869fb360ac77f6);
inline constexpr Fp2 kGeneratorY = fp2(0xe3fee9ba120785a, 0xb924a2462bcbb287, 0x6e1c4af8630e0242, 0x49a7c344844c8b5c);

// Point: x = X/Z, y = Y/Z, T = ta*tb = XY/Z (form R1). Z is never 0: the group law is complete.
struct Point {
  Fp2 x, y, z, ta, tb;
};

// CachedPoint: the second operand of an addition, (Y + X, Y - X, 2Z, 2dT) (form R2).
struct CachedPoint {
  Fp2 y_plus_x, y_minus_x, z2, t2d;
};

// AffinePoint: a cached point with Z = 1, (y + x, y - x, 2dxy); what precomputed tables hold.
struct AffinePoint {
  Fp2 y_plus_x, y_minus_x, t2d;
};

inline constexpr Point kIdentity = {kFp2Zero, kFp2One, kFp2One, kFp2Zero, kFp2One};
inline constexpr Point kGenerator = {kGeneratorX, kGeneratorY, kFp2One, kGeneratorX, kGeneratorY};

// point = 2*point. 3M + 4S.
void point_double(Point& point);
// point = point + other and point = point - other. 8M, and 7M for an affine operand.
void point_add(Point& point, const CachedPoint& other);
void point_sub(Point& point, const CachedPoint& other);
void point_add(Point& point, const AffinePoint& other);
void point_sub(Point& point, const AffinePoint& other);

[[nodiscard]] CachedPoint point_to_cached(const Point& point);
// z_inverse = 1/Z.
[[nodiscard]] AffinePoint point_to_affine(const Point& point, const Fp2& z_inverse);

// 1 for the identity, otherwise 0.
[[nodiscard]] u64 point_is_identity(const Point& point);

// 392*point, right for every point of the curve: 8 doublings, 2 additions.
[[nodiscard]] Point point_clear_cofactor(const Point& point);

inline constexpr std::size_t kPointLen = 32;

// point_to_string of docs/spec/vrf.md section 2; z_inverse = 1/Z.
void point_encode(std::span<std::uint8_t, kPointLen> out, const Point& point, const Fp2& z_inverse);

// string_to_point: strict, nothing for every string that is not the one encoding of a point of the curve.
[[nodiscard]] std::optional<Point> point_decode_vartime(std::span<const std::uint8_t, kPointLen> in);

}  // namespace optiks::vrf
