// Tests trust anchors with tests/vectors/anchor/trust_anchors.json.
#include "optiks/client/trust_anchor.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "vectors.h"

namespace optiks::client::test {
namespace {

using ozks::verify::test::load_vectors;
using ozks::verify::test::name_of;

std::optional<TrustAnchor> read_anchor(const std::string& text, const std::string& reason = "valid") {
  std::optional<TrustAnchor> anchor;
  const char* why = nullptr;
  EXPECT_EQ(name_of(TrustAnchor::read(octets_of(text), anchor, why)), reason) << text;
  EXPECT_NE(why, nullptr);
  EXPECT_EQ(std::string(why).empty(), reason == "valid");
  EXPECT_EQ(anchor.has_value(), reason == "valid");
  return anchor;
}

TEST(TrustAnchor, Vectors) {
  std::map<std::string, int> seen;
  const nlohmann::json vectors = load_vectors("anchor/trust_anchors.json")["vectors"];
  for (const nlohmann::json& v : vectors) {
    SCOPED_TRACE(v["kind"].get<std::string>());
    const auto reason = v["reason"].get<std::string>();
    // The text must not outlive the call, because the anchor has its own copy of everything.
    const auto anchor = read_anchor(v["text"].get<std::string>(), reason);
    ++seen[reason];
    if (anchor) {
      EXPECT_EQ(base::to_hex(anchor->log().log_id), v["log_id"].get<std::string>());
    }
  }
  EXPECT_EQ(seen["valid"], 12);
  EXPECT_EQ(seen["configuration"], 52);
  EXPECT_EQ(seen["malformed_truncated"], 1);
}

TEST(TrustAnchor, PolicyOfTheVectors) {
  const nlohmann::json vectors = load_vectors("anchor/trust_anchors.json")["vectors"];
  for (const nlohmann::json& v : vectors) {
    if (v["kind"] != "auditors_and_witnesses") {
      continue;
    }
    std::optional<TrustAnchor> owner = read_anchor(v["text"].get<std::string>());
    ASSERT_TRUE(owner);
    const TrustAnchor anchor = *std::move(owner);
    const nlohmann::json json = nlohmann::json::parse(v["text"].get<std::string>());
    EXPECT_EQ(anchor.log_key().vkey(), json["log_key"].get<std::string>());
    EXPECT_EQ(text_of(anchor.log().configuration.origin), anchor.log_key().name);
    ASSERT_TRUE(anchor.auditors());
    const nlohmann::json& keys = json["auditors"]["keys"];
    EXPECT_EQ(anchor.auditors()->required, json["auditors"]["required"].get<std::size_t>());
    EXPECT_EQ(anchor.auditors()->max_lag_ms, json["auditors"]["max_lag_ms"].get<std::uint64_t>());
    ASSERT_EQ(anchor.auditors()->auditors.size(), keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      EXPECT_EQ(anchor.auditors()->auditors[i].key.vkey(), keys[i]["key"].get<std::string>());
      EXPECT_EQ(anchor.auditors()->auditors[i].first_epoch, keys[i]["first_epoch"].get<std::uint64_t>());
    }
    ASSERT_TRUE(anchor.witnesses());
    EXPECT_TRUE(anchor.needs_witnesses());
    EXPECT_EQ(anchor.cosigners().size(), keys.size() + anchor.witnesses()->witnesses().size());
    return;
  }
  ADD_FAILURE() << "the vector auditors_and_witnesses is missing";
}

// Every change of one octet of a file is refused, or gives an anchor with views into its own octets.
TEST(TrustAnchor, ChangedOctets) {
  std::string text;
  const nlohmann::json vectors = load_vectors("anchor/trust_anchors.json")["vectors"];
  for (const nlohmann::json& v : vectors) {
    if (v["kind"] == "auditors_and_witnesses") {
      text = v["text"].get<std::string>();
    }
  }
  ASSERT_FALSE(text.empty());
  std::size_t refused = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (const char c : {'"', '0', '\\', '\n'}) {
      std::string changed = text;
      changed[i] = c;
      std::optional<TrustAnchor> anchor;
      const char* why = nullptr;
      if (TrustAnchor::read(octets_of(changed), anchor, why) != ozks::verify::Reason::kValid) {
        EXPECT_FALSE(anchor);
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 3 * text.size());
}

}  // namespace
}  // namespace optiks::client::test
