// The path of a label in a tree. Linked mode and stored mode both use these types.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "trie/tree.h"

namespace optiks::ozks {

// A step of a path: an interior node above the label, and the hash of its child that is not on the path. Nodes keep the
// hashes of their two children next to each other, and `sibling` points to one of these hashes.
struct Step {
  std::uint32_t length;  // length of the interior node's prefix
  const Hash* sibling;
};

// The path of one label. In an empty tree a path has no leaf and no steps.
struct Path {
  const Hash* leaf = nullptr;    // label of the leaf where a walk along the label's bits ends
  std::uint64_t log_offset = 0;  // offset of that leaf's record in the leaf log
  std::size_t common = 0;        // number of first bits that the label shares with that leaf's label
  // The two child hashes of the first node whose prefix is longer than `common`. Null if no prefix on the path is
  // longer; the label then leaves the tree at the leaf.
  const Hash* opened = nullptr;
  std::uint32_t length = 0;   // prefix length of that first node
  std::size_t num_steps = 0;  // number of steps above that node or, if `opened` is null, above the leaf
  std::array<Step, verify::kLabelBits> steps;

  [[nodiscard]] std::span<const Step> above() const { return std::span(steps).first(num_steps); }
  // Finds where the label leaves the tree, and sets `common`, `opened` and `length`. Before the call, `leaf` must be
  // set and the steps must lead down to the leaf; afterwards only the steps at nodes whose prefix the label has are
  // left.
  void finish(ByteSpan label);
};

// The paths of several labels that are walked together. A walk mostly waits for memory or for the disk, and the waits
// of several walks overlap.
struct Paths {
  static constexpr std::size_t kMax = 8;

  std::array<Path, kMax> paths;
  // Keeps alive the memory to which the paths point. It is empty if the store itself keeps this memory while the tree
  // is pinned.
  std::vector<std::shared_ptr<const void>> held;
};

}  // namespace optiks::ozks
