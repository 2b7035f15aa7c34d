#include <algorithm>

#include "prover.h"

namespace optiks::ozks::verify::test {

struct Tree::Node {
  std::size_t length = 0;  // 256: a leaf
  Hash position{};
  Hash hash{};
  Leaf leaf{};
  NodePtr child[2];

  [[nodiscard]] bool is_leaf() const { return length == kLabelBits; }
};

Tree::NodePtr Tree::build(std::span<const Leaf> leaves) {
  auto node = std::make_unique<Node>();
  node->leaf = leaves.front();
  node->position = leaves.front().label;
  node->length = common_prefix_length(leaves.front().label, leaves.back().label);
  if (node->is_leaf()) {
    node->hash = leaf_hash(node->leaf.label, node->leaf.commitment, node->leaf.epoch);
    return node;
  }
  node->position = prefix_of(node->position, node->length);
  const auto right = std::ranges::find_if(leaves, [&](const Leaf& leaf) { return bit_at(leaf.label, node->length); });
  const auto num_left = static_cast<std::size_t>(right - leaves.begin());
  node->child[0] = build(leaves.first(num_left));
  node->child[1] = build(leaves.subspan(num_left));
  node->hash = interior_hash(node->length, node->position, node->child[0]->hash, node->child[1]->hash);
  return node;
}

Tree::Tree(std::vector<Leaf> leaves) : leaves_(std::move(leaves)) {
  std::ranges::sort(leaves_, {}, &Leaf::label);
  if (!leaves_.empty()) {
    root_ = build(leaves_);
  }
}

Tree::~Tree() = default;

Hash Tree::root() const { return root_ ? root_->hash : empty_root(); }

std::vector<const Tree::Node*> Tree::walk(const Hash& label, const Node*& end) const {
  std::vector<const Node*> ancestors;
  const Node* node = root_.get();
  while (node != nullptr && !node->is_leaf() && common_prefix_length(node->position, label) >= node->length) {
    ancestors.push_back(node);
    node = node->child[bit_at(label, node->length) ? 1 : 0].get();
  }
  end = node;
  return ancestors;
}

PathParts Tree::path_of(const std::vector<const Node*>& ancestors, const Hash& label) {
  PathParts path;
  for (auto it = ancestors.rbegin(); it != ancestors.rend(); ++it) {
    const std::size_t i = (*it)->length;
    path.mask[i / 8] = static_cast<std::uint8_t>(path.mask[i / 8] | 0x80U >> (i % 8));
    path.siblings.push_back((*it)->child[bit_at(label, i) ? 0 : 1]->hash);
  }
  return path;
}

PathParts Tree::path_to(const Hash& label) const {
  const Node* end = nullptr;
  return path_of(walk(label, end), label);
}

NonMemberParts Tree::absent(const Hash& label) const {
  NonMemberParts proof;
  const Node* end = nullptr;
  const auto ancestors = walk(label, end);
  if (end == nullptr) {
    return proof;
  }
  proof.path = path_of(ancestors, label);
  proof.position = end->position;
  if (end->is_leaf()) {
    proof.node = 2;
    proof.commitment = end->leaf.commitment;
    proof.epoch = end->leaf.epoch;
  } else {
    proof.node = 1;
    proof.length = static_cast<std::uint8_t>(end->length);
    proof.left = end->child[0]->hash;
    proof.right = end->child[1]->hash;
  }
  return proof;
}

NonMemberParts Tree::open_parent_of(const Hash& label) const {
  const Node* end = nullptr;
  auto ancestors = walk(label, end);
  const Node* parent = ancestors.back();
  ancestors.pop_back();
  NonMemberParts proof;
  proof.node = 1;
  proof.length = static_cast<std::uint8_t>(parent->length);
  proof.position = parent->position;
  proof.left = parent->child[0]->hash;
  proof.right = parent->child[1]->hash;
  proof.path = path_of(ancestors, label);
  return proof;
}

void Tree::tokens(const Node& node, std::size_t length, std::span<const Leaf> added, Bytes& out) {
  if (added.empty()) {
    out.insert(out.end(), node.hash.begin(), node.hash.end());
    return;
  }
  if (node.is_leaf()) {
    Writer leaf;
    leaf.integer(2, 1).raw(node.leaf.label).raw(node.leaf.commitment).integer(node.leaf.epoch, 8);
    out.insert(out.end(), leaf.get().begin(), leaf.get().end());
    return;
  }
  out.push_back(1);
  out.push_back(static_cast<std::uint8_t>(node.length));
  for (std::size_t i = length; i < node.length; ++i) {
    if ((i - length) % 8 == 0) {
      out.push_back(0);
    }
    const unsigned bit = bit_at(node.position, i) ? 0x80U >> ((i - length) % 8) : 0;
    out.back() = static_cast<std::uint8_t>(out.back() | bit);
  }
  for (const bool side : {false, true}) {
    std::vector<Leaf> below;
    std::ranges::copy_if(added, std::back_inserter(below), [&](const Leaf& leaf) {
      return common_prefix_length(leaf.label, node.position) >= node.length && bit_at(leaf.label, node.length) == side;
    });
    tokens(*node.child[side ? 1 : 0], node.length + 1, below, out);
  }
}

AppendParts Tree::append(std::uint64_t a, std::vector<Leaf> added) const {
  std::ranges::sort(added, {}, &Leaf::label);
  AppendParts proof;
  for (const Leaf& leaf : added) {
    proof.leaves.push_back({leaf.label, leaf.commitment, static_cast<std::uint8_t>(leaf.epoch - a - 1)});
  }
  if (root_ && !added.empty()) {
    tokens(*root_, 0, added, proof.opened);
  }
  return proof;
}

}  // namespace optiks::ozks::verify::test
