// Constant-time multiplication: of points of order N by the endomorphisms, and of the generator by a comb.
#pragma once

#include "decompose.h"
#include "point.h"

namespace optiks::vrf {

// MulTable: P + the sums of phi(P), psi(P), psi(phi(P)) that the index bits 0, 1, 2 name. One table serves every
// multiplication of the same point (proving multiplies H by x and by the nonce).
struct MulTable {
  CachedPoint entries[8];
};

// point must have order N (or be the identity): the endomorphisms are wrong elsewhere.
[[nodiscard]] MulTable make_mul_table(const Point& point);

// 62 doublings, 63 additions.
[[nodiscard]] Point scalar_mul(const MulTable& table, const Digits& digits);

// scalar_mul: [k]P for P of order N; k any 256-bit value.
[[nodiscard]] Point scalar_mul(const Point& point, const Scalar& k);

// fixed_base_mul: [k]G; k any 256-bit value. 9 doublings, 50 additions of precomputed points.
[[nodiscard]] Point fixed_base_mul(const Scalar& k);

}  // namespace optiks::vrf
