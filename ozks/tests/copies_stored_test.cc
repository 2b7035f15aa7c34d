// Tests the switch to the next period in stored mode. A directory in stored mode and a directory in linked mode get the
// same copies, and must then give the same octets for all questions.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "copies_support.h"
#include "saved_support.h"
#include "stored/external_sort.h"

namespace optiks::ozks::test {
namespace {

class CopiesStored : public testing::Test {
 protected:
  CopiesStored() { std::filesystem::remove_all(nodes_); }
  ~CopiesStored() override { std::filesystem::remove_all(nodes_); }

  [[nodiscard]] optiks_dir_options_t options(std::uint64_t first_epoch = 0) const {
    optiks_dir_options_t options = next_options(log_.c_str());
    options.node_store_path = nodes_.c_str();
    options.node_cache_bytes = 1U << 20;
    options.period_first_epoch = first_epoch;
    return options;
  }
  [[nodiscard]] DirectoryHandle make() const {
    std::filesystem::remove_all(nodes_);
    return create(options());
  }
  // Opens the node store again, as a new process would.
  [[nodiscard]] std::int32_t open(std::uint64_t first_epoch, DirectoryHandle& out) const {
    const optiks_dir_options_t used = options(first_epoch);
    optiks_dir_t* dir = nullptr;
    const std::int32_t status = optiks_dir_create(&used, &dir);
    out.reset(dir);
    return status;
  }
  [[nodiscard]] bool log_holds(const std::string& text) const {
    const Bytes octets = read_file(log_);
    return !std::ranges::search(octets, text).empty();
  }

  std::string log_ = scratch_file("log");
  std::string nodes_ = scratch_file("nodes");
};

void expect_as_linked(const Seen& linked, const Seen& stored) {
  EXPECT_EQ(linked.epoch(), stored.epoch());
  EXPECT_EQ(linked.states(), stored.states());
  for (const std::uint8_t structure : {OPTIKS_DEVICES, OPTIKS_KEYS}) {
    for (std::uint64_t i = 0; i < 16; ++i) {
      EXPECT_EQ(linked.lookup(structure, key_name(i)), stored.lookup(structure, key_name(i)));
      EXPECT_EQ(linked.versions(structure, key_name(i), 1), stored.versions(structure, key_name(i), 1));
    }
  }
}

TEST_F(CopiesStored, ThePeriodIsThatOfLinkedMode) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    Random random(seed);
    const DirectoryHandle current = create(options_with(nullptr));
    const DirectoryHandle linked = create(next_options(nullptr));
    DirectoryHandle stored = make();
    std::map<std::pair<std::uint8_t, std::string>, std::uint64_t> versions;
    std::uint64_t epoch = 0;
    // The stored directory gets the names of the first epochs in one load. Then names and copies come in turn, as they
    // do while a period is being prepared.
    for (; epoch < 20; ++epoch) {
      std::vector<Update> updates = random_updates(random, epoch + 1);
      if (epoch % 2 == 0) {
        updates.push_back({kUsernames, numbered("name ", epoch), "user"});
      }
      const StoredEpoch names = without_periods(publish(current.get(), epoch + 1, updates));
      for (optiks_dir_t* const dir : {linked.get(), stored.get()}) {
        ASSERT_EQ(load(dir, names), OPTIKS_OK) << last_error();
      }
      if (epoch < 8) {
        continue;
      }
      if (epoch == 8) {
        ASSERT_EQ(optiks_dir_load_end(stored.get()), OPTIKS_OK) << last_error();
      }
      std::vector<Copy> copies;
      for (std::uint64_t i = 0; i < 16; ++i) {
        for (const std::uint8_t structure : {kDevices, kKeys}) {
          if (random.below(3) == 0) {
            const bool is_removal = random.below(4) == 0;
            const std::uint64_t version = is_removal ? 0 : ++versions[{structure, key_name(i)}];
            copies.push_back({structure, key_name(i), version, is_removal ? "" : numbered("value ", version)});
          }
        }
      }
      const StoredEpoch rows = prepare_copies(linked.get(), copies);
      for (optiks_dir_t* const dir : {linked.get(), stored.get()}) {
        ASSERT_EQ(load_copies(dir, rows), OPTIKS_OK) << last_error();
        if (epoch == 19) {
          ASSERT_EQ(optiks_dir_load_end(dir), OPTIKS_OK) << last_error();
        }
      }
      // The last epoch's load_end() put all copies into the trees, so more copies are refused.
      EXPECT_EQ(load_copies(stored.get(), {}), epoch == 19 ? OPTIKS_E_STATE : OPTIKS_OK);
    }
    EXPECT_EQ(states_of(stored.get()), states_of(linked.get()));
    const std::uint64_t first = epoch + 1;
    const StoredEpoch names = prepare(current.get(), first, {{kUsernames, "at the switch", "user"}});
    {
      // A first epoch that is discarded leaves the copies in the trees.
      const StagedHandle discarded = start_period(stored.get(), names, false);
    }
    EXPECT_EQ(states_of(stored.get()), states_of(linked.get()));
    commit(start_period(linked.get(), names));
    commit(start_period(stored.get(), names, false));
    expect_as_linked(Seen(linked.get()), Seen(stored.get()));
    for (const bool is_restarted : {false, true}) {
      if (is_restarted) {
        stored.reset();
        ASSERT_EQ(open(first, stored), OPTIKS_OK) << last_error();
        expect_as_linked(Seen(linked.get()), Seen(stored.get()));
      }
      for (int i = 0; i < 5; ++i) {
        ++epoch;
        commit(stage(stored.get(), publish(linked.get(), epoch + 1, random_updates(random, epoch + 1)), false));
        expect_as_linked(Seen(linked.get()), Seen(stored.get()));
      }
    }
    const std::string file = scratch_file("snapshot");
    ASSERT_EQ(optiks_view_save(Seen(stored.get()).view(), file.c_str()), OPTIKS_OK) << last_error();
    DirectoryHandle restored;
    ASSERT_EQ(restore(file, log_, restored,
                      [&](optiks_dir_options_t& used) {
                        const char* const copy = used.leaf_log_path;
                        used = next_options(copy);
                        used.period_first_epoch = first;
                      }),
              OPTIKS_OK)
        << last_error();
    EXPECT_EQ(optiks_dir_check(restored.get()), OPTIKS_OK) << last_error();
    expect_as_linked(Seen(linked.get()), Seen(restored.get()));
  }
}

