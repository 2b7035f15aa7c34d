// Tests 1 to 15 of docs/negative-tests.md: VRF proofs and keys inside a whole lookup answer. Test 14, a proof of
// another suite, belongs to vrf/tests.
#include <gtest/gtest.h>

#include <algorithm>

#include "optiks/ozks/verify/rfc6962.h"
#include "scene.h"

namespace optiks::ozks::verify::test {
namespace {

class NegativeVrf : public testing::Test {
 protected:
  // Returns the verdict on an honest answer in which `proof` replaces the VRF proof of alice's version 1.
  [[nodiscard]] std::string with_proof(const Bytes& proof) const {
    LookupParts parts = scene_.honest();
    parts.members[0].vrf_proof = proof;
    return scene_.lookup(parts);
  }
  [[nodiscard]] Bytes proof() const { return scene_.keys.vrf_proof("alice", 1); }

  // Returns the verdict on an honest answer under a record that names this VRF public key for the structure `keys`.
  static std::string under_key(const Bytes& public_key) {
    Scene scene;
    LookupParts parts = scene.honest();
    HeadParts head = scene.head(Scene::kLast, Scene::kLast + 1);
    // Makes a signed log whose last entry is the changed record.
    RecordParts record = scene.record(Scene::kLast);
    std::ranges::copy(public_key, record.structures[structure_index(kKeys)].vrf_public_key.begin());
    head.record = record.encode();
    auto leaves = scene.log_leaves(Scene::kLast);
    leaves.push_back(log_leaf_hash(head.record));
    head.inclusion = log_inclusion(leaves, Scene::kLast);
    const std::string origin = "optiks.example/log";
    head.checkpoint =
        to_bytes(signed_note(checkpoint_body(origin, leaves.size(), log_root(leaves)), origin, scene.log_key));
    return scene.lookup_answer(encode_answer(head, {parts.encode()}));
  }

