// Tests what answers show of erased values, from old and new views and after restarts. Also tests readers that run
// during an erasure.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "directory_support.h"
#include "leaves/leaf_log.h"

namespace optiks::ozks::test {
namespace {

struct KeyLeaf {
  std::array<std::uint8_t, 32> label{};
  std::uint64_t epoch = 0;
};

std::int32_t leaf_of(const optiks_dir_t* dir, std::uint8_t structure, const std::string& key, std::uint64_t version,
                     KeyLeaf& out) {
  return optiks_dir_leaves(dir, structure, reinterpret_cast<const std::uint8_t*>(key.data()), key.size(), version, 1,
                           out.label.data(), &out.epoch);
}

std::int32_t erase(optiks_dir_t* dir, const std::string& key, std::uint64_t version) {
  KeyLeaf leaf;
  EXPECT_EQ(leaf_of(dir, kKeys, key, version, leaf), OPTIKS_OK) << last_error();
  return optiks_dir_erase(dir, 1, &kKeys, leaf.label.data(), nullptr);
}

// Returns what an answer to the owner shows of each version: the value, or "-" if it shows only the commitment.
std::vector<std::string> history(const Seen& seen, const std::string& key) {
  // The buffer has room for any answer, so that one call is enough. Between two calls a value might be erased, and the
  // answer would change.
  Bytes answer(std::size_t{5} << 20);
  std::size_t len = 0;
  EXPECT_EQ(write_versions(seen.view(), kKeys, reinterpret_cast<const std::uint8_t*>(key.data()), key.size(), 1,
                           1U << 20, SIZE_MAX, answer.data(), answer.size(), &len),
            OPTIKS_OK)
      << last_error();
  answer.resize(len);
  std::vector<verify::VersionEntry> entries;
  verify::VersionsResult result;
  EXPECT_EQ(seen.check(kKeys, key, {}, answer, entries, result), verify::Reason::kValid);
  std::vector<std::string> values;
  for (const verify::VersionEntry& entry : entries) {
    values.push_back(entry.has_value ? text_of(entry.value) : "-");
  }
  return values;
}

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

using Strings = std::vector<std::string>;

// The tests run in linked mode and in stored mode.
class Erase : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    std::filesystem::remove_all(nodes_);
    dir_ = create(options());
    publish_next({{kKeys, "alice", "a first value"}, {kKeys, "bob", "b first value"}, {kUsernames, "u", "x"}});
    publish_next({{kKeys, "alice", "a second value"}});
    publish_next({{kKeys, "alice", "a third value"}, {kKeys, "bob", "b second value"}});
  }

  [[nodiscard]] optiks_dir_options_t options() const {
    optiks_dir_options_t options = options_with(log_.c_str());
    if (GetParam()) {
      options.node_store_path = nodes_.c_str();
      options.node_cache_bytes = 1 << 20;
    }
    return options;
  }

  // Publishes an epoch without proofs, because stored mode does not make proofs.
  void publish_next(const std::vector<Update>& updates) {
    std::uint64_t epoch = 0;
    static_cast<void>(states_of(dir_.get(), &epoch));
    commit(stage(dir_.get(), prepare(dir_.get(), epoch + 1, updates), false));
  }

  std::string log_ = scratch_file("erase-log");
  std::string nodes_ = scratch_file("erase-nodes");
  DirectoryHandle dir_;
};

TEST_P(Erase, ShowsOtherVersionsAndTheCommitmentOfTheErasedOne) {
  const Seen before(dir_.get());
  EXPECT_EQ(history(before, "alice"), (Strings{"a first value", "a second value", "a third value"}));
  ASSERT_NE(contents(log_).find("a second value"), std::string::npos);
  ASSERT_EQ(erase(dir_.get(), "alice", 2), OPTIKS_OK) << last_error();
  // A view that was taken before the erasure no longer shows the value.
  EXPECT_EQ(history(before, "alice"), (Strings{"a first value", "-", "a third value"}));
  EXPECT_EQ(history(Seen(dir_.get()), "alice"), (Strings{"a first value", "-", "a third value"}));
  EXPECT_EQ(history(before, "bob"), (Strings{"b first value", "b second value"}));
  EXPECT_EQ(before.value(kKeys, "alice"), "a third value");
  EXPECT_EQ(contents(log_).find("a second value"), std::string::npos);
  EXPECT_NE(contents(log_).find("a first value"), std::string::npos);
  // A second erasure of the same value changes nothing.
  const std::string log = contents(log_);
  EXPECT_EQ(erase(dir_.get(), "alice", 2), OPTIKS_OK);
  EXPECT_EQ(contents(log_), log);
  // After erasures, the leaf log still takes new records.
  publish_next({{kKeys, "alice", "a fourth value"}});
  EXPECT_EQ(history(Seen(dir_.get()), "alice"), (Strings{"a first value", "-", "a third value", "a fourth value"}));
  EXPECT_EQ(Seen(dir_.get()).value(kKeys, "alice"), "a fourth value");
}

