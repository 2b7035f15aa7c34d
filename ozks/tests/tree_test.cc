// Compares trees, and the proofs of their steps, with the histories of the Python reference and with a naive model.
#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "support.h"

namespace optiks::ozks::test {
namespace {

// Recomputes the hash of a subtree from its leaves, and compares it with the hashes that the nodes keep.
Hash recompute(const GrownTree& grown, NodeId id, Hash& some_label) {
  if (Nodes::is_leaf(id)) {
    const Leaf& leaf = grown.nodes().leaf(id);
    some_label = leaf.label;
    LeafFacts facts;
    grown.log().read_facts(leaf.log_offset(), facts);
    return verify::leaf_hash(leaf.label, facts.commitment, facts.epoch);
  }
  const Interior& node = grown.nodes().interior(id);
  const Hash left = recompute(grown, node.child[0], some_label);
  const Hash right = recompute(grown, node.child[1], some_label);
  EXPECT_EQ(node.hash[0], left);
  EXPECT_EQ(node.hash[1], right);
  return verify::interior_hash(node.length, some_label, left, right);
}

Hash recompute(const GrownTree& grown, const Tree& tree) {
  Hash label{};
  return tree.count == 0 ? verify::empty_root() : recompute(grown, root_of(tree), label);
}

std::vector<NaiveLeaf> read_leaves(const verify::test::Json& rows) {
  std::vector<NaiveLeaf> leaves;
  for (const auto& row : rows) {
    NaiveLeaf leaf;
    std::ranges::copy(verify::test::from_hex(row[0]), leaf.label.begin());
    std::ranges::copy(verify::test::from_hex(row[1]), leaf.commitment.begin());
    leaf.epoch = row[2].get<std::uint64_t>();
    leaves.push_back(leaf);
  }
  return leaves;
}

TEST(Tree, ReferenceHistories) {
  const auto vectors = verify::test::load_vectors("tree/histories.json")["vectors"];
  EXPECT_EQ(vectors.size(), 21U);
  std::size_t num_leaves = 0;
  std::size_t num_epochs = 0;
  for (const auto& history : vectors) {
    GrownTree grown;
    for (const auto& epoch : history["epochs"]) {
      grown.add(read_leaves(epoch["leaves"]));
      EXPECT_EQ(Bytes(grown.tree().root_hash.begin(), grown.tree().root_hash.end()),
                verify::test::from_hex(epoch["root"]))
          << history["name"];
      EXPECT_EQ(recompute(grown, grown.tree()), grown.tree().root_hash);
      EXPECT_EQ(grown.epoch(grown.last_epoch()).proof, verify::test::from_hex(epoch["append"])) << history["name"];
      num_leaves += epoch["leaves"].size();
    }
    EXPECT_EQ(grown.tree().count, grown.all().size());
    num_epochs += history["epochs"].size();
  }
  EXPECT_EQ(num_epochs, 124U);
  EXPECT_EQ(num_leaves, 727U);
}

TEST(Tree, RandomHistoriesAgreeWithTheNaiveModel) {
  Random random(1);
  for (int history = 0; history < 60; ++history) {
    GrownTree grown;
    for (std::uint64_t epoch = 1; epoch <= 12; ++epoch) {
      grown.add(new_leaves(random, grown.all(), random.below(random.below(4) == 0 ? 80 : 5), epoch));
      ASSERT_EQ(grown.tree().root_hash, NaiveTree(grown.all()).root());
      ASSERT_EQ(grown.tree().count, grown.all().size());
    }
    // The trees of earlier epochs must be unchanged, because updates copy paths.
    for (std::uint64_t epoch = 0; epoch <= 12; ++epoch) {
      EXPECT_EQ(recompute(grown, grown.epoch(epoch).tree), grown.epoch(epoch).tree.root_hash);
    }
  }
}

// Tests a tree with a label and the 256 labels that differ from it in one bit: a chain of 256 interior nodes. The
// leaves are added once in one epoch, and once one by one.
TEST(Tree, EveryPrefixLengthAtOnceAndOneByOne) {
  Random random(2);
  const Hash label = random.hash();
  std::vector<NaiveLeaf> leaves = {{label, random.hash(), 1}};
  for (std::size_t bit = 0; bit < verify::kLabelBits; ++bit) {
    leaves.push_back({with_bit_flipped(label, bit), random.hash(), 1});
  }
  GrownTree at_once;
  at_once.add(leaves);
  std::shuffle(leaves.begin(), leaves.end(), std::mt19937_64(3));
  GrownTree one_by_one;
  for (const NaiveLeaf& leaf : leaves) {
    one_by_one.add({leaf});
  }
  EXPECT_EQ(at_once.tree().root_hash, NaiveTree(leaves).root());
  EXPECT_EQ(one_by_one.tree().root_hash, at_once.tree().root_hash);
  Paths room;
  const Path& path = path_of(at_once.nodes(), at_once.tree(), label, room);
  EXPECT_EQ(path.common, verify::kLabelBits);
  EXPECT_EQ(path.num_steps, verify::kLabelBits);
}

TEST(Tree, WalksEndAtTheLeafOrAtTheNodeThatDisagrees) {
  Random random(4);
  GrownTree grown;
  grown.add(new_leaves(random, {}, 200, 1));
  const NaiveTree naive(grown.all());
  Paths room;
  for (const NaiveLeaf& leaf : grown.all()) {
    const Path& path = path_of(grown.nodes(), grown.tree(), leaf.label, room);
    ASSERT_EQ(path.common, verify::kLabelBits);
    EXPECT_EQ(*path.leaf, leaf.label);
    LeafFacts facts;
    grown.log().read_facts(path.log_offset, facts);
    EXPECT_EQ(facts.commitment, leaf.commitment);
    EXPECT_EQ(path.num_steps, naive.path_to(leaf.label).siblings.size());
  }
  for (int i = 0; i < 500; ++i) {
    const Hash absent = new_leaves(random, grown.all(), 1, 0).front().label;
    const Path& path = path_of(grown.nodes(), grown.tree(), absent, room);
    ASSERT_LT(path.common, verify::kLabelBits);
    const auto expected = naive.absent(absent);
    EXPECT_EQ(path.opened == nullptr, expected.node == 2);
    if (path.opened != nullptr) {
      EXPECT_EQ(path.length, expected.length);
      EXPECT_GT(path.length, path.common);
      EXPECT_EQ(path.opened[0], expected.left);
      EXPECT_EQ(path.opened[1], expected.right);
    }
    ASSERT_EQ(path.num_steps, expected.path.siblings.size());
    for (std::size_t step = 0; step < path.num_steps; ++step) {
      EXPECT_EQ(*path.steps[step].sibling, expected.path.siblings[path.num_steps - 1 - step]);
    }
  }
}

TEST(Tree, RefusesLabelsThatAreThereTwice) {
  Random random(5);
  GrownTree grown;
  grown.add(new_leaves(random, {}, 20, 1));
  const auto fresh = new_leaves(random, grown.all(), 2, 2);
  const auto accepts = [&](const std::vector<NaiveLeaf>& leaves) {
    std::vector<InsertedLeaf> added;
    for (const NaiveLeaf& leaf : leaves) {
      added.push_back(add_leaf(grown.nodes(), grown.log(), leaf));
    }
    Tree out;
    Change change;
    Workers workers(1);
    return insert_leaves(grown.nodes(), grown.tree(), added, workers, out, change);
  };
  EXPECT_TRUE(accepts(fresh));
  EXPECT_FALSE(accepts({fresh[0], fresh[0]}));
  EXPECT_FALSE(accepts({fresh[1], fresh[0]}));
  EXPECT_FALSE(accepts({grown.all()[7]}));
}

TEST(Arena, GivesEveryFreedIdOnceAgain) {
  Arena<Interior> arena;
  std::vector<std::uint32_t> ids;
  for (std::size_t i = 0; i < 1000; ++i) {
    ids.push_back(arena.allocate());
  }
  const std::size_t bytes = arena.bytes();
  Random random(9);
  for (int round = 0; round < 20; ++round) {
    std::shuffle(ids.begin(), ids.end(), std::mt19937_64(random.below(1000)));
    // Frees some of the ids one by one and the others together. Then allocates the same number of ids again, some one
    // by one and the others together.
    const std::span<const std::uint32_t> freed = std::span(ids).first(random.below(900));
    const std::size_t freed_alone = random.below(freed.size() + 1);
    for (const std::uint32_t id : freed.first(freed_alone)) {
      arena.free(id);
    }
    arena.free_many(freed.subspan(freed_alone));
    const std::size_t taken_alone = random.below(freed.size() + 1);
    std::vector<std::uint32_t> again;
    for (std::size_t i = 0; i < taken_alone; ++i) {
      again.push_back(arena.allocate());
    }
    arena.allocate_many(freed.size() - taken_alone, again);
    for (std::size_t i = 0; i < again.size(); ++i) {
      ids[i] = again[i];
      arena[ids[i]] = {};
    }
    std::vector<std::uint32_t> sorted = ids;
    std::ranges::sort(sorted);
    ASSERT_EQ(std::ranges::adjacent_find(sorted), sorted.end());
    ASSERT_EQ(sorted.back(), 999U);
  }
  EXPECT_EQ(arena.bytes(), bytes);
}

TEST(Arena, GivesFreedIdsAgainAndKeepsTheOthers) {
  Arena<std::uint64_t> arena;
  std::vector<std::uint32_t> ids;
  // The elements fill several blocks of memory.
  for (std::uint64_t i = 0; i < 1'000'000; ++i) {
    ids.push_back(arena.allocate());
    arena[ids.back()] = i;
  }
  const std::size_t bytes = arena.bytes();
  std::vector<std::uint32_t> freed;
  for (std::size_t i = 0; i < ids.size(); i += 3) {
    arena.free(ids[i]);
    freed.push_back(ids[i]);
  }
  std::vector<std::uint32_t> again;
  for (std::size_t i = 0; i < freed.size(); ++i) {
    again.push_back(arena.allocate());
    arena[again.back()] = 0;
  }
  EXPECT_EQ(arena.bytes(), bytes);
  std::ranges::sort(freed);
  std::ranges::sort(again);
  EXPECT_EQ(again, freed);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    EXPECT_EQ(arena[ids[i]], i % 3 == 0 ? 0 : i);
  }
  static_cast<void>(arena.allocate());
  EXPECT_EQ(arena.bytes(), bytes + sizeof(std::uint64_t));
}

}  // namespace
}  // namespace optiks::ozks::test
