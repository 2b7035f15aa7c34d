// Arithmetic modulo N, the 246-bit prime order of the subgroup, constant time.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "fp.h"

namespace optiks::vrf {

// A scalar as four little-endian 64-bit words. The value is in [0, N) unless a comment says "any 256-bit value". Code
// that stores a secret scalar uses base::Zeroizing<Scalar>.
struct Scalar {
  std::array<u64, 4> w;
};

inline constexpr Scalar kOrder = {{0x2fb2540ec7768ce7, 0xdfbd004dfe0f7999, 0xf05397829cbc14e5, 0x0029cbc14e5e0a72}};

[[nodiscard]] Scalar scalar_from_bytes_unchecked(std::span<const std::uint8_t, 32> bytes);
void scalar_to_bytes(std::span<std::uint8_t, 32> out, const Scalar& a);

// Returns 1 if the 256-bit value is below N, otherwise 0.
[[nodiscard]] u64 scalar_is_canonical(const Scalar& a);
[[nodiscard]] u64 scalar_is_zero(const Scalar& a);

// Reduces any 256-bit value modulo N.
[[nodiscard]] Scalar scalar_reduce(const Scalar& a);
// Reduces a 512-bit little-endian integer modulo N.
[[nodiscard]] Scalar scalar_reduce_wide(std::span<const std::uint8_t, 64> bytes);

// Returns a + b modulo N, for a and b in [0, N).
[[nodiscard]] Scalar scalar_add(const Scalar& a, const Scalar& b);
// Returns a*b modulo N. `a` is any 256-bit value, and b is in [0, N).
[[nodiscard]] Scalar scalar_mul(const Scalar& a, const Scalar& b);

// b*2^128 mod N: the form in which scalar_mul_short takes its factor b.
struct ShiftedScalar {
  Scalar value;
};
[[nodiscard]] ShiftedScalar scalar_shifted(const Scalar& b);
// Returns a*b modulo N for a 128-bit integer `a`, in half the time of scalar_mul.
[[nodiscard]] Scalar scalar_mul_short(const std::array<u64, 2>& a, const ShiftedScalar& b);

// Returns (a + b)/2 modulo N, for a and b in [0, N). The result is not reduced, but below 3N/2.
[[nodiscard]] Scalar scalar_half_sum(const Scalar& a, const Scalar& b);

}  // namespace optiks::vrf
