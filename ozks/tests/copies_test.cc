// Tests the switch to the next period. The directory of the next period gets copies while the previous period
// continues. The verifier checks all answers of the new period.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "copies_support.h"
#include "optiks/base/sha256.h"
#include "optiks/ozks/verify/handover.h"
#include "saved_support.h"

namespace optiks::ozks::test {
namespace {

ByteSpan state_of(const States& states, std::uint8_t structure) {
  return std::span(states).subspan(structure_index(structure) * std::size_t{OPTIKS_STRUCTURE_STATE_LEN},
                                   OPTIKS_STRUCTURE_STATE_LEN);
}

std::uint64_t count_of(const States& states, std::uint8_t structure) {
  return base::load_be64(state_of(states, structure).data() + 32);
}

// Returns the owner's verdict on the hand-over of a key: the owner compares the key's copy with `version` and `value`,
// which it knows from the end of period 0.
verify::Reason handover(const Seen& seen, std::uint8_t structure, const std::string& key, std::uint64_t last_epoch,
                        std::uint64_t version, const std::string& value) {
  std::vector<verify::VersionEntry> entries;
  verify::VersionsResult result;
  const Bytes answer = seen.versions(structure, key, 1);
  const verify::Reason reason = seen.check(structure, key, {}, answer, entries, result);
  if (reason != verify::Reason::kValid) {
    return reason;
  }
  verify::EndState end{0, last_epoch, version, {}};
  base::sha256(end.value_sha256, Bytes(value.begin(), value.end()));
  const verify::StructureView view = seen.view(structure);
  return verify::check_handover({view.period, view.period_first_epoch}, entries, end);
}

// The directory of a log in period 0, and the directory of its next period, which gets the log's leaves epoch by epoch.
class Switch {
 public:
  Switch(const char* log, const char* next_log)
      : dir(create(options_with(log))), next(create(next_options(next_log))) {}

  // Publishes an epoch in `dir`, and loads its leaves of `usernames` and `decommissioned` into `next`.
  void publish(const std::vector<Update>& updates) {
    const StoredEpoch stored = test::publish(dir.get(), ++epoch, updates);
    EXPECT_EQ(load(next.get(), without_periods(stored)), OPTIKS_OK) << last_error();
    for (const Update& update : updates) {
      auto& [version, value] = latest[{update.structure, update.key}];
      ++version;
      value = update.value;
    }
  }
  [[nodiscard]] Copy copy_of(std::uint8_t structure, const std::string& key) const {
    const auto& [version, value] = latest.at({structure, key});
    return {structure, key, version, value};
  }

