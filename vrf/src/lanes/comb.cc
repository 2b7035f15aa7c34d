#include "comb.h"

#include <array>

#include "scalar_mul.h"

namespace optiks::vrf::lanes {
namespace {

// 2^252 - 1 mod N.
constexpr Scalar kAllOnes = {{0xbdbbd257a49e0f91, 0x59a5e224be13735b, 0, 0}};

// The points that a comb is made of: the points of block 0, of block 1, and so on, then the point itself.
template <typename Comb>
using CombPoints = std::array<AffinePoint, Comb::kNumBlocks * Comb::kNumEntries + 1>;

template <typename Limbs, std::size_t NumTeeth, std::size_t NumBlocks>
void fill(CombTable<Limbs, NumTeeth, NumBlocks>& table,
          const CombPoints<CombTable<Limbs, NumTeeth, NumBlocks>>& points) {
  constexpr std::size_t kNumEntries = CombTable<Limbs, NumTeeth, NumBlocks>::kNumEntries;
  for (std::size_t i = 0; i < NumBlocks * kNumEntries; ++i) {
    const Fp2 coordinates[3] = {points[i].y_plus_x, points[i].y_minus_x, points[i].t2d};
    for (std::size_t j = 0; j < 3; ++j) {
      const auto put = [&](std::size_t part, Fp a) {
        const auto words = Limbs::table_words(fp_canonical(a));
        for (std::size_t word = 0; word < words.size(); ++word) {
          table.words[i / kNumEntries][j][part][word][i % kNumEntries] =
              static_cast<typename Limbs::TableWord>(words[word]);
        }
      };
      put(0, coordinates[j].re);
      put(1, coordinates[j].im);
    }
  }
}

// Makes the comb of a point. The function uses 64 KB of stack and allocates no memory, because the first batch of
// proofs makes the generator's comb, and an allocation that failed would make this batch fail.
template <typename Comb>
CombPoints<Comb> comb_points_vartime(const Point& y, std::size_t tooth_len) {
  constexpr std::size_t kNumTeeth = Comb::kNumTeeth;
  constexpr std::size_t kNumEntries = Comb::kNumEntries;
  constexpr std::size_t kNumBlocks = Comb::kNumBlocks;
  std::array<Point, kNumBlocks * kNumEntries + 1> points;
  Point power = y;
  points[0] = kIdentity;
  points.back() = y;
  for (std::size_t tooth = 0; tooth < kNumTeeth; ++tooth) {
    const CachedPoint addend = point_to_cached(power);
    if (tooth + 1 < kNumTeeth) {
      for (std::size_t i = 0; i < std::size_t{1} << tooth; ++i) {
        Point& with = points[i | (std::size_t{1} << tooth)];
        with = points[i];
        point_add(with, addend);
        point_sub(points[i], addend);
      }
      for (std::size_t i = 0; i < tooth_len; ++i) {
        point_double(power);
      }
    } else {
      for (std::size_t i = 0; i < kNumEntries; ++i) {
        point_add(points[i], addend);
      }
    }
  }
  for (std::size_t i = kNumEntries; i < kNumBlocks * kNumEntries; ++i) {
    points[i] = points[i - kNumEntries];
    for (std::size_t j = 0; j < kNumColumns; ++j) {
      point_double(points[i]);
    }
  }
  std::array<Fp2, points.size()> z_inverses;
  std::array<Fp2, points.size()> scratch;
  for (std::size_t i = 0; i < points.size(); ++i) {
    z_inverses[i] = points[i].z;
  }
  fp2_invert_many(z_inverses.data(), scratch.data(), points.size());
  CombPoints<Comb> affine;
  for (std::size_t i = 0; i < points.size(); ++i) {
    affine[i] = point_to_affine(points[i], z_inverses[i]);
  }
  return affine;
}

template <typename Limbs>
GeneratorComb<Limbs> make_generator_comb() {
  using Comb = GeneratorComb<Limbs>;
  Comb table{};
  fill(table, comb_points_vartime<Comb>(kGenerator, kGeneratorTooth));
  return table;
}

}  // namespace

template <typename Limbs>
const GeneratorComb<Limbs>& generator_comb() {
  static const GeneratorComb<Limbs> kTable = make_generator_comb<Limbs>();
  return kTable;
}
template const GeneratorComb<Limbs43>& generator_comb();
template const GeneratorComb<Limbs26>& generator_comb();

Scalar generator_bits(const Scalar& k) { return scalar_half_sum(k, kAllOnes); }

ChallengeCombs make_challenge_comb_vartime(const Point& y) {
  using Table = ChallengeComb<Limbs43>;
  const auto points = comb_points_vartime<Table>(y, kChallengeTooth);
  ChallengeCombs combs{};
  fill(combs.in_three_limbs, points);
  fill(combs.in_five_limbs, points);
  combs.y = points.back();
  return combs;
}

}  // namespace optiks::vrf::lanes
