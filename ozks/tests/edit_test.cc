// Tests replacing and removing leaves in place. The result must equal the tree that a naive model makes from the
// remaining leaves, and new leaves can still be added to it.
#include "trie/edit.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support.h"

namespace optiks::ozks::test {
namespace {

TEST(Edit, LeavesWhatTheLeavesMake) {
  Random random(31);
  for (int history = 0; history < 40; ++history) {
    Nodes nodes;
    LeafLog log(nullptr);
    Tree tree;
    std::vector<NaiveLeaf> kept;
    for (std::uint64_t epoch = 1; epoch <= 6; ++epoch) {
      // In some rounds the tree becomes empty.
      const std::vector<NaiveLeaf> added = new_leaves(random, kept, random.below(epoch % 2 == 0 ? 30 : 3), epoch);
      std::vector<InsertedLeaf> inserted;
      for (const NaiveLeaf& leaf : added) {
        inserted.push_back(add_leaf(nodes, log, leaf));
      }
      Change change;
      Workers alone(1);
      Tree next;
      ASSERT_TRUE(insert_leaves(nodes, tree, inserted, alone, next, change));
      tree = next;
      nodes.free_interiors(change.superseded);
      kept.insert(kept.end(), added.begin(), added.end());
      for (std::uint64_t i = kept.empty() ? 0 : random.below(2 * kept.size()); i > 0 && !kept.empty(); --i) {
        const std::size_t at = random.below(kept.size());
        if (random.below(2) == 0) {
          remove_leaf(nodes, tree, kept[at].label);
          kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(at));
        } else {
          kept[at].commitment = random.hash();
          replace_leaf(nodes, tree, kept[at].label,
                       verify::leaf_hash(kept[at].label, kept[at].commitment, kept[at].epoch));
        }
        ASSERT_EQ(tree.root_hash, NaiveTree(kept).root());
        ASSERT_EQ(tree.count, kept.size());
      }
      // Each leaf must be found, and the siblings on its path must give the root hash.
      Paths room;
      for (const NaiveLeaf& leaf : kept) {
        const Path& path = path_of(nodes, tree, leaf.label, room);
        ASSERT_EQ(path.common, verify::kLabelBits);
        Hash hash = verify::leaf_hash(leaf.label, leaf.commitment, leaf.epoch);
        for (std::size_t i = path.num_steps; i-- > 0;) {
          const Step& step = path.steps[i];
          const bool right = verify::bit_at(leaf.label, step.length);
          hash = right ? verify::interior_hash(step.length, leaf.label, *step.sibling, hash)
                       : verify::interior_hash(step.length, leaf.label, hash, *step.sibling);
        }
        ASSERT_EQ(hash, tree.root_hash);
      }
    }
  }
}

}  // namespace
}  // namespace optiks::ozks::test
