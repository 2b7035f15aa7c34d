// Tests that a node store that is filled in one load gets the same trees as a store that gets the leaves epoch by
// epoch. Also tests the state in which a crash during the load leaves the store.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "directory_support.h"
#include "memory_store.h"
#include "stored/lmdb_store.h"
#include "stored/store_builder.h"
#include "stored_support.h"

namespace optiks::ozks::test {
namespace {

LeafFacts facts_with(const Tag& tag, std::uint32_t version, std::uint64_t previous = kNoLogOffset) {
  LeafFacts facts;
  facts.tag = tag;
  facts.version = version;
  facts.previous = previous;
  return facts;
}

Tag tag_of(const Hash& label) {
  Tag tag;
  std::copy_n(label.begin(), tag.size(), tag.begin());
  return tag;
}

// Adds a leaf of a new key of the structure.
void add(StoreBuilder& builder, std::uint8_t structure, const NewLeaf& leaf) {
  builder.add(structure, leaf, facts_with(tag_of(leaf.label), verify::has_versions(structure) ? 1 : 0));
}

// The largest number of leaves does not fit into the memory of a sort.
TEST(StoreBuilder, MakesTheTreesOfEpochs) {
  Random random(31);
  for (const std::size_t count : {0U, 1U, 2U, 5000U, 110'000U}) {
    Stored at_once(0);
    Stored by_epochs(0);
    std::vector<std::vector<NaiveLeaf>> all;
    {
      StoreBuilder builder(*at_once.trees, false);
      LeafLog log(nullptr);
      for (const std::uint8_t structure : kStructures) {
        std::vector<NaiveLeaf>& leaves = all.emplace_back();
        for (std::size_t i = 0; i < count / structure; ++i) {
          leaves.push_back({random.hash(), random.hash(), 1});
        }
        for (const NaiveLeaf& leaf : leaves) {
          add(builder, structure, to_stored({leaf})[0]);
        }
        for (std::size_t first = 0; first < leaves.size(); first += 40'000) {
          const auto begin = leaves.begin() + static_cast<std::ptrdiff_t>(first);
          const auto end = leaves.begin() + static_cast<std::ptrdiff_t>(std::min(leaves.size(), first + 40'000));
          ASSERT_TRUE(by_epochs.trees->stage(structure, to_stored({begin, end}), alone));
        }
      }
      builder.build(log, alone);
    }
    at_once.trees->commit(9, log_of(0), {}, 0);
    by_epochs.trees->commit(9, log_of(0), {}, 0);
    Census found;
    for (std::size_t s = 0; s < kNumStructures; ++s) {
      const Tree& tree = at_once.trees->state().trees[s];
      const Tree& expected = by_epochs.trees->state().trees[s];
      EXPECT_EQ(tree.root_hash, expected.root_hash);
      EXPECT_EQ(tree.count, expected.count);
      const Census one = census(*at_once.store, tree, all[s]);
      found.pages += one.pages;
      found.octets += one.octets;
      for (std::size_t i = 0; i < all[s].size(); i += 1000) {
        const Hash& label = all[s][i].label;
        EXPECT_EQ(at_once.trees->find(tag_of(label)), locator_of(label));
      }
    }
    // All pages of the store must be reachable from the roots, and on average at least half full.
    EXPECT_EQ(num_pages(*at_once.store), found.pages);
    if (count > 1000) {
      EXPECT_GT(found.octets, found.pages * kMaxPageLen / 2);
    }
  }
}

// Tests that the builder links the records of a key's versions, which are added in random order.
TEST(StoreBuilder, LinksTheRecordsOfAKeysVersions) {
  constexpr std::uint32_t kVersions = 5;
  Random random(32);
  Stored stored(0);
  LeafLog log(nullptr);
  StoreBuilder builder(*stored.trees, false);
  std::vector<Tag> tags;
  std::vector<std::vector<std::uint64_t>> offsets(200);
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    tags.push_back(tag_of(random.hash()));
  }
  std::vector<std::pair<NewLeaf, LeafFacts>> leaves;
  for (std::uint32_t version = 1; version <= kVersions; ++version) {
    for (std::size_t i = 0; i < tags.size(); ++i) {
      // Some records already refer to the record of the key's previous version.
      const bool is_linked = version == 1 || random.below(2) == 0;
      const LeafFacts facts = facts_with(tags[i], version, is_linked && version > 1 ? offsets[i].back() : kNoLogOffset);
      offsets[i].push_back(log.append(facts, Bytes(kOpeningLen), Bytes(random.below(40))));
      leaves.push_back({{random.hash(), random.hash(), offsets[i].back()}, facts});
    }
  }
  for (std::size_t i = leaves.size(); i > 1; --i) {
    std::swap(leaves[i - 1], leaves[random.below(i)]);
  }
  for (const auto& [leaf, facts] : leaves) {
    builder.add(OPTIKS_KEYS, leaf, facts);
  }
  builder.build(log, alone);
  stored.trees->commit(1, log_of(0), {}, 0);
  for (std::size_t i = 0; i < tags.size(); ++i) {
    LeafRecord record;
    std::uint64_t at = stored.trees->find_newest(log, tags[i], record);
    for (std::uint32_t version = kVersions; version > 0; --version) {
      ASSERT_EQ(at, offsets[i][version - 1]);
      log.read(at, record);
      EXPECT_EQ(record.facts().version, version);
      EXPECT_EQ(record.facts().tag, tags[i]);
      at = record.facts().previous;
    }
    EXPECT_EQ(at, kNoLogOffset);
  }
}

TEST(StoreBuilder, RefusesWhatDoesNotFollow) {
  struct Added {
    std::uint8_t structure;
    std::uint64_t label;
    std::uint32_t version;
    std::uint64_t log_offset;
    std::uint64_t previous;
  };
  // Returns the status of building a store from these leaves, which are all of one key.
  const auto status_of = [](const std::vector<Added>& leaves, bool reuses_usernames = false) {
    Stored stored(0);
    LeafLog log(nullptr);
    std::uint64_t offsets[3];
    for (std::uint64_t& offset : offsets) {
      offset = log.append({}, {}, {});
    }
    StoreBuilder builder(*stored.trees, reuses_usernames);
    for (const Added& leaf : leaves) {
      NewLeaf made{};
      made.label[0] = static_cast<std::uint8_t>(leaf.label);
      made.log_offset = offsets[leaf.log_offset];
      builder.add(leaf.structure, made,
                  facts_with({}, leaf.version, leaf.previous == kNoLogOffset ? kNoLogOffset : offsets[leaf.previous]));
    }
    try {
      builder.build(log, alone);
      return std::int32_t{OPTIKS_OK};
    } catch (const DirectoryError& error) {
      return error.status();
    }
  };
  constexpr std::uint64_t kNone = kNoLogOffset;
  EXPECT_EQ(status_of({{kKeys, 1, 1, 0, kNone}, {kKeys, 2, 2, 1, kNone}, {kKeys, 3, 3, 2, 1}}), OPTIKS_OK);
  EXPECT_EQ(status_of({{kUsernames, 1, 0, 0, kNone}}), OPTIKS_OK);
  EXPECT_EQ(status_of({{kKeys, 1, 1, 0, kNone}, {kKeys, 1, 2, 1, kNone}}), OPTIKS_E_DUPLICATE) << "label";
  EXPECT_EQ(status_of({{kUsernames, 1, 0, 0, kNone}, {kUsernames, 2, 0, 1, kNone}}), OPTIKS_E_DUPLICATE)
      << "of an oZKS";
  EXPECT_EQ(status_of({{kDecommissioned, 1, 1, 0, kNone}}), OPTIKS_E_DATA);
  EXPECT_EQ(status_of({{kUsernames, 1, 1, 0, kNone}}), OPTIKS_E_DATA) << "a version where usernames have none";
  EXPECT_EQ(status_of({{kUsernames, 1, 0, 0, kNone}}, true), OPTIKS_E_DATA) << "no version where usernames have some";
  EXPECT_EQ(status_of({{kUsernames, 1, 1, 0, kNone}, {kUsernames, 2, 2, 1, 0}}, true), OPTIKS_OK) << "used again";
  EXPECT_EQ(status_of({{kUsernames, 1, 1, 0, kNone}, {kUsernames, 2, 1, 1, 0}}, true), OPTIKS_E_DATA);
  EXPECT_EQ(status_of({{kUsernames, 1, 2, 0, kNone}}, true), OPTIKS_E_DATA);
  EXPECT_EQ(status_of({{kKeys, 1, 0, 0, kNone}}), OPTIKS_E_DATA);
  EXPECT_EQ(status_of({{kKeys, 1, 2, 0, kNone}}), OPTIKS_E_DATA);
  EXPECT_EQ(status_of({{kKeys, 1, 1, 0, 1}}), OPTIKS_E_DATA) << "one before the first";
  EXPECT_EQ(status_of({{kKeys, 1, 1, 0, kNone}, {kKeys, 2, 3, 1, kNone}}), OPTIKS_E_DATA) << "a gap";
  EXPECT_EQ(status_of({{kKeys, 1, 1, 0, kNone}, {kKeys, 2, 1, 1, kNone}}), OPTIKS_E_DATA) << "twice";
  EXPECT_EQ(status_of({{kKeys, 1, 1, 1, kNone}, {kKeys, 2, 2, 0, kNone}}), OPTIKS_E_DATA) << "the wrong way round";
  EXPECT_EQ(status_of({{kKeys, 1, 1, 0, kNone}, {kDevices, 2, 2, 1, kNone}}), OPTIKS_E_DATA) << "of another structure";
  EXPECT_EQ(status_of({{kKeys, 1, 1, 0, kNone}, {kKeys, 2, 2, 1, kNone}, {kKeys, 3, 3, 2, 0}}), OPTIKS_E_DATA)
      << "past the one before";
}

// A store that kills its process when transaction number `transactions` begins; the first is number 0.
class KilledStore final : public NodeStore {
 public:
  KilledStore(const std::string& folder, int transactions) : store_(folder), transactions_(transactions) {}

  void get(Table table, std::span<const StoreKey> keys, const Visit& visit) const override {
    store_.get(table, keys, visit);
  }
  void scan(Table table, const StoreKey& first, const Scan& scan) const override { store_.scan(table, first, scan); }
  [[nodiscard]] std::unique_ptr<Transaction> begin() override {
    if (transactions_-- == 0) {
      kill(getpid(), SIGKILL);
    }
    return store_.begin();
  }
  [[nodiscard]] std::string folder() const override { return store_.folder(); }
  [[nodiscard]] std::uint64_t bytes() const override { return store_.bytes(); }

 private:
  LmdbStore store_;
  int transactions_;
};

TEST(StoreBuilder, AKillLeavesNothingOrWhatIsRefused) {
  const std::string folder = scratch_file("killed");
  int num_refused = 0;
  for (int transactions = 0;; ++transactions) {
    ASSERT_LT(transactions, 20);
    std::filesystem::remove_all(folder);
    const pid_t writer = fork();
    ASSERT_GE(writer, 0);
    if (writer == 0) {
      StoredTrees trees(std::make_unique<KilledStore>(folder, transactions), StoreOwner{}, 0);
      StoreBuilder builder(trees, false);
      Random random(33);
      // There are more keys than one transaction writes.
      for (int i = 0; i < 70'000; ++i) {
        add(builder, kKeys, {random.hash(), random.hash(), 0});
      }
      LeafLog log(nullptr);
      builder.build(log, alone);
      trees.commit(9, log_of(0), {}, 0);
      _exit(0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(writer, &status, 0), writer);
    if (WIFEXITED(status)) {
      ASSERT_EQ(WEXITSTATUS(status), 0);
      break;
    }
    ASSERT_EQ(WTERMSIG(status), SIGKILL);
    auto store = std::make_unique<LmdbStore>(folder);
    bool is_empty = true;
    for (const Table table : {Table::kState, Table::kPages, Table::kKeys}) {
      store->scan(table, StoreKey(std::uint64_t{0}), [&](ByteSpan, ByteSpan) {
        is_empty = false;
        return false;
      });
    }
    if (is_empty) {
      EXPECT_EQ(num_refused, 0);
      EXPECT_EQ(StoredTrees(std::move(store), StoreOwner{}, 0).state().epoch, 0U);
    } else {
      EXPECT_THROW(StoredTrees(std::move(store), StoreOwner{}, 0), std::system_error);
      ++num_refused;
    }
  }
  EXPECT_EQ(num_refused, 2);
  const StoredTrees trees(std::make_unique<LmdbStore>(folder), StoreOwner{}, 0);
  EXPECT_EQ(trees.state().epoch, 9U);
  EXPECT_EQ(trees.state().trees[structure_index(kKeys)].count, 70'000U);
  std::filesystem::remove_all(folder);
}

TEST(ExternalSort, SortsMoreThanItsMemoryHolds) {
  for (const std::size_t count : {0U, 1U, 99U, 100U, 101U, 250U, 20000U}) {
    ExternalSort<std::uint64_t> sort(testing::TempDir(), 100 * sizeof(std::uint64_t));
    Random random(count);
    std::vector<std::uint64_t> expected;
    for (std::size_t i = 0; i < count; ++i) {
      expected.push_back(random.below(5000));
      sort.add(expected.back());
    }
    std::ranges::sort(expected);
    sort.sort();
    std::vector<std::uint64_t> sorted;
    for (std::uint64_t record = 0; sort.next(record);) {
      sorted.push_back(record);
    }
    EXPECT_EQ(sorted, expected) << count;
    std::uint64_t none = 0;
    EXPECT_FALSE(sort.next(none));
  }
  ExternalSort<std::uint64_t> nowhere("/no/such/folder", 8);
  nowhere.add(1);
  EXPECT_THROW(nowhere.add(2), std::system_error);
}

}  // namespace
}  // namespace optiks::ozks::test