TEST_F(CopiesStored, TheLastRowOfAKeyCountsHoweverItComes) {
  const DirectoryHandle maker = create(next_options(nullptr));
  Random random(43);
  std::vector<optiks_leaf_t> rows;
  Bytes values;
  for (int call = 0; call < 30; ++call) {
    std::map<std::string, Copy> copies;
    for (int i = 0; i < 12; ++i) {
      const std::string key = key_name(random.below(25));
      const bool is_removal = random.below(4) == 0;
      copies[key] = {kKeys, key, is_removal ? 0U : 1 + random.below(9), is_removal ? "" : numbered("value ", i)};
    }
    std::vector<Copy> listed;
    for (const auto& [key, of_key] : copies) {
      listed.push_back(of_key);
    }
    const StoredEpoch made = prepare_copies(maker.get(), listed);
    for (optiks_leaf_t row : made.rows) {
      row.value_offset += row.version == 0 ? 0 : values.size();
      rows.push_back(row);
    }
    values.insert(values.end(), made.values.begin(), made.values.end());
  }
  const DirectoryHandle linked = create(next_options(nullptr));
  ASSERT_EQ(load_copies(linked.get(), {0, rows, values}), OPTIKS_OK) << last_error();
  commit(start_period(linked.get(), {1, {}, {}}));
  for (const std::size_t calls : {std::size_t{1}, std::size_t{7}, rows.size()}) {
    const DirectoryHandle stored = make();
    for (std::size_t i = 0; i < calls; ++i) {
      const std::size_t begin = i * rows.size() / calls;
      const std::size_t end = (i + 1) * rows.size() / calls;
      ASSERT_EQ(optiks_dir_load_copies(stored.get(), rows.data() + begin, end - begin, values.data(), values.size()),
                OPTIKS_OK)
          << last_error();
    }
    // The start of the period ends the loading.
    commit(start_period(stored.get(), {1, {}, {}}, false));
    for (std::uint64_t i = 0; i < 25; ++i) {
      EXPECT_EQ(Seen(linked.get()).lookup(kKeys, key_name(i)), Seen(stored.get()).lookup(kKeys, key_name(i)));
    }
  }
}

