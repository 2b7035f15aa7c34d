// Tests a directory's memory as the system measures it. A key with one version must use at most 128 octets, with two
// live views after a thousand epochs; docs/measurements/memory.md has the figures. Another test measures the memory of
// a first load into a node store.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <thread>

#include "bench/process_memory.h"
#include "directory_support.h"

namespace optiks::ozks::test {
namespace {

// Returns the size of this process's memory, without freed memory that malloc keeps.
std::size_t resident() {
  malloc_trim(0);
  return bench::anonymous_bytes();
}

// Returns rows of new keys for an epoch, with random labels and tags, which are distributed like VRF labels and real
// tags.
std::vector<optiks_leaf_t> made_up(Random& random, std::uint64_t epoch, std::size_t count) {
  std::vector<optiks_leaf_t> rows(count);
  for (optiks_leaf_t& row : rows) {
    std::ranges::copy(random.hash(), row.label);
    std::ranges::copy(random.hash(), row.commitment);
    const Hash tag = random.hash();
    std::copy_n(tag.begin(), sizeof(row.tag), row.tag);
    row.epoch = epoch;
    row.version = 1;
    row.value_offset = UINT64_MAX;
    row.structure_and_input = static_cast<std::uint32_t>(OPTIKS_KEYS) << 28;
  }
  std::ranges::sort(rows, {}, [](const optiks_leaf_t& row) { return std::to_array(row.label); });
  return rows;
}

struct History {
  std::size_t num_keys;
  std::size_t epoch_len;  // number of new keys in each of the last 1,000 epochs; all other keys are loaded
};

class Resident : public testing::TestWithParam<History> {};

TEST_P(Resident, AtMost128OctetsAKey) {
  constexpr std::uint64_t kEpochs = 1000;
  constexpr std::size_t kLoadBatch = 1 << 16;
  const auto [num_keys, epoch_len] = GetParam();
  Random random(40);
  {
    // Uses a small directory once. Some memory of the test and the library does not depend on the directory's size, and
    // is then already allocated when the measurement begins.
    const DirectoryHandle small = create(options_with(nullptr, 0));
    commit(stage(small.get(), {1, made_up(random, 1, kLoadBatch), {}}, false));
  }
  const std::size_t before = resident();
  const DirectoryHandle dir = create(options_with(nullptr, 0));
  std::uint64_t epoch = 0;
  // The rows are loaded in batches, as services load them.
  for (std::size_t loaded = kEpochs * epoch_len; loaded < num_keys;) {
    const std::size_t count = std::min(kLoadBatch, num_keys - loaded);
    const std::vector<optiks_leaf_t> rows = made_up(random, ++epoch, count);
    ASSERT_EQ(optiks_dir_load(dir.get(), epoch, rows.data(), rows.size(), nullptr, 0), OPTIKS_OK) << last_error();
    loaded += count;
  }
  std::unique_ptr<Seen> older;
  std::unique_ptr<Seen> newer;
  for (std::uint64_t i = 0; i < kEpochs; ++i) {
    ++epoch;
    commit(stage(dir.get(), {epoch, made_up(random, epoch, epoch_len), {}}, false));
    older = std::exchange(newer, std::make_unique<Seen>(dir.get()));
  }
  EXPECT_EQ(older->epoch() + 1, newer->epoch());
  optiks_dir_stats_t stats{};
  ASSERT_EQ(optiks_dir_stats(dir.get(), &stats), OPTIKS_OK);
  ASSERT_EQ(stats.leaves, num_keys);
  const auto a_key = [&](std::size_t octets) { return static_cast<double>(octets) / static_cast<double>(num_keys); };
  const double measured = a_key(resident() - before);
  std::printf("%zu keys: %.1f octets a key resident; trees %.1f, key table %.1f\n", num_keys, measured,
              a_key(stats.tree_bytes), a_key(stats.key_table_bytes));
  EXPECT_LE(measured, 128.0);
  // As a control, checks that the measured memory includes the memory that the directory reports.
  EXPECT_GE(measured, 0.97 * a_key(stats.tree_bytes + stats.key_table_bytes));
}

INSTANTIATE_TEST_SUITE_P(Keys, Resident,
                         testing::Values(History{1U << 20, 1024}, History{1U << 20, 256}, History{1U << 21, 1024}));

// Tests the memory of a load into a node store. A load needs memory for sorts, for pages that are not on disk yet, and
// for batches. This memory does not grow with the number of leaves.
TEST(StoredLoad, TakesAtMost160MiB) {
  constexpr std::size_t kLeaves = std::size_t{1} << 20;
  constexpr std::size_t kLoadBatch = 1 << 16;
  const std::string log = scratch_file("log");
  const std::string nodes = scratch_file("nodes");
  std::filesystem::remove_all(nodes);
  optiks_dir_options_t options = options_with(log.c_str(), 0);
  options.node_store_path = nodes.c_str();
  options.node_cache_bytes = 1 << 20;
  Random random(41);
  const std::size_t before = resident();
  std::atomic<std::size_t> most = 0;
  {
    const std::jthread watcher([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        most = std::max(most.load(), resident());
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
    });
    const DirectoryHandle dir = create(options);
    for (std::uint64_t epoch = 1; epoch <= kLeaves / kLoadBatch; ++epoch) {
      const std::vector<optiks_leaf_t> rows = made_up(random, epoch, kLoadBatch);
      ASSERT_EQ(optiks_dir_load(dir.get(), epoch, rows.data(), rows.size(), nullptr, 0), OPTIKS_OK) << last_error();
    }
    ASSERT_EQ(optiks_dir_load_end(dir.get()), OPTIKS_OK) << last_error();
  }
  std::printf("%zu leaves: %zu MiB\n", kLeaves, (most - before) >> 20);
  EXPECT_LE(most - before, std::size_t{160} << 20);
  std::filesystem::remove_all(nodes);
}

}  // namespace
}  // namespace optiks::ozks::test
