// Points of E: -x^2 + y^2 = 1 + d x^2 y^2 (docs/spec/vrf.md section 1), their forms, and the complete group law.
// Constant time, except functions whose names end in _vartime.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "curve_formulas.h"

namespace optiks::vrf {

inline constexpr Fp2 kGeneratorX = fp2(0x1a3472237c2fb305, 0x286592ad7b3833aa, 0x1e1f553f2878aa9c, 0x96869fb360ac77f6);
inline constexpr Fp2 kGeneratorY = fp2(0xe3fee9ba120785a, 0xb924a2462bcbb287, 0x6e1c4af8630e0242, 0x49a7c344844c8b5c);

using Point = BasicPoint<SingleField>;
using CachedPoint = BasicCachedPoint<SingleField>;
using AffinePoint = BasicAffinePoint<SingleField>;

inline constexpr Point kIdentity = {kFp2Zero, kFp2One, kFp2One, kFp2Zero, kFp2One};
inline constexpr Point kGenerator = {kGeneratorX, kGeneratorY, kFp2One, kGeneratorX, kGeneratorY};

// Computes point = 2*point. Cost: 3M + 4S.
void point_double(Point& point);
// These functions compute point = point + other and point = point - other. Cost: 8M, or 7M for an affine operand.
void point_add(Point& point, const CachedPoint& other);
void point_sub(Point& point, const CachedPoint& other);
void point_add(Point& point, const AffinePoint& other);
void point_sub(Point& point, const AffinePoint& other);

[[nodiscard]] CachedPoint point_to_cached(const Point& point);
// z_inverse = 1/Z.
[[nodiscard]] AffinePoint point_to_affine(const Point& point, const Fp2& z_inverse);

// Returns 1 for the identity, otherwise 0.
[[nodiscard]] u64 point_is_identity(const Point& point);

// Computes point = 2*point + other.
inline void point_double_add(Point& point, const CachedPoint& other) {
  point_double(point);
  point_add(point, other);
}

// Returns 392*point, for every point of the curve. Cost: 8 doublings and 2 additions.
[[nodiscard]] Point point_clear_cofactor(const Point& point);

inline constexpr std::size_t kPointLen = 32;

// Writes point_to_string of docs/spec/vrf.md section 2. z_inverse is 1/Z.
void point_encode(std::span<std::uint8_t, kPointLen> out, const Point& point, const Fp2& z_inverse);

// Computes string_to_point. Every point of the curve has exactly one encoding; the function returns nothing for all
// other strings.
[[nodiscard]] std::optional<Point> point_decode_vartime(std::span<const std::uint8_t, kPointLen> in);

}  // namespace optiks::vrf
