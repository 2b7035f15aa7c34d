// Tests restoring a snapshot of a directory in linked mode to a directory in stored mode. Both must give the same
// octets for all questions. The restore must find a change of any octet in the snapshot or its leaf log.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "saved_support.h"
#include "stored/lmdb_store.h"
#include "stored/stored_trees.h"

namespace optiks::ozks::test {
namespace {

class RestoreStored : public testing::Test {
 protected:
  RestoreStored() { std::filesystem::remove_all(nodes_); }
  ~RestoreStored() override { std::filesystem::remove_all(nodes_); }

  void change(optiks_dir_options_t& options) const {
    options.node_store_path = nodes_.c_str();
    options.node_cache_bytes = 1U << 20;
    options.threads = threads_;
  }
  // Restores the snapshot to a new node store, with a copy of the leaf log.
  [[nodiscard]] std::int32_t restore_to(DirectoryHandle& out) {
    out.reset();
    std::filesystem::remove_all(nodes_);
    return restore(file_, log_, out, [&](optiks_dir_options_t& options) { change(options); });
  }
  // Opens the node store again, as a new process would.
  [[nodiscard]] std::int32_t open(DirectoryHandle& out) const {
    const std::string copy = log_ + "-copy";
    optiks_dir_options_t options = options_with(copy.c_str());
    change(options);
    optiks_dir_t* dir = nullptr;
    const std::int32_t status = optiks_dir_create(&options, &dir);
    out.reset(dir);
    return status;
  }
  [[nodiscard]] std::int32_t status_of(const Bytes& file, const Bytes& log) {
    write_file(file_, file);
    write_file(log_, log);
    DirectoryHandle dir;
    return restore_to(dir);
  }
  void save(const Seen& seen) const { ASSERT_EQ(optiks_view_save(seen.view(), file_.c_str()), OPTIKS_OK); }

  std::string log_ = scratch_file("log");
  std::string file_ = scratch_file("snapshot");
  std::string nodes_ = scratch_file("nodes");
  std::uint32_t threads_ = 1;
};

void expect_same(const Seen& linked, const Seen& stored, std::uint64_t num_keys) {
  EXPECT_EQ(linked.epoch(), stored.epoch());
  EXPECT_EQ(linked.states(), stored.states());
  for (const std::uint8_t structure : {OPTIKS_DEVICES, OPTIKS_KEYS}) {
    for (std::uint64_t i = 0; i < num_keys; ++i) {
      EXPECT_EQ(linked.lookup(structure, key_name(i)), stored.lookup(structure, key_name(i)));
      EXPECT_EQ(linked.versions(structure, key_name(i), 1), stored.versions(structure, key_name(i), 1));
    }
  }
}

TEST_F(RestoreStored, AnswersAsTheSavedDirectoryAndGoesOn) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    Random random(seed);
    const DirectoryHandle linked = create(options_with(log_.c_str()));
    DirectoryHandle stored;
    for (std::uint64_t epoch = 1; epoch <= 10; ++epoch) {
      publish(linked.get(), epoch, random_updates(random, epoch));
    }
    {
      const Seen pinned(linked.get());
      // When the snapshot is saved, some keys have leaves that are newer than the snapshot's epoch.
      publish(linked.get(), 11, random_updates(random, 11));
      save(pinned);
      ASSERT_EQ(restore_to(stored), OPTIKS_OK) << last_error();
      expect_same(pinned, Seen(stored.get()), 16);
    }
    // The directory is destroyed and opened again from the disk, where it continues.
    stored.reset();
    ASSERT_EQ(open(stored), OPTIKS_OK) << last_error();
    save(Seen(linked.get()));
    ASSERT_EQ(restore_to(stored), OPTIKS_OK) << last_error();
    for (std::uint64_t epoch = 12; epoch <= 20; ++epoch) {
      commit(stage(stored.get(), publish(linked.get(), epoch, random_updates(random, epoch)), false));
      expect_same(Seen(linked.get()), Seen(stored.get()), 16);
    }
  }
}

TEST_F(RestoreStored, HasTheListsOfASnapshotWithoutOtherValues) {
  optiks_dir_options_t lists = options_with(log_.c_str());
  lists.kept_values = OPTIKS_VALUES_DEVICES;
  const DirectoryHandle saved = create(lists);
  publish(saved.get(), 1, {{OPTIKS_DEVICES, "u", "1"}, {OPTIKS_KEYS, "d", "1"}});
  publish(saved.get(), 2, {{OPTIKS_DEVICES, "u", "2"}, {OPTIKS_DEVICES, "v", "1"}});
  save(Seen(saved.get()));
  for (const bool is_stored : {false, true}) {
    DirectoryHandle restored;
    ASSERT_EQ(restore(file_, log_, restored,
                      [&](optiks_dir_options_t& options) {
                        options.kept_values = OPTIKS_VALUES_DEVICES;
                        if (is_stored) {
                          std::filesystem::remove_all(nodes_);
                          change(options);
                        }
                      }),
              OPTIKS_OK)
        << last_error();
    EXPECT_EQ(newest_values(restored.get(), OPTIKS_DEVICES, {"u", "v"}), (std::vector<std::string>{"2", "1"}));
    EXPECT_EQ(states_of(restored.get()), states_of(saved.get()));
  }
}

