// Tests append-only proofs that are made from a tree, and proofs of ranges that are merged from the proofs of steps.
// The tests verify these proofs, and compare them with the proofs that the naive model makes from the range's old tree.
#include <gtest/gtest.h>

#include <algorithm>

#include "support.h"

namespace optiks::ozks::test {
namespace {

// Makes the proof of the range (a, b] from the tree of epoch a, without merging steps.
Bytes range_proof(const GrownTree& grown, std::uint64_t a, std::uint64_t b) {
  std::vector<NaiveLeaf> added;
  for (std::uint64_t e = a + 1; e <= b; ++e) {
    const auto& step = grown.epoch(e).added;
    added.insert(added.end(), step.begin(), step.end());
  }
  return NaiveTree(grown.leaves(a)).append(a, added).encode();
}

GrownTree grow(Random& random, std::size_t epochs, std::size_t first, std::size_t most) {
  GrownTree grown;
  grown.add(new_leaves(random, {}, first, 1));
  for (std::uint64_t epoch = 2; epoch <= epochs; ++epoch) {
    grown.add(new_leaves(random, grown.all(), random.below(most + 1), epoch));
  }
  return grown;
}

TEST(AppendProof, StepsAreTheNaiveProofsAndAreAccepted) {
  Random random(11);
  std::size_t checked = 0;
  for (int history = 0; history < 40; ++history) {
    const GrownTree grown = grow(random, 8, random.below(60), 25);
    for (std::uint64_t e = 1; e <= grown.last_epoch(); ++e) {
      ASSERT_EQ(grown.epoch(e).proof, range_proof(grown, e - 1, e));
      ASSERT_EQ(grown.verdict(e - 1, e, grown.epoch(e).proof), verify::Reason::kValid);
      ++checked;
    }
  }
  EXPECT_EQ(checked, 320U);
}

TEST(AppendProof, AnotherStepsProofIsRefused) {
  Random random(12);
  const GrownTree grown = grow(random, 4, 40, 20);
  EXPECT_EQ(grown.verdict(2, 3, grown.epoch(3).proof), verify::Reason::kValid);
  EXPECT_NE(grown.verdict(2, 3, grown.epoch(4).proof), verify::Reason::kValid);
}

void check_merges(const GrownTree& grown, std::uint64_t a, std::uint64_t b) {
  Bytes merged;
  ASSERT_TRUE(grown.merge(a, b, merged)) << a << ".." << b;
  EXPECT_EQ(merged, range_proof(grown, a, b)) << a << ".." << b;
  EXPECT_EQ(grown.verdict(a, b, merged), verify::Reason::kValid) << a << ".." << b;
}

TEST(AppendMerge, AllRangesOfShortHistories) {
  Random random(13);
  for (int history = 0; history < 25; ++history) {
    // Every second history starts with an empty tree. Some steps add no leaves.
    const GrownTree grown = grow(random, 9, history % 2 == 0 ? 0 : 30, 6);
    for (std::uint64_t a = 0; a < 9; ++a) {
      for (std::uint64_t b = a + 1; b <= 9; ++b) {
        check_merges(grown, a, b);
      }
    }
  }
}

TEST(AppendMerge, LongRanges) {
  Random random(14);
  const GrownTree grown = grow(random, 257, 50, 4);
  for (const std::uint64_t length : {1, 2, 63, 64, 255, 256}) {
    check_merges(grown, 1, 1 + length);
  }
  check_merges(grown, 0, 256);
}

// Each added label differs from the first label in exactly one bit, and no two in the same bit. So some steps open
// nodes that earlier steps inserted or forked, and other steps open nodes that no earlier step opened.
TEST(AppendMerge, ChainsOfAllPrefixLengths) {
  Random random(15);
  const Hash label = random.hash();
  std::vector<Hash> labels;
  for (std::size_t bit = 0; bit < verify::kLabelBits; ++bit) {
    labels.push_back(with_bit_flipped(label, bit));
  }
  std::shuffle(labels.begin(), labels.end(), std::mt19937_64(16));
  GrownTree grown;
  grown.add({{label, random.hash(), 1}});
  for (std::size_t i = 0; i < labels.size(); ++i) {
    grown.add({{labels[i], random.hash(), 2 + i}});
  }
  check_merges(grown, 1, 257);
  check_merges(grown, 0, 256);
  check_merges(grown, 100, 200);
}

struct Steps {
  std::vector<Bytes> proofs;
  std::vector<std::uint64_t> counts;
};

Steps steps_of(const GrownTree& grown, std::uint64_t a, std::uint64_t b) {
  Steps steps;
  for (std::uint64_t e = a + 1; e <= b; ++e) {
    steps.proofs.push_back(grown.epoch(e).proof);
    steps.counts.push_back(grown.epoch(e - 1).tree.count);
  }
  return steps;
}

TEST(AppendMerge, ChangedFilesNeverPass) {
  Random random(17);
  const GrownTree grown = grow(random, 7, 25, 8);
  const Steps honest = steps_of(grown, 1, 7);
  Bytes expected;
  ASSERT_TRUE(merge_steps(honest.proofs, honest.counts, expected));
  ASSERT_EQ(grown.verdict(1, 7, expected), verify::Reason::kValid);
  std::size_t refused = 0;
  std::size_t unharmed = 0;
  for (int i = 0; i < 4000; ++i) {
    Steps changed = honest;
    Bytes& file = changed.proofs[random.below(changed.proofs.size())];
    switch (random.below(4)) {
      case 0:
        file.resize(random.below(file.size()));
        break;
      case 1:
        file[random.below(file.size())] = static_cast<std::uint8_t>(random.below(256));
        break;
      case 2:
        file.insert(file.begin() + static_cast<std::ptrdiff_t>(random.below(file.size() + 1)),
                    static_cast<std::uint8_t>(random.below(4)));
        break;
      default: {
        // This change copies a few octets from another position of the same file, so that they often are valid tokens.
        const std::size_t len = 1 + random.below(40);
        if (file.size() > len) {
          const Bytes copy = file;
          std::copy_n(copy.begin() + static_cast<std::ptrdiff_t>(random.below(copy.size() - len)), len,
                      file.begin() + static_cast<std::ptrdiff_t>(random.below(file.size() - len)));
        }
      }
    }
    Bytes merged;
    if (!merge_steps(changed.proofs, changed.counts, merged)) {
      ++refused;
    } else if (merged == expected) {
      ++unharmed;  // the change did nothing, or was in a hash that another step replaces
    } else {
      EXPECT_NE(grown.verdict(1, 7, merged), verify::Reason::kValid);
    }
  }
  EXPECT_GT(refused, 500U);
  EXPECT_LT(unharmed, 2000U);
}

TEST(AppendMerge, StepsThatDoNotFollowEachOtherAreRefused) {
  Random random(18);
  GrownTree grown;
  grown.add(new_leaves(random, {}, 25, 1));
  for (std::uint64_t epoch = 2; epoch <= 7; ++epoch) {
    grown.add(new_leaves(random, grown.all(), 1 + random.below(8), epoch));
  }
  const Steps honest = steps_of(grown, 1, 7);
  Bytes merged;
  EXPECT_TRUE(merge_steps(honest.proofs, honest.counts, merged));
  const auto refuses = [&](const auto& change) {
    Steps changed = honest;
    change(changed);
    Bytes out;
    return !merge_steps(changed.proofs, changed.counts, out) || grown.verdict(1, 7, out) != verify::Reason::kValid;
  };
  EXPECT_TRUE(refuses([](Steps& s) { std::swap(s.proofs[2], s.proofs[3]); }));
  EXPECT_TRUE(refuses([](Steps& s) { s.proofs[3] = s.proofs[2]; }));
  EXPECT_TRUE(refuses([](Steps& s) { ++s.counts[0]; }));
  EXPECT_TRUE(refuses([](Steps& s) { --s.counts[4]; }));
  EXPECT_TRUE(refuses([](Steps& s) { s.counts.assign(s.counts.size(), 0); }));
  EXPECT_TRUE(refuses([](Steps& s) { s.proofs[0] = Bytes(8, 0); }));
  EXPECT_FALSE(refuses([](Steps&) {}));
}

}  // namespace
}  // namespace optiks::ozks::test
