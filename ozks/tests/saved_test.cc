// Tests snapshots on disk. A restored directory must give the same octets as the saved directory, and a file that is
// not a whole snapshot must be refused.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <thread>

#include "saved_support.h"

namespace optiks::ozks::test {
namespace {

void save(const Seen& seen, const std::string& path) {
  ASSERT_EQ(optiks_view_save(seen.view(), path.c_str()), OPTIKS_OK) << last_error();
}

void expect_same(const Seen& a, const Seen& b) {
  EXPECT_EQ(a.epoch(), b.epoch());
  EXPECT_EQ(a.states(), b.states());
  for (std::uint64_t i = 0; i < 16; ++i) {
    for (const std::uint8_t structure : {kDevices, kKeys}) {
      EXPECT_EQ(a.lookup(structure, key_name(i)), b.lookup(structure, key_name(i)));
      EXPECT_EQ(a.versions(structure, key_name(i), 1), b.versions(structure, key_name(i), 1));
      EXPECT_EQ(a.versions(structure, key_name(i), 2), b.versions(structure, key_name(i), 2));
    }
  }
}

TEST(Saved, GivesTheSameAnswersAndGoesOnInTheSameWay) {
  const std::string log = scratch_file("log");
  const std::string file = scratch_file("snapshot");
  const DirectoryHandle dir = create(options_with(log.c_str()));
  Random random(71);
  for (std::uint64_t epoch = 0; epoch <= 30; ++epoch) {
    if (epoch != 0) {
      publish(dir.get(), epoch, random_updates(random, epoch));
    }
    const Seen seen(dir.get());
    save(seen, file);
    DirectoryHandle restored;
    ASSERT_EQ(restore(file, log, restored), OPTIKS_OK) << last_error();
    expect_same(Seen(restored.get()), seen);
    const StoredEpoch next = prepare(dir.get(), epoch + 1, random_updates(random, epoch + 1));
    auto here = stage(dir.get(), next);
    auto there = stage(restored.get(), next);
    EXPECT_EQ(staged_proofs(here.get()), staged_proofs(there.get()));
    here.reset();
    commit(std::move(there));
    EXPECT_EQ(Seen(restored.get()).epoch(), epoch + 1);
  }
  EXPECT_FALSE(std::filesystem::exists(file + ".new"));
}

TEST(Saved, ALoadGoesOnFromIt) {
  const std::string log = scratch_file("log");
  const std::string file = scratch_file("snapshot");
  const DirectoryHandle dir = create(options_with(log.c_str()));
  Random random(72);
  publish(dir.get(), 1, random_updates(random, 1));
  save(Seen(dir.get()), file);
  DirectoryHandle restored;
  ASSERT_EQ(restore(file, log, restored), OPTIKS_OK) << last_error();
  for (std::uint64_t epoch = 2; epoch <= 12; ++epoch) {
    const StoredEpoch next = publish(dir.get(), epoch, random_updates(random, epoch));
    ASSERT_EQ(optiks_dir_load(restored.get(), epoch, next.rows.data(), next.rows.size(), next.values.data(),
                              next.values.size()),
              OPTIKS_OK)
        << last_error();
  }
  expect_same(Seen(restored.get()), Seen(dir.get()));
}

// Commits epochs after the snapshot's epoch was pinned and before the snapshot is written. Keys get newer versions, and
// new keys are added.
TEST(Saved, IsOfTheEpochThatWasPinned) {
  const std::string log = scratch_file("log");
  const std::string file = scratch_file("snapshot");
  const DirectoryHandle dir = create(options_with(log.c_str()));
  Random random(73);
  std::vector<StoredEpoch> later;
  for (std::uint64_t epoch = 1; epoch <= 8; ++epoch) {
    publish(dir.get(), epoch, random_updates(random, epoch));
  }
  const Seen pinned(dir.get());
  for (std::uint64_t epoch = 9; epoch <= 30; ++epoch) {
    later.push_back(publish(dir.get(), epoch, random_updates(random, epoch)));
  }
  save(pinned, file);
  DirectoryHandle restored;
  ASSERT_EQ(restore(file, log, restored), OPTIKS_OK) << last_error();
  expect_same(Seen(restored.get()), pinned);
  // The restore has cut off the log's records of later epochs.
  EXPECT_LT(std::filesystem::file_size(log + "-copy"), std::filesystem::file_size(log));
  for (const StoredEpoch& epoch : later) {
    commit(stage(restored.get(), epoch));
  }
  expect_same(Seen(restored.get()), Seen(dir.get()));
}

TEST(Saved, BesideRunningEpochs) {
  const std::string log = scratch_file("log");
  const DirectoryHandle dir = create(options_with(log.c_str()));
  Random random(74);
  std::uint64_t epoch = 0;
  const auto next = [&] {
    ++epoch;
    publish(dir.get(), epoch, random_updates(random, epoch));
  };
  for (int i = 0; i < 20; ++i) {
    next();
  }
  for (int i = 0; i < 20; ++i) {
    const std::string file = scratch_file("snapshot");
    const Seen pinned(dir.get());
    std::int32_t status = OPTIKS_OK;
    std::thread saver([&] { status = optiks_view_save(pinned.view(), file.c_str()); });
    next();
    next();
    saver.join();
    ASSERT_EQ(status, OPTIKS_OK);
    DirectoryHandle restored;
    ASSERT_EQ(restore(file, log, restored), OPTIKS_OK) << last_error();
    expect_same(Seen(restored.get()), pinned);
  }
}

// Tests changes to a snapshot's file that has one block (docs/operations/snapshots.md section 1).
class SavedFile : public testing::Test {
 protected:
  void SetUp() override {
    dir_ = create(options_with(log_.c_str()));
    publish(dir_.get(), 1, {{kDevices, "d", "0"}, {kKeys, "a", "1"}, {kKeys, "b", "2"}, {kKeys, "c", "3"}});
    const Seen pinned(dir_.get());
    publish(dir_.get(), 2, {{kKeys, "a", "4"}});
    save(pinned, file_);
    octets_ = read_file(file_);
    ASSERT_EQ(base::load_be32(octets_.data()) + 16, octets_.size());
    ASSERT_EQ(status_of(octets_), OPTIKS_OK);
  }

