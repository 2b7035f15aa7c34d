#include "endomorphism.h"

#include "point.h"

namespace optiks::vrf {

Isogenous<SingleField> point_tau(const Point& point) { return tau(point); }

Point phi_of_tau(const Isogenous<SingleField>& point) { return tau_dual(upsilon(point)); }

Point psi_of_tau(const Isogenous<SingleField>& point) { return tau_dual(chi(point)); }

}  // namespace optiks::vrf
