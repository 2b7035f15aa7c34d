// Tests the public functions: known answers from tests/reference, keys and batches.
#include "optiks/vrf/ecvrf.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "suite.h"
#include "vectors.h"

namespace optiks::vrf {
namespace {

using test::array_of;
using test::Bytes;
using test::bytes_of;
using test::load_rows;

SecretKey load_key(const std::array<std::uint8_t, kSecretKeyLen>& bytes) { return SecretKey::load(bytes).value(); }

SecretKey small_key(std::uint8_t scalar) { return load_key({scalar}); }

PublicKey parse(std::span<const std::uint8_t> bytes) {
  PublicKey key;
  EXPECT_EQ(PublicKey::parse_vartime(bytes, key), Reason::kValid);
  return key;
}

TEST(Ecvrf, KnownAnswers) {
  for (const auto& row : load_rows("vrf/ecvrf.json", 64)) {
    const SecretKey key = load_key(array_of<kSecretKeyLen>(row["sk"]));
    EXPECT_EQ(base::to_hex(key.public_key()), row["pk"]);
    const Bytes alpha = bytes_of(row["alpha"]);

    const base::Blake2b prefix = encode_prefix(key.public_key());
    EXPECT_EQ(test::hex_of(hash_to_field(prefix, alpha)), row["u"]);
    EXPECT_EQ(test::hex_of(encode_to_curve(prefix, alpha)), row["h"]);

    std::array<std::uint8_t, kLabelLen> label{};
    evaluate(key, alpha, label);
    EXPECT_EQ(base::to_hex(label), row["label"]);

    std::array<std::uint8_t, kLabelLen> proved{};
    std::array<std::uint8_t, kProofLen> proof{};
    prove(key, alpha, proved, proof);
    EXPECT_EQ(proved, label);
    EXPECT_EQ(base::to_hex(proof), row["proof"]);
    EXPECT_EQ(base::to_hex(std::span(proof).first(32)), row["gamma"]);

    std::array<std::uint8_t, kLabelLen> verified{};
    EXPECT_EQ(verify_vartime(parse(key.public_key()), alpha, proof, verified), Reason::kValid);
    EXPECT_EQ(verified, label);
  }
}

TEST(SecretKey, LoadsExactlyTheScalarsBetween1AndTheOrder) {
  std::array<std::uint8_t, kSecretKeyLen> bytes{};
  EXPECT_EQ(SecretKey::load(bytes).status().code(), base::StatusCode::kMalformed) << "0";
  bytes[0] = 1;
  EXPECT_TRUE(SecretKey::load(bytes).ok());
  scalar_to_bytes(bytes, kOrder);
  EXPECT_EQ(SecretKey::load(bytes).status().code(), base::StatusCode::kMalformed) << "N";
  bytes[0] -= 1;
  EXPECT_TRUE(SecretKey::load(bytes).ok()) << "N - 1";
  bytes[0] += 2;
  EXPECT_FALSE(SecretKey::load(bytes).ok()) << "N + 1";
  bytes.fill(0xff);
  EXPECT_FALSE(SecretKey::load(bytes).ok());
}

TEST(SecretKey, ExportsWhatItLoaded) {
  const SecretKey key = SecretKey::generate().value();
  const base::Secret<kSecretKeyLen> bytes = key.export_bytes();
  const SecretKey again = SecretKey::load(bytes.bytes()).value();
  EXPECT_TRUE(std::ranges::equal(key.public_key(), again.public_key()));
}

TEST(SecretKey, GeneratedKeysDiffer) {
  const SecretKey a = SecretKey::generate().value();
  const SecretKey b = SecretKey::generate().value();
  EXPECT_FALSE(std::ranges::equal(a.public_key(), b.public_key()));
}

TEST(SecretKey, ASeedIsReducedModuloTheOrder) {
  std::array<std::uint8_t, kKeySeedLen> seed{};
  EXPECT_EQ(SecretKey::from_seed(seed).status().code(), base::StatusCode::kInvalidArgument);
  scalar_to_bytes(std::span(seed).first<32>(), kOrder);
  EXPECT_FALSE(SecretKey::from_seed(seed).ok()) << "N is 0";
  seed[0] += 7;
  const SecretKey key = SecretKey::from_seed(seed).value();
  EXPECT_TRUE(std::ranges::equal(key.public_key(), small_key(7).public_key()));
}

TEST(SecretKey, MovesKeepTheKey) {
  SecretKey key = small_key(3);
  const std::string before = base::to_hex(key.public_key());
  SecretKey moved = std::move(key);
  EXPECT_EQ(base::to_hex(moved.public_key()), before);
  SecretKey assigned = small_key(4);
  assigned = std::move(moved);
  EXPECT_EQ(base::to_hex(assigned.public_key()), before);
}

// A batch of alphas: strings whose lengths are near the hash's block length, long strings and empty strings.
struct Batch {
  Bytes bytes;
  std::vector<std::size_t> offsets = {0};