  std::int32_t status_of(const Bytes& octets, const std::function<void(optiks_dir_options_t&)>& change = {}) {
    write_file(file_, octets);
    DirectoryHandle restored;
    return restore(file_, log_, restored, change);
  }

  // Returns the status of restoring a changed payload whose checksum is correct.
  std::int32_t status_of_payload(const std::function<void(Bytes&)>& change) {
    Bytes payload = payload_of(octets_);
    change(payload);
    return status_of(one_block(payload));
  }

  static constexpr std::size_t kLeafLen = saved::kLeafLen;
  static constexpr std::size_t kInteriorLen = saved::kInteriorLen;
  // The offset of the tree of the structure `keys`, which comes after the tree of `devices`.
  static constexpr std::size_t kTree = saved::kTrees + kLeafLen;

  std::string log_ = scratch_file("log");
  std::string file_ = scratch_file("snapshot");
  DirectoryHandle dir_;
  Bytes octets_;
};

TEST_F(SavedFile, EachOctetCounts) {
  for (std::size_t i = 0; i < octets_.size(); ++i) {
    Bytes damaged = octets_;
    damaged[i] ^= 0x10;
    ASSERT_EQ(status_of(damaged), OPTIKS_E_DATA) << i;
  }
  for (std::size_t len = 0; len < octets_.size(); ++len) {
    ASSERT_EQ(status_of(Bytes(octets_.begin(), octets_.begin() + static_cast<std::ptrdiff_t>(len))), OPTIKS_E_DATA)
        << len;
  }
  Bytes longer = octets_;
  longer.push_back(0);
  EXPECT_EQ(status_of(longer), OPTIKS_E_DATA);
  EXPECT_EQ(status_of(octets_), OPTIKS_OK);
  std::filesystem::remove(file_);
  DirectoryHandle restored;
  EXPECT_EQ(restore(file_, log_, restored), OPTIKS_E_IO);
}

TEST_F(SavedFile, IsOfOneFormatOnePeriodAndOneSetOfSecrets) {
  EXPECT_EQ(status_of_payload([](Bytes&) {}), OPTIKS_OK);
  EXPECT_EQ(status_of_payload([](Bytes& payload) { payload[saved::kFormat] = 2; }), OPTIKS_E_DATA);
  EXPECT_NE(last_error().find("version"), std::string::npos);
  EXPECT_EQ(status_of_payload([](Bytes& payload) { payload[saved::kFormat] = 0; }), OPTIKS_E_DATA);
  EXPECT_EQ(status_of(octets_, [](optiks_dir_options_t& options) { options.period = 1; }), OPTIKS_E_DATA);
  EXPECT_NE(last_error().find("period"), std::string::npos);
  EXPECT_EQ(status_of(octets_, [](optiks_dir_options_t& options) { options.period_first_epoch = 1; }), OPTIKS_E_DATA);
  for (const std::uint32_t kept : {OPTIKS_VALUES_NONE, OPTIKS_VALUES_DEVICES}) {
    EXPECT_EQ(status_of(octets_, [kept](optiks_dir_options_t& options) { options.kept_values = kept; }), OPTIKS_E_DATA);
    EXPECT_NE(last_error().find("values"), std::string::npos);
  }
  for (std::size_t s = 0; s < OPTIKS_NUM_STRUCTURES; ++s) {
    EXPECT_EQ(status_of(octets_, [&](optiks_dir_options_t& options) { options.vrf_secret[s][0] ^= 0x40; }),
              OPTIKS_E_DATA);
    EXPECT_NE(last_error().find("secrets"), std::string::npos);
  }
  for (std::size_t s = 0; s < OPTIKS_NUM_STRUCTURES; ++s) {
    EXPECT_EQ(status_of(octets_, [&](optiks_dir_options_t& options) { options.tag_key[s][31] = 1; }), OPTIKS_E_DATA);
    EXPECT_NE(last_error().find("secrets"), std::string::npos);
  }
  EXPECT_EQ(status_of(octets_, [](optiks_dir_options_t& options) { options.leaf_log_path = nullptr; }),
            OPTIKS_E_ARGUMENT);
  EXPECT_EQ(status_of(octets_), OPTIKS_OK);
}

TEST_F(SavedFile, HoldsNoSecret) {
  const optiks_dir_options_t options = options_with(nullptr);
  const auto holds = [&](ByteSpan what) { return !std::ranges::search(octets_, what).empty(); };
  for (const auto& secret : options.vrf_secret) {
    EXPECT_FALSE(holds(secret));
  }
  for (const auto& key : options.tag_key) {
    EXPECT_FALSE(holds(key));
  }
  EXPECT_TRUE(holds(std::span(Seen(dir_.get()).states()).subspan(2 * OPTIKS_STRUCTURE_STATE_LEN + 40, 32)));
}

TEST_F(SavedFile, ContradictionsAreRefused) {
  using Change = std::function<void(Bytes&)>;
  constexpr std::ptrdiff_t kMovedLen{saved::kMovedLen};
  // The tree has three leaves below two interior nodes. The root's flags tell which of its children is the other
  // interior node.
  const bool is_left_heavy = (octets_[8 + kTree] & 1) == 0;
  const std::size_t second_interior = kTree + kInteriorLen + (is_left_heavy ? 0 : kLeafLen);
  const std::size_t last_leaf = kTree + 2 * kInteriorLen + 2 * kLeafLen;
  const std::vector<std::pair<const char*, Change>> changes = {
      {"more leaves than there are", [](Bytes& p) { ++p[saved::count_of(kKeys)]; }},
      {"fewer", [](Bytes& p) { --p[saved::count_of(kKeys)]; }},
      {"no devices", [](Bytes& p) { --p[saved::count_of(kDevices)]; }},
      {"a flag that is none", [](Bytes& p) { p[kTree] |= 4; }},
      {"other flags", [](Bytes& p) { p[kTree] ^= 3; }},
      {"a longer root", [](Bytes& p) { ++p[kTree + 1]; }},
      {"a node no longer than its parent", [&](Bytes& p) { p[second_interior + 1] = p[kTree + 1]; }},
      {"a longer node", [&](Bytes& p) { ++p[second_interior + 1]; }},
      {"labels out of order",
       [&](Bytes& p) {
         std::swap_ranges(p.begin() + static_cast<std::ptrdiff_t>(last_leaf),
                          p.begin() + static_cast<std::ptrdiff_t>(last_leaf + 32),
                          p.begin() + static_cast<std::ptrdiff_t>(last_leaf - kLeafLen));
       }},
      {"an offset beyond the log", [&](Bytes& p) { p[last_leaf + saved::kLogOffset] = 1; }},
      {"the number of no leaf",
       [&](Bytes& p) {
         // Finds the first key in the table; segments before it may be empty.
         for (std::size_t at = last_leaf + kLeafLen;; at += saved::kKeyLen) {
           if (base::load_be32(p.data() + at + 4) != 0xffffffff) {
             base::store_be32(p.data() + at + 4, 4);
             return;
           }
         }
       }},
      {"a key that has another one's leaf",
       [&](Bytes& p) {
         // Inserts the element of the first key a second time.
         for (std::size_t at = last_leaf + kLeafLen;; at += saved::kKeyLen) {
           if (base::load_be32(p.data() + at + 4) != 0xffffffff) {
             const Bytes element(p.begin() + static_cast<std::ptrdiff_t>(at),
                                 p.begin() + static_cast<std::ptrdiff_t>(at + saved::kKeyLen));
             p.insert(p.begin() + static_cast<std::ptrdiff_t>(at), element.begin(), element.end());
             return;
           }
         }
       }},
      {"a moved key twice",
       [](Bytes& p) {
         const Bytes element(p.end() - 2 * kMovedLen, p.end() - kMovedLen);
         p.insert(p.end() - kMovedLen, element.begin(), element.end());
       }},
      {"more moved keys than leaves",
       [](Bytes& p) {
         const Bytes element(p.end() - 2 * kMovedLen, p.end() - kMovedLen);
         for (int i = 0; i < 5; ++i) {
           p.insert(p.end() - kMovedLen, element.begin(), element.end());
           ++p[p.size() - saved::kMovedLen - 1];
         }
       }},
      {"a moved key of no segment", [](Bytes& p) { p[p.size() - 2 * saved::kMovedLen] = 64; }},
      {"a moved key without its leaf", [](Bytes& p) { p[p.size() - saved::kMovedLen - 1] ^= 1; }},
      {"no end", [](Bytes& p) { p.resize(p.size() - saved::kMovedLen); }},
      {"more behind the end", [](Bytes& p) { p.push_back(0); }},
  };
  for (const auto& [what, change] : changes) {
    EXPECT_EQ(status_of_payload(change), OPTIKS_E_DATA) << what;
  }
  EXPECT_EQ(status_of_payload([](Bytes&) {}), OPTIKS_OK);
}

// Tests a snapshot in which somebody chose the bits of the tags so that all keys collide. If the restore did not check
// for this, filling such a table would take minutes, and so would each search in it.
TEST(Saved, KeysThatLieTooCloseTogetherAreRefused) {
  const std::string log = scratch_file("log");
  const std::string file = scratch_file("snapshot");
  const DirectoryHandle dir = create(options_with(log.c_str()));
  constexpr std::size_t kNumKeys = 400;
  std::vector<Update> updates;
  for (std::uint64_t i = 0; i < kNumKeys; ++i) {
    updates.push_back({kKeys, key_name(i), "v"});
  }
  publish(dir.get(), 1, updates);
  save(Seen(dir.get()), file);
  const Bytes octets = read_file(file);
  const Bytes payload = payload_of(octets);
  // The key table is at the end of the file: 64 segments with elements of 8 octets, and no moved keys. The test puts
  // all keys into one segment.
  const std::size_t table = payload.size() - saved::kMovedLen - (kNumKeys + 64) * saved::kKeyLen;
  const auto status_with = [&](const auto& bits_of) {
    Bytes changed = payload;
    std::vector<std::uint32_t> leaves;
    for (std::size_t at = table; at < payload.size() - saved::kMovedLen; at += saved::kKeyLen) {
      const std::uint32_t leaf = base::load_be32(payload.data() + at + 4);
      if (leaf != 0xffffffff) {
        base::store_be32(changed.data() + table + leaves.size() * saved::kKeyLen,
                         bits_of(base::load_be32(payload.data() + at), leaf));
        base::store_be32(changed.data() + table + leaves.size() * saved::kKeyLen + 4, leaf);
        leaves.push_back(leaf);
      }
    }
    EXPECT_EQ(leaves.size(), kNumKeys);
    for (std::size_t segment = 0; segment < 64; ++segment) {
      base::store_be32(changed.data() + table + (kNumKeys + segment) * saved::kKeyLen + 4, 0xffffffff);
    }
    write_file(file, one_block(changed));
    DirectoryHandle restored;
    return restore(file, log, restored);
  };
  using Bits = std::uint32_t;
  EXPECT_EQ(status_with([](Bits bits, std::uint32_t) { return bits; }), OPTIKS_OK) << last_error();
  EXPECT_EQ(status_with([](Bits, std::uint32_t) { return Bits{1}; }), OPTIKS_E_DATA);
  // The keys have different bits, but all these bits have the same home slot.
  EXPECT_EQ(status_with([](Bits, std::uint32_t leaf) { return Bits{leaf}; }), OPTIKS_E_DATA);
}

// Tests files with random contents and correct checksums. The result must be a status and never a crash. (The
// sanitizers detect other errors.)
TEST_F(SavedFile, AnyOctets) {
  Random random(75);
  std::map<std::int32_t, int> seen;
  for (int i = 0; i < 1000; ++i) {
    ++seen[status_of_payload([&](Bytes& payload) {
      for (std::uint64_t n = 1 + random.below(3); n > 0; --n) {
        payload[saved::kTrees + random.below(payload.size() - saved::kTrees)] =
            static_cast<std::uint8_t>(random.below(256));
      }
    })];
  }
  EXPECT_GT(seen[OPTIKS_E_DATA], 100);
}

TEST_F(SavedFile, NeedsTheLogOfThen) {
  const auto status_with = [&](const std::function<void(const std::string&)>& change) {
    const std::string log = log_ + "-changed";
    std::filesystem::copy_file(log_, log, std::filesystem::copy_options::overwrite_existing);
    change(log);
    optiks_dir_options_t options = options_with(log.c_str());
    optiks_dir_t* dir = nullptr;
    const std::int32_t status = optiks_dir_restore(&options, file_.c_str(), &dir);
    optiks_dir_destroy(dir);
    return status;
  };
  EXPECT_EQ(status_with([](const std::string&) {}), OPTIKS_OK);
  EXPECT_EQ(status_with([](const std::string& log) { std::filesystem::remove(log); }), OPTIKS_E_IO);
  EXPECT_EQ(status_with([](const std::string& log) { std::filesystem::resize_file(log, 200); }), OPTIKS_E_IO);
  EXPECT_EQ(status_with([](const std::string& log) { std::filesystem::resize_file(log, 0); }), OPTIKS_E_IO);
  // The file at this path is now the log of another directory, with another identity.
  EXPECT_EQ(status_with([](const std::string& log) {
              const DirectoryHandle other = create(options_with(log.c_str()));
              publish(other.get(), 1, {{kKeys, "a", std::string(5000, 'x')}});
            }),
            OPTIKS_E_IO);
  // The restore does not read records, so damage in a record is found only when the record is read.
  const std::string log = log_ + "-damaged";
  Bytes octets = read_file(log_);
  for (std::size_t i = 24; i < octets.size(); ++i) {
    octets[i] ^= 1;
  }
  write_file(log, octets);
  optiks_dir_options_t options = options_with(log.c_str());
  optiks_dir_t* dir = nullptr;
  ASSERT_EQ(optiks_dir_restore(&options, file_.c_str(), &dir), OPTIKS_OK);
  const DirectoryHandle damaged(dir);
  const std::uint64_t offsets[] = {0, 1};
  std::uint64_t version = 0;
  EXPECT_EQ(optiks_dir_versions(dir, 1, &kKeys, reinterpret_cast<const std::uint8_t*>("b"), offsets, &version),
            OPTIKS_E_IO);
}

TEST(Saved, WhatCannotBeSaved) {
  const DirectoryHandle unnamed = create(options_with(nullptr));
  const std::string file = scratch_file("snapshot");
  EXPECT_EQ(optiks_view_save(Seen(unnamed.get()).view(), file.c_str()), OPTIKS_E_STATE);
  EXPECT_FALSE(std::filesystem::exists(file));
  const std::string log = scratch_file("log");
  const DirectoryHandle dir = create(options_with(log.c_str()));
  publish(dir.get(), 1, {{kKeys, "a", "1"}});
  EXPECT_EQ(optiks_view_save(Seen(dir.get()).view(), "/nowhere/at/all"), OPTIKS_E_IO);
  EXPECT_EQ(optiks_view_save(nullptr, file.c_str()), OPTIKS_E_ARGUMENT);
  EXPECT_EQ(optiks_view_save(Seen(dir.get()).view(), nullptr), OPTIKS_E_ARGUMENT);
  // The path is a folder, so the save fails, and must remove the file that it wrote.
  std::filesystem::create_directories(file + "/x");
  EXPECT_EQ(optiks_view_save(Seen(dir.get()).view(), file.c_str()), OPTIKS_E_IO);
  EXPECT_FALSE(std::filesystem::exists(file + ".new"));
}

// Tests that a process that is killed while it saves a snapshot leaves the previous or the new snapshot, with its log.
TEST(Saved, OutlivesKills) {
  const std::string log = scratch_file("log");
  const std::string file = scratch_file("snapshot");
  Random random(76);
  {
    const DirectoryHandle dir = create(options_with(log.c_str()));
    publish(dir.get(), 1, random_updates(random, 1));
    save(Seen(dir.get()), file);
  }
  std::uint64_t last = 1;
  // On a busy machine a child may be killed before its first epoch. So there are more rounds, each longer, until the
  // children have made epochs.
  for (std::uint64_t round = 0; round < 20 || last <= 20; ++round) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      optiks_dir_options_t options = options_with(log.c_str());
      optiks_dir_t* dir = nullptr;
      if (optiks_dir_restore(&options, file.c_str(), &dir) != OPTIKS_OK) {
        _exit(1);
      }
      for (std::uint64_t epoch = last + 1;; ++epoch) {
        publish(dir, epoch, random_updates(random, epoch));
        if (optiks_view_save(Seen(dir).view(), file.c_str()) != OPTIKS_OK) {
          _exit(2);
        }
      }
    }
    usleep(static_cast<useconds_t>(20'000 + random.below(60'000) * (1 + round / 20)));
    kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << WEXITSTATUS(status);
    DirectoryHandle restored;
    ASSERT_EQ(restore(file, log, restored), OPTIKS_OK) << last_error();
    const Seen seen(restored.get());
    EXPECT_GE(seen.epoch(), last);
    last = seen.epoch();
    for (std::uint64_t i = 0; i < 15; ++i) {
      EXPECT_FALSE(seen.value(kKeys, key_name(i)).starts_with('#'));
    }
  }
}

}  // namespace
}  // namespace optiks::ozks::test
