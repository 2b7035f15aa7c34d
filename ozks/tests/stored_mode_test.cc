// Compares a directory in stored mode with a directory in linked mode that has the same epochs. Both must give the same
// octets for all questions.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <thread>

#include "directory_support.h"

namespace optiks::ozks::test {
namespace {

class StoredMode : public testing::Test {
 protected:
  StoredMode() : folder_(scratch_file("replica")) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~StoredMode() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] optiks_dir_options_t options() {
    log_path_ = folder_ + "/leaves";
    store_path_ = folder_ + "/nodes";
    optiks_dir_options_t options = options_with(log_path_.c_str());
    options.node_store_path = store_path_.c_str();
    options.node_cache_bytes = 1U << 20;
    return options;
  }
  [[nodiscard]] DirectoryHandle open() { return create(options()); }
  [[nodiscard]] static std::int32_t open_status(const optiks_dir_options_t& options) {
    optiks_dir_t* dir = nullptr;
    const std::int32_t status = optiks_dir_create(&options, &dir);
    optiks_dir_destroy(dir);
    return status;
  }

  std::string folder_;
  std::string log_path_;
  std::string store_path_;
};

StoredEpoch put(optiks_dir_t* linked, optiks_dir_t* stored, std::uint64_t epoch, const std::vector<Update>& updates) {
  StoredEpoch rows = publish(linked, epoch, updates);
  commit(stage(stored, rows, false));
  return rows;
}

// Compares answers of all kinds from both views, about existing and absent keys.
void expect_same(const Seen& linked, const Seen& stored) {
  EXPECT_EQ(linked.epoch(), stored.epoch());
  EXPECT_EQ(linked.states(), stored.states());
  for (const std::uint8_t structure : {OPTIKS_DEVICES, OPTIKS_KEYS}) {
    std::vector<std::string> keys;
    std::vector<verify::Known> known;
    for (std::uint64_t i = 0; i < 16; ++i) {
      keys.push_back(key_name(i));
      known.push_back({});
      known.back().version = i % 3;
    }
    EXPECT_EQ(linked.lookups(structure, keys, known), stored.lookups(structure, keys, known));
    for (std::uint64_t i = 0; i < 16; i += 5) {
      EXPECT_EQ(linked.versions(structure, key_name(i), 1), stored.versions(structure, key_name(i), 1));
      EXPECT_EQ(linked.versions(structure, key_name(i), 2, 1), stored.versions(structure, key_name(i), 2, 1));
    }
  }
}

TEST_F(StoredMode, AnswersAsLinkedModeDoesThroughRandomHistories) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    Random random(seed);
    const DirectoryHandle linked = create(options_with(nullptr));
    DirectoryHandle stored = open();
    expect_same(Seen(linked.get()), Seen(stored.get()));
    for (std::uint64_t epoch = 1; epoch <= 25; ++epoch) {
      // These views of the previous epoch must stay unchanged.
      const Seen linked_before(linked.get());
      const auto stored_before = std::make_unique<Seen>(stored.get());
      const StoredEpoch rows = prepare(linked.get(), epoch, random_updates(random, epoch));
      commit(stage(linked.get(), rows));
      if (random.below(4) == 0) {
        // Stages an epoch and discards it.
        static_cast<void>(stage(stored.get(), rows, false));
      }
      commit(stage(stored.get(), rows, false));
      expect_same(Seen(linked.get()), Seen(stored.get()));
      expect_same(linked_before, *stored_before);
    }
    // The answers must be equal and must also be valid.
    const Seen seen(stored.get());
    for (std::uint64_t i = 0; i < 16; ++i) {
      verify::LookupResult result;
      EXPECT_EQ(seen.check(OPTIKS_KEYS, key_name(i), {}, seen.lookup(OPTIKS_KEYS, key_name(i)), result),
                verify::Reason::kValid);
    }
  }
}

