// Tests views: a reader keeps its epoch while other epochs are committed, and memory that no reader can use any more is
// reused.
#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <thread>

#include "directory/open.h"
#include "directory_support.h"
#include "linked/linked_trees.h"

namespace optiks::ozks::test {
namespace {

std::string value_at(std::uint64_t key, std::uint64_t epoch) {
  return numbered("key ", key) + numbered(" as of ", epoch);
}

// Returns the updates of epoch e: new versions of key 0 and of the keys that divide e, and a new key e + 100.
std::vector<Update> updates_of(std::uint64_t epoch) {
  std::vector<Update> updates = {{kKeys, "0", value_at(0, epoch)},
                                 {kKeys, std::to_string(epoch + 100), value_at(epoch + 100, epoch)}};
  for (std::uint64_t key = 1; key <= 12; ++key) {
    if (epoch % key == 0) {
      updates.push_back({kKeys, std::to_string(key), value_at(key, epoch)});
    }
  }
  return updates;
}

// Returns the value that a key has at an epoch. The key is one of the keys 0 to 12, or a key that an epoch added.
std::string expected(std::uint64_t key, std::uint64_t epoch) {
  if (key > 100) {
    return key - 100 <= epoch ? value_at(key, key - 100) : "";
  }
  const std::uint64_t last = key == 0 ? epoch : epoch - epoch % key;
  return last == 0 ? "" : value_at(key, last);
}

TEST(Snapshots, KeepTheirEpochAndOutliveTheDirectory) {
  const std::string log = scratch_file("log");
  DirectoryHandle dir = create(options_with(log.c_str()));
  std::deque<Seen> kept;
  for (std::uint64_t epoch = 1; epoch <= 50; ++epoch) {
    publish(dir.get(), epoch, updates_of(epoch));
    kept.emplace_back(dir.get());
  }
  dir.reset();
  for (const Seen& seen : kept) {
    for (const std::uint64_t key : {0, 1, 5, 12, 101, 125, 150}) {
      ASSERT_EQ(seen.value(kKeys, std::to_string(key)), expected(key, seen.epoch())) << seen.epoch() << ' ' << key;
    }
  }
}

TEST(Snapshots, ReadersWhileEpochsLand) {
  const std::string log = scratch_file("log");
  // The cache is small, so that entries are replaced while readers use them.
  const DirectoryHandle dir = create(options_with(log.c_str(), 16 << 10));
  constexpr std::uint64_t kEpochs = 50;
  std::atomic<bool> done{false};
  std::atomic<std::uint64_t> answers{0};
  std::atomic<std::uint64_t> wrong{0};
  std::vector<std::thread> readers;
  for (std::uint64_t reader = 0; reader < 4; ++reader) {
    readers.emplace_back([&, reader] {
      Random random(31 + reader);
      std::deque<Seen> kept;
      while (!done.load()) {
        kept.emplace_back(dir.get());
        const Seen& seen = kept[random.below(kept.size())];
        const std::uint64_t key = random.below(3) == 0 ? 101 + random.below(kEpochs) : random.below(13);
        wrong += seen.value(kKeys, std::to_string(key)) != expected(key, seen.epoch()) ? 1 : 0;
        ++answers;
        if (kept.size() > 5) {
          kept.pop_front();
        }
      }
    });
  }
  // This thread precomputes labels while the same keys get their leaves. The lookups check the labels that the leaves
  // got.
  readers.emplace_back([&] {
    Blob keys;
    for (std::uint64_t key = 0; key < 13; ++key) {
      keys.add(std::to_string(key));
    }
    const Bytes structures(13, kKeys);
    while (!done.load()) {
      wrong += optiks_dir_precompute_labels(dir.get(), 13, structures.data(), keys.octets.data(),
                                            keys.offsets.data()) != OPTIKS_OK;
    }
  });
  // The key table grows while readers use it. At first it has 1,024 slots.
  for (std::uint64_t epoch = 1; epoch <= kEpochs; ++epoch) {
    std::vector<Update> updates = updates_of(epoch);
    for (std::uint64_t i = 0; i < 40; ++i) {
      updates.push_back({kKeys, numbered("more ", epoch) + numbered(" ", i), "x"});
    }
    publish(dir.get(), epoch, updates);
    if (epoch % 7 == 0) {
      stage(dir.get(), prepare(dir.get(), epoch + 1, updates_of(epoch + 1))).reset();
    }
    while (answers.load() < 4 * epoch) {
      std::this_thread::yield();
    }
  }
  done = true;
  for (std::thread& reader : readers) {
    reader.join();
  }
  EXPECT_EQ(wrong.load(), 0U);
  EXPECT_GE(answers.load(), 4 * kEpochs);
}

// Tests with made-up labels, because computing VRFs would take most of the time.
class Reclaiming : public testing::Test {
 protected:
  static std::unique_ptr<Directory> make() {
    const optiks_dir_options_t options = options_with(nullptr, 0);
    const auto key = [&](std::size_t s) {
      return vrf::SecretKey::load(std::span<const std::uint8_t, 32>(options.vrf_secret[s])).value();
    };
    const auto tag_key = [&](std::size_t s) { return TagKey(std::span<const std::uint8_t, 32>(options.tag_key[s])); };
    return open_directory(Secrets{{key(0), key(1), key(2), key(3)}, {tag_key(0), tag_key(1), tag_key(2), tag_key(3)}},
                          options);
  }

