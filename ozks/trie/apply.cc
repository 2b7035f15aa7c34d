#include "trie/apply.h"

#include <algorithm>

namespace optiks::ozks {
namespace {

// Applier: one apply(). New leaves go down the old tree together; each old node that they reach is replaced once.
class Applier {
 public:
  Applier(Nodes& nodes, std::span<const NewLeaf> leaves, Change& change)
      : nodes_(nodes), leaves_(leaves), change_(change), common_(leaves.size()) {}

  bool run(const Tree& old, Tree& out) {
    for (std::size_t i = 1; i < leaves_.size(); ++i) {
      if (!(label(i - 1) < label(i))) {
        return false;
      }
    }
    if (old.root != kNoNode) {
      Walk walk;
      for (std::size_t i = 0; i < leaves_.size(); ++i) {
        nodes_.walk(old, label(i), walk);
        if (walk.common == verify::kLabelBits) {
          return false;
        }
        common_[i] = static_cast<std::uint32_t>(walk.common);
      }
    }
    const Placed top = leaves_.empty()       ? Placed{old.root, old.root_hash}
                       : old.root == kNoNode ? build(0, leaves_.size())
                                             : insert({old.root, old.root_hash}, 0, leaves_.size());
    out = {top.node, top.hash, old.count + leaves_.size()};
    return true;
  }

 private:
  struct Placed {
    NodeId node;
    Hash hash;
  };

  const Hash& label(std::size_t i) const { return nodes_.leaf(leaves_[i].id).label; }

  // First index in [first, last) whose label has bit `bit` set; they agree on all bits before.
  std::size_t split(std::size_t first, std::size_t last, std::size_t bit) const {
    const auto at = std::partition_point(
        leaves_.begin() + static_cast<std::ptrdiff_t>(first), leaves_.begin() + static_cast<std::ptrdiff_t>(last),
        [&](const NewLeaf& leaf) { return !verify::bit_at(nodes_.leaf(leaf.id).label, bit); });
    return static_cast<std::size_t>(at - leaves_.begin());
  }

  Placed join(std::size_t length, const Hash& position, const Placed& left, const Placed& right) {
    if (change_.created.size() == change_.created.capacity()) {
      // Before the node exists, so that a failure leaves none unlisted.
      change_.created.reserve(2 * change_.created.size() + 64);
    }
    const NodeId id = nodes_.allocate_interior();
    change_.created.push_back(id);
    nodes_.new_interior(id) = {{left.hash, right.hash}, {left.node, right.node}, static_cast<std::uint32_t>(length)};
    return {id, verify::interior_hash(length, position, left.hash, right.hash)};
  }

  // The subtree of new leaves alone. first < last.
  Placed build(std::size_t first, std::size_t last) {
    if (last - first == 1) {
      return {leaves_[first].id, leaves_[first].hash};
    }
    const std::size_t length = verify::common_prefix_length(label(first), label(last - 1));
    const std::size_t middle = split(first, last, length);
    const Placed left = build(first, middle);
    const Placed right = build(middle, last);
    return join(length, label(first), left, right);
  }

  // The old subtree with new leaves [first, last), first < last, each of which goes down to this node or diverges
  // in the bits of its prefix. For those that diverge here common_ is below the node's length; it is at least that
  // for those that go on (a leaf's prefix is its label, from which all diverge).
  Placed insert(const Placed& old, std::size_t first, std::size_t last) {
    const std::size_t length = Nodes::is_leaf(old.node) ? verify::kLabelBits : nodes_.interior(old.node).length;
    const auto lowest = std::min_element(common_.begin() + static_cast<std::ptrdiff_t>(first),
                                         common_.begin() + static_cast<std::ptrdiff_t>(last));
    const std::size_t fork = *lowest;
    if (fork < length) {
      const std::size_t middle = split(first, last, fork);
      // A label that diverges at bit `fork` is on the side where the old node is not.
      const auto diverged = static_cast<std::size_t>(lowest - common_.begin());
      const bool old_side = !verify::bit_at(label(diverged), fork);
      const Placed left = old_side ? build(first, middle) : with(old, first, middle);
      const Placed right = old_side ? with(old, middle, last) : build(middle, last);
      return join(fork, label(first), left, right);
    }
    const Interior at = nodes_.interior(old.node);
    change_.superseded.push_back(old.node);
    const std::size_t middle = split(first, last, length);
    const Placed left = with({at.child[0], at.hash[0]}, first, middle);
    const Placed right = with({at.child[1], at.hash[1]}, middle, last);
    return join(length, label(first), left, right);
  }

  Placed with(const Placed& old, std::size_t first, std::size_t last) {
    return first == last ? old : insert(old, first, last);
  }

  Nodes& nodes_;
  std::span<const NewLeaf> leaves_;
  Change& change_;
  std::vector<std::uint32_t> common_;  // bits that new label i shares with the nearest old one
};

}  // namespace

bool apply(Nodes& nodes, const Tree& old, std::span<const NewLeaf> leaves, Tree& out, Change& change) {
  return Applier(nodes, leaves, change).run(old, out);
}

}  // namespace optiks::ozks
