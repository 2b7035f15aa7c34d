#include "endomorphism.h"

#include "point.h"

namespace optiks::vrf {

Point point_phi(const Point& point) { return tau_dual(upsilon(tau(point))); }

Point point_psi(const Point& point) { return tau_dual(chi(tau(point))); }

}  // namespace optiks::vrf
