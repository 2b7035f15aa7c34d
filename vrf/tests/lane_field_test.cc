// The field in lanes (lanes/lane_fp.h, lanes/lane_fp2.h) over the portable lane type, against fp.h and fp2.h: limbs at
// the ends of their bounds, where sums and products are largest, and elements at the ends of the field.
#include <gtest/gtest.h>

#include <random>

#include "lanes/lane_fp2.h"
#include "lanes/lane_sqrt.h"

namespace optiks::vrf::lanes {
namespace {

using L = Portable;

Fp lane_of(const Canonical& c, std::size_t lane) { return fp(c.high[lane], c.low[lane]); }

// The value of limbs, scale included: (X0 + X1 2^44 + X2 2^88)/2^4 mod p, where 1/2^4 = 2^123.
Fp value_of(const Words (&limb)[3], std::size_t lane) {
  const auto shifted = [](u64 x, unsigned n) { return fp_mul(Fp{x}, Fp{u128{1} << n}); };
  const Fp sum = fp_add(fp_add(Fp{limb[0][lane]}, shifted(limb[1][lane], kLimbBits)), shifted(limb[2][lane], 88));
  return fp_canonical(fp_mul(sum, Fp{u128{1} << 123}));
}

std::mt19937_64 g_random(7);  // NOLINT(cert-msc51-cpp): the same numbers every time

// Lane 0: every limb at its bound; lane 1: zeros; lane 2: only the top limb; the others random below the bounds.
template <unsigned B>
LaneFp<L, B> at_bounds() {
  Words limb[3];
  for (std::size_t i = 0; i < 3; ++i) {
    const u64 bound = B * (i == 2 ? kTopBound : kLimbBound);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      limb[i][lane] = lane == 0 ? bound : lane == 1 ? 0 : lane == 2 ? (i == 2 ? bound : 0) : g_random() % (bound + 1);
      limb[i][lane] &= ~((u64{1} << kScale) - 1);
    }
  }
  return {limb[0], limb[1], limb[2]};
}

template <unsigned B>
void expect_value(const LaneFp<L, B>& a, std::size_t lane, Fp expected) {
  EXPECT_EQ(lane_of(fp_canonical(a), lane).v, fp_canonical(expected).v) << "lane " << lane;
}

// A product's limbs keep to bound 1, also in builds without the checks of the constructor.
void expect_carried(const LaneFp<L, 1>& a) {
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    EXPECT_LE(a.limb[0][lane], kLimbBound);
    EXPECT_LE(a.limb[1][lane], kLimbBound);
    EXPECT_LE(a.limb[2][lane], kTopBound);
  }
}

TEST(LaneFp, ProductsOfFactorsAtTheirBounds) {
  for (int round = 0; round < 200; ++round) {
    const auto a = at_bounds<15>();
    const auto b = at_bounds<6>();
    const auto half = at_bounds<7>();
    const auto product = fp_mul(a, b);
    const auto square = fp_sqr(half);
    expect_carried(product);
    expect_carried(square);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      expect_value(product, lane, fp_mul(value_of(a.limb, lane), value_of(b.limb, lane)));
      expect_value(square, lane, fp_sqr(value_of(half.limb, lane)));
    }
  }
}

TEST(LaneFp, SumsDifferencesAndHalves) {
  for (int round = 0; round < 200; ++round) {
    const auto a = at_bounds<7>();
    const auto b = at_bounds<7>();
    const auto one = at_bounds<1>();
    expect_carried(fp_carry(fp_sub(a, b)));
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const Fp x = value_of(a.limb, lane);
      const Fp y = value_of(b.limb, lane);
      expect_value(a, lane, x);
      expect_value(fp_carry(a), lane, x);
      expect_value(fp_add(a, b), lane, fp_add(x, y));
      expect_value(fp_sub(a, b), lane, fp_sub(x, y));
      expect_value(fp_neg(a), lane, fp_neg(x));
      expect_value(fp_half(one), lane, fp_half(value_of(one.limb, lane)));
    }
  }
}