TEST_F(StoredMode, LoadsAsLinkedModeDoesAndGoesOnAfterRestarts) {
  Random random(7);
  const DirectoryHandle linked = create(options_with(nullptr));
  std::vector<StoredEpoch> history;
  for (std::uint64_t epoch = 1; epoch <= 30; ++epoch) {
    history.push_back(publish(linked.get(), epoch, random_updates(random, epoch)));
  }
  // The store gets 20 epochs in one load, with some values erased. Then it gets the other epochs one by one, and is
  // opened again for each.
  std::vector<optiks_leaf_t> rows;
  Bytes values;
  std::vector<optiks_leaf_t> latest_rows;
  for (std::uint64_t epoch = 1; epoch <= 20; ++epoch) {
    for (optiks_leaf_t row : history[epoch - 1].rows) {
      row.value_offset += values.size();
      rows.push_back(row);
    }
    values.insert(values.end(), history[epoch - 1].values.begin(), history[epoch - 1].values.end());
  }
  for (optiks_leaf_t& row : rows) {
    const bool is_latest = std::none_of(rows.begin(), rows.end(), [&](const optiks_leaf_t& other) {
      return std::ranges::equal(other.tag, row.tag) && other.version > row.version;
    });
    if (!is_latest && random.below(2) == 0) {
      row.value_offset = UINT64_MAX;
      row.value_len = 0;
      std::ranges::fill(row.opening, std::uint8_t{0});
    }
  }
  const DirectoryHandle loaded = create(options_with(nullptr));
  ASSERT_EQ(optiks_dir_load(loaded.get(), 20, rows.data(), rows.size(), values.data(), values.size()), OPTIKS_OK);
  for (const std::uint64_t calls : {1, 3, 20}) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    const DirectoryHandle stored = open();
    const auto is_through = [](std::uint64_t last) {
      return [last](const optiks_leaf_t& row) { return row.epoch <= last; };
    };
    auto next = rows.begin();
    for (std::uint64_t call = 1; call <= calls; ++call) {
      const std::uint64_t last = call * 20 / calls;
      const auto end = std::partition_point(next, rows.end(), is_through(last));
      ASSERT_EQ(optiks_dir_load(stored.get(), last, std::to_address(next), static_cast<std::size_t>(end - next),
                                values.data(), values.size()),
                OPTIKS_OK);
      next = end;
    }
    ASSERT_EQ(optiks_dir_load_end(stored.get()), OPTIKS_OK) << last_error();
    expect_same(Seen(loaded.get()), Seen(stored.get()));
  }
  expect_same(Seen(loaded.get()), Seen(open().get()));
  for (std::uint64_t epoch = 21; epoch <= 30; ++epoch) {
    commit(stage(loaded.get(), history[epoch - 1]));
    const DirectoryHandle stored = open();
    std::uint64_t at = 0;
    static_cast<void>(states_of(stored.get(), &at));
    ASSERT_EQ(at, epoch - 1);
    if (epoch % 2 == 0) {
      commit(stage(stored.get(), history[epoch - 1], false));
    } else {
      const StoredEpoch& one = history[epoch - 1];
      ASSERT_EQ(
          optiks_dir_load(stored.get(), epoch, one.rows.data(), one.rows.size(), one.values.data(), one.values.size()),
          OPTIKS_OK);
      ASSERT_EQ(optiks_dir_load_end(stored.get()), OPTIKS_OK);
    }
    expect_same(Seen(loaded.get()), Seen(stored.get()));
  }
}

