// Tests 46 to 57 of docs/negative-tests.md: append-only proofs and audits. Test 56, a crash between storing and
// signing, is among the auditor's tests.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "optiks/ozks/verify/append.h"
#include "scene.h"

namespace optiks::ozks::verify::test {
namespace {

Hash random_label(std::mt19937& random) {
  Hash label;
  // Most octets are one of two values, so labels often share long prefixes.
  for (std::uint8_t& octet : label) {
    octet = static_cast<std::uint8_t>(random() % 8 == 0 ? random() : 0x80 * (random() % 2));
  }
  return label;
}

Leaf random_leaf(std::mt19937& random, std::uint64_t epoch) {
  return {random_label(random), leaf_hash(random_label(random), random_label(random), 0), epoch};
}

// The leaves of a tree: those of the epochs up to `a`, and those that the epochs a + 1 to a + `steps` added.
struct History {
  std::uint64_t a = 5;
  std::vector<Leaf> old;
  std::vector<Leaf> added;
  std::size_t steps = 1;

  static History make(unsigned seed, std::size_t num_old, std::size_t num_added, std::size_t steps) {
    std::mt19937 random(seed);
    History history;
    history.steps = steps;
    std::vector<Hash> labels;
    while (labels.size() < num_old + num_added) {
      const std::uint64_t epoch = labels.size() < num_old ? random() % 6 : 6 + random() % steps;
      const Leaf leaf = random_leaf(random, epoch);
      if (std::ranges::find(labels, leaf.label) == labels.end()) {
        (labels.size() < num_old ? history.old : history.added).push_back(leaf);
        labels.push_back(leaf.label);
      }
    }
    return history;
  }

  [[nodiscard]] AppendParts proof() const { return Tree(old).append(a, added); }

  // Returns the correct states of the tree in all epochs from `a` on.
  [[nodiscard]] std::vector<std::pair<Hash, std::uint64_t>> states() const {
    std::vector<std::pair<Hash, std::uint64_t>> states;
    for (std::size_t j = 0; j <= steps; ++j) {
      std::vector<Leaf> leaves = old;
      std::ranges::copy_if(added, std::back_inserter(leaves), [&](const Leaf& leaf) { return leaf.epoch <= a + j; });
      const Tree tree(leaves);
      states.emplace_back(tree.root(), tree.count());
    }
    return states;
  }

  [[nodiscard]] std::string verify(const AppendParts& proof) const { return verify(proof, states()); }

  [[nodiscard]] std::string verify(const AppendParts& proof,
                                   const std::vector<std::pair<Hash, std::uint64_t>>& claimed) const {
    std::vector<TreeState> views;
    for (const auto& [root, count] : claimed) {
      views.push_back({root, count});
    }
    const Bytes encoded = proof.encode();
    AppendProof decoded;
    Reason reason = decode_whole(encoded, decoded);
    if (reason == Reason::kValid) {
      auto workspace = AppendWorkspace::create(claimed.size() - 1);
      reason = verify_append(a, views, decoded, *workspace);
    }
    return name_of(reason);
  }
};

TEST(NegativeAppend, N00PositiveControl) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    const History history = History::make(seed, seed % 23, seed / 7 % 19, 1 + seed % 9);
    EXPECT_EQ(history.verify(history.proof()), "valid") << seed;
  }
  const History wide = History::make(1, 200, 300, 256);
  EXPECT_EQ(wide.verify(wide.proof()), "valid");
}

TEST(NegativeAppend, N00DeepestTree) {
  // For each of the 256 bits, one leaf diverges at this bit from the leaf with the label 0, so the tree has the maximum
  // depth.
  std::vector<Leaf> chain;
  for (std::size_t i = 0; i < 256; ++i) {
    Leaf leaf;
    leaf.label[i / 8] = static_cast<std::uint8_t>(0x80U >> (i % 8));
    leaf.epoch = i % 2 == 0 ? 1 : 6 + i / 2;
    chain.push_back(leaf);
  }
  chain.push_back(Leaf{{}, {}, 6});
  History history;
  history.steps = 256;
  for (const Leaf& leaf : chain) {
    (leaf.epoch <= history.a ? history.old : history.added).push_back(leaf);
  }
  EXPECT_EQ(history.verify(history.proof()), "valid");
}

TEST(NegativeAppend, N46InsertedLeafExists) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    History history = History::make(seed, 10, 3, 1);
    Leaf rewritten = history.old[seed % 10];
    rewritten.epoch = 6;
    rewritten.commitment[0] ^= 1;
    history.added.push_back(rewritten);
    EXPECT_EQ(history.verify(history.proof()), "append_exists") << seed;
  }
}

