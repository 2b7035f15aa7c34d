#include "trie/append_proof.h"

#include <algorithm>

#include "optiks/base/check.h"
#include "trie/append_tokens.h"

namespace optiks::ozks {
namespace {

// New leaves of a list for which another thread pays.
constexpr std::size_t kListedAtOnce = 256;

}  // namespace

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
  out.resize(listed + leaves.size() * kAddedLeafLen);
  finish_vector32(out, listed);
  const std::size_t tokens = begin_vector32(out);
  out.resize(tokens + places.back());
  const std::size_t num_lists = (leaves.size() + kListedAtOnce - 1) / kListedAtOnce;
  workers.for_each_index(num_lists + num_pieces, [&](std::size_t task) {
    if (task < num_lists) {
      std::uint8_t* at = out.data() + listed + task * kListedAtOnce * kAddedLeafLen;
      for (std::size_t i = task * kListedAtOnce; i < std::min(leaves.size(), (task + 1) * kListedAtOnce); ++i) {
        at = std::ranges::copy(nodes.leaf(leaves[i].id).label, at).out;
        at = std::ranges::copy(commitments[i], at).out;
        *at++ = 0;
      }
      return;
    }
    const std::size_t i = task - num_lists;
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
