#include "linked/append_proof.h"

#include <algorithm>

#include "optiks/base/check.h"
#include "trie/append_tokens.h"

namespace optiks::ozks {

void make_append_proof(const Nodes& nodes, const LeafLog& log, std::span<const InsertedLeaf> leaves,
                       std::span<const Hash> commitments, const OpenedTree& opened, Workers& workers,
                       std::vector<std::uint8_t>& out) {
  const std::size_t num_pieces = opened.pieces.size();
  OPTIKS_CHECK(leaves.size() == commitments.size() && leaves.empty() == (num_pieces == 0));
  // The offset of each piece in the tokens of the proof. The last element is the total length of all pieces.
  std::vector<std::size_t> starts(num_pieces + 1);
  for (std::size_t i = 0; i < num_pieces; ++i) {
    starts[i + 1] = starts[i] + opened.pieces[i].octets.size();
  }
  out.reserve(out.size() + 8 + leaves.size() * kAddedLeafLen + starts.back());
  const std::size_t listed = begin_vector(out, AppendProof::kLeavesBounds);
  out.resize(listed + leaves.size() * kAddedLeafLen);
  finish_vector(out, listed, AppendProof::kLeavesBounds);
  const std::size_t tokens = begin_vector(out, AppendProof::kOpenedBounds);
  out.resize(tokens + starts.back());
  // The new leaves are divided evenly between the pieces, so that each thread encodes about the leaves that are below
  // its piece.
  workers.for_each_index(num_pieces, [&](std::size_t i) {
    const std::size_t first = leaves.size() * i / num_pieces;
    const std::size_t last = leaves.size() * (i + 1) / num_pieces;
    std::uint8_t* leaf_at = out.data() + listed + first * kAddedLeafLen;
    for (std::size_t k = first; k < last; ++k) {
      leaf_at = std::ranges::copy(nodes.leaf(leaves[k].id).label, leaf_at).out;
      leaf_at = std::ranges::copy(commitments[k], leaf_at).out;
      *leaf_at++ = 0;
    }
    const OpenedTree::Piece& piece = opened.pieces[i];
    std::uint8_t* const at = out.data() + tokens + starts[i];
    std::ranges::copy(piece.octets, at);
    LeafFacts facts;
    for (const OpenedTree::LeftOut& left_out : piece.facts) {
      log.read_facts(nodes.leaf(left_out.leaf).log_offset(), facts);
      put_leaf_facts(at + left_out.at, facts.commitment, facts.epoch);
    }
  });
  finish_vector(out, tokens, AppendProof::kOpenedBounds);
}

}  // namespace optiks::ozks
