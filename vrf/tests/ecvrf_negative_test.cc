// Tests 1 to 15 of docs/negative-tests.md. Each has a positive control: the valid proof next to the altered proof. Test
// 14 cannot be run, because the code has only one suite, whose string is compiled in. For test 13, the framing of names
// is tested in ozks.
#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "optiks/vrf/ecvrf.h"
#include "point.h"
#include "scalar_mul.h"
#include "suite.h"
#include "vectors.h"

namespace optiks::vrf {
namespace {

using test::array_of;
using test::Bytes;
using test::bytes_of;
using test::load_rows;

using Label = std::array<std::uint8_t, kLabelLen>;
using Proof = std::array<std::uint8_t, kProofLen>;

Bytes text(std::string_view s) { return {s.begin(), s.end()}; }

struct Honest {
  SecretKey key;
  PublicKey public_key;
  Bytes alpha = text("devices|alice|1");
  Label label{};
  Proof proof{};

  explicit Honest(std::uint8_t scalar = 77)
      : key(SecretKey::load(std::array<std::uint8_t, kSecretKeyLen>{scalar, 1, 2, 3}).value()) {
    EXPECT_EQ(PublicKey::parse_vartime(key.public_key(), public_key), Reason::kValid);
    prove(key, alpha, label, proof);
  }

