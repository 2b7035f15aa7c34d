// The tiles of the log of epoch records (docs/spec/board.md section 3, C2SP tlog-tiles), and proofs made from them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "optiks/client/octets.h"
#include "optiks/ozks/verify/hash.h"

namespace optiks::client {

using ozks::verify::Hash;

inline constexpr std::size_t kTileWidth = 256;
inline constexpr std::size_t kLevelsOfTile = 8;  // a tile's hashes are nodes of the tree's level 8 * its own level
inline constexpr std::size_t kTileLevels = 8;    // a tree has at most 256^8 leaves

// Names a hash tile.
struct TilePath {
  std::size_t level = 0;
  std::uint64_t index = 0;
  std::size_t width = kTileWidth;  // 1 to 256

  // Returns the path below the log's prefix, such as "tile/0/x001/234/067.p/5".
  [[nodiscard]] std::string text() const;
  [[nodiscard]] TilePath full() const { return {level, index, kTileWidth}; }

  bool operator==(const TilePath&) const = default;
};

// Returns the number of hashes in all tiles of a level, in a tree of `size` leaves.
[[nodiscard]] std::uint64_t num_tile_hashes(std::uint64_t size, std::size_t level);
// Returns the number of hashes in the last tile of a level; 0 if that tile is full or the level has no tiles.
[[nodiscard]] std::size_t partial_width(std::uint64_t size, std::size_t level);
// Returns the tile with this level and index in a tree of `size` leaves, or nullopt if the tree has no such tile.
[[nodiscard]] std::optional<TilePath> tile_of(std::uint64_t size, std::size_t level, std::uint64_t index);

// A complete subtree: the 2^level leaves from leaf index * 2^level on.
struct TreeNode {
  std::size_t level = 0;
  std::uint64_t index = 0;

  bool operator==(const TreeNode&) const = default;
};

// The hashes of a tree, from tiles that a stranger sent. A tile counts only once it is proven to be in the tree with
// the root of a verified checkpoint: the partial tiles of the right edge hash to the root, and each full tile hashes to
// its hash in the tile above it. The class reads nothing itself: it names the tile that it needs next, and takes its
// octets.
//
// Memory: one tile of 8 KiB for each tile that a caller's nodes need, fewer than 64 for one proof.
class TreeTiles {
 public:
  // `size` is at least 1.
  TreeTiles(std::uint64_t size, const Hash& root);

  [[nodiscard]] std::uint64_t size() const { return size_; }

  // Returns the next tile that is needed for the hashes of `nodes`, which are nodes of the tree; nullopt if all are
  // known.
  [[nodiscard]] std::optional<TilePath> missing(std::span<const TreeNode> nodes) const;

  // Takes the octets of a tile that missing() returned. If a log does not have a partial tile any more, a caller takes
  // the full tile instead, and `fetched` is its path. Returns false, without a change, if the octets have another
  // length than the fetched tile, or are not a part of the tree. If a tile of the right edge is false, this shows when
  // the last of the edge's tiles arrives.
  [[nodiscard]] bool take(const TilePath& fetched, ByteSpan octets);

  // Returns the hash of a node for which missing() returns nullopt.
  [[nodiscard]] Hash hash(const TreeNode& node) const;

 private:
  using Place = std::pair<std::size_t, std::uint64_t>;  // level and index

  [[nodiscard]] std::optional<TilePath> missing_tile(std::size_t level, std::uint64_t index) const;
  [[nodiscard]] bool is_edge_complete() const;
  [[nodiscard]] Hash edge_root() const;

  std::uint64_t size_;
  Hash root_;
  std::map<Place, std::vector<Hash>> tiles_;
};

// Proves which root the first entries of a larger signed tree have. If the log signed another root for this number of
// entries, the two checkpoints are not of one history.
struct PrefixProof {
  std::uint64_t size = 0;
  Hash root{};
  std::vector<Hash> consistency;  // the consistency proof from this size and root to the larger tree

  // Returns the nodes whose hashes the root of the first `size` entries needs, and those that the whole proof needs.
  // `size` is from 1 to the size of the larger tree.
  [[nodiscard]] static std::vector<TreeNode> nodes_of_root(std::uint64_t size);
  [[nodiscard]] static std::vector<TreeNode> nodes(std::uint64_t size, std::uint64_t larger);

  // Compute the root of the first `size` entries, and the whole proof, from tiles that have all of these nodes.
  [[nodiscard]] static Hash compute_root(const TreeTiles& tiles, std::uint64_t size);
  [[nodiscard]] static PrefixProof make(const TreeTiles& tiles, std::uint64_t size);

  // Returns whether the tree with this size and root begins with the tree of this proof.
  [[nodiscard]] bool verify(std::uint64_t larger, const Hash& larger_root) const;

  // The form in which evidence has the proof: lines with the size, the root and the hashes, these in base64.
  [[nodiscard]] std::string text() const;
  static std::optional<PrefixProof> parse(ByteSpan text);
};

}  // namespace optiks::client
