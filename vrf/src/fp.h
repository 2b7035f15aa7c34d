// Arithmetic in GF(p), p = 2^127 - 1, constant time.
//
// Bounds. An Fp holds a value in [0, p]. 0 and p are the same element, and only fp_canonical maps p to 0. Every
// function takes and returns values in [0, p] unless it says otherwise. Products are kept as 256-bit Wide values and
// reduced once for each coordinate of GF(p^2).
#pragma once

#include <type_traits>

#include "optiks/base/bytes.h"
#include "optiks/base/secret.h"
#include "uint128.h"

#if defined(__x86_64__)
#include "products_x86_64.h"
#endif

namespace optiks::vrf {

struct Fp {
  u128 v;
};

inline constexpr u128 kP = make_u128(0x7fffffffffffffff, 0xffffffffffffffff);

OPTIKS_INLINE constexpr Fp fp(u64 high, u64 low) { return {make_u128(high, low)}; }
inline constexpr Fp kFpZero = {0};
inline constexpr Fp kFpOne = {1};

// Reduces any s < 2^128 - 1 to [0, p], using 2^127 = 1 modulo p.
OPTIKS_INLINE constexpr Fp fp_fold(u128 s) { return {(s & kP) + (s >> 127)}; }

// Returns a + b. The sum before the fold is at most 2p = 2^128 - 2.
OPTIKS_INLINE constexpr Fp fp_add(Fp a, Fp b) { return fp_fold(a.v + b.v); }

// Returns a - b. The difference is in [-p, p]. A negative difference has bit 127 set: the function clears the bit,
// which adds 2^127, and then subtracts 1.
OPTIKS_INLINE constexpr Fp fp_sub(Fp a, Fp b) {
  const u128 d = a.v - b.v;
  return {(d & kP) - (d >> 127)};
}

// Returns p - a, which is `a` with all 127 bits flipped.
OPTIKS_INLINE constexpr Fp fp_neg(Fp a) { return {a.v ^ kP}; }

// Returns a/2. Adding p makes an odd value even. The largest result is (p + p)/2 = p.
OPTIKS_INLINE constexpr Fp fp_half(Fp a) {
  const u128 odd = a.v & 1;
  return {(a.v >> 1) + (odd << 126)};  // (a + p)/2 = (a - 1)/2 + 2^126
}

struct Wide {
  u128 low, high;
};

// Returns a*b for a, b <= p. The sum of the cross products is at most 2*(2^64 - 1)*(2^63 - 1) < 2^128 - 2^65, so adding
// the upper half of the low product does not carry. The result is at most p^2 < 2^254.
OPTIKS_INLINE constexpr Wide wide_mul(Fp a, Fp b) {
  const u128 low = mul_64x64(low64(a.v), low64(b.v));
  const u128 mid = mul_64x64(low64(a.v), high64(b.v)) + mul_64x64(high64(a.v), low64(b.v)) + high64(low);
  const u128 high = mul_64x64(high64(a.v), high64(b.v)) + high64(mid);
  return {make_u128(low64(mid), low64(low)), high};
}

OPTIKS_INLINE constexpr Wide wide_sqr(Fp a) {
  const u128 low = mul_64x64(low64(a.v), low64(a.v));
  const u128 mid = mul_64x64(low64(a.v), high64(a.v) << 1) + high64(low);
  const u128 high = mul_64x64(high64(a.v), high64(a.v)) + high64(mid);
  return {make_u128(low64(mid), low64(low)), high};
}

OPTIKS_INLINE constexpr Wide wide_add(Wide a, Wide b) {
  const u128 low = a.low + b.low;
  return {low, a.high + b.high + static_cast<u128>(low < a.low)};
}

// Reduces t <= p^2 to [0, p] by adding the low 127 bits of t to the quotient t div 2^127, as 2^127 = 1 modulo p. The
// quotient is less than p, so this sum is less than 2p.
OPTIKS_INLINE constexpr Fp wide_reduce_one(Wide t) { return fp_fold((t.low & kP) + ((t.high << 1) | (t.low >> 127))); }

// Reduces t <= 2p^2 to [0, p]. The quotient q = t div 2^127 is at most 2p - 2, so it may use bit 127, which counts as
// 1, because 2^127 = 1 modulo p. So the argument of fp_fold() is at most 2p = 2^128 - 2.
OPTIKS_INLINE constexpr Fp wide_reduce_two(Wide t) {
  const u128 q = (t.high << 1) | (t.low >> 127);
  return fp_fold((q & kP) + (t.low & kP) + (q >> 127));
}

// The products in portable C++. The compiler also uses this code to evaluate constants.
namespace portable {
// Returns x*y + z*w. All operands are at most p.
OPTIKS_INLINE constexpr u128 dot(u128 x, u128 y, u128 z, u128 w) {
  return wide_reduce_two(wide_add(wide_mul({x}, {y}), wide_mul({z}, {w}))).v;
}
// Returns x*y, for x <= 2p and y <= p.
OPTIKS_INLINE constexpr u128 mul(u128 x, u128 y) { return wide_reduce_one(wide_mul(fp_fold(x), {y})).v; }
// Returns x*x, for x <= p.
OPTIKS_INLINE constexpr u128 sqr(u128 x) { return wide_reduce_one(wide_sqr({x})).v; }
}  // namespace portable

#if defined(__x86_64__)
namespace products = x86_64;
#else
namespace products = portable;
#endif

// Returns a*b + c*d, with one reduction.
OPTIKS_INLINE constexpr Fp fp_dot(Fp a, Fp b, Fp c, Fp d) {
  return {std::is_constant_evaluated() ? portable::dot(a.v, b.v, c.v, d.v) : products::dot(a.v, b.v, c.v, d.v)};
}
OPTIKS_INLINE constexpr Fp fp_mul(Fp a, Fp b) {
  return {std::is_constant_evaluated() ? portable::mul(a.v, b.v) : products::mul(a.v, b.v)};
}
OPTIKS_INLINE constexpr Fp fp_sqr(Fp a) {
  return {std::is_constant_evaluated() ? portable::sqr(a.v) : products::sqr(a.v)};
}
// Returns (a + b)*c, without folding the sum first.
OPTIKS_INLINE constexpr Fp fp_mul_sum(Fp a, Fp b, Fp c) {
  return {std::is_constant_evaluated() ? portable::mul(a.v + b.v, c.v) : products::mul(a.v + b.v, c.v)};
}

// Returns the representative in [0, p): a + 1 carries into bit 127 only for a = p.
OPTIKS_INLINE constexpr Fp fp_canonical(Fp a) { return {(a.v + ((a.v + 1) >> 127)) & kP}; }

// Returns 1 if a = 0, otherwise 0.
OPTIKS_INLINE u64 fp_is_zero(Fp a) {
  const Fp c = fp_canonical(a);
  return base::ct_is_zero(low64(c.v) | high64(c.v));
}

OPTIKS_INLINE u64 fp_equal(Fp a, Fp b) { return fp_is_zero(fp_sub(a, b)); }

// Returns `a` if `mask` is all ones, and b if `mask` is zero.
OPTIKS_INLINE Fp fp_select(u64 mask, Fp a, Fp b) {
  const u128 m = make_u128(mask, mask);
  return {b.v ^ (m & (a.v ^ b.v))};
}

OPTIKS_INLINE Fp fp_from_bytes_unchecked(const std::uint8_t* in) {
  return {make_u128(base::load_le64(in + 8), base::load_le64(in))};
}

OPTIKS_INLINE void fp_to_bytes(std::uint8_t* out, Fp a) {
  const Fp c = fp_canonical(a);
  base::store_le64(out, low64(c.v));
  base::store_le64(out + 8, high64(c.v));
}

// a^(2^n).
[[nodiscard]] Fp fp_sqr_n(Fp a, unsigned n);

// Returns r = a^((p - 3)/4) = a^(2^125 - 1). If `a` is a square, r is the inverse of a square root of `a`. If `a` is
// not a square, r^2 = -1/a. If `a` is 0, r is 0. Cost: 124S + 9M.
[[nodiscard]] Fp fp_pow_p_minus_3_over_4(Fp a);

// Returns 1/a, or 0 if `a` is 0, as a^(p - 2) = (a^(2^125 - 1))^4 * a. Cost: 126S + 10M.
[[nodiscard]] Fp fp_invert(Fp a);

}  // namespace optiks::vrf
