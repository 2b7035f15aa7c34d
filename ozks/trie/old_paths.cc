#include "trie/old_paths.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <numeric>

#include "util/prefetch.h"

namespace optiks::ozks {
namespace {

// The number of labels whose paths are walked together, so that their waits for memory overlap.
constexpr std::size_t kWidth = 16;
// The number of parts for each thread. With this number no thread waits long for the last part.
constexpr std::size_t kPathPartsPerThread = 8;

// Finds the paths of some of the leaves, on one thread.
class OldPathsOfSome {
 public:
  OldPathsOfSome(const Nodes& nodes, NodeId root, std::span<InsertedLeaf> leaves, std::vector<NodeId>& reached)
      : nodes_(nodes), root_(root), leaves_(leaves), reached_(reached) {}

  // Finds the paths of leaves [first, last). Writes to `num_reached[i]` the number of nodes that it lists for leaf `i`.
  bool find(std::size_t first, std::size_t last, std::size_t* num_reached) {
    for (std::size_t begin = first; begin < last; begin += kWidth) {
      if (!find_group(begin, std::min(kWidth, last - begin), num_reached + begin)) {
        return false;
      }
    }
    return true;
  }

 private:
  bool find_group(std::size_t first, std::size_t size, std::size_t* num_reached) {
    std::array<const Hash*, kWidth> labels;
    // For each label: the number of bits that it shares with the previous label, or -1 if there is no previous label.
    // Nodes whose prefix is not longer are also on the path of the previous label, and are not listed again.
    std::array<int, kWidth> shared;
    for (std::size_t i = 0; i < size; ++i) {
      labels[i] = &label(first + i);
      shared[i] = -1;
      if (first + i != 0) {
        const Hash& before = label(first + i - 1);
        if (before >= *labels[i]) {
          return false;
        }
        shared[i] = static_cast<int>(verify::common_prefix_length(before, *labels[i]));
      }
      num_reached[i] = 0;
      leaves_[first + i].nearest = root_;
    }
    if (root_ == kNoNode) {
      return true;
    }
    for (bool going = !Nodes::is_leaf(root_); going;) {
      going = false;
      for (std::size_t i = 0; i < size; ++i) {
        NodeId& at = leaves_[first + i].nearest;
        if (Nodes::is_leaf(at)) {
          continue;
        }
        const Interior& node = nodes_.interior(at);
        if (static_cast<int>(node.length) > shared[i]) {
          group_[i][num_reached[i]++] = at;
        }
        at = node.child[verify::bit_at(*labels[i], node.length) ? 1 : 0];
        if (Nodes::is_leaf(at)) {
          prefetch(&nodes_.leaf(at).label, verify::kHashLen);
        } else {
          prefetch(&nodes_.interior(at), sizeof(Interior));
          going = true;
        }
      }
    }
    for (std::size_t i = 0; i < size; ++i) {
      InsertedLeaf& leaf = leaves_[first + i];
      const std::size_t common = verify::common_prefix_length(*labels[i], nodes_.leaf(leaf.nearest).label);
      if (common == verify::kLabelBits) {
        return false;
      }
      leaf.common = static_cast<std::uint32_t>(common);
      reached_.insert(reached_.end(), group_[i].begin(),
                      group_[i].begin() + static_cast<std::ptrdiff_t>(num_reached[i]));
    }
    return true;
  }

  [[nodiscard]] const Hash& label(std::size_t i) const { return nodes_.leaf(leaves_[i].id).label; }

  const Nodes& nodes_;
  NodeId root_;
  std::span<InsertedLeaf> leaves_;
  std::vector<NodeId>& reached_;
  std::array<std::array<NodeId, verify::kLabelBits>, kWidth> group_;
};

}  // namespace

bool OldPaths::find(const Nodes& nodes, const Tree& old, std::span<InsertedLeaf> leaves, Workers& workers,
                    unsigned threads) {
  const std::size_t n = leaves.size();
  ends_.assign(n + 1, 0);
  const std::size_t num_parts = threads == 1 ? 1 : kPathPartsPerThread * threads;
  std::vector<std::vector<NodeId>> reached(num_parts);
  std::atomic<bool> is_sorted_and_new = true;
  workers.for_each_index(threads, num_parts, [&](std::size_t i) {
    OldPathsOfSome some(nodes, root_of(old), leaves, reached[i]);
    if (!some.find(n * i / num_parts, n * (i + 1) / num_parts, ends_.data() + 1)) {
      is_sorted_and_new = false;
    }
  });
  std::partial_sum(ends_.begin(), ends_.end(), ends_.begin());
  for (const std::vector<NodeId>& some : reached) {
    nodes_.insert(nodes_.end(), some.begin(), some.end());
  }
  return is_sorted_and_new;
}

}  // namespace optiks::ozks
