// The four-dimensional decomposition of scalars (eprint 2015/565 section 5.2, with Babai rounding), and the signed
// recoding of the four parts (section 5.3 there). Both are constant time. The paper's parts are positive and need 65
// digits. The parts here are centred around 0 and need 63.
#pragma once

#include <array>
#include <cstdint>

#include "scalar.h"

namespace optiks::vrf {

// The parts of a scalar m: [m]P = [v[0]]P + [v[1]]phi(P) + [v[2]]psi(P) + [v[3]]psi(phi(P)) for P of order N. The parts
// are in two's complement. v[0] is odd, and |v[0]| and |2 v[j] - v[0]| are below 2^63.
struct MiniScalars {
  std::array<u64, 4> v;
};

// Returns the parts of m, which may be any 256-bit value.
[[nodiscard]] MiniScalars decompose(const Scalar& m);

inline constexpr std::size_t kNumDigits = 63;

// The digits of the parts: v[0] = sum of sign_i 2^i, and v[j] = sum of sign_i index_(j-1),i 2^i for j = 1, 2, 3. In
// sign_mask 0 means +1 and all ones mean -1; in index_mask 0 means 0 and all ones mean 1.
struct Digits {
  std::array<u64, kNumDigits> sign_mask;
  std::array<u64, kNumDigits> index_mask[3];
};

// The digits as the bits of 63-bit integers. The powers 2^i with a negative sign sum to M = (2^63 - 1 - v[0])/2,
// because the sum with all signs is v[0]. Further, v[j] + M = sum of (bit_(j-1)(index_i) xor (sign_i < 0)) 2^i, which
// is a binary number. So parts within the bounds of MiniScalars have digits. Word is u64, or a vector of u64 (lanes/).
template <typename Word>
struct MiniScalarBits {
  Word negative;
  Word index[3];
};

template <typename Word>
OPTIKS_INLINE MiniScalarBits<Word> mini_scalar_bits(const Word& v0, const Word& v1, const Word& v2, const Word& v3) {
  constexpr u64 kAll = (u64{1} << kNumDigits) - 1;
  const Word negative = ((v0 + kAll) >> 1) ^ kAll;
  return {negative, {(v1 + negative) ^ negative, (v2 + negative) ^ negative, (v3 + negative) ^ negative}};
}

[[nodiscard]] Digits recode(const MiniScalars& scalars);

}  // namespace optiks::vrf
