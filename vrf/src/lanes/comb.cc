#include "comb.h"

#include <vector>

#include "base_tables.h"
#include "lane_fp.h"

namespace optiks::vrf::lanes {
namespace {

constexpr std::size_t kNumEntries = 16;

void cut(u64* limbs, std::size_t stride, Fp a) {
  a = fp_canonical(a);
  limbs[0] = (low64(a.v) & kLimbMask) << kScale;
  limbs[stride] = (low64(a.v >> kLimbBits) & kLimbMask) << kScale;
  limbs[2 * stride] = low64(a.v >> (2 * kLimbBits)) << kScale;
}

// Entry i of a block of a comb.
void store_entry(u64 (&block)[3][2][3][kNumEntries], std::size_t i, const AffinePoint& point) {
  const Fp2* const coordinates[3] = {&point.y_plus_x, &point.y_minus_x, &point.t2d};
  for (std::size_t j = 0; j < 3; ++j) {
    cut(&block[j][0][0][i], kNumEntries, coordinates[j]->re);
    cut(&block[j][1][0][i], kNumEntries, coordinates[j]->im);
  }
}

GeneratorComb make_generator_comb() {
  GeneratorComb table{};
  for (std::size_t block = 0; block < 5; ++block) {
    for (std::size_t i = 0; i < kNumEntries; ++i) {
      store_entry(table.limbs[block], i, kCombTable[block][i]);
    }
  }
  return table;
}

}  // namespace

const GeneratorComb& generator_comb() {
  static const GeneratorComb kTable = make_generator_comb();
  return kTable;
}

ChallengeComb make_challenge_comb_vartime(const Point& y) {
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

  ChallengeComb comb{};
  for (std::size_t i = 0; i < kBlocks * kNumEntries; ++i) {
    store_entry(comb.table.limbs[i / kNumEntries], i % kNumEntries, point_to_affine(points[i], z_inverses[i]));
  }
  const AffinePoint affine = point_to_affine(points.back(), z_inverses.back());
  const Fp2* const coordinates[3] = {&affine.y_plus_x, &affine.y_minus_x, &affine.t2d};
  for (std::size_t j = 0; j < 3; ++j) {
    cut(comb.y[j][0], 1, coordinates[j]->re);
    cut(comb.y[j][1], 1, coordinates[j]->im);
  }
  return comb;
}

}  // namespace optiks::vrf::lanes