// A log may begin to prepare its second period when it has no names yet.
TEST_F(CopiesStored, TheFirstNamesMayComeAfterCopies) {
  const DirectoryHandle current = create(options_with(nullptr));
  const DirectoryHandle linked = create(next_options(nullptr));
  const DirectoryHandle stored = make();
  const StoredEpoch copies = prepare_copies(linked.get(), {{kKeys, "a", 1, "one"}});
  const StoredEpoch more = prepare_copies(linked.get(), {{kKeys, "b", 1, "two"}});
  const StoredEpoch names = without_periods(publish(current.get(), 1, {{kUsernames, "u", "a"}}));
  for (optiks_dir_t* const dir : {linked.get(), stored.get()}) {
    ASSERT_EQ(load_copies(dir, copies), OPTIKS_OK) << last_error();
    ASSERT_EQ(load(dir, names), OPTIKS_OK) << last_error();
    std::uint64_t epoch = 0;
    static_cast<void>(states_of(dir, &epoch));
    EXPECT_EQ(epoch, 1U);
    ASSERT_EQ(load_copies(dir, more), OPTIKS_OK) << last_error();
    commit(start_period(dir, {2, {}, {}}, false));
  }
  expect_as_linked(Seen(linked.get()), Seen(stored.get()));
}

TEST_F(CopiesStored, RowsThatContradictEachOtherAreRefused) {
  const DirectoryHandle maker = create(next_options(nullptr));
  const StoredEpoch first = prepare_copies(maker.get(), {{kKeys, "a", 1, "one"}});
  const StoredEpoch second = prepare_copies(maker.get(), {{kKeys, "b", 1, "two"}});
  const StoredEpoch removal = prepare_copies(maker.get(), {{kKeys, "b", 0, ""}});
  const auto status_with = [&](const StoredEpoch& rows, const auto& change) {
    const DirectoryHandle stored = make();
    EXPECT_EQ(load_copies(stored.get(), first), OPTIKS_OK);
    StoredEpoch changed = rows;
    change(changed.rows[0]);
    EXPECT_EQ(load_copies(stored.get(), changed), OPTIKS_OK) << last_error();
    return optiks_dir_load_end(stored.get());
  };
  const auto copy_label = [&](optiks_leaf_t& row) { std::ranges::copy(first.rows[0].label, row.label); };
  const auto copy_tag = [&](optiks_leaf_t& row) { std::ranges::copy(first.rows[0].tag, row.tag); };
  EXPECT_EQ(status_with(second, [](optiks_leaf_t&) {}), OPTIKS_OK);
  EXPECT_EQ(status_with(removal, [](optiks_leaf_t&) {}), OPTIKS_OK);
  EXPECT_EQ(status_with(second, copy_label), OPTIKS_E_DATA) << "a label of two keys";
  EXPECT_EQ(status_with(removal, copy_label), OPTIKS_E_DATA) << "the removal of a key with another key's label";
  EXPECT_EQ(status_with(second, copy_tag), OPTIKS_E_DATA) << "two labels of a key";
  EXPECT_EQ(status_with(second,
                        [&](optiks_leaf_t& row) {
                          copy_tag(row);
                          copy_label(row);
                          row.structure_and_input = std::uint32_t{kDevices} << 28;
                        }),
            OPTIKS_E_DATA)
      << "two structures of a key";
  const DirectoryHandle current = create(options_with(nullptr));
  const StoredEpoch names = without_periods(publish(current.get(), 1, {{kUsernames, "u", "a"}}));
  for (const bool are_names_first : {false, true}) {
    const DirectoryHandle named = make();
    if (are_names_first) {
      ASSERT_EQ(load(named.get(), names), OPTIKS_OK) << last_error();
      ASSERT_EQ(optiks_dir_load_end(named.get()), OPTIKS_OK) << last_error();
    }
    StoredEpoch changed = first;
    std::ranges::copy(names.rows[0].tag, changed.rows[0].tag);
    ASSERT_EQ(load_copies(named.get(), changed), OPTIKS_OK) << last_error();
    if (!are_names_first) {
      ASSERT_EQ(load(named.get(), names), OPTIKS_OK) << last_error();
    }
    EXPECT_EQ(optiks_dir_load_end(named.get()), OPTIKS_E_DATA) << "the tag of a username";
  }
  // Rows that are malformed, or contradict each other within a call, are refused as in linked mode.
  const DirectoryHandle stored = make();
  StoredEpoch bad = first;
  bad.rows.push_back(second.rows[0]);
  copy_tag(bad.rows[1]);
  EXPECT_EQ(load_copies(stored.get(), bad), OPTIKS_E_DATA);
  bad = first;
  bad.values[0] ^= 1;
  EXPECT_EQ(load_copies(stored.get(), bad), OPTIKS_E_DATA);
  EXPECT_EQ(load_copies(stored.get(), second), OPTIKS_OK);
  ASSERT_EQ(optiks_dir_load_end(stored.get()), OPTIKS_OK) << last_error();
  commit(start_period(stored.get(), {1, {}, {}}, false));
  EXPECT_EQ(Seen(stored.get()).value(kKeys, "b"), "two");
  EXPECT_EQ(Seen(stored.get()).value(kKeys, "a"), "");
}

