// Elligator 2 onto E, constant time (docs/spec/vrf.md section 5).
#pragma once

#include "point.h"

namespace optiks::vrf {

// elligator2 maps u to a point of the curve, in general outside the subgroup: multiply by the cofactor.
[[nodiscard]] Point elligator2(const Fp2& u);

}  // namespace optiks::vrf
