// Tests witness policies with the cases of common/tlog/tests/TlogPolicyTests.cs.
#include "optiks/client/policy.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "vectors.h"

namespace optiks::client::test {
namespace {

std::string vkey(std::uint8_t number, std::uint8_t type = ozks::verify::kKeyTypeCosigner,
                 const std::string& name = "") {
  VerifierKey key{.name = name.empty() ? "w" + std::to_string(number) + ".example" : name, .type = type};
  key.public_key[0] = number;
  key.key_id = ozks::verify::key_id(octets_of(key.name), key.type, key.public_key);
  return key.vkey();
}

std::string log_vkey(std::uint8_t number) { return vkey(number, ozks::verify::kKeyTypeLog, "log.example"); }

std::optional<Policy> parse_policy(std::string_view text) { return Policy::parse(octets_of(text)); }

bool is_met(const Policy& policy, const std::vector<std::size_t>& cosigners) {
  std::vector<bool> cosigned(policy.witnesses().size());
  for (const std::size_t i : cosigners) {
    cosigned.at(i) = true;
  }
  return policy.is_met(cosigned);
}

TEST(Policy, TheExampleOfTheSpecification) {
  const auto policy = parse_policy(
      "# X and Y are two organizations.\nlog " + log_vkey(100) + " https://log.example/\n\nwitness X1 " + vkey(1) +
      " https://x1.example/w\nwitness X2 " + vkey(2) + "\nwitness X3 " + vkey(3) +
      "\ngroup X-witnesses 2 X1 X2 X3\nwitness Y1 " + vkey(4) + "\nwitness Y2 " + vkey(5) + "\nwitness Y3 " + vkey(6) +
      "\ngroup Y-witnesses any Y1 Y2 Y3\ngroup X-and-Y all X-witnesses Y-witnesses\nquorum X-and-Y\n");
  ASSERT_TRUE(policy);
  ASSERT_EQ(policy->logs().size(), 1U);
  EXPECT_EQ(policy->logs()[0].vkey(), log_vkey(100));
  ASSERT_EQ(policy->witnesses().size(), 6U);
  EXPECT_EQ(policy->witnesses()[5].vkey(), vkey(6));
  EXPECT_FALSE(policy->requires_none());
  for (const auto& cosigners : std::vector<std::vector<std::size_t>>{{}, {0, 1}, {0, 3}, {3, 4, 5}, {0, 1, 2}}) {
    EXPECT_FALSE(is_met(*policy, cosigners));
  }
  for (const auto& cosigners : std::vector<std::vector<std::size_t>>{{0, 1, 3}, {2, 1, 5}, {0, 1, 2, 3, 4, 5}}) {
    EXPECT_TRUE(is_met(*policy, cosigners));
  }
}

TEST(Policy, NoneIsRequired) {
  const auto policy = parse_policy("quorum none\n");
  ASSERT_TRUE(policy);
  EXPECT_TRUE(policy->requires_none());
  EXPECT_TRUE(is_met(*policy, {}));
}

TEST(Policy, RefusedTexts) {
  const std::string log = log_vkey(100);
  const std::string a = "witness a " + vkey(1) + "\n";
  const std::string b = "witness b " + vkey(2) + "\n";
  for (const std::string& text : {
           std::string(),
           "log " + log + "\n" + a,
           std::string("quorum\n"),
           std::string("quorum none none\n"),
           std::string("quorum none\nquorum none\n"),
           a + "quorum none\nquorum a\n",
           "quorum a\n" + a,
           a + "quorum A\n",
           a + "quorum a",
           a + "quorum a\r\n",
           a + "# \x7f\nquorum a\n",
           a + "quorum\va\n",
           a + "quorum\u00a0a\n",
           std::string("Quorum none\n"),
           std::string("log\nquorum none\n"),
           "log " + log + " https://a https://b\nquorum none\n",
           "log " + vkey(1) + "\nquorum none\n",
           "witness a " + log + "\nquorum a\n",
           "witness a " + log.substr(0, log.size() - 4) + "\nquorum a\n",
           std::string("witness a x+00000000+BA==\nquorum a\n"),
           "log " + log + "\nlog " + log + " https://b\nquorum none\n",
           a + "witness b " + vkey(1) + "\nquorum a\n",
           a + "witness b " + vkey(1, 4, "other") + "\nquorum a\n",
           "log " + log + "\nwitness a " + vkey(100, 4, "other") + "\nquorum a\n",
           a + "witness a " + vkey(2) + "\nquorum a\n",
           "witness none " + vkey(1) + "\nquorum none\n",
           a + "group a 1 a\nquorum a\n",
           a + "group none 1 a\nquorum none\n",
           a + "group g 1\nquorum g\n",
           a + "group g 1 g\nquorum g\n",
           a + "group g 1 none\nquorum g\n",
           a + "group g 1 a b\n" + b + "quorum g\n",
           a + "group g 2 a a\nquorum g\n",
           a + b + "group g 1 a\ngroup h 2 g b a\nquorum h\n",
           a + "group g 0 a\nquorum g\n",
           a + "group g 2 a\nquorum g\n",
           a + "group g 01 a\nquorum g\n",
           a + "group g +1 a\nquorum g\n",
           a + "group g 18446744073709551617 a\nquorum g\n",
           a + "group g ANY a\nquorum g\n",
       }) {
    EXPECT_FALSE(parse_policy(text)) << text;
  }
}

TEST(Policy, BlanksCommentsAndNamesThatAreNoText) {
  const std::string name = "K\xff\u212a";
  const auto policy = parse_policy("\t # a comment\xff\n \t\n witness\t " + name + "  " + vkey(1) +
                                   "\thttps://a/ \nwitness K " + vkey(2) + "\nquorum " + name + "\n");
  ASSERT_TRUE(policy);
  EXPECT_TRUE(is_met(*policy, {0}));
  EXPECT_FALSE(is_met(*policy, {1}));
}

TEST(Policy, Limits) {
  std::string text;
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < 32; ++i) {
    const std::string n = std::to_string(i);
    text += "witness w" + n + " " + vkey(static_cast<std::uint8_t>(i)) + "\ngroup g" + n + " all w" + n;
    text += (i > 0 ? " g" + std::to_string(i - 1) : std::string()) + "\n";
    all.push_back(i);
  }
  const auto nested = parse_policy(text + "quorum g31\n");
  ASSERT_TRUE(nested);
  EXPECT_TRUE(is_met(*nested, all));
  all.erase(all.begin());
  EXPECT_FALSE(is_met(*nested, all));

  text = "witness g0 " + vkey(1) + "\n";
  for (int i = 1; i <= 63; ++i) {
    text += "group g" + std::to_string(i) + " 1 g" + std::to_string(i - 1) + "\n";
  }
  EXPECT_TRUE(parse_policy(text + "quorum g63\n"));
  EXPECT_FALSE(parse_policy(text + "group g64 1 g63\nquorum g64\n"));

  const std::string longest = "#" + std::string(Policy::kMaxLen - 14, 'x') + "\nquorum none\n";
  EXPECT_EQ(longest.size(), Policy::kMaxLen);
  EXPECT_TRUE(parse_policy(longest));
  EXPECT_FALSE(parse_policy("#" + longest));
}

}  // namespace
}  // namespace optiks::client::test
