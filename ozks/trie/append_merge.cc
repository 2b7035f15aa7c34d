// Merges the append-only proofs of consecutive steps. The merger keeps a tree, `mine_`, with all nodes that the proofs
// have opened. It has nodes of the tree at the range's start ("old" nodes), stubs for unknown subtrees, and the leaves
// that the steps have listed so far. The next step's proof shows the same tree, but with other nodes opened. Overlaying
// this proof on `mine_` replaces stubs by opened nodes. No listed leaf has reached a stub, so a stub is an unchanged
// subtree of the old tree, and the nodes that replace it are old too. At the end the merger writes the old nodes on the
// paths of all listed labels.
#include "trie/append_merge.h"

#include <algorithm>
#include <array>
#include <deque>
#include <vector>

#include "trie/append_tokens.h"

namespace optiks::ozks {

using base::ByteSpan;
using verify::Hash;

namespace {

struct Node {
  enum class Kind : std::uint8_t { kStub, kInterior, kLeaf };
  Kind kind = Kind::kStub;
  bool old = true;
  std::uint32_t length = 0;  // interior node: length of the prefix; leaf: 256
  Hash position{};           // interior node: prefix; leaf: label; stub: hash of the subtree
  Hash commitment{};         // leaf
  std::uint64_t epoch = 0;   // leaf
  Node* child[2] = {};
};

struct Added {
  const std::uint8_t* octets;  // an AddedLeaf
  std::uint8_t offset;

  ByteSpan label() const { return {octets, 32}; }
  ByteSpan commitment() const { return {octets + 32, 32}; }
};

bool label_before(const Added& a, const Added& b) {
  return std::lexicographical_compare(a.octets, a.octets + 32, b.octets, b.octets + 32);
}

class Merger {
 public:
  bool run(std::span<const AppendPart> parts, std::vector<std::uint8_t>& out) {
    const bool empty_at_start = parts.front().count == 0;
    std::uint64_t count = parts.front().count;
    std::vector<Added> all;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      std::vector<Added> added;
      if (parts[i].count != count || !list(parts[i].leaves, static_cast<std::uint8_t>(i), added)) {
        return false;
      }
      rest_ = parts[i].opened;
      if (!added.empty() && count != 0 && !overlay(mine_, 0, Hash{}, added)) {
        return false;
      }
      if (!rest_.empty()) {
        return false;
      }
      if (old_root_ == nullptr && !empty_at_start) {
        old_root_ = mine_;  // the proof of the first step with leaves shows the tree at the range's start
      }
      for (const Added& leaf : added) {
        if (!insert(leaf)) {
          return false;
        }
      }
      count += added.size();
      all.insert(all.end(), added.begin(), added.end());
    }
    std::sort(all.begin(), all.end(), label_before);
    return emit(all, empty_at_start, out);
  }

 private:
  // Reads the AddedLeaf structures of one step. Returns false unless the labels strictly increase and each leaf's epoch
  // offset is 0.
  static bool list(ByteSpan octets, std::uint8_t offset, std::vector<Added>& out) {
    if (octets.size() % kAddedLeafLen != 0) {
      return false;
    }
    for (std::size_t at = 0; at < octets.size(); at += kAddedLeafLen) {
      if (octets[at + kAddedLeafLen - 1] != 0) {
        return false;
      }
      const Added leaf{octets.data() + at, offset};
      if (!out.empty() && !label_before(out.back(), leaf)) {
        return false;
      }
      out.push_back(leaf);
    }
    return true;
  }

  Node* make() { return &nodes_.emplace_back(); }

  bool take(std::size_t count, ByteSpan& out) {
    if (rest_.size() < count) {
      return false;
    }
    out = rest_.first(count);
    rest_ = rest_.subspan(count);
    return true;
  }

  // Reads the proof's next node and overlays it on `mine`. If `mine` is null, the subtree is unknown, as in a stub. The
  // node's place in the tree implies its first `known` bits, which are in `prefix`. `reach` has the leaves whose paths
  // reach the node.
  bool overlay(Node*& mine, std::size_t known, Hash prefix, std::span<const Added> reach) {
    ByteSpan octets;
    if (mine == nullptr) {
      mine = make();
    }
    if (reach.empty()) {
      if (!take(verify::kHashLen, octets)) {
        return false;
      }
      if (mine->kind == Node::Kind::kStub) {
        std::copy(octets.begin(), octets.end(), mine->position.begin());
      }
      return true;
    }
    if (!take(1, octets)) {
      return false;
    }
    return octets[0] == kLeafToken ? overlay_leaf(*mine)
                                   : octets[0] == kInteriorToken && overlay_interior(*mine, known, prefix, reach);
  }

  bool overlay_leaf(Node& mine) {
    ByteSpan octets;
    if (!take(kLeafTokenLen - 1, octets)) {
      return false;
    }
    Node leaf;
    leaf.kind = Node::Kind::kLeaf;
    leaf.length = verify::kLabelBits;
    std::copy_n(octets.begin(), 32, leaf.position.begin());
    std::copy_n(octets.begin() + 32, 32, leaf.commitment.begin());
    leaf.epoch = base::load_be64(octets.data() + 64);
    if (mine.kind == Node::Kind::kStub) {
      mine = leaf;
      return true;
    }
    return mine.kind == Node::Kind::kLeaf && mine.position == leaf.position && mine.commitment == leaf.commitment &&
           (!mine.old || mine.epoch == leaf.epoch);
  }

