#include "trie/path.h"

#include <algorithm>

namespace optiks::ozks {

void Path::finish(ByteSpan label) {
  common = 0;
  opened = nullptr;
  if (leaf == nullptr) {
    return;
  }
  common = verify::common_prefix_length(label, *leaf);
  // Prefixes get longer on the way down. The label has the prefixes of the first nodes on the path; only the steps at
  // these nodes are kept. The next node is the first node whose prefix the label does not have, or the leaf if the
  // label has all prefixes.
  const std::span<const Step> all = above();
  const auto kept = std::ranges::partition_point(all, [&](const Step& step) { return step.length <= common; });
  if (kept != all.end()) {
    length = kept->length;
    opened = kept->sibling - (verify::bit_at(label, length) ? 0 : 1);
  }
  num_steps = static_cast<std::size_t>(kept - all.begin());
}

}  // namespace optiks::ozks
