// The tree of docs/spec/tree.md in memory: a Patricia trie whose nodes have ids. Changes copy the nodes on a path
// instead of modifying them. Linked mode keeps whole trees in this form; stored mode keeps only the nodes that an epoch
// changes.
//
// Thread safety: only one thread, the writer, adds nodes (insert.h). Any number of readers walk trees that were
// published to them.
// Invariants
//   1. A node reachable from a published Tree never changes; insert_leaves() makes new nodes for changes.
//   2. An interior node holds the hashes of its two children. So a walk reads one node for each level, and finds the
//      hashes of all siblings in the nodes on its path. A node's own hash is in its parent, and the root's hash is in
//      the Tree object.
//   3. A node's prefix is not stored, because it equals the first `length` bits of each label below the node.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "optiks/base/bytes.h"
#include "optiks/ozks/verify/hash.h"
#include "trie/arena.h"
#include "trie/path.h"
#include "util/prefetch.h"

namespace optiks::ozks {

// The id of a node. The top bit is set in the id of a leaf, and clear in the id of an interior node.
using NodeId = std::uint32_t;
inline constexpr NodeId kLeafBit = 1U << 31;
inline constexpr NodeId kNoNode = 0xffffffff;

[[nodiscard]] inline NodeId root_of(const Tree& tree) {
  return tree.count == 0 ? kNoNode : static_cast<NodeId>(tree.root);
}

// Identifies the page from which stored mode decoded a node (stored/tree_update.h); zeros in linked mode. A new node
// has the mark of the interior node whose place it takes. If it takes no interior node's place, it has the mark of the
// node above it.
using PageMark = std::array<std::uint8_t, 3>;

struct Interior {
  Hash hash[2];
  NodeId child[2];
  std::uint8_t length;  // of the prefix
  PageMark page;
};

// A leaf of the tree. All other data of the leaf is in its record in the leaf log (leaf_log.h).
struct Leaf {
  Hash label;
  std::array<std::uint8_t, 6> offset;  // offset of the leaf's record in the leaf log, big-endian

  [[nodiscard]] std::uint64_t log_offset() const {
    return std::uint64_t{base::load_be16(offset.data())} << 32 | base::load_be32(offset.data() + 2);
  }
  void set_log_offset(std::uint64_t at) {
    base::store_be16(offset.data(), static_cast<std::uint16_t>(at >> 32));
    base::store_be32(offset.data() + 2, static_cast<std::uint32_t>(at));
  }
};

// Most of a directory's memory consists of these nodes, so their size matters.
static_assert(sizeof(Interior) == 76 && sizeof(Leaf) == 38);

// The nodes of all trees of a directory, in two arenas that the trees share.
class Nodes {
 public:
  [[nodiscard]] const Interior& interior(NodeId id) const { return interiors_[id]; }
  [[nodiscard]] const Leaf& leaf(NodeId id) const { return leaves_[id & ~kLeafBit]; }
  // Prefetches the node's memory.
  void prefetch_node(NodeId id) const {
    if (is_leaf(id)) {
      prefetch(&leaf(id), sizeof(Leaf));
    } else {
      prefetch(&interior(id), sizeof(Interior));
    }
  }
  [[nodiscard]] static bool is_leaf(NodeId id) { return (id & kLeafBit) != 0; }

  // Adds a leaf and returns its id, which has kLeafBit. The leaf is not in a tree until insert_leaves() adds it.
  [[nodiscard]] NodeId add_leaf(const Leaf& leaf) {
    const NodeId id = allocate_leaf();
    new_leaf(id) = leaf;
    return id;
  }
  // Adds a leaf with unspecified contents, and returns its id. The caller writes the contents through new_leaf().
  [[nodiscard]] NodeId allocate_leaf() { return leaves_.allocate() | kLeafBit; }
  [[nodiscard]] Leaf& new_leaf(NodeId id) { return leaves_[id & ~kLeafBit]; }

  // Walks the paths of the labels from the tree's root, level by level, as TreeStore::walk_many() says.
  void walk_many(const Tree& tree, std::span<const ByteSpan> labels, Paths& out) const;

  // Allocates an interior node with unspecified contents, and returns its id. Only the writer may call this function
  // and the functions below.
  [[nodiscard]] NodeId allocate_interior() { return interiors_.allocate(); }
  // Allocates `n` interior nodes with unspecified contents, and appends their ids to `out`. If memory runs out, throws
  // std::bad_alloc; `out` then has the ids that were allocated before the failure.
  void allocate_interiors(std::size_t n, std::vector<NodeId>& out) { interiors_.allocate_many(n, out); }
  [[nodiscard]] Interior& new_interior(NodeId id) { return interiors_[id]; }
  void free_interiors(std::span<const NodeId> ids) noexcept { interiors_.free_many(ids); }
  void free_leaf(NodeId id) noexcept { leaves_.free(id & ~kLeafBit); }

  // Removes all nodes and keeps their memory for new nodes.
  void clear() noexcept {
    interiors_.clear();
    leaves_.clear();
  }

  [[nodiscard]] std::size_t bytes() const { return interiors_.bytes() + leaves_.bytes(); }

 private:
  Arena<Interior> interiors_;
  Arena<Leaf> leaves_;
};

}  // namespace optiks::ozks