TEST_F(CopiesStored, ValuesThatAreSupersededOrErasedAreGoneFromTheLog) {
  const DirectoryHandle dir = make();
  copy(dir.get(), {{kKeys, "a", 1, "first of a"}, {kKeys, "b", 1, "only of b"}, {kKeys, "c", 1, "only of c"}});
  const StoredEpoch next = prepare_copies(dir.get(), {{kKeys, "a", 2, "second of a"}, {kKeys, "b", 0, ""}});
  ASSERT_EQ(load_copies(dir.get(), next), OPTIKS_OK);
  const std::uint8_t structure = kKeys;
  const auto copied = std::ranges::find_if(next.rows, [](const optiks_leaf_t& row) { return row.version == 2; });
  const std::uint8_t no_label[32] = {1};
  ASSERT_EQ(optiks_dir_erase(dir.get(), 1, &structure, copied->label, no_label), OPTIKS_OK) << last_error();
  ASSERT_EQ(optiks_dir_erase(dir.get(), 1, &structure, no_label, copied->commitment), OPTIKS_OK) << last_error();
  EXPECT_TRUE(log_holds("second of a"));
  // An erasure does not wait until the copies are in the trees.
  ASSERT_EQ(optiks_dir_erase(dir.get(), 1, &structure, copied->label, copied->commitment), OPTIKS_OK) << last_error();
  EXPECT_FALSE(log_holds("second of a"));
  EXPECT_TRUE(log_holds("first of a") && log_holds("only of b") && log_holds("only of c"));
  copy(dir.get(), {{kKeys, "a", 3, "third of a"}});
  ASSERT_EQ(optiks_dir_load_end(dir.get()), OPTIKS_OK) << last_error();
  EXPECT_FALSE(log_holds("first of a") || log_holds("second of a") || log_holds("only of b"));
  EXPECT_TRUE(log_holds("third of a") && log_holds("only of c"));
  commit(start_period(dir.get(), {1, {}, {}}, false));
  EXPECT_EQ(Seen(dir.get()).value(kKeys, "a"), "third of a");
  EXPECT_EQ(Seen(dir.get()).value(kKeys, "b"), "");
  EXPECT_EQ(Seen(dir.get()).value(kKeys, "c"), "only of c");
}

TEST_F(CopiesStored, AStoreWhosePeriodHasNotBegunIsNotOpenedAgain) {
  const DirectoryHandle current = create(options_with(nullptr));
  const StoredEpoch names = without_periods(publish(current.get(), 1, {{kUsernames, "u", "a"}}));
  DirectoryHandle dir = make();
  DirectoryHandle again;
  const auto expect_unusable = [&] {
    dir.reset();
    EXPECT_EQ(open(0, again), OPTIKS_E_IO);
    EXPECT_EQ(open(2, again), OPTIKS_E_IO);
    dir = make();
    ASSERT_EQ(load(dir.get(), names), OPTIKS_OK);
    ASSERT_EQ(optiks_dir_load_end(dir.get()), OPTIKS_OK) << last_error();
  };
  // The process stops before the store has an epoch.
  dir.reset();
  EXPECT_EQ(open(2, again), OPTIKS_E_IO);
  dir = make();
  ASSERT_EQ(load(dir.get(), names), OPTIKS_OK);
  ASSERT_EQ(optiks_dir_load_end(dir.get()), OPTIKS_OK) << last_error();
  expect_unusable();
  copy(dir.get(), {{kKeys, "a", 1, "one"}});
  expect_unusable();
  copy(dir.get(), {{kKeys, "a", 1, "one"}});
  ASSERT_EQ(optiks_dir_load_end(dir.get()), OPTIKS_OK) << last_error();
  expect_unusable();
  copy(dir.get(), {{kKeys, "a", 1, "one"}});
  // The store is not yet that of the period while its first epoch is only staged.
  static_cast<void>(start_period(dir.get(), {2, {}, {}}, false));
  expect_unusable();
  copy(dir.get(), {{kKeys, "a", 1, "one"}});
  optiks_staged_t* staged = nullptr;
  EXPECT_EQ(optiks_dir_start_period(dir.get(), 2, nullptr, 0, nullptr, 0, 1, &staged), OPTIKS_E_STATE) << "proofs";
  commit(start_period(dir.get(), {2, {}, {}}, false));
  dir.reset();
  EXPECT_EQ(open(0, again), OPTIKS_E_IO);
  EXPECT_EQ(open(3, again), OPTIKS_E_IO);
  ASSERT_EQ(open(2, again), OPTIKS_OK) << last_error();
  EXPECT_EQ(Seen(again.get()).value(kKeys, "a"), "one");
}