TEST_F(StoredMode, IsNothingOfALoadBeforeItsEnd) {
  const DirectoryHandle linked = create(options_with(nullptr));
  std::vector<StoredEpoch> history;
  for (std::uint64_t epoch = 1; epoch <= 4; ++epoch) {
    history.push_back(publish(linked.get(), epoch, {{OPTIKS_KEYS, "a", std::to_string(epoch)}}));
  }
  DirectoryHandle stored = open();
  const States empty = states_of(stored.get());
  EXPECT_EQ(optiks_dir_load_end(nullptr), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_dir_load_end(stored.get()), OPTIKS_OK) << "nothing was loaded";
  const auto load = [&](const StoredEpoch& epoch) {
    return optiks_dir_load(stored.get(), epoch.epoch, epoch.rows.data(), epoch.rows.size(), epoch.values.data(),
                           epoch.values.size());
  };
  ASSERT_EQ(load(history[0]), OPTIKS_OK);
  ASSERT_EQ(load(history[1]), OPTIKS_OK);
  std::uint64_t epoch = 1;
  EXPECT_EQ(states_of(stored.get(), &epoch), empty);
  EXPECT_EQ(epoch, 0U);
  for (const StoredEpoch& other : {history[0], history[2]}) {
    optiks_staged_t* staged = nullptr;
    EXPECT_EQ(optiks_dir_stage(stored.get(), other.epoch, other.rows.data(), other.rows.size(), other.values.data(),
                               other.values.size(), 0, &staged),
              OPTIKS_E_STATE);
  }
  // The directory is destroyed before the load ends, as if the process were killed. The next start must find an empty
  // store.
  stored.reset();
  stored = open();
  EXPECT_EQ(states_of(stored.get(), &epoch), empty);
  for (std::size_t i = 0; i < 3; ++i) {
    ASSERT_EQ(load(history[i]), OPTIKS_OK);
  }
  ASSERT_EQ(optiks_dir_load_end(stored.get()), OPTIKS_OK);
  EXPECT_EQ(optiks_dir_load_end(stored.get()), OPTIKS_OK) << "once more";
  EXPECT_EQ(Seen(stored.get()).value(OPTIKS_KEYS, "a"), "3");
  commit(stage(stored.get(), history[3], false));
  expect_same(Seen(linked.get()), Seen(stored.get()));
  // A later load must not have leaves of epochs that the store has, but it may consist of an epoch without leaves.
  EXPECT_EQ(load(history[3]), OPTIKS_E_DATA);
  ASSERT_EQ(optiks_dir_load(stored.get(), 7, nullptr, 0, nullptr, 0), OPTIKS_OK);
  ASSERT_EQ(optiks_dir_load_end(stored.get()), OPTIKS_OK);
  EXPECT_EQ(Seen(stored.get()).epoch(), 7U);
}

TEST_F(StoredMode, RefusesWhatLinkedModeRefuses) {
  const DirectoryHandle linked = create(options_with(nullptr));
  const DirectoryHandle stored = open();
  const StoredEpoch first = put(linked.get(), stored.get(), 1, {{OPTIKS_KEYS, "a", "1"}, {OPTIKS_USERNAMES, "u", "x"}});
  const States before = states_of(stored.get());
  const auto refusal = [&](optiks_dir_t* dir, const StoredEpoch& epoch) {
    optiks_staged_t* staged = nullptr;
    const std::int32_t status = optiks_dir_stage(dir, epoch.epoch, epoch.rows.data(), epoch.rows.size(),
                                                 epoch.values.data(), epoch.values.size(), 0, &staged);
    optiks_staged_destroy(staged);
    return status;
  };
  const auto expect_refused = [&](const StoredEpoch& epoch, std::int32_t status) {
    EXPECT_EQ(refusal(linked.get(), epoch), status);
    EXPECT_EQ(refusal(stored.get(), epoch), status);
    EXPECT_EQ(states_of(stored.get()), before);
  };
  const StoredEpoch good = prepare(linked.get(), 2, {{OPTIKS_KEYS, "a", "2"}, {OPTIKS_KEYS, "b", "1"}});
  EXPECT_EQ(refusal(stored.get(), good), OPTIKS_OK);
  StoredEpoch bad = good;
  bad.epoch = 3;
  expect_refused(bad, OPTIKS_E_STATE);
  bad = good;
  bad.rows[0].epoch = 3;
  expect_refused(bad, OPTIKS_E_DATA);
  bad = good;
  std::swap(bad.rows[0], bad.rows[1]);
  expect_refused(bad, OPTIKS_E_DATA);
  bad = good;
  bad.rows[0].version += 1;
  expect_refused(bad, OPTIKS_E_DATA);
  bad = good;
  bad.values[0] ^= 1;
  expect_refused(bad, OPTIKS_E_DATA);
  bad = good;
  bad.rows[0].structure_and_input = 0;
  expect_refused(bad, OPTIKS_E_DATA);
  // The row has the label of an existing leaf.
  bad = good;
  const optiks_leaf_t& old = *std::ranges::find_if(
      first.rows, [](const optiks_leaf_t& row) { return row.structure_and_input >> 28 == OPTIKS_KEYS; });
  bad.rows.resize(1);
  std::ranges::copy(old.label, bad.rows[0].label);
  expect_refused(bad, OPTIKS_E_DUPLICATE);
  // The row is a second leaf of a key in an oZKS.
  bad = first;
  bad.epoch = 2;
  bad.rows.resize(1);
  bad.rows[0].epoch = 2;
  expect_refused(bad, OPTIKS_E_DUPLICATE);
  // Stored mode refuses to make proofs, because only the update-task makes them.
  optiks_staged_t* staged = nullptr;
  EXPECT_EQ(optiks_dir_stage(stored.get(), 2, good.rows.data(), good.rows.size(), good.values.data(),
                             good.values.size(), 1, &staged),
            OPTIKS_E_STATE);
  commit(stage(stored.get(), good, false));
  EXPECT_EQ(Seen(stored.get()).value(OPTIKS_KEYS, "a"), "2");
}