TEST(NegativeAppend, N47StubAboveAnInsertedLeaf) {
  // Instead of opening the node that a listed leaf reaches, the server sends only the node's hash.
  const History history = History::make(3, 12, 1, 1);
  AppendParts proof = history.proof();
  const Hash root = Tree(history.old).root();
  proof.opened = to_bytes(root);
  EXPECT_NE(history.verify(proof), "valid");
  EXPECT_EQ(history.verify(history.proof()), "valid");
}

TEST(NegativeAppend, N47EveryTokenOctetCounts) {
  for (unsigned seed = 0; seed < 8; ++seed) {
    const History history = History::make(seed, 9, 3, 2);
    const AppendParts honest = history.proof();
    ASSERT_EQ(history.verify(honest), "valid");
    for (std::size_t i = 0; i < honest.opened.size(); ++i) {
      for (const int flip : {0x01, 0x80}) {
        AppendParts proof = honest;
        proof.opened[i] = static_cast<std::uint8_t>(proof.opened[i] ^ flip);
        ASSERT_NE(history.verify(proof), "valid") << seed << " " << i;
      }
    }
  }
}

TEST(NegativeAppend, N48ListNotStrictlyIncreasing) {
  const History history = History::make(4, 6, 4, 1);
  AppendParts twice = history.proof();
  twice.leaves.insert(twice.leaves.begin(), twice.leaves[0]);
  EXPECT_EQ(history.verify(twice), "append_leaf_order");
  AppendParts swapped = history.proof();
  std::swap(swapped.leaves[0], swapped.leaves[1]);
  EXPECT_EQ(history.verify(swapped), "append_leaf_order");
}

TEST(NegativeAppend, N48NothingIsLeftOver) {
  const History history = History::make(5, 6, 4, 1);
  AppendParts proof = history.proof();
  proof.opened.push_back(0);
  EXPECT_EQ(history.verify(proof), "append_trailing");
  History unchanged = History::make(5, 6, 0, 1);
  EXPECT_EQ(unchanged.verify(unchanged.proof()), "valid");
  proof = unchanged.proof();
  proof.opened = to_bytes(Tree(unchanged.old).root());
  EXPECT_EQ(unchanged.verify(proof), "append_trailing");
  History first = History::make(5, 0, 3, 1);
  proof = first.proof();
  EXPECT_EQ(first.verify(proof), "valid");
  proof.opened.push_back(2);
  EXPECT_EQ(first.verify(proof), "append_trailing");
}

TEST(NegativeAppend, N48Truncated) {
  const History history = History::make(6, 6, 4, 1);
  const AppendParts honest = history.proof();
  for (std::size_t length = 0; length < honest.opened.size(); ++length) {
    AppendParts proof = honest;
    proof.opened.resize(length);
    ASSERT_EQ(history.verify(proof), "append_truncated") << length;
  }
}

TEST(NegativeAppend, N49LeafDropped) {
  const History history = History::make(7, 8, 3, 1);
  auto states = history.states();
  std::vector<Leaf> without(history.old.begin() + 1, history.old.end());
  without.insert(without.end(), history.added.begin(), history.added.end());
  states[1] = {Tree(without).root(), without.size()};
  EXPECT_EQ(history.verify(history.proof(), states), "append_leaf_count");
  states[1].second += 1;
  EXPECT_EQ(history.verify(history.proof(), states), "append_new_root");
}

TEST(NegativeAppend, N50LeafHidden) {
  const History history = History::make(8, 8, 3, 1);
  History hidden = history;
  hidden.added.pop_back();
  EXPECT_EQ(history.verify(hidden.proof()), "append_leaf_count");
  auto states = history.states();
  states[1].second -= 1;
  EXPECT_EQ(history.verify(hidden.proof(), states), "append_new_root");
}

TEST(NegativeAppend, N51LeafOfAnotherEpoch) {
  const History history = History::make(9, 8, 4, 2);
  AppendParts proof = history.proof();
  proof.leaves[0].offset = 2;
  EXPECT_EQ(history.verify(proof), "append_leaf_epoch");
  proof.leaves[0].offset = static_cast<std::uint8_t>(1 - history.proof().leaves[0].offset);
  EXPECT_EQ(history.verify(proof), "append_leaf_count");
  // In the server's tree, the leaf has an earlier epoch than in the proof's list.
  History backdated = History::make(9, 8, 1, 1);
  auto states = backdated.states();
  std::vector<Leaf> leaves = backdated.old;
  leaves.push_back(backdated.added[0]);
  leaves.back().epoch = 3;
  states[1].first = Tree(leaves).root();
  EXPECT_EQ(backdated.verify(backdated.proof(), states), "append_new_root");
}

