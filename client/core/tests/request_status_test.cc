// Tests the reader of the status of updates and of changes of users.
#include "optiks/client/request_status.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "mutate.h"
#include "optiks/client/answer_json.h"
#include "optiks/client/base64.h"

namespace optiks::client::test {
namespace {

using ozks::verify::kDecommissioned;
using ozks::verify::kDevices;
using ozks::verify::kKeys;
using ozks::verify::kUsernames;

constexpr std::string_view kPublishedUpdate =
    R"({"request_id":"0193a2f0-7c1e-7abc-8def-0123456789ab","status":"published","epoch":4,"items":[)"
    R"({"item":1,"structure":"keys","key_b64":"cGhvbmU","version":2,"period":0},)"
    R"({"structure":"usernames","version":0,"period":5}],)"
    R"("proof":{"method":"POST","href":"/v1/users/lookup?min_epoch=4","epoch":"/v1/epochs/4?min_epoch=4"}})";
constexpr std::string_view kRefusedUpdate =
    R"({"request_id":"x","status":"refused","reason":"device-taken","item":2,"current":{"period":0,"version":1}})";

Bytes status_octets(std::string_view text) { return {text.begin(), text.end()}; }

TEST(UpdateStatus, Good) {
  const std::map<std::string, UpdateStatus> answers = {
      {R"({"status":"pending"})", PendingRequest{}},
      {R"({"request_id":"x","status":"pending","status_url":"/v1/updates/x","more":[[[[[[[]]]]]]]})", PendingRequest{}},
      {R"({"status":"published","epoch":1,"items":[{"item":0,"key_b64":"YWxpY2U","version":1,"period":0}]})",
       PublishedRequest{.epoch = 1, .items = {{.key = status_octets("alice"), .version = {0, 1}}}}},
      {std::string(kPublishedUpdate),
       PublishedRequest{.kind = RequestKind::kUser,
                        .epoch = 4,
                        .items = {{.key = status_octets("phone"), .version = {0, 2}, .structure = kKeys, .item = 1},
                                  {.version = {5, 0}, .structure = kUsernames}}}},
      {R"({"status":"published","epoch":18446744073709551615,"proof":{"href":"/v1/lookup"},"items":[)"
       R"({"structure":"devices","version":18446744073709551615,"period":1,"item":2147483647}]})",
       PublishedRequest{.kind = RequestKind::kKeys,
                        .epoch = UINT64_MAX,
                        .items = {{.version = {1, UINT64_MAX}, .structure = kDevices, .item = 2147483647}}}},
      // An unknown link says nothing about the kind.
      {R"({"status":"published","epoch":1,"proof":{"href":"/v2/lookup?a"},"items":[)"
       R"({"structure":"decommissioned","version":0,"period":0}]})",
       PublishedRequest{.epoch = 1, .items = {{.structure = kDecommissioned}}}},
      {R"({"status":"refused","reason":"expected-version"})", RefusedRequest{.reason = "expected-version"}},
      {R"({"status":"refused","reason":"username-taken","item":0})",
       RefusedRequest{.reason = "username-taken", .item = 0}},
      {std::string(kRefusedUpdate),
       RefusedRequest{.reason = "device-taken", .item = 2, .current = VersionNumber{0, 1}}},
      {R"({"status":"refused","reason":")" + std::string(64, 'a') + R"("})",
       RefusedRequest{.reason = std::string(64, 'a')}},
      // A word that is also the name of a verdict stays the server's word.
      {R"({"status":"refused","reason":"valid"})", RefusedRequest{.reason = "valid"}},
  };
  for (const auto& [answer, status] : answers) {
    EXPECT_EQ(read_update_status(octets_of(answer)), status) << answer;
  }
}

TEST(UpdateStatus, Bad) {
  const auto published = [](const std::string& item) {
    return R"({"status":"published","epoch":1,"items":[)" + item + "]}";
  };
  const std::vector<std::string> answers = {
      "",
      "pending",
      "[1]",
      R"("pending")",
      R"([{"status":"pending"}])",
      R"({})",
      R"({"status":null})",
      R"({"status":1})",
      R"({"status":"Pending"})",
      R"({"status":"erased","epoch":1,"erased":[]})",
      R"({"status":"pending","status":"pending"})",
      R"({"status":"pending","\u0073tatus":"pending"})",
      R"({"status":"pending","a":"\udc00"})",
      R"({"status":"pending","a":[[[[[[[[]]]]]]]]})",
      R"({"status":"pending"},)",
      R"({"status":"published","epoch":1})",
      R"({"status":"published","epoch":1,"items":[]})",
      R"({"status":"published","epoch":1,"items":null})",
      R"({"status":"published","epoch":1,"items":{"item":0,"version":1,"period":0}})",
      R"({"status":"published","items":[{"version":1,"period":0}]})",
      R"({"status":"published","epoch":-1,"items":[{"version":1,"period":0}]})",
      R"({"status":"published","epoch":1.0,"items":[{"version":1,"period":0}]})",
      R"({"status":"published","epoch":1e0,"items":[{"version":1,"period":0}]})",
      R"({"status":"published","epoch":"1","items":[{"version":1,"period":0}]})",
      R"({"status":"published","epoch":18446744073709551616,"items":[{"version":1,"period":0}]})",
      R"({"status":"published","epoch":1,"proof":null,"items":[{"version":1,"period":0}]})",
      R"({"status":"published","epoch":1,"proof":{},"items":[{"version":1,"period":0}]})",
      R"({"status":"published","epoch":1,"proof":{"href":1},"items":[{"version":1,"period":0}]})",
      R"({"status":"published","epoch":1,"proof":"/v1/lookup","items":[{"version":1,"period":0}]})",
      published(R"(1)"),
      published(R"({"version":1})"),
      published(R"({"period":1})"),
      published(R"({"version":1,"period":0},{"version":1})"),
      published(R"({"version":-1,"period":0})"),
      published(R"({"version":1,"period":"0"})"),
      published(R"({"version":1,"period":0,"structure":"nothing"})"),
      published(R"({"version":1,"period":0,"structure":""})"),
      published(R"({"version":1,"period":0,"structure":null})"),
      published(R"({"version":1,"period":0,"structure":3})"),
      published(R"({"version":1,"period":0,"item":-1})"),
      published(R"({"version":1,"period":0,"item":2147483648})"),
      published(R"({"version":1,"period":0,"item":null})"),
      published(R"({"version":1,"period":0,"key_b64":"YQ=="})"),
      published(R"({"version":1,"period":0,"key_b64":"YR"})"),
      published(R"({"version":1,"period":0,"key_b64":""})"),
      published(R"({"version":1,"period":0,"key_b64":null})"),
      published(R"({"version":1,"period":0,"key_b64":1})"),
      published(R"({"version":1,"period":0,"key_b64":")" + base64url_encode(Bytes(256)) + R"("})"),
      published(R"({"version":1,"period":0,"version":1})"),
      R"({"status":"refused"})",
      R"({"status":"refused","reason":null})",
      R"({"status":"refused","reason":""})",
      R"({"status":"refused","reason":"Device-taken"})",
      R"({"status":"refused","reason":"device taken"})",
      R"({"status":"refused","reason":"\u001b[31m"})",
      R"({"status":"refused","reason":")" + std::string(65, 'a') + R"("})",
      R"({"status":"refused","reason":"a","item":null})",
      R"({"status":"refused","reason":"a","item":-1})",
      R"({"status":"refused","reason":"a","item":"0"})",
      R"({"status":"refused","reason":"a","current":null})",
      R"({"status":"refused","reason":"a","current":{"period":0}})",
      R"({"status":"refused","reason":"a","current":{"version":0,"period":0.5}})",
  };
  for (const std::string& answer : answers) {
    EXPECT_FALSE(read_update_status(octets_of(answer)).has_value()) << answer;
  }
}

TEST(UpdateStatus, BoundedAnswer) {
  std::string answer(kPublishedUpdate);
  answer.append(kMaxStatusLen - answer.size(), ' ');
  EXPECT_TRUE(read_update_status(octets_of(answer)).has_value());
  answer.push_back(' ');
  EXPECT_FALSE(read_update_status(octets_of(answer)).has_value());
}

// A mutant that is accepted keeps the bounds, and is read as the same status after it is written with the members of
// the page alone.
TEST(UpdateStatus, Mutants) {
  std::size_t accepted = 0;
  std::size_t changed = 0;
  for (const std::string_view seed : {kPublishedUpdate, kRefusedUpdate}) {
    const std::optional<UpdateStatus> original = read_update_status(octets_of(seed));
    for_each_mutant(seed, 4, [&](const Bytes& answer) {
      const std::optional<UpdateStatus> status = read_update_status(answer);
      if (!status) {
        return;
      }
      ++accepted;
      changed += status != original ? 1 : 0;
      JsonWriter out;
      out.begin_object();
      if (const auto* published = std::get_if<PublishedRequest>(&*status)) {
        ASSERT_FALSE(published->items.empty());
        out.name("status").string("published").name("epoch").integer(published->epoch).name("items").begin_array();
        for (const PublishedItem& item : published->items) {
          ASSERT_TRUE(item.key.size() <= 255 && item.structure >= 1 && item.structure <= 4);
          out.begin_object().name("period").integer(item.version.period).name("version").integer(item.version.version);
          out.name("item").integer(item.item).name("structure");
          out.string(std::array{"usernames", "devices", "keys", "decommissioned"}[item.structure - std::size_t{1}]);
          if (!item.key.empty()) {
            out.name("key_b64").string(base64url_encode(item.key));
          }
          out.end_object();
        }
        out.end_array();
        if (published->kind) {
          out.name("proof").begin_object().name("href");
          out.string(published->kind == RequestKind::kUser ? "/v1/users/lookup?" : "/v1/lookup").end_object();
        }
      } else if (const auto* refused = std::get_if<RefusedRequest>(&*status)) {
        ASSERT_TRUE(!refused->reason.empty() && refused->reason.size() <= 64);
        out.name("status").string("refused").name("reason").string(refused->reason);
        if (refused->item) {
          out.name("item").integer(*refused->item);
        }
        if (refused->current) {
          out.name("current").begin_object().name("period").integer(refused->current->period);
          out.name("version").integer(refused->current->version).end_object();
        }
      } else {
        out.name("status").string("pending");
      }
      out.end_object();
      EXPECT_EQ(read_update_status(octets_of(out.text())), status) << text_of(answer);
    });
  }
  EXPECT_GT(accepted, 1000U);
  EXPECT_GT(changed, 100U);
}

TEST(UpdateStatus, NamesTheItemsOfARequest) {
  std::vector<PublishedItem> items(8);
  for (std::uint32_t i = 0; i < items.size(); ++i) {
    items[i].item = i;
  }
  items[2].key = status_octets("named");
  const std::vector<UserChange> changes = {
      CreateUser{.usernames = {status_octets("alice"), status_octets("bob")}, .devices = {{status_octets("phone")}}},
      AddDevice{{status_octets("laptop")}}, RemoveDevice{status_octets("tv")},
      SetDevice{.device = {status_octets("watch")}}};
  name_items(items, octets_of("user"), changes);
  std::vector<std::string> keys;
  for (const PublishedItem& item : items) {
    keys.emplace_back(text_of(item.key));
  }
  EXPECT_EQ(keys, (std::vector<std::string>{"user", "alice", "named", "phone", "laptop", "watch", "user", ""}));

  items = {{.structure = kDecommissioned, .item = 1}};
  name_items(items, octets_of("user"), {Decommission{}});
  EXPECT_EQ(text_of(items[0].key), "user");
  items = {{.item = 1}};
  name_items(items, octets_of("user"), {AddUsername{status_octets("carol")}});
  EXPECT_EQ(text_of(items[0].key), "carol");
}

}  // namespace
}  // namespace optiks::client::test
