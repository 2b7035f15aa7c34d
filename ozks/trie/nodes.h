// The tree of docs/spec/tree.md in memory: a Patricia trie whose nodes are addressed by ids and changed by path
// copying. Linked mode keeps whole trees in this form, stored mode only the nodes that an epoch changes.
//
// Thread safety: one writer adds nodes (insert.h); any number of readers walk trees that were published to them.
// Invariants
//   1. A node reachable from a published Tree never changes; insert_leaves() makes new nodes for changes.
//   2. An interior node holds the hashes of both children, so a walk reads one node for each level and finds every
//      sibling hash on its path. A node's own hash is in its parent, and the root's hash in its Tree.
//   3. A node's prefix is not stored: it is the first `length` bits of the label of any leaf below it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "leaves/prefetch.h"
#include "optiks/base/bytes.h"
#include "optiks/ozks/verify/hash.h"
#include "trie/arena.h"
#include "trie/path.h"

namespace optiks::ozks {

// An interior node's id, or a leaf's with the top bit set.
using NodeId = std::uint32_t;
inline constexpr NodeId kLeafBit = 1U << 31;
inline constexpr NodeId kNoNode = 0xffffffff;

[[nodiscard]] inline NodeId root_of(const Tree& tree) {
  return tree.count == 0 ? kNoNode : static_cast<NodeId>(tree.root);
}

// The page that stored mode took a node from (stored/tree_update.h); zeros in linked mode. A new node has the mark of
// the interior node whose slot it gets. If there was no such node, it has the mark of the node above it.
using PageMark = std::array<std::uint8_t, 3>;

struct Interior {
  Hash hash[2];
  NodeId child[2];
  std::uint8_t length;  // of the prefix
  PageMark page;
};

// The other data of a leaf is in its record in the leaf log (leaf_log.h).
struct Leaf {
  Hash label;
  std::array<std::uint8_t, 6> offset;  // offset of the record, big-endian

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

// The arenas that all trees of a directory share, and the operations on them.
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

  // Adds a new leaf; the id has kLeafBit. It is not reachable until insert_leaves().
  [[nodiscard]] NodeId add_leaf(const Leaf& leaf) {
    const NodeId id = allocate_leaf();
    new_leaf(id) = leaf;
    return id;
  }
  // Adds a leaf with unspecified contents, which new_leaf() fills.
  [[nodiscard]] NodeId allocate_leaf() { return leaves_.allocate() | kLeafBit; }
  [[nodiscard]] Leaf& new_leaf(NodeId id) { return leaves_[id & ~kLeafBit]; }

  // Follows the labels' bits from the tree's root, level by level (TreeStore::walk_many).
  void walk_many(const Tree& tree, std::span<const ByteSpan> labels, Paths& out) const;

  // Allocates an interior node with unspecified contents, for insert_leaves() to write. Only the writer calls this
  // function and the functions below.
  [[nodiscard]] NodeId allocate_interior() { return interiors_.allocate(); }
  // Appends n ids of interior nodes with unspecified contents. If memory runs out, `out` has the ids that were
  // allocated before.
  void allocate_interiors(std::size_t n, std::vector<NodeId>& out) { interiors_.allocate_many(n, out); }
  [[nodiscard]] Interior& new_interior(NodeId id) { return interiors_[id]; }
  void free_interiors(std::span<const NodeId> ids) noexcept { interiors_.free_many(ids); }
  void free_leaf(NodeId id) noexcept { leaves_.free(id & ~kLeafBit); }

  // Removes all nodes; their memory stays for the next ones.
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
