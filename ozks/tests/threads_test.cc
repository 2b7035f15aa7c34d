// Tests epochs on several threads. The result must be the same as on one thread, and readers that run at the same time
// must see only whole epochs.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "directory_support.h"

namespace optiks::ozks::test {
namespace {

constexpr std::uint64_t kEpochs = 4;
// The number of keys is large enough that every step of an epoch uses several threads.
constexpr std::uint64_t kOldKeys = 700;
constexpr std::uint64_t kNewKeys = 900;

// Returns updates for an epoch: new versions of old keys, which are the same in each epoch, and new keys.
std::vector<Update> many_updates(std::uint64_t epoch) {
  std::vector<Update> updates;
  for (std::uint64_t i = 0; i < kOldKeys; ++i) {
    updates.push_back({kKeys, key_name(i), numbered("of epoch ", epoch)});
  }
  for (std::uint64_t i = 0; i < kNewKeys; ++i) {
    updates.push_back({kKeys, key_name(epoch * 1000 + i), numbered("new in epoch ", epoch)});
  }
  return updates;
}

DirectoryHandle directory_of(std::uint32_t threads) {
  optiks_dir_options_t options = options_with(nullptr);
  options.threads = threads;
  return create(options);
}

// Compares labels, versions and order. It does not compare commitments, because each prepare call makes new openings.
void expect_same_leaves(const StoredEpoch& got, const StoredEpoch& want) {
  ASSERT_EQ(got.rows.size(), want.rows.size());
  for (std::size_t i = 0; i < got.rows.size(); ++i) {
    EXPECT_TRUE(std::equal(got.rows[i].label, got.rows[i].label + 32, want.rows[i].label)) << i;
    EXPECT_EQ(got.rows[i].version, want.rows[i].version) << i;
  }
}

class EpochsOnThreads : public testing::TestWithParam<std::uint32_t> {};

TEST_P(EpochsOnThreads, LeaveWhatOneLeaves) {
  const DirectoryHandle one = directory_of(1);
  const DirectoryHandle several = directory_of(GetParam());
  std::vector<std::string> keys;
  for (std::uint64_t epoch = 1; epoch <= kEpochs; ++epoch) {
    const std::vector<Update> updates = many_updates(epoch);
    const StoredEpoch prepared = prepare(several.get(), epoch, updates);
    expect_same_leaves(prepared, prepare(one.get(), epoch, updates));
    StagedHandle staged = stage(several.get(), prepared);
    StagedHandle staged_by_one = stage(one.get(), prepared);
    EXPECT_EQ(staged_proofs(staged.get()), staged_proofs(staged_by_one.get()));
    commit(std::move(staged));
    commit(std::move(staged_by_one));
    EXPECT_EQ(states_of(several.get()), states_of(one.get()));
    for (const Update& update : updates) {
      keys.push_back(update.key);
    }
  }
  keys.emplace_back("nobody");
  const Seen seen(several.get());
  EXPECT_EQ(seen.lookups(kKeys, keys, std::vector<verify::Known>(keys.size())),
            Seen(one.get()).lookups(kKeys, keys, std::vector<verify::Known>(keys.size())));
  EXPECT_EQ(seen.value(kKeys, key_name(0)), numbered("of epoch ", kEpochs));
  EXPECT_EQ(seen.value(kKeys, key_name(2000)), "new in epoch 2");
}

TEST_P(EpochsOnThreads, BesideReaders) {
  const DirectoryHandle dir = directory_of(GetParam());
  publish(dir.get(), 1, many_updates(1));
  std::atomic<bool> done = false;
  std::uint64_t answers = 0;
  std::thread reader([&] {
    Random random(7);
    while (!done || answers == 0) {
      const Seen seen(dir.get());
      EXPECT_EQ(seen.value(kKeys, key_name(random.below(kOldKeys))), numbered("of epoch ", seen.epoch()));
      ++answers;
    }
  });
  for (std::uint64_t epoch = 2; epoch <= kEpochs; ++epoch) {
    publish(dir.get(), epoch, many_updates(epoch));
  }
  done = true;
  reader.join();
  EXPECT_EQ(Seen(dir.get()).epoch(), kEpochs);
}

INSTANTIATE_TEST_SUITE_P(Some, EpochsOnThreads, testing::Values(2U, 3U, 8U));

}  // namespace
}  // namespace optiks::ozks::test
