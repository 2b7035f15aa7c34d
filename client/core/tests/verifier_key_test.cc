// Tests the text form of keys with tests/vectors/tlog/keys.json and notes.json.
#include "optiks/client/verifier_key.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "vectors.h"

namespace optiks::client::test {
namespace {

using ozks::verify::test::load_vectors;

TEST(VerifierKey, KeysOfTheVectorsInBothTypes) {
  const nlohmann::json file = load_vectors("tlog/keys.json");
  std::vector<nlohmann::json> keys{file["log"], file["auditor"]};
  keys.insert(keys.end(), file["witnesses"].begin(), file["witnesses"].end());
  keys.insert(keys.end(), file["others"].begin(), file["others"].end());
  ASSERT_EQ(keys.size(), 10U);
  for (const nlohmann::json& key : keys) {
    for (const int type : {1, 4}) {
      const nlohmann::json& form = key["as_type_0x0" + std::to_string(type)];
      const auto vkey = form["vkey"].get<std::string>();
      const auto parsed = VerifierKey::parse(octets_of(vkey));
      ASSERT_TRUE(parsed) << vkey;
      EXPECT_EQ(parsed->vkey(), vkey);
      EXPECT_EQ(parsed->type, type);
      EXPECT_EQ(base::to_hex(parsed->key_id), form["key_id_hex"].get<std::string>());
      EXPECT_EQ(base::to_hex(parsed->public_key), key["public_key_hex"].get<std::string>());
    }
  }
}

TEST(VerifierKey, OnlyTheExactForm) {
  const nlohmann::json vectors = load_vectors("tlog/notes.json")["vkeys"];
  EXPECT_EQ(vectors.size(), 12U);
  for (const nlohmann::json& v : vectors) {
    const auto id = v["id"].get<std::string>();
    const auto vkey = v["vkey"].get<std::string>();
    EXPECT_EQ(VerifierKey::parse(octets_of(vkey)).has_value(), id == "good" || id == "type-0x04") << id;
  }
}

// Returns the vkey of a key with a name and a type, which may be ones that parse() refuses.
std::string make_vkey(std::string_view name, std::uint8_t type) {
  VerifierKey key{.name = std::string(name), .type = type};
  key.key_id = ozks::verify::key_id(octets_of(name), type, key.public_key);
  return key.vkey();
}

TEST(VerifierKey, NamesAndTypes) {
  EXPECT_TRUE(VerifierKey::parse(octets_of(make_vkey("a", 1))));
  EXPECT_TRUE(VerifierKey::parse(octets_of(make_vkey("gr\u00f6\u00dfe.example/\u03bb\u03bf\u03b3", 4))));
  EXPECT_TRUE(VerifierKey::parse(octets_of(make_vkey("a\x7f", 4))));
  for (const char* name : {"", "a b", "a\u00a0b", "a\u3000b", "a\nb", "a\x01", "a\x85", "a\u0085", "\xff"}) {
    EXPECT_FALSE(VerifierKey::parse(octets_of(make_vkey(name, 1)))) << name;
  }
  for (const int type : {0, 2, 5, 6, 255}) {
    EXPECT_FALSE(VerifierKey::parse(octets_of(make_vkey("a", static_cast<std::uint8_t>(type)))));
  }
  const std::string good = make_vkey("a", 1);
  for (std::size_t length = 0; length < good.size(); ++length) {
    EXPECT_FALSE(VerifierKey::parse(octets_of(good.substr(0, length))));
  }
  for (const std::string& text :
       std::vector<std::string>{good + "\n", " " + good, good + "+", good + "AAAA", "++", "+"}) {
    EXPECT_FALSE(VerifierKey::parse(octets_of(text))) << text;
  }
}

}  // namespace
}  // namespace optiks::client::test
