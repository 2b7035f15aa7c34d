// Passes arguments to the verifier's calls that no correct caller passes. The tests in ozks/verify/tests judge whole
// answers.
#include <gtest/gtest.h>

#include <array>

#include "call.h"

namespace optiks::ozks::test {
namespace {

class CApiVerify : public testing::Test {
 protected:
  [[nodiscard]] const std::uint8_t* octets() const { return octets_.data(); }

  const std::array<std::uint8_t, OPTIKS_RECORD_LEN> octets_{};
  const std::uint8_t key_[1] = {'k'};
  const std::uint64_t one_[2] = {0, 1};
  const std::uint64_t empty_[2] = {0, 0};  // offsets of a key without octets
  optiks_context_t context_{};
  // An anchor whose configuration has a length but no octets.
  const optiks_anchor_t no_anchor_ = [] {
    optiks_anchor_t anchor{};
    anchor.configuration_len = 1;
    return anchor;
  }();
  std::array<std::uint8_t, OPTIKS_RECORD_LEN> out_{};
  optiks_head_result_t head_{};
  optiks_known_t known_{};
  std::int32_t reason_ = -1;
  std::size_t failed_ = 0;
  std::size_t len_ = 0;
  std::uint64_t size_ = 0;
};

TEST_F(CApiVerify, AnchorAndHead) {
  const Call anchor("anchor", optiks_verify_anchor, &context_.anchor, &reason_, out_.data());
  anchor.needs(kArg<0>, kArg<1>, kArg<2>);
  anchor.refuses({{kArg<0>, &no_anchor_}});
  EXPECT_EQ(anchor(), OPTIKS_OK);
  const Call head("head", optiks_verify_head, &context_, octets(), 1, &reason_, &head_);
  head.needs(kArg<0>, kArg<1>, kArg<3>, kArg<4>);
  EXPECT_EQ(head(), OPTIKS_OK);
  context_.kept_period_record = octets();
  EXPECT_EQ(head(), OPTIKS_E_ARGUMENT) << "a record of the period's first epoch without a kept record";
}

// The calls refuse two kinds of known states. All calls refuse a state with a version but with neither has_absent nor
// page_version. Lookups also refuse a state with page_version.
TEST_F(CApiVerify, Lookup) {
  optiks_lookup_result_t result{};
  const Call call("lookup", optiks_verify_lookup, &context_, 1, key_, one_, &known_, octets(), 1, &reason_, &failed_,
                  &head_, &result);
  call.needs(kArg<0>, kArg<2>, kArg<3>, kArg<5>, kArg<7>, kArg<8>, kArg<9>, kArg<10>);
  call.refuses({{kArg<3>, empty_}});
  EXPECT_EQ(call(), OPTIKS_OK);
  known_.version = 2;
  EXPECT_EQ(call(), OPTIKS_E_ARGUMENT);
  known_.page_version = 3;
  EXPECT_EQ(call(), OPTIKS_E_ARGUMENT);
  known_.page_version = 0;
  known_.has_absent = 1;
  EXPECT_EQ(call(), OPTIKS_OK);
  context_.ended_record = octets();
  EXPECT_EQ(call(), OPTIKS_E_ARGUMENT) << "an ended period has no lookups";
}

TEST_F(CApiVerify, Versions) {
  optiks_versions_result_t versions{};
  optiks_version_entry_t entry{};
  optiks_versions_verdict_t verdict{};
  verdict.results = &versions;
  verdict.entries = &entry;
  verdict.entries_capacity = 1;
  optiks_versions_verdict_t no_results = verdict;
  no_results.results = nullptr;
  optiks_versions_verdict_t no_entries = verdict;
  no_entries.entries = nullptr;
  const Call call("versions", optiks_verify_versions, &context_, 1, key_, one_, &known_, octets(), 1, &verdict);
  call.needs(kArg<0>, kArg<2>, kArg<3>, kArg<5>, kArg<7>);
  call.refuses({{kArg<3>, empty_}, {kArg<7>, &no_results}, {kArg<7>, &no_entries}});
  EXPECT_EQ(call(), OPTIKS_OK);
  known_.version = 2;
  EXPECT_EQ(call(), OPTIKS_E_ARGUMENT);
  known_.page_version = 3;
  EXPECT_EQ(call(), OPTIKS_OK);
}

TEST_F(CApiVerify, Users) {
  const std::uint64_t offsets[5] = {0, 1, 1, 1, 1};  // a username, and empty strings for what the client does not know
  const optiks_user_state_t state{};
  optiks_user_result_t user{};
  optiks_device_result_t device{};
  optiks_users_verdict_t verdict{};
  verdict.users = &user;
  verdict.devices = &device;
  verdict.devices_capacity = 1;
  optiks_users_verdict_t no_users = verdict;
  no_users.users = nullptr;
  optiks_users_verdict_t no_devices = verdict;
  no_devices.devices = nullptr;
  const Call call("users", optiks_verify_users, &context_, 1, key_, offsets, &state, &known_, octets(), 1, &verdict);
  call.needs(kArg<0>, kArg<2>, kArg<3>, kArg<4>, kArg<5>, kArg<6>, kArg<8>);
  call.refuses({{kArg<8>, &no_users}, {kArg<8>, &no_devices}});
  EXPECT_EQ(call(), OPTIKS_OK);
  EXPECT_NE(verdict.reason, 0);
  EXPECT_EQ(verdict.num_devices, 0U);
  context_.ended_record = octets();
  EXPECT_EQ(call(), OPTIKS_E_ARGUMENT) << "an ended period has no lookups";
}

TEST_F(CApiVerify, UserMonitor) {
  const std::uint64_t offsets[4] = {0, 1, 1, 1};  // a user id, an empty name that the call refuses, no list
  const std::uint64_t no_names[3] = {0, 1, 1};
  const optiks_user_state_t state{};
  optiks_own_key_result_t key{};
  optiks_version_entry_t entry{};
  optiks_user_monitor_verdict_t verdict{};
  verdict.keys = &key;
  verdict.keys_capacity = 1;
  verdict.entries = &entry;
  verdict.entries_capacity = 1;
  optiks_user_monitor_verdict_t no_keys = verdict;
  no_keys.keys = nullptr;
  optiks_user_monitor_verdict_t no_entries = verdict;
  no_entries.entries = nullptr;
  Call call("user monitor", optiks_verify_user_monitor, &context_, &state, 0, key_, no_names, &known_, octets(), 1,
            &verdict);
  call.needs(kArg<0>, kArg<1>, kArg<3>, kArg<4>, kArg<5>, kArg<6>, kArg<8>);
  call.refuses({{kArg<8>, &no_keys}, {kArg<8>, &no_entries}});
  EXPECT_EQ(call(), OPTIKS_OK);
  EXPECT_NE(verdict.reason, 0);
  EXPECT_EQ(verdict.num_keys, 0U);
  call.set(kArg<2>, 1);
  call.set(kArg<4>, offsets);
  EXPECT_EQ(call(), OPTIKS_E_ARGUMENT) << "an empty name";
}

TEST_F(CApiVerify, RecordsAndAudits) {
  std::uint32_t structures = 0;
  const Call audit("audit", optiks_verify_audit, &context_, octets(), octets(), octets(), 1, &reason_, out_.data(),
                   &structures);
  audit.needs(kArg<0>, kArg<1>, kArg<2>, kArg<3>, kArg<5>, kArg<6>, kArg<7>);
  EXPECT_EQ(audit(), OPTIKS_OK);
  const Call record("record", optiks_verify_record, &context_.anchor, octets(), nullptr, nullptr, &reason_);
  record.needs(kArg<0>, kArg<1>, kArg<4>);
  record.refuses({{kArg<0>, &no_anchor_}, {kArg<3>, octets()}});
  EXPECT_EQ(record(), OPTIKS_OK);
  const Call judge("judge", optiks_judge_leaves, &context_.anchor, octets(), 1, octets(), 1, &reason_);
  judge.needs(kArg<0>, kArg<1>, kArg<3>, kArg<5>);
  judge.refuses({{kArg<0>, &no_anchor_}});
  EXPECT_EQ(judge(), OPTIKS_OK);
}

TEST_F(CApiVerify, CheckpointsAndLogProofs) {
  const Call checkpoint("checkpoint", optiks_verify_checkpoint, &context_.anchor, octets(), 1, &reason_, &size_,
                        out_.data());
  checkpoint.needs(kArg<0>, kArg<1>, kArg<3>, kArg<4>, kArg<5>);
  checkpoint.refuses({{kArg<0>, &no_anchor_}});
  EXPECT_EQ(checkpoint(), OPTIKS_OK);
  Call inclusion("inclusion", optiks_verify_inclusion, 0, 1, octets(), octets(), octets(), 1, &reason_);
  inclusion.needs(kArg<2>, kArg<3>, kArg<4>, kArg<6>);
  EXPECT_EQ(inclusion(), OPTIKS_OK);
  EXPECT_EQ(reason_, 0);
  inclusion.set(kArg<5>, 0);
  EXPECT_EQ(inclusion(), OPTIKS_OK);
  EXPECT_EQ(reason_, 1);
  Call consistency("consistency", optiks_verify_consistency, 1, 1, octets(), octets(), octets(), 1, &reason_);
  consistency.needs(kArg<2>, kArg<3>, kArg<4>, kArg<6>);
  EXPECT_EQ(consistency(), OPTIKS_OK);
  EXPECT_EQ(reason_, 0);
  consistency.set(kArg<5>, 0);
  EXPECT_EQ(consistency(), OPTIKS_OK);
  EXPECT_EQ(reason_, 1);
}

TEST_F(CApiVerify, Periods) {
  std::size_t bound = 0;
  Call call("periods", optiks_verify_periods, &context_, 0, octets(), 1, &reason_, &head_, &bound, 1, &len_);
  call.needs(kArg<0>, kArg<2>, kArg<4>, kArg<5>, kArg<6>, kArg<8>);
  call.set(kArg<6>, nullptr);
  call.set(kArg<7>, 0);
  EXPECT_EQ(call(), OPTIKS_OK);
  EXPECT_NE(reason_, 0);
  context_.ended_record = octets();
  EXPECT_EQ(call(), OPTIKS_E_ARGUMENT) << "an ended period has no bounds";
}

TEST_F(CApiVerify, Handover) {
  optiks_version_entry_t entry{};
  const optiks_end_t end{};
  const Call call("handover", optiks_verify_handover, &head_, &entry, octets(), 1, &end, &reason_);
  EXPECT_EQ(call(), OPTIKS_E_ARGUMENT) << "an entry of another version than 1";
  entry.version = 1;
  call.needs(kArg<0>, kArg<2>, kArg<4>, kArg<5>);
  EXPECT_EQ(call(), OPTIKS_OK);
  entry.value_offset = 1;
  entry.value_len = 1;
  EXPECT_EQ(call(), OPTIKS_E_ARGUMENT) << "a value beyond the answer";
}

}  // namespace
}  // namespace optiks::ozks::test
