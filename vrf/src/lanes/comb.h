// Signed combs (fixed_base.cc) whose tables are read by eight lanes at eight indexes.
//
// An odd integer v below 2^(t*w) is the sum of s_i 2^i over i < t*w with all s_i = +-1; s_i is + where bit i of
// (v + 2^(t*w) - 1)/2 is set. Tooth j of t = 5 holds the bits from j*w on. The columns of a tooth are cut in blocks of
// ten: all blocks share nine doublings.
#pragma once

#include "point.h"
#include "scalar.h"

namespace optiks::vrf::lanes {

inline constexpr std::size_t kNumTeeth = 5;
inline constexpr std::size_t kNumColumns = 10;

// CombTable: entry [u][i] of an affine table of 16 (base_tables.h kCombTable), limb by limb as lane_fp.h cuts them:
// limbs[u][coordinate][re, im][limb][i].
template <std::size_t NumBlocks>
struct CombTable {
  alignas(64) u64 limbs[NumBlocks][3][2][3][16];
};

using GeneratorComb = CombTable<5>;  // teeth of 50 bits

// ChallengeComb: of a public key Y, for integers of 128 bits.
struct ChallengeComb {
  CombTable<3> table;  // teeth of 26 bits: blocks of 10, 10 and 6 columns
  u64 y[3][2][3];      // Y itself, an affine point in limbs
};

inline constexpr std::size_t kGeneratorTooth = 50;
inline constexpr std::size_t kChallengeTooth = 26;

// generator_comb: built once, from kCombTable.
[[nodiscard]] const GeneratorComb& generator_comb();

// y is any public point of the curve. Costs about 70 additions and 120 doublings.
[[nodiscard]] ChallengeComb make_challenge_comb_vartime(const Point& y);

}  // namespace optiks::vrf::lanes
