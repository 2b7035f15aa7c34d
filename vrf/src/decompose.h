// Four-dimensional decomposition of scalars (eprint 2015/565 section 5.2, Babai rounding) and the
// signed recoding of the four parts (section 5.3), constant time.
#pragma once

#include <array>
#include <cstdint>

#include "scalar.h"

namespace optiks::vrf {

// MiniScalars: [m]P = [v[0]]P + [v[1]]phi(P) + [v[2]]psi(P) + [v[3]]psi(phi(P)) for P of order N. v[0] is odd.
struct MiniScalars {
  std::array<u64, 4> v;
};

// m is any 256-bit value.
[[nodiscard]] MiniScalars decompose(const Scalar& m);

inline constexpr std::size_t kNumDigits = 65;

// Digits: v[0] = sum of sign_i 2^i, and v[j] = sum of sign_i bit_(j-1)(index_i) 2^i for j = 1, 2, 3.
// sign_mask is 0 for +1 and all ones for -1; the top sign is +1.
struct Digits {
  std::array<u64, kNumDigits> sign_mask;
  std::array<std::uint8_t, kNumDigits> index;  // 0..7
};

[[nodiscard]] Digits recode(const MiniScalars& scalars);

}  // namespace optiks::vrf
