// Compares GF(p) and GF(p^2) with slow arithmetic that shares no code with them, also at the edges of the bounds.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "fp2.h"

namespace optiks::vrf {
namespace {

u128 slow_add(u128 a, u128 b) {
  const u128 sum = a + b;  // both are below p, so the sum does not overflow
  return sum >= kP ? sum - kP : sum;
}

u128 slow_mul(u128 a, u128 b) {
  a %= kP;
  u128 product = 0;
  for (int i = 127; i >= 0; --i) {
    product = slow_add(product, product);
    if ((b >> i & 1) != 0) {
      product = slow_add(product, a);
    }
  }
  return product;
}

bool same(Fp a, u128 b) { return a.v <= kP && fp_canonical(a).v == b % kP; }

// Returns values that cause carries, folds and the second representation of zero, and then random values.
std::vector<Fp> samples() {
  std::vector<Fp> out;
  for (const u128 v :
       {u128{0}, u128{1}, u128{2}, kP, kP - 1, kP - 2, u128{1} << 126, (u128{1} << 126) - 1, u128{0xffffffffffffffff},
        u128{1} << 64, (u128{1} << 64) + 1, kP - 0xffffffffffffffff, kP ^ 0xffffffffffffffff}) {
    out.push_back({v});
  }
  std::mt19937_64 random(5);
  for (int i = 0; i < 12; ++i) {
    out.push_back({make_u128(random() >> 1, random())});
  }
  return out;
}

TEST(Fp, OperationsStayInBoundsAndAreRight) {
  for (const Fp a : samples()) {
    const u128 ca = a.v % kP;
    EXPECT_TRUE(same(fp_neg(a), kP - ca));
    EXPECT_TRUE(same(fp_sqr(a), slow_mul(ca, ca)));
    EXPECT_TRUE(same(fp_add(fp_half(a), fp_half(a)), ca));
    EXPECT_LE(fp_half(a).v, kP);
    EXPECT_EQ(fp_is_zero(a), ca == 0 ? 1u : 0u);
    for (const Fp b : samples()) {
      const u128 cb = b.v % kP;
      EXPECT_TRUE(same(fp_add(a, b), slow_add(ca, cb)));
      EXPECT_TRUE(same(fp_sub(a, b), slow_add(ca, (kP - cb) % kP)));
      EXPECT_TRUE(same(fp_mul(a, b), slow_mul(ca, cb)));
      EXPECT_EQ(fp_equal(a, b), ca == cb ? 1u : 0u);
    }
  }
}

// Compares this machine's products with the portable products, up to the largest operands.
TEST(Fp, ProductsAgreeWithThePortableOnes) {
  const auto equal = [](u128 a, u128 b) { return a <= kP && b <= kP && a % kP == b % kP; };
  std::vector<u128> values;
  for (const Fp a : samples()) {
    values.push_back(a.v);
  }
  for (const u128 x : values) {
    EXPECT_TRUE(equal(products::sqr(x), portable::sqr(x)));
    for (const u128 y : values) {
      for (const u128 sum : {x, x + kP, x + y, 2 * x}) {
        EXPECT_TRUE(equal(products::mul(sum, y), portable::mul(sum, y)));
        EXPECT_TRUE(equal(products::mul(sum, y), slow_mul(sum, y)));
      }
      for (const u128 z : values) {
        for (const u128 w : {x, y, kP, kP - 1, u128{1}}) {
          ASSERT_TRUE(equal(products::dot(x, y, z, w), portable::dot(x, y, z, w)));
        }
      }
    }
  }
  std::mt19937_64 random(7);
  const auto element = [&random] { return make_u128(random() >> 1, random()); };
  for (int i = 0; i < 100000; ++i) {
    const u128 x = element();
    const u128 y = element();
    const u128 z = element();
    const u128 w = element();
    ASSERT_TRUE(equal(products::dot(x, y, z, w), portable::dot(x, y, z, w)));
    ASSERT_TRUE(equal(products::mul(x + z, y), portable::mul(x + z, y)));
    ASSERT_TRUE(equal(products::sqr(x), portable::sqr(x)));
  }
}

TEST(Fp, InverseAndPower) {
  for (const Fp a : samples()) {
    const bool is_zero = a.v % kP == 0;
    EXPECT_TRUE(same(fp_mul(a, fp_invert(a)), is_zero ? 0 : 1));
    const Fp r = fp_pow_p_minus_3_over_4(a);
    const Fp ratio = fp_mul(a, fp_sqr(r));
    EXPECT_TRUE(is_zero ? same(ratio, 0) : same(ratio, 1) || same(ratio, kP - 1));
  }
}

TEST(Fp2, ProductsAtTheBounds) {
  const auto values = samples();
  for (const Fp a0 : values) {
    for (const Fp a1 : values) {
      for (const Fp2 b : {Fp2{a1, a0}, Fp2{{kP}, {kP}}, Fp2{{kP - 1}, {kP - 1}}, Fp2{{0}, {kP}}, Fp2{a0, {1}}}) {
        const Fp2 a = {a0, a1};
        const u128 re = slow_add(slow_mul(a.re.v, b.re.v), (kP - slow_mul(a.im.v, b.im.v)) % kP);
        const u128 im = slow_add(slow_mul(a.re.v, b.im.v), slow_mul(a.im.v, b.re.v));
        const Fp2 product = fp2_mul(a, b);
        ASSERT_TRUE(same(product.re, re) && same(product.im, im));
        const Fp2 square = fp2_sqr(a);
        ASSERT_EQ(fp2_equal(square, fp2_mul(a, a)), 1u);
        ASSERT_TRUE(same(fp2_norm(a), slow_add(slow_mul(a0.v, a0.v), slow_mul(a1.v, a1.v))));
      }
    }
  }
}

TEST(Fp2, InverseOfOneAndOfMany) {
  std::vector<Fp2> elements;
  const auto values = samples();
  for (const Fp re : values) {
    for (const Fp im : values) {
      if (fp2_is_zero({re, im}) == 0) {
        elements.push_back({re, im});
      }
    }
  }
  std::vector<Fp2> inverses = elements;
  std::vector<Fp2> scratch(elements.size());
  fp2_invert_many(inverses.data(), scratch.data(), inverses.size());
  for (std::size_t i = 0; i < elements.size(); ++i) {
    ASSERT_EQ(fp2_equal(fp2_mul(elements[i], inverses[i]), kFp2One), 1u);
    ASSERT_EQ(fp2_equal(fp2_invert(elements[i]), inverses[i]), 1u);
  }
  EXPECT_EQ(fp2_is_zero(fp2_invert(kFp2Zero)), 1u);
  fp2_invert_many(nullptr, nullptr, 0);
}

TEST(Fp2, SquareRootOfARatio) {
  const auto values = samples();
  std::size_t num_squares = 0;
  std::size_t num_others = 0;
  for (const Fp re : values) {
    for (const Fp im : values) {
      for (const Fp delta : {Fp{1}, Fp{kP - 1}, Fp{5}, values.back()}) {
        const Fp2 m = {re, im};
        const SqrtRatio ratio = fp2_sqrt_ratio(m, delta);
        const Fp2 squared = fp2_mul_fp(fp2_sqr(ratio.root), delta);
        ASSERT_EQ(fp2_equal(squared, ratio.is_square == 1 ? m : fp2_mul(m, kZ)), 1u);
        if (fp2_is_zero(m) == 1) {
          ASSERT_EQ(ratio.is_square, 1u);
          ASSERT_EQ(fp_is_zero(ratio.delta_inverse), 1u);
        } else {
          ASSERT_EQ(fp_equal(fp_mul(ratio.delta_inverse, delta), kFpOne), 1u);
          ++(ratio.is_square == 1 ? num_squares : num_others);
        }
        ASSERT_EQ(fp2_sqrt_ratio(fp2_mul_fp(fp2_sqr(m), delta), delta).is_square, 1u);
      }
    }
  }
  // The test is meaningful only if both outcomes occur.
  EXPECT_GT(num_squares, 500u);
  EXPECT_GT(num_others, 500u);
}

TEST(Fp2, SelectTakesTheNamedSide) {
  const Fp2 a = {{3}, {5}};
  const Fp2 b = {{7}, {11}};
  EXPECT_EQ(fp2_equal(fp2_select(base::ct_mask(1), a, b), a), 1u);
  EXPECT_EQ(fp2_equal(fp2_select(base::ct_mask(0), a, b), b), 1u);
  EXPECT_EQ(fp2_equal(a, b), 0u);
}

}  // namespace
}  // namespace optiks::vrf
