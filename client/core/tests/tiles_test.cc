// Tests tile paths, trees from tiles and prefix proofs with tests/vectors/tlog, and with a tree that has two levels of
// full tiles.
#include "optiks/client/tiles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "optiks/ozks/verify/rfc6962.h"
#include "vectors.h"

namespace optiks::client::test {
namespace {

using ozks::verify::test::load_vectors;

// Returns the octets of a tile below a log's prefix; nullopt if the log does not have it.
using ReadTile = std::function<std::optional<Bytes>(const TilePath&)>;

// Reads a tile of the vectors. They do not have every partial tile, so a wider one is read and cut.
std::optional<Bytes> read_file(const TilePath& path) {
  for (TilePath wider = path; wider.width <= kTileWidth; ++wider.width) {
    const std::string name = std::string(OPTIKS_VECTORS) + "/tlog/log/tree/" + wider.text();
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(name.c_str(), "rb"), std::fclose);
    if (file != nullptr) {
      Bytes octets(path.width * 32);
      octets.resize(std::fread(octets.data(), 1, octets.size(), file.get()));
      return octets;
    }
  }
  return std::nullopt;
}

// Reads all tiles that `nodes` need. Returns false if a tile is refused.
bool read_all(TreeTiles& tiles, std::span<const TreeNode> nodes, const ReadTile& read_tile,
              std::size_t* count = nullptr) {
  while (const auto path = tiles.missing(nodes)) {
    TilePath fetched = *path;
    auto octets = read_tile(fetched);
    if (!octets) {
      fetched = path->full();
      octets = read_tile(fetched);
    }
    if (!octets || !tiles.take(fetched, *octets)) {
      return false;
    }
    if (count != nullptr) {
      ++*count;
    }
  }
  return true;
}

Hash to_hash(const nlohmann::json& hex) {
  const Bytes octets = ozks::verify::test::from_hex(hex);
  Hash hash{};
  std::ranges::copy(octets, hash.begin());
  return hash;
}

// A log in memory, and its root by the definition of RFC 6962.
class Log {
 public:
  void append() {
    const std::uint64_t number = levels_[0].size();
    Bytes entry(8);
    base::store_be64(entry.data(), number);
    Hash hash = ozks::verify::log_leaf_hash(entry);
    for (std::size_t level = 0;; ++level) {
      levels_.resize(std::max(levels_.size(), level + 1));
      levels_[level].push_back(hash);
      if (levels_[level].size() % 2 != 0) {
        return;
      }
      hash = ozks::verify::log_node_hash(levels_[level][levels_[level].size() - 2], hash);
    }
  }
  [[nodiscard]] std::uint64_t size() const { return levels_[0].size(); }
  [[nodiscard]] Hash root(std::uint64_t begin, std::uint64_t end) const {
    const std::uint64_t count = end - begin;
    if (std::has_single_bit(count)) {
      const auto level = static_cast<std::size_t>(std::bit_width(count) - 1);
      return levels_[level][static_cast<std::size_t>(begin >> level)];
    }
    const std::uint64_t split = begin + std::bit_floor(count - 1);
    return ozks::verify::log_node_hash(root(begin, split), root(split, end));
  }
  [[nodiscard]] std::optional<Bytes> tile(const TilePath& path) const {
    Bytes octets;
    const std::size_t level = path.level * kLevelsOfTile;
    const std::size_t first = static_cast<std::size_t>(path.index) * kTileWidth;
    for (std::size_t i = first; i < first + path.width; ++i) {
      if (level >= levels_.size() || i >= levels_[level].size()) {
        return std::nullopt;
      }
      octets.insert(octets.end(), levels_[level][i].begin(), levels_[level][i].end());
    }
    return octets;
  }

