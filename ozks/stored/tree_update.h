// TreeUpdate: a stored tree with new leaves. The pages on the paths of the new labels are read level by level and taken
// apart into nodes in memory, leaves are added there as in linked mode (trie/insert.h), and what is new is packed into
// pages again.
//
// Thread safety: one thread.
// Packing: a page that keeps within kMaxPageLen keeps its nodes. One that does not is divided, as in a B-tree: subtrees
// of it become pages, and the nodes above them go into the page above, which may become too long in turn. So all leaves
// are about equally many pages deep, whatever the order of inserting.
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

  // `nodes`: where pages are taken apart; what other updates left there is forgotten. `next_id`: the first of the ids
  // that new pages take; left behind the last.
  TreeUpdate(const PageReader& pages, Nodes& nodes, PageId& next_id)
      : pages_(pages), nodes_(nodes), next_id_(next_id) {}

  // The tree with the leaves added. They are sorted by label, strictly. A label that is there already (or twice) gives
  // false, and nothing else. Once.
  [[nodiscard]] bool run(const Tree& old, std::span<const NewLeaf> leaves, Workers& workers, Tree& out);

  // What run() made: pages to put into the store, and those that are not part of the new tree any more.
  [[nodiscard]] std::vector<NewPage>& created() { return created_; }
  [[nodiscard]] const std::vector<PageId>& superseded() const { return superseded_; }

 private:
  // A child that is a page: an index into refs_ with this bit. No new label leads there, once paths were read.
  static constexpr NodeId kRefBit = kLeafBit >> 1;
  [[nodiscard]] static bool is_ref(NodeId id) { return !Nodes::is_leaf(id) && (id & kRefBit) != 0; }
  [[nodiscard]] PageId ref(NodeId id) const { return refs_[id & ~kRefBit]; }
  [[nodiscard]] NodeId add_ref(PageId id);

  void read_paths(std::span<const NewLeaf> leaves);
  [[nodiscard]] NodeId take_apart(PageId id, const Page& page);

  // What is left of a subtree for the page above.
  struct Packed {
    std::size_t len;
    bool is_split;  // parts of the same page have become pages
  };
  [[nodiscard]] Packed pack(NodeId& id, const PageMark& above);
  [[nodiscard]] NodeId write_page(NodeId top, PageId replaces);

  const PageReader& pages_;
  Nodes& nodes_;
  PageId& next_id_;
  std::vector<PageId> refs_;
  std::vector<PageId> taken_apart_;  // by their marks, which count from 1
  std::vector<NodeId> parts_;        // of the page that is taken apart: nodes, leaves and references
  NodeId root_ = kNoNode;
  NodeId first_new_ = kNoNode;  // interior nodes from here on are the new tree's alone
  std::vector<NewPage> created_;
  std::vector<PageId> superseded_;
};

}  // namespace optiks::ozks