  DirectoryHandle dir;
  DirectoryHandle next;
  std::uint64_t epoch = 0;
  std::map<std::pair<std::uint8_t, std::string>, std::pair<std::uint64_t, std::string>> latest;
};

TEST(Copies, ThePeriodBeginsWithWhatTheOneBeforeEnded) {
  const std::string log = scratch_file("log");
  const std::string next_log = scratch_file("next");
  Switch both(log.c_str(), next_log.c_str());
  Random random(41);
  const std::string left = key_name(3);
  std::map<std::pair<std::uint8_t, std::string>, std::uint64_t> staged;  // for each key, the version of its newest copy
  for (std::uint64_t epoch = 1; epoch <= 24; ++epoch) {
    std::vector<Update> updates = random_updates(random, epoch);
    updates.push_back({kUsernames, numbered("name ", epoch), "user"});
    if (epoch == 20) {
      updates.push_back({kDecommissioned, left, ""});
    }
    both.publish(updates);
    // From epoch 6 on, each epoch loads some of the copies that are missing or out of date. Epoch 24 loads all of them.
    std::vector<Copy> copies;
    for (const auto& [key, of_key] : both.latest) {
      if (key.first == kUsernames || key.first == kDecommissioned || epoch < 6 || staged[key] == of_key.first) {
        continue;
      }
      if (epoch == 24 || random.below(3) == 0) {
        copies.push_back(both.copy_of(key.first, key.second));
        staged[key] = of_key.first;
      }
    }
    copy(both.next.get(), copies);
  }
  copy(both.next.get(), {{kKeys, left, 0, ""}, {kDevices, left, 0, ""}});
  const std::uint64_t last = both.epoch;
  const std::uint64_t first = last + 1;

  // As a control, another directory gets only the final copies.
  const DirectoryHandle other = create(next_options(nullptr));
  std::vector<Copy> all;
  for (const auto& [key, of_key] : both.latest) {
    if (verify::is_per_period(key.first) && key.second != left) {
      all.push_back(both.copy_of(key.first, key.second));
    }
  }
  copy(other.get(), all);
  for (const std::uint8_t structure : {kDevices, kKeys}) {
    // The roots differ because copies have fresh openings, but the counts must be equal.
    EXPECT_EQ(count_of(states_of(both.next.get()), structure), count_of(states_of(other.get()), structure));
  }

  // In the first epoch, the tree of `usernames` must grow in the same way as it would have grown in the old period.
  const StoredEpoch rows = prepare(both.dir.get(), first, {{kUsernames, "at the switch", "user"}});
  const auto as_before = stage(both.dir.get(), rows);
  auto start = start_period(both.next.get(), rows);
  States before{};
  States now{};
  ASSERT_EQ(optiks_staged_states(as_before.get(), before.data()), OPTIKS_OK);
  ASSERT_EQ(optiks_staged_states(start.get(), now.data()), OPTIKS_OK);
  for (const std::uint8_t structure : {kUsernames, kDecommissioned}) {
    EXPECT_TRUE(std::ranges::equal(state_of(before, structure), state_of(now, structure)));
  }
  for (const std::uint8_t structure : {kDevices, kKeys}) {
    EXPECT_FALSE(std::ranges::equal(state_of(before, structure).subspan(40), state_of(now, structure).subspan(40)))
        << "the VRF key is another one";
  }
  // The step's proofs of `usernames` and `decommissioned` must be those of the old period, and the proofs of `devices`
  // and `keys` must be empty.
  EXPECT_EQ(staged_proofs(start.get()), staged_proofs(as_before.get()));
  EXPECT_NE(now, states_of(both.dir.get()));
  commit(std::move(start));

  const Seen old(both.dir.get());
  const Seen seen(both.next.get());
  EXPECT_EQ(seen.epoch(), first);
  for (const auto& [key, of_key] : both.latest) {
    const auto& [structure, name] = key;
    if (structure == kUsernames || structure == kDecommissioned) {
      continue;
    }
    const bool has_left = name == left;
    EXPECT_EQ(seen.value(structure, name), has_left ? "" : old.value(structure, name));
    EXPECT_EQ(handover(seen, structure, name, last, of_key.first, of_key.second),
              has_left ? verify::Reason::kHandoverMissing : verify::Reason::kValid);
    if (!has_left) {
      EXPECT_EQ(handover(seen, structure, name, last, of_key.first, "other"), verify::Reason::kHandoverValue);
      EXPECT_EQ(handover(seen, structure, name, last, 0, ""), verify::Reason::kHandoverUnset);
    }
  }
  EXPECT_EQ(handover(seen, kKeys, "nobody", last, 0, ""), verify::Reason::kValid);

  // After the switch, keys continue from version 1. A directory that is saved and restored must continue in the same
  // way.
  EXPECT_EQ(optiks_dir_check(both.next.get()), OPTIKS_OK) << last_error();
  const std::string file = scratch_file("snapshot");
  ASSERT_EQ(optiks_view_save(seen.view(), file.c_str()), OPTIKS_OK) << last_error();
  const std::string name = both.latest.rbegin()->first.second;
  ASSERT_EQ(both.latest.rbegin()->first.first, kDecommissioned);
  publish(both.next.get(), first + 1, {{kKeys, key_name(1), "second"}, {kKeys, "new", "first"}});
  const Seen after(both.next.get());
  std::vector<verify::VersionEntry> entries;
  verify::VersionsResult result;
  const Bytes answer = after.versions(kKeys, key_name(1), 1);
  ASSERT_EQ(after.check(kKeys, key_name(1), {}, answer, entries, result), verify::Reason::kValid);
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].leaf_epoch, 0U);
  EXPECT_EQ(entries[0].time, first);
  EXPECT_EQ(entries[1].leaf_epoch, first + 1);
  EXPECT_EQ(text_of(entries[1].value), "second");
  EXPECT_EQ(after.value(kKeys, "new"), "first");
  optiks_dir_options_t options = next_options(next_log.c_str());
  optiks_dir_t* restored = nullptr;
  EXPECT_EQ(optiks_dir_restore(&options, file.c_str(), &restored), OPTIKS_E_DATA) << "it has begun";
  EXPECT_NE(last_error().find("period"), std::string::npos);
  options.period_first_epoch = first;
  both.next.reset();
  ASSERT_EQ(optiks_dir_restore(&options, file.c_str(), &restored), OPTIKS_OK) << last_error();
  const DirectoryHandle again(restored);
  EXPECT_EQ(states_of(again.get()), now);
  EXPECT_EQ(optiks_dir_check(again.get()), OPTIKS_OK) << last_error();
  publish(again.get(), first + 1, {{kKeys, key_name(1), "second"}});
  EXPECT_EQ(Seen(again.get()).value(kKeys, key_name(1)), "second");
  EXPECT_EQ(Seen(again.get()).value(kDevices, key_name(1)), old.value(kDevices, key_name(1)));
  EXPECT_EQ(load_copies(again.get(), {}), OPTIKS_E_STATE);
}

