// Constant-time multiplication of points by scalars: with the endomorphisms for points of order N, and with a comb for
// the generator.
#pragma once

#include "decompose.h"
#include "point.h"

namespace optiks::vrf {

// The table of a point P. An entry is P plus those of phi(P), psi(P) and psi(phi(P)) that bits 0, 1 and 2 of its index
// select. One table serves every multiplication of the same point (a proof multiplies H by x and by the nonce).
struct MulTable {
  CachedPoint entries[8];
};

// Returns the table of a point, which must have order N or be the identity. For other points the endomorphisms give
// wrong results.
[[nodiscard]] MulTable make_mul_table(const Point& point);

// Multiplies the point of the table by a scalar, given by its digits. Cost: 62 doublings and 63 additions.
[[nodiscard]] Point scalar_mul(const MulTable& table, const Digits& digits);

// Returns [k]P for P of order N. k is any 256-bit value.
[[nodiscard]] Point scalar_mul(const Point& point, const Scalar& k);

// Returns [k]G. k is any 256-bit value. Cost: 9 doublings and 50 additions of precomputed points.
[[nodiscard]] Point fixed_base_mul(const Scalar& k);

}  // namespace optiks::vrf