 private:
  std::vector<std::vector<Hash>> levels_ = std::vector<std::vector<Hash>>(1);
};

TEST(Tiles, Paths) {
  EXPECT_EQ((TilePath{0, 0, 256}.text()), "tile/0/000");
  EXPECT_EQ((TilePath{0, 999, 255}.text()), "tile/0/999.p/255");
  EXPECT_EQ((TilePath{1, 1000, 1}.text()), "tile/1/x001/000.p/1");
  EXPECT_EQ((TilePath{0, 1234067, 256}.text()), "tile/0/x001/x234/067");
  EXPECT_EQ((TilePath{7, 1000000, 17}.text()), "tile/7/x001/x000/000.p/17");
  EXPECT_EQ((TilePath{0, ~std::uint64_t{0}, 256}.text()), "tile/0/x018/x446/x744/x073/x709/x551/615");
}

TEST(Tiles, LayoutsOfTheVectors) {
  const nlohmann::json sizes = load_vectors("tlog/log/sizes.json")["sizes"];
  EXPECT_EQ(sizes.size(), 11U);
  for (const nlohmann::json& v : sizes) {
    std::set<std::string> expected;
    for (const nlohmann::json& path : v["paths_for_this_size"]) {
      if (!path.get<std::string>().starts_with("tile/entries")) {
        expected.insert(path.get<std::string>());
      }
    }
    std::set<std::string> paths;
    for (std::size_t level = 0; level <= kTileLevels; ++level) {
      for (std::uint64_t index = 0; const auto tile = tile_of(v["size"].get<std::uint64_t>(), level, index); ++index) {
        paths.insert(tile->text());
      }
    }
    EXPECT_EQ(paths, expected);
  }
  constexpr std::uint64_t kLargest = ~std::uint64_t{0};
  EXPECT_EQ(partial_width(kLargest, 7), 255U);
  EXPECT_EQ(partial_width(kLargest, 8), 0U);
  EXPECT_FALSE(tile_of(kLargest, 8, 0));
  EXPECT_FALSE(tile_of(257, 0, 2));
}

TEST(PrefixProof, ConsistencyProofsOfTheVectors) {
  const nlohmann::json vectors = load_vectors("tlog/consistency.json")["vectors"];
  int made = 0;
  for (const nlohmann::json& v : vectors) {
    const auto size = v["size1"].get<std::uint64_t>();
    const auto larger = v["size2"].get<std::uint64_t>();
    if (!v["valid"].get<bool>() || size == 0) {
      continue;
    }
    SCOPED_TRACE(v["id"].get<std::string>());
    TreeTiles tiles(larger, to_hash(v["root2_hex"]));
    ASSERT_TRUE(read_all(tiles, PrefixProof::nodes(size, larger), read_file));
    const PrefixProof proof = PrefixProof::make(tiles, size);
    EXPECT_EQ(base::to_hex(proof.root), v["root1_hex"].get<std::string>());
    std::vector<std::string> hashes;
    for (const Hash& hash : proof.consistency) {
      hashes.push_back(base::to_hex(hash));
    }
    EXPECT_EQ(hashes, v["proof_hex"].get<std::vector<std::string>>());
    EXPECT_TRUE(proof.verify(larger, to_hash(v["root2_hex"])));
    ++made;
  }
  EXPECT_GE(made, 40);
}

TEST(PrefixProof, AllSizesOfATree) {
  Log log;
  while (log.size() < 66000) {
    log.append();
  }
  const auto read_tile = [&](const TilePath& path) { return log.tile(path); };
  for (const std::uint64_t larger : {1U, 2U, 255U, 256U, 257U, 600U, 65535U, 65536U, 65537U, 65999U}) {
    const Hash root = log.root(0, larger);
    for (std::uint64_t size = 1; size <= larger; size += 1 + size / 3) {
      TreeTiles tiles(larger, root);
      std::size_t count = 0;
      ASSERT_TRUE(read_all(tiles, PrefixProof::nodes_of_root(size), read_tile, &count));
      EXPECT_EQ(PrefixProof::compute_root(tiles, size), log.root(0, size));
      ASSERT_TRUE(read_all(tiles, PrefixProof::nodes(size, larger), read_tile, &count));
      EXPECT_LT(count, 64U);
      const PrefixProof proof = PrefixProof::make(tiles, size);
      ASSERT_TRUE(proof.verify(larger, root)) << size << " " << larger;
      const auto parsed = PrefixProof::parse(octets_of(proof.text()));
      ASSERT_TRUE(parsed);
      EXPECT_EQ(parsed->text(), proof.text());
      EXPECT_TRUE(parsed->verify(larger, root));
    }
  }
}

// Any false tile is refused, so that no node of it is ever used.
TEST(Tiles, FalseTilesAreRefused) {
  Log log;
  while (log.size() < 65536 + 256 + 3) {
    log.append();
  }
  const std::uint64_t size = log.size();
  const auto nodes = PrefixProof::nodes(300, size);
  std::size_t count = 0;
  TreeTiles good(size, log.root(0, size));
  ASSERT_TRUE(read_all(
      good, nodes, [&](const TilePath& path) { return log.tile(path); }, &count));
  EXPECT_GE(count, 5U);
  for (std::size_t changed = 0; changed < count; ++changed) {
    for (const std::size_t position : {0, 1, 31}) {
      std::size_t at = 0;
      TreeTiles tiles(size, log.root(0, size));
      EXPECT_FALSE(read_all(tiles, nodes, [&](const TilePath& path) {
        auto octets = log.tile(path);
        if (octets && at++ == changed) {
          (*octets)[position % octets->size()] ^= 1;
        }
        return octets;
      }));
    }
    for (const int difference : {-32, -1, 1, 32}) {
      std::size_t at = 0;
      TreeTiles tiles(size, log.root(0, size));
      EXPECT_FALSE(read_all(tiles, nodes, [&](const TilePath& path) {
        auto octets = log.tile(path);
        if (octets && at++ == changed) {
          octets->resize(static_cast<std::size_t>(static_cast<int>(octets->size()) + difference));
        }
        return octets;
      }));
    }
  }
  // Another tree of the same size, and tiles that were not asked for.
  TreeTiles other(size, log.root(0, size - 1));
  EXPECT_FALSE(read_all(other, nodes, [&](const TilePath& path) { return log.tile(path); }));
  TreeTiles empty(size, log.root(0, size));
  EXPECT_FALSE(empty.take({.level = 0, .index = 0}, *log.tile({.level = 0, .index = 0})));
  EXPECT_FALSE(empty.take({.level = 0, .index = 5000}, Bytes(kTileWidth * 32)));
  EXPECT_FALSE(empty.take({.level = 9, .index = 0}, Bytes(kTileWidth * 32)));
  EXPECT_FALSE(empty.take({.level = 0, .index = size / kTileWidth, .width = 2}, Bytes(64)));
}

// A log that removed its partial tiles still has the full ones.
TEST(Tiles, FullTilesInsteadOfPartialOnes) {
  Log log;
  while (log.size() < 1024) {
    log.append();
  }
  for (const std::uint64_t size : {1U, 255U, 300U, 700U}) {
    const auto nodes = PrefixProof::nodes(1 + size / 2, size);
    TreeTiles tiles(size, log.root(0, size));
    ASSERT_TRUE(read_all(tiles, nodes, [&](const TilePath& path) {
      return path.level == 0 && path.width != kTileWidth ? std::nullopt : log.tile(path);
    }));
    EXPECT_TRUE(PrefixProof::make(tiles, 1 + size / 2).verify(size, log.root(0, size)));
  }
}

TEST(PrefixProof, RefusedTexts) {
  const std::string hash = std::string(43, 'A') + "=\n";
  EXPECT_TRUE(PrefixProof::parse(octets_of("5\n" + hash)));
  EXPECT_TRUE(PrefixProof::parse(octets_of("18446744073709551615\n" + hash + hash)));
  for (const std::string& text : std::vector<std::string>{"", "\n", "5\n", "5", hash, "05\n" + hash, "-5\n" + hash,
                                                          "18446744073709551616\n" + hash, "5\n" + hash + "\n",
                                                          "5\n" + hash + "A", "5\n" + hash.substr(4), "5\n\n" + hash,
                                                          "5\r\n" + hash, "5\n" + hash.substr(0, 44), " 5\n" + hash}) {
    EXPECT_FALSE(PrefixProof::parse(octets_of(text))) << text;
  }
}

}  // namespace
}  // namespace optiks::client::test
