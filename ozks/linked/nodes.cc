#include "linked/nodes.h"

#include <algorithm>

namespace optiks::ozks {

void Nodes::walk_many(const Tree& tree, std::span<const ByteSpan> labels, Walk* out) const {
  for (std::size_t i = 0; i < labels.size(); ++i) {
    out[i].end = tree.root;
    out[i].num_steps = 0;
  }
  bool going = tree.root != kNoNode && !is_leaf(tree.root);
  while (going) {
    going = false;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      Walk& walk = out[i];
      if (is_leaf(walk.end)) {
        continue;
      }
      const Interior& at = interior(walk.end);
      const std::size_t side = verify::bit_at(labels[i], at.length) ? 1 : 0;
      const Hash& sibling = at.hash[1 - side];
      walk.steps[walk.num_steps++] = {at.length, walk.end, &sibling};
      prefetch(&sibling, sizeof(sibling));
      walk.end = at.child[side];
      if (is_leaf(walk.end)) {
        prefetch(&leaf(walk.end), sizeof(Leaf));
      } else {
        // Of the node below, what the next round reads.
        const Interior& next = interior(walk.end);
        prefetch(&next.child, sizeof(next.child) + sizeof(next.length));
        going = true;
      }
    }
  }
  for (std::size_t i = 0; i < labels.size(); ++i) {
    finish(labels[i], out[i]);
  }
}

// With all steps down to the leaf, finds where the label leaves the tree.
void Nodes::finish(ByteSpan label, Walk& walk) const {
  walk.common = 0;
  walk.opened = walk.end;
  if (walk.end == kNoNode) {
    return;
  }
  walk.common = verify::common_prefix_length(label, leaf(walk.end).label);
  // Prefixes get longer on the way down: the steps that stay are those of prefixes the label shares, and the node after
  // them is the first that it does not (the leaf, when it shares them all).
  const auto kept = std::partition_point(walk.steps, walk.steps + walk.num_steps,
                                         [&](const Step& step) { return step.length <= walk.common; });
  if (kept != walk.steps + walk.num_steps) {
    walk.opened = kept->node;
  }
  walk.num_steps = static_cast<std::size_t>(kept - walk.steps);
}

}  // namespace optiks::ozks
