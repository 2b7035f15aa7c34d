// Tests insert_leaves() with batches of different sizes and with different numbers of threads. The tests check the new
// tree, the lists of created and superseded nodes, and where the labels left the old tree.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <numeric>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support.h"
#include "util/parallel.h"

namespace optiks::ozks::test {
namespace {

void collect(const Nodes& nodes, NodeId id, std::set<NodeId>& out) {
  if (id == kNoNode || Nodes::is_leaf(id)) {
    return;
  }
  out.insert(id);
  collect(nodes, nodes.interior(id).child[0], out);
  collect(nodes, nodes.interior(id).child[1], out);
}

std::set<NodeId> interiors_of(const Nodes& nodes, const Tree& tree) {
  std::set<NodeId> out;
  collect(nodes, root_of(tree), out);
  return out;
}

// A tree that grows with a fixed number of threads. All its states share one arena.
class Grown {
 public:
  explicit Grown(unsigned threads) : workers_(threads) {}

  void add(const std::vector<NaiveLeaf>& leaves) {
    std::vector<InsertedLeaf> added;
    std::vector<Hash> commitments;
    for (const NaiveLeaf& leaf : leaves) {
      added.push_back(add_leaf(nodes_, log_, leaf));
      commitments.push_back(leaf.commitment);
    }
    const std::set<NodeId> before = interiors_of(nodes_, tree_);
    Tree next;
    Change change;
    OpenedTree opened;
    ASSERT_TRUE(insert_leaves(nodes_, tree_, added, workers_, next, change, &opened));
    proof_.clear();
    make_append_proof(nodes_, log_, added, commitments, opened, workers_, proof_);

    const std::set<NodeId> created(change.created.begin(), change.created.end());
    const std::set<NodeId> superseded(change.superseded.begin(), change.superseded.end());
    EXPECT_EQ(created.size(), change.created.size());
    EXPECT_EQ(superseded.size(), change.superseded.size());
    std::set<NodeId> expected;
    std::ranges::set_difference(before, superseded, std::inserter(expected, expected.end()));
    expected.insert(created.begin(), created.end());
    EXPECT_EQ(interiors_of(nodes_, next), expected);
    EXPECT_EQ(expected.size() + superseded.size(), before.size() + created.size());

    nodes_.free_interiors(change.superseded);
    tree_ = next;
  }

  [[nodiscard]] const Tree& tree() const { return tree_; }
  [[nodiscard]] const Bytes& proof() const { return proof_; }

