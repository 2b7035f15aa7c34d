// Compares every batch kernel with the scalar path: the curve arithmetic on edge cases and on all vectors, and the
// public operations on batches of every shape. The tests of a kernel that this machine does not support are skipped,
// with a message.
#include "lanes/kernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

#include "batch.h"
#include "elligator.h"
#include "scalar_mul.h"
#include "vartime_mul.h"
#include "vectors.h"

namespace optiks::vrf {
namespace {

using base::Kernel;
using lanes::GroupPoints;
using lanes::GroupScalar;
using lanes::kMaxGroups;
using test::encode;

constexpr std::size_t kNumInputs = kMaxGroups * lanes::kMaxLanes;

class KernelTest : public testing::TestWithParam<Kernel> {
 protected:
  void SetUp() override {
    curve_ = kernel_of(GetParam());
    if (curve_ != nullptr) {
      lanes_ = curve_->lanes;
      num_groups_ = kNumInputs / lanes_;
    }
  }

  // Calls run(first group, number of groups), with as many groups at a time as a kernel accepts.
  template <typename Run>
  static void in_calls(std::size_t num_groups, Run run) {
    for (std::size_t first = 0; first < num_groups; first += kMaxGroups) {
      run(first, std::min(kMaxGroups, num_groups - first));
    }
  }

  [[nodiscard]] std::vector<PointString> encoded(const std::vector<GroupPoints>& points, std::size_t num_groups) const {
    std::vector<PointString> out(num_groups * lanes_);
    in_calls(num_groups,
             [&](std::size_t first, std::size_t n) { curve_->encode(&out[first * lanes_], &points[first], n); });
    return out;
  }
  [[nodiscard]] std::vector<GroupPoints> encoded_to_curve(const std::vector<Fp2>& u) const {
    std::vector<GroupPoints> out(u.size() / lanes_);
    in_calls(out.size(),
             [&](std::size_t first, std::size_t n) { curve_->encode_to_curve(&out[first], &u[first * lanes_], n); });
    return out;
  }

  // Makes the points H from random and from extreme field elements.
  void make_h() {
    u_.assign(kNumInputs, kFp2Zero);
    for (Fp2& u : u_) {
      u = {fp(random_() >> 1, random_()), fp(random_() >> 1, random_())};
    }
    u_[1] = kFp2Zero;
    u_[2] = {{kP}, {kP}};
    u_[3] = kFp2One;
    u_[4] = {kFpZero, kFpOne};
    u_[5] = {{kP - 1}, {kP - 1}};
    h_ = encoded_to_curve(u_);
    for (const Fp2& u : u_) {
      expected_h_.push_back(point_clear_cofactor(elligator2(u)));
    }
  }

  // Returns 0, 1, 2, N - 1, N - 2 and random scalars.
  std::vector<Scalar> make_scalars() {
    std::vector<Scalar> out(kNumInputs);
    for (Scalar& k : out) {
      k = scalar_reduce(test::random_scalar_256(random_));
    }
    out[0] = {};
    out[1] = {{1, 0, 0, 0}};
    out[2] = {{2, 0, 0, 0}};
    out[3] = test::minus(1);
    out[4] = test::minus(2);
    return out;
  }

  void put(std::vector<GroupScalar>& groups, std::size_t i, const std::array<u64, 4>& words) const {
    for (std::size_t j = 0; j < 4; ++j) {
      groups[i / lanes_].w[j * lanes_ + i % lanes_] = words[j];
    }
  }