// Tests that the result depends only on the last row of each key. It must not depend on how rows are divided between
// calls, or on the number of threads.
TEST(Copies, TheLastRowOfAKeyCountsHoweverItComes) {
  const DirectoryHandle maker = create(next_options(nullptr));
  Random random(43);
  std::vector<optiks_leaf_t> rows;
  Bytes values;
  std::map<std::string, optiks_leaf_t> last;
  for (int call = 0; call < 30; ++call) {
    std::map<std::string, Copy> copies;
    for (int i = 0; i < 12; ++i) {
      const std::string key = key_name(random.below(25));
      const bool is_drop = random.below(4) == 0;
      copies[key] = {kKeys, key, is_drop ? 0U : 1 + random.below(9),
                     is_drop ? "" : numbered("value ", random.below(99))};
    }
    std::vector<Copy> listed;
    for (const auto& [key, of_key] : copies) {
      listed.push_back(of_key);
    }
    const StoredEpoch made = prepare_copies(maker.get(), listed);
    for (optiks_leaf_t row : made.rows) {
      const std::string& key = listed[row.structure_and_input & 0xfffffff].key;
      row.value_offset += row.version == 0 ? 0 : values.size();
      rows.push_back(row);
      last.insert_or_assign(key, row);
    }
    values.insert(values.end(), made.values.begin(), made.values.end());
  }
  std::vector<optiks_leaf_t> left;
  for (const auto& [key, row] : last) {
    if (row.version != 0) {
      left.push_back(row);
    }
  }
  const DirectoryHandle expected = create(next_options(nullptr));
  ASSERT_EQ(load_copies(expected.get(), {0, left, values}), OPTIKS_OK) << last_error();
  EXPECT_LT(left.size(), last.size());
  for (const auto& [calls, threads] : {std::pair<std::size_t, std::uint32_t>(1, 1), {1, 3}, {7, 2}, {360, 1}}) {
    optiks_dir_options_t options = next_options(nullptr);
    options.threads = threads;
    const DirectoryHandle dir = create(options);
    for (std::size_t i = 0; i < calls; ++i) {
      const std::size_t begin = i * rows.size() / calls;
      const std::size_t end = (i + 1) * rows.size() / calls;
      ASSERT_EQ(optiks_dir_load_copies(dir.get(), rows.data() + begin, end - begin, values.data(), values.size()),
                OPTIKS_OK)
          << last_error();
    }
    EXPECT_EQ(states_of(dir.get()), states_of(expected.get()));
    EXPECT_EQ(optiks_dir_check(dir.get()), OPTIKS_OK) << last_error();
    commit(start_period(dir.get(), {1, {}, {}}));
    const Seen seen(dir.get());
    for (const auto& [key, row] : last) {
      const auto at = values.begin() + static_cast<std::ptrdiff_t>(row.version == 0 ? 0 : row.value_offset);
      EXPECT_EQ(seen.value(kKeys, key), row.version == 0 ? "" : std::string(at, at + row.value_len));
    }
  }
}