TEST_F(StoredMode, IsRefusedToOthersAndWithoutItsLog) {
  {
    const DirectoryHandle linked = create(options_with(nullptr));
    const DirectoryHandle stored = open();
    static_cast<void>(put(linked.get(), stored.get(), 1, {{OPTIKS_KEYS, "a", "1"}}));
    EXPECT_EQ(open_status(options()), OPTIKS_E_IO) << "in use";
  }
  EXPECT_EQ(open_status(options()), OPTIKS_OK);
  optiks_dir_options_t other;
  for (std::size_t s = 0; s < OPTIKS_NUM_STRUCTURES; ++s) {
    other = options();
    other.tag_key[s][1] = 1;
    EXPECT_EQ(open_status(other), OPTIKS_E_IO);
  }
  other = options();
  other.period = 1;
  EXPECT_EQ(open_status(other), OPTIKS_E_IO);
  other = options();
  other.vrf_secret[2][3] = 9;
  EXPECT_EQ(open_status(other), OPTIKS_E_IO);
  other = options();
  other.leaf_log_path = nullptr;
  EXPECT_EQ(open_status(other), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(open_status(options()), OPTIKS_OK);
  std::filesystem::resize_file(log_path_, std::filesystem::file_size(log_path_) - 1);
  EXPECT_EQ(open_status(options()), OPTIKS_E_IO);
  std::filesystem::remove_all(store_path_);
  EXPECT_EQ(open_status(options()), OPTIKS_OK) << "anew";
}

TEST_F(StoredMode, KeepsListsAloneAndHasThemAfterARestart) {
  optiks_dir_options_t lists = options();
  lists.kept_values = OPTIKS_VALUES_DEVICES;
  const DirectoryHandle linked = create(options_with(nullptr));
  {
    const DirectoryHandle stored = create(lists);
    // The store gets its first leaves from a load.
    const StoredEpoch first = publish(linked.get(), 1, {{OPTIKS_DEVICES, "u", "1"}, {OPTIKS_KEYS, "d", "1"}});
    ASSERT_EQ(optiks_dir_load(stored.get(), 1, first.rows.data(), 2, first.values.data(), first.values.size()),
              OPTIKS_OK);
    ASSERT_EQ(optiks_dir_load_end(stored.get()), OPTIKS_OK);
    static_cast<void>(put(linked.get(), stored.get(), 2, {{OPTIKS_DEVICES, "v", "2"}, {OPTIKS_USERNAMES, "n", "u"}}));
    EXPECT_EQ(newest_values(stored.get(), OPTIKS_DEVICES, {"v", "u", "w"}), (std::vector<std::string>{"2", "1", "-"}));
  }
  const DirectoryHandle stored = create(lists);
  EXPECT_EQ(newest_values(stored.get(), OPTIKS_DEVICES, {"v", "u", "w"}), (std::vector<std::string>{"2", "1", "-"}));
  EXPECT_EQ(states_of(stored.get()), states_of(linked.get()));
}

TEST_F(StoredMode, IsOfTheValuesThatItKeeps) {
  optiks_dir_options_t other = options();
  for (const std::uint32_t kept : {OPTIKS_VALUES_NONE, OPTIKS_VALUES_DEVICES, OPTIKS_VALUES_ALL}) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    const DirectoryHandle linked = create(options_with(nullptr));
    other.kept_values = kept;
    {
      const DirectoryHandle stored = create(other);
      static_cast<void>(put(linked.get(), stored.get(), 1, {{OPTIKS_DEVICES, "u", "1"}}));
    }
    for (const std::uint32_t opened : {OPTIKS_VALUES_NONE, OPTIKS_VALUES_DEVICES, OPTIKS_VALUES_ALL}) {
      other.kept_values = opened;
      EXPECT_EQ(open_status(other), opened == kept ? OPTIKS_OK : OPTIKS_E_IO);
    }
  }
}

