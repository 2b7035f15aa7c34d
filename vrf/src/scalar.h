// Integers modulo N, the 246-bit prime order of the subgroup, constant time.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "fp.h"

namespace optiks::vrf {

// Four little-endian 64-bit words. The value is in [0, N) unless a function says "any 256-bit value". Secret scalars
// are kept in base::Zeroizing<Scalar>.
struct Scalar {
  std::array<u64, 4> w;
};

inline constexpr Scalar kOrder = {{0x2fb2540ec7768ce7, 0xdfbd004dfe0f7999, 0xf05397829cbc14e5, 0x0029cbc14e5e0a72}};

[[nodiscard]] Scalar scalar_from_bytes_unchecked(std::span<const std::uint8_t, 32> bytes);
void scalar_to_bytes(std::span<std::uint8_t, 32> out, const Scalar& a);

// 1 if the 256-bit value is below N.
[[nodiscard]] u64 scalar_is_canonical(const Scalar& a);
[[nodiscard]] u64 scalar_is_zero(const Scalar& a);

// Reduces any 256-bit value modulo N.
[[nodiscard]] Scalar scalar_reduce(const Scalar& a);
// Reduces a 512-bit little-endian integer modulo N.
[[nodiscard]] Scalar scalar_reduce_wide(std::span<const std::uint8_t, 64> bytes);

// a and b are in [0, N).
[[nodiscard]] Scalar scalar_add(const Scalar& a, const Scalar& b);
[[nodiscard]] Scalar scalar_sub(const Scalar& a, const Scalar& b);
// a is any 256-bit value, b is in [0, N).
[[nodiscard]] Scalar scalar_mul(const Scalar& a, const Scalar& b);

// b*2^128 mod N, the form of a factor for scalar_mul_short.
struct ShiftedScalar {
  Scalar value;
};
[[nodiscard]] ShiftedScalar scalar_shifted(const Scalar& b);
// a*b for a 128-bit integer a, at half the cost of scalar_mul.
[[nodiscard]] Scalar scalar_mul_short(const std::array<u64, 2>& a, const ShiftedScalar& b);

// (a + b)/2 modulo N, below 3N/2 and not reduced; a and b are in [0, N).
[[nodiscard]] Scalar scalar_half_sum(const Scalar& a, const Scalar& b);

}  // namespace optiks::vrf