StoredEpoch many_copies() {
  const DirectoryHandle maker = create(next_options(nullptr));
  std::vector<Copy> copies;
  for (std::uint64_t i = 0; i < 300; ++i) {
    copies.push_back({kKeys, key_name(i), 1, numbered("value ", i)});
  }
  return prepare_copies(maker.get(), copies);
}

// Begins a period with these copies in a new node store. Returns the status of the first call that fails.
std::int32_t begin_period(const optiks_dir_options_t& options, const StoredEpoch& rows) {
  optiks_dir_t* dir = nullptr;
  std::int32_t status = optiks_dir_create(&options, &dir);
  const DirectoryHandle handle(dir);
  if (status == OPTIKS_OK) {
    status = load_copies(dir, rows);
  }
  optiks_staged_t* staged = nullptr;
  if (status == OPTIKS_OK) {
    status = optiks_dir_start_period(dir, 1, nullptr, 0, nullptr, 0, 0, &staged);
  }
  if (status == OPTIKS_OK) {
    status = optiks_staged_commit(staged);
    if (status != OPTIKS_OK) {
      optiks_staged_destroy(staged);
    }
  }
  return status;
}

// A process may write only a little into each file, as if the disk were full.
TEST_F(CopiesStored, AFullDiskLeavesAnUnusableStore) {
  const StoredEpoch rows = many_copies();
  std::map<std::int32_t, int> seen;
  for (rlim_t limit = 0; limit <= (1U << 20); limit += 1U << 15) {
    std::filesystem::remove_all(nodes_);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const rlimit limits{limit, limit};
      signal(SIGXFSZ, SIG_IGN);
      _exit(setrlimit(RLIMIT_FSIZE, &limits) != 0 ? 1 : -begin_period(options(), rows));
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status)) << WTERMSIG(status);
    const std::int32_t begun = -WEXITSTATUS(status);
    ++seen[begun];
    DirectoryHandle again;
    ASSERT_EQ(open(1, again), begun) << limit << " " << last_error();
    if (begun == OPTIKS_OK) {
      EXPECT_EQ(Seen(again.get()).value(kKeys, key_name(299)), "value 299");
    }
  }
  EXPECT_GT(seen[OPTIKS_OK], 0);
  EXPECT_GT(seen[OPTIKS_E_IO], 0);
  EXPECT_EQ(seen.size(), 2U);
}

// Kills a process while it begins a period. Afterwards the node store is unusable or has the period's first epoch.
TEST_F(CopiesStored, OutlivesKills) {
  const StoredEpoch rows = many_copies();
  Random random(77);
  std::map<std::int32_t, int> seen;
  for (int round = 0; round < 30; ++round) {
    std::filesystem::remove_all(nodes_);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      if (begin_period(options(), rows) != OPTIKS_OK) {
        _exit(1);
      }
      pause();
    }
    usleep(static_cast<useconds_t>(1000 + random.below(60'000)));
    kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << WEXITSTATUS(status);
    DirectoryHandle again;
    const std::int32_t opened = open(1, again);
    if (opened == OPTIKS_OK) {
      std::uint64_t epoch = 0;
      static_cast<void>(states_of(again.get(), &epoch));
      EXPECT_EQ(epoch, 1U);
      EXPECT_EQ(Seen(again.get()).value(kKeys, key_name(299)), "value 299");
    }
    ++seen[opened];
  }
  EXPECT_EQ(seen[OPTIKS_OK] + seen[OPTIKS_E_IO], 30);
}

TEST(ExternalSort, FindsRecordsBeforeItSorts) {
  struct Record {
    std::uint64_t key;
    std::uint64_t place;

    bool operator<(const Record& other) const { return key == other.key ? place < other.place : key < other.key; }
  };
  ExternalSort<Record> sort(testing::TempDir(), 50 * sizeof(Record));
  Random random(8);
  std::map<std::uint64_t, std::vector<std::uint64_t>> expected;
  for (std::uint64_t i = 0; i < 1030; ++i) {
    const std::uint64_t key = 2 * random.below(200);
    sort.add({key, i});
    expected[key].push_back(i);
  }
  for (std::uint64_t key = 0; key < 402; ++key) {
    std::vector<std::uint64_t> found;
    sort.find(
        {key, 0}, [](const Record& a, const Record& b) { return a.key < b.key; },
        [&](const Record& record) {
          EXPECT_EQ(record.key, key);
          found.push_back(record.place);
        });
    std::ranges::sort(found);
    EXPECT_EQ(found, expected[key]) << key;
  }
}

}  // namespace
}  // namespace optiks::ozks::test
