#include "trie/edit.h"

#include <array>

#include "optiks/base/check.h"

namespace optiks::ozks {
namespace {

// The leaf with a label, and the interior nodes above it from the root down. The nodes form a stack, whose top is the
// lowest node.
class Above {
 public:
  Above(const Nodes& nodes, const Tree& tree, const Hash& label) : label_(label), leaf_(root_of(tree)) {
    while (!Nodes::is_leaf(leaf_)) {
      ids_[size_++] = leaf_;
      const Interior& node = nodes.interior(leaf_);
      leaf_ = node.child[side_of(node)];
    }
    OPTIKS_CHECK(nodes.leaf(leaf_).label == label);
  }

  [[nodiscard]] NodeId leaf() const { return leaf_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t side_of(const Interior& node) const { return verify::bit_at(label_, node.length) ? 1 : 0; }
  // Returns the lowest node and removes it from the stack.
  [[nodiscard]] NodeId pop() { return ids_[--size_]; }

  // Puts the node `id` with this hash below the lowest node, in place of the old child, and updates all hashes up to
  // the root.
  void put(Nodes& nodes, Tree& tree, NodeId id, Hash hash) {
    while (size_ != 0) {
      const NodeId above = pop();
      Interior& node = nodes.new_interior(above);
      const std::size_t side = side_of(node);
      node.child[side] = id;
      node.hash[side] = hash;
      id = above;
      hash = verify::interior_hash(node.length, label_, node.hash[0], node.hash[1]);
    }
    tree.root = id;
    tree.root_hash = hash;
  }

 private:
  const Hash& label_;
  NodeId leaf_;
  std::size_t size_ = 0;
  std::array<NodeId, verify::kLabelBits> ids_;
};

}  // namespace

void replace_leaf(Nodes& nodes, Tree& tree, const Hash& label, const Hash& hash) noexcept {
  Above above(nodes, tree, label);
  above.put(nodes, tree, above.leaf(), hash);
}

void remove_leaf(Nodes& nodes, Tree& tree, const Hash& label) noexcept {
  Above above(nodes, tree, label);
  const NodeId leaf = above.leaf();
  if (above.empty()) {
    tree = {};
  } else {
    // The leaf's sibling takes the place of their parent. The sibling's hash stays the same, because a hash does not
    // depend on the node's place below its parent.
    const NodeId parent = above.pop();
    const Interior node = nodes.interior(parent);
    const std::size_t other = 1 - above.side_of(node);
    above.put(nodes, tree, node.child[other], node.hash[other]);
    nodes.free_interiors({&parent, 1});
    --tree.count;
  }
  nodes.free_leaf(leaf);
}

}  // namespace optiks::ozks
