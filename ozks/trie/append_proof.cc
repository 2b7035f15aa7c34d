#include "trie/append_proof.h"

#include <algorithm>
#include <utility>

#include "optiks/base/check.h"
#include "trie/append_tokens.h"
#include "trie/parallel.h"

namespace optiks::ozks {
namespace {

// Leaves for which another thread pays.
constexpr std::size_t kLeavesPerThread = 64;
// So that no thread waits long for the last.
constexpr std::size_t kPartsPerThread = 4;

// Part: a node of the old tree that leaves [first, last), at least one, reach. `known` bits of its prefix follow from
// its place.
struct Part {
  NodeId node;
  std::size_t known;
  std::size_t first;
  std::size_t last;
};

// The old tree in preorder, along the ways of the new labels.
class Opener {
 public:
  // Parts: where tokens of parts belong, in the order of their places in `out`.
  using Parts = std::vector<std::pair<std::size_t, Part>>;

  // Leaves nodes that at most part_len leaves reach to `parts`.
  Opener(const Nodes& nodes, const LeafLog& log, std::span<const NewLeaf> leaves, std::size_t part_len, Parts* parts,
         std::vector<std::uint8_t>& out)
      : nodes_(nodes), log_(log), leaves_(leaves), part_len_(part_len), parts_(parts), out_(out) {}

  void open(const Part& part) {
    const auto& [node, known, first, last] = part;
    if (last - first <= part_len_) {
      parts_->emplace_back(out_.size(), part);
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
    open_side(at, 0, from, middle);
    open_side(at, 1, middle, to);
  }

 private:
  const Hash& label(std::size_t i) const { return nodes_.leaf(leaves_[i].id).label; }

  void open_side(const Interior& at, std::size_t side, std::size_t first, std::size_t last) {
    if (first == last) {
      put(out_, at.hash[side]);
    } else {
      open({at.child[side], at.length + std::size_t{1}, first, last});
    }
  }

  const Nodes& nodes_;
  const LeafLog& log_;
  std::span<const NewLeaf> leaves_;
  std::size_t part_len_;
  Parts* parts_;
  std::vector<std::uint8_t>& out_;
};

void open_tree(const Nodes& nodes, const LeafLog& log, NodeId root, std::span<const NewLeaf> leaves, unsigned threads,
               std::vector<std::uint8_t>& out) {
  const std::size_t useful = std::min<std::size_t>(threads, leaves.size() / kLeavesPerThread);
  const Part whole{root, 0, 0, leaves.size()};
  if (useful <= 1) {
    Opener(nodes, log, leaves, 0, nullptr, out).open(whole);
    return;
  }
  std::vector<std::uint8_t> above;
  Opener::Parts parts;
  Opener(nodes, log, leaves, leaves.size() / (useful * kPartsPerThread), &parts, above).open(whole);
  std::vector<std::vector<std::uint8_t>> tokens(parts.size());
  for_each_index(threads, parts.size(),
                 [&](std::size_t i) { Opener(nodes, log, leaves, 0, nullptr, tokens[i]).open(parts[i].second); });
  std::size_t done = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    put(out, ByteSpan(above).subspan(done, parts[i].first - done));
    put(out, tokens[i]);
    done = parts[i].first;
  }
  put(out, ByteSpan(above).subspan(done));
}

}  // namespace

void make_append_proof(const Nodes& nodes, const LeafLog& log, const Tree& old, std::span<const NewLeaf> leaves,
                       std::span<const Hash> commitments, unsigned threads, std::vector<std::uint8_t>& out) {
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
    open_tree(nodes, log, old.root, leaves, threads, out);
  }
  finish_vector32(out, opened);
}

}  // namespace optiks::ozks
