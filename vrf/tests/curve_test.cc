// Compares the group law, the multiplications and the map Elligator 2 with slower or independent implementations.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "base_tables.h"
#include "elligator.h"
#include "endomorphism.h"
#include "scalar_mul.h"
#include "table_select.h"
#include "vartime_mul.h"
#include "vectors.h"

namespace optiks::vrf {
namespace {

using test::encode;
using test::random_scalar_256;

Fp2 random_element(std::mt19937_64& random) { return {fp(random() >> 1, random()), fp(random() >> 1, random())}; }

bool is_on_curve(const Point& point) {
  const Fp2 z_inverse = fp2_invert(point.z);
  const Fp2 xx = fp2_sqr(fp2_mul(point.x, z_inverse));
  const Fp2 yy = fp2_sqr(fp2_mul(point.y, z_inverse));
  const Fp2 right = fp2_add(kFp2One, fp2_mul(kCurveD, fp2_mul(xx, yy)));
  return fp2_equal(fp2_sub(yy, xx), right) == 1 && test::is_consistent(point);
}

Point difference_of(const Point& a, const Point& b) {
  Point out = a;
  point_sub(out, point_to_cached(b));
  return out;
}

TEST(Curve, GeneratorHasOrderN) {
  EXPECT_TRUE(is_on_curve(kGenerator));
  EXPECT_EQ(point_is_identity(kGenerator), 0u);
  EXPECT_TRUE(point_in_subgroup_vartime(kGenerator));
}

TEST(Curve, GroupLawOnEveryPairOfTorsionPointsAndTheGenerator) {
  std::vector<Point> points = {kIdentity, kGenerator};
  const auto rows = test::load_rows("fourq/fourq_small_order.json", 392);
  for (std::size_t i = 0; i < rows.size(); i += 23) {
    points.push_back(test::point_of(rows[i]["point"]));
    points.push_back(test::sum_of(points.back(), kGenerator));
  }
  for (const Point& a : points) {
    for (const Point& b : points) {
      const Point sum = test::sum_of(a, b);
      ASSERT_TRUE(is_on_curve(sum));
      ASSERT_EQ(encode(sum), encode(test::sum_of(b, a)));
      ASSERT_EQ(encode(difference_of(sum, b)), encode(a));
      const AffinePoint affine = point_to_affine(b, fp2_invert(b.z));
      Point mixed = a;
      point_add(mixed, affine);
      ASSERT_EQ(encode(mixed), encode(sum));
      point_sub(mixed, affine);
      ASSERT_EQ(encode(mixed), encode(a));
    }
    Point twice = a;
    point_double(twice);
    ASSERT_TRUE(is_on_curve(twice));
    ASSERT_EQ(encode(twice), encode(test::sum_of(a, a)));
    ASSERT_EQ(point_is_identity(difference_of(a, a)), 1u);
  }
}

// On the subgroup, phi and psi are multiplications by fixed scalars, which follow from the basis of the decomposition.
// This test does not use the scalars, but only linearity and [N]P = O.
TEST(Curve, EndomorphismsAreLinearOnTheSubgroup) {
  std::mt19937_64 random(8);
  const Scalar k = random_scalar_256(random);
  const Point p = fixed_base_mul(random_scalar_256(random));
  for (const auto endomorphism : {phi_of_tau, psi_of_tau}) {
    const Point image = endomorphism(point_tau(p));
    EXPECT_TRUE(is_on_curve(image));
    EXPECT_TRUE(point_in_subgroup_vartime(image));
    EXPECT_EQ(encode(endomorphism(point_tau(point_mul_exact_vartime(p, k.w)))),
              encode(point_mul_exact_vartime(image, k.w)));
    EXPECT_EQ(point_is_identity(endomorphism(point_tau(kIdentity))), 1u);
  }
  EXPECT_NE(encode(phi_of_tau(point_tau(p))), encode(psi_of_tau(point_tau(p))));
}

TEST(Curve, MultiplicationsAgree) {
  std::mt19937_64 random(9);
  for (int i = 0; i < 40; ++i) {
    const Scalar k = random_scalar_256(random);
    const Point p = fixed_base_mul(random_scalar_256(random));
    EXPECT_EQ(encode(scalar_mul(p, k)), encode(point_mul_exact_vartime(p, k.w)));
    EXPECT_EQ(encode(fixed_base_mul(k)), encode(scalar_mul(kGenerator, k)));
  }
  const Scalar k = random_scalar_256(random);
  EXPECT_EQ(point_is_identity(scalar_mul(kIdentity, k)), 1u);
}

TEST(Curve, GeneratorMinusAgreesWithSlowArithmetic) {
  std::mt19937_64 random(10);
  const u64 ones = ~u64{0};
  for (const std::array<u64, 2>& c : {std::array<u64, 2>{0, 0},
                                      {1, 0},
                                      {ones, ones},
                                      {ones, 0},
                                      {0, u64{1} << 63},
                                      {0xffffffff, 0xffffffff00000000},
                                      {random(), random()}}) {
    for (const Scalar& s :
         {Scalar{{0, 0, 0, 0}}, Scalar{{1, 0, 0, 0}}, test::minus(1), scalar_reduce(random_scalar_256(random))}) {
      const Point y = fixed_base_mul(random_scalar_256(random));
      const Point expected = difference_of(point_mul_exact_vartime(kGenerator, s.w), point_mul_exact_vartime(y, c));
      EXPECT_EQ(encode(generator_minus_vartime(s, c, make_short_mul_table_vartime(y))), encode(expected));
    }
  }
}

// Tests docs/spec/vrf.md section 7 step 5: the result must be exact for Gamma + T, with each of the 392 torsion points
// T.
TEST(Curve, SubgroupMinusAnyIsExactForEveryCurvePoint) {
  std::mt19937_64 random(11);
  const Point h = fixed_base_mul(random_scalar_256(random));
  const Point gamma = fixed_base_mul(random_scalar_256(random));
  const Scalar s = random_scalar_256(random);
  std::size_t num_torsion_visible = 0;
  for (const auto& row : test::load_rows("fourq/fourq_small_order.json", 392)) {
    const Point any = test::sum_of(gamma, test::point_of(row["point"]));
    const std::array<u64, 2> c = {random(), random()};
    const Point expected = difference_of(point_mul_exact_vartime(h, s.w), point_mul_exact_vartime(any, c));
    ASSERT_EQ(encode(subgroup_minus_any_vartime(s, h, c, any)), encode(expected)) << row;
    const Point without = difference_of(point_mul_exact_vartime(h, s.w), point_mul_exact_vartime(gamma, c));
    num_torsion_visible += encode(without) != encode(expected) ? 1 : 0;
  }
  EXPECT_GT(num_torsion_visible, 300u) << "c*T is seldom the identity, so exactness is really tested";
}

TEST(Curve, SubgroupMinusAnyAtTheEdgesOfTheScalars) {
  const u64 ones = ~u64{0};
  const Point h = fixed_base_mul({{5, 0, 0, 0}});
  const Point gamma = fixed_base_mul({{11, 0, 0, 0}});
  for (const std::array<u64, 2>& c :
       {std::array<u64, 2>{0, 0}, {1, 0}, {ones, ones}, {0, u64{1} << 63}, {ones, u64{1} << 63}}) {
    for (const Scalar& s : {Scalar{{0, 0, 0, 0}}, Scalar{{1, 0, 0, 0}}, kOrder, Scalar{{ones, ones, ones, ones}}}) {
      const Point expected = difference_of(point_mul_exact_vartime(h, s.w), point_mul_exact_vartime(gamma, c));
      EXPECT_EQ(encode(subgroup_minus_any_vartime(s, h, c, gamma)), encode(expected));
    }
  }
}

TEST(Curve, ElligatorLandsOnTheCurve) {
  std::mt19937_64 random(12);
  for (int i = 0; i < 200; ++i) {
    const Fp2 u = random_element(random);
    const Point point = elligator2(u);
    ASSERT_TRUE(is_on_curve(point));
    EXPECT_EQ(encode(point), encode(elligator2(fp2_neg(u)))) << "u and -u have one image";
    EXPECT_TRUE(point_in_subgroup_vartime(point_clear_cofactor(point)));
  }
  // Zero has two representations, 0 and p. The test passes both of them to elligator2() in each coordinate.
  const auto at_zero = encode(elligator2(kFp2Zero));
  EXPECT_EQ(encode(elligator2({{kP}, {0}})), at_zero);
  EXPECT_EQ(encode(elligator2({{kP}, {kP}})), at_zero);
}

TEST(Curve, EncodingsDecodeToTheSamePoint) {
  std::mt19937_64 random(13);
  for (int i = 0; i < 100; ++i) {
    const Point point = elligator2(random_element(random));
    auto string = encode(point);
    const std::optional<Point> decoded = point_decode_vartime(string);
    ASSERT_TRUE(decoded.has_value());
    EXPECT_EQ(encode(*decoded), string);
    string[31] ^= 0x80;
    const std::optional<Point> negated = point_decode_vartime(string);
    ASSERT_TRUE(negated.has_value());
    EXPECT_EQ(point_is_identity(test::sum_of(point, *negated)), 1u);
  }
}

// Returns the coordinates of a table entry, as two words for each element of GF(p).
template <typename Entry>
std::vector<u64> words_of(const Entry& entry) {
  std::vector<u64> words(sizeof(Entry) / sizeof(u64));
  std::memcpy(words.data(), &entry, sizeof(Entry));
  return words;
}

TEST(TableSelect, ReadsTheEntryAtEveryIndexWithEitherSign) {
  constexpr u64 kAll = ~u64{0};
  const MulTable table = make_mul_table(kGenerator);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(words_of(table_select(table.entries, i, 0)), words_of(table.entries[i]));
    EXPECT_EQ(words_of(table_select(table.entries, i, kAll)), words_of(negated(table.entries[i])));
  }
  for (std::size_t i = 0; i < 16; ++i) {
    EXPECT_EQ(words_of(table_select(kCombTable[4], i, 0)), words_of(kCombTable[4][i]));
    EXPECT_EQ(words_of(table_select(kCombTable[4], i, kAll)), words_of(negated(kCombTable[4][i])));
  }
}

}  // namespace
}  // namespace optiks::vrf
