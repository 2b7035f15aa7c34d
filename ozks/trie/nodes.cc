#include "trie/nodes.h"

#include <algorithm>
#include <array>

#include "optiks/base/check.h"

namespace optiks::ozks {

void Nodes::walk_many(const Tree& tree, std::span<const ByteSpan> labels, Paths& out) const {
  OPTIKS_CHECK(labels.size() <= Paths::kMax);
  std::array<NodeId, Paths::kMax> ends;
  ends.fill(root_of(tree));
  for (std::size_t i = 0; i < labels.size(); ++i) {
    out.paths[i].leaf = nullptr;
    out.paths[i].num_steps = 0;
  }
  if (ends.front() == kNoNode) {
    return;
  }
  for (bool going = !is_leaf(ends.front()); going;) {
    going = false;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      NodeId& end = ends[i];
      if (is_leaf(end)) {
        continue;
      }
      const Interior& at = interior(end);
      const std::size_t side = verify::bit_at(labels[i], at.length) ? 1 : 0;
      const Hash& sibling = at.hash[1 - side];
      Path& path = out.paths[i];
      path.steps[path.num_steps++] = {at.length, &sibling};
      prefetch(&sibling, sizeof(sibling));
      end = at.child[side];
      if (is_leaf(end)) {
        prefetch(&leaf(end), sizeof(Leaf));
      } else {
        // Prefetches those fields of the node below that the next round of the loop reads.
        const Interior& next = interior(end);
        prefetch(&next.child, sizeof(next.child) + sizeof(next.length));
        going = true;
      }
    }
  }
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const Leaf& last = leaf(ends[i]);
    out.paths[i].leaf = &last.label;
    out.paths[i].log_offset = last.log_offset();
    out.paths[i].finish(labels[i]);
  }
}

}  // namespace optiks::ozks
