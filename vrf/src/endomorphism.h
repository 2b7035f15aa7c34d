// The endomorphisms phi and psi of FourQ (eprint 2015/565 section 4). They act as multiplication by fixed scalars on
// points of order N, and on no other points: never apply them to a point that is not known to be in the subgroup.
#pragma once

#include "point.h"

namespace optiks::vrf {

[[nodiscard]] Point point_phi(const Point& point);
[[nodiscard]] Point point_psi(const Point& point);

}  // namespace optiks::vrf