TEST_P(Erase, OfTheLatestValueLeavesNoLookup) {
  ASSERT_EQ(erase(dir_.get(), "bob", 2), OPTIKS_OK);
  const Seen seen(dir_.get());
  Blob keys;
  keys.add("bob");
  const std::uint64_t none = 0;
  std::size_t len = 0;
  std::uint64_t end = 0;
  const auto lookup = [&] {
    return write_lookups(seen.view(), kKeys, 1, keys.octets.data(), keys.offsets.data(), &none, &none, nullptr, 0, &len,
                         &end);
  };
  EXPECT_EQ(lookup(), OPTIKS_E_ERASED);
  EXPECT_EQ(
      write_versions(seen.view(), kKeys, keys.octets.data(), keys.octets.size(), 1, 10, 1 << 20, nullptr, 0, &len),
      OPTIKS_E_ERASED);
  keys = {};
  keys.add("alice");
  EXPECT_EQ(lookup(), OPTIKS_E_BUFFER);
  // Lookups of other keys still have answers.
  EXPECT_EQ(seen.value(kKeys, "alice"), "a third value");
}

TEST_P(Erase, RefusesWhatIsNotThereWhole) {
  std::array<std::uint8_t, 64> labels{};
  KeyLeaf leaf;
  ASSERT_EQ(leaf_of(dir_.get(), kKeys, "alice", 1, leaf), OPTIKS_OK);
  EXPECT_EQ(leaf.epoch, 1U);
  std::ranges::copy(leaf.label, labels.begin());
  const std::array<std::uint8_t, 2> structures = {kKeys, kKeys};
  EXPECT_EQ(optiks_dir_erase(dir_.get(), 2, structures.data(), labels.data(), nullptr), OPTIKS_E_DATA);
  EXPECT_EQ(history(Seen(dir_.get()), "alice")[0], "a first value");
  EXPECT_EQ(optiks_dir_erase(dir_.get(), 1, &kUsernames, leaf.label.data(), nullptr), OPTIKS_E_DATA);
  const std::uint8_t no_structure = 5;
  EXPECT_EQ(optiks_dir_erase(dir_.get(), 1, &no_structure, leaf.label.data(), nullptr), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(leaf_of(dir_.get(), kKeys, "alice", 4, leaf), OPTIKS_E_DATA);
  EXPECT_EQ(leaf_of(dir_.get(), kKeys, "carol", 1, leaf), OPTIKS_E_DATA);
  EXPECT_EQ(leaf_of(dir_.get(), kUsernames, "u", 0, leaf), OPTIKS_OK);
  EXPECT_EQ(optiks_dir_erase(dir_.get(), 0, nullptr, nullptr, nullptr), OPTIKS_OK);
  EXPECT_EQ(erase(dir_.get(), "alice", 1), OPTIKS_OK);
  EXPECT_EQ(history(Seen(dir_.get()), "alice")[0], "-");
}

TEST_P(Erase, StaysErasedWhileAnEpochIsStagedAndWhenItIsDiscarded) {
  const StoredEpoch next = prepare(dir_.get(), 4, {{kKeys, "alice", "a fourth value"}});
  {
    const StagedHandle staged = stage(dir_.get(), next, false);
    ASSERT_EQ(erase(dir_.get(), "alice", 1), OPTIKS_OK) << last_error();
  }
  EXPECT_EQ(history(Seen(dir_.get()), "alice"), (Strings{"-", "a second value", "a third value"}));
  StagedHandle staged = stage(dir_.get(), next, false);
  ASSERT_EQ(erase(dir_.get(), "bob", 1), OPTIKS_OK);
  commit(std::move(staged));
  EXPECT_EQ(history(Seen(dir_.get()), "bob"), (Strings{"-", "b second value"}));
  EXPECT_EQ(history(Seen(dir_.get()), "alice"), (Strings{"-", "a second value", "a third value", "a fourth value"}));
}

INSTANTIATE_TEST_SUITE_P(Modes, Erase, testing::Bool(),
                         [](const auto& mode) { return mode.param ? "Stored" : "Linked"; });

TEST(EraseSnapshot, AnOlderSnapshotHasTheErasedLog) {
  const std::string log = scratch_file("snapshot-log");
  const std::string snapshot = scratch_file("snapshot");
  DirectoryHandle dir = create(options_with(log.c_str()));
  publish(dir.get(), 1, {{kKeys, "alice", "a first value"}});
  publish(dir.get(), 2, {{kKeys, "alice", "a second value"}});
  ASSERT_EQ(optiks_view_save(Seen(dir.get()).view(), snapshot.c_str()), OPTIKS_OK) << last_error();
  publish(dir.get(), 3, {{kKeys, "bob", "b first value"}});
  ASSERT_EQ(erase(dir.get(), "alice", 1), OPTIKS_OK);
  dir.reset();
  const optiks_dir_options_t options = options_with(log.c_str());
  optiks_dir_t* restored = nullptr;
  ASSERT_EQ(optiks_dir_restore(&options, snapshot.c_str(), &restored), OPTIKS_OK) << last_error();
  dir.reset(restored);
  EXPECT_EQ(optiks_dir_check(dir.get()), OPTIKS_OK) << last_error();
  EXPECT_EQ(history(Seen(dir.get()), "alice"), (Strings{"-", "a second value"}));
}

TEST(EraseLog, WhatACrashLeftHalfErasedIsErasedAgain) {
  const std::string path = scratch_file("half-log");
  LeafLog log(path.c_str());
  const Bytes opening(kOpeningLen, 7);
  const Bytes value(100, 9);
  const std::uint64_t at = log.append({}, opening, value);
  const std::uint64_t next = log.append({}, opening, value);
  log.erase({&at, 1});
  const std::uint64_t size = log.size();
  {
    // Writes the value back, as if a crash had let only the record's new header reach the disk.
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(next - value.size()));
    file.write(reinterpret_cast<const char*>(value.data()), static_cast<std::streamsize>(value.size()));
  }
  LeafRecord record;
  log.read(at, record);
  EXPECT_FALSE(record.has_value());
  ASSERT_NE(contents(path).find(std::string(80, '\x09'), static_cast<std::size_t>(at)), std::string::npos);
  log.erase({&at, 1});
  EXPECT_EQ(contents(path).find(std::string(80, '\x09')), static_cast<std::size_t>(size - value.size()));
  log.read(next, record);
  EXPECT_TRUE(record.has_value());
  EXPECT_EQ(log.size(), size);
}

