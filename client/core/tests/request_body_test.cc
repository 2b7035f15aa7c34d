// Tests the bodies of requests against the octets that the client in C# sends, and by reading them again.
#include "optiks/client/request_body.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "optiks/client/base64.h"

namespace optiks::client::test {
namespace {

constexpr RequestId kBodyId = {0x01, 0x93, 0xa2, 0xf0, 0x7c, 0x1e, 0x7a, 0xbc,
                               0x8d, 0xef, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab};

// Returns the text of a body whose members after the request id are `members`.
std::string body_with(std::string_view members) {
  return R"({"request_id":"0193a2f0-7c1e-7abc-8def-0123456789ab",)" + std::string(members) + "}";
}

Bytes body_octets(std::string_view text) { return {text.begin(), text.end()}; }

TEST(RequestBody, Updates) {
  EXPECT_EQ(update_body(kBodyId, octets_of("alice"), octets_of("one"), std::nullopt, false),
            body_with(R"("key_b64":"YWxpY2U","value_b64":"b25l")"));
  EXPECT_EQ(update_body(kBodyId, octets_of("alice"), octets_of("one"), std::nullopt, true),
            body_with(R"("key_b64":"YWxpY2U","value_b64":"b25l","receipt":true)"));
  EXPECT_EQ(update_body(kBodyId, octets_of("\xff\xfe"), {}, VersionNumber{.period = 0, .version = UINT64_MAX}, false),
            body_with(R"("key_b64":"__4","value_b64":"","expected":{"period":0,"version":18446744073709551615})"));
}

TEST(RequestBody, Users) {
  const ByteSpan user = octets_of("user id");
  EXPECT_EQ(
      user_body(kBodyId, user,
                {CreateUser{.usernames = {body_octets("alice"), body_octets("bob")},
                            .devices = {{body_octets("phone"), body_octets("one")}, {body_octets("laptop"), {}}}},
                 AddUsername{body_octets("carol")}}),
      body_with(R"("user_b64":"dXNlciBpZA","changes":[{"op":"create","usernames_b64":["YWxpY2U","Ym9i"],"devices":[)"
                R"({"device_b64":"cGhvbmU","value_b64":"b25l"},{"device_b64":"bGFwdG9w","value_b64":""}]},)"
                R"({"op":"add-username","username_b64":"Y2Fyb2w"}])"));
  EXPECT_EQ(user_body(kBodyId, user, {CreateUser{.usernames = {body_octets("alice")}}}),
            body_with(R"("user_b64":"dXNlciBpZA","changes":[{"op":"create","usernames_b64":["YWxpY2U"]}])"));
  EXPECT_EQ(
      user_body(kBodyId, user,
                {AddDevice{{body_octets("laptop"), body_octets("two")}}, RemoveDevice{body_octets("phone")},
                 SetDevice{.device = {body_octets("watch"), body_octets("x")}},
                 SetDevice{.device = {body_octets("tv"), body_octets("y")},
                           .expected = VersionNumber{.period = 3, .version = 4}}}),
      body_with(R"("user_b64":"dXNlciBpZA","changes":[{"op":"add-device","device_b64":"bGFwdG9w","value_b64":"dHdv"},)"
                R"({"op":"remove-device","device_b64":"cGhvbmU"},)"
                R"({"op":"set-device","device_b64":"d2F0Y2g","value_b64":"eA"},)"
                R"({"op":"set-device","device_b64":"dHY","value_b64":"eQ","expected":{"period":3,"version":4}}])"));
  EXPECT_EQ(user_body(kBodyId, user, {Decommission{}}),
            body_with(R"("user_b64":"dXNlciBpZA","changes":[{"op":"decommission"}])"));
}

TEST(RequestBody, Erasures) {
  EXPECT_EQ(
      erasure_body(kBodyId, KeyErasure{.key = body_octets("alice"), .versions = {.period = 0, .from = 1, .to = 1}}),
      body_with(R"("key_b64":"YWxpY2U","period":0,"from":1,"to":1)"));
  EXPECT_EQ(erasure_body(kBodyId, UserErasure{.user = body_octets("id of alice"),
                                              .versions = VersionRange{.period = 2, .from = 1, .to = 3}}),
            body_with(R"("user_b64":"aWQgb2YgYWxpY2U","period":2,"from":1,"to":3)"));
  EXPECT_EQ(erasure_body(kBodyId, UserErasure{.user = body_octets("id of alice")}),
            body_with(R"("user_b64":"aWQgb2YgYWxpY2U")"));
}

// Another reader of JSON finds the octets that were written.
TEST(RequestBody, RandomOctets) {
  std::mt19937_64 random(5);
  const auto octets = [&](std::size_t most) {
    Bytes some(random() % (most + 1));
    for (std::uint8_t& octet : some) {
      octet = static_cast<std::uint8_t>(random());
    }
    return some;
  };
  const auto read = [](const nlohmann::json& text) {
    return base64url_decode(octets_of(text.get_ref<const std::string&>()));
  };
  for (int round = 0; round < 500; ++round) {
    const Bytes key = octets(255);
    const Bytes value = octets(300);
    RequestId id;
    for (std::uint8_t& octet : id) {
      octet = static_cast<std::uint8_t>(random());
    }
    const VersionNumber expected{.period = random(), .version = random()};
    const nlohmann::json update = nlohmann::json::parse(update_body(id, key, value, expected, false));
    EXPECT_EQ(update.size(), 4U);
    EXPECT_EQ(read(update["key_b64"]), key);
    EXPECT_EQ(read(update["value_b64"]), value);
    EXPECT_EQ(update["expected"], (nlohmann::json{{"period", expected.period}, {"version", expected.version}}));
    EXPECT_EQ(update["request_id"].get<std::string>(), request_id_text(id));
    const nlohmann::json user = nlohmann::json::parse(user_body(id, key, {SetDevice{.device = {value, key}}}));
    EXPECT_EQ(read(user["user_b64"]), key);
    EXPECT_EQ(read(user["changes"][0]["device_b64"]), value);
    EXPECT_EQ(read(user["changes"][0]["value_b64"]), key);
  }
}

}  // namespace
}  // namespace optiks::client::test