  // Commits the epochs from `first` to `last`. Each of them adds the next version of 16 keys.
  void add(Directory& dir, std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t epoch = first; epoch <= last; ++epoch) {
      std::vector<LeafRow> rows;
      for (const NaiveLeaf& leaf : new_leaves(random_, {}, 16, epoch)) {
        LeafRow row{};
        row.label = leaf.label;
        row.commitment = leaf.commitment;
        row.tag[0] = static_cast<std::uint8_t>(rows.size());
        row.epoch = epoch;
        row.version = epoch;
        row.value_offset = LeafRow::kNoValue;
        row.set_place(kKeys, 0);
        rows.push_back(row);
      }
      dir.stage(epoch, rows, {}, false);
      dir.commit();
    }
  }

  Random random_{32};
};

const Nodes& nodes_of(const DirectoryData& data) { return dynamic_cast<const LinkedTrees&>(*data.trees).nodes(); }

TEST_F(Reclaiming, MemoryFollowsTheLeavesNotTheEpochs) {
  const auto dir = make();
  add(*dir, 1, 2000);
  // The arenas must have room for 32,000 leaves, 31,999 interior nodes and at most twice the nodes that one epoch
  // replaces. They must not grow more, although each of the 2,000 epochs replaced 16 paths.
  EXPECT_GE(nodes_of(*dir->data()).bytes(), 32'000 * sizeof(Leaf) + 31'999 * sizeof(Interior));
  EXPECT_LE(nodes_of(*dir->data()).bytes(), 32'000 * sizeof(Leaf) + (32'000 + 2 * 16 * 20) * sizeof(Interior));
}

// Recomputes all hashes of a subtree. Returns the hash of the subtree and the label of its first leaf, and counts the
// leaves.
std::pair<Hash, Hash> recompute(const DirectoryData& data, NodeId id, std::uint64_t& num_leaves) {
  if (Nodes::is_leaf(id)) {
    ++num_leaves;
    const Leaf& leaf = nodes_of(data).leaf(id);
    LeafFacts facts;
    data.log.read_facts(leaf.log_offset(), facts);
    return {verify::leaf_hash(leaf.label, facts.commitment, facts.epoch), leaf.label};
  }
  const Interior& node = nodes_of(data).interior(id);
  const auto left = recompute(data, node.child[0], num_leaves);
  const auto right = recompute(data, node.child[1], num_leaves);
  return {verify::interior_hash(node.length, left.second, left.first, right.first), left.second};
}

TEST_F(Reclaiming, APinnedEpochStaysWholeAndIsFreedAfterwards) {
  const auto dir = make();
  add(*dir, 1, 100);
  auto pinned = std::make_unique<View>(dir->data());
  add(*dir, 101, 1500);
  const Nodes& nodes = nodes_of(*dir->data());
  const Tree& tree = pinned->state().trees[structure_index(kKeys)];
  std::uint64_t num_leaves = 0;
  EXPECT_EQ(pinned->state().epoch, 100U);
  EXPECT_EQ(recompute(*dir->data(), root_of(tree), num_leaves).first, tree.root_hash);
  EXPECT_EQ(num_leaves, 1600U);
  const std::size_t grown = nodes.bytes();
  // The pinned epoch kept the nodes that 1,400 epochs replaced from being freed.
  EXPECT_GT(grown, 1400 * 16 * 8 * sizeof(Interior));
  pinned.reset();
  // The epoch is no longer pinned, so the memory of these nodes must be reused.
  add(*dir, 1501, 2500);
  EXPECT_LE(nodes.bytes(), grown + 16'000 * sizeof(Leaf) + 16 * 20 * sizeof(Interior));
}

}  // namespace
}  // namespace optiks::ozks::test