TEST_F(RestoreStored, TakesAnEmptyOneAndOneOfASingleLeaf) {
  const DirectoryHandle linked = create(options_with(log_.c_str()));
  DirectoryHandle stored;
  for (std::uint64_t epoch = 1; epoch <= 3; ++epoch) {
    publish(linked.get(), epoch,
            epoch == 1 ? std::vector<Update>() : std::vector<Update>{{OPTIKS_KEYS, key_name(0), numbered("", epoch)}});
    save(Seen(linked.get()));
    ASSERT_EQ(restore_to(stored), OPTIKS_OK) << last_error();
    expect_same(Seen(linked.get()), Seen(stored.get()), 2);
  }
}

// Even a short snapshot can refer to one long record from all its leaves. Without a limit, the restore would then read
// many times the log's length.
TEST_F(RestoreStored, RefusesRecordsThatLeavesShareBeforeTheyAreReadAllOver) {
  const DirectoryHandle linked = create(options_with(log_.c_str()));
  const std::string value(5000, 'x');
  publish(linked.get(), 1,
          {{OPTIKS_KEYS, "a", value}, {OPTIKS_USERNAMES, "b", "1"}, {OPTIKS_DECOMMISSIONED, "c", "2"}});
  save(Seen(linked.get()));
  const Bytes file = read_file(file_);
  const Bytes log = read_file(log_);
  Bytes payload = payload_of(file);
  // The snapshot has three trees with one leaf each: usernames, keys and decommissioned. The last six octets of a leaf
  // are its record's log offset.
  const auto offset_of = [&](std::size_t leaf) {
    return payload.begin() + static_cast<std::ptrdiff_t>(saved::kTrees + leaf * saved::kLeafLen + saved::kLogOffset);
  };
  std::copy_n(offset_of(1), saved::kLogOffsetLen, offset_of(0));
  std::copy_n(offset_of(1), saved::kLogOffsetLen, offset_of(2));
  EXPECT_EQ(status_of(one_block(payload), log), OPTIKS_E_DATA);
  EXPECT_NE(last_error().find("share records"), std::string::npos) << last_error();
  EXPECT_EQ(status_of(file, log), OPTIKS_OK) << last_error();
}

// Tests a snapshot with more leaves than are read or added to a tree at once. One thread restores it, then several.
TEST_F(RestoreStored, TakesManyLeaves) {
  constexpr std::uint64_t kNumKeys = 20000;
  const DirectoryHandle linked = create(options_with(log_.c_str()));
  std::vector<Update> updates;
  for (std::uint64_t i = 0; i < kNumKeys; ++i) {
    updates.push_back({i % 8 == 0 ? std::uint8_t{OPTIKS_DEVICES} : std::uint8_t{OPTIKS_KEYS}, key_name(i), "value"});
  }
  publish(linked.get(), 1, updates);
  updates.resize(1000);
  publish(linked.get(), 2, updates);
  save(Seen(linked.get()));
  const Bytes log = read_file(log_);
  for (threads_ = 1; threads_ <= 4; threads_ += 3) {
    DirectoryHandle stored;
    ASSERT_EQ(restore_to(stored), OPTIKS_OK) << last_error();
    expect_same(Seen(linked.get()), Seen(stored.get()), 40);
    updates = {{OPTIKS_KEYS, "a new one", ""}};
    commit(stage(stored.get(), prepare(linked.get(), 3, updates), false));
    EXPECT_EQ(Seen(stored.get()).value(OPTIKS_KEYS, "a new one"), "");
  }
  Random random(5);
  for (int i = 0; i < 10; ++i) {
    Bytes damaged = log;
    damaged[24 + random.below(log.size() - 24)] ^= 0x80;
    EXPECT_EQ(status_of(read_file(file_), damaged), OPTIKS_E_IO);
  }
}

