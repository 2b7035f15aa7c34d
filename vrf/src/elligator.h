// The map Elligator 2 onto the curve E, constant time (docs/spec/vrf.md section 5).
#pragma once

#include "point.h"

namespace optiks::vrf {

// The constants A/B, 1/B^2 and B of the Montgomery form. They follow from a = -1 and d: A/B = (d - 1)/2, B = -4/(1 +
// d).
inline constexpr Fp2 kElligatorC1 = fp2(0x4000000000000072, 0x00000000000000a0, 0x6f2397c2332bf07e, 0x59c10a4478fe0646);
inline constexpr Fp2 kElligatorC2 = fp2(0x8000000000047d1, 0x8000000000006591, 0x4a7567c094ab81a2, 0x4d7d9193f3b1931e);
inline constexpr Fp2 kElligatorB = fp2(0x38f, 0xfffffffffffffaf4, 0x1c857ca409785eb0, 0x55234a8cc3ec97e7);

// Maps u to a point of the curve, which in general is outside the subgroup. Callers multiply it by the cofactor.
[[nodiscard]] Point elligator2(const Fp2& u);

}  // namespace optiks::vrf