  explicit Batch(std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
      bytes.resize(bytes.size() + i * 37 % 411, static_cast<std::uint8_t>(i + 1));
      offsets.push_back(bytes.size());
    }
  }
  [[nodiscard]] Alphas alphas() const { return {bytes, offsets}; }
};

TEST(Ecvrf, BatchesGiveWhatSingleCallsGive) {
  const SecretKey key = small_key(9);
  const PublicKey public_key = parse(key.public_key());
  for (const std::size_t n : {0, 1, 2, 7, 8, 9, 16, 21}) {
    const Batch batch(n);
    Bytes labels(n * kLabelLen);
    Bytes proved_labels(n * kLabelLen);
    Bytes proofs(n * kProofLen);
    evaluate_batch(key, batch.alphas(), labels);
    prove_batch(key, batch.alphas(), proved_labels, proofs);
    EXPECT_EQ(labels, proved_labels);

    for (std::size_t i = 0; i < n; ++i) {
      std::array<std::uint8_t, kLabelLen> label{};
      std::array<std::uint8_t, kProofLen> proof{};
      prove(key, batch.alphas()[i], label, proof);
      EXPECT_TRUE(std::equal(label.begin(), label.end(), labels.begin() + i * kLabelLen));
      EXPECT_TRUE(std::equal(proof.begin(), proof.end(), proofs.begin() + i * kProofLen));
    }

    Bytes verified(n * kLabelLen);
    std::vector<Reason> reasons(n, Reason::kKeyInvalid);
    verify_batch_vartime(public_key, batch.alphas(), proofs, verified, reasons);
    EXPECT_EQ(verified, labels);
    EXPECT_EQ(std::ranges::count(reasons, Reason::kValid), static_cast<std::ptrdiff_t>(n));
  }
}

TEST(Ecvrf, ABatchRefusesOnlyTheBadElements) {
  constexpr std::size_t kSize = 12;
  const SecretKey key = small_key(9);
  const Batch batch(kSize);
  Bytes labels(kSize * kLabelLen);
  Bytes proofs(kSize * kProofLen);
  prove_batch(key, batch.alphas(), labels, proofs);
  const auto proof_at = [&](std::size_t i) { return proofs.begin() + i * kProofLen; };
  std::fill_n(proof_at(0), 32, std::uint8_t{0xff});       // Gamma is not a point
  std::fill_n(proof_at(3) + 48, 31, std::uint8_t{0xff});  // s is above N
  std::fill_n(proof_at(7), 32, std::uint8_t{0});          // Gamma of order 4
  *(proof_at(10) + 32) ^= 1;                              // c
  *(proof_at(11) + 48) ^= 1;                              // s

  Bytes verified(kSize * kLabelLen, 0xee);
  std::vector<Reason> reasons(kSize, Reason::kKeyInvalid);
  verify_batch_vartime(parse(key.public_key()), batch.alphas(), proofs, verified, reasons);
  std::vector<Reason> expected(kSize, Reason::kValid);
  expected[0] = Reason::kGammaMalformed;
  expected[3] = Reason::kScalarRange;
  expected[7] = Reason::kGammaSmallOrder;
  expected[10] = Reason::kChallenge;
  expected[11] = Reason::kChallenge;
  EXPECT_EQ(reasons, expected);
  for (std::size_t i = 0; i < kSize; ++i) {
    const Bytes label(verified.begin() + i * kLabelLen, verified.begin() + (i + 1) * kLabelLen);
    if (expected[i] == Reason::kValid) {
      EXPECT_TRUE(std::equal(label.begin(), label.end(), labels.begin() + i * kLabelLen)) << i;
    } else {
      EXPECT_EQ(label, Bytes(kLabelLen, 0xee)) << "a refused proof has no label";
    }
  }
}

TEST(EcvrfDeathTest, WrongBuffersAbort) {
  const SecretKey key = small_key(9);
  const Batch batch(2);
  Bytes labels(2 * kLabelLen);
  Bytes short_labels(2 * kLabelLen - 1);
  EXPECT_DEATH(evaluate_batch(key, batch.alphas(), short_labels), "check failed");
  const std::vector<std::size_t> decreasing = {0, 5, 3};
  EXPECT_DEATH(evaluate_batch(key, {batch.bytes, decreasing}, labels), "check failed");
  const std::vector<std::size_t> beyond = {0, 5, batch.bytes.size() + 1};
  EXPECT_DEATH(evaluate_batch(key, {batch.bytes, beyond}, labels), "check failed");
  EXPECT_DEATH(static_cast<void>(PublicKey().bytes()), "check failed") << "an empty key";
}

}  // namespace
}  // namespace optiks::vrf
