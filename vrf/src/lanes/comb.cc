#include "comb.h"

#include <vector>

#include "scalar_mul.h"

namespace optiks::vrf::lanes {
namespace {

// 2^252 - 1 mod N.
constexpr Scalar kAllOnes = {{0xbdbbd257a49e0f91, 0x59a5e224be13735b, 0, 0}};

template <typename Word, typename Limbs>
void store(Word* limbs, std::size_t stride, Fp a) {
  const auto cut = Limbs::cut(fp_canonical(a));
  for (std::size_t i = 0; i < cut.size(); ++i) {
    limbs[i * stride] = static_cast<Word>(cut[i]);
  }
}

// An affine point, each limb `stride` words from the one before.
template <typename Word, typename Limbs>
void store(Word* limbs, std::size_t stride, const AffinePoint& point) {
  for (const Fp2* const coordinate : {&point.y_plus_x, &point.y_minus_x, &point.t2d}) {
    for (const Fp& part : {coordinate->re, coordinate->im}) {
      store<Word, Limbs>(limbs, stride, part);
      limbs += Limbs::kNum * stride;
    }
  }
}

// points: those of block 0, of block 1, ...
template <typename Limbs, std::size_t NumTeeth, std::size_t NumBlocks>
void fill(CombTable<Limbs, NumTeeth, NumBlocks>& table, const std::vector<AffinePoint>& points) {
  using Word = typename Limbs::TableWord;
  constexpr std::size_t kNumEntries = CombTable<Limbs, NumTeeth, NumBlocks>::kNumEntries;
  for (std::size_t i = 0; i < NumBlocks * kNumEntries; ++i) {
    store<Word, Limbs>(&table.limbs[i / kNumEntries][0][0][0][i % kNumEntries], kNumEntries, points[i]);
  }
}

// The points of a comb of y, then y itself.
std::vector<AffinePoint> comb_points_vartime(const Point& y, std::size_t num_teeth, std::size_t tooth_len,
                                             std::size_t num_blocks) {
  const std::size_t num_entries = std::size_t{1} << (num_teeth - 1);
  std::vector<Point> points(num_blocks * num_entries + 1, y);
  Point power = y;
  points[0] = kIdentity;
  for (std::size_t tooth = 0; tooth < num_teeth; ++tooth) {
    const CachedPoint addend = point_to_cached(power);
    if (tooth + 1 < num_teeth) {
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
      for (std::size_t i = 0; i < num_entries; ++i) {
        point_add(points[i], addend);
      }
    }
  }
  for (std::size_t i = num_entries; i < num_blocks * num_entries; ++i) {
    points[i] = points[i - num_entries];
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
  return affine;
}

template <typename Limbs>
GeneratorComb<Limbs> make_generator_comb() {
  using Comb = GeneratorComb<Limbs>;
  Comb table{};
  fill(table, comb_points_vartime(kGenerator, Comb::kNumTeeth, kGeneratorTooth, Comb::kNumBlocks));
  return table;
}

template <typename Limbs>
void fill(ChallengeComb<Limbs>& comb, const std::vector<AffinePoint>& points) {
  fill(comb.table, points);
  store<u64, Limbs>(&comb.y[0][0][0], 1, points.back());
}

}  // namespace

template <typename Limbs>
const GeneratorComb<Limbs>& generator_comb() {
  static const GeneratorComb<Limbs> kTable = make_generator_comb<Limbs>();
  return kTable;
}
template const GeneratorComb<Limbs43>& generator_comb();
template const GeneratorComb<Limbs26>& generator_comb();

Scalar generator_bits(const Scalar& k) { return comb_bits(k, kAllOnes); }

ChallengeCombs make_challenge_comb_vartime(const Point& y) {
  using Table = decltype(ChallengeComb<Limbs43>::table);
  const auto points = comb_points_vartime(y, Table::kNumTeeth, kChallengeTooth, Table::kNumBlocks);
  ChallengeCombs combs{};
  fill(combs.in_three_limbs, points);
  fill(combs.in_five_limbs, points);
  return combs;
}

}  // namespace optiks::vrf::lanes