  const lanes::Kernel* curve_ = nullptr;
  std::size_t lanes_ = 0;
  std::size_t num_groups_ = 0;  // the number of groups for kNumInputs inputs
  std::mt19937_64 random_{11};
  std::vector<Fp2> u_;
  std::vector<GroupPoints> h_;
  std::vector<Point> expected_h_;
};

TEST_P(KernelTest, EncodesToTheCurve) {
  make_h();
  for (std::size_t num_groups = 1; num_groups <= kMaxGroups; ++num_groups) {
    std::vector<GroupPoints> h(num_groups);
    curve_->encode_to_curve(h.data(), u_.data(), num_groups);
    const auto strings = encoded(h, num_groups);
    for (std::size_t i = 0; i < strings.size(); ++i) {
      EXPECT_EQ(strings[i], encode(expected_h_[i])) << i << " of " << num_groups << " groups";
    }
  }
}

TEST_P(KernelTest, MapsTheVectorsOfElligator) {
  const auto rows = test::load_rows("vrf/elligator.json", 64);
  std::vector<Fp2> u;
  for (const auto& row : rows) {
    u.push_back(test::element_of(row["u"]));
  }
  const auto strings = encoded(encoded_to_curve(u), num_groups_);
  for (std::size_t i = 0; i < u.size(); ++i) {
    const Fp2 x = test::element_of(rows[i]["x"]);
    const Fp2 y = test::element_of(rows[i]["y"]);
    EXPECT_EQ(strings[i], encode(point_clear_cofactor({x, y, kFp2One, x, y}))) << rows[i]["u"];
  }
}

TEST_P(KernelTest, MultipliesByTheSameScalar) {
  make_h();
  for (const Scalar& k : {Scalar{{1, 0, 0, 0}}, Scalar{{2, 0, 0, 0}}, Scalar{}, test::minus(1),
                          scalar_reduce(test::random_scalar_256(random_))}) {
    std::vector<GroupPoints> out(num_groups_);
    in_calls(num_groups_, [&](std::size_t first, std::size_t n) {
      curve_->mul_same(&out[first], &h_[first], n, recode(decompose(k)));
    });
    const auto strings = encoded(out, num_groups_);
    for (std::size_t i = 0; i < kNumInputs; ++i) {
      EXPECT_EQ(strings[i], encode(scalar_mul(expected_h_[i], k))) << i;
    }
  }
}

TEST_P(KernelTest, ComputesThePointsOfProofs) {
  make_h();
  const Scalar x = scalar_reduce(test::random_scalar_256(random_));
  const auto k = make_scalars();
  std::vector<GroupScalar> k_parts(num_groups_);
  std::vector<GroupScalar> k_comb(num_groups_);
  for (std::size_t i = 0; i < kNumInputs; ++i) {
    put(k_parts, i, decompose(k[i]).v);
    put(k_comb, i, lanes::generator_bits(k[i]).w);
  }
  std::vector<GroupPoints> out(lanes::kNumProofPoints * num_groups_);
  in_calls(num_groups_, [&](std::size_t first, std::size_t n) {
    curve_->prove(&out[lanes::kNumProofPoints * first], &h_[first], n, recode(decompose(x)), &k_parts[first],
                  &k_comb[first]);
  });
  const auto strings = encoded(out, out.size());
  for (std::size_t i = 0; i < kNumInputs; ++i) {
    const auto at = [&](std::size_t point) {
      return strings[(i / lanes_ * lanes::kNumProofPoints + point) * lanes_ + i % lanes_];
    };
    const Point gamma = scalar_mul(expected_h_[i], x);
    EXPECT_EQ(at(lanes::kGamma), encode(gamma)) << i;
    EXPECT_EQ(at(lanes::kU), encode(fixed_base_mul(k[i]))) << i;
    EXPECT_EQ(at(lanes::kV), encode(scalar_mul(expected_h_[i], k[i]))) << i;
    EXPECT_EQ(at(lanes::kClearedGamma), encode(point_clear_cofactor(gamma))) << i;
  }
}

// The test decodes all strings of the vectors for decoders, padded to whole groups with strings that decode.
TEST_P(KernelTest, DecodesStrictly) {
  std::vector<PointString> strings;
  for (const auto& row : test::load_rows("fourq/fourq_decode_ok.json", 50)) {
    strings.push_back(test::array_of<32>(row["in"]));
  }
  for (const auto& row : test::load_rows("fourq/fourq_decode_fail.json", 50)) {
    strings.push_back(test::array_of<32>(row));
  }
  for (const auto& row : test::load_rows("fourq/fourq_decode_noncanonical.json", 42)) {
    strings.push_back(test::array_of<32>(row["in"]));
  }
  for (const auto& row : test::load_rows("fourq/fourq_small_order.json", 392)) {
    strings.push_back(test::array_of<32>(row["point"]));
  }
  while (strings.size() % lanes_ != 0) {
    strings.push_back(strings[0]);
  }
  std::size_t num_valid = 0;
  for (std::size_t first = 0; first < strings.size(); first += kMaxGroups * lanes_) {
    const std::size_t num_groups = std::min(kMaxGroups, (strings.size() - first) / lanes_);
    std::vector<GroupPoints> points(num_groups);
    std::vector<std::uint8_t> valid(num_groups);
    curve_->decode(points.data(), valid.data(), &strings[first], num_groups);
    const auto again = encoded(points, num_groups);
    for (std::size_t i = 0; i < num_groups * lanes_; ++i) {
      const bool is_valid = (valid[i / lanes_] >> (i % lanes_) & 1) != 0;
      EXPECT_EQ(is_valid, point_decode_vartime(strings[first + i]).has_value()) << base::to_hex(strings[first + i]);
      EXPECT_EQ(again[i], is_valid ? strings[first + i] : encode(kIdentity));
      num_valid += is_valid ? 1 : 0;
    }
  }
  EXPECT_GT(num_valid, 400u);
  EXPECT_LT(num_valid, strings.size());
}

// Gamma has small and mixed orders and also order N, and c and s have their extreme values.
TEST_P(KernelTest, ComputesThePointsOfVerifications) {
  make_h();
  std::vector<Point> gamma;
  for (const auto& row : test::load_rows("fourq/fourq_small_order.json", 392)) {
    if (gamma.size() < 24) {
      gamma.push_back(test::point_of(row["point"]));
    }
  }
  for (const auto& row : test::load_rows("fourq/fourq_mixed_order.json", 20)) {
    gamma.push_back(test::point_of(row["sum"]));
  }
  while (gamma.size() < kNumInputs) {
    gamma.push_back(expected_h_[gamma.size()]);
  }
  std::vector<PointString> gamma_strings;
  for (const Point& point : gamma) {
    gamma_strings.push_back(encode(point));
  }
  std::vector<GroupPoints> gamma_groups(num_groups_);
  std::vector<std::uint8_t> valid(num_groups_);
  in_calls(num_groups_, [&](std::size_t first, std::size_t n) {
    curve_->decode(&gamma_groups[first], &valid[first], &gamma_strings[first * lanes_], n);
  });

  const Point y = fixed_base_mul(test::random_scalar_256(random_));
  const ShortMulTable y_table = make_short_mul_table_vartime(y);
  const lanes::ChallengeCombs y_comb = lanes::make_challenge_comb_vartime(y);
  const auto s = make_scalars();
  std::vector<std::array<u64, 2>> c(kNumInputs);
  for (auto& words : c) {
    words = {random_(), random_()};
  }
  c[5] = {0, 0};
  c[6] = {1, 0};
  c[7] = {2, 0};
  c[8] = {~u64{0}, ~u64{0}};
  c[9] = {~u64{0} - 1, ~u64{0}};
  c[10] = {0, u64{1} << 63};
  std::vector<GroupScalar> s_parts(num_groups_);
  std::vector<GroupScalar> s_comb(num_groups_);
  std::vector<GroupScalar> c_words(num_groups_);
  for (std::size_t i = 0; i < kNumInputs; ++i) {
    put(s_parts, i, decompose(s[i]).v);
    put(s_comb, i, lanes::generator_bits(s[i]).w);
    put(c_words, i, {c[i][0], c[i][1], 0, 0});
  }
  std::vector<GroupPoints> out(lanes::kNumVerifyPoints * num_groups_);
  std::vector<std::uint8_t> small(num_groups_);
  in_calls(num_groups_, [&](std::size_t first, std::size_t n) {
    curve_->verify(&out[lanes::kNumVerifyPoints * first], &small[first], &h_[first], &gamma_groups[first], n, y_comb,
                   &s_parts[first], &s_comb[first], &c_words[first]);
  });
  const auto strings = encoded(out, out.size());
  std::size_t num_small = 0;
  for (std::size_t i = 0; i < kNumInputs; ++i) {
    const auto at = [&](std::size_t point) {
      return strings[(i / lanes_ * lanes::kNumVerifyPoints + point) * lanes_ + i % lanes_];
    };
    const Point cleared = point_clear_cofactor(gamma[i]);
    EXPECT_EQ(at(lanes::kVerifyH), encode(expected_h_[i])) << i;
    EXPECT_EQ(at(lanes::kVerifyU), encode(generator_minus_vartime(s[i], c[i], y_table))) << i;
    EXPECT_EQ(at(lanes::kVerifyV), encode(subgroup_minus_any_vartime(s[i], expected_h_[i], c[i], gamma[i]))) << i;
    EXPECT_EQ(at(lanes::kVerifyClearedGamma), encode(cleared)) << i;
    const bool is_small = (small[i / lanes_] >> (i % lanes_) & 1) != 0;
    EXPECT_EQ(is_small, point_is_identity(cleared) == 1) << i;
    num_small += is_small ? 1 : 0;
  }
  EXPECT_EQ(num_small, 24u);
}

// Alphas whose lengths are near the block length of the hash, from empty to longer than the kernels' slots.
struct ManyAlphas {
  test::Bytes bytes;
  std::vector<std::size_t> offsets = {0};

