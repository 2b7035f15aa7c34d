// TreeUpdate: adds leaves to a stored tree. It reads the pages on the paths of the new labels level by level and
// decodes them into nodes in memory. It adds the leaves there as in linked mode (trie/insert.h), and packs the new
// nodes into pages.
//
// Thread safety: one thread.
//
// Packing: a page that stays within kMaxPageLen keeps its nodes. A longer one is divided, as in a B-tree. Subtrees of
// the page become pages of their own, and the nodes above these subtrees go into the page above. That page may become
// too long in turn. So the paths to all leaves pass about the same number of pages, whatever the order of insertion.
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
    PageId replaces;  // the page whose slot it has, or kNoPage
  };

  // `nodes`: the memory for decoded pages; nodes of other updates are removed. `next_id`: the first id for new pages;
  // afterwards next_id is the id after the last new page.
  TreeUpdate(const PageReader& pages, Nodes& nodes, PageId& next_id)
      : pages_(pages), nodes_(nodes), next_id_(next_id) {}

  // Makes the tree with the leaves added. The leaves must be strictly sorted by label. Returns false, and does nothing
  // else, if a label exists already (or occurs twice). Call it once.
  [[nodiscard]] bool run(const Tree& old, std::span<const NewLeaf> leaves, Workers& workers, Tree& out);

  // Return the results of run(): the pages to put into the store, and the pages that are no longer part of the new
  // tree.
  [[nodiscard]] std::vector<NewPage>& created() { return created_; }
  [[nodiscard]] const std::vector<PageId>& superseded() const { return superseded_; }

 private:
  // A child that is a page: an index into refs_ with this bit. After the paths were read, no new label leads to such a
  // page.
  static constexpr NodeId kRefBit = kLeafBit >> 1;
  [[nodiscard]] static bool is_ref(NodeId id) { return !Nodes::is_leaf(id) && (id & kRefBit) != 0; }
  [[nodiscard]] PageId ref(NodeId id) const { return refs_[id & ~kRefBit]; }
  [[nodiscard]] NodeId add_ref(PageId id);

  void read_paths(std::span<const NewLeaf> leaves);
  [[nodiscard]] NodeId take_apart(PageId id, const Page& page);

  // The rest of a subtree, for the page above.
  struct Packed {
    std::size_t len;
    bool is_split;  // whether parts of the same page have become pages
  };
  [[nodiscard]] Packed pack(NodeId& id, const PageMark& above);
  [[nodiscard]] NodeId write_page(NodeId top, PageId replaces);

  const PageReader& pages_;
  Nodes& nodes_;
  PageId& next_id_;
  std::vector<PageId> refs_;
  std::vector<PageId> taken_apart_;  // pages that were decoded, indexed by their marks, which count from 1
  std::vector<NodeId> parts_;        // the parts of the page that is being decoded: nodes, leaves and references
  NodeId root_ = kNoNode;
  NodeId first_new_ = kNoNode;  // interior nodes from here on are the new tree's alone
  std::vector<NewPage> created_;
  std::vector<PageId> superseded_;
};

}  // namespace optiks::ozks
