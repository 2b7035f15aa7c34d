#include "comb.h"

#include <vector>

#include "base_tables.h"

namespace optiks::vrf::lanes {
namespace {

constexpr std::size_t kNumEntries = 16;

template <typename Word, typename Limbs>
void store(Word* limbs, std::size_t stride, Fp a) {
  const auto cut = Limbs::cut(fp_canonical(a));
  for (std::size_t i = 0; i < cut.size(); ++i) {
    limbs[i * stride] = static_cast<Word>(cut[i]);
  }
}

// Entry i of a block of a comb.
template <typename Limbs>
void store_entry(typename Limbs::TableWord (&block)[3][2][Limbs::kNum][kNumEntries], std::size_t i,
                 const AffinePoint& point) {
  const Fp2* const coordinates[3] = {&point.y_plus_x, &point.y_minus_x, &point.t2d};
  for (std::size_t j = 0; j < 3; ++j) {
    store<typename Limbs::TableWord, Limbs>(&block[j][0][0][i], kNumEntries, coordinates[j]->re);
    store<typename Limbs::TableWord, Limbs>(&block[j][1][0][i], kNumEntries, coordinates[j]->im);
  }
}

template <typename Limbs>
GeneratorComb<Limbs> make_generator_comb() {
  GeneratorComb<Limbs> table{};
  for (std::size_t block = 0; block < 5; ++block) {
    for (std::size_t i = 0; i < kNumEntries; ++i) {
      store_entry<Limbs>(table.limbs[block], i, kCombTable[block][i]);
    }
  }
  return table;
}

// points: those of the three blocks, then Y.
template <typename Limbs>
void fill(ChallengeComb<Limbs>& comb, const std::vector<AffinePoint>& points) {
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    store_entry<Limbs>(comb.table.limbs[i / kNumEntries], i % kNumEntries, points[i]);
  }
  const AffinePoint& y = points.back();
  const Fp2* const coordinates[3] = {&y.y_plus_x, &y.y_minus_x, &y.t2d};
  for (std::size_t j = 0; j < 3; ++j) {
    store<u64, Limbs>(comb.y[j][0], 1, coordinates[j]->re);
    store<u64, Limbs>(comb.y[j][1], 1, coordinates[j]->im);
  }
}

}  // namespace

template <typename Limbs>
const GeneratorComb<Limbs>& generator_comb() {
  static const GeneratorComb<Limbs> kTable = make_generator_comb<Limbs>();
  return kTable;
}
template const GeneratorComb<Limbs44>& generator_comb();
template const GeneratorComb<Limbs26>& generator_comb();

ChallengeCombs make_challenge_comb_vartime(const Point& y) {
  constexpr std::size_t kBlocks = 3;
  // Entry i of block 0 is 2^104 Y with +-2^(26 j) Y, + where bit j of i is set; a block is the one before it times
  // 2^10.
  std::vector<Point> points(kBlocks * kNumEntries + 1, y);
  Point power = y;
  points[0] = kIdentity;
  for (std::size_t tooth = 0; tooth < kNumTeeth; ++tooth) {
    const CachedPoint addend = point_to_cached(power);
    if (tooth + 1 < kNumTeeth) {
      for (std::size_t i = 0; i < std::size_t{1} << tooth; ++i) {
        Point& with = points[i | (std::size_t{1} << tooth)];
        with = points[i];
        point_add(with, addend);
        point_sub(points[i], addend);
      }
      for (std::size_t i = 0; i < kChallengeTooth; ++i) {
        point_double(power);
      }
    } else {
      for (std::size_t i = 0; i < kNumEntries; ++i) {
        point_add(points[i], addend);
      }
    }
  }
  for (std::size_t i = kNumEntries; i < kBlocks * kNumEntries; ++i) {
    points[i] = points[i - kNumEntries];
    for (std::size_t j = 0; j < kNumColumns; ++j) {
      point_double(points[i]);
    }
  }
  std::vector<Fp2> z_inverses(points.size());
  std::vector<Fp2> scratch(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    z_inverses[i] = points[i].z;
  }
  fp2_invert_many(z_inverses.data(), scratch.data(), points.size());

  std::vector<AffinePoint> affine;
  for (std::size_t i = 0; i < points.size(); ++i) {
    affine.push_back(point_to_affine(points[i], z_inverses[i]));
  }
  ChallengeCombs combs{};
  fill(combs.in_three_limbs, affine);
  fill(combs.in_five_limbs, affine);
  return combs;
}

}  // namespace optiks::vrf::lanes