  bool overlay_interior(Node& mine, std::size_t known, Hash prefix, std::span<const Added> reach) {
    ByteSpan octets;
    if (!take(1, octets) || octets[0] < known) {
      return false;
    }
    const std::size_t length = octets[0];
    ByteSpan bits;
    if (!take((length - known + 7) / 8, bits)) {
      return false;
    }
    for (std::size_t i = 0; i < bits.size() * 8; ++i) {
      const bool bit = ((bits[i / 8] >> (7 - i % 8)) & 1) != 0;
      if (bit && known + i >= length) {
        return false;
      }
      set_bit(prefix, known + i, bit);
    }
    if (mine.kind == Node::Kind::kStub) {
      mine.kind = Node::Kind::kInterior;
      mine.length = static_cast<std::uint32_t>(length);
      mine.position = prefix;
      mine.child[0] = make();
      mine.child[1] = make();
    } else if (mine.kind != Node::Kind::kInterior || mine.length != length || mine.position != prefix) {
      return false;
    }
    for (int side = 0; side < 2; ++side) {
      Hash below = prefix;
      set_bit(below, length, side == 1);
      Node* child = mine.child[side];
      if (!overlay(child, length + 1, below, extending(reach, below, length + 1))) {
        return false;
      }
    }
    return true;
  }

  static void set_bit(Hash& bits, std::size_t i, bool value) {
    if (value) {
      bits[i / 8] = static_cast<std::uint8_t>(bits[i / 8] | (0x80U >> (i % 8)));
    }
  }

  // Returns the leaves of `reach` whose labels begin with the first `length` bits of `prefix`. `reach` is sorted, so
  // these leaves are a contiguous run.
  static std::span<const Added> extending(std::span<const Added> reach, const Hash& prefix, std::size_t length) {
    std::size_t first = 0;
    while (first < reach.size() && verify::common_prefix_length(reach[first].label(), prefix) < length) {
      ++first;
    }
    std::size_t last = first;
    while (last < reach.size() && verify::common_prefix_length(reach[last].label(), prefix) >= length) {
      ++last;
    }
    return reach.subspan(first, last - first);
  }

  // Adds a listed leaf to `mine_`. Copies the old nodes on its path, so that the originals keep their old children.
  // Returns false if the label already exists, or if its path ends at a stub; the proof of a valid step has opened the
  // whole path.
  bool insert(const Added& added) {
    Node* leaf = make();
    leaf->kind = Node::Kind::kLeaf;
    leaf->old = false;
    leaf->length = verify::kLabelBits;
    std::copy_n(added.label().begin(), 32, leaf->position.begin());
    std::copy_n(added.commitment().begin(), 32, leaf->commitment.begin());
    Node** place = &mine_;
    while (*place != nullptr) {
      Node& at = **place;
      if (at.kind == Node::Kind::kStub) {
        return false;
      }
      const std::size_t common =
          std::min<std::size_t>(verify::common_prefix_length(leaf->position, at.position), at.length);
      if (common == verify::kLabelBits) {
        return false;
      }
      if (common == at.length && !at.old) {
        place = &at.child[verify::bit_at(leaf->position, at.length) ? 1 : 0];
        continue;
      }
      Node* copy = make();
      copy->kind = Node::Kind::kInterior;
      copy->old = false;
      if (common < at.length) {
        copy->length = static_cast<std::uint32_t>(common);
        copy->position = verify::prefix_of(leaf->position, common);
        const bool side = verify::bit_at(leaf->position, common);
        copy->child[side ? 1 : 0] = leaf;
        copy->child[side ? 0 : 1] = &at;
        *place = copy;
        return true;
      }
      copy->length = at.length;
      copy->position = at.position;
      copy->child[0] = at.child[0];
      copy->child[1] = at.child[1];
      *place = copy;
      place = &copy->child[verify::bit_at(leaf->position, at.length) ? 1 : 0];
    }
    *place = leaf;
    return true;
  }

  bool emit(std::span<const Added> all, bool empty_at_start, std::vector<std::uint8_t>& out) {
    const std::size_t listed = begin_vector(out, AppendProof::kLeavesBounds);
    for (const Added& leaf : all) {
      put(out, leaf.label());
      put(out, leaf.commitment());
      out.push_back(leaf.offset);
    }
    finish_vector(out, listed, AppendProof::kLeavesBounds);
    const std::size_t opened = begin_vector(out, AppendProof::kOpenedBounds);
    if (!all.empty() && !empty_at_start && !emit_node(*old_root_, 0, all, out)) {
      return false;
    }
    finish_vector(out, opened, AppendProof::kOpenedBounds);
    return true;
  }

  // Writes the tokens of a node and the nodes below it. Returns false unless exactly the nodes that no label reaches
  // are stubs. Each valid step opens the nodes that its labels reach.
  static bool emit_node(const Node& node, std::size_t known, std::span<const Added> reach,
                        std::vector<std::uint8_t>& out) {
    if (reach.empty() != (node.kind == Node::Kind::kStub)) {
      return false;
    }
    if (reach.empty()) {
      put(out, node.position);
      return true;
    }
    if (node.kind == Node::Kind::kLeaf) {
      const std::size_t facts = put_leaf_token(out, node.position);
      put_leaf_facts(out.data() + facts, node.commitment, node.epoch);
      return true;
    }
    put_interior_token(out, node.length, node.position, known);
    for (int side = 0; side < 2; ++side) {
      Hash below = node.position;
      set_bit(below, node.length, side == 1);
      if (!emit_node(*node.child[side], node.length + 1, extending(reach, below, node.length + 1), out)) {
        return false;
      }
    }
    return true;
  }

  std::deque<Node> nodes_;  // all nodes; a deque does not move its elements
  Node* mine_ = nullptr;
  Node* old_root_ = nullptr;
  ByteSpan rest_;
};

}  // namespace

bool merge_append_proofs(std::span<const AppendPart> parts, std::vector<std::uint8_t>& out) {
  return Merger().run(parts, out);
}

}  // namespace optiks::ozks
