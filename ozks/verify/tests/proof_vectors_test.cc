// Tests the verification of proofs against the vectors of the Python reference (tests/vectors/proofs).
#include <gtest/gtest.h>

#include <set>

#include "optiks/ozks/verify/append.h"
#include "optiks/ozks/verify/member.h"
#include "optiks/vrf/ecvrf.h"
#include "vectors.h"

namespace optiks::ozks::verify::test {
namespace {

// Verifies the VRF proof and computes the label for verify_member() or verify_non_member().
Reason label_of(const Json& vector, ByteSpan vrf_proof, Hash& label) {
  vrf::PublicKey key;
  if (vrf::PublicKey::parse_vartime(from_hex(vector["pk"]), key) != vrf::Reason::kValid) {
    return Reason::kVrfKeyInvalid;
  }
  return reason_of(vrf::verify_vartime(key, from_hex(vector["alpha"]), vrf_proof.first<vrf::kProofLen>(), label));
}

TEST(ProofVectors, Member) {
  const Json vectors = load_vectors("proofs/member.json")["vectors"];
  EXPECT_GE(vectors.size(), 70U);
  std::set<std::string> reasons;
  for (const Json& vector : vectors) {
    const Bytes encoded = from_hex(vector["member"]);
    const Bytes root = from_hex(vector["root"]);
    Member member;
    Reason reason = decode_whole(encoded, member);
    Hash label{};
    if (reason == Reason::kValid) {
      reason = label_of(vector, member.vrf_proof, label);
    }
    if (reason == Reason::kValid) {
      reason = verify_member(label, root, member);
    }
    EXPECT_EQ(name_of(reason), vector["reason"].get<std::string>()) << vector["kind"];
    reasons.insert(name_of(reason));
  }
  EXPECT_TRUE(reasons.contains("valid"));
  EXPECT_TRUE(reasons.contains("member_root"));
  EXPECT_TRUE(reasons.contains("path_length"));
  EXPECT_TRUE(reasons.contains("vrf_challenge"));
}

TEST(ProofVectors, NonMember) {
  const Json vectors = load_vectors("proofs/non_member.json")["vectors"];
  EXPECT_GE(vectors.size(), 172U);
  std::set<std::string> reasons;
  for (const Json& vector : vectors) {
    const Bytes encoded = from_hex(vector["non_member"]);
    const Bytes root = from_hex(vector["root"]);
    NonMember proof;
    Reason reason = decode_whole(encoded, proof);
    Hash label{};
    if (reason == Reason::kValid) {
      reason = label_of(vector, proof.vrf_proof, label);
    }
    if (reason == Reason::kValid) {
      reason = verify_non_member(label, root, vector["count"].get<std::uint64_t>(), proof);
    }
    EXPECT_EQ(name_of(reason), vector["reason"].get<std::string>()) << vector["kind"];
    reasons.insert(name_of(reason));
  }
  for (const char* reason :
       {"valid", "absent_empty", "absent_padding", "absent_covers", "absent_depth", "absent_root"}) {
    EXPECT_TRUE(reasons.contains(reason)) << reason;
  }
}

TEST(ProofVectors, Append) {
  const Json vectors = load_vectors("proofs/append.json")["vectors"];
  EXPECT_GE(vectors.size(), 107U);
  std::set<std::string> reasons;
  for (const Json& vector : vectors) {
    const Bytes encoded = from_hex(vector["proof"]);
    std::vector<Bytes> roots;
    std::vector<TreeState> states;
    roots.reserve(vector["states"].size());
    for (const Json& state : vector["states"]) {
      roots.push_back(from_hex(state[0]));
      states.push_back({roots.back(), state[1].get<std::uint64_t>()});
    }
    AppendProof proof;
    Reason reason = decode_whole(encoded, proof);
    if (reason == Reason::kValid) {
      auto workspace = AppendWorkspace::create(states.size() - 1);
      ASSERT_TRUE(workspace.has_value());
      reason = verify_append(vector["a"].get<std::uint64_t>(), states, proof, *workspace);
    }
    EXPECT_EQ(name_of(reason), vector["reason"].get<std::string>()) << vector["kind"];
    reasons.insert(name_of(reason));
  }
  for (const char* reason : {"valid", "append_leaf_order", "append_leaf_epoch", "append_leaf_count", "append_token",
                             "append_prefix", "append_position", "append_exists", "append_truncated", "append_trailing",
                             "append_old_root", "append_new_root"}) {
    EXPECT_TRUE(reasons.contains(reason)) << reason;
  }
}

}  // namespace
}  // namespace optiks::ozks::verify::test
