// Precomputed multiples of the generator. make_base_tables.py writes base_tables.cc.
#pragma once

#include "point.h"

namespace optiks::vrf {

// kCombTable[u][i] = 2^(10 u) (2^200 + sum over j < 4 of +-2^(50 j)) G, with + where bit j of i is set. The index may
// be secret, so the code reads all entries, and selects one with a mask.
extern const AffinePoint kCombTable[5][16];

// kOddMultiples[u][i] = (2 i + 1) 2^(32 u) G. The table is read only at public indices.
extern const AffinePoint kOddMultiples[8][16];

}  // namespace optiks::vrf
