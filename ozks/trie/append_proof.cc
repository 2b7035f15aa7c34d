#include "trie/append_proof.h"

#include <algorithm>

#include "optiks/base/check.h"
#include "trie/append_tokens.h"

namespace optiks::ozks {
namespace {

// The old tree in preorder, along the ways of the new labels.
class Opener {
 public:
  Opener(const Nodes& nodes, const LeafLog& log, std::span<const NewLeaf> leaves, std::vector<std::uint8_t>& out)
      : nodes_(nodes), log_(log), leaves_(leaves), out_(out) {}

  void run(const Tree& old) { open(old.root, old.root_hash, 0, 0, leaves_.size()); }

 private:
  const Hash& label(std::size_t i) const { return nodes_.leaf(leaves_[i].id).label; }

  // Leaves [first, last) reach the node, of whose prefix `known` bits follow from its place.
  void open(NodeId node, const Hash& hash, std::size_t known, std::size_t first, std::size_t last) {
    if (first == last) {
      put(out_, hash);
      return;
    }
    if (Nodes::is_leaf(node)) {
      const Leaf& leaf = nodes_.leaf(node);
      LeafFacts facts;
      log_.read_facts(leaf.log_place(), facts);
      put_leaf_token(out_, leaf.label, facts.commitment, facts.epoch);
      return;
    }
    const Interior& at = nodes_.interior(node);
    // Any leaf below the node has its prefix; the first new label's nearest one is below it.
    put_interior_token(out_, at.length, nodes_.leaf(leaves_[first].nearest).label, known);
    // Those that extend the prefix are neighbours: the others are below or above all of them.
    std::size_t from = first;
    while (from < last && leaves_[from].common < at.length) {
      ++from;
    }
    std::size_t to = from;
    std::size_t middle = from;
    for (; to < last && leaves_[to].common >= at.length; ++to) {
      middle += verify::bit_at(label(to), at.length) ? 0 : 1;
    }
    open(at.child[0], at.hash[0], at.length + 1, from, middle);
    open(at.child[1], at.hash[1], at.length + 1, middle, to);
  }

  const Nodes& nodes_;
  const LeafLog& log_;
  std::span<const NewLeaf> leaves_;
  std::vector<std::uint8_t>& out_;
};

}  // namespace

void make_append_proof(const Nodes& nodes, const LeafLog& log, const Tree& old, std::span<const NewLeaf> leaves,
                       std::span<const Hash> commitments, std::vector<std::uint8_t>& out) {
  OPTIKS_CHECK(leaves.size() == commitments.size());
  const std::size_t listed = begin_vector32(out);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    put(out, nodes.leaf(leaves[i].id).label);
    put(out, commitments[i]);
    out.push_back(0);
  }
  finish_vector32(out, listed);
  const std::size_t opened = begin_vector32(out);
  if (!leaves.empty() && old.root != kNoNode) {
    Opener(nodes, log, leaves, out).run(old);
  }
  finish_vector32(out, opened);
}

}  // namespace optiks::ozks
