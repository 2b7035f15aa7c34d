// Signed combs (fixed_base.cc). All lanes read the same tables, each lane at its own index.
//
// An odd integer v below 2^(t*w) is the sum of s_i 2^i over i < t*w, where each s_i is +1 or -1. s_i is +1 if bit i of
// (v + 2^(t*w) - 1)/2 is set. A comb has t teeth: tooth j has w bits, from bit j*w on. The w columns are split into
// blocks of seven columns, and all blocks share six doublings.
#pragma once

#include "limbs.h"
#include "point.h"
#include "scalar.h"

namespace optiks::vrf::lanes {

inline constexpr std::size_t kNumColumns = 7;

// The table of a comb of P. Entry i of block u is 2^(7 u) (2^(w (t - 1)) P + the sum of +-2^(w j) P over j < t - 1),
// with + where bit j of i is set. An entry is an affine point, stored as the words of Limbs::table_words:
// words[u][coordinate][re, im][word][i].
template <typename Limbs, std::size_t NumTeeth, std::size_t NumBlocks>
struct CombTable {
  static constexpr std::size_t kNumTeeth = NumTeeth;
  static constexpr std::size_t kNumBlocks = NumBlocks;
  static constexpr std::size_t kNumEntries = std::size_t{1} << (NumTeeth - 1);
  alignas(64) typename Limbs::TableWord words[NumBlocks][3][2][Limbs::kNumTableWords][kNumEntries];
};

inline constexpr std::size_t kGeneratorTooth = 42;
template <typename Limbs>
using GeneratorComb = CombTable<Limbs, 6, 6>;

// The combs of a public key Y for integers of 128 bits, in the forms that the kernels need.
inline constexpr std::size_t kChallengeTooth = 26;
template <typename Limbs>
using ChallengeComb = CombTable<Limbs, 5, 4>;  // the last block has five columns
struct ChallengeCombs {
  ChallengeComb<Limbs43> in_three_limbs;
  ChallengeComb<Limbs26> in_five_limbs;
  AffinePoint y;  // Y itself

  template <typename Limbs>
  [[nodiscard]] const ChallengeComb<Limbs>& in() const {
    if constexpr (Limbs::kNum == 3) {
      return in_three_limbs;
    } else {
      return in_five_limbs;
    }
  }
};

// Returns the generator's comb. The first call builds it, with about 100 additions and 1,300 doublings.
template <typename Limbs>
[[nodiscard]] const GeneratorComb<Limbs>& generator_comb();

// Returns the bits that the comb of the generator reads: (k + 2^252 - 1)/2 mod N, which is below 2^252. k is in [0, N).
[[nodiscard]] Scalar generator_bits(const Scalar& k);

// Makes the combs of y, which may be any public point of the curve. The call takes about 50 additions and 450
// doublings.
[[nodiscard]] ChallengeCombs make_challenge_comb_vartime(const Point& y);

}  // namespace optiks::vrf::lanes
