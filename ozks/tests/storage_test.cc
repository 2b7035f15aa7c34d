// Tests the stored rows and the leaf log of a directory: loading, damage and full disks.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "directory_support.h"

namespace optiks::ozks::test {
namespace {

TEST(Storage, LoadingEqualsHavingPublished) {
  const std::string log = scratch_file("log");
  const DirectoryHandle dir = create(options_with(log.c_str()));
  Random random(23);
  std::vector<StoredEpoch> stored;
  for (std::uint64_t epoch = 1; epoch <= 30; ++epoch) {
    const auto updates = random_updates(random, epoch);
    stored.push_back(publish(dir.get(), epoch, updates));
  }
  const Seen published(dir.get());
  for (const std::size_t calls : {1, 2, 7, 30}) {
    const std::string other_log = scratch_file(numbered("loaded-", calls));
    const DirectoryHandle loaded = create(options_with(other_log.c_str()));
    for (std::size_t call = 0; call < calls; ++call) {
      std::vector<optiks_leaf_t> rows;
      Bytes values;
      std::uint64_t last = 0;
      for (std::size_t i = call * 30 / calls; i < (call + 1) * 30 / calls; ++i) {
        for (optiks_leaf_t row : stored[i].rows) {
          row.value_offset += values.size();
          row.structure_and_input &= 0xf0000000;
          rows.push_back(row);
        }
        values.insert(values.end(), stored[i].values.begin(), stored[i].values.end());
        last = stored[i].epoch;
      }
      ASSERT_EQ(optiks_dir_load(loaded.get(), last, rows.data(), rows.size(), values.data(), values.size()), OPTIKS_OK)
          << last_error();
    }
    const Seen seen(loaded.get());
    EXPECT_EQ(seen.epoch(), published.epoch());
    EXPECT_EQ(seen.states(), published.states());
    for (std::uint64_t i = 0; i < 15; ++i) {
      EXPECT_EQ(seen.lookup(kKeys, key_name(i)), published.lookup(kKeys, key_name(i)));
      EXPECT_EQ(seen.versions(kKeys, key_name(i), 1), published.versions(kKeys, key_name(i), 1));
    }
    // The loaded directory must continue in the same way as the original.
    const auto next = prepare(dir.get(), 31, {{kKeys, "key 1", "next"}, {kKeys, "new", "next"}});
    const auto here = stage(dir.get(), next);
    const auto there = stage(loaded.get(), next);
    EXPECT_EQ(staged_proofs(here.get()), staged_proofs(there.get()));
  }
}

// Tests rows that a database might return after damage or tampering.
class StoredData : public testing::Test {
 protected:
  void SetUp() override {
    const std::string log = scratch_file("source");
    const DirectoryHandle source = create(options_with(log.c_str()));
    epochs_.push_back(publish(source.get(), 1, {{kDevices, "d", "0"}, {kKeys, "a", "1"}, {kKeys, "b", "2"}}));
    epochs_.push_back(publish(source.get(), 2, {{kKeys, "a", "3"}, {kKeys, "c", "4"}}));
  }

  struct Statuses {
    std::int32_t load;    // status of loading the rows of both epochs in one call
    std::int32_t bulk;    // status of loading each epoch's rows into a node store, and of ending the load
    std::int32_t staged;  // status of staging the second epoch after the first

    bool operator==(const Statuses&) const = default;
  };

  template <typename Change>
  Statuses statuses(std::size_t changed_epoch, Change change) {
    std::vector<StoredEpoch> epochs = epochs_;
    change(epochs[changed_epoch]);
    std::vector<optiks_leaf_t> rows = epochs[0].rows;
    Bytes values = epochs[0].values;
    for (optiks_leaf_t row : epochs[1].rows) {
      if (row.value_offset < (1U << 20)) {
        row.value_offset += values.size();
      }
      rows.push_back(row);
    }
    values.insert(values.end(), epochs[1].values.begin(), epochs[1].values.end());
    const std::string log = scratch_file("loaded");
    const DirectoryHandle loaded = create(options_with(log.c_str()));
    const std::int32_t load = optiks_dir_load(loaded.get(), 2, rows.data(), rows.size(), values.data(), values.size());

    const std::string staged_log = scratch_file("staged");
    const DirectoryHandle staged = create(options_with(staged_log.c_str()));
    std::int32_t status = OPTIKS_OK;
    for (const StoredEpoch& epoch : epochs) {
      const States before = states_of(staged.get());
      optiks_staged_t* handle = nullptr;
      status = optiks_dir_stage(staged.get(), epoch.epoch, epoch.rows.data(), epoch.rows.size(), epoch.values.data(),
                                epoch.values.size(), 1, &handle);
      if (status != OPTIKS_OK) {
        EXPECT_EQ(handle, nullptr);
        EXPECT_EQ(states_of(staged.get()), before);
        if (epoch.epoch == changed_epoch + 1) {
          // The failure left the directory unchanged, so the true rows are still accepted.
          commit(stage(staged.get(), epochs_[changed_epoch]));
        }
        break;
      }
      commit(StagedHandle(handle));
    }
    return {load, bulk_load(epochs), status};
  }

