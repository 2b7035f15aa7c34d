// Tests the verdicts on the answers about users of the Python reference (tests/vectors/users).
#include <gtest/gtest.h>

#include <deque>
#include <map>

#include "answer_row.h"
#include "optiks/ozks/verify/users.h"

namespace optiks::ozks::verify::test {
namespace {

// One row of the vectors. It has the client's kept state, and the expected verdict.
class UserRow : private AnswerRow {
 public:
  UserRow(const Json& anchors, const Json& vector) : AnswerRow(anchors, vector) {}

  Reason verify() {
    const Json& users = vector_["users"];
    UserAnswerVerifier verifier;
    Reason reason = verifier.begin(context_, answer_, users.size());
    if (reason != Reason::kValid) {
      return reason;
    }
    std::vector<DeviceResult> devices(verifier.num_devices());
    std::span<DeviceResult> room = devices;
    std::vector<UserResult> results(users.size());
    std::vector<std::span<DeviceResult>> devices_of;
    for (std::size_t i = 0; i < users.size(); ++i) {
      reason = verifier.next(query_of(users[i]), state_of(users[i]["kept"]), room, results[i]);
      if (reason != Reason::kValid) {
        return reason;
      }
      devices_of.push_back(room.first(results[i].num_devices));
      room = room.subspan(results[i].num_devices);
    }
    reason = verifier.finish();
    if (reason == Reason::kValid) {
      EXPECT_EQ(vector_["results"].size(), results.size());
      for (std::size_t i = 0; i < results.size(); ++i) {
        check(results[i], devices_of[i], vector_["results"][i]);
      }
    }
    return reason;
  }

 private:
  UserQuery query_of(const Json& user) {
    return {keep(user["username"]), user["device"].is_null() ? ByteSpan() : keep(user["device"])};
  }

  UserState state_of(const Json& kept) {
    UserState state;
    if (kept.is_null()) {
      return state;
    }
    state.least_epoch = number(kept["least_epoch"]);
    state.user = kept["user"].is_null() ? ByteSpan() : keep(kept["user"]);
    state.has_left = kept["has_left"].get<bool>();
    state.generation = kept.contains("generation") ? kept["generation"].get<std::uint32_t>() : 0;
    if (!kept["devices"].is_null()) {
      state.devices = known_of(kept["devices"]);
      state.list = keep(kept["devices"]["list"]);
    }
    // The keys are in the right order: the JSON parser sorts an object's members by name, and hexadecimal names sort as
    // the octets do.
    std::vector<KnownDevice>& keys = known_keys_.emplace_back();
    for (const auto& [id, known] : kept["keys"].items()) {
      keys.push_back({keep(id), known_of(known)});
    }
    state.keys = keys;
    return state;
  }

  static void check_lookup(const LookupResult& result, const Json& expected) {
    EXPECT_EQ(result.version, number(expected["version"]));
    EXPECT_EQ(result.has_value, !expected["value"].is_null());
    if (!expected["value"].is_null()) {
      EXPECT_EQ(base::to_hex(result.value), expected["value"].get<std::string>());
      EXPECT_EQ(result.time, number(expected["time"]));
    }
  }

  static void check(const UserResult& result, std::span<const DeviceResult> devices, const Json& expected) {
    static const std::map<std::string, UserKind> kKinds{
        {"none", UserKind::kNone}, {"left", UserKind::kLeft}, {"current", UserKind::kCurrent}};
    EXPECT_EQ(result.kind, kKinds.at(expected["kind"].get<std::string>()));
    EXPECT_EQ(base::to_hex(result.user), expected["user"].is_null() ? "" : expected["user"].get<std::string>());
    EXPECT_EQ(result.epoch, number(expected["epoch"]));
    EXPECT_EQ(result.generation, expected.contains("generation") ? number(expected["generation"]) : 0);
    if (result.kind != UserKind::kCurrent) {
      return;
    }
    check_lookup(result.devices, expected["devices"]);
    ASSERT_EQ(devices.size(), expected["keys"].size());
    for (std::size_t i = 0; i < devices.size(); ++i) {
      EXPECT_EQ(base::to_hex(devices[i].id), expected["keys"][i]["device"].get<std::string>());
      check_lookup(devices[i].key, expected["keys"][i]);
    }
  }

  // A deque does not move its elements, so views of them stay valid.
  std::deque<std::vector<KnownDevice>> known_keys_;
};

// Verifies all rows of a file. Returns how often each reason occurred.
std::map<std::string, int> verify_all(const std::string& path) {
  const Json file = load_vectors(path);
  EXPECT_GE(file["vectors"].size(), 150U);
  std::map<std::string, int> seen;
  for (const Json& vector : file["vectors"]) {
    SCOPED_TRACE(vector["kind"].get<std::string>());
    UserRow row(file["anchors"], vector);
    const std::string reason = name_of(row.verify());
    EXPECT_EQ(reason, vector["reason"].get<std::string>());
    ++seen[reason];
  }
  EXPECT_GE(seen["valid"], 20);
  return seen;
}

TEST(UserVectors, Lookup) { EXPECT_GE(verify_all("users/lookup.json").size(), 45U); }

// Tests 93 to 98 of docs/negative-tests.md.
TEST(UserVectors, Generations) {
  const std::map<std::string, int> seen = verify_all("users/generations.json");
  for (const char* reason : {"generation_left", "generation_order", "user_returned", "user_changed", "user_kind",
                             "version_regressed", "ladder_count", "absent_covers", "member_kind"}) {
    EXPECT_TRUE(seen.contains(reason)) << reason;
  }
}

}  // namespace
}  // namespace optiks::ozks::verify::test
