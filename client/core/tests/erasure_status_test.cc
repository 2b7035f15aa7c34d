// Tests the reader of the status of erasures.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "mutate.h"
#include "optiks/client/answer_json.h"
#include "optiks/client/request_status.h"

namespace optiks::client::test {
namespace {

using ozks::verify::kDevices;
using ozks::verify::kKeys;

constexpr std::string_view kErasedVersions =
    R"({"request_id":"x","status":"erased","epoch":7,"erased":[{"structure":"keys","period":3,"version":1,"epoch":6},)"
    R"({"structure":"keys","period":2,"version":9,"epoch":5}]})";

Erasure erasure_of_key(std::uint64_t from, std::uint64_t to) {
  return KeyErasure{.key = {'a'}, .versions = {.period = 3, .from = from, .to = to}};
}

Erasure erasure_of_lists(std::uint64_t from, std::uint64_t to) {
  return UserErasure{.user = {'u'}, .versions = VersionRange{.period = 3, .from = from, .to = to}};
}

Erasure erasure_of_user() { return UserErasure{.user = {'u'}}; }

std::string erased_answer(const std::string& structure, std::uint64_t period, std::uint64_t version) {
  return R"({"status":"erased","epoch":1,"erased":[{"structure":")" + structure + R"(","period":)" +
         std::to_string(period) + R"(,"version":)" + std::to_string(version) + R"(,"epoch":1}]})";
}

TEST(ErasureStatus, Good) {
  const std::map<std::string, ErasureStatus> answers = {
      {R"({"status":"pending"})", PendingRequest{}},
      {R"({"status":"erased","epoch":1,"erased":[]})", ErasedRequest{.epoch = 1}},
      {R"({"status":"erased","epoch":2,"erased":[{"period":3,"version":1,"epoch":1,"more":null}]})",
       ErasedRequest{.epoch = 2, .erased = {{.version = {3, 1}, .epoch = 1}}}},
      {std::string(kErasedVersions),
       ErasedRequest{.epoch = 7, .erased = {{.version = {3, 1}, .epoch = 6}, {.version = {2, 9}, .epoch = 5}}}},
      {R"({"status":"refused","reason":"user-not-left"})", RefusedRequest{.reason = "user-not-left"}},
      // Refused erasures have no items, so a member of this name is not read.
      {R"({"status":"refused","reason":"latest-version","item":"?","current":{"period":0,"version":7}})",
       RefusedRequest{.reason = "latest-version", .current = VersionNumber{0, 7}}},
  };
  for (const auto& [answer, status] : answers) {
    EXPECT_EQ(read_erasure_status(octets_of(answer), erasure_of_key(1, 2), 3), status) << answer;
  }
}

TEST(ErasureStatus, Bad) {
  const std::vector<std::string> answers = {
      "",
      "[1]",
      R"({"status":"published","epoch":1})",
      R"({"status":"published","epoch":1,"items":[{"version":1,"period":0}]})",
      R"({"status":"erased","epoch":1})",
      R"({"status":"erased","erased":[]})",
      R"({"status":"erased","epoch":-1,"erased":[]})",
      R"({"status":"erased","epoch":1,"erased":null})",
      R"({"status":"erased","epoch":1,"erased":{}})",
      R"({"status":"erased","epoch":1,"erased":[1]})",
      R"({"status":"erased","epoch":1,"erased":[{"structure":"keys","period":3,"version":1}]})",
      R"({"status":"erased","epoch":1,"erased":[{"structure":"keys","period":3,"epoch":1}]})",
      R"({"status":"erased","epoch":1,"erased":[{"structure":"nothing","period":3,"version":1,"epoch":1}]})",
      R"({"status":"erased","epoch":1,"erased":[{"structure":null,"period":3,"version":1,"epoch":1}]})",
      R"({"status":"refused","reason":"\u001b[31m"})",
      R"({"status":"refused","reason":"a","current":[]})",
      R"({"status":"refused","status":"erased","epoch":1,"erased":[]})",
      R"({"status":"erased","epoch":1,"erased":[]} )"
      "\xff",
  };
  for (const std::string& answer : answers) {
    EXPECT_FALSE(read_erasure_status(octets_of(answer), erasure_of_key(1, 2), 3).has_value()) << answer;
  }
}

struct AskedRow {
  Erasure erasure;
  std::string structure;
  std::uint64_t period;
  std::uint64_t version;
  bool is_asked;
};

// The current period is 3.
TEST(ErasureStatus, ListsOnlyVersionsThatWereToBeErased) {
  const std::vector<AskedRow> rows = {
      {erasure_of_key(1, 2), "keys", 3, 1, true},
      {erasure_of_key(1, 2), "keys", 3, 2, true},
      {erasure_of_key(1, 2), "keys", 3, 3, false},
      {erasure_of_key(1, 2), "keys", 3, 0, false},
      {erasure_of_key(1, 2), "devices", 3, 1, false},
      {erasure_of_key(1, 2), "usernames", 3, 1, false},
      {erasure_of_key(2, 4), "keys", 3, 1, false},
      {erasure_of_key(2, 4), "keys", 3, 4, true},
      {erasure_of_key(2, 4), "keys", 3, 5, false},
      // Version 1 may be a copy of any version of an earlier period.
      {erasure_of_key(1, 2), "keys", 2, 9, true},
      {erasure_of_key(1, 2), "keys", 0, 9, true},
      {erasure_of_key(1, 2), "keys", 4, 9, false},
      {erasure_of_key(2, 4), "keys", 2, 9, false},
      {erasure_of_key(1, 2), "devices", 2, 9, false},
      {erasure_of_lists(1, 3), "devices", 3, 3, true},
      {erasure_of_lists(1, 3), "devices", 1, 8, true},
      {erasure_of_lists(1, 3), "devices", 3, 4, false},
      {erasure_of_lists(1, 3), "keys", 3, 3, false},
      {erasure_of_user(), "devices", 9, 9, true},
      {erasure_of_user(), "keys", 9, 9, true},
      {erasure_of_user(), "usernames", 0, 0, false},
      {erasure_of_user(), "decommissioned", 0, 0, false},
  };
  for (const AskedRow& row : rows) {
    const std::string answer = erased_answer(row.structure, row.period, row.version);
    EXPECT_EQ(read_erasure_status(octets_of(answer), row.erasure, 3).has_value(), row.is_asked) << answer;
  }
  // A client that knows no period cannot tell which periods are earlier.
  EXPECT_TRUE(
      read_erasure_status(octets_of(erased_answer("keys", 9, 9)), erasure_of_key(1, 2), UINT64_MAX).has_value());
}

TEST(ErasureStatus, BoundedAnswer) {
  std::string answer(kErasedVersions);
  answer.append(kMaxStatusLen - answer.size(), ' ');
  EXPECT_TRUE(read_erasure_status(octets_of(answer), erasure_of_key(1, 2), 3).has_value());
  answer.push_back(' ');
  EXPECT_FALSE(read_erasure_status(octets_of(answer), erasure_of_key(1, 2), 3).has_value());
}

TEST(ErasureStatus, Mutants) {
  std::size_t accepted = 0;
  std::size_t changed = 0;
  const std::optional<ErasureStatus> original =
      read_erasure_status(octets_of(kErasedVersions), erasure_of_key(1, 2), 3);
  for_each_mutant(kErasedVersions, 6, [&](const Bytes& answer) {
    const std::optional<ErasureStatus> status = read_erasure_status(answer, erasure_of_key(1, 2), 3);
    if (!status) {
      return;
    }
    ++accepted;
    changed += status != original ? 1 : 0;
    if (const auto* erased = std::get_if<ErasedRequest>(&*status)) {
      for (const ErasedVersion& version : erased->erased) {
        EXPECT_EQ(version.structure, kKeys);
        EXPECT_TRUE(version.version.period < 3 || version.version.version == 1 || version.version.version == 2);
      }
    }
    // Everything that a request for lists may erase is of another structure.
    const std::optional<ErasureStatus> lists = read_erasure_status(answer, erasure_of_lists(1, 2), 3);
    if (const auto* erased = lists ? std::get_if<ErasedRequest>(&*lists) : nullptr) {
      for (const ErasedVersion& version : erased->erased) {
        EXPECT_EQ(version.structure, kDevices);
      }
    }
  });
  EXPECT_GT(accepted, 1000U);
  EXPECT_GT(changed, 20U);
}

}  // namespace
}  // namespace optiks::client::test