class Rows : public testing::Test {
 protected:
  Rows() {
    copy(dir_.get(), {{kKeys, "a", 3, "value of a"}, {kKeys, "b", 1, "value of b"}, {kDevices, "a", 2, "list of a"}});
    made_ = prepare_copies(dir_.get(), {{kKeys, "a", 4, "next of a"}, {kKeys, "c", 1, "value of c"}});
    dropped_ = prepare_copies(dir_.get(), {{kKeys, "b", 0, ""}, {kKeys, "d", 0, ""}});
  }

  // Expects that a call with good rows and this bad row is refused, and that the directory stays unchanged.
  void expect_refused(const optiks_leaf_t& row, std::int32_t status, const char* what) {
    const States before = states_of(dir_.get());
    for (const bool is_first : {false, true}) {
      StoredEpoch rows = made_;
      rows.rows.insert(is_first ? rows.rows.begin() : rows.rows.end(), row);
      EXPECT_EQ(load_copies(dir_.get(), rows), status) << what;
    }
    EXPECT_EQ(states_of(dir_.get()), before) << what;
    EXPECT_EQ(newest_values(dir_.get(), kKeys, {"a", "b", "c"}),
              (std::vector<std::string>{"value of a", "value of b", "-"}))
        << what;
    EXPECT_EQ(optiks_dir_check(dir_.get()), OPTIKS_OK) << what;
  }

  // Returns the row that was made from input number `input`.
  static optiks_leaf_t of(const StoredEpoch& rows, std::uint32_t input) {
    return *std::ranges::find_if(
        rows.rows, [&](const optiks_leaf_t& row) { return (row.structure_and_input & 0xfffffff) == input; });
  }

  DirectoryHandle dir_ = create(next_options(nullptr));
  StoredEpoch made_;
  StoredEpoch dropped_;
};

TEST_F(Rows, ThatAreMalformedChangeNothing) {
  const optiks_leaf_t good = of(made_, 1);
  const auto refused = [&](const char* what, auto change) {
    optiks_leaf_t row = good;
    // With this tag and label, the row is of a key that no other row has.
    row.tag[0] ^= 1;
    row.label[0] ^= 1;
    change(row);
    expect_refused(row, OPTIKS_E_DATA, what);
  };
  refused("a leaf epoch", [](optiks_leaf_t& row) { row.epoch = 1; });
  for (const std::uint32_t structure : {0U, 1U, 4U, 5U, 15U}) {
    refused("of another structure", [&](optiks_leaf_t& row) { row.structure_and_input = structure << 28; });
  }
  refused("too large a version", [](optiks_leaf_t& row) { row.version = std::uint64_t{1} << 32; });
  refused("another commitment", [](optiks_leaf_t& row) { row.commitment[31] ^= 1; });
  refused("another opening", [](optiks_leaf_t& row) { row.opening[0] ^= 1; });
  refused("another value", [](optiks_leaf_t& row) { ++row.value_offset; });
  refused("no such value", [&](optiks_leaf_t& row) { row.value_offset = made_.values.size() + 1; });
  refused("too long a value", [](optiks_leaf_t& row) { row.value_len = 0xffffffff; });
  refused("a value of a key that goes", [](optiks_leaf_t& row) { row.version = 0; });
  refused("an opening of a key that goes", [](optiks_leaf_t& row) {
    row.version = 0;
    row.value_offset = UINT64_MAX;
    std::ranges::fill(row.commitment, std::uint8_t{0});
  });
  refused("a commitment of a key that goes", [](optiks_leaf_t& row) {
    row.version = 0;
    row.value_offset = UINT64_MAX;
    std::ranges::fill(row.opening, std::uint8_t{0});
  });
  EXPECT_EQ(load_copies(dir_.get(), made_), OPTIKS_OK) << "the control";
}