TEST_F(StoredMode, AnswersTheSameAfterItWasShrunk) {
  const DirectoryHandle linked = create(options_with(nullptr, 0));
  optiks_dir_options_t cached = options();
  cached.vrf_cache_bytes = 1U << 20;
  const DirectoryHandle stored = create(cached);
  Random random(21);
  for (std::uint64_t epoch = 1; epoch <= 12; ++epoch) {
    static_cast<void>(put(linked.get(), stored.get(), epoch, random_updates(random, epoch)));
  }
  const auto stats = [&] {
    optiks_dir_stats_t out{};
    EXPECT_EQ(optiks_dir_stats(stored.get(), &out), OPTIKS_OK);
    return out;
  };
  const Seen expected(linked.get());
  auto before = std::make_unique<Seen>(stored.get());
  expect_same(expected, *before);
  EXPECT_GT(stats().vrf_cache_bytes, 0U);
  EXPECT_GT(stats().tree_bytes, 0U);
  std::atomic<bool> is_over{false};
  std::thread reader([&] {
    while (!is_over) {
      expect_same(expected, Seen(stored.get()));
    }
  });
  std::int32_t is_done = 1;
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(optiks_dir_shrink(stored.get(), 0, &is_done), OPTIKS_OK) << last_error();
    EXPECT_EQ(is_done, 0) << "a view was taken before";
    EXPECT_EQ(stats().vrf_cache_bytes, 0U);
    EXPECT_EQ(stats().tree_bytes, 0U);
    expect_same(expected, *before);
  }
  before.reset();
  const Seen after(stored.get());
  // The reader may have taken a view before the first call.
  do {
    ASSERT_EQ(optiks_dir_shrink(stored.get(), 0, &is_done), OPTIKS_OK) << last_error();
  } while (is_done == 0);
  expect_same(expected, after);
  is_over = true;
  reader.join();
  EXPECT_EQ(optiks_dir_shrink(nullptr, 0, &is_done), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_dir_shrink(stored.get(), 0, nullptr), OPTIKS_E_ARGUMENT);
  ASSERT_EQ(optiks_dir_shrink(linked.get(), 0, &is_done), OPTIKS_OK);
  EXPECT_EQ(is_done, 1);
}

TEST_F(StoredMode, ReadersSeeWholeEpochsWhileOthersLand) {
  const DirectoryHandle linked = create(options_with(nullptr));
  const DirectoryHandle stored = open();
  static_cast<void>(put(linked.get(), stored.get(), 1, {{OPTIKS_KEYS, "left", "1"}, {OPTIKS_KEYS, "right", "1"}}));
  std::atomic<bool> is_over{false};
  std::atomic<std::uint64_t> num_read{0};
  std::vector<std::jthread> readers;
  readers.reserve(2);
  for (int r = 0; r < 2; ++r) {
    readers.emplace_back([&] {
      while (!is_over || num_read < 100) {
        const Seen seen(stored.get());
        const std::string left = seen.value(OPTIKS_KEYS, "left");
        ASSERT_EQ(left, seen.value(OPTIKS_KEYS, "right"));
        ASSERT_EQ(left, std::to_string(seen.epoch()));
        ++num_read;
      }
    });
  }
  for (std::uint64_t epoch = 2; epoch <= 60; ++epoch) {
    std::vector<Update> updates = {{OPTIKS_KEYS, "left", std::to_string(epoch)},
                                   {OPTIKS_KEYS, "right", std::to_string(epoch)}};
    for (std::uint64_t i = 0; i < 30; ++i) {
      updates.push_back({OPTIKS_KEYS, key_name(epoch * 30 + i), "other"});
    }
    static_cast<void>(put(linked.get(), stored.get(), epoch, updates));
  }
  is_over = true;
}

}  // namespace
}  // namespace optiks::ozks::test
