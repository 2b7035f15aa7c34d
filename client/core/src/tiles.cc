#include "optiks/client/tiles.h"

#include <algorithm>
#include <array>
#include <bit>

#include "optiks/base/check.h"
#include "optiks/ozks/verify/rfc6962.h"

namespace optiks::client {
namespace {

using ozks::verify::kHashLen;
using ozks::verify::log_node_hash;

// Returns the root of a complete subtree from all of its nodes of one level, whose number is a power of two.
Hash complete_root(std::span<const Hash> nodes) {
  std::vector<Hash> level(nodes.begin(), nodes.end());
  for (std::size_t width = level.size(); width > 1; width /= 2) {
    for (std::size_t i = 0; i < width / 2; ++i) {
      level[i] = log_node_hash(level[2 * i], level[2 * i + 1]);
    }
  }
  return level[0];
}

}  // namespace

std::string TilePath::text() const {
  // A number of 64 bits has at most seven groups of three digits.
  std::array<std::uint64_t, 7> groups{};
  std::size_t count = 0;
  std::uint64_t rest = index;
  do {
    groups[count++] = rest % 1000;
    rest /= 1000;
  } while (rest != 0);
  std::string text = "tile/";
  text.append(std::to_string(level));
  while (count-- > 0) {
    text.append(count == 0 ? "/" : "/x");
    for (const std::uint64_t unit : {100U, 10U, 1U}) {
      text.push_back(static_cast<char>('0' + groups[count] / unit % 10));
    }
  }
  if (width != kTileWidth) {
    text.append(".p/").append(std::to_string(width));
  }
  return text;
}

std::uint64_t num_tile_hashes(std::uint64_t size, std::size_t level) {
  return level < kTileLevels ? size >> (kLevelsOfTile * level) : 0;
}

std::size_t partial_width(std::uint64_t size, std::size_t level) {
  return static_cast<std::size_t>(num_tile_hashes(size, level) % kTileWidth);
}

std::optional<TilePath> tile_of(std::uint64_t size, std::size_t level, std::uint64_t index) {
  const std::uint64_t num_full = num_tile_hashes(size, level) / kTileWidth;
  if (index < num_full) {
    return TilePath{.level = level, .index = index};
  }
  const std::size_t width = partial_width(size, level);
  return index == num_full && width != 0 ? std::optional(TilePath{level, index, width}) : std::nullopt;
}

TreeTiles::TreeTiles(std::uint64_t size, const Hash& root) : size_(size), root_(root) { OPTIKS_CHECK(size != 0); }

bool TreeTiles::is_edge_complete() const {
  for (std::size_t level = 0; level < kTileLevels; ++level) {
    if (partial_width(size_, level) != 0 && !tiles_.contains({level, num_tile_hashes(size_, level) / kTileWidth})) {
      return false;
    }
  }
  return true;
}

std::optional<TilePath> TreeTiles::missing(std::span<const TreeNode> nodes) const {
  for (std::size_t level = 0; level < kTileLevels; ++level) {
    const std::size_t width = partial_width(size_, level);
    const std::uint64_t index = num_tile_hashes(size_, level) / kTileWidth;
    if (width != 0 && !tiles_.contains({level, index})) {
      return TilePath{level, index, width};
    }
  }
  for (const TreeNode& node : nodes) {
    const std::uint64_t first = node.index << (node.level % kLevelsOfTile);
    if (auto tile = missing_tile(node.level / kLevelsOfTile, first / kTileWidth)) {
      return tile;
    }
  }
  return std::nullopt;
}

// Returns the highest tile that is not known on the way from the right edge down to a tile. The way ends at a partial
// tile at level 7 at the latest, because a full tile there has 2^64 leaves.
std::optional<TilePath> TreeTiles::missing_tile(std::size_t level, std::uint64_t index) const {
  std::optional<TilePath> missing;
  for (; !tiles_.contains({level, index}); ++level, index /= kTileWidth) {
    missing = tile_of(size_, level, index);
    OPTIKS_CHECK(missing.has_value());
  }
  return missing;
}

bool TreeTiles::take(const TilePath& fetched, ByteSpan octets) {
  const std::optional<TilePath> tile = tile_of(size_, fetched.level, fetched.index);
  if (!tile || (fetched != *tile && fetched != tile->full()) || octets.size() != fetched.width * kHashLen) {
    return false;
  }
  std::vector<Hash> hashes(tile->width);
  for (Hash& hash : hashes) {
    std::ranges::copy(octets.first(kHashLen), hash.begin());
    octets = octets.subspan(kHashLen);
  }
  const Place place{tile->level, tile->index};
  if (tile->width == kTileWidth) {
    const auto above = tiles_.find({tile->level + 1, tile->index / kTileWidth});
    if (!is_edge_complete() || above == tiles_.end() ||
        above->second[tile->index % kTileWidth] != complete_root(hashes)) {
      return false;
    }
    tiles_.insert_or_assign(place, std::move(hashes));
    return true;
  }
  if (tiles_.contains(place)) {
    return false;
  }
  const auto added = tiles_.emplace(place, std::move(hashes)).first;
  if (is_edge_complete() && edge_root() != root_) {
    tiles_.erase(added);
    return false;
  }
  return true;
}

Hash TreeTiles::edge_root() const {
  std::vector<Hash> peaks;
  for (std::size_t level = kTileLevels; level-- > 0;) {
    const std::size_t width = partial_width(size_, level);
    if (width == 0) {
      continue;
    }
    std::span<const Hash> hashes = tiles_.at({level, num_tile_hashes(size_, level) / kTileWidth});
    for (; !hashes.empty(); hashes = hashes.subspan(std::bit_floor(hashes.size()))) {
      peaks.push_back(complete_root(hashes.first(std::bit_floor(hashes.size()))));
    }
  }
  Hash root = peaks.back();
  for (std::size_t i = peaks.size() - 1; i-- > 0;) {
    root = log_node_hash(peaks[i], root);
  }
  return root;
}

Hash TreeTiles::hash(const TreeNode& node) const {
  const std::size_t width = std::size_t{1} << (node.level % kLevelsOfTile);
  const std::uint64_t first = node.index * width;
  const auto tile = tiles_.find({node.level / kLevelsOfTile, first / kTileWidth});
  OPTIKS_CHECK(is_edge_complete() && tile != tiles_.end());
  const auto at = static_cast<std::size_t>(first % kTileWidth);
  OPTIKS_CHECK(at + width <= tile->second.size());
  return complete_root(std::span(tile->second).subspan(at, width));
}

}  // namespace optiks::client