  Scene scene_;
};

TEST_F(NegativeVrf, N00PositiveControl) {
  EXPECT_EQ(with_proof(proof()), "valid");
  EXPECT_EQ(scene_.lookup(scene_.honest("bob"), "bob"), "valid");
  EXPECT_EQ(scene_.lookup(scene_.honest("carol"), "carol"), "valid");
  EXPECT_EQ(under_key(to_bytes(scene_.keys.public_key())), "valid");
}

TEST_F(NegativeVrf, N01ScalarPlusOrder) {
  // The group order N of docs/spec/vrf.md, in 31 octets; the next line makes it little-endian.
  Bytes order = from_hex("29cbc14e5e0a72f05397829cbc14e5dfbd004dfe0f79992fb2540ec7768ce7");
  std::ranges::reverse(order);
  Bytes changed = proof();
  unsigned carry = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    carry += changed[48 + i] + order[i];
    changed[48 + i] = static_cast<std::uint8_t>(carry);
    carry >>= 8;
  }
  ASSERT_EQ(carry, 0U);
  EXPECT_EQ(with_proof(changed), "vrf_scalar_range");
  std::fill(changed.begin() + 48, changed.end(), std::uint8_t{0xFF});
  EXPECT_EQ(with_proof(changed), "vrf_scalar_range");
}

TEST_F(NegativeVrf, N02EveryOctetOfChallengeCounts) {
  for (std::size_t i = 32; i < 48; ++i) {
    Bytes changed = proof();
    changed[i] ^= 0x80;
    EXPECT_EQ(with_proof(changed), "vrf_challenge");
  }
}

TEST_F(NegativeVrf, N03ProofOfAnotherLength) {
  Bytes shorter = proof();
  shorter.pop_back();
  EXPECT_TRUE(with_proof(shorter).starts_with("malformed_"));
  Bytes longer = proof();
  longer.push_back(0);
  EXPECT_TRUE(with_proof(longer).starts_with("malformed_"));
  EXPECT_TRUE(with_proof({}).starts_with("malformed_"));
}

TEST_F(NegativeVrf, N04N05N06Gamma) {
  const Json vectors = load_vectors("vrf/ecvrf_invalid.json")["vectors"];
  int tried = 0;
  for (const Json& v : vectors) {
    const auto kind = v["kind"].get<std::string>();
    const auto reason = v["reason"].get<std::string>();
    const bool bad_gamma = reason == "vrf_gamma_malformed" || (reason == "vrf_gamma_small_order");
    if (!kind.starts_with("gamma_") || !bad_gamma) {
      continue;
    }
    const Bytes gamma = from_hex(v["proof"]);
    Bytes changed = proof();
    std::copy_n(gamma.begin(), 32, changed.begin());
    EXPECT_EQ(with_proof(changed), reason) << kind;
    ++tried;
  }
  EXPECT_GE(tried, 24);
}

TEST_F(NegativeVrf, N07N08N09N10PublicKeyInRecord) {
  const Json keys = load_vectors("vrf/ecvrf_invalid.json")["public_keys"];
  int tried = 0;
  for (const Json& v : keys) {
    if (v["reason"] == "vrf_key_invalid") {
      EXPECT_EQ(under_key(from_hex(v["pk"])), "vrf_key_invalid") << v["kind"];
      ++tried;
    }
  }
  EXPECT_GE(tried, 37);
}

TEST_F(NegativeVrf, N11ProofUnderAnotherKey) {
  const KeyDirectory other(8);
  EXPECT_EQ(with_proof(other.vrf_proof("alice", 1)), "vrf_challenge");
  EXPECT_EQ(under_key(to_bytes(other.public_key())), "vrf_challenge");
}

TEST_F(NegativeVrf, N12ProofOfAnotherVersionNameOrStructure) {
  EXPECT_EQ(with_proof(scene_.keys.vrf_proof("alice", 2)), "vrf_challenge");
  EXPECT_EQ(with_proof(scene_.keys.vrf_proof("bob", 1)), "vrf_challenge");
  const KeyDirectory devices(7, kDevices);
  ASSERT_TRUE(equal(devices.public_key(), scene_.keys.public_key()));
  EXPECT_EQ(with_proof(devices.vrf_proof("alice", 1)), "vrf_challenge");
}

TEST_F(NegativeVrf, N13NamesDoNotCollide) {
  // The VRF input has an octet with the key's length. Without this octet, different pairs of key and version could have
  // the same input.
  EXPECT_EQ(scene_.lookup(scene_.honest("bob"), "bo"), "vrf_challenge");
  EXPECT_EQ(scene_.lookup(scene_.honest("bob"), std::string_view("bob\0", 4)), "vrf_challenge");
  EXPECT_EQ(scene_.lookup(scene_.honest("bob"), "Bob"), "vrf_challenge");
  // U+00E9, and e followed by U+0301, are the same character but different octets. Keys are compared as octets.
  EXPECT_EQ(scene_.lookup(scene_.honest("\xC3\xA9"), "\xC3\xA9"), "valid");
  EXPECT_EQ(scene_.lookup(scene_.honest("\xC3\xA9"), "e\xCC\x81"), "vrf_challenge");
}

TEST_F(NegativeVrf, N15LabelIsRecomputedNeverTaken) {
  // The answer has the correct VRF proof of alice's version 1, but shows the leaf and the path of bob. The verifier
  // computes the label from the proof, so the answer cannot name another label.
  LookupParts parts = scene_.honest();
  const MemberParts bob = scene_.keys.member("bob", 1, Scene::kLast, false);
  parts.members[0].commitment = bob.commitment;
  parts.members[0].epoch = bob.epoch;
  parts.members[0].path = bob.path;
  EXPECT_EQ(scene_.lookup(parts), "member_root");
}

}  // namespace
}  // namespace optiks::ozks::verify::test
