// Tests that optiks_dir_check finds a change of any octet in a snapshot from another machine, or in its leaf log.
#include <gtest/gtest.h>

#include "saved_support.h"

namespace optiks::ozks::test {
namespace {

std::int32_t check(const DirectoryHandle& dir) { return optiks_dir_check(dir.get()); }

class Checked : public testing::Test {
 protected:
  void SetUp() override {
    const DirectoryHandle dir = create(options_with(log_.c_str()));
    publish(dir.get(), 1, {{OPTIKS_DEVICES, "d", "0"}, {OPTIKS_USERNAMES, "u", "1"}, {OPTIKS_KEYS, "a", "2"}});
    publish(dir.get(), 2, {{OPTIKS_KEYS, "a", "3"}, {OPTIKS_KEYS, "b", std::string(200, 'x')}});
    const Seen pinned(dir.get());
    // Key "a" gets a leaf after the snapshot's epoch. So the snapshot identifies the key's leaf by the log offset of
    // its record.
    publish(dir.get(), 3, {{OPTIKS_KEYS, "a", "4"}});
    ASSERT_EQ(optiks_view_save(pinned.view(), file_.c_str()), OPTIKS_OK) << last_error();
    octets_ = read_file(file_);
    log_octets_ = read_file(log_);
    DirectoryHandle restored;
    ASSERT_EQ(restore(file_, log_, restored), OPTIKS_OK);
    ASSERT_EQ(check(restored), OPTIKS_OK) << last_error();
    // The restore cuts off the log's records of epoch 3.
    used_ = read_file(log_ + "-copy").size();
  }

  // Restores a directory from these files and checks it. Returns the status of the restore if it failed, otherwise the
  // status of the check.
  std::int32_t status_of(const Bytes& file, const Bytes& log) {
    write_file(file_, file);
    write_file(log_, log);
    DirectoryHandle restored;
    const std::int32_t status = restore(file_, log_, restored);
    is_restored_ = status == OPTIKS_OK;
    return is_restored_ ? check(restored) : status;
  }

