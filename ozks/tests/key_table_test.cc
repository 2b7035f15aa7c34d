// Tests that the key table finds all keys while it grows, even if many tags share bits.
#include "linked/key_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <thread>
#include <vector>

#include "support.h"

namespace optiks::ozks::test {
namespace {

Tag tag_with(std::uint64_t first, std::uint8_t last) {
  Tag tag{};
  base::store_be64(tag.data(), first);
  tag.back() = last;
  return tag;
}

// A key table, with the tag of each leaf. The leaf log has these tags outside of tests.
class Keys {
 public:
  void add(const Tag& tag) { put({tag, next_leaf(tag), kNoNode}); }
  void update(const Tag& tag) {
    const NodeId previous = find(tag);
    put({tag, next_leaf(tag), previous});
  }
  void remove(const Tag& tag) { table_.remove(tag, find(tag)); }
  [[nodiscard]] NodeId find(const Tag& tag) const {
    return table_.find(tag, [&](NodeId leaf) { return tags_[leaf & ~kLeafBit] == tag; });
  }
  [[nodiscard]] KeyTable& table() { return table_; }
  [[nodiscard]] std::size_t size() const { return tags_.size(); }

 private:
  NodeId next_leaf(const Tag& tag) {
    tags_.push_back(tag);
    return static_cast<NodeId>(tags_.size() - 1) | kLeafBit;
  }
  void put(const KeyTable::Entry& entry) {
    table_.reserve({&entry, 1}, ++epoch_, alone_);
    table_.put(entry);
    table_.collect(epoch_);
  }

  Workers alone_{1};
  KeyTable table_;
  std::vector<Tag> tags_;
  std::uint64_t epoch_ = 0;
};

Tag random_tag(Random& random) {
  const Hash hash = random.hash();
  Tag tag;
  std::copy_n(hash.begin(), tag.size(), tag.begin());
  return tag;
}

TEST(KeyTable, FindsWhatWasPutAndNothingElse) {
  Random random(51);
  Keys keys;
  std::map<Tag, NodeId> model;
  for (int i = 0; i < 30'000; ++i) {
    if (!model.empty() && random.below(4) == 0) {
      const auto known = model.lower_bound(random_tag(random));
      if (known != model.end()) {
        keys.update(known->first);
        known->second = keys.find(known->first);
        EXPECT_EQ(known->second, static_cast<NodeId>(keys.size() - 1) | kLeafBit);
        continue;
      }
    }
    const Tag tag = random_tag(random);
    EXPECT_EQ(keys.find(tag), kNoNode);
    keys.add(tag);
    model[tag] = static_cast<NodeId>(keys.size() - 1) | kLeafBit;
  }
  for (const auto& [tag, leaf] : model) {
    ASSERT_EQ(keys.find(tag), leaf);
  }
}

TEST(KeyTable, TagsThatAgreeInWhatTheTableKeeps) {
  // All keys have the same segment and the same home. The home is at the beginning, in the middle or at the end of the
  // array; a search that reaches the end continues at the beginning.
  for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
    Keys keys;
    constexpr std::uint8_t kCount = 200;
    for (std::uint8_t i = 0; i < kCount; ++i) {
      keys.add(tag_with(first, i));
    }
    for (std::uint8_t i = 0; i < kCount; i += 2) {
      keys.update(tag_with(first, i));
    }
    for (std::uint8_t i = 0; i < kCount; ++i) {
      EXPECT_EQ(keys.find(tag_with(first, i)), (i % 2 == 0 ? kCount + i / 2U : i) | kLeafBit) << int{i};
    }
    EXPECT_EQ(keys.find(tag_with(first, kCount)), kNoNode);
    EXPECT_EQ(keys.find(tag_with(first ^ 1U << 31, 0)), kNoNode);
  }
}

TEST(KeyTable, IsAboutNineOctetsAKeyAtEverySize) {
  Random random(52);
  Keys keys;
  double most = 0;
  constexpr std::size_t kBegin = 1 << 18;
  while (keys.size() < 1 << 19) {
    keys.add(random_tag(random));
    if (keys.size() >= kBegin && keys.size() % 1000 == 0) {
      most = std::max(most, static_cast<double>(keys.table().bytes()) / static_cast<double>(keys.size()));
    }
  }
  EXPECT_LT(most, 9.7);
  // The size for each key must be greater than 8 octets, because a slot has 8 octets and there are more slots than
  // keys.
  EXPECT_GT(most, 8.7);
}

TEST(KeyTable, ReadersGoOnWhileItGrows) {
  Random random(53);
  std::vector<Tag> tags(100'000);
  for (Tag& tag : tags) {
    tag = random_tag(random);
  }
  KeyTable table;
  // The number of keys in the table, which the writer publishes as a directory publishes its epoch.
  std::atomic<std::size_t> published{0};
  std::atomic<std::size_t> found{0};
  std::atomic<std::size_t> wrong{0};
  std::atomic<bool> done{false};
  std::thread reader([&] {
    Random mine(54);
    while (!done.load()) {
      const std::size_t size = published.load(std::memory_order_acquire);
      if (size == 0) {
        continue;
      }
      const std::size_t i = mine.below(size);
      const NodeId leaf = table.find(tags[i], [&](NodeId id) { return tags[id & ~kLeafBit] == tags[i]; });
      wrong += leaf == (static_cast<NodeId>(i) | kLeafBit) ? 0 : 1;
      ++found;
    }
  });
  Workers alone(1);
  for (std::size_t i = 0; i < tags.size(); ++i) {
    const KeyTable::Entry entry{tags[i], static_cast<NodeId>(i) | kLeafBit, kNoNode};
    // The oldest pinned epoch is 0 during the whole test, so no array that the reader may use is freed.
    table.reserve({&entry, 1}, i + 1, alone);
    table.put(entry);
    table.collect(0);
    published.store(i + 1, std::memory_order_release);
  }
  while (found.load() < 1000) {
    std::this_thread::yield();
  }
  done = true;
  reader.join();
  EXPECT_EQ(wrong.load(), 0U);
}

// All tags have the same segment, and their searches overlap. Some searches reach the array's end and continue at its
// beginning.
TEST(KeyTable, KeysThatAreTakenOutLeaveTheOthersToBeFound) {
  Random random(37);
  Keys keys;
  std::map<Tag, bool> is_there;
  for (int round = 0; round < 6000; ++round) {
    const std::uint64_t bits =
        random.below(2) == 0 ? 0x03ffffff'fffffff0 + random.below(8) : random.below(1U << 20) << 38;
    const Tag tag = tag_with(bits, static_cast<std::uint8_t>(random.below(40)));
    const auto [at, is_new] = is_there.try_emplace(tag, false);
    if (at->second) {
      keys.remove(tag);
    } else {
      keys.add(tag);
    }
    at->second = !at->second;
    if (round % 50 == 0) {
      for (const auto& [other, there] : is_there) {
        ASSERT_EQ(keys.find(other) != kNoNode, there);
      }
    }
  }
  std::size_t num_slots = 0;
  for (std::size_t segment = 0; segment < KeyTable::kSegments; ++segment) {
    keys.table().for_each(segment, [&](const KeyTable::Slot&) { ++num_slots; });
  }
  EXPECT_EQ(num_slots,
            static_cast<std::size_t>(std::ranges::count_if(is_there, [](const auto& k) { return k.second; })));
}

}  // namespace
}  // namespace optiks::ozks::test