  static std::int32_t bulk_load(const std::vector<StoredEpoch>& epochs) {
    const std::string log = scratch_file("bulk");
    const std::string nodes = scratch_file("nodes");
    std::filesystem::remove_all(nodes);
    optiks_dir_options_t options = options_with(log.c_str());
    options.node_store_path = nodes.c_str();
    const DirectoryHandle stored = create(options);
    std::int32_t status = OPTIKS_OK;
    for (std::size_t i = 0; status == OPTIKS_OK && i < epochs.size(); ++i) {
      const StoredEpoch& epoch = epochs[i];
      status = optiks_dir_load(stored.get(), epoch.epoch, epoch.rows.data(), epoch.rows.size(), epoch.values.data(),
                               epoch.values.size());
    }
    return status == OPTIKS_OK ? optiks_dir_load_end(stored.get()) : status;
  }

  std::vector<StoredEpoch> epochs_;
  static constexpr Statuses kGood{OPTIKS_OK, OPTIKS_OK, OPTIKS_OK};
  static constexpr Statuses kBad{OPTIKS_E_DATA, OPTIKS_E_DATA, OPTIKS_E_DATA};
  static constexpr Statuses kTwice{OPTIKS_E_DUPLICATE, OPTIKS_E_DUPLICATE, OPTIKS_E_DUPLICATE};
};

TEST_F(StoredData, IsChecked) {
  EXPECT_EQ(statuses(1, [](StoredEpoch&) {}), kGood);
  EXPECT_EQ(statuses(1, [](StoredEpoch& e) { std::swap(e.rows[0], e.rows[1]); }), kBad);
  EXPECT_EQ(statuses(1, [](StoredEpoch& e) { e.rows[1] = e.rows[0]; }), kBad);
  EXPECT_EQ(statuses(0, [](StoredEpoch& e) { std::swap(e.rows[0], e.rows[1]); }), kBad);
  EXPECT_EQ(statuses(1, [](StoredEpoch& e) { e.rows[0].version += 1; }), kBad);
  EXPECT_EQ(statuses(1, [](StoredEpoch& e) { e.rows[0].version = 0; }), kBad);
  EXPECT_EQ(statuses(1, [](StoredEpoch& e) { e.rows[0].version = UINT64_MAX; }), kBad);
  EXPECT_EQ(statuses(1,
                     [](StoredEpoch& e) {
                       e.rows[0].tag[0] ^= 1;
                       e.rows[0].version = 2;
                     }),
            kBad);
  EXPECT_EQ(statuses(1, [](StoredEpoch& e) { e.rows[0].epoch = 7; }), kBad);
  EXPECT_EQ(statuses(1, [](StoredEpoch& e) { e.rows[1].epoch = 1; }), kBad);
  EXPECT_EQ(statuses(1, [](StoredEpoch& e) { e.rows[0].structure_and_input = 0; }), kBad);
  EXPECT_EQ(statuses(1, [](StoredEpoch& e) { e.rows[1].structure_and_input = 5U << 28; }), kBad);
  EXPECT_EQ(statuses(1, [](StoredEpoch& e) { e.rows[1].structure_and_input = 15U << 28; }), kBad);
  EXPECT_EQ(statuses(1, [](StoredEpoch& e) { e.rows[0].value_len += 1; }), kBad);
  EXPECT_EQ(statuses(1, [](StoredEpoch& e) { e.rows[0].value_len = UINT32_MAX; }), kBad);
  EXPECT_EQ(statuses(1, [](StoredEpoch& e) { e.rows[0].value_offset = UINT64_MAX - 1; }), kBad);
  EXPECT_EQ(statuses(1, [](StoredEpoch& e) { e.rows[0].opening[0] ^= 1; }), kBad);
  EXPECT_EQ(statuses(1, [](StoredEpoch& e) { e.rows[0].commitment[0] ^= 1; }), kBad);
  EXPECT_EQ(statuses(1, [](StoredEpoch& e) { e.values[0] ^= 1; }), kBad);
}

TEST_F(StoredData, LabelsAndKeysComeOnce) {
  const auto label = epochs_[0].rows[1].label;
  EXPECT_EQ(statuses(1,
                     [&](StoredEpoch& e) {
                       e.rows.resize(1);
                       e.rows[0].structure_and_input = 3U << 28;
                       std::copy_n(label, 32, e.rows[0].label);
                     }),
            kTwice);
  // Two rows of the epoch have the same key and version.
  EXPECT_EQ(statuses(1,
                     [](StoredEpoch& e) {
                       const optiks_leaf_t& next = e.rows[0].version == 2 ? e.rows[0] : e.rows[1];
                       for (optiks_leaf_t& row : e.rows) {
                         std::copy_n(next.tag, 16, row.tag);
                         row.version = 2;
                       }
                     }),
            kTwice);
}

// Tests rows with random octets. The result must be a status and never a crash. (The sanitizers detect other errors.)
TEST_F(StoredData, AnyOctets) {
  Random random(24);
  std::map<std::int32_t, int> seen;
  for (int i = 0; i < 400; ++i) {
    const Statuses found = statuses(random.below(2), [&](StoredEpoch& e) {
      auto* octets = reinterpret_cast<std::uint8_t*>(e.rows.data());
      for (std::uint64_t n = 1 + random.below(3); n > 0; --n) {
        octets[random.below(e.rows.size() * sizeof(optiks_leaf_t))] = static_cast<std::uint8_t>(random.below(256));
      }
    });
    ++seen[found.load];
    ++seen[found.staged];
    EXPECT_TRUE(found.load == OPTIKS_OK || found.bulk != OPTIKS_OK);
  }
  EXPECT_GT(seen[OPTIKS_E_DATA], 100);
}

TEST(Storage, ErasedValues) {
  const std::string log = scratch_file("log");
  const DirectoryHandle source = create(options_with(log.c_str()));
  std::vector<optiks_leaf_t> rows;
  Bytes values;
  for (std::uint64_t epoch = 1; epoch <= 3; ++epoch) {
    const StoredEpoch stored = publish(source.get(), epoch, {{kKeys, "a", numbered("v", epoch)}});
    rows.push_back(stored.rows[0]);
    rows.back().value_offset += values.size();
    values.insert(values.end(), stored.values.begin(), stored.values.end());
  }
  const auto load = [&](std::size_t erased, const std::string& file) {
    std::vector<optiks_leaf_t> stored = rows;
    stored[erased].value_offset = UINT64_MAX;
    std::fill_n(stored[erased].opening, 16, 0);
    DirectoryHandle loaded = create(options_with(file.c_str()));
    EXPECT_EQ(optiks_dir_load(loaded.get(), 3, stored.data(), stored.size(), values.data(), values.size()), OPTIKS_OK);
    return loaded;
  };
  const DirectoryHandle superseded = load(1, scratch_file("superseded"));
  const Seen seen(superseded.get());
  EXPECT_EQ(seen.value(kKeys, "a"), "v3");
  std::vector<verify::VersionEntry> entries;
  verify::VersionsResult listed;
  ASSERT_EQ(seen.check(kKeys, "a", {}, seen.versions(kKeys, "a", 1), entries, listed), verify::Reason::kValid);
  EXPECT_TRUE(entries[0].has_value);
  EXPECT_FALSE(entries[1].has_value);
  EXPECT_TRUE(entries[2].has_value);
  // If the latest value is erased, which should never happen, a lookup of the key has no answer.
  const DirectoryHandle latest = load(2, scratch_file("latest"));
  const Seen broken(latest.get());
  const std::uint64_t offsets[] = {0, 1};
  const std::uint64_t none = 0;
  std::uint64_t end = 0;
  std::size_t len = 0;
  Bytes out(10'000);
  EXPECT_EQ(write_lookups(broken.view(), kKeys, 1, reinterpret_cast<const std::uint8_t*>("a"), offsets, &none, &none,
                          out.data(), out.size(), &len, &end),
            OPTIKS_E_ERASED);
}

TEST(Storage, DamagedLeafLog) {
  const std::string log = scratch_file("log");
  const DirectoryHandle dir = create(options_with(log.c_str()));
  publish(dir.get(), 1, {{kKeys, "a", std::string(5000, 'a')}, {kKeys, "b", "short"}});
  const Seen seen(dir.get());
  ASSERT_EQ(seen.value(kKeys, "a"), std::string(5000, 'a'));
  ASSERT_EQ(seen.value(kKeys, "b"), "short");
  const auto lookup = [&](const char* key) {
    const std::uint64_t offsets[] = {0, 1};
    const std::uint64_t none = 0;
    std::uint64_t end = 0;
    std::size_t len = 0;
    Bytes out(20'000);
    return write_lookups(seen.view(), kKeys, 1, reinterpret_cast<const std::uint8_t*>(key), offsets, &none, &none,
                         out.data(), out.size(), &len, &end);
  };
  std::fstream file(log, std::ios::in | std::ios::out | std::ios::binary);
  const auto size = std::filesystem::file_size(log);
  Bytes content(size);
  file.read(reinterpret_cast<char*>(content.data()), static_cast<std::streamsize>(size));
  // Each octet belongs to the record of one of the two keys. If the octet is damaged, the lookup of this key must fail.
  // The other key's lookup may fail too, if its absence proof opens this leaf and the damage is not in the value.
  std::size_t num_for_one = 0;
  constexpr std::size_t kFileHeaderLen = 24;
  for (std::size_t at = kFileHeaderLen; at < size; at += at < 128 || at + 64 > size ? 1 : 61) {
    const auto put = [&](std::uint8_t octet) {
      file.seekp(static_cast<std::streamoff>(at));
      file.put(static_cast<char>(octet));
      file.flush();
    };
    put(content[at] ^ 0x81);
    const std::int32_t a = lookup("a");
    EXPECT_EQ(last_error().empty(), a == OPTIKS_OK);
    const std::int32_t b = lookup("b");
    EXPECT_EQ(last_error().empty(), b == OPTIKS_OK);
    ASSERT_EQ(std::min(a, b), OPTIKS_E_IO) << at;
    ASSERT_TRUE(std::max(a, b) == OPTIKS_OK || std::max(a, b) == OPTIKS_E_IO) << at;
    num_for_one += std::max(a, b) == OPTIKS_OK ? 1 : 0;
    put(content[at]);
  }
  EXPECT_GT(num_for_one, 80U);
  EXPECT_EQ(lookup("a"), OPTIKS_OK);
  EXPECT_EQ(lookup("b"), OPTIKS_OK);
}

TEST(Storage, FullDiskKeepsTheOldEpoch) {
  // Writing to /dev/full always fails, as on a full disk.
  const DirectoryHandle dir = create(options_with("/dev/full"));
  const States before = states_of(dir.get());
  const StoredEpoch next = prepare(dir.get(), 1, {{kKeys, "a", "1"}});
  // Staging fails, so the caller learns of the full disk before it stores the epoch in the database.
  optiks_staged_t* staged = nullptr;
  EXPECT_EQ(optiks_dir_stage(dir.get(), next.epoch, next.rows.data(), next.rows.size(), next.values.data(),
                             next.values.size(), 0, &staged),
            OPTIKS_E_IO);
  EXPECT_NE(last_error().find("No space"), std::string::npos) << last_error();
  EXPECT_EQ(staged, nullptr);
  EXPECT_EQ(states_of(dir.get()), before);
  // An epoch without leaves writes nothing to the disk, so it succeeds.
  publish(dir.get(), 1, {});
  optiks_dir_options_t options = options_with("/nowhere/at/all");
  optiks_dir_t* none = nullptr;
  EXPECT_EQ(optiks_dir_create(&options, &none), OPTIKS_E_IO);
  EXPECT_EQ(none, nullptr);
}

}  // namespace
}  // namespace optiks::ozks::test