TEST_F(Rows, ThatContradictEachOtherChangeNothing) {
  const optiks_leaf_t a = of(made_, 0);
  const optiks_leaf_t c = of(made_, 1);
  optiks_leaf_t row = c;
  row.label[5] ^= 1;
  expect_refused(row, OPTIKS_E_DATA, "two labels of a key");
  row = c;
  row.structure_and_input = std::uint32_t{kDevices} << 28;
  expect_refused(row, OPTIKS_E_DATA, "two structures of a key");
  row = c;
  row.tag[5] ^= 1;
  expect_refused(row, OPTIKS_E_DUPLICATE, "two keys of a label");
  row = of(dropped_, 0);
  row.label[5] ^= 1;
  expect_refused(row, OPTIKS_E_DATA, "a key goes that has another label");
  row = of(dropped_, 1);
  std::ranges::copy(of(dropped_, 0).label, row.label);
  expect_refused(row, OPTIKS_E_DATA, "a key that is not there goes, of another one's label");
  // From here on the bad row is loaded alone. It must contradict rows that were loaded before, and not the other rows
  // of the call.
  made_.rows = {};
  row = a;
  row.label[5] ^= 1;
  expect_refused(row, OPTIKS_E_DATA, "another label of a key that is there");
  row = a;
  std::ranges::copy(of(dropped_, 0).label, row.label);
  expect_refused(row, OPTIKS_E_DATA, "the label of another key that is there");
  row = c;
  std::ranges::copy(a.label, row.label);
  expect_refused(row, OPTIKS_E_DUPLICATE, "a new key with the label of one that is there");
  row = a;
  row.structure_and_input = std::uint32_t{kDevices} << 28;
  expect_refused(row, OPTIKS_E_DATA, "another structure of a key that is there");
  // The controls.
  EXPECT_EQ(load_copies(dir_.get(), dropped_), OPTIKS_OK);
  EXPECT_EQ(load_copies(dir_.get(), dropped_), OPTIKS_OK) << "again";
  EXPECT_EQ(newest_values(dir_.get(), kKeys, {"a", "b"}), (std::vector<std::string>{"value of a", "-"}));
}

TEST(Copies, ArgumentsOfPreparing) {
  const DirectoryHandle dir = create(next_options(nullptr));
  const std::uint8_t key[] = "kk";
  const std::uint64_t offsets[] = {0, 1, 2};
  const std::uint64_t none[] = {0, 0, 0};
  std::uint8_t structures[] = {kKeys, kDevices};
  std::uint64_t versions[] = {1, 0};
  std::array<optiks_leaf_t, 2> out{};
  const auto status = [&](std::size_t n, const std::uint64_t* value_offsets) {
    return optiks_dir_prepare_copies(dir.get(), n, structures, key, offsets, versions, key, value_offsets, out.data());
  };
  EXPECT_EQ(status(2, none), OPTIKS_OK);
  EXPECT_EQ(status(2, offsets), OPTIKS_E_ARGUMENT) << "a key that goes has a value";
  versions[1] = 0x100000000;
  EXPECT_EQ(status(2, none), OPTIKS_E_ARGUMENT);
  versions[1] = 0xffffffff;
  EXPECT_EQ(status(2, none), OPTIKS_OK);
  for (const std::uint8_t structure : {std::uint8_t{0}, kUsernames, kDecommissioned, std::uint8_t{5}}) {
    structures[1] = structure;
    EXPECT_EQ(status(2, none), OPTIKS_E_ARGUMENT);
  }
  structures[1] = kKeys;
  EXPECT_EQ(status(2, none), OPTIKS_E_DUPLICATE);
  EXPECT_EQ(optiks_dir_prepare_copies(nullptr, 1, structures, key, offsets, versions, key, none, out.data()),
            OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_dir_prepare_copies(dir.get(), 1, nullptr, key, offsets, versions, key, none, out.data()),
            OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_dir_prepare_copies(dir.get(), 1, structures, key, none, versions, key, none, out.data()),
            OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_dir_prepare_copies(dir.get(), 1, structures, key, offsets, nullptr, key, none, out.data()),
            OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_dir_prepare_copies(dir.get(), 1, structures, key, offsets, versions, key, none, nullptr),
            OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_dir_load_copies(nullptr, nullptr, 0, nullptr, 0), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_dir_load_copies(dir.get(), nullptr, 1, nullptr, 0), OPTIKS_E_ARGUMENT);
  optiks_staged_t* staged = nullptr;
  EXPECT_EQ(optiks_dir_start_period(dir.get(), 1, nullptr, 1, nullptr, 0, 0, &staged), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_dir_start_period(dir.get(), 1, nullptr, 0, nullptr, 0, 0, nullptr), OPTIKS_E_ARGUMENT);
}

