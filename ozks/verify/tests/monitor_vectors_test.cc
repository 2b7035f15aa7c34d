// Tests the verifier's verdicts on answers in which owners learn about their own users. The Python reference made these
// answers (tests/vectors/users).
#include <gtest/gtest.h>

#include <map>

#include "answer_row.h"
#include "optiks/ozks/verify/user_monitor.h"

namespace optiks::ozks::verify::test {
namespace {

// One row of the vectors. It has the owner's state, and the expected verdict.
class OwnRow : private AnswerRow {
 public:
  OwnRow(const Json& anchors, const Json& vector) : AnswerRow(anchors, vector) {
    const Json& own = vector["own"];
    for (const Json& name : own["names"]) {
      names_.push_back(keep(name));
    }
    query_ = {keep(own["user"]), names_};
    state_.least_epoch = number(own["least_epoch"]);
    state_.has_left = own["has_left"].get<bool>();
    if (!own["devices"].is_null()) {
      state_.devices = known_of(own["devices"]);
      state_.list = keep(own["devices"]["list"]);
    }
    for (const Json& named : own["keys"]) {
      keys_.push_back({keep(named["device"]), named["known"].is_null() ? Known() : known_of(named["known"])});
    }
    state_.keys = keys_;
  }

  Reason verify() {
    UserMonitorVerifier verifier;
    Reason reason = verifier.begin(context_, answer_, query_, state_);
    // A row whose answer is refused has no result.
    const Json expected = vector_.value("result", Json());
    if (reason == Reason::kValid && verifier.has_left()) {
      EXPECT_TRUE(expected["has_left"].get<bool>());
    }
    if (reason != Reason::kValid || verifier.has_left()) {
      return reason;
    }
    std::vector<VersionEntry> list_entries(verifier.num_list_versions());
    VersionsResult devices;
    reason = verifier.read_list(list_entries, devices);
    if (reason != Reason::kValid) {
      return reason;
    }
    std::vector<ByteSpan> ids(verifier.num_ids());
    reason = verifier.follow(ids);
    if (reason != Reason::kValid) {
      return reason;
    }
    std::vector<VersionEntry> entries(verifier.num_key_versions());
    std::vector<DeviceVersions> keys(verifier.num_keys());
    std::span<VersionEntry> room = entries;
    for (DeviceVersions& key : keys) {
      reason = verifier.next(room, key);
      if (reason != Reason::kValid) {
        return reason;
      }
      room = room.subspan(key.versions.num_entries);
    }
    EXPECT_TRUE(room.empty());
    reason = check_handovers(verifier.head().record, devices, list_entries, keys, entries);
    if (reason != Reason::kValid) {
      return reason;
    }
    EXPECT_EQ(verifier.head().record.epoch, number(expected["epoch"]));
    EXPECT_FALSE(expected["has_left"].get<bool>());
    check_versions(devices, list_entries, expected["devices"]);
    EXPECT_EQ(keys.size(), expected["keys"].size());
    bool complete = devices.complete;
    std::span<const VersionEntry> shown = entries;
    for (std::size_t i = 0; i < keys.size() && i < expected["keys"].size(); ++i) {
      EXPECT_EQ(base::to_hex(keys[i].id), expected["keys"][i]["device"].get<std::string>());
      check_versions(keys[i].versions, shown.first(keys[i].versions.num_entries), expected["keys"][i]);
      shown = shown.subspan(keys[i].versions.num_entries);
      complete = complete && keys[i].versions.complete;
    }
    EXPECT_EQ(complete, expected["complete"].get<bool>());
    return reason;
  }

 private:
  // Checks the hand-overs by docs/spec/periods.md section 6: first that of the list, then those of the keys in order.
  Reason check_handovers(const EpochRecord& record, const VersionsResult& devices, std::span<const VersionEntry> list,
                         std::span<const DeviceVersions> keys, std::span<const VersionEntry> entries) {
    Reason reason = check_handover_of(record, kDevices, query_.user, devices, list);
    for (std::size_t i = 0; i < keys.size() && reason == Reason::kValid; ++i) {
      const std::size_t num_entries = keys[i].versions.num_entries;
      reason = check_handover_of(record, kKeys, keys[i].id, keys[i].versions, entries.first(num_entries));
      entries = entries.subspan(num_entries);
    }
    return reason;
  }

  Reason check_handover_of(const EpochRecord& record, std::uint8_t structure, ByteSpan key, const VersionsResult& shown,
                           std::span<const VersionEntry> entries) {
    for (const Json& end : vector_["own"].value("ends", Json::array())) {
      if (end["structure"] == structure && end["key"] == base::to_hex(key) && shown.from == 1) {
        return check_handover({record.period, record.period_first_epoch}, entries, end_of(end));
      }
    }
    return Reason::kValid;
  }

  static void check_versions(const VersionsResult& result, std::span<const VersionEntry> entries,
                             const Json& expected) {
    EXPECT_EQ(result.version, number(expected["version"]));
    EXPECT_EQ(result.complete, expected["complete"].get<bool>());
    EXPECT_EQ(entries.size(), expected["values"].size());
    for (const VersionEntry& entry : entries) {
      const Json& value = expected["values"][std::to_string(entry.version)];
      EXPECT_EQ(entry.has_value, !value.is_null());
      if (entry.has_value && !value.is_null()) {
        EXPECT_EQ(base::to_hex(entry.value), value.get<std::string>());
      }
    }
  }

  std::vector<ByteSpan> names_;
  std::vector<KnownDevice> keys_;
  OwnQuery query_;
  OwnState state_;
};

void run_own(const std::string& path, std::size_t least_rows, int least_valid, std::size_t least_reasons) {
  const Json file = load_vectors(path);
  EXPECT_GE(file["vectors"].size(), least_rows);
  std::map<std::string, int> seen;
  for (const Json& vector : file["vectors"]) {
    SCOPED_TRACE(vector["kind"].get<std::string>());
    OwnRow row(file["anchors"], vector);
    const std::string reason = name_of(row.verify());
    EXPECT_EQ(reason, vector["reason"].get<std::string>());
    ++seen[reason];
  }
  EXPECT_GE(seen["valid"], least_valid);
  EXPECT_GE(seen.size(), least_reasons);
}

TEST(UserVectors, Monitor) { run_own("users/monitor.json", 250, 50, 35); }
TEST(UserVectors, Handover) { run_own("periods/user_handover.json", 31, 8, 7); }

}  // namespace
}  // namespace optiks::ozks::verify::test
