// Constant-time multiplication: by the endomorphisms for points of order N, and by a comb for the generator.
#pragma once

#include "decompose.h"
#include "point.h"

namespace optiks::vrf {

// P + the sums of phi(P), psi(P), psi(phi(P)) that the index bits 0, 1, 2 select. One table serves every multiplication
// of the same point (proving multiplies H by x and by the nonce).
struct MulTable {
  CachedPoint entries[8];
};

// point must have order N (or be the identity): the endomorphisms are wrong for other points.
[[nodiscard]] MulTable make_mul_table(const Point& point);

// 62 doublings, 63 additions.
[[nodiscard]] Point scalar_mul(const MulTable& table, const Digits& digits);

// [k]P for P of order N; k is any 256-bit value.
[[nodiscard]] Point scalar_mul(const Point& point, const Scalar& k);

// [k]G; k is any 256-bit value. 9 doublings, 50 additions of precomputed points.
[[nodiscard]] Point fixed_base_mul(const Scalar& k);

}  // namespace optiks::vrf