TEST(Copies, NothingElseIsDoneBeforeThePeriodBegins) {
  const std::string log = scratch_file("log");
  const DirectoryHandle current = create(options_with(nullptr));
  const DirectoryHandle dir = create(next_options(log.c_str()));
  const StoredEpoch first = publish(current.get(), 1, {{kKeys, "a", "1"}, {kUsernames, "u", "a"}});
  EXPECT_EQ(load(dir.get(), first), OPTIKS_E_DATA) << "leaves of keys";
  ASSERT_EQ(load(dir.get(), without_periods(first)), OPTIKS_OK);
  const States before = states_of(dir.get());
  optiks_view_t* view = nullptr;
  optiks_staged_t* staged = nullptr;
  optiks_leaf_t row{};
  const std::uint8_t key = 'k';
  const std::uint8_t structure = kKeys;
  const std::uint64_t offsets[] = {0, 1};
  EXPECT_EQ(optiks_dir_view(dir.get(), &view), OPTIKS_E_STATE);
  EXPECT_EQ(optiks_dir_precompute_labels(dir.get(), 1, &structure, &key, offsets), OPTIKS_E_STATE);
  EXPECT_EQ(optiks_dir_prepare(dir.get(), 2, 1, &structure, &key, offsets, &key, offsets, &row), OPTIKS_E_STATE);
  EXPECT_EQ(optiks_dir_stage(dir.get(), 2, nullptr, 0, nullptr, 0, 0, &staged), OPTIKS_E_STATE);
  EXPECT_EQ(optiks_dir_start_period(dir.get(), 3, nullptr, 0, nullptr, 0, 0, &staged), OPTIKS_E_STATE);
  EXPECT_EQ(optiks_dir_start_period(dir.get(), 1, nullptr, 0, nullptr, 0, 0, &staged), OPTIKS_E_STATE);
  const StoredEpoch second = prepare(current.get(), 2, {{kKeys, "a", "2"}, {kUsernames, "v", "a"}});
  EXPECT_EQ(optiks_dir_start_period(dir.get(), 2, second.rows.data(), second.rows.size(), second.values.data(),
                                    second.values.size(), 0, &staged),
            OPTIKS_E_DATA);
  EXPECT_EQ(states_of(dir.get()), before);

  // After the period's first epoch was discarded, the period may begin with a later epoch. This epoch includes the
  // copies that were loaded after the discard.
  const StoredEpoch copies = prepare_copies(dir.get(), {{kKeys, "a", 1, "1"}});
  {
    const StagedHandle discarded = start_period(dir.get(), without_periods(second));
    EXPECT_EQ(load_copies(dir.get(), copies), OPTIKS_E_STATE) << "an epoch is staged";
    EXPECT_EQ(optiks_dir_view(dir.get(), &view), OPTIKS_E_STATE);
  }
  EXPECT_EQ(states_of(dir.get()), before);
  ASSERT_EQ(load(dir.get(), without_periods(second)), OPTIKS_OK);
  ASSERT_EQ(load_copies(dir.get(), copies), OPTIKS_OK);
  optiks_dir_stats_t stats{};
  ASSERT_EQ(optiks_dir_stats(dir.get(), &stats), OPTIKS_OK);
  EXPECT_EQ(stats.period, 1U);
  EXPECT_EQ(stats.period_first_epoch, 0U);
  commit(start_period(dir.get(), {3, {}, {}}, false));
  ASSERT_EQ(optiks_dir_stats(dir.get(), &stats), OPTIKS_OK);
  EXPECT_EQ(stats.period_first_epoch, 3U);
  EXPECT_EQ(Seen(dir.get()).value(kKeys, "a"), "1");
  EXPECT_EQ(load_copies(dir.get(), copies), OPTIKS_E_STATE);
  EXPECT_EQ(optiks_dir_start_period(dir.get(), 4, nullptr, 0, nullptr, 0, 0, &staged), OPTIKS_E_STATE);
  EXPECT_EQ(load_copies(current.get(), copies), OPTIKS_E_STATE) << "the first period has no copies";
  EXPECT_EQ(optiks_dir_start_period(current.get(), 2, nullptr, 0, nullptr, 0, 0, &staged), OPTIKS_E_STATE);
}