TEST_F(RestoreStored, EachOctetCounts) {
  {
    const DirectoryHandle dir = create(options_with(log_.c_str()));
    publish(dir.get(), 1, {{OPTIKS_DEVICES, "d", "0"}, {OPTIKS_USERNAMES, "u", "1"}, {OPTIKS_KEYS, "a", "2"}});
    publish(dir.get(), 2, {{OPTIKS_KEYS, "a", "3"}, {OPTIKS_KEYS, "b", std::string(200, 'x')}});
    save(Seen(dir.get()));
  }
  const Bytes file = read_file(file_);
  const Bytes log = read_file(log_);
  for (std::size_t i = 0; i < log.size(); i += kOctetStep) {
    Bytes damaged = log;
    damaged[i] ^= 0x10;
    ASSERT_EQ(status_of(file, damaged), OPTIKS_E_IO) << i;
  }
  for (std::size_t i = 0; i < file.size(); i += kOctetStep) {
    Bytes damaged = file;
    damaged[i] ^= 0x10;
    ASSERT_EQ(status_of(damaged, log), OPTIKS_E_DATA) << i;
  }
  // The loop changes each octet before the key table, and corrects the checksums. The restore must accept changes only
  // in two places: the child hashes, which it recomputes, and the epoch, which the caller compares with the signed
  // record.
  using saved::kEpoch;
  using saved::kInteriorLen;
  using saved::kLeafLen;
  constexpr std::size_t kTable = saved::kTrees + 5 * kLeafLen + 2 * kInteriorLen;
  const Bytes payload = payload_of(file);
  // The first and the second tree have one leaf each. The third has two interior nodes and three leaves. Whether its
  // second node is a leaf or an interior node depends on the leaves' labels.
  const std::size_t top = saved::kTrees + 2 * kLeafLen;
  const std::size_t below = top + kInteriorLen + ((payload[top] & 1U) != 0 ? kLeafLen : 0);
  for (std::size_t i = 0; i < kTable; i += kOctetStep) {
    const bool is_free = (i >= kEpoch && i < kEpoch + 8) || (i >= top + 2 && i < top + kInteriorLen) ||
                         (i >= below + 2 && i < below + kInteriorLen);
    Bytes changed = payload;
    changed[i] ^= 0x01;
    ASSERT_EQ(status_of(one_block(changed), log) == OPTIKS_OK, is_free) << i;
  }
  EXPECT_EQ(status_of(file, log), OPTIKS_OK) << last_error();
}

// Tests snapshots whose leaves refer to valid records of other leaves.
TEST_F(RestoreStored, RefusesLeavesWithTheRecordsOfOthers) {
  {
    const DirectoryHandle dir = create(options_with(log_.c_str()));
    publish(dir.get(), 1, {{OPTIKS_KEYS, "a", "1"}});
    publish(dir.get(), 2, {{OPTIKS_KEYS, "a", "2"}});
    save(Seen(dir.get()));
  }
  const Bytes log = read_file(log_);
  const Bytes file = read_file(file_);
  Bytes payload = payload_of(file);
  // The tree has one interior node and its two leaves.
  const auto offset_of = [&](std::size_t leaf) {
    constexpr std::size_t kFirst = saved::kTrees + saved::kInteriorLen + saved::kLogOffset;
    return payload.begin() + static_cast<std::ptrdiff_t>(kFirst + leaf * saved::kLeafLen);
  };
  std::swap_ranges(offset_of(0), offset_of(0) + saved::kLogOffsetLen, offset_of(1));
  EXPECT_EQ(status_of(one_block(payload), log), OPTIKS_E_DATA) << "exchanged";
  std::copy_n(offset_of(0), saved::kLogOffsetLen, offset_of(1));
  EXPECT_EQ(status_of(one_block(payload), log), OPTIKS_E_DATA) << "twice the same";
}

TEST_F(RestoreStored, IsForANewNodeStore) {
  const DirectoryHandle linked = create(options_with(log_.c_str()));
  publish(linked.get(), 1, {{OPTIKS_KEYS, "a", "1"}});
  save(Seen(linked.get()));
  DirectoryHandle stored;
  ASSERT_EQ(restore_to(stored), OPTIKS_OK);
  stored.reset();
  const auto into_it = [&](optiks_dir_options_t& options) { change(options); };
  EXPECT_EQ(restore(file_, log_, stored, into_it), OPTIKS_E_STATE);
  EXPECT_EQ(open(stored), OPTIKS_OK) << "as it was";
  EXPECT_EQ(Seen(stored.get()).value(OPTIKS_KEYS, "a"), "1");
  stored.reset();
  // If a restore did not finish, the store is unusable.
  std::filesystem::remove_all(nodes_);
  {
    StoredTrees trees(std::make_unique<LmdbStore>(nodes_), {}, 0);
    const StoredTrees::Key key{};
    trees.put_keys_ahead({&key, 1});
  }
  EXPECT_EQ(open(stored), OPTIKS_E_IO);
  EXPECT_EQ(restore(file_, log_, stored, into_it), OPTIKS_E_IO);
}

}  // namespace
}  // namespace optiks::ozks::test
