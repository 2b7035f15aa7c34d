// Multiplications of public points by public scalars, for verification. The time depends on all operands.
#pragma once

#include <cstdint>
#include <span>

#include "point.h"
#include "scalar.h"

namespace optiks::vrf {

// Writes the width-w non-adjacent form of a little-endian integer: num = sum of digits[i] 2^i, where each digit is 0,
// or odd and below 2^(w-1) in absolute value. digits.size() must exceed 64*words.size(); 3 <= w <= 7.
void wnaf_vartime(std::span<std::int8_t> digits, std::span<const u64> words, unsigned width);

// Returns [k]P for every point P of the curve, in the subgroup or not. The function uses no endomorphism.
[[nodiscard]] Point point_mul_exact_vartime(const Point& point, std::span<const u64> k);

// Returns true if N*P is the identity O.
[[nodiscard]] bool point_in_subgroup_vartime(const Point& point);

// The table for multiplying P by a 128-bit integer: the odd multiples (2 i + 1) 2^(32 u) P for u < 4.
struct ShortMulTable {
  AffinePoint entries[4][16];
};
[[nodiscard]] ShortMulTable make_short_mul_table_vartime(const Point& point);

using Challenge = std::span<const u64, 2>;  // a 128-bit integer in little-endian words

// Returns s*G - c*Y, where Y is given by its table, and s is in [0, N). The result is correct for every point Y of the
// curve.
[[nodiscard]] Point generator_minus_vartime(const Scalar& s, Challenge c, const ShortMulTable& y);

// Returns s*H - c*Gamma for H of order N, and for *any* point Gamma of the curve. docs/spec/vrf.md section 7 step 5
// needs the exact c*Gamma, so the function applies no endomorphism to Gamma. s is any 256-bit value.
[[nodiscard]] Point subgroup_minus_any_vartime(const Scalar& s, const Point& h, Challenge c, const Point& gamma);

}  // namespace optiks::vrf