TEST(LaneFp, CanonicalFormsAtTheEndsOfTheField) {
  const Fp values[kLanes] = {
      {0}, {1}, {kP}, {kP - 1}, {kP >> 1}, {u128{1} << 44}, {(u128{1} << 88) - 1}, {u128{1} << 126}};
  Words low;
  Words high;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    low[lane] = low64(values[lane].v);
    high[lane] = high64(values[lane].v);
  }
  const auto a = fp_from_words<L>(low, high);
  const Words is_zero = fp_is_zero(a);
  const auto zero = fp_broadcast<L>(kFpZero);
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    expect_value(a, lane, values[lane]);
    // 2p and 3p are 0 as well; a - 0 has a multiple of p in it.
    expect_value(fp_sub(a, zero), lane, values[lane]);
    expect_value(fp_sub(fp_sub(a, zero), zero), lane, values[lane]);
    EXPECT_EQ(is_zero[lane], fp_is_zero(values[lane]) == 1 ? ~u64{0} : 0) << lane;
  }
}

TEST(LaneFp2, ProductsAtTheirBounds) {
  for (int round = 0; round < 200; ++round) {
    const LaneFp2<L, 7> a = {at_bounds<7>(), at_bounds<7>()};
    const LaneFp2<L, 7> b = {at_bounds<7>(), at_bounds<7>()};
    const auto product = fp2_mul(a, b);
    const LaneFp2<L, 4> c = {at_bounds<4>(), at_bounds<4>()};
    const auto square = fp2_sqr(c);
    expect_carried(product.re);
    expect_carried(product.im);
    expect_carried(square.re);
    expect_carried(square.im);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const Fp2 x = {value_of(a.re.limb, lane), value_of(a.im.limb, lane)};
      const Fp2 y = {value_of(b.re.limb, lane), value_of(b.im.limb, lane)};
      const Fp2 xy = fp2_mul(x, y);
      expect_value(product.re, lane, xy.re);
      expect_value(product.im, lane, xy.im);
      const Fp2 zz = fp2_sqr(Fp2{value_of(c.re.limb, lane), value_of(c.im.limb, lane)});
      expect_value(square.re, lane, zz.re);
      expect_value(square.im, lane, zz.im);
      expect_value(fp2_norm(a), lane, fp2_norm(x));
    }
  }
}

// Sums and differences of products that are carried once, with no more room than their bounds ask for.
TEST(LaneFp2, WideSumsAtTheirBounds) {
  for (int round = 0; round < 200; ++round) {
    const LaneFp2<L, 3> a = {at_bounds<3>(), at_bounds<3>()};
    const LaneFp2<L, 2> b = {at_bounds<2>(), at_bounds<2>()};
    const LaneFp2<L, 2> c = {at_bounds<2>(), at_bounds<2>()};
    const auto ab = fp2_mul_wide<23>(a, b);        // bound 13 + 23
    const auto cc = fp2_sqr_wide<3>(c);            // bound 20 + 3
    const auto sum = fp2_narrow(fp2_add(ab, cc));  // bound 59
    const auto less = fp2_sub(ab, cc);             // no room is left
    const auto difference = fp2_narrow(fp2_sub(ab, cc));
    const auto both = fp2_narrow(fp2_sub(fp2_widen<33>(a), less));
    for (const auto* out : {&sum, &difference, &both}) {
      expect_carried(out->re);
      expect_carried(out->im);
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const auto value = [lane](const auto& x) { return Fp2{value_of(x.re.limb, lane), value_of(x.im.limb, lane)}; };
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

TEST(LaneFp2, SquareRootsAreTheScalarOnesUpToSign) {
  for (int round = 0; round < 20; ++round) {
    LaneFp2<L, 1> m[2] = {{at_bounds<1>(), at_bounds<1>()}, {at_bounds<1>(), at_bounds<1>()}};
    LaneFp<L, 1> delta[2] = {at_bounds<1>(), at_bounds<1>()};
    for (auto& d : delta) {
      d.limb[0][1] = u64{1} << kScale;  // lane 1 is zeros otherwise, and delta must not be 0
    }
    LaneSqrtRatio<L> out[2];
    fp2_sqrt_ratio(out, m, delta);
    for (std::size_t j = 0; j < 2; ++j) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const Fp2 x = {value_of(m[j].re.limb, lane), value_of(m[j].im.limb, lane)};
        const SqrtRatio expected = fp2_sqrt_ratio(x, value_of(delta[j].limb, lane));
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