  [[nodiscard]] Reason verify(const Proof& altered) const {
    Label out{};
    return verify_vartime(public_key, alpha, altered, out);
  }
};

Reason validate(std::span<const std::uint8_t> bytes) {
  PublicKey key;
  return PublicKey::parse_vartime(bytes, key);
}

// Adds N to s `times` times. Returns false if the sum does not fit into 31 octets.
bool add_order_to_s(Proof& proof, unsigned times) {
  std::array<std::uint8_t, 32> order;
  scalar_to_bytes(order, kOrder);
  for (unsigned n = 0; n < times; ++n) {
    unsigned carry = 0;
    for (std::size_t i = 0; i < 31; ++i) {
      carry += proof[48 + i] + order[i];
      proof[48 + i] = static_cast<std::uint8_t>(carry);
      carry >>= 8;
    }
    if (carry != 0) {
      return false;
    }
  }
  return true;
}

// Returns the proof of a cheating prover that knows x and uses `gamma` instead of x*H. The proof is correct except for
// the torsion part of c*(gamma - x*H). The function tries nonces until c mod `order` is `residue`.
Proof cheat(const Honest& honest, const Point& gamma, u64 order, u64 residue) {
  const auto x_bytes = honest.key.export_bytes();
  const Scalar x = scalar_from_bytes_unchecked(x_bytes.bytes());
  const Point h = encode_to_curve(encode_prefix(honest.key.public_key()), honest.alpha);
  const PointString h_string = test::encode(h);
  const PointString gamma_string = test::encode(gamma);
  for (u64 nonce = 1;; ++nonce) {
    const Scalar k = {{nonce, 0, 0, 0}};
    const auto c = challenge(honest.key.public_key(), h_string, gamma_string, test::encode(fixed_base_mul(k)),
                             test::encode(scalar_mul(h, k)));
    const u128 c_value = make_u128(base::load_le64(c.data() + 8), base::load_le64(c.data()));
    if (c_value % order != residue) {
      continue;
    }
    const Scalar c_scalar = {{low64(c_value), high64(c_value), 0, 0}};
    std::array<std::uint8_t, 32> s;
    scalar_to_bytes(s, scalar_add(k, scalar_mul(c_scalar, x)));
    Proof proof;
    auto out = std::copy(gamma_string.begin(), gamma_string.end(), proof.begin());
    out = std::copy(c.begin(), c.end(), out);
    std::copy_n(s.begin(), 31, out);
    return proof;
  }
}

TEST(EcvrfNegative, VectorsOfRefusedProofs) {
  std::set<std::string> reasons;
  for (const auto& row : load_rows("vrf/ecvrf_invalid.json", 79)) {
    PublicKey key;
    ASSERT_EQ(PublicKey::parse_vartime(bytes_of(row["pk"]), key), Reason::kValid) << row["kind"];
    Label label{};
    const Reason reason = verify_vartime(key, bytes_of(row["alpha"]), array_of<kProofLen>(row["proof"]), label);
    EXPECT_EQ(test::reason_name(reason), row["reason"]) << row["kind"];
    if (reason == Reason::kValid) {
      EXPECT_EQ(base::to_hex(label), row["label"]) << row["kind"];
    }
    reasons.insert(test::reason_name(reason));
  }
  EXPECT_EQ(reasons.size(), 5u) << "valid and every reason of a proof";
}

TEST(EcvrfNegative, VectorsOfRefusedKeys) {
  const auto rows = test::load_json("vrf/ecvrf_invalid.json").at("public_keys");
  std::set<std::string> reasons;
  for (const auto& row : rows) {
    const Reason reason = validate(bytes_of(row["pk"]));
    EXPECT_EQ(test::reason_name(reason), row["reason"]) << row["kind"];
    reasons.insert(test::reason_name(reason));
  }
  EXPECT_EQ(reasons, (std::set<std::string>{"valid", "vrf_key_invalid"}));
}

TEST(EcvrfNegative, N01ScalarPlusOrder) {
  const Honest honest;
  EXPECT_EQ(honest.verify(honest.proof), Reason::kValid);
  // 2^248 / N is about 6, so these few sums are all other encodings of s that fit into 31 octets.
  unsigned num_tried = 0;
  for (unsigned times = 1; times < 8; ++times) {
    Proof altered = honest.proof;
    if (add_order_to_s(altered, times)) {
      EXPECT_EQ(honest.verify(altered), Reason::kScalarRange) << times;
      ++num_tried;
    }
  }
  EXPECT_GE(num_tried, 5u);
}

TEST(EcvrfNegative, N02ChallengeBits) {
  const Honest honest;
  EXPECT_EQ(honest.verify(honest.proof), Reason::kValid);
  for (std::size_t bit = 0; bit < 128; bit += 5) {
    Proof altered = honest.proof;
    altered[32 + bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
    EXPECT_EQ(honest.verify(altered), Reason::kChallenge) << bit;
  }
}

// Test 3 of docs/negative-tests.md. The length of a proof cannot be wrong here, because the type of verify's argument
// has exactly 79 octets. So this test flips every bit of a proof instead.
TEST(EcvrfNegative, N03EveryBitOfAProofCounts) {
  const Honest honest;
  EXPECT_EQ(honest.verify(honest.proof), Reason::kValid);
  for (std::size_t bit = 0; bit < 8 * kProofLen; ++bit) {
    Proof altered = honest.proof;
    altered[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
    EXPECT_NE(honest.verify(altered), Reason::kValid) << bit;
  }
}

TEST(EcvrfNegative, N04GammaOfSmallOrderEvenWithAMatchingChallenge) {
  const Honest honest;
  EXPECT_EQ(honest.verify(honest.proof), Reason::kValid);
  for (const auto& row : load_rows("fourq/fourq_small_order.json", 392)) {
    Proof altered = honest.proof;
    const auto gamma = array_of<32>(row["point"]);
    std::copy(gamma.begin(), gamma.end(), altered.begin());
    EXPECT_EQ(honest.verify(altered), Reason::kGammaSmallOrder) << row;
  }
}

TEST(EcvrfNegative, N05GammaPlusTorsionNeverGivesAnotherLabel) {
  const Honest honest;
  const Point gamma = *point_decode_vartime(std::span(honest.proof).first<32>());
  ASSERT_EQ(honest.verify(cheat(honest, gamma, 1, 0)), Reason::kValid) << "the cheat is an honest prover for T = O";
  std::set<u64> orders;
  for (const auto& row : load_rows("fourq/fourq_small_order.json", 392)) {
    const u64 order = row["order"].get<u64>();
    const Point moved = test::sum_of(gamma, test::point_of(row["point"]));
    Proof pasted = honest.proof;
    const PointString string = test::encode(moved);
    std::copy(string.begin(), string.end(), pasted.begin());
    EXPECT_EQ(honest.verify(pasted), order == 1 ? Reason::kValid : Reason::kChallenge);
    if (!orders.insert(order).second) {
      continue;  // the slower cheat runs only for one point of each order
    }
    Label label{};
    EXPECT_EQ(verify_vartime(honest.public_key, honest.alpha, cheat(honest, moved, order, 0), label), Reason::kValid)
        << "c a multiple of the order " << order;
    EXPECT_EQ(label, honest.label);
    if (order > 1) {
      EXPECT_EQ(honest.verify(cheat(honest, moved, order, 1)), Reason::kChallenge) << order;
    }
  }
  EXPECT_EQ(orders.size(), 8u);
}

TEST(EcvrfNegative, N06GammaEncodings) {
  const Honest honest;
  EXPECT_EQ(honest.verify(honest.proof), Reason::kValid);
  std::size_t num_refused = 0;
  for (const auto& row : load_rows("fourq/fourq_decode_noncanonical.json", 42)) {
    Proof altered = honest.proof;
    const auto gamma = array_of<32>(row["in"]);
    std::copy(gamma.begin(), gamma.end(), altered.begin());
    const bool is_malformed = honest.verify(altered) == Reason::kGammaMalformed;
    EXPECT_EQ(is_malformed, !row["strict_decoder_accepts"].get<bool>()) << row;
    num_refused += is_malformed ? 1 : 0;
  }
  EXPECT_GT(num_refused, 20u);
  Proof altered = honest.proof;
  altered[15] |= 0x80;
  EXPECT_EQ(honest.verify(altered), Reason::kGammaMalformed);
}

TEST(EcvrfNegative, N07N08N10PublicKeys) {
  const Honest honest;
  EXPECT_EQ(validate(honest.key.public_key()), Reason::kValid);
  for (const auto& row : load_rows("fourq/fourq_small_order.json", 392)) {
    EXPECT_EQ(validate(bytes_of(row["point"])), Reason::kKeyInvalid) << row;  // row 0 is the identity
  }
  for (const auto& row : load_rows("fourq/fourq_decode_fail.json", 50)) {
    EXPECT_EQ(validate(bytes_of(row)), Reason::kKeyInvalid) << row;
  }
  Bytes key(honest.key.public_key().begin(), honest.key.public_key().end());
  key.push_back(0);
  EXPECT_EQ(validate(key), Reason::kKeyInvalid) << "33 octets";
  EXPECT_EQ(validate(std::span(key).first(31)), Reason::kKeyInvalid);
  EXPECT_EQ(validate({}), Reason::kKeyInvalid);
  key.pop_back();
  EXPECT_EQ(validate(key), Reason::kValid);
  key[15] |= 0x80;
  EXPECT_EQ(validate(key), Reason::kKeyInvalid) << "bit 127";
}

TEST(EcvrfNegative, N09PublicKeyPlusTorsion) {
  for (const auto& row : load_rows("fourq/fourq_mixed_order.json", 20)) {
    EXPECT_EQ(validate(bytes_of(row["subgroup_point"])), Reason::kValid);
    EXPECT_EQ(validate(bytes_of(row["sum"])), row["torsion_order"] == 1 ? Reason::kValid : Reason::kKeyInvalid);
  }
}

TEST(EcvrfNegative, N11N12OtherKeyOrOtherAlpha) {
  const Honest honest;
  const Honest other(78);
  Label label{};
  EXPECT_EQ(verify_vartime(honest.public_key, honest.alpha, honest.proof, label), Reason::kValid);
  EXPECT_EQ(verify_vartime(other.public_key, honest.alpha, honest.proof, label), Reason::kChallenge);
  for (const auto* const alpha : {"devices|alice|2", "devices|alicf|1", "keys|alice|1", "devices|alice|1 ", ""}) {
    EXPECT_EQ(verify_vartime(honest.public_key, text(alpha), honest.proof, label), Reason::kChallenge) << alpha;
  }
}

// Test 13 of docs/negative-tests.md. Labels depend on the octets of alpha: with a NUL appended, longer, or in another
// normal form of Unicode, a string is another alpha.
TEST(EcvrfNegative, N13AlphasAreOctets) {
  const Honest honest;
  std::set<Label> labels;
  const std::vector<Bytes> alphas = {
      {}, {0}, {0, 0}, text("ab1"), text("ab1\xc3\xa9"), text("ab1e\xcc\x81"), Bytes(300, 'a'), Bytes(301, 'a')};
  for (const Bytes& alpha : alphas) {
    Label label{};
    evaluate(honest.key, alpha, label);
    labels.insert(label);
  }
  EXPECT_EQ(labels.size(), alphas.size());
}

// Test 15 of docs/negative-tests.md. verify() writes the label that it computes from the proof, whatever was in the
// buffer before.
TEST(EcvrfNegative, N15LabelIsRecomputed) {
  const Honest honest;
  Label label;
  label.fill(0x5a);
  EXPECT_EQ(verify_vartime(honest.public_key, honest.alpha, honest.proof, label), Reason::kValid);
  EXPECT_EQ(label, honest.label);
  Proof altered = honest.proof;
  altered[78] ^= 1;
  label.fill(0x5a);
  EXPECT_NE(verify_vartime(honest.public_key, honest.alpha, altered, label), Reason::kValid);
  Label untouched;
  untouched.fill(0x5a);
  EXPECT_EQ(label, untouched);
}

}  // namespace
}  // namespace optiks::vrf