TEST(NegativeAppend, N52ProofOfAnotherStep) {
  Scene scene;
  EXPECT_EQ(scene.audit_proof(scene.audit(2, 3), 2), "valid");
  EXPECT_EQ(scene.audit_proof(scene.audit(2, 3), 3), "audit_start");
  const History history = History::make(10, 8, 3, 1);
  auto states = history.states();
  states[0].first[0] ^= 1;
  EXPECT_EQ(history.verify(history.proof(), states), "append_old_root");
}

TEST(NegativeAppend, N53N54EpochsSkippedRepeatedOrReversed) {
  Scene scene;
  EXPECT_EQ(scene.audit_proof(scene.audit(0, 9), 0), "valid");
  const auto audit_of = [&](const std::vector<std::uint64_t>& epochs) {
    Writer records;
    for (const std::uint64_t epoch : epochs) {
      records.raw(scene.record(epoch).encode());
    }
    Writer out;
    out.vector(records.get(), 3);
    for (int id = 0; id < 4; ++id) {
      out.raw(AppendParts().encode());
    }
    return out.get();
  };
  EXPECT_EQ(scene.audit_proof(audit_of({2, 4}), 2), "record_epoch");
  EXPECT_EQ(scene.audit_proof(audit_of({2, 1}), 2), "record_epoch");
  EXPECT_EQ(scene.audit_proof(audit_of({2, 2}), 2), "record_epoch");
  EXPECT_EQ(scene.audit_proof(audit_of({2, 3, 3}), 2), "record_epoch");
  EXPECT_EQ(scene.audit_proof(audit_of({2}), 2), "malformed_length");
  EXPECT_EQ(scene.audit_proof(audit_of({2, 3}), 2), "append_leaf_count");
}

TEST(NegativeAppend, N53EveryRootOfARangeIsChecked) {
  // In one epoch of the range the root is that of another tree: an old leaf has another commitment.
  const History history = History::make(11, 8, 6, 3);
  for (std::size_t j = 1; j <= 3; ++j) {
    auto states = history.states();
    std::vector<Leaf> leaves = history.old;
    std::ranges::copy_if(history.added, std::back_inserter(leaves),
                         [&](const Leaf& leaf) { return leaf.epoch <= history.a + j; });
    leaves[0].commitment[0] ^= 1;
    states[j].first = Tree(leaves).root();
    EXPECT_EQ(history.verify(history.proof(), states), "append_new_root") << j;
  }
  EXPECT_EQ(history.verify(history.proof()), "valid");
}

TEST(NegativeAppend, N55EmptyEpochWithChangedRoot) {
  const History history = History::make(12, 8, 0, 1);
  auto states = history.states();
  states[1].first[5] ^= 1;
  EXPECT_EQ(history.verify(history.proof(), states), "append_new_root");
  // The proof lists a leaf, but the root does not change.
  const History grown = History::make(12, 8, 1, 1);
  states = grown.states();
  states[1].first = states[0].first;
  EXPECT_EQ(grown.verify(grown.proof(), states), "append_new_root");
  // The number of leaves must not wrap around to 0.
  states = grown.states();
  states[0].second = UINT64_MAX;
  states[1].second = 0;
  EXPECT_EQ(grown.verify(grown.proof(), states), "append_leaf_count");
}

TEST(NegativeAppend, N57AnnouncedLengthsAreNotBelieved) {
  Scene scene;
  Bytes proof = scene.audit(2, 3);
  const std::size_t first_structure = 3 + 2 * kRecordLen;
  for (std::size_t i = 0; i < 4; ++i) {
    proof[first_structure + i] = 0xFF;
  }
  // A length of 2^32 - 1 octets is not a multiple of a leaf's 65 octets; a length of 2^32 - 61 octets is.
  EXPECT_EQ(scene.audit_proof(proof, 2), "malformed_length");
  ASSERT_EQ((0xFFFFFFFFU - 60) % 65, 0U);
  proof[first_structure + 3] = 0xFF - 60;
  EXPECT_EQ(scene.audit_proof(proof, 2), "malformed_truncated");
}

}  // namespace
}  // namespace optiks::ozks::verify::test