TEST(Copies, ValuesThatAreSupersededOrTakenOutAreGoneFromTheLog) {
  const std::string log = scratch_file("log");
  const DirectoryHandle dir = create(next_options(log.c_str()));
  copy(dir.get(), {{kKeys, "a", 1, "first of a"}, {kKeys, "b", 1, "only of b"}, {kKeys, "c", 1, "only of c"}});
  const auto holds = [&](const std::string& text) {
    const Bytes octets = read_file(log);
    return !std::ranges::search(octets, text).empty();
  };
  EXPECT_TRUE(holds("first of a") && holds("only of b"));
  const StoredEpoch next = prepare_copies(dir.get(), {{kKeys, "a", 2, "second of a"}, {kKeys, "b", 0, ""}});
  ASSERT_EQ(load_copies(dir.get(), next), OPTIKS_OK);
  EXPECT_FALSE(holds("first of a"));
  EXPECT_FALSE(holds("only of b"));
  EXPECT_TRUE(holds("second of a"));
  // Below, the value of a copy is erased before the key's next copy is loaded.
  const std::uint8_t structure = kKeys;
  const auto copied = std::ranges::find_if(next.rows, [](const optiks_leaf_t& row) { return row.version == 2; });
  // The first two calls skip a leaf: the first names another commitment, and the second names a label without a leaf.
  const std::uint8_t no_label[32] = {1};
  ASSERT_EQ(optiks_dir_erase(dir.get(), 1, &structure, copied->label, no_label), OPTIKS_OK) << last_error();
  ASSERT_EQ(optiks_dir_erase(dir.get(), 1, &structure, no_label, copied->commitment), OPTIKS_OK) << last_error();
  EXPECT_TRUE(holds("second of a"));
  ASSERT_EQ(optiks_dir_erase(dir.get(), 1, &structure, copied->label, copied->commitment), OPTIKS_OK) << last_error();
  EXPECT_FALSE(holds("second of a"));
  EXPECT_TRUE(holds("only of c"));
  copy(dir.get(), {{kKeys, "a", 3, "third of a"}});
  commit(start_period(dir.get(), {1, {}, {}}));
  EXPECT_EQ(optiks_dir_check(dir.get()), OPTIKS_OK) << last_error();
  EXPECT_EQ(Seen(dir.get()).value(kKeys, "a"), "third of a");
  EXPECT_EQ(Seen(dir.get()).value(kKeys, "b"), "");
  EXPECT_EQ(Seen(dir.get()).value(kKeys, "c"), "only of c");
}

}  // namespace
}  // namespace optiks::ozks::test
