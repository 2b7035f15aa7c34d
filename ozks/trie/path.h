// The path of a label in a tree, for linked mode and for stored mode.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "trie/tree.h"

namespace optiks::ozks {

// One sibling on the path from the root, for a proof. Nodes keep the hashes of their two children together, and `hash`
// points to one of these two hashes.
struct Step {
  std::uint32_t length;  // length of the ancestor's prefix
  const Hash* sibling;
};

// The path of one label. In an empty tree it has no leaf and no steps.
struct Path {
  const Hash* leaf = nullptr;    // label of the leaf at the end of the label's bits
  std::uint64_t log_offset = 0;  // offset of that leaf's record in the leaf log
  std::size_t common = 0;        // number of bits that the label shares with that leaf; 256: it is the label's own leaf
  // Both hashes of the first node whose prefix is longer than `common`; null if that node is the leaf.
  const Hash* opened = nullptr;
  std::uint32_t length = 0;   // length of that node's prefix
  std::size_t num_steps = 0;  // number of steps above that node, or above the leaf
  std::array<Step, verify::kLabelBits> steps;

  [[nodiscard]] std::span<const Step> above() const { return std::span(steps).first(num_steps); }
  // Finds where the label leaves the tree, from `leaf` and all steps down to the leaf.
  void finish(ByteSpan label);
};

// The paths of several labels that are followed together. A walk mostly waits for memory or for the disk, and the waits
// of several walks overlap.
struct Paths {
  static constexpr std::size_t kMax = 8;

  std::array<Path, kMax> paths;
  // Owns the memory that the paths point into, unless their store keeps it while the tree is pinned.
  std::vector<std::shared_ptr<const void>> held;
};

}  // namespace optiks::ozks