  std::string log_ = scratch_file("log");
  std::string file_ = scratch_file("snapshot");
  Bytes octets_;
  Bytes log_octets_;
  std::size_t used_ = 0;
  bool is_restored_ = false;
};

TEST_F(Checked, EachOctetOfTheLeafLogCounts) {
  for (std::size_t i = 0; i < used_; ++i) {
    Bytes damaged = log_octets_;
    damaged[i] ^= 0x10;
    ASSERT_EQ(status_of(octets_, damaged), OPTIKS_E_IO) << i;
    // The restore itself finds damage only in the first 24 octets, the magic and the log's identity. The check must
    // find all other damage.
    ASSERT_EQ(is_restored_, i >= 24) << i;
  }
  EXPECT_EQ(status_of(octets_, log_octets_), OPTIKS_OK);
}

TEST_F(Checked, EachOctetOfTreesAndKeysCountsWhateverTheChecksums) {
  // The trees of the snapshot: the tree of `keys` has three leaves below two interior nodes, and two other trees have
  // one leaf each.
  constexpr std::size_t kTable = saved::kTrees + 5 * saved::kLeafLen + 2 * saved::kInteriorLen;
  const Bytes payload = payload_of(octets_);
  std::vector<bool> counts(payload.size(), true);
  // This loop finds the octets whose change has no effect: the unused fields of the elements that mark an end.
  std::size_t at = kTable;
  for (std::size_t segments = 0; segments < 64; at += saved::kKeyLen) {
    if (base::load_be32(payload.data() + at + 4) == 0xffffffff) {
      std::fill_n(counts.begin() + static_cast<std::ptrdiff_t>(at), 4, false);
      ++segments;
    }
  }
  ASSERT_EQ(at + 2 * saved::kMovedLen, payload.size());
  std::fill_n(counts.end() - std::ptrdiff_t{saved::kMovedLen}, 5, false);
  std::size_t num_checked = 0;
  for (std::size_t i = saved::kTrees; i < payload.size(); ++i) {
    Bytes changed = payload;
    changed[i] ^= 0x01;
    ASSERT_EQ(status_of(one_block(changed), log_octets_) != OPTIKS_OK, counts[i]) << i;
    num_checked += is_restored_ && counts[i] ? 1 : 0;
  }
  // The check, and not the restore, must have found at least the changes of hashes, because restoring does not verify
  // hashes.
  EXPECT_GE(num_checked, 4 * 32U);
  EXPECT_EQ(status_of(octets_, log_octets_), OPTIKS_OK);
}

// Even a short snapshot can refer to one long record from all its leaves. Without a limit, the check would then read
// many times the log's length.
TEST(Check, RefusesRecordsThatLeavesShareBeforeTheyAreReadAllOver) {
  constexpr std::size_t kNumKeys = 4000;
  const std::string log = scratch_file("log");
  const std::string file = scratch_file("snapshot");
  const DirectoryHandle dir = create(options_with(log.c_str()));
  std::vector<Update> updates{{OPTIKS_USERNAMES, "long", std::string(65'536, 'x')}};
  while (updates.size() < kNumKeys) {
    updates.push_back({OPTIKS_USERNAMES, key_name(updates.size()), ""});
  }
  publish(dir.get(), 1, updates);
  ASSERT_EQ(optiks_view_save(Seen(dir.get()).view(), file.c_str()), OPTIKS_OK);
  const Bytes octets = read_file(file);
  const Bytes log_octets = read_file(log);
  Bytes payload = payload_of(octets);
  std::uint64_t longest = 24;
  const auto value_len = [&] { return base::load_be32(log_octets.data() + longest + 8); };
  while (value_len() != 65'536) {
    longest += 80 + 16 + value_len();
  }
  std::array<std::uint8_t, 8> log_offset{};
  base::store_be64(log_offset.data(), longest);
  // The snapshot has one tree, whose nodes are in preorder. The flags of an interior node say which of its children are
  // leaves.
  std::vector<bool> are_leaves{false};
  std::size_t num_leaves = 0;
  std::size_t at = saved::kTrees;
  while (!are_leaves.empty()) {
    const bool is_leaf = are_leaves.back();
    are_leaves.pop_back();
    if (is_leaf) {
      std::copy(log_offset.begin() + 2, log_offset.end(),
                payload.begin() + static_cast<std::ptrdiff_t>(at + saved::kLogOffset));
      ++num_leaves;
    } else {
      are_leaves.push_back((payload[at] & 2) != 0);
      are_leaves.push_back((payload[at] & 1) != 0);
    }
    at += is_leaf ? saved::kLeafLen : saved::kInteriorLen;
  }
  ASSERT_EQ(num_leaves, kNumKeys);
  // This removes all keys from the key table, so that the check does not refuse leaves because of their tags.
  constexpr std::ptrdiff_t kTail{saved::kMovedLen};
  constexpr std::ptrdiff_t kEnd{saved::kKeyLen};
  payload.erase(payload.begin() + static_cast<std::ptrdiff_t>(at), payload.end() - kTail - kEnd);
  const Bytes end(payload.end() - kTail - kEnd, payload.end() - kTail);
  for (int segment = 1; segment < 64; ++segment) {
    payload.insert(payload.begin() + static_cast<std::ptrdiff_t>(at), end.begin(), end.end());
  }
  const auto status_of = [&](const Bytes& snapshot) {
    write_file(file, snapshot);
    DirectoryHandle restored;
    EXPECT_EQ(restore(file, log, restored), OPTIKS_OK);
    return check(restored);
  };
  EXPECT_EQ(status_of(one_block(payload)), OPTIKS_E_DATA);
  EXPECT_NE(last_error().find("share records"), std::string::npos) << last_error();
  EXPECT_EQ(status_of(octets), OPTIKS_OK) << last_error();
}

// Runs the check with several threads, and on a tree that is divided into several parts.
TEST(Check, SeesAllPartsOfATree) {
  const std::string log = scratch_file("log");
  const std::string file = scratch_file("snapshot");
  const DirectoryHandle dir = create(options_with(log.c_str()));
  std::vector<Update> updates;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    updates.push_back({OPTIKS_KEYS, key_name(i), numbered("value ", i)});
  }
  publish(dir.get(), 1, updates);
  updates.resize(100);
  publish(dir.get(), 2, updates);
  ASSERT_EQ(optiks_view_save(Seen(dir.get()).view(), file.c_str()), OPTIKS_OK);
  const Bytes octets = read_file(log);
  Random random(77);
  for (const std::uint32_t threads : {1U, 4U}) {
    const auto status_of = [&] {
      DirectoryHandle restored;
      EXPECT_EQ(restore(file, log, restored, [&](optiks_dir_options_t& options) { options.threads = threads; }),
                OPTIKS_OK);
      return check(restored);
    };
    EXPECT_EQ(status_of(), OPTIKS_OK) << last_error();
    for (int i = 0; i < 20; ++i) {
      Bytes damaged = octets;
      damaged[24 + random.below(octets.size() - 24)] ^= 0x80;
      write_file(log, damaged);
      EXPECT_EQ(status_of(), OPTIKS_E_IO);
    }
    write_file(log, octets);
  }
}

TEST(Check, OfADirectoryThatWasNeverSaved) {
  const DirectoryHandle dir = create(options_with(nullptr));
  EXPECT_EQ(check(dir), OPTIKS_OK);
  publish(dir.get(), 1, {{OPTIKS_KEYS, "a", "1"}, {OPTIKS_DECOMMISSIONED, "b", ""}});
  publish(dir.get(), 2, {{OPTIKS_KEYS, "a", "2"}});
  EXPECT_EQ(check(dir), OPTIKS_OK) << last_error();
  EXPECT_EQ(optiks_dir_check(nullptr), OPTIKS_E_ARGUMENT);
}

}  // namespace
}  // namespace optiks::ozks::test
