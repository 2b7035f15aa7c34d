// TreeUpdate: adds leaves to a stored tree. It reads the pages on the paths of the new labels, level by level, and
// decodes them into nodes in memory. It adds the leaves to these nodes as in linked mode (trie/insert.h), and packs the
// new nodes into pages.
//
// Thread safety: only one thread may use an object.
//
// Packing: a page that stays within kMaxPageLen keeps its nodes. A longer page is divided, as in a B-tree: subtrees of
// the page become pages, and the nodes above these subtrees go into the page above. The page above may then become too
// long and be divided too. So the paths to all leaves pass about the same number of pages, whatever the order of
// insertion.
#pragma once

#include <span>
#include <vector>

#include "stored/stored_tree.h"
#include "trie/nodes.h"
#include "trie/tree_store.h"

namespace optiks::ozks {

class TreeUpdate {
 public:
  struct NewPage {
    PageId id;
    std::vector<std::uint8_t> octets;
    PageId replaces;  // the old page whose place in the tree it takes, or kNoPage
  };

  // `nodes`: the memory for decoded pages; run() removes nodes that other updates left there. `next_id`: the id for the
  // first new page; run() sets it to the id after the last new page.
  TreeUpdate(const PageReader& pages, Nodes& nodes, PageId& next_id)
      : pages_(pages), nodes_(nodes), next_id_(next_id) {}

  // Adds the leaves to `old` and writes the new tree to `out`. The leaves must be sorted by label. If a label already
  // exists or occurs twice, returns false and leaves `out` unchanged. Call this function only once.
  [[nodiscard]] bool run(const Tree& old, std::span<const NewLeaf> leaves, Workers& workers, Tree& out);

  // These functions return the results of run(). created() returns the pages to put into the store, and superseded()
  // returns the pages that are no longer part of the tree.
  [[nodiscard]] std::vector<NewPage>& created() { return created_; }
  [[nodiscard]] const std::vector<PageId>& superseded() const { return superseded_; }

 private:
  // This bit marks a child that is a page; the other bits are an index into refs_. After read_paths() has returned, no
  // path of a new label has such a child.
  static constexpr NodeId kRefBit = kLeafBit >> 1;
  [[nodiscard]] static bool is_ref(NodeId id) { return !Nodes::is_leaf(id) && (id & kRefBit) != 0; }
  [[nodiscard]] PageId ref(NodeId id) const { return refs_[id & ~kRefBit]; }
  [[nodiscard]] NodeId add_ref(PageId id);

  void read_paths(std::span<const NewLeaf> leaves);
  [[nodiscard]] NodeId take_apart(PageId id, const Page& page);

  // The size of the part of a subtree that goes into the page above.
  struct Packed {
    std::size_t len;
    bool is_split;  // true if parts of the same old page have become pages
  };
  [[nodiscard]] Packed pack(NodeId& id, const PageMark& above);
  [[nodiscard]] NodeId write_page(NodeId top, PageId replaces);

  const PageReader& pages_;
  Nodes& nodes_;
  PageId& next_id_;
  std::vector<PageId> refs_;
  std::vector<PageId> taken_apart_;  // decoded pages; the page with mark m has index m - 1
  std::vector<NodeId> parts_;        // nodes, leaves and references of the page that is being decoded
  NodeId root_ = kNoNode;
  NodeId first_new_ = kNoNode;  // interior nodes with this id or a greater id are new
  std::vector<NewPage> created_;
  std::vector<PageId> superseded_;
};

}  // namespace optiks::ozks