// Tests that readers get the whole value or, after the erasure, only the commitment. They must never get a part of a
// value or an error.
TEST(EraseThreads, ReadersBesideAnErasureSeeAllOrNothing) {
  const std::string path = scratch_file("threads-log");
  const DirectoryHandle dir = create(options_with(path.c_str()));
  constexpr std::uint64_t kVersions = 64;
  const std::string value(60000, 'v');
  for (std::uint64_t version = 1; version <= kVersions; ++version) {
    publish(dir.get(), version, {{kKeys, "alice", value}});
  }
  const Seen seen(dir.get());
  static_cast<void>(seen.versions(kKeys, "alice", 1));
  std::atomic<bool> done{false};
  std::atomic<int> answers{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 2; ++i) {
    readers.emplace_back([&] {
      std::size_t erased = 0;
      while (!done.load() || erased != kVersions - 1) {
        const Strings values = history(seen, "alice");
        ASSERT_EQ(values.size(), kVersions);
        const auto now = static_cast<std::size_t>(std::ranges::count(values, "-"));
        ASSERT_GE(now, erased);
        ASSERT_EQ(std::ranges::count(values, value), static_cast<std::ptrdiff_t>(kVersions - now));
        erased = now;
        ++answers;
      }
    });
  }
  for (std::uint64_t version = 1; version < kVersions; ++version) {
    ASSERT_EQ(erase(dir.get(), "alice", version), OPTIKS_OK);
  }
  done = true;
  for (std::thread& reader : readers) {
    reader.join();
  }
  EXPECT_GE(answers.load(), 2);
}

}  // namespace
}  // namespace optiks::ozks::test