 private:
  Workers workers_;
  Nodes nodes_;
  LeafLog log_{nullptr};
  Tree tree_;
  Bytes proof_;
};

class Threads : public testing::TestWithParam<unsigned> {};

TEST_P(Threads, GiveTheTreeOfOne) {
  Random random(31);
  Grown one(1);
  Grown several(GetParam());
  GrownTree facts;
  std::uint64_t epoch = 0;
  for (const std::size_t batch : {1, 200, 3, 0, 700, 128, 127, 2500, 129}) {
    const auto leaves = new_leaves(random, facts.all(), batch, ++epoch);
    facts.add(leaves);
    one.add(leaves);
    several.add(leaves);
    ASSERT_EQ(several.tree().root_hash, one.tree().root_hash);
    EXPECT_EQ(several.tree().count, facts.all().size());
    EXPECT_EQ(several.proof(), one.proof());
  }
  EXPECT_EQ(several.tree().root_hash, NaiveTree(facts.all()).root());
}

// Inserts batches that are larger than a part, first into an empty tree and then into a tree that has leaves.
TEST_P(Threads, LargeBatches) {
  Random random(32);
  Grown grown(GetParam());
  std::vector<NaiveLeaf> all;
  for (std::uint64_t epoch = 1; epoch <= 2; ++epoch) {
    const auto leaves = new_leaves(random, all, 9000, epoch);
    grown.add(leaves);
    all.insert(all.end(), leaves.begin(), leaves.end());
  }
  EXPECT_EQ(grown.tree().root_hash, NaiveTree(all).root());
}

// The labels diverge at every bit, so the tree has nodes of all heights, each with one new leaf.
TEST_P(Threads, Chains) {
  Random random(33);
  Grown grown(GetParam());
  const Hash label = random.hash();
  std::vector<NaiveLeaf> all = {{label, random.hash(), 1}};
  grown.add(all);
  std::vector<NaiveLeaf> chain;
  for (std::size_t bit = 0; bit < verify::kLabelBits; ++bit) {
    chain.push_back({with_bit_flipped(label, bit), random.hash(), 2});
  }
  std::ranges::sort(chain, {}, &NaiveLeaf::label);
  grown.add(chain);
  all.insert(all.end(), chain.begin(), chain.end());
  EXPECT_EQ(grown.tree().root_hash, NaiveTree(all).root());
}

TEST_P(Threads, RefuseALabelThatIsThereOrTwiceWhereverItIs) {
  Random random(34);
  Nodes nodes;
  LeafLog log(nullptr);
  const auto old = new_leaves(random, {}, 500, 1);
  std::vector<InsertedLeaf> added;
  for (const NaiveLeaf& leaf : old) {
    added.push_back(add_leaf(nodes, log, leaf));
  }
  Workers workers(GetParam());
  Tree tree;
  Change first;
  ASSERT_TRUE(insert_leaves(nodes, Tree{}, added, workers, tree, first));
  const auto fresh = new_leaves(random, old, 600, 2);
  const auto accepts = [&](std::vector<NaiveLeaf> leaves) {
    std::ranges::sort(leaves, {}, &NaiveLeaf::label);
    std::vector<InsertedLeaf> tried;
    for (const NaiveLeaf& leaf : leaves) {
      tried.push_back(add_leaf(nodes, log, leaf));
    }
    Tree out;
    Change change;
    return insert_leaves(nodes, tree, tried, workers, out, change);
  };
  EXPECT_TRUE(accepts(fresh));
  for (const std::size_t i : {0, 250, 499}) {
    auto leaves = fresh;
    leaves.push_back(old[i]);
    EXPECT_FALSE(accepts(leaves));
  }
  for (const std::size_t i : {0, 150, 299, 300, 599}) {
    auto leaves = fresh;
    leaves.push_back(fresh[i]);
    EXPECT_FALSE(accepts(leaves));
  }
}

INSTANTIATE_TEST_SUITE_P(Numbers, Threads, testing::Values(1, 2, 3, 8));

TEST(Workers, CallEachOnce) {
  for (const unsigned threads : {0U, 1U, 2U, 5U}) {
    Workers workers(threads);
    // The first round starts the helpers. The pause before the last round is so long that the helpers sleep.
    for (const int pause_ms : {0, 0, 0, 20}) {
      std::this_thread::sleep_for(std::chrono::milliseconds(pause_ms));
      std::vector<std::atomic<int>> calls(100);
      workers.for_each_index(calls.size(), [&](std::size_t i) { ++calls[i]; });
      for (const auto& number : calls) {
        EXPECT_EQ(number, 1);
      }
    }
    workers.for_each_index(0, [](std::size_t) { ADD_FAILURE(); });
  }
}

TEST(Workers, HelpAndAreWaitedFor) {
  Workers workers(2);
  const auto caller = std::this_thread::get_id();
  std::atomic<bool> has_helped = false;
  std::atomic<int> calls = 0;
  workers.for_each_index(2, [&](std::size_t) {
    has_helped = has_helped || std::this_thread::get_id() != caller;
    // The caller waits here until the helper has taken the other index, even if the helper takes long to wake up.
    while (!has_helped) {
      std::this_thread::yield();
    }
    if (std::this_thread::get_id() != caller) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    ++calls;
  });
  EXPECT_EQ(calls, 2);
}

TEST(Workers, BeginAtBothEnds) {
  Workers workers(2);
  std::vector<std::size_t> by_caller;
  std::vector<std::size_t> by_helper;
  const auto caller = std::this_thread::get_id();
  workers.for_each_index(40, [&](std::size_t i) {
    (std::this_thread::get_id() == caller ? by_caller : by_helper).push_back(i);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  EXPECT_EQ(by_caller.size() + by_helper.size(), 40);
  EXPECT_TRUE(std::ranges::is_sorted(by_caller));
  EXPECT_TRUE(std::ranges::is_sorted(by_helper, std::greater()));
  EXPECT_TRUE(by_caller.empty() || by_helper.empty() || by_caller.back() < by_helper.back());
}

TEST(Workers, HaveOtherHelpersAfterTheEndOfSome) {
  Workers workers(2);
  const auto caller = std::this_thread::get_id();
  const auto helper_now = [&] {
    std::atomic<bool> has_helped = false;
    pid_t helper = 0;
    workers.for_each_index(2, [&](std::size_t) {
      if (std::this_thread::get_id() != caller) {
        helper = ::gettid();
        has_helped = true;
      }
      while (!has_helped) {
        std::this_thread::yield();
      }
    });
    return helper;
  };
  const pid_t first = helper_now();
  EXPECT_EQ(helper_now(), first);
  workers.end_helpers();
  EXPECT_NE(helper_now(), first);
}

TEST(Workers, ServeSeveralCallersAtOnce) {
  Workers workers(3);
  std::vector<std::thread> callers;
  std::atomic<int> calls = 0;
  for (int caller = 0; caller < 3; ++caller) {
    callers.emplace_back([&] {
      for (int round = 0; round < 300; ++round) {
        std::vector<int> parts(20);
        workers.for_each_index(parts.size(), [&](std::size_t i) { parts[i] = static_cast<int>(i); });
        calls += std::accumulate(parts.begin(), parts.end(), 0) == 190 ? 1 : 0;
      }
    });
  }
  for (std::thread& caller : callers) {
    caller.join();
  }
  EXPECT_EQ(calls, 900);
}

TEST(Workers, HandExceptionsOn) {
  for (const unsigned threads : {1U, 4U}) {
    Workers workers(threads);
    EXPECT_THROW(workers.for_each_index(50,
                                        [](std::size_t i) {
                                          if (i == 20) {
                                            throw std::runtime_error("twenty");
                                          }
                                        }),
                 std::runtime_error);
    int calls = 0;
    workers.for_each_index(1, [&](std::size_t) { ++calls; });
    EXPECT_EQ(calls, 1);
  }
}

}  // namespace
}  // namespace optiks::ozks::test
