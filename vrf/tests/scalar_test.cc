// Tests the arithmetic modulo N, and the two recodings of scalars.
#include "scalar.h"

#include <gtest/gtest.h>

#include <random>

#include "decompose.h"
#include "vartime_mul.h"
#include "vectors.h"

namespace optiks::vrf {
namespace {

using test::hex_of;
using test::random_scalar_256;
using test::scalar_of;

TEST(Scalar, KnownAnswers) {
  for (const auto& row : test::load_rows("fourq/fourq_scalar_field.json", 50)) {
    const Scalar k = scalar_of(row["k"]);
    const Scalar reduced = scalar_reduce(k);
    const Scalar b = scalar_of(row["b"]);
    EXPECT_EQ(hex_of(reduced), row["k_mod_r"]);
    EXPECT_EQ(hex_of(scalar_mul(k, b)), row["mul"]);
    EXPECT_EQ(hex_of(scalar_add(reduced, b)), row["add"]);
  }
}

std::vector<Scalar> edge_scalars() {
  const u64 ones = ~u64{0};
  std::vector<Scalar> out = {{{0, 0, 0, 0}},
                             {{1, 0, 0, 0}},
                             {{2, 0, 0, 0}},
                             {{ones, ones, ones, ones}},
                             {{ones, 0, 0, 0}},
                             {{0, 0, 0, u64{1} << 63}},
                             kOrder};
  for (const u64 offset : {u64{1}, u64{2}}) {
    Scalar above = kOrder;
    above.w[0] += offset;
    out.push_back(test::minus(offset));
    out.push_back(above);
  }
  std::mt19937_64 random(6);
  for (int i = 0; i < 300; ++i) {
    out.push_back(random_scalar_256(random));
  }
  return out;
}

TEST(Scalar, CanonicalMeansBelowTheOrder) {
  Scalar below = kOrder;
  below.w[0] -= 1;
  Scalar high = kOrder;
  high.w[3] += 1;
  high.w[0] = 0;
  EXPECT_EQ(scalar_is_canonical({{0, 0, 0, 0}}), 1u);
  EXPECT_EQ(scalar_is_canonical(below), 1u);
  EXPECT_EQ(scalar_is_canonical(kOrder), 0u);
  EXPECT_EQ(scalar_is_canonical(high), 0u);
}

TEST(Scalar, HalfSumsAreTheInverseOfDoubling) {
  for (const Scalar& k : edge_scalars()) {
    for (const Scalar& other : edge_scalars()) {
      const Scalar a = scalar_reduce(k);
      const Scalar b = scalar_reduce(other);
      const Scalar half = scalar_half_sum(a, b);
      EXPECT_EQ(half.w[3] >> 55, 0u);  // below 2^247
      EXPECT_EQ(scalar_add(scalar_reduce(half), scalar_reduce(half)).w, scalar_add(a, b).w);
    }
  }
}

TEST(Scalar, ShortProductsAreProducts) {
  constexpr u64 kOnes = ~u64{0};
  for (const std::array<u64, 2>& a : {std::array<u64, 2>{0, 0}, {1, 0}, {kOnes, 0}, {0, kOnes}, {kOnes, kOnes}}) {
    for (const Scalar& k : edge_scalars()) {
      const Scalar b = scalar_reduce(k);
      ASSERT_EQ(scalar_mul_short(a, scalar_shifted(b)).w, scalar_mul({{a[0], a[1], 0, 0}}, b).w);
    }
  }
}

// Computes low + high * 2^256 without the wide reduction: repeated doublings replace the multiplication by 2^256.
TEST(Scalar, WideReduction) {
  const auto scalars = edge_scalars();
  for (std::size_t i = 0; i + 1 < scalars.size(); ++i) {
    Scalar shifted = scalar_reduce(scalars[i + 1]);
    for (int bit = 0; bit < 256; ++bit) {
      shifted = scalar_add(shifted, shifted);
    }
    std::array<std::uint8_t, 64> bytes;
    scalar_to_bytes(std::span(bytes).first<32>(), scalars[i]);
    scalar_to_bytes(std::span(bytes).last<32>(), scalars[i + 1]);
    ASSERT_EQ(scalar_reduce_wide(bytes).w, scalar_add(scalar_reduce(scalars[i]), shifted).w);
  }
}

TEST(Scalar, DigitsSpellTheParts) {
  for (const Scalar& k : edge_scalars()) {
    const MiniScalars parts = decompose(k);
    ASSERT_EQ(parts.v[0] & 1, 1u);
    const auto part = [&](std::size_t j) { return static_cast<__int128>(static_cast<std::int64_t>(parts.v[j])); };
    for (std::size_t j = 0; j < 4; ++j) {
      const __int128 bounded = j == 0 ? part(0) : 2 * part(j) - part(0);
      ASSERT_TRUE(bounded < (__int128{1} << 63) && -bounded < (__int128{1} << 63)) << j;
    }
    const Digits digits = recode(parts);
    std::array<__int128, 4> sums{};
    for (std::size_t i = kNumDigits; i-- > 0;) {
      const int sign = digits.sign_mask[i] == 0 ? 1 : -1;
      for (std::size_t j = 0; j < 4; ++j) {
        const u64 mask = j == 0 ? ~u64{0} : digits.index_mask[j - 1][i];
        ASSERT_TRUE(mask == 0 || mask == ~u64{0});
        sums[j] = 2 * sums[j] + (mask == 0 ? 0 : sign);
      }
    }
    for (std::size_t j = 0; j < 4; ++j) {
      ASSERT_TRUE(sums[j] == part(j)) << j;
    }
  }
}

TEST(Scalar, NonAdjacentFormSpellsTheNumber) {
  std::mt19937_64 random(7);
  for (unsigned width = 3; width <= 7; ++width) {
    for (const u64 value : {u64{0}, u64{1}, ~u64{0}, u64{1} << 63, u64{0xaaaaaaaaaaaaaaaa}, random(), random()}) {
      std::array<std::int8_t, 65> digits;
      wnaf_vartime(digits, std::span(&value, 1), width);
      __int128 sum = 0;
      std::size_t last = digits.size() + width;
      for (std::size_t i = digits.size(); i-- > 0;) {
        sum = 2 * sum + digits[i];
        if (digits[i] != 0) {
          EXPECT_EQ(digits[i] & 1, 1);
          EXPECT_LT(std::abs(digits[i]), 1 << (width - 1));
          EXPECT_GE(last - i, width) << "two non-zero digits share a window";
          last = i;
        }
      }
      EXPECT_TRUE(sum == static_cast<__int128>(value));
    }
  }
}

}  // namespace
}  // namespace optiks::vrf
