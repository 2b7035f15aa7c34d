#include "endomorphism.h"

#include "point.h"

namespace optiks::vrf {

Isogenous<SingleField> point_tau(const Point& point) { return tau(point); }

Isogenous<SingleField> point_upsilon(const Isogenous<SingleField>& point) { return upsilon(point); }

Isogenous<SingleField> point_chi(const Isogenous<SingleField>& point) { return chi(point); }

Point point_tau_dual(const Isogenous<SingleField>& point) { return tau_dual(point); }

}  // namespace optiks::vrf
