// Compares the trees of stored mode with the histories of the Python reference, with a naive model, and with linked
// mode.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <system_error>

#include "memory_store.h"
#include "stored_support.h"

namespace optiks::ozks::test {
namespace {

Census census(const Stored& stored, const Tree& tree, const std::vector<NaiveLeaf>& all) {
  return test::census(*stored.store, tree, all);
}

// Adds leaves to the tree of one structure, and commits the next epoch.
void add(StoredTrees& trees, std::uint8_t structure, const std::vector<NaiveLeaf>& leaves) {
  ASSERT_TRUE(trees.stage(structure, to_stored(leaves), alone));
  trees.commit(trees.state().epoch + 1, log_of(0), {}, trees.state().epoch);
}

// Checks that a label has the same path in stored mode and in linked mode.
void expect_same_path(const StoredTrees& trees, const Tree& tree, const Nodes& nodes, const Tree& linked,
                      const Hash& label) {
  Paths room;
  const Path& path = path_of(trees, tree, label, room);
  Paths other_room;
  const Path& expected = path_of(nodes, linked, label, other_room);
  ASSERT_EQ(path.leaf == nullptr, expected.leaf == nullptr);
  if (path.leaf == nullptr) {
    return;
  }
  EXPECT_EQ(*path.leaf, *expected.leaf);
  EXPECT_EQ(path.log_offset, locator_of(*path.leaf));
  EXPECT_EQ(path.common, expected.common);
  ASSERT_EQ(path.num_steps, expected.num_steps);
  for (std::size_t i = 0; i < path.num_steps; ++i) {
    EXPECT_EQ(path.steps[i].length, expected.steps[i].length);
    EXPECT_EQ(*path.steps[i].sibling, *expected.steps[i].sibling);
  }
  ASSERT_EQ(path.opened == nullptr, expected.opened == nullptr);
  if (path.opened != nullptr) {
    EXPECT_EQ(path.length, expected.length);
    EXPECT_EQ(path.opened[0], expected.opened[0]);
    EXPECT_EQ(path.opened[1], expected.opened[1]);
  }
}

TEST(StoredTree, ReferenceHistories) {
  const auto vectors = verify::test::load_vectors("tree/histories.json")["vectors"];
  ASSERT_EQ(vectors.size(), 21U);
  for (const auto& history : vectors) {
    Stored stored;
    std::vector<NaiveLeaf> all;
    for (const auto& epoch : history["epochs"]) {
      std::vector<NaiveLeaf> leaves;
      for (const auto& row : epoch["leaves"]) {
        NaiveLeaf leaf;
        std::ranges::copy(verify::test::from_hex(row[0]), leaf.label.begin());
        std::ranges::copy(verify::test::from_hex(row[1]), leaf.commitment.begin());
        leaf.epoch = row[2].get<std::uint64_t>();
        leaves.push_back(leaf);
      }
      add(*stored.trees, kDevices, leaves);
      all.insert(all.end(), leaves.begin(), leaves.end());
      const Tree& tree = stored.trees->state().trees[structure_index(kDevices)];
      EXPECT_EQ(Bytes(tree.root_hash.begin(), tree.root_hash.end()), verify::test::from_hex(epoch["root"]))
          << history["name"];
      census(stored, tree, all);
    }
  }
}

TEST(StoredTree, RandomHistoriesAgreeWithLinkedMode) {
  Random random(11);
  for (int history = 0; history < 40; ++history) {
    Stored stored;
    GrownTree grown;
    std::vector<Tree> trees = {stored.trees->state().trees[structure_index(kKeys)]};
    for (std::uint64_t epoch = 1; epoch <= 12; ++epoch) {
      const auto leaves = new_leaves(random, grown.all(), random.below(random.below(3) == 0 ? 300 : 5), epoch);
      grown.add(leaves);
      // The oldest pinned epoch is always 0, so all epochs stay readable.
      ASSERT_TRUE(stored.trees->stage(kKeys, to_stored(leaves), alone));
      stored.trees->commit(epoch, log_of(0), {}, 0);
      trees.push_back(stored.trees->state().trees[structure_index(kKeys)]);
      ASSERT_EQ(trees.back().root_hash, grown.tree().root_hash);
      ASSERT_EQ(trees.back().count, grown.tree().count);
    }
    for (std::uint64_t epoch = 0; epoch <= 12; ++epoch) {
      census(stored, trees[epoch], grown.leaves(epoch));
      for (int i = 0; i < 30; ++i) {
        const Hash label = grown.all().empty() || random.below(2) == 0
                               ? new_label(random, grown.all())
                               : grown.all()[random.below(grown.all().size())].label;
        expect_same_path(*stored.trees, trees[epoch], grown.nodes(), grown.epoch(epoch).tree, label);
      }
    }
  }
}

// Tests a tree that is a chain of 256 nodes, which has several levels of pages. It is made once in one epoch, and once
// leaf by leaf.
TEST(StoredTree, EveryPrefixLengthAtOnceAndOneByOne) {
  Random random(12);
  const Hash label = random.hash();
  std::vector<NaiveLeaf> leaves = {{label, random.hash(), 1}};
  for (std::size_t bit = 0; bit < verify::kLabelBits; ++bit) {
    leaves.push_back({with_bit_flipped(label, bit), random.hash(), 1});
  }
  const Hash root = NaiveTree(leaves).root();
  Stored at_once;
  add(*at_once.trees, kUsernames, leaves);
  EXPECT_EQ(at_once.trees->state().trees[structure_index(kUsernames)].root_hash, root);
  EXPECT_GT(census(at_once, at_once.trees->state().trees[structure_index(kUsernames)], leaves).pages, 1U);
  for (int order = 0; order < 5; ++order) {
    std::shuffle(leaves.begin(), leaves.end(), std::mt19937_64(static_cast<unsigned>(order)));
    Stored one_by_one;
    GrownTree grown;
    for (const NaiveLeaf& leaf : leaves) {
      add(*one_by_one.trees, kUsernames, {leaf});
      grown.add({leaf});
    }
    const Tree& tree = one_by_one.trees->state().trees[structure_index(kUsernames)];
    EXPECT_EQ(tree.root_hash, root);
    census(one_by_one, tree, leaves);
    for (const NaiveLeaf& leaf : leaves) {
      expect_same_path(*one_by_one.trees, tree, grown.nodes(), grown.tree(), leaf.label);
      expect_same_path(*one_by_one.trees, tree, grown.nodes(), grown.tree(), random.hash());
    }
  }
}

// Tests how full pages are and how many are on a path, with random labels like those of the VRF. Leaves are added in
// small and in large batches.
TEST(StoredTree, PagesAreWellFilledAndFewAboveEachOther) {
  Random random(13);
  for (const std::size_t at_once : {std::size_t{100}, std::size_t{20'000}}) {
    Stored stored;
    std::vector<NaiveLeaf> all;
    while (all.size() < 20'000) {
      std::vector<NaiveLeaf> leaves;
      for (std::size_t i = 0; i < at_once; ++i) {
        leaves.push_back({random.hash(), random.hash(), 1});
      }
      add(*stored.trees, kDecommissioned, leaves);
      all.insert(all.end(), leaves.begin(), leaves.end());
    }
    const Census found = census(stored, stored.trees->state().trees[structure_index(kDecommissioned)], all);
    // In full pages a leaf uses 107 octets, and the pages above them add a few per cent.
    EXPECT_LT(found.octets, 112U * all.size());
    EXPECT_LT(found.pages, all.size() / 16) << at_once;
    EXPECT_LE(found.depth, 4U) << at_once;
  }
}

// Tests that several threads make the same pages as one thread, octet for octet and with the same ids.
TEST(StoredTree, SeveralThreadsMakeTheSamePages) {
  const auto pages_of = [](Workers& workers) {
    Random random(18);
    Stored stored;
    std::vector<NaiveLeaf> all;
    for (std::uint64_t epoch = 1; epoch <= 5; ++epoch) {
      const auto leaves = new_leaves(random, all, 2000, epoch);
      all.insert(all.end(), leaves.begin(), leaves.end());
      EXPECT_TRUE(stored.trees->stage(kDevices, to_stored(leaves), workers));
      stored.trees->commit(epoch, log_of(0), {}, epoch - 1);
    }
    std::vector<Bytes> pages;
    stored.store->scan(Table::kPages, StoreKey(std::uint64_t{0}), [&](ByteSpan id, ByteSpan octets) {
      pages.emplace_back(id.begin(), id.end());
      pages.emplace_back(octets.begin(), octets.end());
      return true;
    });
    return pages;
  };
  Workers three(3);
  const std::vector<Bytes> expected = pages_of(alone);
  EXPECT_GT(expected.size(), 400U);
  EXPECT_EQ(pages_of(three), expected);
}

TEST(StoredTree, RefusesLabelsThatAreThereTwice) {
  Random random(14);
  Stored stored;
  const auto old = new_leaves(random, {}, 200, 1);
  add(*stored.trees, kKeys, old);
  const Hash root = stored.trees->state().trees[structure_index(kKeys)].root_hash;
  const auto fresh = to_stored(new_leaves(random, old, 2, 2));
  const auto stage = [&](const std::vector<NewLeaf>& leaves) {
    const bool result = stored.trees->stage(kKeys, leaves, alone);
    stored.trees->discard();
    return result;
  };
  EXPECT_TRUE(stage(fresh));
  EXPECT_FALSE(stage({fresh[0], fresh[0]}));
  EXPECT_FALSE(stage({fresh[1], fresh[0]}));
  EXPECT_FALSE(stage({to_stored(old)[100]}));
  const NewLeaf known = to_stored(old)[100];
  // In the tree of another structure the same label is allowed.
  EXPECT_TRUE(stored.trees->stage(kDevices, {&known, 1}, alone));
  EXPECT_TRUE(stored.trees->stage(kKeys, fresh, alone));
  stored.trees->commit(2, log_of(0), {}, 1);
  EXPECT_NE(stored.trees->state().trees[structure_index(kKeys)].root_hash, root);
}

// Tests a page with a correct checksum that refers to itself. Neither readers nor the writer may follow this reference
// forever.
TEST(StoredTree, RefusesPagesThatLeadBackUp) {
  Random random(19);
  const auto old = new_leaves(random, {}, 200, 1);
  const auto fresh = to_stored(new_leaves(random, old, 10, 2));
  for (const bool is_forged : {false, true}) {
    Stored stored;
    add(*stored.trees, kKeys, old);
    const Tree& tree = stored.trees->state().trees[structure_index(kKeys)];
    if (is_forged) {
      Bytes page(kPageHeaderLen + sizeof(PageNode) + sizeof(PageRef));
      page[kPageChecksumLen] = child_code(ChildKind::kNode, 0);
      page[kPageChecksumLen + 1] = 1;
      page[kPageChecksumLen + 3] = 1;
      const PageNode node{3, {child_code(ChildKind::kPage, 0), child_code(ChildKind::kPage, 0)}, {}};
      std::memcpy(page.data() + kPageHeaderLen, &node, sizeof(node));
      base::store_be64(page.data() + kPageHeaderLen + sizeof(node), tree.root);
      base::store_be32(page.data(), page_checksum(tree.root, page));
      const auto transaction = stored.store->begin();
      transaction->put(Table::kPages, StoreKey(tree.root), page);
      transaction->commit();
    }
    const auto stage = [&] { EXPECT_TRUE(stored.trees->stage(kKeys, fresh, alone)); };
    const auto read = [&] {
      const ByteSpan labels[] = {fresh[0].label};
      Paths room;
      stored.trees->walk_many(tree, labels, room);
    };
    if (is_forged) {
      EXPECT_THROW(stage(), std::system_error);
      EXPECT_THROW(read(), std::system_error);
    } else {
      EXPECT_NO_THROW(stage());
      EXPECT_NO_THROW(read());
    }
  }
}

TEST(StoredTrees, RemoveWhatNobodySeesAnyMoreAndNothingElse) {
  Random random(15);
  Stored stored;
  GrownTree grown;
  std::vector<Tree> trees = {stored.trees->state().trees[structure_index(kKeys)]};
  std::uint64_t pinned = 0;
  for (std::uint64_t epoch = 1; epoch <= 60; ++epoch) {
    const auto leaves = new_leaves(random, grown.all(), 40, epoch);
    grown.add(leaves);
    ASSERT_TRUE(stored.trees->stage(kKeys, to_stored(leaves), alone));
    if (random.below(5) == 0) {
      stored.trees->discard();
      ASSERT_TRUE(stored.trees->stage(kKeys, to_stored(leaves), alone));
    }
    // At a commit, readers can pin the previous epoch and earlier epochs, but no newer epoch.
    pinned = random.below(4) == 0 ? epoch - 1 : pinned;
    stored.trees->commit(epoch, log_of(0), {}, pinned);
    trees.push_back(stored.trees->state().trees[structure_index(kKeys)]);
    for (std::uint64_t e = pinned; e <= epoch; ++e) {
      census(stored, trees[e], grown.leaves(e));
    }
  }
  // After a commit while no reader pins an old epoch, only the pages of the current tree are left.
  stored.trees->commit(61, log_of(0), {}, 60);
  EXPECT_EQ(num_pages(*stored.store),
            census(stored, stored.trees->state().trees[structure_index(kKeys)], grown.all()).pages);
}

TEST(StoredTrees, KeepKeysAndStateAcrossEpochs) {
  Random random(16);
  Stored stored;
  const Tag one{1};
  const Tag two{2};
  EXPECT_EQ(stored.trees->find(one), kNoLogOffset);
  stored.trees->commit(7, log_of(100), {{two, 20}, {one, 10}}, 0);
  EXPECT_EQ(stored.trees->find(one), 10U);
  stored.trees->commit(8, log_of(200), {{one, 110}}, 7);
  EXPECT_EQ(stored.trees->find(one), 110U);
  EXPECT_EQ(stored.trees->find(two), 20U);
  StoreState state;
  const StoreKey key(std::uint64_t{0});
  stored.store->get(Table::kState, {&key, 1}, [&](std::size_t, ByteSpan row) { EXPECT_TRUE(decode(row, state)); });
  EXPECT_EQ(state.epoch, 8U);
  EXPECT_EQ(state.log.len, 200U);
}

// Tests that a large epoch's pages are written before its commit, and are removed if the epoch is not committed.
TEST(StoredTrees, WritesLargeEpochsAheadAndForgetsThemWithoutCommit) {
  Random random(17);
  std::vector<NaiveLeaf> all;
  const auto make = [&](std::size_t n) {
    std::vector<NaiveLeaf> leaves;
    for (std::size_t i = 0; i < n; ++i) {
      leaves.push_back({random.hash(), random.hash(), 1});
    }
    return leaves;
  };
  Stored stored;
  all = make(3000);
  add(*stored.trees, kUsernames, all);
  const std::uint64_t before = num_pages(*stored.store);
  const auto large = make(400'000);
  ASSERT_TRUE(stored.trees->stage(kUsernames, to_stored(large), alone));
  EXPECT_GT(num_pages(*stored.store), 2 * before);
  stored.trees->discard();
  const auto some = make(10);
  add(*stored.trees, kUsernames, some);
  all.insert(all.end(), some.begin(), some.end());
  stored.trees->commit(3, log_of(0), {}, 2);
  EXPECT_EQ(num_pages(*stored.store),
            census(stored, stored.trees->state().trees[structure_index(kUsernames)], all).pages);
  ASSERT_TRUE(stored.trees->stage(kUsernames, to_stored(large), alone));
  stored.trees->commit(4, log_of(0), {}, 3);
  all.insert(all.end(), large.begin(), large.end());
  EXPECT_EQ(stored.trees->state().trees[structure_index(kUsernames)].root_hash, NaiveTree(all).root());
  stored.trees->commit(5, log_of(0), {}, 4);
  EXPECT_EQ(num_pages(*stored.store),
            census(stored, stored.trees->state().trees[structure_index(kUsernames)], all).pages);
}

}  // namespace
}  // namespace optiks::ozks::test
