// Signed combs (fixed_base.cc) whose tables are read by all lanes, each at its own index.
//
// An odd integer v below 2^(t*w) is the sum of s_i 2^i over i < t*w with all s_i = +-1; s_i is + where bit i of
// (v + 2^(t*w) - 1)/2 is set. Tooth j of t = 5 holds the bits from j*w on. The columns of a tooth are cut in blocks of
// ten: all blocks share nine doublings.
#pragma once

#include "limbs.h"
#include "point.h"
#include "scalar.h"

namespace optiks::vrf::lanes {

inline constexpr std::size_t kNumTeeth = 5;
inline constexpr std::size_t kNumColumns = 10;

// CombTable: entry [u][i] of an affine table of 16 (base_tables.h kCombTable), limb by limb as Limbs cuts them:
// limbs[u][coordinate][re, im][limb][i].
template <typename Limbs, std::size_t NumBlocks>
struct CombTable {
  alignas(64) typename Limbs::TableWord limbs[NumBlocks][3][2][Limbs::kNum][16];
};

template <typename Limbs>
using GeneratorComb = CombTable<Limbs, 5>;  // teeth of 50 bits

// ChallengeComb: of a public key Y, for integers of 128 bits.
template <typename Limbs>
struct ChallengeComb {
  CombTable<Limbs, 3> table;  // teeth of 26 bits: blocks of 10, 10 and 6 columns
  u64 y[3][2][Limbs::kNum];   // Y itself, an affine point in limbs
};

// ChallengeCombs: for every kernel.
struct ChallengeCombs {
  ChallengeComb<Limbs44> in_three_limbs;
  ChallengeComb<Limbs26> in_five_limbs;

  template <typename Limbs>
  [[nodiscard]] const ChallengeComb<Limbs>& in() const {
    if constexpr (Limbs::kNum == 3) {
      return in_three_limbs;
    } else {
      return in_five_limbs;
    }
  }
};

inline constexpr std::size_t kGeneratorTooth = 50;
inline constexpr std::size_t kChallengeTooth = 26;

// generator_comb: built once, from kCombTable.
template <typename Limbs>
[[nodiscard]] const GeneratorComb<Limbs>& generator_comb();

// y is any public point of the curve. Costs about 70 additions and 120 doublings.
[[nodiscard]] ChallengeCombs make_challenge_comb_vartime(const Point& y);

}  // namespace optiks::vrf::lanes
