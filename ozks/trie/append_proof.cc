#include "trie/append_proof.h"

#include <algorithm>

#include "optiks/base/check.h"
#include "trie/append_tokens.h"

namespace optiks::ozks {

void make_append_proof(const Nodes& nodes, const LeafLog& log, std::span<const NewLeaf> leaves,
                       std::span<const Hash> commitments, const OpenedTree& opened, Workers& workers,
                       std::vector<std::uint8_t>& out) {
  OPTIKS_CHECK(leaves.size() == commitments.size());
  const std::size_t num_pieces = opened.pieces.size();
  // Where each piece goes, behind the first.
  std::vector<std::size_t> places(num_pieces + 1);
  for (std::size_t i = 0; i < num_pieces; ++i) {
    places[i + 1] = places[i] + opened.pieces[i].octets.size();
  }
  out.reserve(out.size() + 8 + leaves.size() * kAddedLeafLen + places.back());
  const std::size_t listed = begin_vector32(out);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    put(out, nodes.leaf(leaves[i].id).label);
    put(out, commitments[i]);
    out.push_back(0);
  }
  finish_vector32(out, listed);
  const std::size_t tokens = begin_vector32(out);
  out.resize(tokens + places.back());
  workers.for_each_index(num_pieces, [&](std::size_t i) {
    const OpenedTree::Piece& piece = opened.pieces[i];
    std::uint8_t* const at = out.data() + tokens + places[i];
    std::ranges::copy(piece.octets, at);
    LeafFacts facts;
    for (const OpenedTree::LeftOut& left_out : piece.facts) {
      log.read_facts(nodes.leaf(left_out.leaf).log_place(), facts);
      put_leaf_facts(at + left_out.at, facts.commitment, facts.epoch);
    }
  });
  finish_vector32(out, tokens);
}

}  // namespace optiks::ozks
