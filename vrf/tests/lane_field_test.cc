// Compares the field in lanes (lanes/lane_fp.h, lanes/lane_fp2.h) with fp.h and fp2.h. It runs over the portable lane
// types, in three limbs and in five. The operands have limbs at the ends of their bounds, where sums and products are
// largest, or are elements at the ends of the field.
#include <gtest/gtest.h>

#include <random>

#include "lanes/lane_sqrt.h"
#include "lanes/lane_table.h"
#include "portable_lanes.h"

namespace optiks::vrf::lanes {
namespace {

// The largest bounds of factors of products in GF(p), and of products and squares in GF(p^2).
template <typename L>
struct Largest {
  static constexpr unsigned kInFpFirst = 17;
  static constexpr unsigned kInFpSecond = 10;
  static_assert(kInFpFirst * kInFpSecond == Limbs43::kMaxProduct);
  static constexpr unsigned kFirst = 6;
  static constexpr unsigned kSecond = 6;
  static constexpr unsigned kSquare = 4;
};
template <>
struct Largest<Portable4> {
  static constexpr unsigned kInFpFirst = 15;
  static constexpr unsigned kInFpSecond = 6;
  static constexpr unsigned kFirst = kMaxFirst;
  static constexpr unsigned kSecond = kMaxSecond;
  static constexpr unsigned kSquare = 3;
};

template <typename L>
class LaneFpTest : public testing::Test {};
template <typename L>
class LaneFp2Test : public testing::Test {};
struct Names {
  template <typename L>
  static std::string GetName(int /*index*/) {
    return L::Limbs::kNum == 3 ? "ThreeLimbs" : "FiveLimbs";
  }
};
using LaneTypes = testing::Types<Portable, Portable4>;
TYPED_TEST_SUITE(LaneFpTest, LaneTypes, Names);
TYPED_TEST_SUITE(LaneFp2Test, LaneTypes, Names);

template <typename L>
Fp lane_of(const Canonical<L>& c, std::size_t lane) {
  return fp(c.high[lane], c.low[lane]);
}

// Returns the value of the limbs of one lane.
template <typename L>
Fp value_of(const Words<L> (&limb)[L::Limbs::kNum], std::size_t lane) {
  const auto shifted = [](u64 x, unsigned n) { return fp_mul(Fp{x}, Fp{u128{1} << n}); };
  Fp sum = kFpZero;
  for (unsigned i = 0; i < L::Limbs::kNum; ++i) {
    sum = fp_add(sum, shifted(limb[i][lane], L::Limbs::kPosition[i]));
  }
  return fp_canonical(sum);
}

std::mt19937_64 g_random(7);  // NOLINT(cert-msc51-cpp): the generator gives the same numbers in every run

// Returns an element with every limb at its bound in lane 0, zeros in lane 1, only the top limb in lane 2, and random
// limbs below the bounds in the other lanes.
template <typename L, unsigned B>
LaneFp<L, B> at_bounds() {
  constexpr std::size_t kTop = L::Limbs::kNum - 1;
  Words<L> limb[kTop + 1];
  for (std::size_t i = 0; i <= kTop; ++i) {
    const u64 bound = B * L::Limbs::kBound[i];
    for (std::size_t lane = 0; lane < L::kLanes; ++lane) {
      limb[i][lane] = lane == 0   ? bound
                      : lane == 1 ? 0
                      : lane == 2 ? (i == kTop ? bound : 0)
                                  : g_random() % (bound + 1);
    }
  }
  return fp_of_limbs<L, B>(limb);
}

template <typename L, unsigned B>
void expect_value(const LaneFp<L, B>& a, std::size_t lane, Fp expected) {
  EXPECT_EQ(lane_of(fp_canonical(a), lane).v, fp_canonical(expected).v) << "lane " << lane;
}

// Checks that the limbs of a product are within bound 1, also in builds without the checks of the constructor.
template <typename L>
void expect_carried(const LaneFp<L, 1>& a) {
  for (std::size_t lane = 0; lane < L::kLanes; ++lane) {
    for (std::size_t i = 0; i < L::Limbs::kNum; ++i) {
      EXPECT_LE(a.limb[i][lane], L::Limbs::kBound[i]);
    }
  }
}

TYPED_TEST(LaneFpTest, ProductsOfFactorsAtTheirBounds) {
  using L = TypeParam;
  for (int round = 0; round < 200; ++round) {
    const auto a = at_bounds<L, Largest<L>::kInFpFirst>();
    const auto b = at_bounds<L, Largest<L>::kInFpSecond>();
    const auto half = at_bounds<L, 7>();
    const auto product = fp_mul(a, b);
    const auto square = fp_sqr(half);
    expect_carried(product);
    expect_carried(square);
    for (std::size_t lane = 0; lane < L::kLanes; ++lane) {
      expect_value(product, lane, fp_mul(value_of<L>(a.limb, lane), value_of<L>(b.limb, lane)));
      expect_value(square, lane, fp_sqr(value_of<L>(half.limb, lane)));
    }
  }
}

TYPED_TEST(LaneFpTest, SumsDifferencesAndHalves) {
  using L = TypeParam;
  for (int round = 0; round < 200; ++round) {
    const auto a = at_bounds<L, 7>();
    const auto b = at_bounds<L, 7>();
    const auto one = at_bounds<L, 1>();
    expect_carried(fp_carry(fp_sub(a, b)));
    for (std::size_t lane = 0; lane < L::kLanes; ++lane) {
      const Fp x = value_of<L>(a.limb, lane);
      const Fp y = value_of<L>(b.limb, lane);
      expect_value(a, lane, x);
      expect_value(fp_carry(a), lane, x);
      expect_value(fp_add(a, b), lane, fp_add(x, y));
      expect_value(fp_sub(a, b), lane, fp_sub(x, y));
      expect_value(fp_neg(a), lane, fp_neg(x));
      expect_value(fp_half(one), lane, fp_half(value_of<L>(one.limb, lane)));
    }
  }
}

TYPED_TEST(LaneFpTest, CanonicalFormsAtTheEndsOfTheField) {
  using L = TypeParam;
  const std::vector<Fp> all = {{0},
                               {1},
                               {kP},
                               {kP - 1},
                               {kP >> 1},
                               {u128{1} << L::Limbs::kPosition[1]},
                               {(u128{1} << L::Limbs::kPosition[2]) - 1},
                               {u128{1} << 126}};
  for (auto first = all.begin(); first != all.end(); first += L::kLanes) {
    const std::vector<Fp> values(first, first + L::kLanes);
    Words<L> low;
    Words<L> high;
    for (std::size_t lane = 0; lane < L::kLanes; ++lane) {
      low[lane] = low64(values[lane].v);
      high[lane] = high64(values[lane].v);
    }
    const auto a = fp_from_words<L>(low, high);
    const Words<L> is_zero = fp_is_zero(a);
    const auto zero = fp_broadcast<L>(kFpZero);
    for (std::size_t lane = 0; lane < L::kLanes; ++lane) {
      expect_value(a, lane, values[lane]);
      // The values 2p and 3p also represent 0, so the limbs of a - 0 contain a multiple of p.
      expect_value(fp_sub(a, zero), lane, values[lane]);
      expect_value(fp_sub(fp_sub(a, zero), zero), lane, values[lane]);
      EXPECT_EQ(is_zero[lane], fp_is_zero(values[lane]) == 1 ? ~u64{0} : 0) << lane;
    }
  }
}

TYPED_TEST(LaneFp2Test, ProductsAtTheirBounds) {
  using L = TypeParam;
  for (int round = 0; round < 200; ++round) {
    constexpr unsigned kFirst = Largest<L>::kFirst;
    constexpr unsigned kSecond = Largest<L>::kSecond;
    constexpr unsigned kSquare = Largest<L>::kSquare;
    const LaneFp2<L, kFirst> a = {at_bounds<L, kFirst>(), at_bounds<L, kFirst>()};
    const LaneFp2<L, kSecond> b = {at_bounds<L, kSecond>(), at_bounds<L, kSecond>()};
    const auto product = fp2_mul(a, b);
    const LaneFp2<L, kSquare> c = {at_bounds<L, kSquare>(), at_bounds<L, kSquare>()};
    const auto square = fp2_sqr(c);
    expect_carried(product.re);
    expect_carried(product.im);
    expect_carried(square.re);
    expect_carried(square.im);
    for (std::size_t lane = 0; lane < L::kLanes; ++lane) {
      const Fp2 x = {value_of<L>(a.re.limb, lane), value_of<L>(a.im.limb, lane)};
      const Fp2 y = {value_of<L>(b.re.limb, lane), value_of<L>(b.im.limb, lane)};
      const Fp2 xy = fp2_mul(x, y);
      expect_value(product.re, lane, xy.re);
      expect_value(product.im, lane, xy.im);
      const Fp2 zz = fp2_sqr(Fp2{value_of<L>(c.re.limb, lane), value_of<L>(c.im.limb, lane)});
      expect_value(square.re, lane, zz.re);
      expect_value(square.im, lane, zz.im);
      expect_value(fp2_norm(a), lane, fp2_norm(x));
    }
  }
}

// The code carries once for a sum or difference of products. The test gives no more Room than the bounds need.
TYPED_TEST(LaneFp2Test, WideSumsAtTheirBounds) {
  using L = TypeParam;
  for (int round = 0; round < 200; ++round) {
    const LaneFp2<L, 3> a = {at_bounds<L, 3>(), at_bounds<L, 3>()};
    const LaneFp2<L, 2> b = {at_bounds<L, 2>(), at_bounds<L, 2>()};
    const LaneFp2<L, 2> c = {at_bounds<L, 2>(), at_bounds<L, 2>()};
    const auto ab = fp2_mul_wide<23>(a, b);        // bound 13 + 23
    const auto cc = fp2_sqr_wide<3>(c);            // bound 20 + 3
    const auto sum = fp2_narrow(fp2_add(ab, cc));  // bound 59
    const auto less = fp2_sub(ab, cc);             // no Room is left
    const auto difference = fp2_narrow(fp2_sub(ab, cc));
    const auto both = fp2_narrow(fp2_sub(fp2_widen<33>(a), less));
    for (const auto* out : {&sum, &difference, &both}) {
      expect_carried(out->re);
      expect_carried(out->im);
    }
    for (std::size_t lane = 0; lane < L::kLanes; ++lane) {
      const auto value = [lane](const auto& x) {
        return Fp2{value_of<L>(x.re.limb, lane), value_of<L>(x.im.limb, lane)};
      };
      const Fp2 product = fp2_mul(value(a), value(b));
      const Fp2 square = fp2_sqr(value(c));
      const Fp2 expected[3] = {fp2_add(product, square), fp2_sub(product, square),
                               fp2_sub(value(a), fp2_sub(product, square))};
      const LaneFp2<L, 1>* const got[3] = {&sum, &difference, &both};
      for (std::size_t i = 0; i < 3; ++i) {
        expect_value(got[i]->re, lane, expected[i].re);
        expect_value(got[i]->im, lane, expected[i].im);
      }
    }
  }
}

template <typename L>
Fp2 value_of(const auto& a, std::size_t lane) {
  return {value_of<L>(a.re.limb, lane), value_of<L>(a.im.limb, lane)};
}
void expect_value(const auto& a, std::size_t lane, const Fp2& expected) {
  expect_value(a.re, lane, expected.re);
  expect_value(a.im, lane, expected.im);
}

template <typename L, unsigned B>
void expect_packed() {
  const LaneFp2<L, B> a = {at_bounds<L, B>(), at_bounds<L, B>()};
  const LaneFp2<L, 2> b = {at_bounds<L, 2>(), at_bounds<L, 2>()};
  Words<L> mask{};
  mask[0] = mask[2] = ~u64{0};
  const auto packed = table_form(a);
  const auto chosen = unpacked(fp2_select(mask, packed, table_form(b)));
  const auto negated = fp2_negated_if(mask, packed);
  const auto product = fp2_narrow(fp2_mul_wide(b, packed));
  const auto negated_product = fp2_narrow(fp2_mul_wide(b, negated));
  for (std::size_t lane = 0; lane < L::kLanes; ++lane) {
    const Fp2 of_a = value_of<L>(a, lane);
    const Fp2 of_b = value_of<L>(b, lane);
    expect_value(chosen, lane, mask[lane] != 0 ? of_a : of_b);
    expect_value(product, lane, fp2_mul(of_a, of_b));
    expect_value(negated_product, lane, fp2_mul(mask[lane] != 0 ? fp2_neg(of_a) : of_a, of_b));
  }
}

// A table holds the elements that were put into it, and negates them correctly.
TYPED_TEST(LaneFp2Test, TablesHoldElements) {
  for (int round = 0; round < 50; ++round) {
    expect_packed<TypeParam, 1>();
    expect_packed<TypeParam, 2>();
    expect_packed<TypeParam, 3>();
  }
}

TYPED_TEST(LaneFp2Test, NegationsUnderAMask) {
  using L = TypeParam;
  const LaneFp2<L, 3> a = {at_bounds<L, 3>(), at_bounds<L, 3>()};
  Words<L> mask{};
  mask[0] = mask[3] = ~u64{0};
  const auto negated = fp2_negated_if(mask, a);
  for (std::size_t lane = 0; lane < L::kLanes; ++lane) {
    const Fp2 of_a = value_of<L>(a, lane);
    expect_value(negated, lane, mask[lane] != 0 ? fp2_neg(of_a) : of_a);
  }
}

TYPED_TEST(LaneFp2Test, SquareRootsAreTheScalarOnesUpToSign) {
  using L = TypeParam;
  for (int round = 0; round < 20; ++round) {
    LaneFp2<L, 1> m[2] = {{at_bounds<L, 1>(), at_bounds<L, 1>()}, {at_bounds<L, 1>(), at_bounds<L, 1>()}};
    LaneFp<L, 1> delta[2] = {at_bounds<L, 1>(), at_bounds<L, 1>()};
    for (auto& d : delta) {
      d.limb[0][1] = 1;  // without this, lane 1 is 0, and delta must not be 0
    }
    LaneSqrtRatio<L> out[2];
    fp2_sqrt_ratio(out, m, delta);
    for (std::size_t j = 0; j < 2; ++j) {
      for (std::size_t lane = 0; lane < L::kLanes; ++lane) {
        const Fp2 x = {value_of<L>(m[j].re.limb, lane), value_of<L>(m[j].im.limb, lane)};
        const SqrtRatio expected = fp2_sqrt_ratio(x, value_of<L>(delta[j].limb, lane));
        EXPECT_EQ(out[j].is_square[lane], expected.is_square == 1 ? ~u64{0} : 0);
        expect_value(out[j].delta_inverse, lane, expected.delta_inverse);
        expect_value(out[j].root.re, lane, expected.root.re);
        expect_value(out[j].root.im, lane, expected.root.im);
      }
    }
  }
}

}  // namespace
}  // namespace optiks::vrf::lanes