  explicit ManyAlphas(std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
      bytes.resize(bytes.size() + i * 53 % (n > 40 ? 317 : 97), static_cast<std::uint8_t>(i + 1));
      offsets.push_back(bytes.size());
    }
  }
  [[nodiscard]] Alphas alphas() const { return {bytes, offsets}; }
};

class BatchTest : public KernelTest {};

TEST_P(BatchTest, GivesWhatTheScalarPathGives) {
  const SecretKey key = SecretKey::load(std::array<std::uint8_t, kSecretKeyLen>{9, 8, 7}).value();
  PublicKey public_key;
  ASSERT_EQ(PublicKey::parse_vartime(key.public_key(), public_key), Reason::kValid);
  for (const std::size_t n : {0, 1, 2, 7, 8, 9, 16, 31, 63, 64, 65, 130}) {
    const ManyAlphas batch(n);
    test::Bytes labels(n * kLabelLen);
    test::Bytes proved(n * kLabelLen);
    test::Bytes proofs(n * kProofLen);
    evaluate_batch_by(GetParam(), key, batch.alphas(), labels);
    prove_batch_by(GetParam(), key, batch.alphas(), proved, proofs);
    test::Bytes expected(n * kLabelLen);
    test::Bytes expected_proofs(n * kProofLen);
    prove_batch_by(Kernel::kScalar, key, batch.alphas(), expected, expected_proofs);
    EXPECT_EQ(labels, expected) << n;
    EXPECT_EQ(proved, expected) << n;
    EXPECT_EQ(proofs, expected_proofs) << n;
    test::Bytes verified(n * kLabelLen);
    std::vector<Reason> reasons(n, Reason::kChallenge);
    verify_batch_by_vartime(GetParam(), public_key, batch.alphas(), proofs, verified, reasons);
    EXPECT_EQ(reasons, std::vector<Reason>(n, Reason::kValid)) << n;
    EXPECT_EQ(verified, expected) << n;
  }
}

// Among valid elements some are damaged, each in its own way. The reasons and labels must equal those of the scalar
// path.
TEST_P(BatchTest, RefusesWhatTheScalarPathRefuses) {
  constexpr std::size_t kNum = 70;
  const SecretKey key = SecretKey::load(std::array<std::uint8_t, kSecretKeyLen>{1, 2, 3}).value();
  PublicKey public_key;
  ASSERT_EQ(PublicKey::parse_vartime(key.public_key(), public_key), Reason::kValid);
  const ManyAlphas batch(kNum);
  test::Bytes labels(kNum * kLabelLen);
  test::Bytes proofs(kNum * kProofLen);
  prove_batch_by(Kernel::kScalar, key, batch.alphas(), labels, proofs);
  const auto small = test::load_rows("fourq/fourq_small_order.json", 392);
  for (std::size_t i = 0; i < kNum; ++i) {
    std::uint8_t* const proof = &proofs[i * kProofLen];
    switch (i % 8) {
      case 0:
        proof[15] |= 0x80;  // bit 127 of Gamma
        break;
      case 1:
        std::copy_n(test::array_of<32>(small[i]["point"]).begin(), 32, proof);
        break;
      case 2:
        std::fill_n(proof + 48, 31, std::uint8_t{0xff});  // s
        break;
      case 3:
        proof[32 + i % 16] ^= 1;  // c
        break;
      case 4:
        proof[48] ^= 1;  // a bit of s, which stays below N
        break;
      case 5:
        proof[0] ^= 1;  // a bit of Gamma, possibly the string of another point
        break;
      default:
        break;  // unchanged
    }
  }
  std::vector<Reason> expected(kNum);
  test::Bytes expected_labels(kNum * kLabelLen, 0xaa);
  verify_batch_by_vartime(Kernel::kScalar, public_key, batch.alphas(), proofs, expected_labels, expected);
  std::vector<Reason> reasons(kNum);
  test::Bytes verified(kNum * kLabelLen, 0xaa);
  verify_batch_by_vartime(GetParam(), public_key, batch.alphas(), proofs, verified, reasons);
  EXPECT_EQ(reasons, expected);
  EXPECT_EQ(verified, expected_labels) << "labels of refused proofs are left as they are";
  for (const Reason reason :
       {Reason::kValid, Reason::kGammaMalformed, Reason::kScalarRange, Reason::kGammaSmallOrder, Reason::kChallenge}) {
    EXPECT_GT(std::count(reasons.begin(), reasons.end(), reason), 0) << test::reason_name(reason);
  }
}

// A batch runs on the kernel that OPTIKS_FORCE_KERNEL names, or without it on the fastest kernel. CMakeLists.txt runs
// this test also with the scalar path, and with the portable code of ifma512.
TEST(BatchKernel, IsTheChosenOneExceptForSingleElements) {
  const char* const forced = std::getenv("OPTIKS_FORCE_KERNEL");
  const char* const fastest = base::kernel_name(base::runnable_kernels().back());
  EXPECT_STREQ(base::kernel_name(base::kernel()), forced != nullptr && *forced != '\0' ? forced : fastest);
  EXPECT_EQ(batch_kernel(1), Kernel::kScalar);
  EXPECT_EQ(batch_kernel(2), base::kernel() == Kernel::kAvx2 ? Kernel::kScalar : base::kernel());
  EXPECT_EQ(batch_kernel(3), base::kernel());
  EXPECT_EQ(batch_kernel(9), base::kernel());
}

std::string name_of(const testing::TestParamInfo<Kernel>& info) { return base::kernel_name(info.param); }

// Returns the kernels that compute many elements in lanes.
std::vector<Kernel> lane_kernels() {
  std::vector<Kernel> kernels;
  std::ranges::copy_if(base::runnable_kernels(), std::back_inserter(kernels),
                       [](Kernel kernel) { return kernel_of(kernel) != nullptr; });
  return kernels;
}

INSTANTIATE_TEST_SUITE_P(Kernels, KernelTest, testing::ValuesIn(lane_kernels()), name_of);
INSTANTIATE_TEST_SUITE_P(Kernels, BatchTest, testing::ValuesIn(base::runnable_kernels()), name_of);

}  // namespace
}  // namespace optiks::vrf
