#include <algorithm>
#include <bit>

#include "optiks/base/check.h"
#include "optiks/client/base64.h"
#include "optiks/client/tiles.h"
#include "optiks/ozks/verify/rfc6962.h"
#include "optiks/ozks/verify/text.h"

namespace optiks::client {
namespace {

// A node of a tree by its leaves, from `start` up to but not including `end`: a complete subtree, or a node of the
// right edge. `start` is a multiple of the smallest power of two that is not below end - start, which is at least 1.
struct SubtreeRange {
  std::uint64_t start;
  std::uint64_t end;

  // Returns the index of the right child's first leaf (RFC 6962). The node has at least 2 leaves.
  [[nodiscard]] std::uint64_t split() const { return start + std::bit_floor(end - start - 1); }

  // Adds the complete subtrees that form this node, the largest first.
  void add_peaks(std::vector<TreeNode>& out) const {
    for (std::uint64_t at = start; at < end;) {
      const std::uint64_t count = std::bit_floor(end - at);
      out.push_back({.level = static_cast<std::size_t>(std::countr_zero(count)), .index = at / count});
      at += count;
    }
  }

  [[nodiscard]] Hash hash(const TreeTiles& tiles) const {
    std::vector<TreeNode> peaks;
    add_peaks(peaks);
    Hash hash = tiles.hash(peaks.back());
    for (std::size_t i = peaks.size() - 1; i-- > 0;) {
      hash = ozks::verify::log_node_hash(tiles.hash(peaks[i]), hash);
    }
    return hash;
  }
};

// Returns the nodes of a consistency proof, in its order (RFC 6962 section 2.1.2).
std::vector<SubtreeRange> consistency_ranges(std::uint64_t old_size, std::uint64_t new_size) {
  OPTIKS_CHECK(old_size >= 1 && old_size <= new_size);
  std::vector<SubtreeRange> ranges;
  if (old_size == new_size) {
    return ranges;
  }
  // Walks down to the node that ends where the old tree ends. If every step went left, this node is the root of the old
  // tree, which the verifier knows.
  SubtreeRange node{0, new_size};
  while (node.end != old_size) {
    const SubtreeRange left{node.start, node.split()};
    const SubtreeRange right{node.split(), node.end};
    const bool is_left = old_size <= node.split();
    ranges.push_back(is_left ? right : left);
    node = is_left ? left : right;
  }
  if (node.start != 0) {
    ranges.push_back(node);
  }
  std::ranges::reverse(ranges);
  return ranges;
}

}  // namespace

std::vector<TreeNode> PrefixProof::nodes_of_root(std::uint64_t size) {
  std::vector<TreeNode> nodes;
  SubtreeRange{0, size}.add_peaks(nodes);
  return nodes;
}

std::vector<TreeNode> PrefixProof::nodes(std::uint64_t size, std::uint64_t larger) {
  std::vector<TreeNode> nodes = nodes_of_root(size);
  for (const SubtreeRange& range : consistency_ranges(size, larger)) {
    range.add_peaks(nodes);
  }
  return nodes;
}

Hash PrefixProof::compute_root(const TreeTiles& tiles, std::uint64_t size) {
  OPTIKS_CHECK(size >= 1 && size <= tiles.size());
  return SubtreeRange{0, size}.hash(tiles);
}

PrefixProof PrefixProof::make(const TreeTiles& tiles, std::uint64_t size) {
  PrefixProof proof{.size = size, .root = compute_root(tiles, size), .consistency = {}};
  for (const SubtreeRange& range : consistency_ranges(size, tiles.size())) {
    proof.consistency.push_back(range.hash(tiles));
  }
  return proof;
}

bool PrefixProof::verify(std::uint64_t larger, const Hash& larger_root) const {
  Bytes octets;
  for (const Hash& hash : consistency) {
    octets.insert(octets.end(), hash.begin(), hash.end());
  }
  return ozks::verify::verify_consistency(size, larger, root, larger_root, octets);
}

std::string PrefixProof::text() const {
  std::string text = std::to_string(size) + "\n" + base64_encode(root) + "\n";
  for (const Hash& hash : consistency) {
    text.append(base64_encode(hash)).append("\n");
  }
  return text;
}

std::optional<PrefixProof> PrefixProof::parse(ByteSpan text) {
  PrefixProof proof;
  std::size_t line_number = 0;
  for (; !text.empty(); ++line_number) {
    const auto newline = std::ranges::find(text, '\n');
    if (newline == text.end()) {
      return std::nullopt;
    }
    const ByteSpan line = text.first(static_cast<std::size_t>(newline - text.begin()));
    text = text.subspan(line.size() + 1);
    if (line_number == 0) {
      const auto size = ozks::verify::parse_decimal(line);
      if (!size) {
        return std::nullopt;
      }
      proof.size = *size;
      continue;
    }
    Hash hash;
    if (ozks::verify::base64_decoded_length(line) != hash.size()) {
      return std::nullopt;
    }
    ozks::verify::base64_decode(line, hash);
    if (line_number == 1) {
      proof.root = hash;
    } else {
      proof.consistency.push_back(hash);
    }
  }
  return line_number >= 2 ? std::optional(std::move(proof)) : std::nullopt;
}

}  // namespace optiks::client
