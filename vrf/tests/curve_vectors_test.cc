// Tests every row of tests/vectors/fourq, and the map Elligator 2 with tests/vectors/vrf/elligator.json.
#include <gtest/gtest.h>

#include <set>

#include "elligator.h"
#include "scalar_mul.h"
#include "vartime_mul.h"
#include "vectors.h"

namespace optiks::vrf {
namespace {

using test::element_of;
using test::encode;
using test::hex_of;
using test::load_rows;
using test::point_of;
using test::scalar_of;

TEST(FourqVectors, FixedBase) {
  for (const auto& row : load_rows("fourq/fourq_fixed_base.json", 210)) {
    const Scalar k = scalar_of(row["k"]);
    const Point point = fixed_base_mul(k);
    EXPECT_EQ(hex_of(point), row["kG"]) << row["kind"];
    EXPECT_TRUE(test::is_consistent(point));
    EXPECT_EQ(hex_of(scalar_mul(kGenerator, k)), row["kG"]) << row["kind"];
    EXPECT_EQ(hex_of(point_mul_exact_vartime(kGenerator, k.w)), row["kG"]) << row["kind"];
  }
}

TEST(FourqVectors, VariableBase) {
  for (const auto& row : load_rows("fourq/fourq_var_base.json", 130)) {
    const Point p = point_of(row["P"]);
    const Scalar k = scalar_of(row["k"]);
    const Point point = scalar_mul(p, k);
    EXPECT_EQ(hex_of(point), row["kP"]) << row["kind"];
    EXPECT_TRUE(test::is_consistent(point));
    EXPECT_EQ(hex_of(point_mul_exact_vartime(p, k.w)), row["kP"]) << row["kind"];
  }
}

TEST(FourqVectors, DoubleScalar) {
  for (const auto& row : load_rows("fourq/fourq_double_scalar.json", 50)) {
    const Point q = point_of(row["Q"]);
    const Scalar k = scalar_of(row["k"]);
    const Scalar l = scalar_of(row["l"]);
    EXPECT_EQ(hex_of(test::sum_of(fixed_base_mul(k), scalar_mul(q, l))), row["kG_plus_lQ"]);
    // Computes l*Q - c*(-G), where c is the low half of k, and then adds the rest of k*G.
    Point minus_g = kGenerator;
    minus_g.x = fp2_neg(minus_g.x);
    minus_g.ta = fp2_neg(minus_g.ta);
    const std::array<u64, 2> c = {k.w[0], k.w[1]};
    const Scalar rest = {{0, 0, k.w[2], k.w[3]}};
    EXPECT_EQ(hex_of(test::sum_of(subgroup_minus_any_vartime(l, q, c, minus_g), fixed_base_mul(rest))),
              row["kG_plus_lQ"]);
  }
}

TEST(FourqVectors, CofactorClearing) {
  for (const auto& row : load_rows("fourq/fourq_cofactor_clear.json", 100)) {
    const Point p = point_of(row["P"]);
    const Point cleared = point_clear_cofactor(p);
    EXPECT_EQ(hex_of(cleared), row["P392"]);
    EXPECT_TRUE(test::is_consistent(cleared));
    EXPECT_TRUE(point_in_subgroup_vartime(cleared));
    EXPECT_EQ(hex_of(scalar_mul(cleared, scalar_of(row["k"]))), row["k392P"]);
  }
}

TEST(FourqVectors, DecodesWhatDecodes) {
  for (const auto& row : load_rows("fourq/fourq_decode_ok.json", 50)) {
    const Point point = point_of(row["in"]);
    EXPECT_EQ(hex_of(point.x), row["x"]);
    EXPECT_EQ(hex_of(point.y), row["y"]);
    EXPECT_EQ(hex_of(point), row["reencoded"]);
  }
}

TEST(FourqVectors, RefusesWhatHasNoPoint) {
  for (const auto& row : load_rows("fourq/fourq_decode_fail.json", 50)) {
    EXPECT_FALSE(point_decode_vartime(test::array_of<32>(row)).has_value()) << row;
  }
}

TEST(FourqVectors, DecodesStrictly) {
  std::size_t num_accepted = 0;
  for (const auto& row : load_rows("fourq/fourq_decode_noncanonical.json", 42)) {
    const auto bytes = test::array_of<32>(row["in"]);
    const std::optional<Point> point = point_decode_vartime(bytes);
    EXPECT_EQ(point.has_value(), row["strict_decoder_accepts"].get<bool>()) << row["kind"];
    if (point) {
      ++num_accepted;
      EXPECT_EQ(encode(*point), bytes) << "what decodes is the one encoding";
    }
  }
  EXPECT_GT(num_accepted, 0u);
}

TEST(FourqVectors, SmallOrderPoints) {
  std::set<std::string> seen;
  std::set<int> orders;
  for (const auto& row : load_rows("fourq/fourq_small_order.json", 392)) {
    const Point point = point_of(row["point"]);
    const u64 order = row["order"].get<u64>();
    EXPECT_EQ(hex_of(point), row["point"]);
    EXPECT_EQ(point_is_identity(point_clear_cofactor(point)), 1u);
    EXPECT_EQ(point_is_identity(point_mul_exact_vartime(point, std::span(&order, 1))), 1u);
    for (const u64 prime : {u64{2}, u64{7}}) {
      if (order % prime == 0) {
        const u64 part = order / prime;
        EXPECT_EQ(point_is_identity(point_mul_exact_vartime(point, std::span(&part, 1))), 0u);
      }
    }
    EXPECT_EQ(point_in_subgroup_vartime(point), order == 1);
    seen.insert(hex_of(point));
    orders.insert(row["order"].get<int>());
  }
  EXPECT_EQ(seen.size(), 392u);
  EXPECT_EQ(orders, (std::set<int>{1, 2, 4, 7, 8, 14, 28, 56}));
}

TEST(FourqVectors, MixedOrderPoints) {
  for (const auto& row : load_rows("fourq/fourq_mixed_order.json", 20)) {
    const Point subgroup = point_of(row["subgroup_point"]);
    const Point sum = test::sum_of(subgroup, point_of(row["torsion_point"]));
    EXPECT_EQ(hex_of(sum), row["sum"]);
    EXPECT_EQ(hex_of(point_clear_cofactor(sum)), row["392_times_sum"]);
    EXPECT_TRUE(point_in_subgroup_vartime(subgroup));
    EXPECT_EQ(point_in_subgroup_vartime(sum), row["torsion_order"] == 1);
  }
}

TEST(VrfVectors, Elligator2) {
  for (const auto& row : load_rows("vrf/elligator.json", 64)) {
    const Point point = elligator2(element_of(row["u"]));
    const Fp2 z_inverse = fp2_invert(point.z);
    EXPECT_EQ(hex_of(fp2_mul(point.x, z_inverse)), row["x"]) << row["u"];
    EXPECT_EQ(hex_of(fp2_mul(point.y, z_inverse)), row["y"]) << row["u"];
    EXPECT_TRUE(test::is_consistent(point));
  }
}

}  // namespace
}  // namespace optiks::vrf
