// PendingHashes: the hashes of new interior nodes, which are computed together after the nodes were made.
//
// Thread safety: one thread at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "leaves/hash_batch.h"
#include "trie/nodes.h"

namespace optiks::ozks {

class PendingHashes {
 public:
  PendingHashes() { latest_.fill(kNone); }

  void reserve(std::size_t num_nodes) { made_.reserve(num_nodes); }

  // Adds the hash of a node. `label` is the label of a leaf below the node, and run() writes the hash to `hash`. The
  // height is greater than the heights of all added nodes below this node, and at least 1. Heights are at most 256,
  // because the prefixes on a path have different lengths.
  void add(std::size_t height, const Interior& node, const Hash& label, Hash& hash) {
    highest_ = std::max(highest_, height);
    made_.push_back({&node, &label, &hash, latest_[height]});
    latest_[height] = static_cast<std::uint32_t>(made_.size() - 1);
  }

  // Computes the hashes from the bottom up, one height after another. All hashes below the added nodes that were not
  // added must have been computed.
  void run() const {
    HashBatch batch;
    for (std::size_t height = 1; height <= highest_; ++height) {
      for (std::uint32_t i = latest_[height]; i != kNone; i = made_[i].before) {
        const Made& made = made_[i];
        batch.add_interior(made.node->length, *made.label, made.node->hash[0], made.node->hash[1], *made.hash);
      }
      batch.run();
    }
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;

  struct Made {
    const Interior* node;
    const Hash* label;
    Hash* hash;
    std::uint32_t before;  // index in made_ of the previous node of the same height
  };

  std::vector<Made> made_;
  std::array<std::uint32_t, verify::kLabelBits + 1> latest_;  // for each height, the index in made_ of the latest node
  std::size_t highest_ = 0;
};

}  // namespace optiks::ozks
