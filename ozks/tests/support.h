// Helpers for the tests of the trees and of the directory. These tests use the prover of the verifier's tests as their
// model. It rebuilds a naive tree from all leaves for each result.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "linked/append_proof.h"
#include "optiks/ozks/verify/append.h"
#include "trie/append_merge.h"
#include "trie/insert.h"
#include "trie/nodes.h"
#include "trie/path.h"
#include "verify/tests/prover.h"
#include "verify/tests/vectors.h"

namespace optiks::ozks::test {

using verify::test::Bytes;
using NaiveTree = verify::test::Tree;
using NaiveLeaf = verify::test::Leaf;

// The step from one damaged octet to the next in tests that damage each octet of a file. With sanitizers these tests
// take several times as long, and the tests without sanitizers damage every octet, so the step is larger.
#ifdef __SANITIZE_ADDRESS__
constexpr std::size_t kOctetStep = 7;
#else
constexpr std::size_t kOctetStep = 1;
#endif

// A random number generator with the same sequence in every run.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  // 0..bound-1
  [[nodiscard]] std::uint64_t below(std::uint64_t bound) { return engine_() % bound; }
  [[nodiscard]] Hash hash() {
    Hash out;
    for (std::uint8_t& octet : out) {
      octet = static_cast<std::uint8_t>(engine_());
    }
    return out;
  }

 private:
  std::mt19937_64 engine_;
};

[[nodiscard]] inline Hash with_bit_flipped(Hash label, std::size_t bit) {
  label[bit / 8] = static_cast<std::uint8_t>(label[bit / 8] ^ (0x80U >> (bit % 8)));
  return label;
}

// Returns a new label. It is either random, or it differs from an existing label in one bit, so that prefixes of all
// lengths occur.
[[nodiscard]] Hash new_label(Random& random, const std::vector<NaiveLeaf>& existing);

// Returns `count` leaves of `epoch`, sorted by label. Their labels are distinct, and none of them is in `existing`.
[[nodiscard]] std::vector<NaiveLeaf> new_leaves(Random& random, const std::vector<NaiveLeaf>& existing,
                                                std::size_t count, std::uint64_t epoch);

// A tree that grows epoch by epoch, and the leaves from which the naive model makes the same tree.
class GrownTree {
 public:
  struct Epoch {
    Tree tree;
    std::vector<NaiveLeaf> added;
    Bytes proof;  // proof of the step
  };

  explicit GrownTree(std::uint64_t first_epoch = 0) : first_epoch_(first_epoch), epochs_(1) {}

  // Adds the next epoch with these leaves, which the function sorts. The epochs in the leaves may be arbitrary.
  void add(std::vector<NaiveLeaf> leaves);

  [[nodiscard]] const Nodes& nodes() const { return *nodes_; }
  [[nodiscard]] Nodes& nodes() { return *nodes_; }
  [[nodiscard]] LeafLog& log() const { return *log_; }
  [[nodiscard]] std::uint64_t last_epoch() const { return first_epoch_ + epochs_.size() - 1; }
  [[nodiscard]] const Epoch& epoch(std::uint64_t e) const { return epochs_[e - first_epoch_]; }
  [[nodiscard]] const Tree& tree() const { return epochs_.back().tree; }
  // Returns all leaves that were added up to an epoch.
  [[nodiscard]] std::vector<NaiveLeaf> leaves(std::uint64_t epoch) const;
  [[nodiscard]] const std::vector<NaiveLeaf>& all() const { return all_; }

  // Merges the proofs of the steps from epoch a to epoch b. Returns false if the merge refuses them.
  [[nodiscard]] bool merge(std::uint64_t a, std::uint64_t b, Bytes& out) const;
  // Returns the verifier's verdict on a proof for the range (a, b].
  [[nodiscard]] verify::Reason verdict(std::uint64_t a, std::uint64_t b, ByteSpan proof) const;

 private:
  std::uint64_t first_epoch_;
  std::unique_ptr<Nodes> nodes_ = std::make_unique<Nodes>();
  std::unique_ptr<LeafLog> log_ = std::make_unique<LeafLog>(nullptr);
  std::vector<Epoch> epochs_;
  std::vector<NaiveLeaf> all_;
};

[[nodiscard]] InsertedLeaf add_leaf(Nodes& nodes, LeafLog& log, const NaiveLeaf& leaf);

// Returns the path of one label in a tree. `walked` is a Nodes or a TreeStore. The path is stored in `room`.
template <typename Walked>
[[nodiscard]] const Path& path_of(const Walked& walked, const Tree& tree, const Hash& label, Paths& room) {
  const ByteSpan labels[] = {label};
  walked.walk_many(tree, labels, room);
  return room.paths[0];
}

// Merges steps, each of which is the encoding of an AppendProof.
[[nodiscard]] bool merge_steps(const std::vector<Bytes>& steps, const std::vector<std::uint64_t>& counts, Bytes& out);

}  // namespace optiks::ozks::test
